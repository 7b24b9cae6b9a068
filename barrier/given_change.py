"""Few rows that change, as a session read them, and the statements that store what they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from barrier.given_rows import GivenRows, GivenValue


@dataclass(frozen=True, slots=True)
class GivenChange:
    """Some rows of a table that become others with the same keys, or go.

    Attributes:
        old: The rows as they are, with all storage columns, each once.
        new: The same ones, in the same order, as they will be; None: they go.
    """

    old: GivenRows
    new: GivenRows | None

    @property
    def rows(self) -> int:
        """How many."""
        return self.old.rows

    def to_others(self) -> GivenChange:
        """Return the change without the rows that stay as they are."""
        new = self.new
        if new is None:
            return self
        columns = list(zip(self.old.columns, new.columns, strict=True))
        places = [
            place
            for place in range(self.rows)
            if not all(_is_same(old[place], new[place]) for old, new in columns)
        ]
        if len(places) == self.rows:
            return self
        return GivenChange(self.old.at(places), new.at(places))

    def others(self) -> list[str]:
        """Return the names of the columns that become others in some row; there is a ``new``."""
        assert self.new is not None
        columns = zip(self.old.names, self.old.columns, self.new.columns, strict=True)
        return [
            name
            for name, old, new in columns
            if not all(_is_same(*pair) for pair in zip(old, new, strict=True))
        ]

    @property
    def turns_zeros(self) -> bool:
        """Whether a zero becomes the other one, which UPDATE of DuckDB 2.0 does not store."""
        if self.new is None:
            return False
        columns = zip(self.old.columns, self.new.columns, strict=True)
        pairs = (pair for column in columns for pair in zip(*column, strict=True))
        return any(old == 0 and new == 0 and not _is_same(old, new) for old, new in pairs)

    def weighed(self, name: str) -> GivenRows:
        """Return the change as a Z-set, with a column of that name for the weights."""
        gone = self.old.with_values(name, "BIGINT", [-1] * self.rows)
        if self.new is None:
            return gone
        return GivenRows.joined([gone, self.new.with_values(name, "BIGINT", [1] * self.rows)])


def deletion(storage: str, keys: GivenRows) -> str:
    """Return the statement that deletes the stored rows with some keys, which are its parameters.

    Args:
        storage: The table.
        keys: All columns of its key.
    """
    if keys.rows == 1:
        return f"DELETE FROM {storage} WHERE {_told(keys, keys.names, ' AND ')}"
    same = " AND ".join(f"r.{name} = i.{name}" for name in keys.names)
    return f"DELETE FROM {storage} AS r USING ({keys.query()}) AS i WHERE {same}"


def update(storage: str, key: Sequence[str], rows: GivenRows) -> str:
    """Return the statement that gives stored rows other values, which are its parameters.

    Args:
        storage: The table.
        key: The names of its key's columns.
        rows: These, and what the others are to be.
    """
    names = [name for name in rows.names if name not in key]
    if rows.rows == 1:
        values = _told(rows, names, ", ")
        return f"UPDATE {storage} SET {values} WHERE {_told(rows, key, ' AND ')}"
    values = ", ".join(f"{name} = i.{name}" for name in names)
    same = " AND ".join(f"r.{name} = i.{name}" for name in key)
    return f"UPDATE {storage} AS r SET {values} FROM ({rows.query()}) AS i WHERE {same}"


def _told(row: GivenRows, names: Sequence[str], between: str) -> str:
    values = dict(zip(row.names, row.placeholders(), strict=True))
    return between.join(f"{name} = {values[name]}" for name in names)


def _is_same(old: GivenValue, new: GivenValue) -> bool:
    """Whether two values of a column are one; the two zeros are not."""
    return old == new and (old != 0 or str(old) == str(new))
