"""The table that a statement writes, and what INSERT, UPDATE and DELETE have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp, parse_one

from catalog.acl import NONE, Privilege
from catalog.errors import (
    DatatypeMismatch,
    FeatureNotSupported,
    InsufficientPrivilege,
    UndefinedColumn,
    WrongObjectType,
)
from catalog.oid import INVALID_OID
from catalog.relation import ROW_ID, Column, MaterializedView, Table, View
from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder, output_columns
from server.sql.bind.query import Cte, Output, SelectQuery
from server.sql.bind.relation import find_relation
from server.sql.bind.result import BoundQuery
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.select import bind_outputs
from server.sql.bind.statement import Statement
from server.sql.bind.walker import Walker
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import cast
from server.sql.statement import QualifiedName
from server.sql.typed import Typed
from server.value.array_text import check_dimensions

#: The FROM item of RETURNING, which the executor puts its rows in the place of.
RETURNED = "returned"
_RETURNED_ALIAS = "t0"


#: What a verb of ``find_target`` needs.
_NEEDED: Final = {
    "insert into": Privilege.INSERT,
    "update": Privilege.UPDATE,
    "delete from": Privilege.DELETE,
    "truncate": Privilege.TRUNCATE,
    "merge into": NONE,  # Its actions need something.
}


def find_target(statement: Statement, name: QualifiedName, verb: str) -> Table:
    """Return the table that a statement writes.

    Args:
        statement: The statement.
        name: The table's name.
        verb: For the message, such as ``insert into``.

    Raises:
        UndefinedTable: There is no such relation.
        WrongObjectType: It is not written by clients.
        InsufficientPrivilege: It is a system catalog.
    """
    relation = find_relation(
        statement.context, name.name, name.schema, name.database, position=name.position
    )
    match relation:
        case Table(is_append_only=True) if verb != "insert into":
            raise FeatureNotSupported(
                "append-only table does not support update or delete", position=name.position
            )
        case Table():
            statement.depends_on.add(relation.oid)
            statement.target = relation.oid
            statement.needs.add(relation.oid, _NEEDED[verb])
            return relation
        case MaterializedView():
            raise WrongObjectType(
                f'cannot change materialized view "{relation.name}"', position=name.position
            )
        case View():
            raise WrongObjectType(f'cannot {verb} view "{relation.name}"', position=name.position)
        case _:
            raise InsufficientPrivilege(
                f'permission denied: "{relation.name}" is a system catalog',
                position=name.position,
            )


def find_column(table: Table, name: str, *, position: int | None = None) -> Column:
    """Return a column of the table.

    Raises:
        UndefinedColumn: It has no such column.
    """
    for column in table.columns:
        if column.name == name:
            return column
    raise UndefinedColumn(
        f'column "{name}" of relation "{table.name}" does not exist', position=position
    )


def target_item(table: Table, alias: str, name: str | None = None) -> FromItem:
    """Return what can be named of the table under an alias."""
    return FromItem(
        alias,
        name or table.name,
        tuple(
            ScopeColumn(
                column.name,
                column_of(alias, column.storage_name, column.type),
                table.oid,
                column.number,
            )
            for column in table.columns
        ),
        schema="" if name else table.schema,
        relation_name=table.name,
        key=frozenset(table.primary_key),
    )


def excluded_item(table: Table, alias: str, name: str) -> FromItem:
    """Return what can be named of rows that are not in the table yet."""
    item = target_item(table, alias, name)
    return replace(
        item, columns=tuple(replace(c, relation_oid=INVALID_OID, number=0) for c in item.columns)
    )


def storage_columns(table: Table) -> list[str]:
    """Return the names of all stored columns, ``_row_id`` last."""
    names = [column.storage_name for column in table.columns]
    return names if table.primary_key else [*names, ROW_ID]


def default_value(column: Column) -> Typed:
    """Return a column's default, NULL without one."""
    if column.default is not None:
        return Typed(parse_one(column.default, read="duckdb"), column.type)
    domain = column.type.domain
    if domain is None:
        return Typed(cast(exp.Null(), column.type.duckdb), column.type)
    tree = exp.Null() if domain.default is None else parse_one(domain.default, read="duckdb")
    value = Typed(cast(tree, column.type.duckdb), column.type.bare)
    return coerce(value, column.type, Coercion.ASSIGNMENT)


