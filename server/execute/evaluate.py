"""Evaluating INSERT, UPDATE and DELETE into staging tables, with the session's own reader.

All that a client can get wrong shows here: casts, divisions, NULLs, keys. What comes out can only
still lose a race. Nothing but ``staging`` is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from sqlglot import exp

from barrier import keys
from barrier.epoch import Epoch
from barrier.key_rules import same_key, settled_rows
from barrier.table_program import TableProgram
from barrier.writes import ORDINAL, OnKey, TableWrites, WriteSet
from catalog.constraint_errors import deferrable_arbiter
from catalog.errors import CardinalityViolation
from catalog.relation import ROW_ID, KeyConflict, Table
from server.execute.engine_sql import EngineSql, engine_sql, with_rows
from server.execute.key_check import check_keys, keep_first
from server.execute.row_rules import check_rows, check_views, check_visible
from server.session_state import SessionState
from server.sql.bind.merge import ADDS, CHANGES
from server.sql.bind.result import (
    BoundConflict,
    BoundDelete,
    BoundInsert,
    BoundQuery,
    BoundUpdate,
    ViewCheck,
)
from server.transaction import storage_columns

#: Old and new values of changed rows have this before their storage names.
OLD: Final = "o_"
NEW: Final = "n_"


@dataclass
class Evaluated:
    """What a statement does to a table.

    Attributes:
        rows: How many rows it counts.
        old: The FROM item of removed rows with all storage columns, or None.
        new: The FROM item of new rows with visible columns and ``__ord``, or None.
        has_row_id: Whether ``new`` has ``_row_id``: its rows keep their identity.
        on_key: What happens when a new row's key is there already.
        keeps_keys: Whether every key of ``new`` is one of ``old``.
        ordinals: A number that no ``__ord`` of ``new`` exceeds, where they are all different and
            positive; or None.
        changed: The FROM item of old and new values of the rows that became others, each named
            ``o_`` or ``n_`` and its storage name; or None.
        deleted: The FROM item of the rows that went, with all storage columns; or None.
        kept: The numbers of columns that hold in changed rows what they held, as a matter of form.
        is_update: Whether all of ``new`` is in ``changed``.
        returned: The staging table of what RETURNING gives, or None.
        staging: All other staging tables that were made.
    """

    table: Table
    rows: int = 0
    old: str | None = None
    new: str | None = None
    has_row_id: bool = False
    on_key: OnKey = OnKey.REPLACE
    keeps_keys: bool = False
    ordinals: int | None = None
    changed: str | None = None
    deleted: str | None = None
    kept: frozenset[int] = frozenset()
    is_update: bool = False
    returned: str | None = None
    staging: list[str] = field(default_factory=list)

    def write_set(self, seen: int | None = None, obeyed_at: Epoch | None = None) -> WriteSet:
        """Return what the worker is to do, outside of a transaction.

        Args:
            seen: The epoch that had last changed the table before its rows were read, if known.
            obeyed_at: The epoch at which it was looked at as a whole, if it was.
        """
        writes = TableWrites(
            self.table.oid,
            old=self.old,
            new=self.new,
            has_row_id=self.has_row_id,
            on_key=self.on_key,
            rows=self.rows,
            keeps_keys=self.keeps_keys,
            ordinals=self.ordinals,
            layout=self.table.layout,
            seen=seen,
        )
        obeyed = frozenset(key.oid for key in self.table.unique_keys if not key.is_primary)
        return WriteSet((writes,), staging=tuple(self.staging), obeyed=obeyed, obeyed_at=obeyed_at)


class Evaluation:
    """One statement's evaluation; leaves no staging tables when it fails outside a transaction.

    Args:
        state: The session.
        table: What is written.
        parameters: All of the client's parameters.
        query: Gives the bound statement's own tree as text, with the parameters that it has;
            for rows that are staged already there is none.
    """

    def __init__(
        self,
        state: SessionState,
        table: Table,
        parameters: Sequence[object] = (),
        query: Callable[[], EngineSql] | None = None,
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
        given = self._stage_query(
            self._text(), f"{self._visible}, row_number() OVER () AS {ORDINAL}"
        )
        given = self._complete(given)
        check_rows(self._state, self._table, given)
        if bound.conflict is not None:
            evaluated = self._insert_on_conflict(given, bound.conflict)
        else:
            evaluated = self._inserted(given, self._made[given])
        self._check_views(evaluated, bound.view_checks)
        return self._finish(evaluated, evaluated.new, bound.returning)

    def insert_staged(
        self, given: str, rows: int, ordinals: int, *, filled: frozenset[int]
    ) -> Evaluated:
        """Evaluate an INSERT of rows that somebody has staged, with ``__ord``; they stay his.

        Args:
            given: The staging table.
            rows: How many rows it has.
            ordinals: A number that no ``__ord`` exceeds; all are different and positive.
            filled: Numbers of columns in which a NULL would have been found when they were staged.

        Raises:
            PgError: What the client got wrong.
        """
        self._made[given] = rows
        complete = self._complete(given)
        check_rows(self._state, self._table, complete, filled=filled)
        evaluated = self._inserted(complete, ordinals)
        evaluated = self._finish(evaluated, complete, None)
        if self._table.has_key_rules or self._table.binds_rows:
            evaluated.staging.remove(given)  # It may have to be evaluated again.
        return evaluated

    def update(self, bound: BoundUpdate) -> Evaluated:
        """Evaluate an UPDATE.

        Raises:
            PgError: What the client got wrong.
        """
        evaluated = self._changed(self._text(), bound.tree, carried=bound.carried)
        self._check_views(evaluated, bound.view_checks)
        return self._finish(evaluated, evaluated.new, bound.returning)

    def merge(self) -> Evaluated:
        """Evaluate a MERGE.

        Raises:
            PgError: What the client got wrong.
        """
        table = self._table
        pairs = self._stage_query(self._text(), "*")
        columns = storage_columns(table)
        old = self._stage(
            f"SELECT {', '.join(f'{OLD}{c} AS {c}' for c in columns)} FROM {pairs} WHERE {CHANGES}"
        )
        key = ", ".join(table.key)
        if self._exists(f"SELECT 1 FROM {old} GROUP BY {key} HAVING count(*) > 1"):
            raise CardinalityViolation(
                "MERGE command cannot affect row a second time",
                hint="Ensure that not more than one source row matches any one target row.",
            )
        hidden = [] if table.primary_key else [ROW_ID]
        shown = [f"{OLD}{ROW_ID} AS {ROW_ID}" for _ in hidden]
        names = [column.storage_name for column in table.columns]
        shown += [f"{NEW}{name} AS {name}" for name in names]
        added = (
            f"(SELECT {', '.join(shown)}, row_number() OVER () AS {ORDINAL} "
            f"FROM {pairs} WHERE {ADDS})"
        )
        new = self._stage(TableProgram(table).with_generated(added, [*hidden, *names, ORDINAL]))
        check_rows(self._state, table, new)
        check_keys(self._state, table, table.unique_keys, new, old)
        changed = f"(SELECT * FROM {pairs} WHERE {CHANGES} AND {ADDS})"
        gone = ", ".join(f"{OLD}{c} AS {c}" for c in columns)
        evaluated = Evaluated(
            table,
            self._made[pairs],
            old=old,
            new=new,
            has_row_id=bool(hidden),
            on_key=OnKey.ERROR if table.primary_key else OnKey.REPLACE,
            changed=changed,
            deleted=f"(SELECT {gone} FROM {pairs} WHERE {CHANGES} AND NOT {ADDS})",
        )
        return self._finish(evaluated, None, None)

    def delete(self, bound: BoundDelete) -> Evaluated:
        """Evaluate a DELETE.

        Raises:
            PgError: What the client got wrong.
        """
        columns = [*storage_columns(self._table), *bound.carried]
        old = self._stage_query(self._text(), ", ".join(columns))
        evaluated = Evaluated(self._table, self._made[old], old=old, deleted=old)
        return self._finish(evaluated, old, bound.returning)

    def delete_rows(self, query: str) -> Evaluated:
        """Evaluate a query for rows that go, with all storage columns."""
        old = self._stage(query)
        return Evaluated(self._table, self._made[old], old=old, deleted=old)

    def finished(self, evaluated: Evaluated) -> Evaluated:
        """Return what was evaluated with all that was made for it."""
        return self._finish(evaluated, None, None)

    def abandon(self) -> None:
        """Drop what was made; for an evaluation that failed, or lost a race."""
        self._state.drop_staging(list(self._made))
        self._made = {}

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

    def _check_views(self, evaluated: Evaluated, checks: Sequence[ViewCheck]) -> None:
        """Look for new rows that the views through which they are written do not let through."""
        if not checks or evaluated.new is None:
            return
        rows = evaluated.new
        if rows not in self._made:
            rows = self._stage(f"SELECT * FROM {rows}")
        check_views(self._state, self._table, rows, checks)

    def _complete(self, given: str) -> str:
        """Return new rows with their generated columns: themselves where there are none."""
        if all(column.generated is None for column in self._table.columns):
            return given
        columns = [*(column.storage_name for column in self._table.columns), ORDINAL]
        return self._stage(TableProgram(self._table).with_generated(given, columns))

    def _inserted(self, given: str, ordinals: int) -> Evaluated:
        """Evaluate new rows; what their keys meet is said by the table or ``insert_conflict``."""
        table = self._table
        is_error = self._state.settings.show("insert_conflict") == "error"
        if table.has_key_rules or (table.primary_key and table.binds_rows and not is_error):
            return self._settled(given)
        on_key = OnKey.ERROR if table.primary_key and is_error else OnKey.REPLACE
        unique = [k for k in table.unique_keys if is_error or not k.is_primary]
        check_keys(self._state, table, unique, given)
        rows = self._made[given]
        return Evaluated(table, rows, new=given, on_key=on_key, ordinals=ordinals)

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
        others = [key for key in table.unique_keys if not key.is_primary]
        if table.on_conflict is KeyConflict.DO_NOTHING:
            check_keys(self._state, table, others, new)
            return Evaluated(table, rows, new=new, on_key=OnKey.ABSENT)
        columns = ", ".join(f"r.{name}" for name in storage_columns(table))
        old = self._stage(
            f"SELECT {columns} FROM {current} AS r WHERE EXISTS "
            f"(SELECT 1 FROM {new} AS n WHERE {same_key(table, 'n', 'r')})"
        )
        check_keys(self._state, table, others, new, old)
        names = [column.storage_name for column in table.columns]
        pairs = [f"{alias}.{name} AS {alias}_{name}" for alias in "on" for name in names]
        on = same_key(table, "n", "o")
        changed = f"(SELECT {', '.join(pairs)} FROM {old} AS o JOIN {new} AS n ON {on})"
        return Evaluated(table, rows, old=old, new=new, on_key=OnKey.ABSENT, changed=changed)

    def _changed(
        self, query: EngineSql, tree: exp.Expr, *, carried: Sequence[str] = ()
    ) -> Evaluated:
        """Evaluate a query for old and new values of rows."""
        return self.change(query, kept_columns(self._table, tree), carried=carried)

    def change(
        self, query: EngineSql, kept_numbers: frozenset[int], *, carried: Sequence[str] = ()
    ) -> Evaluated:
        """Evaluate a query for old and new values of rows.

        Args:
            query: As ``BoundUpdate.tree``.
            kept_numbers: The columns whose new value is the old one as a matter of form.
            carried: What the query gives beside them.

        Raises:
            PgError: The new values are not for this table.
        """
        pairs = self._stage_query(query, "*")
        columns = storage_columns(self._table)
        old = f"(SELECT {', '.join(f'{OLD}{c} AS {c}' for c in columns)} FROM {pairs})"
        kept = [f"{OLD}{ROW_ID} AS {ROW_ID}"] if not self._table.primary_key else []
        fresh = [f"{NEW}{c.storage_name} AS {c.storage_name}" for c in self._table.columns]
        new = (
            f"(SELECT {', '.join([*kept, *fresh, *carried])}, "
            f"row_number() OVER () AS {ORDINAL} FROM {pairs})"
        )
        if any(column.generated is not None for column in self._table.columns):
            names = [column.storage_name for column in self._table.columns]
            hidden = [] if self._table.primary_key else [ROW_ID]
            program = TableProgram(self._table)
            new = self._stage(program.with_generated(new, [*hidden, *names, *carried, ORDINAL]))
        check_rows(self._state, self._table, new, kept=kept_numbers)
        on_key = OnKey.REPLACE
        keeps_keys = kept_numbers.issuperset(self._table.primary_key)
        if not keeps_keys and self._moves_keys(pairs):
            on_key = OnKey.ERROR
        unique = [
            key
            for key in self._table.unique_keys
            if (on_key is OnKey.ERROR if key.is_primary else not kept_numbers >= key.columns)
        ]
        check_keys(self._state, self._table, unique, new, old)
        return Evaluated(
            self._table,
            self._made[pairs],
            old=old,
            new=new,
            has_row_id=not self._table.primary_key,
            on_key=on_key,
            keeps_keys=keeps_keys,
            changed=pairs,
            kept=kept_numbers,
            is_update=True,
        )

    def _insert_on_conflict(self, given: str, conflict: BoundConflict) -> Evaluated:
        table, count = self._table, self._made[given]
        unique = table.unique_keys
        asked = [k for k in unique if not conflict.arbiters or k.oid in conflict.arbiters]
        arbiters = list(takewhile(lambda key: not key.is_deferrable, asked))
        if not asked:
            return Evaluated(table, count, new=given, ordinals=count)
        content = self._state.transaction.content(table)
        taken = " UNION ALL ".join(keys.are_taken(key, given, content) for key in arbiters)
        is_taken = f"{ORDINAL} IN ({taken})" if taken else "false"
        if conflict.update is None:
            free = self._stage(f"SELECT * FROM {given} WHERE NOT {is_taken}")
            if len(arbiters) < len(asked) and self._made[free]:
                # PostgreSQL looks at one key after the other, and this far it comes.
                raise deferrable_arbiter()
            rows = keep_first(self._state, free, arbiters, self._made[free])
            check_keys(self._state, table, [k for k in unique if k not in arbiters], free)
            return Evaluated(table, rows, new=free, on_key=OnKey.ABSENT, ordinals=count)
        if any(self._exists(keys.doubled(key, given)) for key in arbiters):
            raise CardinalityViolation(
                "ON CONFLICT DO UPDATE command cannot affect row a second time",
                hint="Ensure that no rows proposed for insertion within the same command "
                "have duplicate constrained values.",
            )
        update = with_rows(conflict.update, "excluded", given)
        changed = self._changed(engine_sql(update, self._parameters), conflict.update)
        if conflict.visible:
            old = self._stage(f"SELECT * FROM {changed.old}")
            check_visible(self._state, table, old, conflict.visible)
        columns = f"{self._visible}, {ORDINAL}"
        kept, fresh = ("", "") if table.primary_key else (f"{ROW_ID}, ", f"NULL AS {ROW_ID}, ")
        new = self._stage(
            f"SELECT {kept}{columns} FROM {changed.new} UNION ALL "
            f"SELECT {fresh}{columns} FROM {given} WHERE NOT {is_taken}"
        )
        check_keys(self._state, table, unique, new, changed.old)
        return Evaluated(
            table,
            self._made[new],
            old=changed.old,
            new=new,
            has_row_id=not table.primary_key,
            on_key=OnKey.ABSENT if changed.on_key is OnKey.REPLACE else changed.on_key,
            ordinals=None if table.primary_key else count,
            changed=changed.changed,
        )

    def _moves_keys(self, pairs: str) -> bool:
        moved = " OR ".join(f"{OLD}{name} IS DISTINCT FROM {NEW}{name}" for name in self._table.key)
        return self._exists(f"SELECT 1 FROM {pairs} WHERE {moved}")

    def _text(self) -> EngineSql:
        assert self._query is not None
        return self._query()

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
    return kept_columns(table, tree).issuperset(table.primary_key)


def kept_columns(table: Table, tree: exp.Expr) -> frozenset[int]:
    """Return the numbers of columns whose new value is the old one as a matter of form."""
    assert isinstance(tree, exp.Select)
    values = {item.alias: item.this for item in tree.expressions if isinstance(item, exp.Alias)}
    return frozenset(
        column.number
        for column in table.columns
        if column.generated is None
        and values.get(NEW + column.storage_name) == values.get(OLD + column.storage_name)
    )
