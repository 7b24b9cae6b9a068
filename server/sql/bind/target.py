"""The table that a statement writes, and what INSERT, UPDATE and DELETE have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from catalog.relation import ROW_ID, Column, MaterializedView, Source, Table, View, kind_name
from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder, output_columns
from server.sql.bind.query import Cte, Output, SelectQuery, subquery
from server.sql.bind.relation import find_relation
from server.sql.bind.result import BoundQuery
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.select import bind_outputs
from server.sql.bind.statement import Statement
from server.sql.bind.walker import Walker
from server.sql.bind.written_view import (
    WrittenView,
    pass_up,
    shown_rows,
    stored_name,
    written_view,
)
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import cast
from server.sql.other_way import OTHER_DATABASE
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


@dataclass(frozen=True, slots=True)
class Target:
    """What a statement writes.

    Attributes:
        table: The table.
        written: The view that was named instead, and what it stands for.
        columns: Those that can be named: of a view those that show none of the table's have the
            number 0, the others the table's.
        stored_columns: The table's, with the defaults that they have here.
    """

    table: Table
    columns: tuple[Column, ...]
    stored_columns: tuple[Column, ...]
    written: WrittenView | None = None

    @property
    def relation(self) -> Table | View:
        """What was named."""
        return self.table if self.written is None else self.written.view

    def need(self, statement: Statement, privilege: Privilege, numbers: Iterable[int] = ()) -> None:
        """Note that a privilege is needed, and of which columns by the table's numbers.

        What a view stands for is asked of its owner, and so on down to the table.
        """
        numbers = tuple(numbers)
        needs, written = statement.needs, self.written
        if written is None:
            needs.add(self.table.oid, privilege, numbers)
            return
        own = [[shown[n] for n in numbers if n in shown] for shown in written.numbers]
        needs.add(written.view.oid, privilege, own[0])
        for place, view in enumerate(written.views):
            columns = own[place + 1] if place + 1 < len(own) else numbers
            needs.add_beneath(view.oid, view.base, privilege, columns)


def find_target(statement: Statement, name: QualifiedName, verb: str) -> Target:
    """Return the table or view that a statement writes.

    Args:
        statement: The statement.
        name: The table's name.
        verb: For the message, such as ``insert into``.

    Raises:
        UndefinedTable: There is no such relation.
        FeatureNotSupported: It is in another database.
        WrongObjectType: It is not written by clients.
        InsufficientPrivilege: It is a system catalog.
    """
    if name.database not in (None, statement.context.catalog.database):
        raise FeatureNotSupported(
            f'cannot {verb} a relation of another database: "{name}"',
            hint=OTHER_DATABASE,
            position=name.position,
        )
    relation = find_relation(statement.context, name.name, name.schema, position=name.position)
    match relation:
        case Table(is_append_only=True) if verb != "insert into":
            raise FeatureNotSupported(
                "append-only table does not support update or delete", position=name.position
            )
        case Table():
            statement.depends_on.add(relation.oid)
            statement.target = relation.oid
            statement.needs.add(relation.oid, _NEEDED[verb])
            return Target(relation, relation.columns, relation.columns)
        case MaterializedView() | Source():
            raise WrongObjectType(
                f'cannot change {kind_name(relation)} "{relation.name}"', position=name.position
            )
        case View():
            written = written_view(
                statement.context.catalog, relation, verb, position=name.position
            )
            statement.depends_on |= {relation.oid, written.table.oid}
            statement.target = relation.oid
            columns, stored = written.columns(), written.stored_columns()
            target = Target(written.table, columns, stored, written)
            target.need(statement, _NEEDED[verb])
            return target
        case _:
            raise InsufficientPrivilege(
                f'permission denied: "{relation.name}" is a system catalog',
                position=name.position,
            )


def find_column(target: Target, name: str, *, position: int | None = None) -> Column:
    """Return a column of what is written.

    Raises:
        UndefinedColumn: It has no such column.
    """
    for column in target.columns:
        if column.name == name:
            return column
    raise UndefinedColumn(
        f'column "{name}" of relation "{target.relation.name}" does not exist', position=position
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


def rows_of(
    statement: Statement, target: Target, rows: exp.Expr, alias: str, name: str | None = None
) -> tuple[exp.Expr, FromItem]:
    """Return rows of the table as a FROM item: of a view with its columns.

    Args:
        statement: The statement.
        target: What it writes.
        rows: The table's rows, or some like them, without an alias.
        alias: The FROM item's.
        name: What users call it, if they do.
    """
    written = target.written
    if written is None:
        return _under(rows, alias), target_item(target.table, alias, name)
    stored = [c.storage_name for c in target.table.columns]
    query = shown_rows(statement, written, partial(_under, rows), stored, is_filtered=False)
    return subquery(query, alias), view_item(written.view, alias, name)


def _under(rows: exp.Expr, alias: str) -> exp.Expr:
    named = rows.copy()
    named.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return named


def view_item(view: View, alias: str, name: str | None = None) -> FromItem:
    """Return what can be named of a view that is written, under an alias."""
    return FromItem(
        alias,
        name or view.name,
        tuple(
            ScopeColumn(
                column.name, column_of(alias, f"c{place}", column.type), view.oid, column.number
            )
            for place, column in enumerate(view.columns, 1)
        ),
        schema="" if name else view.schema,
        relation_name=view.name,
    )


def stored_column(target: Target, name: str, alias: str) -> exp.Column:
    """Return the reading of a stored column of what ``read_target`` or ``rows_of`` gives."""
    return exp.column(name if target.written is None else stored_name(name), table=alias)


def not_in_place(item: FromItem) -> FromItem:
    """Return what can be named of rows that are not there yet."""
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
    target: Target,
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
        target: What is written.
        nodes: What is to be returned.
        ctes: What WITH defines.
        name: Its alias.
        others: The other items of FROM or USING; ``carry`` puts their columns beside the rows.
    """
    if not nodes:
        return None
    returned = exp.Table(this=exp.to_identifier(RETURNED))
    rows, item = rows_of(statement, target, returned, _RETURNED_ALIAS, name)
    scope = Scope([item], list(item.columns))
    if others is not None:
        scope.merge(others)
    walker = Walker(statement, scope, binder.bind, ctes, statement.new_level(), places.RETURNING)
    outputs = bind_outputs(walker, nodes)
    select = exp.Select()
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
        pass_up(query.select, name)
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
    statement: Statement,
    target: Target,
    alias: str,
    name: str | None = None,
    *,
    is_filtered: bool = True,
) -> tuple[exp.Expr, FromItem]:
    """Return the stored rows as a FROM item, with the session's own writes.

    Args:
        statement: The statement.
        target: What it writes.
        alias: The FROM item's.
        name: What users call it, if they do.
        is_filtered: Whether rows that a view does not show are left out.
    """
    table, written = target.table, target.written
    overlay = statement.context.overlay.get(table.oid)
    rows: exp.Expr = exp.Table(this=exp.to_identifier(f"r{table.oid}"))
    if overlay is not None:
        query = overlay.this if isinstance(overlay, exp.Subquery) else overlay
        rows = exp.Subquery(this=query)
    if written is None:
        return _under(rows, alias), target_item(table, alias, name)
    shown = shown_rows(
        *(statement, written, partial(_under, rows), storage_columns(table)),
        is_filtered=is_filtered,
    )
    return subquery(shown, alias), view_item(written.view, alias, name)


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
