"""Queries for the rows of one relation in which an integer column has a given value.

They are what applications ask most, each for another row, and planning one costs the engine many
times what finding the row costs. ``server.row_pages`` answers them from rows that stand close to
each other and were read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from catalog.oid import Oid
from server.execute.row_bound import stored_oid

#: What a query may have and still be a point query.
_CLAUSES: Final = frozenset({"from_", "where", "expressions"})

#: Integer types with how wide they are.
_INTEGERS: Final = {exp.DType.SMALLINT: 2, exp.DType.INT: 4, exp.DType.BIGINT: 8}


@dataclass(frozen=True, slots=True)
class PointQuery:
    """A query for the rows with a value.

    Attributes:
        oid: The relation.
        column: The storage name of the column that has the value.
        width: As many bytes as an integer may have to be compared as the query wants it.
        columns: The storage names of the columns that are asked for.
        parameter: The value's number among the client's parameters, None for a constant.
        constant: The value when the text has it.
    """

    oid: Oid
    column: str
    width: int
    columns: tuple[str, ...]
    parameter: int | None
    constant: int | None

    def value(self, parameters: Sequence[object]) -> int | None:
        """Return the value that is looked for, None when it is NULL."""
        value = self.constant if self.parameter is None else parameters[self.parameter - 1]
        return value if isinstance(value, int) else None


def point_query(tree: exp.Expr) -> PointQuery | None:
    """Return what a bound query asks for if it is a point query."""
    if not isinstance(tree, exp.Select) or {k for k, v in tree.args.items() if v} != _CLAUSES:
        return None
    table = tree.args["from_"].this
    oid = stored_oid(table) if isinstance(table, exp.Table) else None
    condition = tree.args["where"].this
    if oid is None or not isinstance(condition, exp.EQ):
        return None
    columns = [_column(item.this, table.alias) for item in tree.expressions]
    if not columns or None in columns:
        return None
    asked = tuple(name for name in columns if name is not None)
    for side, other in (
        (condition.this, condition.expression),
        (condition.expression, condition.this),
    ):
        inner, width = _widened(side)
        name = _column(inner, table.alias)
        operand = _operand(other)
        if name is not None and operand is not None:
            return PointQuery(oid, name, width, asked, *operand)
    return None


def _column(node: exp.Expr, alias: str) -> str | None:
    is_plain = isinstance(node, exp.Column) and node.table == alias
    return node.name if is_plain else None


def _widened(node: exp.Expr) -> tuple[exp.Expr, int]:
    """Return what is cast to wider and wider integers, and how many bytes the first of them has.

    A cast to a narrower one has errors of its own.
    """
    inner, width = node, max(_INTEGERS.values())
    while isinstance(inner, exp.Cast) and _INTEGERS.get(inner.to.this, width + 1) <= width:
        width = _INTEGERS[inner.to.this]
        inner = inner.this
    return inner, width


def _operand(node: exp.Expr) -> tuple[int | None, int | None] | None:
    """Return a parameter's number or a constant, if the node is one of them as an integer."""
    inner, width = _widened(node)
    if isinstance(inner, exp.Parameter) and inner is not node:
        return int(inner.name), None
    if isinstance(inner, exp.Literal) and inner.is_int and not inner.is_string:
        value = int(inner.this)
        return (None, value) if value < 1 << (8 * width - 1) else None
    return None
