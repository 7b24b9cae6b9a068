"""Rows that a flow brings in one epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from barrier.connector.generator import generator_of
from barrier.feeding import fitting
from barrier.knowledge import Knowledge
from barrier.message import Written
from barrier.writes import TableWrites, WriteSet
from catalog.connector import Connector
from catalog.oid import Oid
from catalog.relation import Table
from catalog.secret import with_values

#: Tickets of rows that flow in, by the OIDs of their tables, are below this; no other's is.
_TICKETS = -(1 << 40)


@dataclass(frozen=True, slots=True)
class Pull:
    """Rows that a flow brings in one epoch.

    Attributes:
        table: What keeps them.
        connector: Where they come from, with the values of its secrets.
        first: The place of the first among all that the flow brings.
        count: How many.
        now_ms: The time, in milliseconds since 1970.
    """

    table: Table
    connector: Connector = field(repr=False)
    first: int
    count: int
    now_ms: int

    @property
    def ticket(self) -> int:
        """What errors go by; nobody waits for it."""
        return _TICKETS - self.table.oid

    def written(self) -> Written:
        """Return the rows as an epoch writes them."""
        table = self.table
        made = generator_of(self.connector, table.columns, table.created_ms)
        rows = f"({made.rows(self.first, self.count, self.now_ms)})"
        given = [column.storage_name for column in table.columns if column.generated is None]
        item = fitting(table, rows, given)
        writes = TableWrites(table.oid, new=item, ordinals=self.count)
        return Written(self.ticket, WriteSet((writes,)))


def pulls_of(known: Knowledge, due: Mapping[Oid, int], now_ms: int) -> Iterator[Pull]:
    """Yield what flows bring, of what is due of them."""
    for oid, count in sorted(due.items()):
        table = known.catalog.readers.get(oid) or known.catalog.relations.get(oid)
        if not isinstance(table, Table) or table.connector is None:
            continue  # It has gone in the meantime.
        first = known.places.get(oid, 0)
        connector = with_values(table.connector, known.catalog.secrets)
        total = generator_of(connector, table.columns, table.created_ms).total
        left = count if total is None else min(count, total - first)
        if left > 0:
            yield Pull(table, connector, first, left, now_ms)
