"""The statements that apply writes to one table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from barrier import identity
from barrier.proctime import reads_clock
from barrier.writes import ORDINAL, WEIGHT, TableWrites
from catalog.oid import Oid
from catalog.relation import ROW, ROW_ID, Column, Table

#: The engine's types that it keeps indexes of.
_INDEXED: Final = re.compile(
    r"(BOOLEAN|SMALLINT|INTEGER|BIGINT|VARCHAR|DATE|TIME|TIMESTAMP|TIMESTAMPTZ|UUID|DECIMAL.*)"
    r"(?<!])"
)


@dataclass(frozen=True, slots=True)
class TableProgram:
    """The statements that apply writes to one table, as DuckDB SQL.

    ``d<oid>`` is the epoch's delta of the table, ``i<oid>`` the rows that go in; both are
    temporary tables of the worker's connection.
    """

    table: Table

    @property
    def storage(self) -> str:
        return f"r{self.table.oid}"

    @property
    def delta(self) -> str:
        return f"d{self.table.oid}"

    @property
    def incoming(self) -> str:
        return f"i{self.table.oid}"

    @property
    def visible(self) -> tuple[str, ...]:
        """The storage columns that users see."""
        return tuple(column.storage_name for column in self.table.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """All storage columns, a hidden key first."""
        return self.visible if self.table.primary_key else (ROW_ID, *self.visible)

    def create(self) -> list[str]:
        """Return what makes the table's storage."""
        columns = [f"{c.storage_name} {c.type.duckdb}" for c in self.table.columns]
        if self.table.primary_key:
            columns.append(f"PRIMARY KEY ({', '.join(self.table.key)})")
        else:
            columns.insert(0, f"{ROW_ID} BIGINT")
        return [f"CREATE TABLE {self.storage} ({', '.join(columns)})"]

    def create_indexes(self) -> list[str]:
        """Return what makes the indexes that help to find few rows of many."""
        return [
            f"CREATE INDEX x{oid} ON {self.storage} ({column})"
            for oid, column in self.stored_indexes().items()
        ]

    def drop_indexes(self) -> list[str]:
        """Return what takes the stored indexes away."""
        return [f"DROP INDEX x{oid}" for oid in self.stored_indexes()]

    def reindex(self, before: Table) -> list[str]:
        """Return what takes indexes away that the table as it was had, and makes those it has."""
        had, has = TableProgram(before).stored_indexes(), self.stored_indexes()
        dropped = [f"DROP INDEX x{oid}" for oid in had if oid not in has]
        made = [
            f"CREATE INDEX x{oid} ON {self.storage} ({column})"
            for oid, column in has.items()
            if oid not in had
        ]
        return [*dropped, *made]

    def stored_indexes(self) -> dict[Oid, str]:
        """Return the stored column of each index that the engine keeps, by what it is for.

        The engine looks in an index for the values of one column; an index of several serves by
        its first.
        """
        columns = {column.number: column for column in self.table.columns}
        found: dict[Oid, str] = {}
        for index in self.table.indexes:
            column = columns.get(index.keys[0].column)
            if column is not None and _INDEXED.fullmatch(column.type.duckdb):
                found[index.oid] = column.storage_name
        # Rows that refer to one that goes are found by their first column as well.
        for key in self.table.foreign_keys:
            column = columns[key.columns[0]]
            if column.storage_name in found.values() or self.table.primary_key == (column.number,):
                continue
            if _INDEXED.fullmatch(column.type.duckdb):
                found[key.oid] = column.storage_name
        return found

    def drop(self) -> list[str]:
        """Return what takes the table's storage away."""
        return [f"DROP TABLE {self.storage}"]

    def follow(
        self, before: Table, values: Mapping[int, str], *, rewrites: bool = False
    ) -> list[str]:
        """Return what makes rows of the table out of rows of the table as it was.

        Args:
            before: The table as it was.
            values: By column number, what a column holds then: SQL over the rows as they were,
                under the alias ``ROW``.
            rewrites: Whether they are stored anew in any case.
        """
        had, has = {c.number for c in before.columns}, {c.number for c in self.table.columns}
        is_keyed_as_before = before.primary_key == self.table.primary_key
        stays = not rewrites and not values and is_keyed_as_before
        if stays and not self._is_before_an_index(before, had - has):
            return [
                *(f"ALTER TABLE {self.storage} DROP COLUMN c{n}" for n in sorted(had - has)),
                *(
                    f"ALTER TABLE {self.storage} ADD COLUMN {c.storage_name} {c.type.duckdb}"
                    for c in self.table.columns
                    if c.number not in had
                ),
            ]
        given = [f"{self._value(c, had, values)} AS {c.storage_name}" for c in self.table.columns]
        if not self.table.primary_key:
            is_new = bool(before.primary_key)
            fresh = f"row_number() OVER () AS {ROW_ID}"
            given.insert(0, fresh if is_new else f"{ROW}.{ROW_ID}")
        columns = ", ".join(self.columns)
        rows = f"SELECT {', '.join(given)} FROM {self.storage} AS {ROW}"
        if any(column.generated for column in self.table.columns):
            kept = [
                c.storage_name
                for c in self.table.columns
                if c.number in had and c.generated and reads_clock(c.generated)
            ]
            rows = self.with_generated(f"({rows})", self.columns, kept)
        return [
            f"CREATE OR REPLACE TEMP TABLE {self.incoming} AS {rows}",
            *self.drop(),
            *self.create(),
            self.insert(f"SELECT {columns} FROM {self.incoming}"),
            f"DROP TABLE {self.incoming}",
        ]

    @staticmethod
    def _is_before_an_index(before: Table, dropped: Collection[int]) -> bool:
        """Whether the engine has an index on a column that goes or one after it, which it refuses.

        An index that was taken away in the same transaction counts as well.
        """
        indexed = [int(name[1:]) for name in TableProgram(before).stored_indexes().values()]
        return bool(dropped) and max([0, *before.primary_key, *indexed]) >= min(dropped)

    def with_generated(self, rows: str, columns: Iterable[str], kept: Collection[str] = ()) -> str:
        """Return the query for rows in which the generated columns are computed.

        Args:
            rows: A FROM item; what it has in their place is passed over.
            columns: What is asked for.
            kept: What is not computed.
        """
        generated = (c for c in self.table.columns if c.generated is not None)
        computed = {c.storage_name: c for c in generated if c.storage_name not in kept}
        shown = [
            f"CAST({computed[name].generated} AS {computed[name].type.duckdb}) AS {name}"
            if name in computed
            else f"{ROW}.{name}"
            for name in columns
        ]
        return f"SELECT {', '.join(shown)} FROM {rows} AS {ROW}"

    def fits(self, writes: TableWrites) -> bool:
        """Whether writes were evaluated for the table as it is."""
        return not writes.layout or writes.layout == self.table.layout

    def fitted(self, writes: TableWrites) -> TableWrites:
        """Return insertions that cannot be evaluated again as rows of the table as it is."""
        if self.fits(writes):
            return writes
        had = {described.split(" ", 1)[0] for described in writes.layout}
        shown = [
            f"CAST({c.storage_name if c.storage_name in had else c.default or 'NULL'}"
            f" AS {c.type.duckdb}) AS {c.storage_name}"
            for c in self.table.columns
        ]
        if writes.has_row_id:
            shown.append(ROW_ID)
        new = f"(SELECT {', '.join(shown)}, {ORDINAL} FROM {writes.new})"
        if any(column.generated for column in self.table.columns):
            kept = [ROW_ID] if writes.has_row_id else []
            new = f"({self.with_generated(new, [*kept, *self.visible, ORDINAL])})"
        return replace(writes, new=new, layout=self.table.layout)

    @staticmethod
    def _value(column: Column, had: Collection[int], values: Mapping[int, str]) -> str:
        if column.number in values:
            return f"CAST({values[column.number]} AS {column.type.duckdb})"
        name = column.storage_name
        return f"{ROW}.{name}" if column.number in had else f"NULL::{column.type.duckdb}"

    @property
    def empty_delta(self) -> str:
        """A query with the columns of the delta."""
        return f"SELECT {', '.join(self.columns)}, 0::BIGINT AS {WEIGHT} FROM {self.storage}"

    @property
    def stored_rows(self) -> str:
        """The query for the rows that there are."""
        return f"SELECT {', '.join(self.columns)} FROM {self.storage}"

    def incoming_rows(self, sources: list[TableWrites], next_row_id: int) -> str:
        """Return the query for new rows, one a key, that are gathered in ``i<oid>``.

        Args:
            sources: Entries for this table, in the order of their write sets.
            next_row_id: The first free ``_row_id``; as many are used as there are rows.
        """
        visible = ", ".join(self.visible)
        parts = []
        for order, source in enumerate(sources):
            given = f"{ROW_ID}, " if source.has_row_id else f"NULL::BIGINT AS {ROW_ID}, "
            row_id = "" if self.table.primary_key else given
            parts.append(
                f"SELECT {row_id}{visible}, {order} AS __batch, {ORDINAL} FROM {source.new}"
            )
        rows = " UNION ALL ".join(parts)
        if self.table.primary_key and [source.rows for source in sources] == [1]:
            body = f"SELECT {visible} FROM ({rows})"
        elif self.table.primary_key:
            is_last = identity.is_first(", ".join(self.table.key), f"__batch DESC, {ORDINAL} DESC")
            body = f"SELECT {visible} FROM ({rows}) QUALIFY {is_last}"
        else:
            fresh = f"{next_row_id} + row_number() OVER (ORDER BY __batch, {ORDINAL})"
            body = (
                f"SELECT CASE WHEN {ROW_ID} >= 0 THEN {ROW_ID} ELSE {fresh} END AS {ROW_ID}, "
                f"{visible} FROM ({rows})"
            )
        return body

    def new_rows(self, sources: Iterable[TableWrites]) -> str:
        """Return the query for new rows of a table with primary key, all of them.

        Args:
            sources: Entries for this table.
        """
        visible = ", ".join(self.visible)
        return " UNION ALL ".join(f"SELECT {visible} FROM {source.new}" for source in sources)

    def numbered_rows(self, sources: Iterable[TableWrites], next_row_id: int) -> str:
        """Return the query for new rows whose ``_row_id`` follows from their ``__ord``.

        Args:
            sources: Entries for this table, which has no primary key; all tell their ordinals.
            next_row_id: The first free ``_row_id``.
        """
        visible = ", ".join(self.visible)
        parts = []
        for source in sources:
            assert source.ordinals is not None, source
            parts.append(
                f"SELECT {next_row_id} + {ORDINAL} AS {ROW_ID}, {visible} FROM {source.new}"
            )
            next_row_id += source.ordinals
        return " UNION ALL ".join(parts)

    def insert(self, query: str) -> str:
        """Return the statement that stores the rows of a query with all storage columns."""
        return f"INSERT INTO {self.storage} ({', '.join(self.columns)}) {query}"

    def count_missing(self, old: str) -> str:
        """Return the query that counts rows of ``old`` that are no longer there as they were."""
        same = " AND ".join(
            f"{old} IS NOT DISTINCT FROM {stored}"
            for old, stored in zip(self._told_apart("o"), self._told_apart("r"), strict=True)
        )
        # A join, not NOT EXISTS: the join probes the key's index.
        return (
            f"SELECT (SELECT count(*) FROM {old}) - (SELECT count(*) FROM {self.storage} AS r "
            f"JOIN {old} AS o ON {self._same_key('o', 'r')} WHERE {same})"
        )

    def arriving_rows(self) -> str:
        """Return the query for incoming rows, with weight +1, and those they replace, with -1."""
        columns = ", ".join(self.columns)
        arriving = f"SELECT {columns}, 1::BIGINT AS {WEIGHT} FROM {self.incoming}"
        if not self.table.primary_key:
            return arriving
        return (
            f"{arriving} UNION ALL SELECT {columns}, -1 FROM {self.storage} AS r "
            f"WHERE EXISTS (SELECT 1 FROM {self.incoming} AS i WHERE {self._same_key('i', 'r')})"
        )

    def changed_rows(self, writes: TableWrites, incoming: str) -> str:
        """Return the query for what a change adds and takes away, in its shortest form.

        A stored row that has the key of an incoming one and is not among the old ones is replaced.

        Args:
            writes: The change.
            incoming: The FROM item of the rows that it adds.
        """
        columns = ", ".join(self.columns)
        parts = []
        if writes.old is not None:
            parts.append(f"SELECT {columns}, -1::BIGINT AS {WEIGHT} FROM {writes.old}")
        if writes.new is not None:
            parts.append(f"SELECT {columns}, 1::BIGINT AS {WEIGHT} FROM {incoming}")
        if writes.new is not None and self.table.primary_key and not writes.keeps_keys:
            parts.append(
                f"SELECT {columns}, -1::BIGINT FROM {self.storage} AS r WHERE EXISTS "
                f"(SELECT 1 FROM {self.incoming} AS i WHERE {self._same_key('i', 'r')})"
                f"{self._unless(writes.old)}"
            )
        return (
            f"SELECT {columns}, sum({WEIGHT})::BIGINT AS {WEIGHT} "
            f"FROM ({' UNION ALL '.join(parts)}) GROUP BY {self._grouped} "
            f"HAVING sum({WEIGHT}) <> 0"
        )

    def delete_keys(self, rows: str) -> str:
        """Return the statement that deletes the stored rows that have a key of ``rows``."""
        return (
            f"DELETE FROM {self.storage} AS r WHERE EXISTS "
            f"(SELECT 1 FROM {rows} AS i WHERE {self._same_key('i', 'r')})"
        )

    def insert_incoming(self, incoming: str | None = None) -> str:
        """Return the statement that stores the incoming rows."""
        return self.insert(f"SELECT {', '.join(self.columns)} FROM {incoming or self.incoming}")

    def consolidate(self) -> str:
        """Return the statement that sums equal rows of the delta and drops what cancels out."""
        columns = ", ".join(self.columns)
        return (
            f"CREATE OR REPLACE TEMP TABLE {self.delta} AS SELECT {columns}, "
            f"sum({WEIGHT})::BIGINT AS {WEIGHT} FROM {self.delta} GROUP BY {self._grouped} "
            f"HAVING sum({WEIGHT}) <> 0"
        )

    def _told_apart(self, alias: str) -> list[str]:
        """Return what two rows have in common only if they are the same to every reader."""
        marks = identity.marks(self.table.columns, alias)
        return [*(f"{alias}.{name}" for name in self.visible), *marks]

    @property
    def _grouped(self) -> str:
        return ", ".join([*self.columns, *identity.marks(self.table.columns)])

    def _unless(self, old: str | None) -> str:
        """Return a condition on ``r`` that leaves the rows of ``old`` out."""
        if old is None:
            return ""
        return f" AND NOT EXISTS (SELECT 1 FROM {old} AS o WHERE {self._same_key('o', 'r')})"

    def _same_key(self, left: str, right: str) -> str:
        return " AND ".join(f"{left}.{c} = {right}.{c}" for c in self.table.key)
