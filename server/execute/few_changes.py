"""UPDATE and DELETE of few rows, whose old and new values the session hands in as they are.

Whether it is few rows is not known before they were looked for. So the statement is run as a query
for a few more than that: where it gives as many, it is evaluated into staging tables. Looking twice
costs little, for what is found early ends it; of statements over several relations, or with
subqueries, nobody knows that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, cast

from sqlglot import exp

from barrier.given_change import GivenChange
from barrier.given_rows import GivenRows, GivenValue
from barrier.writes import ORDINAL, TableWrites
from catalog.relation import ROW_ID, Table
from catalog.types import INT8
from catalog.written_numeric import WRITTEN_NUMERIC
from server.execute.engine_sql import EngineSql
from server.execute.evaluate import NEW, OLD, Evaluated, kept_columns
from server.session_state import SessionState
from server.sql.bind.result import BoundDelete, BoundInsert, BoundMerge, BoundUpdate
from server.sql.volatility import is_volatile

#: More rows change faster by way of a staging table.
_ROWS_MAX: Final = 300

#: The engine's types whose values the driver takes and gives as they are.
_DIRECT: Final = frozenset(
    {"BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR"}
)
#: Those that are told by their texts, from which the engine makes the same values.
_BY_TEXT: Final = re.compile(
    r"DATE|TIME|TIMESTAMP|TIMESTAMPTZ|UUID|HUGEINT|DECIMAL\([0-9, ]+\)|"
    + re.escape(WRITTEN_NUMERIC.duckdb)
)

#: What makes more of a query than a look at each row of one table.
_FAR: Final = (
    *(exp.Subquery, exp.Union, exp.Exists, exp.Join, exp.Lateral, exp.Unnest, exp.Window),
    *(exp.AggFunc, exp.Distinct, exp.Limit, exp.Group),
)


def asked_of_rows(
    bound: BoundInsert | BoundUpdate | BoundDelete | BoundMerge,
) -> tuple[str, ...] | None:
    """Return what is asked of each row that a statement changes: its old values and its new ones.

    Returns:
        Projections over the statement's query; None if it must be evaluated in another way.
    """
    if not isinstance(bound, BoundUpdate | BoundDelete):
        return None
    shown = _shown(bound.table, bound)
    return tuple(shown) if shown is not None and _is_near(bound.tree) else None


def given_change(
    state: SessionState, table: Table, asked: Sequence[str], query: EngineSql
) -> GivenChange | None:
    """Return the rows that a statement changes; None if it must be evaluated in another way.

    Args:
        state: The session; it sees one epoch, or looks at its table once.
        table: What is written.
        asked: As ``asked_of_rows`` has it.
        query: The text of the statement's tree, with all parameters.

    Raises:
        PgError: An expression failed.
    """
    sql, parameters = query
    with state.interruptible():
        found = state.reader.rows(
            f"SELECT {', '.join(asked)} FROM ({sql}) AS q LIMIT {_ROWS_MAX + 1}", parameters
        )
    if len(found) > _ROWS_MAX:
        return None
    names, types = _described(table)
    columns = cast("list[Sequence[GivenValue]]", list(zip(*found, strict=True)))
    columns = columns or [()] * len(asked)
    old = GivenRows(names, types, tuple(columns[: len(names)]))
    if len(asked) == len(names):
        return GivenChange(old, None)
    new = GivenRows(names, types, tuple(columns[len(names) :]))
    return None if _has_null(table, new) else GivenChange(old, new)


def change_writes(table: Table, change: GivenChange, seen: int | None) -> TableWrites:
    """Return what the worker is to do with rows that change.

    Args:
        table: The table.
        change: Its rows.
        seen: The epoch that had last changed the table before they were read, if known.
    """
    return TableWrites(
        table.oid,
        has_row_id=not table.primary_key,
        rows=change.rows,
        keeps_keys=change.new is not None,
        layout=table.layout,
        seen=seen,
        change=change,
    )


def evaluated_change(table: Table, change: GivenChange) -> Evaluated:
    """Return rows that change as what another statement's evaluation gives."""
    return Evaluated(
        table,
        change.rows,
        old=change.old.item(ORDINAL),
        new=None if change.new is None else change.new.item(ORDINAL),
        has_row_id=not table.primary_key,
        keeps_keys=change.new is not None,
        is_update=change.new is not None,
    )


def _described(table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and types of all storage columns."""
    names = [column.storage_name for column in table.columns]
    types = [column.type.duckdb for column in table.columns]
    hidden = not table.primary_key
    return (
        tuple([ROW_ID, *names] if hidden else names),
        tuple([INT8.duckdb, *types] if hidden else types),
    )


def _shown(table: Table, bound: BoundUpdate | BoundDelete) -> list[str] | None:
    """Return what is asked of each row; None if its values, or what is asked of them, are more."""
    if bound.returning is not None or table.binds_rows:
        return None
    names, types = _described(table)
    if isinstance(bound, BoundDelete):
        return _told(names, types)
    kept = kept_columns(table, bound.tree)
    is_checked = table.checks or bound.view_checks
    is_computed = any(column.generated is not None for column in table.columns)
    if is_checked or is_computed or not kept.issuperset(table.primary_key):
        return None
    old = _told([OLD + name for name in names], types)
    # A row keeps the identity that nobody sees.
    fresh = [(OLD if name == ROW_ID else NEW) + name for name in names]
    new = _told(fresh, types)
    return None if old is None or new is None else [*old, *new]


def _told(names: Iterable[str], types: Iterable[str]) -> list[str] | None:
    shown = []
    for name, type_ in zip(names, types, strict=True):
        if type_ in _DIRECT:
            shown.append(name)
        elif _BY_TEXT.fullmatch(type_):
            shown.append(f"CAST({name} AS VARCHAR)")
        else:
            return None
    return shown


def _is_near(tree: exp.Expr) -> bool:
    """Whether a query is no more than a look at each row of one table, and gives what it gave."""
    nodes = list(tree.walk())
    return (
        sum(isinstance(node, exp.Select) for node in nodes) == 1
        and sum(isinstance(node, exp.Table) for node in nodes) == 1
        and not any(isinstance(node, _FAR) for node in nodes)
        and not is_volatile(tree)
    )


def _has_null(table: Table, rows: GivenRows) -> bool:
    """Whether there is a NULL where none may be; the evaluation tells where."""
    return any(
        not column.is_nullable and None in rows.columns[rows.names.index(column.storage_name)]
        for column in table.columns
    )
