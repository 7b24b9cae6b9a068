"""SET of UPDATE and of ON CONFLICT DO UPDATE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from catalog.relation import Column, Table
from server.sql.bind.primary import row_fields
from server.sql.bind.query import aliased, outputs_of, subquery
from server.sql.bind.target import (
    assigned,
    default_value,
    find_column,
    is_default,
    storage_columns,
)
from server.sql.bind.walker import Walker
from server.sql.statement import Assignment

#: New values by column number.
Assignments: TypeAlias = dict[int, exp.Expr]


def bind_assignments(walker: Walker, table: Table, nodes: Sequence[Assignment]) -> Assignments:
    """Return the new values of the columns that SET names.

    Raises:
        UndefinedColumn: The table has no such column.
        SqlSyntaxError: A column is set twice, or a row has another length.
    """
    assignments: Assignments = {}
    for node in nodes:
        columns = [find_column(table, c.name, position=c.position) for c in node.columns]
        values = _values(walker, columns, node.value)
        for column, value in zip(columns, values, strict=True):
            if column.number in assignments:
                raise SqlSyntaxError(f'multiple assignments to same column "{column.name}"')
            assignments[column.number] = value
    return assignments


def _values(walker: Walker, columns: list[Column], node: exp.Expr | None) -> list[exp.Expr]:
    if len(columns) > 1:
        assert node is not None
        return _row(walker, columns, node)
    (column,) = columns
    if node is None or is_default(node):
        return [default_value(column).tree]
    return [assigned(walker.bind(node), column, walker.position(node))]


def _row(walker: Walker, columns: list[Column], node: exp.Expr) -> list[exp.Expr]:
    """Return ``(a, b) = (SELECT ...)`` as one scalar subquery a column."""
    while isinstance(node, exp.Paren):
        node = node.this
    fields = row_fields(node)
    if fields is not None:
        _check_width(walker, len(fields), columns, node)
        return [
            value
            for field, column in zip(fields, columns, strict=True)
            for value in _values(walker, [column], field)
        ]
    if not isinstance(node, exp.Query):
        raise FeatureNotSupported(
            "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
            position=walker.position(node),
        )
    values: list[exp.Expr] = []
    for i, column in enumerate(columns):
        query = walker.bind_subquery(node, walker.scope, walker.ctes)
        _check_width(walker, len(query.outputs), columns, node)
        alias = walker.statement.new_alias()
        output = outputs_of(alias, query.outputs)[i]
        value = assigned(output.value, column, walker.position(node))
        select = exp.Select(expressions=[aliased(value, "c1")])
        select.set("from_", exp.From(this=subquery(query.finish(), alias)))
        values.append(exp.Subquery(this=select))
    return values


def _check_width(walker: Walker, width: int, columns: list[Column], node: exp.Expr) -> None:
    if width != len(columns):
        raise SqlSyntaxError(
            "number of columns does not match number of values", position=walker.position(node)
        )


def old_and_new(table: Table, old: str, assignments: Assignments) -> list[exp.Expr]:
    """Return the projections ``o_<storage name>`` and ``n_<storage name>`` of an update."""
    shown: list[exp.Expr] = [
        aliased(exp.column(name, table=old), f"o_{name}") for name in storage_columns(table)
    ]
    for column in table.columns:
        name = column.storage_name
        value = assignments.get(column.number) or exp.column(name, table=old)
        shown.append(aliased(value, f"n_{name}"))
    return shown
