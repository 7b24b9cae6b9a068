"""Few rows as a session read them, which need no staging table.

Most statements of a stream write one row, or some, of constants, and most of others change a few.
Making a table of them, reading it and dropping it takes the engine longer than storing them: so
they travel as values, and the epoch's statements take them as parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Final, TypeAlias

#: A value that the engine casts to its column's type without an error, whatever session asks.
GivenValue: TypeAlias = int | float | str | bool | None

#: More rows are staged: the barrier should not wait for values to be handed over one by one.
GIVEN_ROWS_MAX: Final = 1000

#: What keys have to be for two equal ones to be told from their values alone.
_TOLD_APART: Final = frozenset({"BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "VARCHAR"})


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Some rows of a table, in their order.

    Attributes:
        names: The storage names of the columns.
        types: The engine's types of them.
        columns: The values of each column, from the first row to the last.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    columns: tuple[Sequence[GivenValue], ...]

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.columns[0])

    def query(self) -> str:
        """Return the query for the rows, with ``parameters``."""
        return f"SELECT {', '.join(self._shown())}"

    def parameters(self) -> list[object]:
        """Return the parameters of ``query``."""
        if self.rows == 1:
            return [values[0] for values in self.columns]
        return [list(values) for values in self.columns]

    def item(self, ordinal: str) -> str:
        """Return the rows as a FROM item without parameters, with a column of their places."""
        lists = [
            f"UNNEST(CAST([{', '.join(map(_literal, values))}] AS {type_}[])) AS {name}"
            for name, type_, values in zip(self.names, self.types, self.columns, strict=True)
        ]
        return f"(SELECT {', '.join(lists)}, UNNEST(range(1, {self.rows + 1})) AS {ordinal})"

    def with_ids(self, name: str, first: int) -> GivenRows:
        """Return the rows with one more column in front: whole numbers that count up."""
        ids = range(first, first + self.rows)
        return GivenRows((name, *self.names), ("BIGINT", *self.types), (ids, *self.columns))

    @staticmethod
    def joined(parts: Sequence[GivenRows]) -> GivenRows:
        """Return the rows of several of one table, one after the other."""
        first, *more = parts
        if not more:
            return first
        columns = zip(*(part.columns for part in parts), strict=True)
        return replace(first, columns=tuple(list(chain.from_iterable(c)) for c in columns))

    def latest(self, key: Sequence[str]) -> GivenRows:
        """Return of the rows that are known to have the same key only the last."""
        places = [self.names.index(name) for name in key]
        if self.rows == 1 or any(self.types[place] not in _TOLD_APART for place in places):
            return self
        last = {
            k: row for row, k in enumerate(zip(*(self.columns[p] for p in places), strict=True))
        }
        if len(last) == self.rows:
            return self
        kept = sorted(last.values())
        columns = tuple([values[row] for row in kept] for values in self.columns)
        return replace(self, columns=columns)

    def with_values(self, name: str, type_: str, values: Sequence[GivenValue]) -> GivenRows:
        """Return the rows with one more column at the end."""
        return GivenRows((*self.names, name), (*self.types, type_), (*self.columns, values))

    def groups(self, names: Sequence[str]) -> int:
        """Return how many groups some columns make of the rows, or more: no two are told as one."""
        return len(set(self._apart(names)))

    def loses(self, names: Sequence[str], weight: str) -> bool:
        """Return whether there are fewer of rows that are alike in some columns than before.

        Args:
            names: The columns.
            weight: The name of the column that says of each row how often it comes, or goes: with
                a minus. Where there is none, all come.
        """
        if weight not in self.names:
            return False
        gains: Counter[tuple[GivenValue, ...]] = Counter()
        weights = self.columns[self.names.index(weight)]
        for row, times in zip(self._apart(names), weights, strict=True):
            assert isinstance(times, int), times
            gains[row] += times
        return min(gains.values()) < 0

    def only(self, names: Sequence[str]) -> GivenRows:
        """Return some of the columns, in the order of the names."""
        places = [self.names.index(name) for name in names]
        return GivenRows(
            tuple(names),
            tuple(self.types[place] for place in places),
            tuple(self.columns[place] for place in places),
        )

    def at(self, places: Sequence[int]) -> GivenRows:
        """Return some of the rows, by their places from 0 on."""
        columns = tuple([values[place] for place in places] for values in self.columns)
        return replace(self, columns=columns)

    def placeholders(self) -> list[str]:
        """Return what stands for each column's value in a statement, where there is one row."""
        return [f"${n}::{type_}" for n, type_ in enumerate(self.types, 1)]

    def _apart(self, names: Sequence[str]) -> Iterable[tuple[GivenValue, ...]]:
        """Return the rows of some columns so that two are equal only if all of them is."""
        columns = [
            # The two zeros are equal, and not the same.
            [repr(v) if isinstance(v, float) else v for v in values]
            for values in self.only(names).columns
        ]
        return zip(*columns, strict=True) if columns else repeat((), self.rows)

    def _shown(self) -> list[str]:
        if self.rows == 1:
            values = self.placeholders()
        else:
            values = [f"UNNEST(${n}::{type_}[])" for n, type_ in enumerate(self.types, 1)]
        return [f"{value} AS {name}" for value, name in zip(values, self.names, strict=True)]


def _literal(value: GivenValue) -> str:
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"
