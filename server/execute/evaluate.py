"""Evaluating INSERT, UPDATE and DELETE into staging tables, with the session's own reader.

All that a client can get wrong shows here: casts, divisions, NULLs, keys. What comes out can only
still lose a race. Nothing but ``staging`` is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from sqlglot import exp

from barrier.given_rows import GIVEN_ROWS_MAX, GivenRows, GivenValue
from barrier.writes import ORDINAL, OnKey, TableProgram, TableWrites, WriteSet
from catalog.errors import CardinalityViolation, UniqueViolation
from catalog.relation import ROW_ID, KeyConflict, Table
from server.execute.engine_sql import EngineSql, engine_sql, with_rows
from server.execute.key_rules import settled_rows
from server.execute.row_rules import check_rows
from server.session_state import SessionState
from server.sql.bind.merge import ADDS, CHANGES
from server.sql.bind.result import (
    BoundConflict,
    BoundDelete,
    BoundInsert,
    BoundQuery,
    BoundUpdate,
    ParameterList,
)
from server.transaction import same_key, storage_columns

#: The staging table of old and new values of changed rows has this before their storage names.
_OLD = "o_"
_NEW = "n_"

#: What values are that need no look.
_NOT_NULL: Final = frozenset({int, float, str, bool})
_VALUES: Final = _NOT_NULL | {type(None)}


@dataclass
class Evaluated:
    """What a statement does to a table.

    Attributes:
        rows: How many rows it counts.
        old: The FROM item of removed rows with all storage columns, or None.
        new: The FROM item of new rows with visible columns and ``__ord``, or None.
        given: New rows as values, in the place of ``new``; or None.
        has_row_id: Whether ``new`` has ``_row_id``: its rows keep their identity.
        on_key: What happens when a new row's key is there already.
        keeps_keys: Whether every key of ``new`` is one of ``old``.
        ordinals: A number that no ``__ord`` of ``new`` exceeds, where they are all different and
            positive; or None.
        returned: The staging table of what RETURNING gives, or None.
        staging: All other staging tables that were made.
    """

    table: Table
    rows: int = 0
    old: str | None = None
    new: str | None = None
    given: GivenRows | None = None
    has_row_id: bool = False
    on_key: OnKey = OnKey.REPLACE
    keeps_keys: bool = False
    ordinals: int | None = None
    returned: str | None = None
    staging: list[str] = field(default_factory=list)

    def write_set(self, seen: int | None = None) -> WriteSet:
        """Return what the worker is to do.

        Args:
            seen: The epoch that had last changed the table before its rows were read, if known.
        """
        writes = TableWrites(
            self.table.oid,
            old=self.old,
            new=self.new,
            given=self.given,
            has_row_id=self.has_row_id,
            on_key=self.on_key,
            rows=self.rows,
            keeps_keys=self.keeps_keys,
            ordinals=self.ordinals,
            layout=self.table.layout,
            seen=seen,
        )
        return WriteSet((writes,), staging=tuple(self.staging))


class Evaluation:
    """One statement's evaluation; leaves no staging tables when it fails outside a transaction.

    Args:
        state: The session.
        table: What is written.
        parameters: All of the client's parameters.
        query: The bound statement's own tree as text, with the parameters that it has.
    """

    def __init__(
        self,
        state: SessionState,
        table: Table,
        parameters: Sequence[object],
        query: EngineSql,
    ) -> None:
        self._query = query
        self._state = state
        self._table = table
        self._parameters = parameters
        self._visible = ", ".join(column.storage_name for column in table.columns)
        #: Staging tables and how many rows each has.
        self._made: dict[str, int] = {}

    def insert(self, bound: BoundInsert) -> Evaluated:
        """Evaluate an INSERT.

        Raises:
            PgError: What the client got wrong.
        """
        if (plain := self._plain_rows(bound)) is not None:
            return Evaluated(self._table, plain.rows, given=plain, ordinals=plain.rows)
        given = self._stage_query(
            self._query, f"{self._visible}, row_number() OVER () AS {ORDINAL}"
        )
        given = self._complete(given)
        check_rows(self._state, self._table, given)
        if bound.conflict is not None:
            evaluated = self._insert_on_conflict(given, bound.conflict)
        else:
            evaluated = self._inserted(given, self._made[given])
        return self._finish(evaluated, evaluated.new, bound.returning)

    def insert_staged(self, given: str, rows: int, ordinals: int) -> Evaluated:
        """Evaluate an INSERT of rows that somebody has staged, with ``__ord``; they stay his.

        Args:
            given: The staging table.
            rows: How many rows it has.
            ordinals: A number that no ``__ord`` exceeds; all are different and positive.

        Raises:
            PgError: What the client got wrong.
        """
        self._made[given] = rows
        complete = self._complete(given)
        check_rows(self._state, self._table, complete)
        evaluated = self._inserted(complete, ordinals)
        evaluated = self._finish(evaluated, complete, None)
        if self._table.has_key_rules:  # It may have to be evaluated again.
            evaluated.staging.remove(given)
        return evaluated

    def update(self, bound: BoundUpdate) -> Evaluated:
        """Evaluate an UPDATE.

        Raises:
            PgError: What the client got wrong.
        """
        evaluated = self._changed(self._query, bound.tree, carried=bound.carried)
        return self._finish(evaluated, evaluated.new, bound.returning)

    def merge(self) -> Evaluated:
        """Evaluate a MERGE.

        Raises:
            PgError: What the client got wrong.
        """
        table = self._table
        pairs = self._stage_query(self._query, "*")
        columns = storage_columns(table)
        old = self._stage(
            f"SELECT {', '.join(f'{_OLD}{c} AS {c}' for c in columns)} FROM {pairs} WHERE {CHANGES}"
        )
        key = ", ".join(table.key)
        if self._exists(f"SELECT 1 FROM {old} GROUP BY {key} HAVING count(*) > 1"):
            raise CardinalityViolation(
                "MERGE command cannot affect row a second time",
                hint="Ensure that not more than one source row matches any one target row.",
            )
        hidden = [] if table.primary_key else [ROW_ID]
        shown = [f"{_OLD}{ROW_ID} AS {ROW_ID}" for _ in hidden]
        names = [column.storage_name for column in table.columns]
        shown += [f"{_NEW}{name} AS {name}" for name in names]
        added = (
            f"(SELECT {', '.join(shown)}, row_number() OVER () AS {ORDINAL} "
            f"FROM {pairs} WHERE {ADDS})"
        )
        new = self._stage(TableProgram(table).with_generated(added, [*hidden, *names, ORDINAL]))
        check_rows(self._state, table, new)
        if table.primary_key:
            self._refuse_doubled(new)
            self._refuse_taken(new, old)
        evaluated = Evaluated(
            table,
            self._made[pairs],
            old=old,
            new=new,
            has_row_id=bool(hidden),
            on_key=OnKey.ERROR if table.primary_key else OnKey.REPLACE,
        )
        return self._finish(evaluated, None, None)

    def delete(self, bound: BoundDelete) -> Evaluated:
        """Evaluate a DELETE.

        Raises:
            PgError: What the client got wrong.
        """
        columns = [*storage_columns(self._table), *bound.carried]
        old = self._stage_query(self._query, ", ".join(columns))
        evaluated = Evaluated(self._table, self._made[old], old=old)
        return self._finish(evaluated, old, bound.returning)

    def abandon(self) -> None:
        """Drop what was made; for an evaluation that failed, or lost a race."""
        self._state.drop_staging(list(self._made))
        self._made = {}

    def _plain_rows(self, bound: BoundInsert) -> GivenRows | None:
        """Return new rows as they were given; None if there is more to be done with them."""
        table, state = self._table, self._state
        if bound.plain is None or state.transaction.is_open or table.checks or table.has_key_rules:
            return None
        if table.primary_key and state.settings.show("insert_conflict") == "error":
            return None
        lists = [
            [self._parameters[n - 1] for n in values.numbers]
            if isinstance(values, ParameterList)
            else values
            for values in bound.constants
        ]
        rows = len(lists[0])
        if rows > GIVEN_ROWS_MAX:
            return None
        columns: list[Sequence[GivenValue]] = []
        for column, place in zip(table.columns, bound.plain, strict=True):
            values = [None] * rows if place is None else lists[place]
            may_be_null = column.is_nullable and column.number not in table.primary_key
            kinds = _VALUES if may_be_null else _NOT_NULL
            if any(type(value) not in kinds for value in values):
                return None
            columns.append(cast("Sequence[GivenValue]", values))
        names = tuple(column.storage_name for column in table.columns)
        types = tuple(column.type.duckdb for column in table.columns)
        return GivenRows(names, types, tuple(columns))

    def _finish(
        self, evaluated: Evaluated, rows: str | None, returning: BoundQuery | None
    ) -> Evaluated:
        if returning is not None:
            assert rows is not None
            if rows not in self._made:
                rows = self._stage(f"SELECT * FROM {rows}")
            tree = with_rows(returning.tree, "returned", rows)
            columns = ", ".join(f"c{n}" for n, _ in enumerate(returning.columns, 1))
            returned = engine_sql(tree, self._parameters)
            evaluated.returned = self._stage_query(returned, columns)
        evaluated.staging = [name for name in self._made if name != evaluated.returned]
        return evaluated

    def _complete(self, given: str) -> str:
        """Return new rows with their generated columns: themselves where there are none."""
        if all(column.generated is None for column in self._table.columns):
            return given
        columns = [*(column.storage_name for column in self._table.columns), ORDINAL]
        return self._stage(TableProgram(self._table).with_generated(given, columns))

    def _inserted(self, given: str, ordinals: int) -> Evaluated:
        """Evaluate new rows; what their keys meet is said by the table or ``insert_conflict``."""
        if self._table.has_key_rules:
            return self._settled(given)
        on_key = OnKey.REPLACE
        if self._table.primary_key and self._state.settings.show("insert_conflict") == "error":
            on_key = OnKey.ERROR
            self._refuse_doubled(given)
            self._refuse_taken(given, None)
        rows = self._made[given]
        return Evaluated(self._table, rows, new=given, on_key=on_key, ordinals=ordinals)

    def _settled(self, given: str) -> Evaluated:
        """Evaluate new rows of a table that has rules for keys that are there."""
        table, current = self._table, self._state.current_rows(self._table)
        settled = settled_rows(table, given, current)
        if table.on_conflict is KeyConflict.DO_UPDATE_IF_NOT_NULL:
            # Rows were put together: they are none of those that were looked at.
            names = [*(column.storage_name for column in table.columns), ORDINAL]
            settled = TableProgram(table).with_generated(f"({settled})", names)
        new = self._stage(settled)
        check_rows(self._state, table, new)
        rows = self._made[given]
        if table.on_conflict is KeyConflict.DO_NOTHING:
            return Evaluated(table, rows, new=new, on_key=OnKey.ABSENT)
        columns = ", ".join(f"r.{name}" for name in storage_columns(table))
        old = self._stage(
            f"SELECT {columns} FROM {current} AS r WHERE EXISTS "
            f"(SELECT 1 FROM {new} AS n WHERE {same_key(table, 'n', 'r')})"
        )
        return Evaluated(table, rows, old=old, new=new, on_key=OnKey.ABSENT)

    def _changed(
        self, query: EngineSql, tree: exp.Expr, *, carried: Sequence[str] = ()
    ) -> Evaluated:
        """Evaluate a query for old and new values of rows."""
        pairs = self._stage_query(query, "*")
        columns = storage_columns(self._table)
        old = f"(SELECT {', '.join(f'{_OLD}{c} AS {c}' for c in columns)} FROM {pairs})"
        kept = [f"{_OLD}{ROW_ID} AS {ROW_ID}"] if not self._table.primary_key else []
        fresh = [f"{_NEW}{c.storage_name} AS {c.storage_name}" for c in self._table.columns]
        new = (
            f"(SELECT {', '.join([*kept, *fresh, *carried])}, "
            f"row_number() OVER () AS {ORDINAL} FROM {pairs})"
        )
        if any(column.generated is not None for column in self._table.columns):
            names = [column.storage_name for column in self._table.columns]
            hidden = [] if self._table.primary_key else [ROW_ID]
            program = TableProgram(self._table)
            new = self._stage(program.with_generated(new, [*hidden, *names, *carried, ORDINAL]))
        kept_numbers = _kept_columns(self._table, tree)
        check_rows(self._state, self._table, new, kept=kept_numbers)
        on_key = OnKey.REPLACE
        keeps_keys = kept_numbers.issuperset(self._table.primary_key)
        if not keeps_keys and self._moves_keys(pairs):
            on_key = OnKey.ERROR
            self._refuse_doubled(new)
            self._refuse_taken(new, old)
        return Evaluated(
            self._table,
            self._made[pairs],
            old=old,
            new=new,
            has_row_id=not self._table.primary_key,
            on_key=on_key,
            keeps_keys=keeps_keys,
        )

    def _insert_on_conflict(self, given: str, conflict: BoundConflict) -> Evaluated:
        if not self._table.primary_key:
            rows = self._made[given]
            return Evaluated(self._table, rows, new=given, ordinals=rows)
        is_taken = (
            f"EXISTS (SELECT 1 FROM {self._state.current_rows(self._table)} AS r "
            f"WHERE {same_key(self._table, 'r', 'g')})"
        )
        if conflict.update is None:
            key = ", ".join(self._table.key)
            free = self._stage(
                f"SELECT g.* FROM {given} AS g WHERE NOT {is_taken} "
                f"QUALIFY row_number() OVER (PARTITION BY {key} ORDER BY {ORDINAL}) = 1"
            )
            return Evaluated(self._table, self._made[free], new=free, on_key=OnKey.ABSENT)
        if self._has_doubled(given):
            raise CardinalityViolation(
                "ON CONFLICT DO UPDATE command cannot affect row a second time",
                hint="Ensure that no rows proposed for insertion within the same command "
                "have duplicate constrained values.",
            )
        update = with_rows(conflict.update, "excluded", given)
        changed = self._changed(engine_sql(update, self._parameters), conflict.update)
        columns = f"{self._visible}, {ORDINAL}"
        new = self._stage(
            f"SELECT {columns} FROM {changed.new} UNION ALL "
            f"SELECT {columns} FROM {given} AS g WHERE NOT {is_taken}"
        )
        on_key = OnKey.ABSENT if changed.on_key is OnKey.REPLACE else changed.on_key
        return Evaluated(self._table, self._made[new], old=changed.old, new=new, on_key=on_key)

    def _moves_keys(self, pairs: str) -> bool:
        moved = " OR ".join(
            f"{_OLD}{name} IS DISTINCT FROM {_NEW}{name}" for name in self._table.key
        )
        return self._exists(f"SELECT 1 FROM {pairs} WHERE {moved}")

    def _has_doubled(self, new: str) -> bool:
        key = ", ".join(self._table.key)
        return self._exists(f"SELECT 1 FROM {new} GROUP BY {key} HAVING count(*) > 1")

    def _refuse_doubled(self, new: str) -> None:
        key = ", ".join(self._table.key)
        self._refuse(f"SELECT {key} FROM {new} GROUP BY {key} HAVING count(*) > 1")

    def _refuse_taken(self, new: str, old: str | None) -> None:
        """Refuse new keys that a row has which stays."""
        key = ", ".join(f"n.{name}" for name in self._table.key)
        stays = ""
        if old is not None:
            is_old = same_key(self._table, "o", "r")
            stays = f" AND NOT EXISTS (SELECT 1 FROM {old} AS o WHERE {is_old})"
        self._refuse(
            f"SELECT {key} FROM {new} AS n JOIN {self._state.current_rows(self._table)} AS r "
            f"ON {same_key(self._table, 'n', 'r')}{stays}"
        )

    def _refuse(self, query: str) -> None:
        rows = self._rows(f"SELECT COLUMNS(*)::VARCHAR FROM ({query}) LIMIT 1")
        if not rows:
            return
        by_number = {column.number: column.name for column in self._table.columns}
        names = ", ".join(by_number[number] for number in self._table.primary_key)
        values = ", ".join(str(value) for value in rows[0])
        raise UniqueViolation.of_key(
            self._table.schema,
            self._table.name,
            detail=f"Key ({names})=({values}) already exists.",
        )

    def _stage_query(self, query: EngineSql, columns: str) -> str:
        sql, parameters = query
        return self._stage(f"SELECT {columns} FROM ({sql}) AS q", parameters)

    def _stage(self, query: str, parameters: Sequence[object] = ()) -> str:
        name = self._state.manager.allocate_name()
        reader = self._state.reader
        with self._state.interruptible():
            self._made[name] = reader.run(f"CREATE TABLE {name} AS {query}", parameters)
        return name

    def _exists(self, query: str) -> bool:
        return bool(self._rows(f"{query} LIMIT 1"))

    def _rows(self, query: str) -> list[tuple[object, ...]]:
        reader = self._state.reader
        with self._state.interruptible():
            return reader.rows(query)


def keeps_keys(table: Table, tree: exp.Expr) -> bool:
    """Whether an UPDATE leaves the keys of its rows as they are, as a matter of form."""
    return _kept_columns(table, tree).issuperset(table.primary_key)


def _kept_columns(table: Table, tree: exp.Expr) -> frozenset[int]:
    """Return the numbers of columns whose new value is the old one as a matter of form."""
    assert isinstance(tree, exp.Select)
    values = {item.alias: item.this for item in tree.expressions if isinstance(item, exp.Alias)}
    return frozenset(
        column.number
        for column in table.columns
        if column.generated is None
        and values.get(_NEW + column.storage_name) == values.get(_OLD + column.storage_name)
    )