def assigned(value: Typed, column: Column, position: int | None) -> exp.Expr:
    """Return a value as it is stored in a column.

    Raises:
        DatatypeMismatch: There is no assignment cast.
    """
    if not can_coerce(value.type, column.type, Coercion.ASSIGNMENT):
        raise mismatch(value, column, position)
    made = coerce(value, column.type, Coercion.ASSIGNMENT, position=position)
    tree = made.tree if made.tree.parent is None else made.tree.copy()
    array = tree.find(exp.Array)
    if value.constant_text is not None and array is not None and not array.expressions:
        return cast(exp.Array(), column.type.duckdb)
    is_parameter = isinstance(value.tree, exp.Cast) and isinstance(value.tree.this, exp.Parameter)
    given = made.type if value.type.element is None or is_parameter else value.type
    try:
        check_dimensions(given.dimensions, column.type)
    except FeatureNotSupported as error:
        error.position = position
        raise
    return tree


def mismatch(value: Typed, column: Column, position: int | None) -> DatatypeMismatch:
    """Build the error for a value that cannot be stored in a column."""
    return DatatypeMismatch(
        f'column "{column.name}" is of type {column.type.sql_name} but expression is of type '
        f"{value.type.sql_name}",
        hint="You will need to rewrite or cast the expression.",
        position=position,
    )


def bind_returning(
    statement: Statement,
    binder: QueryBinder,
    table: Table,
    nodes: Sequence[exp.Expr],
    ctes: Mapping[str, Cte],
    *,
    name: str | None,
    others: Scope | None = None,
) -> SelectQuery | None:
    """Return RETURNING as a query over the written rows, or None without it.

    Args:
        statement: The statement.
        binder: Binds the queries in it.
        table: What is written.
        nodes: What is to be returned.
        ctes: What WITH defines.
        name: The table's alias.
        others: The other items of FROM or USING; ``carry`` puts their columns beside the rows.
    """
    if not nodes:
        return None
    item = target_item(table, _RETURNED_ALIAS, name)
    scope = Scope([item], list(item.columns))
    if others is not None:
        scope.merge(others)
    walker = Walker(statement, scope, binder.bind, ctes, statement.new_level(), places.RETURNING)
    outputs = bind_outputs(walker, nodes)
    select = exp.Select()
    rows = exp.Table(
        this=exp.to_identifier(RETURNED),
        alias=exp.TableAlias(this=exp.to_identifier(_RETURNED_ALIAS)),
    )
    select.set("from_", exp.From(this=rows))
    return SelectQuery(select, outputs, statement.new_alias())


def carry(
    query: SelectQuery | None, others: Scope | None, rows: exp.Select
) -> tuple[SelectQuery | None, tuple[str, ...]]:
    """Have the query for written rows give the columns of other items that RETURNING reads.

    Returns:
        RETURNING, which reads them beside the rows, and what they are called there.
    """
    if query is None or others is None:
        return query, ()
    columns = [c for item in others.items for c in item.columns] + others.visible
    foreign = {node.table for column in columns for node in column.value.tree.find_all(exp.Column)}
    carried: dict[tuple[str, str], str] = {}
    holder = exp.Tuple(expressions=[output.value.tree.copy() for output in query.outputs])
    for node in list(holder.find_all(exp.Column)):
        if node.table in foreign:
            name = carried.setdefault((node.table, node.name), f"x_{len(carried) + 1}")
            node.replace(exp.column(name, table=_RETURNED_ALIAS))
    outputs: list[Output] = []
    for output, tree in zip(query.outputs, holder.expressions, strict=True):
        tree.parent = tree.arg_key = tree.index = None
        outputs.append(replace(output, value=replace(output.value, tree=tree)))
    for (alias, column), name in carried.items():
        rows.append("expressions", exp.alias_(exp.column(column, table=alias), name))
    return SelectQuery(query.select, outputs, query.alias), tuple(carried.values())


def finish_returning(statement: Statement, query: SelectQuery | None) -> BoundQuery | None:
    """Return the finished query of RETURNING."""
    if query is None:
        return None
    return BoundQuery(
        statement.finish(query.finish()),
        output_columns(query.outputs),
        statement.parameter_types(),
        frozenset(statement.depends_on),
    )


def read_target(
    statement: Statement, table: Table, alias: str, name: str | None = None
) -> tuple[exp.Expr, FromItem]:
    """Return the table's stored rows as a FROM item, with the session's own writes."""
    overlay = statement.context.overlay.get(table.oid)
    named = exp.TableAlias(this=exp.to_identifier(alias))
    if overlay is not None:
        query = overlay.this if isinstance(overlay, exp.Subquery) else overlay
        return exp.Subquery(this=query.copy(), alias=named), target_item(table, alias, name)
    tree = exp.Table(this=exp.to_identifier(f"r{table.oid}"), alias=named)
    return tree, target_item(table, alias, name)


def is_default(node: exp.Expr) -> bool:
    """Whether an expression is the word DEFAULT."""
    if isinstance(node, exp.Var):
        return node.name.upper() == "DEFAULT"
    return (
        isinstance(node, exp.Column)
        and node.name == "default"
        and not node.this.args.get("quoted")
        and node.args.get("table") is None
    )
