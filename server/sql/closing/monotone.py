"""Expressions that never fall when a value in them rises: a watermark passes through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from sqlglot import exp

from catalog.oid import Oid

#: A column as a bound query refers to it: the item's alias, and the name.
Reference: TypeAlias = tuple[str, str]

#: What stands for the watermark of a table in an expression over it.
NOW: Final = exp.Placeholder(this="watermark")

#: Functions of one value and constants that keep the order of values.
_ORDERLY: Final = frozenset(
    {"time_bucket", "date_trunc", "tg_date_bin", "tg_moved", "floor", "ceil", "ceiling", "round"}
    | {"epoch", "epoch_us", "epoch_ms", "epoch_ns", "make_timestamp", "tg_from_moved"}
)
_ORDERLY_ENDS: Final = (("tg_trunc_", "_in"),)

#: Types to which casts of numbers and of times keep the order of values.
_ORDERED: Final = frozenset(exp.DataType.NUMERIC_TYPES) | {
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPNTZ,
    exp.DType.TIMESTAMPTZ,
    exp.DType.DATE,
}


@dataclass(frozen=True)
class Mark:
    """A bound on the values that a column can still get, by the watermark of one table.

    Attributes:
        oid: The table.
        value: The bound, over ``NOW``.
    """

    oid: Oid
    value: exp.Expr


#: All marks of a column hold: what is below each of their bounds has come.
Marks: TypeAlias = tuple[Mark, ...]


def through(
    expression: exp.Expr,
    marks: Mapping[Reference, Marks],
    largest: Mapping[Reference, exp.Expr],
) -> Marks:
    """Return the marks of an expression; none if it may fall while what it reads rises.

    Args:
        expression: Over the columns of a query's FROM.
        marks: Those of columns.
        largest: The largest values of columns that are never negative.
    """
    found = _through(expression, marks, largest)
    if found is None:
        return ()
    reference, make = found
    return tuple(replace(mark, value=make(mark.value)) for mark in marks[reference])


_Found: TypeAlias = "tuple[Reference, Callable[[exp.Expr], exp.Expr]]"


def _through(
    node: exp.Expr, marks: Mapping[Reference, Marks], largest: Mapping[Reference, exp.Expr]
) -> _Found | None:
    """Return the column that a value rises with, and the value over another in its place."""
    if isinstance(node, exp.Column):
        reference = (node.table, node.name)
        return (reference, lambda value: value.copy()) if marks.get(reference) else None
    if isinstance(node, exp.Sub) and _is_multiple(node.expression, largest):
        # A bound holds for each value of the others: the largest gives the lowest.
        lowest = node.copy()
        for column in list(lowest.expression.find_all(exp.Column)):
            column.replace(exp.Paren(this=largest[column.table, column.name].copy()))
        return _inside(lowest, lowest.this, marks, largest)
    moving = [child for child in node.iter_expressions() if not _is_constant(child)]
    if len(moving) == 1 and _is_orderly(node, moving[0]):
        return _inside(node, moving[0], marks, largest)
    return None


def _inside(
    node: exp.Expr,
    child: exp.Expr,
    marks: Mapping[Reference, Marks],
    largest: Mapping[Reference, exp.Expr],
) -> _Found | None:
    found = _through(child, marks, largest)
    if found is None:
        return None
    reference, make = found
    place = next(i for i, each in enumerate(node.iter_expressions()) if each is child)

    def made(value: exp.Expr) -> exp.Expr:
        whole = node.copy()
        [*whole.iter_expressions()][place].replace(make(value))
        return whole

    return reference, made


def _is_orderly(node: exp.Expr, moving: exp.Expr) -> bool:
    match node:
        case exp.Paren():
            return True
        case exp.Cast():
            return node.to.this in _ORDERED
        case exp.Add():
            return True
        case exp.Sub():
            return node.this is moving
        case exp.Mul() | exp.Div() | exp.IntDiv():
            other = node.expression if node.this is moving else node.this
            is_divided = isinstance(node, exp.Mul) or node.this is moving
            return is_divided and _is_positive(other)
        case exp.Func():
            name = node.sql(dialect="duckdb").split("(", 1)[0].lower()
            ends = any(name.startswith(a) and name.endswith(b) for a, b in _ORDERLY_ENDS)
            return name in _ORDERLY or ends
        case _:
            return False


def _is_constant(node: exp.Expr) -> bool:
    return node.find(exp.Column, exp.Query) is None


def _is_positive(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) > 0


def _is_multiple(node: exp.Expr, largest: Mapping[Reference, exp.Expr]) -> bool:
    """Whether a value is a positive length as often as columns say that are never negative."""
    if not isinstance(node, exp.Mul):
        return False
    columns = list(node.find_all(exp.Column))
    return bool(columns) and all((c.table, c.name) in largest for c in columns)
