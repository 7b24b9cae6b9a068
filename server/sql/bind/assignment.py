"""SET of UPDATE and of ON CONFLICT DO UPDATE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from sqlglot import exp

from catalog.acl import Privilege
from catalog.constraint_errors import GeneratedAlways
from catalog.errors import FeatureNotSupported, SqlSyntaxError
from catalog.relation import Column
from server.sql.bind.null_test import row_fields
from server.sql.bind.part_assignment import with_part
from server.sql.bind.query import aliased, outputs_of, subquery
from server.sql.bind.target import (
    Target,
    assigned,
    default_value,
    find_column,
    is_default,
    storage_columns,
    stored_column,
)
from server.sql.bind.walker import Walker
from server.sql.bind.written_view import not_a_column
from server.sql.statement import Assignment, ColumnName
from server.sql.typed import Typed

#: New values by column number.
Assignments: TypeAlias = dict[int, exp.Expr]

#: A column, and what makes its new value.
_Pending: TypeAlias = tuple[Column, Callable[[], exp.Expr]]


def bind_assignments(
    walker: Walker, target: Target, nodes: Sequence[Assignment], old: str
) -> Assignments:
    """Return the new values of the columns that SET names.

    Args:
        walker: Binds the values.
        target: The table or view.
        nodes: What stands behind SET.
        old: The alias of its rows as they are, of which parts may be replaced.

    Raises:
        UndefinedColumn: The table or view has no such column.
        FeatureNotSupported: The view's column shows none of the table's.
        SqlSyntaxError: A column is set twice, or a row has another length.
    """
    # All values are read before the first takes its column's type.
    assignments: Assignments = {}
    pending = [
        pair
        for node in nodes
        for pair in (
            [_part(walker, target, node, old, assignments)]
            if node.parts
            else _values(
                walker,
                [_assignable(target, c) for c in node.columns],
                node.value,
            )
        )
    ]
    in_parts = {_assignable(target, n.columns[0]).number for n in nodes if n.parts}
    whole = {_assignable(target, c).number for n in nodes if not n.parts for c in n.columns}
    for column, assign in pending:
        if column.number in assignments and column.number not in in_parts - whole:
            name = next(c.name for c in target.table.columns if c.number == column.number)
            raise SqlSyntaxError(f'multiple assignments to same column "{name}"')
        assignments[column.number] = assign()
    target.need(walker.statement, Privilege.UPDATE, assignments)
    return assignments


def _part(
    walker: Walker, target: Target, node: Assignment, old: str, assignments: Assignments
) -> _Pending:
    """Return what replaces a part of a column, as it is or as others have made it."""
    column = _assignable(target, node.columns[0])
    _refuse_generated(column)
    assert node.value is not None
    value = walker.bind(node.value)
    stored = stored_column(target, column.storage_name, old)

    def replaced() -> exp.Expr:
        base = Typed(assignments.get(column.number, stored), column.type)
        return with_part(walker, base, node.parts, value, column=column.name).tree

    return column, replaced


def _assignable(target: Target, named: ColumnName) -> Column:
    column = find_column(target, named.name, position=named.position)
    if not column.number and target.written is not None:
        raise not_a_column(target.written.view, column.name, "update")
    return column


def _values(walker: Walker, columns: list[Column], node: exp.Expr | None) -> list[_Pending]:
    if len(columns) > 1:
        assert node is not None
        return _row(walker, columns, node)
    (column,) = columns
    if node is None or is_default(node):
        return [(column, lambda: default_value(column).tree)]
    _refuse_generated(column)
    value = walker.bind(node)
    return [(column, lambda: assigned(value, column, walker.position(node)))]


def _refuse_generated(column: Column) -> None:
    if column.identity == "a":
        raise GeneratedAlways(
            f'column "{column.name}" can only be updated to DEFAULT',
            detail=f'Column "{column.name}" is an identity column defined as GENERATED ALWAYS.',
        )
    if column.generated is not None:
        raise GeneratedAlways(
            f'column "{column.name}" can only be updated to DEFAULT',
            detail=f'Column "{column.name}" is a generated column.',
        )


def _row(walker: Walker, columns: list[Column], node: exp.Expr) -> list[_Pending]:
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
    for column in columns:
        _refuse_generated(column)
    return [
        (column, partial(_field_of_query, walker, columns, i, node))
        for i, column in enumerate(columns)
    ]


def _field_of_query(walker: Walker, columns: list[Column], i: int, node: exp.Expr) -> exp.Expr:
    query = walker.bind_subquery(node, walker.scope, walker.ctes)
    _check_width(walker, len(query.outputs), columns, node)
    alias = walker.statement.new_alias()
    output = outputs_of(alias, query.outputs)[i]
    value = assigned(output.value, columns[i], walker.position(node))
    select = exp.Select(expressions=[aliased(value, "c1")])
    select.set("from_", exp.From(this=subquery(query.finish(), alias)))
    return exp.Subquery(this=select)


def _check_width(walker: Walker, width: int, columns: list[Column], node: exp.Expr) -> None:
    if width != len(columns):
        raise SqlSyntaxError(
            "number of columns does not match number of values", position=walker.position(node)
        )


def old_and_new(target: Target, old: str, assignments: Assignments) -> list[exp.Expr]:
    """Return the projections ``o_<storage name>`` and ``n_<storage name>`` of an update."""
    table = target.table
    shown: list[exp.Expr] = [
        aliased(stored_column(target, name, old), f"o_{name}") for name in storage_columns(table)
    ]
    for column in table.columns:
        name = column.storage_name
        value = assignments.get(column.number) or stored_column(target, name, old)
        shown.append(aliased(value, f"n_{name}"))
    return shown
