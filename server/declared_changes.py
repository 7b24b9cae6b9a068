"""Cursors over the changes that a subscription keeps.

What such a cursor is to give next waits in a staging table, which is filled from the change log a
piece at a time, on a connection of its own: a transaction's snapshot does not hold it back.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from barrier.changes import OP, TIMESTAMP, Changes, Layout, Seen, changes
from barrier.epoch import Epoch
from barrier.store import Reader
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.types import INT8, VARCHAR
from server.sql.bind.result import OutputColumn


class Found(Enum):
    """What a look for more changes has found."""

    ROWS = "rows"
    NOTHING = "nothing"
    OTHER_COLUMNS = "other columns"


@dataclass(slots=True)
class ChangeCursor:
    """A cursor over changes.

    Attributes:
        subscription: What keeps them.
        subscription_name: As it was called then.
        columns: Those of its rows; they are others once the relation's are and all rows with
            these have been fetched.
        position: The epoch up to which all changes have been given or wait to be.
        used_ms: When it was last fetched from, in milliseconds since 1970.
        reader: Its connection.
        name: What the staging tables begin with of the rows that wait, numbered from 1 as n.
    """

    subscription: Oid
    subscription_name: str
    columns: tuple[OutputColumn, ...]
    position: Epoch
    used_ms: int
    reader: Reader
    name: str
    _following: tuple[OutputColumn, ...] | None = None
    _filled: int = 0
    _given: int = 0
    _is_made: bool = False
    _number: int = 1

    @property
    def _staging(self) -> str:
        return f"{self.name}_{self._number}"

    @property
    def waiting(self) -> int:
        """How many rows wait."""
        return self._filled - self._given

    def fill(self, query: str) -> None:
        """Let the rows of a query wait after those that do; the reader has a snapshot.

        Args:
            query: In the shape of ``barrier.changes.changes``.
        """
        if self._is_made and not self.waiting:
            self.reader.run(f"DELETE FROM {self._staging}")
        verb = (
            f"INSERT INTO {self._staging}" if self._is_made else f"CREATE TABLE {self._staging} AS"
        )
        count = f"SELECT * REPLACE (n + {self._filled} AS n) FROM ({query})"
        if not self._is_made:
            self._drop(self._number - 1)
        self._filled += self.reader.run(f"{verb} {count}")
        self.reader.commit()
        self._is_made = True

    def look(self, source: Changes) -> Found:
        """Look for more rows.

        Raises:
            PgError: There will be none any more, or some have been forgotten.
        """
        seen = source.pin(self.reader, self.subscription)
        try:
            return self._look(seen)
        finally:
            self.reader.rollback()

    def _look(self, seen: Seen) -> Found:
        seen.check_kept(self.position)
        layout = seen.layout(self.position)
        if (columns := columns_of(seen, layout)) != self.columns:
            self._following = columns
            return Found.OTHER_COLUMNS
        ((end,),) = self.reader.rows(seen.piece(layout, self.position))
        upto = Epoch(int(str(end))) or layout.upto
        before, filled = self.position, self._filled
        if end:
            self.fill(changes(layout, before, upto))
        self.position = max(before, upto)
        return Found.ROWS if self._filled > filled or end else self._moved(layout, before)

    def _moved(self, layout: Layout, before: Epoch) -> Found:
        """Tell whether to look again: where the columns were others, more may come behind."""
        return Found.ROWS if layout.is_past and self.position > before else Found.NOTHING

    def take(self, count: int | None) -> str:
        """Return the query for the rows that come next, and pass over them; its columns are c1, ...

        Args:
            count: How many at most; None is all that wait.
        """
        if not self._is_made:
            return self._nothing()
        first = self._given + 1
        self._given = self._filled if count is None else min(self._given + count, self._filled)
        visible = [f"v{number} AS c{number}" for number in range(1, len(self.columns) - 1)]
        last = len(self.columns)
        items = ", ".join((*visible, f"{OP} AS c{last - 1}", f"{TIMESTAMP} AS c{last}"))
        return (
            f"SELECT {items} FROM {self._staging} WHERE n BETWEEN {first} AND {self._given} "
            "ORDER BY n"
        )

    def _nothing(self) -> str:
        numbered = enumerate(self.columns, 1)
        items = (f"CAST(NULL AS {column.type.duckdb}) AS c{number}" for number, column in numbered)
        return f"SELECT {', '.join(items)} WHERE false"

    def turn(self) -> None:
        """Go on with the columns that come next, if all rows with these have been given."""
        if self._following is None or self.waiting:
            return
        self.columns, self._following = self._following, None
        # The rows that were given last may not have been read yet.
        self._is_made, self._filled, self._given = False, 0, 0
        self._number += 1

    def close(self) -> None:
        """Let go of the rows and the connection."""
        with suppress(PgError):
            self.reader.rollback()
            self._drop(self._number)
            self._drop(self._number - 1)
        self.reader.close()

    def _drop(self, number: int) -> None:
        self.reader.run(f"DROP TABLE IF EXISTS {self.name}_{number}")


def columns_of(seen: Seen, layout: Layout) -> tuple[OutputColumn, ...]:
    """Return the columns of a cursor over changes."""
    return (
        *(OutputColumn(c.name, c.type, seen.source.oid, c.number) for c in layout.columns),
        OutputColumn(OP, VARCHAR),
        OutputColumn(TIMESTAMP, INT8),
    )


class ChangeCursors:
    """A session's cursors over changes, by name."""

    def __init__(self) -> None:
        self._open: dict[str, ChangeCursor] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._open

    def find(self, name: str) -> ChangeCursor | None:
        """Return the cursor of that name, or None."""
        return self._open.get(name)

    def add(self, name: str, cursor: ChangeCursor) -> None:
        """Take a cursor on."""
        assert name not in self._open, name
        self._open[name] = cursor

    def close(self, name: str) -> None:
        """Close the cursor of that name."""
        self._open.pop(name).close()

    def close_all(self) -> None:
        """Close every one."""
        for name in list(self._open):
            self.close(name)

    def listed(self) -> list[tuple[str, ChangeCursor]]:
        """Return all cursors by name."""
        return [(name, self._open[name]) for name in sorted(self._open)]
