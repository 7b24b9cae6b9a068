"""COPY: its relation, its columns, and how texts and values become stored columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from sqlglot import exp

from catalog.errors import (
    DuplicateColumn,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidColumnReference,
    UndefinedColumn,
    UndefinedParameter,
    WrongObjectType,
)
from catalog.relation import Column, MaterializedView, Source, Table, View, kind_name
from catalog.types import TEXT
from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder, bind_query, binding
from server.sql.bind.context import BindContext
from server.sql.bind.query import aliased
from server.sql.bind.relation import find_relation
from server.sql.bind.result import BoundQuery
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.target import default_value, target_item
from server.sql.bind.walker import Walker
from server.sql.casts import converted, fitted
from server.sql.fragment import cast, fragment
from server.sql.quick_input import quick_value
from server.sql.statement import ColumnName, Copy

#: What the rows are called that ``BoundCopyIn.where`` is about.
WHERE_ALIAS: Final = "rows_to_copy"

NOW_VARIABLE: Final = "copy_now"

_NOT_READ: Final = "CASE WHEN NOT _0 IS NULL THEN ERROR('22P02:not in its plainest form') END"
_NOT_NULL: Final = "CASE WHEN _0 IS NULL THEN ERROR('23502:null value') ELSE _1 END"


@dataclass(frozen=True, slots=True)
class BoundCopyIn:
    """COPY FROM.

    Attributes:
        columns: The columns that the data have, in their order.
        from_texts: The projections of all stored columns from texts f1, f2, ... as DuckDB SQL.
        from_plain_texts: The same where none of ``FLOAT_ODDITIES`` is in any of the texts.
        from_values: The same from values v1, v2, ... of the columns' types.
        where: Which rows are kept, over the stored columns, as DuckDB SQL; None is all.
        has_now: Whether a default has the time, which is in the engine's variable ``NOW_VARIABLE``
            then, in microseconds since 1970: several connections fill one table.
    """

    table: Table
    columns: tuple[Column, ...]
    from_texts: str
    from_plain_texts: str
    from_values: str
    where: str | None
    has_now: bool

    def is_required(self, column: Column) -> bool:
        """Whether a row cannot have NULL in the column, seen before the others are looked at."""
        return self.where is None and _is_required(self.table, column)


def bind_copy_in(copy: Copy, context: BindContext) -> BoundCopyIn:
    """Bind COPY FROM.

    Raises:
        PgError: The relation is no table, or a column does not exist.
    """
    name = copy.table
    assert name is not None, copy
    table = find_relation(context, name.name, name.schema, name.database)
    match table:
        case Table():
            pass
        case View():
            raise WrongObjectType(
                f'cannot copy to view "{table.name}"',
                hint="To enable copying to a view, provide an INSTEAD OF INSERT trigger.",
            )
        case MaterializedView() | Source():
            raise WrongObjectType(f'cannot copy to {kind_name(table)} "{table.name}"')
        case _:
            raise InsufficientPrivilege(f'permission denied: "{table.name}" is a system catalog')
    columns = _named(table.name, table.columns, copy.columns)
    _refuse_generated(columns)
    columns = columns or [column for column in table.columns if column.generated is None]
    is_checked = copy.where is None  # PostgreSQL looks for NULLs in the rows that are kept.
    where = None if copy.where is None else _bind_where(table, copy.where, copy.text, context)
    stored = _stored_rows(table, tuple(columns), is_checked=is_checked)
    return BoundCopyIn(
        table,
        tuple(columns),
        stored.from_texts,
        stored.from_plain_texts,
        stored.from_values,
        where,
        has_now=stored.has_now,
    )


class _StoredRows(NamedTuple):
    """As in ``BoundCopyIn``."""

    from_texts: str
    from_plain_texts: str
    from_values: str
    has_now: bool


@lru_cache(maxsize=256)
def _stored_rows(table: Table, columns: tuple[Column, ...], *, is_checked: bool) -> _StoredRows:
    """Return what makes rows of the table; the same for every COPY into it."""
    texts, plain_texts = (
        {
            column.number: _from_text(
                column,
                exp.column(f"f{place}"),
                is_required=is_checked and _is_required(table, column),
                may_be_odd=may_be_odd,
            )
            for place, column in enumerate(columns, start=1)
        }
        for may_be_odd in (True, False)
    )
    values = {
        column.number: fitted(
            cast(exp.column(f"v{place}"), column.type.duckdb), column.type, is_explicit=False
        )
        for place, column in enumerate(columns, start=1)
    }
    defaults = {
        column.number: default_value(column).tree.copy()
        for column in table.columns
        if column not in columns
    }
    times = [number for number in defaults if _fix_time(defaults, number)]
    return _StoredRows(
        _stored(table, texts | defaults),
        _stored(table, plain_texts | defaults),
        _stored(table, values | defaults),
        has_now=bool(times),
    )


def bind_copy_out(copy: Copy, context: BindContext) -> BoundQuery:
    """Bind the query whose rows COPY TO gives.

    Raises:
        PgError: The relation is a view, a column does not exist, or the query is wrong.
    """
    if copy.query is not None:
        bound = bind_query(copy.query, context)
        if bound.parameters:
            raise UndefinedParameter("there is no parameter $1")
        return bound
    name = copy.table
    assert name is not None, copy
    relation = find_relation(context, name.name, name.schema, name.database)
    if isinstance(relation, View):
        raise WrongObjectType(
            f'cannot copy from view "{relation.name}"', hint="Try the COPY (SELECT ...) TO variant."
        )
    select = exp.Select()
    if isinstance(relation, Table | MaterializedView):
        chosen = _named(relation.name, relation.columns, copy.columns)
        _refuse_generated(chosen)
        chosen = chosen or [c for c in relation.columns if c.generated is None]
        for column in chosen:
            select.append("expressions", exp.column(exp.to_identifier(column.name, quoted=True)))
    elif copy.columns:
        for named in copy.columns:
            select.append("expressions", exp.column(exp.to_identifier(named.name, quoted=True)))
    else:
        select.append("expressions", exp.Star())
    parts = [part for part in (name.database, name.schema, name.name) if part]
    identifiers = [exp.to_identifier(part, quoted=True) for part in parts]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(identifiers), strict=False)))
    select.set("from_", exp.From(this=table))
    return bind_query(select, context)


def _refuse_generated(columns: Sequence[Column]) -> None:
    for column in columns:
        if column.generated is not None:
            raise InvalidColumnReference(
                f'column "{column.name}" is a generated column',
                detail="Generated columns cannot be used in COPY.",
            )


def _named(relation: str, columns: Sequence[Column], names: Sequence[ColumnName]) -> list[Column]:
    by_name = {column.name: column for column in columns}
    chosen: list[Column] = []
    for named in names:
        column = by_name.get(named.name)
        if column is None:
            raise UndefinedColumn(f'column "{named.name}" of relation "{relation}" does not exist')
        if column in chosen:
            raise DuplicateColumn(f'column "{named.name}" specified more than once')
        chosen.append(column)
    return chosen


def _is_required(table: Table, column: Column) -> bool:
    return not column.is_nullable or column.number in table.primary_key


def _bind_where(table: Table, where: exp.Expr, text: str, context: BindContext) -> str:
    statement = Statement(context, text)
    with binding(statement):
        for node in where.walk():
            if isinstance(node, exp.Query):
                raise FeatureNotSupported(
                    "cannot use subquery in COPY FROM WHERE condition",
                    position=statement.position(node),
                )
            if isinstance(node, exp.Parameter):
                raise UndefinedParameter(
                    f"there is no parameter ${node.name}", position=statement.position(node)
                )
        item = target_item(table, WHERE_ALIAS)
        scope = Scope([item], list(item.columns))
        level = statement.new_level()
        walker = Walker(statement, scope, QueryBinder(statement).bind, {}, level, places.COPY_WHERE)
        return statement.finish(walker.condition(where, "WHERE")).sql(dialect="duckdb")


def _from_text(column: Column, text: exp.Expr, *, is_required: bool, may_be_odd: bool) -> exp.Expr:
    value = fitted(converted(text, TEXT, column.type), column.type, is_explicit=False)
    if (quick := quick_value(text, column.type, may_be_odd=may_be_odd)) is not None:
        # The rest of an integer's input is as strict as it should be. That of the others leaves
        # more to the engine: Python reads it.
        rest = value if column.type.name.startswith("int") else fragment(_NOT_READ, text)
        value = fragment("COALESCE(_0, _1)", quick, rest)
        if column.type.domain is not None:
            value = fitted(value, column.type, is_explicit=False)
    return fragment(_NOT_NULL, text, value) if is_required else value


def _fix_time(defaults: dict[int, exp.Expr], number: int) -> bool:
    """Put the variable in the place of the time; whether there was one."""
    tree = defaults[number]
    found = list(tree.find_all(exp.CurrentTimestamp))
    for node in found:
        fixed = fragment(f"MAKE_TIMESTAMPTZ(GETVARIABLE('{NOW_VARIABLE}'))")
        if node is tree:
            defaults[number] = fixed
        else:
            node.replace(fixed)
    return bool(found)


def _stored(table: Table, values: dict[int, exp.Expr]) -> str:
    """Return all columns of the table in order."""
    return ", ".join(
        aliased(values[column.number].copy(), column.storage_name).sql(dialect="duckdb")
        for column in table.columns
    )
