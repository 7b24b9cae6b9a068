"""Queries about keys: which rows have one in common, and which refer to what is not there.

They stand on what is few, the rows that a statement or write set changes, and look for their keys
in what is many by a join, which probes the stored table's index. Sessions ask them of what they are
about to write, the worker of what has come in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from barrier.key_text import key_text
from catalog.constraint import ForeignKey, UniqueKey
from catalog.relation import ROW, Table, storage_name


@dataclass(frozen=True, slots=True)
class Content:
    """What a table holds, for whoever has written to it.

    Attributes:
        table: The table.
        hiding: FROM items with the keys of stored rows that are gone, or have others in their
            place.
        live: The FROM item of the rows that are new, or None.
        without: The FROM item of rows, by their keys, that are left out of both; or None.
    """

    table: Table
    hiding: tuple[str, ...] = ()
    live: str | None = None
    without: str | None = None

    def joined(self, shown: str, other: str, on: str) -> str:
        """Return the query for pairs of its rows, under the alias ``ROW``, and of another item.

        Args:
            shown: What is asked for.
            other: The FROM item with its alias.
            on: The condition.
        """
        left_out = () if self.without is None else (self.without,)
        stored = self._pairs(shown, storage_name(self.table.oid), other, on)
        parts = [f"{stored}{self._but(*self.hiding, *left_out)}"]
        if self.live is not None:
            parts.append(f"{self._pairs(shown, self.live, other, on)}{self._but(*left_out)}")
        return " UNION ALL ".join(parts)

    def rows(self) -> str:
        """Return the FROM item of its rows."""
        if not self.hiding and self.live is None and self.without is None:
            return storage_name(self.table.oid)
        return f"({self.query()})"

    def query(self) -> str:
        """Return the query for its rows."""
        left_out = () if self.without is None else (self.without,)
        columns = ", ".join(f"{ROW}.{name}" for name in _stored_columns(self.table))
        stored = f"SELECT {columns} FROM {storage_name(self.table.oid)} AS {ROW}"
        parts = [f"{stored} WHERE true{self._but(*self.hiding, *left_out)}"]
        if self.live is not None:
            live = f"SELECT {columns} FROM {self.live} AS {ROW}"
            parts.append(f"{live} WHERE true{self._but(*left_out)}")
        return " UNION ALL ".join(parts)

    @staticmethod
    def _pairs(shown: str, rows: str, other: str, on: str) -> str:
        return f"SELECT {shown} FROM {rows} AS {ROW} JOIN {other} ON {on} WHERE true"

    def _but(self, *items: str) -> str:
        return "".join(
            f" AND NOT EXISTS (SELECT 1 FROM {item} AS gone WHERE {self._same_key()})"
            for item in items
        )

    def _same_key(self) -> str:
        return " AND ".join(f"gone.{name} = {ROW}.{name}" for name in self.table.key)


def _stored_columns(table: Table) -> list[str]:
    hidden = [] if table.primary_key else list(table.key)
    return [*hidden, *(column.storage_name for column in table.columns)]


def _names(count: int) -> list[str]:
    return [f"k{number}" for number in range(1, count + 1)]


def _keyed(key: UniqueKey, rows: str, *, placed: bool = False) -> str:
    """Return the query for the keys of rows as ``k1``, ``k2``, ..., without those like none.

    Args:
        key: The key.
        rows: The FROM item.
        placed: Whether ``__ord`` is wanted too, as ``place``.
    """
    parts = ", ".join(
        f"{part} AS {name}" for part, name in zip(key.parts, _names(len(key.parts)), strict=True)
    )
    conditions = [] if key.condition is None else [f"({key.condition})"]
    if not (key.are_nulls_equal or key.is_primary):
        conditions += [f"({part}) IS NOT NULL" for part in key.parts]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    if placed:
        parts += f", {ROW}.__ord AS place"
    return f"SELECT {parts} FROM {rows} AS {ROW}{where}"


def same_key(key: UniqueKey, other: str) -> str:
    """Return the condition that a row has the key that another item has as ``k1``, ``k2``, ..."""
    equal = "IS NOT DISTINCT FROM" if key.are_nulls_equal else "="
    conditions = [
        f"({part}) {equal} {other}.{name}"
        for part, name in zip(key.parts, _names(len(key.parts)), strict=True)
    ]
    if key.condition is not None:
        conditions.append(f"({key.condition})")
    return " AND ".join(conditions)


def doubled(key: UniqueKey, rows: str) -> str:
    """Return the query for keys, as texts, that more than one of some rows has."""
    names = _names(len(key.parts))
    shown = ", ".join(map(key_text, names, key.macros))
    return (
        f"SELECT {shown} FROM ({_keyed(key, rows)}) GROUP BY {', '.join(names)} HAVING count(*) > 1"
    )


def taken(key: UniqueKey, rows: str, content: Content) -> str:
    """Return the query for keys of some rows, as texts, that a row of a table has."""
    names = [f"n.{name}" for name in _names(len(key.parts))]
    shown = ", ".join(map(key_text, names, key.macros))
    return content.joined(shown, f"({_keyed(key, rows)}) AS n", same_key(key, "n"))


def are_taken(key: UniqueKey, rows: str, content: Content) -> str:
    """Return the query for those of some rows, by ``__ord``, whose key a row of a table has."""
    return content.joined("n.place", f"({_keyed(key, rows, placed=True)}) AS n", same_key(key, "n"))


def later(key: UniqueKey, rows: str) -> str:
    """Return the query for those of some rows, by ``__ord``, whose key one before them has."""
    return f"SELECT place FROM ({_placed(key, rows, 'row_number')}) WHERE rank > 1"


def ranks(key: UniqueKey, rows: str, number: int) -> str:
    """Return the query for place, a number, and another that rows of one key have in common."""
    return f"SELECT place, {number}, rank FROM ({_placed(key, rows, 'dense_rank')})"


def _placed(key: UniqueKey, rows: str, function: str) -> str:
    names = ", ".join(_names(len(key.parts)))
    is_ranked = function == "dense_rank"
    window = f"ORDER BY {names}" if is_ranked else f"PARTITION BY {names} ORDER BY place"
    rows = f"({_keyed(key, rows, placed=True)})"
    return f"SELECT place, {function}() OVER ({window}) AS rank FROM {rows}"


def values_of(numbers: Sequence[int], rows: str) -> str:
    """Return the query for the values of some columns as ``k1``, ..., but where one is NULL."""
    columns = [f"{ROW}.c{number}" for number in numbers]
    shown = ", ".join(f"{c} AS {n}" for c, n in zip(columns, _names(len(columns)), strict=True))
    where = " AND ".join(f"{column} IS NOT NULL" for column in columns)
    return f"SELECT DISTINCT {shown} FROM {rows} AS {ROW} WHERE {where}"


def _has(numbers: Sequence[int], other: str) -> str:
    """Return the condition that a row has in some columns what another item has as k1, k2, ..."""
    names = _names(len(numbers))
    return " AND ".join(f"{ROW}.c{c} = {other}.{n}" for c, n in zip(numbers, names, strict=True))


def _absent(values: str, numbers: Sequence[int], content: Content) -> str:
    """Return the query for values, k1, ..., that no row of a table has in some columns."""
    names = _names(len(numbers))
    shown = ", ".join(f"v.{name} AS {name}" for name in names)
    found = content.joined(shown, f"({values}) AS v", _has(numbers, "v"))
    same = " AND ".join(f"f.{name} = w.{name}" for name in names)
    is_found = f"EXISTS (SELECT 1 FROM ({found}) AS f WHERE {same})"
    return f"SELECT * FROM ({values}) AS w WHERE NOT {is_found}"


def missing(key: ForeignKey, rows: str, target: Content) -> str:
    """Return the query for what some rows refer to, as texts, and is not there."""
    macros = [target.table.text_macros.get(number, "") for number in key.target_columns]
    shown = ", ".join(map(key_text, _names(len(key.columns)), macros))
    absent = _absent(values_of(key.columns, rows), key.target_columns, target)
    return f"SELECT {shown} FROM ({absent})"


def mixed(key: ForeignKey, rows: str) -> str:
    """Return the query for some rows' keys that are NULL in a part, and not in all."""
    columns = [f"{ROW}.c{number}" for number in key.columns]
    nulls = " OR ".join(f"{column} IS NULL" for column in columns)
    values = " OR ".join(f"{column} IS NOT NULL" for column in columns)
    return f"SELECT {columns[0]}::VARCHAR FROM {rows} AS {ROW} WHERE ({nulls}) AND ({values})"


def vanished(key: ForeignKey, removed: str, target: Content) -> str:
    """Return the query for referenced values, k1, ..., of rows that are gone, that no row has."""
    return _absent(values_of(key.target_columns, removed), key.target_columns, target)


def referring(key: ForeignKey, values: str, content: Content) -> str:
    """Return the query for those of some values, k1, ..., as texts, that a row refers to."""
    names = [f"v.{name}" for name in _names(len(key.columns))]
    macros = [content.table.text_macros.get(number, "") for number in key.columns]
    shown = ", ".join(map(key_text, names, macros))
    return content.joined(shown, f"({values}) AS v", _has(key.columns, "v"))


def rows_referring(key: ForeignKey, values: str, content: Content) -> str:
    """Return the query for the rows that refer to some values, k1, ..., all stored columns."""
    columns = ", ".join(f"{ROW}.{name}" for name in _stored_columns(content.table))
    return pairs_referring(key, columns, values, content)


def pairs_referring(key: ForeignKey, shown: str, values: str, content: Content) -> str:
    """Return a query over the rows that refer to some values, k1, ..., with these as ``v``."""
    return content.joined(shown, f"({values}) AS v", _has(key.columns, "v"))
