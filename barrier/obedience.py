"""Whether a write set still obeys the constraints between rows when it comes to be applied.

Its session has seen that it does, on the snapshot that it was evaluated on. What nobody has changed
since need not be looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from barrier import keys
from barrier.keys import Content
from barrier.store import Attempt
from barrier.writes import OnKey, TableWrites, WriteConflict, WriteSet
from catalog.constraint import Action, ForeignKey, UniqueKey
from catalog.constraint_errors import (
    duplicate_key,
    missing_reference,
    mixed_reference,
    still_referenced,
)
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import Table
from catalog.state import Catalog


@dataclass(frozen=True, slots=True)
class Obedience:
    """Looks at one write set before any of it is applied.

    Attributes:
        attempt: The epoch's transaction.
        catalog: What there is.
        is_as_seen: Whether no rows of some tables have changed since the session looked.
        write_set: What is to be applied.
    """

    attempt: Attempt
    catalog: Catalog
    is_as_seen: Callable[[tuple[Oid, ...]], bool]
    write_set: WriteSet

    def error(self) -> PgError | None:
        """Return why the write set cannot be applied, or None."""
        return next(self._errors(), None)

    def _errors(self) -> Iterator[PgError]:
        for writes in self.write_set.tables:
            table = self.catalog.table(writes.table)
            if writes.new is not None:
                for key in table.unique_keys:
                    yield from self._doubled(table, key, writes, writes.new)
                for reference in table.foreign_keys:
                    yield from self._missing(table, reference, writes.new)
            if writes.old is not None:
                for referring, reference in self.catalog.referring(table.oid):
                    yield from self._dangling(table, referring, reference, writes.old)

    def _is_known(self, constraint: Oid, *tables: Table) -> bool:
        """Whether the session has seen that a constraint is obeyed, and it is so still."""
        oids = tuple(table.oid for table in tables)
        return constraint in self.write_set.obeyed and self.is_as_seen(oids)

    def _doubled(
        self, table: Table, key: UniqueKey, writes: TableWrites, new: str
    ) -> Iterator[PgError]:
        if key.is_primary and writes.on_key is OnKey.REPLACE:
            return
        if self._is_known(key.oid, table):
            return
        if not key.is_primary and key.oid not in self.write_set.obeyed:
            # It is newer than the rows, which nobody has compared with each other.
            twice = self.attempt.row(f"{keys.doubled(key, new)} LIMIT 1")
            if twice is not None:
                yield duplicate_key(table, key, twice)
        hiding = () if writes.old is None else (writes.old,)
        found = self.attempt.row(f"{keys.taken(key, new, Content(table, hiding))} LIMIT 1")
        if found is not None:
            # What was to become of a row that is there is for the session to say.
            is_asked = writes.on_key is OnKey.ABSENT
            yield WriteConflict.plain() if is_asked else duplicate_key(table, key, found)

    def _missing(self, table: Table, key: ForeignKey, new: str) -> Iterator[PgError]:
        target = self.catalog.table(key.target)
        if self._is_known(key.oid, table, target):
            return
        is_new = key.oid not in self.write_set.obeyed
        if key.is_full and is_new and self.attempt.row(f"{keys.mixed(key, new)} LIMIT 1"):
            yield mixed_reference(table, key)
        found = self.attempt.row(f"{keys.missing(key, new, self._after(target))} LIMIT 1")
        if found is not None:
            yield missing_reference(table, key, target, found)

    def _dangling(
        self, target: Table, table: Table, key: ForeignKey, old: str
    ) -> Iterator[PgError]:
        if self._is_known(key.oid, table, target):
            return
        values = keys.vanished(key, old, self._after(target))
        found = self.attempt.row(f"{keys.referring(key, values, self._after(table))} LIMIT 1")
        if found is not None:
            # Rows that came in between are to follow, or to be refused.
            is_refused = {key.on_delete, key.on_update} <= {Action.NO_ACTION, Action.RESTRICT}
            yield (
                still_referenced(table, key, target, found) if is_refused else WriteConflict.plain()
            )

    def _after(self, table: Table) -> Content:
        """Return what a table holds once the write set is applied."""
        for writes in self.write_set.tables:
            if writes.table == table.oid:
                hiding = [] if writes.old is None else [writes.old]
                if writes.new is not None and table.primary_key:
                    hiding.append(writes.new)
                return Content(table, tuple(hiding), writes.new)
        return Content(table)
