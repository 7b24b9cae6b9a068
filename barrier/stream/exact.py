"""What DuckDB's equality does not tell apart, although readers see a difference.

An interval of a month equals one of 30 days, and -0.0 equals 0.0. Grouping, joining and DISTINCT
shall treat them alike; a difference between an old row and a new one must not. Columns whose equal
values are identical are called exact. Plans know that of some columns; the rest are asked at run
time, which is never wrong but takes DuckDB a millisecond to plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from barrier.stream import trees

_FLOAT: Final = re.compile("[eE]")

#: Types, alone or inside of others, that have equal values which print differently.
_LOOSE_TYPES: Final = "INTERVAL|DOUBLE|FLOAT|REAL"

_EXACT_TYPES: Final = frozenset(
    {
        exp.DType.BIGINT,
        exp.DType.BOOLEAN,
        exp.DType.DATE,
        exp.DType.DECIMAL,
        exp.DType.INT,
        exp.DType.INT128,
        exp.DType.SMALLINT,
        exp.DType.TEXT,
        exp.DType.TIME,
        exp.DType.TIMESTAMP,
        exp.DType.TIMESTAMPNTZ,
        exp.DType.TIMESTAMPTZ,
        exp.DType.TINYINT,
        exp.DType.UUID,
        exp.DType.VARCHAR,
    }
)
_SMALL_TYPES: Final = frozenset({exp.DType.BIGINT, exp.DType.INT, exp.DType.SMALLINT})
_NUMBER_TYPES: Final = _SMALL_TYPES | {exp.DType.DECIMAL, exp.DType.INT128}
_EXACT_NODES: Final = (
    exp.Boolean,
    exp.Concat,
    exp.Connector,
    exp.Count,
    exp.DPipe,
    exp.Length,
    exp.Literal,
    exp.Lower,
    exp.Not,
    exp.Null,
    exp.Predicate,
    exp.StrPosition,
    exp.Substring,
    exp.Trim,
    exp.Upper,
)
#: What makes of exact values an exact one. Intervals and floats are none, and division is not
#: among it: of what is left no operation makes them.
_KEEPS_EXACT: Final = (
    exp.Abs,
    exp.Add,
    exp.DateTrunc,
    exp.Greatest,
    exp.Least,
    exp.Mod,
    exp.Mul,
    exp.Neg,
    exp.Nullif,
    exp.TimestampTrunc,
)
#: What only numbers are put into.
_NUMBERS_ONLY: Final = (exp.Abs, exp.Mod, exp.Mul, exp.Neg)


def is_exact(expression: exp.Expr, is_column_exact: Callable[[exp.Column], bool]) -> bool:
    """Whether equal values of an expression are known to be identical."""
    match expression:
        case exp.Column():
            return is_column_exact(expression)
        case exp.Cast():
            return _is_exact_type(expression.to)
        case exp.Case():
            branches = [branch.args["true"] for branch in expression.args["ifs"]]
            default = expression.args.get("default")
            values = branches if default is None else [*branches, default]
        case exp.Coalesce():
            values = [expression.this, *expression.expressions]
        case exp.Paren():
            values = [expression.this]
        case exp.Sub() if not (_is_number(expression.this) or _is_number(expression.expression)):
            return False  # The difference of two points in time is an interval.
        case exp.Sub():
            values = [expression.this, expression.expression]
        case exp.Mod() if not (_is_small(expression.this) or _is_small(expression.expression)):
            return False  # Of a decimal and a very large integer the engine makes a float.
        case exp.Literal() if not expression.is_string:
            return not _FLOAT.search(expression.this)
        case _ if isinstance(expression, _KEEPS_EXACT):
            values = [v for v in expression.iter_expressions() if not isinstance(v, exp.Var)]
            # An untyped text among numbers makes a float of them.
            if isinstance(expression, exp.Binary) and any(v.is_string for v in values):
                return False
        case _:
            return isinstance(expression, _EXACT_NODES)
    return all(is_exact(value, is_column_exact) for value in values)


def _is_exact_type(type_: exp.DataType) -> bool:
    """Whether a type's equal values are identical: a struct's are if those of its fields are."""
    if type_.this == exp.DType.STRUCT:
        fields = [field.args.get("kind") for field in type_.expressions]
        return all(isinstance(f, exp.DataType) and _is_exact_type(f) for f in fields)
    return type_.this in _EXACT_TYPES


def _is_small(expression: exp.Expr) -> bool:
    """Whether an expression is an integer that is not of the largest kind."""
    match expression:
        case exp.Literal():
            return (
                not expression.is_string and expression.this.isdigit() and len(expression.this) < 10
            )
        case exp.Cast():
            return expression.to.this in _SMALL_TYPES
        case _:
            return False


def _is_number(expression: exp.Expr) -> bool:
    match expression:
        case exp.Paren():
            return _is_number(expression.this)
        case exp.Cast():
            return expression.to.this in _NUMBER_TYPES
        case exp.Literal():
            return not expression.is_string
        case _:
            return isinstance(expression, (*_NUMBERS_ONLY, exp.Count, exp.Length))


def is_loose(type_: str) -> bool:
    """Whether a type of the engine's has equal values that are not identical."""
    return re.search(_LOOSE_TYPES, type_) is not None


def fingerprint(values: Sequence[exp.Expr]) -> exp.Expr:
    """Return a text that differs for values that are equal but not identical.

    DuckDB knows each type when it binds, so for all other types this folds to a constant, and no
    plan has to know a type.
    """
    parts: list[exp.Expr] = []
    for value in values:
        is_loose = trees.call(
            "regexp_matches", trees.call("typeof", value), exp.Literal.string(_LOOSE_TYPES)
        )
        parts += [
            trees.when(is_loose, trees.cast(value, "VARCHAR")),
            exp.Literal.string(","),
        ]
    return trees.call("concat", exp.Literal.string(""), *parts)


def identical(
    names: Sequence[str], other_prefix: str, table: str, known: frozenset[str]
) -> exp.Expr:
    """Whether columns are the same to every reader as those whose names have a prefix before them.

    Args:
        names: The columns of ``table`` on one side.
        other_prefix: What is before the other side's names.
        table: Where both are.
        known: The columns known to be exact.
    """
    pairs = [(trees.column(n, table), trees.column(other_prefix + n, table)) for n in names]
    conditions = [trees.same(a, b) for a, b in pairs]
    loose = [pair for name, pair in zip(names, pairs, strict=True) if name not in known]
    if loose:
        left, right = zip(*loose, strict=True)
        conditions.append(exp.EQ(this=fingerprint(left), expression=fingerprint(right)))
    return trees.all_of(conditions)
