"""Numerics that carry their scale, in expressions (``catalog.written_numeric``).

What is stored is taken apart where it is read: the value, a ``NUMERIC`` like any other, and its
scale code, which goes along with it (``Typed.scale_code``) as far as the rules below lead:

    a + b, a - b   the larger scale
    a * b          the sum of the scales
    -a, abs(a)     that of a
    sum(a)         the largest, up to 10
    min(a)         that of the least a, as it is stored

Whatever else is done with a value has none. Where a value is stored, or leaves its query, both are
put together again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.types import NUMERIC, NUMERIC_SCALE
from catalog.written_numeric import (
    CODE_COUNTS,
    CODE_COUNTS_PARTS,
    COUNTED_CODE,
    LEAST_CODE,
    STORED_AS,
    TRIMMED,
    WRITTEN_NUMERIC,
    scale_code,
)
from server.sql.fragment import call, cast, fragment, number
from server.sql.macro import macro
from server.sql.special import with_scale_code
from server.sql.typed import Typed

#: The largest scale that is told of a sum.
_COUNTED_MAX: Final = 10

#: The parts of what is stored.
_VALUE: Final = "v"
_CODE: Final = "s"
#: The scale codes of 0 digits, of as many as there can be, and of as many as are told of a sum.
_OF_WHOLE: Final = scale_code(0)
_OF_FINEST: Final = scale_code(NUMERIC_SCALE)
_OF_FINEST_COUNTED: Final = scale_code(_COUNTED_MAX)

#: The codes that are counted, in their order; of each there is room for two billion.
_COUNTED: Final = (TRIMMED, *range(_OF_FINEST_COUNTED, _OF_WHOLE + 1))
_COUNT_BITS: Final = 31
_A_PART: Final = 4
assert len(_COUNTED) == _A_PART * CODE_COUNTS_PARTS


def _count_of(place: int) -> str:
    """Return the number that counts one for a place of a part; the first counts most."""
    return f"CAST({1 << (_COUNT_BITS * (_A_PART - 1 - place))} AS HUGEINT)"


def _counts_of_code() -> str:
    """Return what a code, ``code``, adds to a part of the counts, ``part``."""
    last = f"(part * {_A_PART} + {_OF_FINEST_COUNTED + _A_PART - 2})"
    return (
        f"CASE WHEN code BETWEEN {last} - {_A_PART - 1} AND {last} "
        f"THEN CAST(1 AS HUGEINT) << ({_COUNT_BITS} * ({last} - code)) "
        f"WHEN code = {TRIMMED} AND part = 0 THEN {_count_of(0)} ELSE CAST(0 AS HUGEINT) END"
    )


def _least_code() -> str:
    """Return the least code of which there is one, from the parts ``p0``, ``p1``, ..."""
    cases = (
        f"WHEN p{place // _A_PART} >= {_count_of(place % _A_PART)} THEN {code}"
        for place, code in enumerate(_COUNTED)
    )
    return f"CASE {' '.join(cases)} END"


WRITTEN_MACROS: Final = (
    macro(
        f"{STORED_AS}(x, code)",
        "CASE WHEN x IS NOT NULL THEN {'v': x, 's': CAST(code AS TINYINT)} END",
    ),
    macro("tg_larger_scale(a, b)", "CASE WHEN a <= b THEN a WHEN b < a THEN b END"),
    macro(
        "tg_scale_of_product(a, b)",
        f"CASE WHEN a + b IS NULL THEN NULL WHEN a = {TRIMMED} OR b = {TRIMMED} THEN {TRIMMED} "
        f"WHEN a + b > {_OF_WHOLE} THEN a + b - {_OF_WHOLE} ELSE {_OF_FINEST} END",
    ),
    macro(
        "tg_scale_of_text(t)",
        f"CASE WHEN REGEXP_MATCHES(t, '[a-zA-Z]') THEN {TRIMMED} WHEN CONTAINS(t, '.') "
        f"THEN GREATEST({_OF_WHOLE} - LENGTH(RTRIM(t)) + INSTR(t, '.'), {_OF_FINEST}) "
        f"ELSE {_OF_WHOLE} END",
    ),
    macro(
        f"{COUNTED_CODE}(code)",
        f"CASE WHEN code < {_OF_FINEST_COUNTED} THEN {TRIMMED} ELSE code END",
    ),
    macro(
        f"{CODE_COUNTS}(code, part)",
        _counts_of_code(),
    ),
    macro(
        f"{LEAST_CODE}({', '.join(f'p{part}' for part in range(CODE_COUNTS_PARTS))})",
        _least_code(),
    ),
)


def value_of(value: Typed) -> Typed:
    """Return what carries its scale as a value with which one can calculate."""
    if not value.type.carries_scale:
        return value
    tree = value.tree
    # A query is not asked twice for the sake of its scale.
    code = None if tree.find(exp.Query) else _part(tree, _CODE)
    return Typed(_part(tree, _VALUE), NUMERIC, code)


def _part(tree: exp.Expr, name: str) -> exp.Expr:
    return fragment(f"STRUCT_EXTRACT(_0, '{name}')", tree.copy())


def stored(value: Typed, code: exp.Expr | None) -> Typed:
    """Return a value of ``NUMERIC`` as it is stored, with a scale code if one is known."""
    whole = _whole(value.tree, _VALUE)
    if code is None:
        code = number(TRIMMED)
    elif whole is not None and whole == _whole(code, _CODE):
        return Typed(whole.copy(), WRITTEN_NUMERIC)  # Both are of what is stored already.
    made = call(STORED_AS, cast(value.tree, NUMERIC.duckdb), _free(code))
    return Typed(cast(made, WRITTEN_NUMERIC.duckdb), WRITTEN_NUMERIC)


def _whole(tree: exp.Expr, name: str) -> exp.Expr | None:
    """Return what a tree is a part of."""
    if isinstance(tree, exp.StructExtract) and tree.expression.name == name:
        whole: exp.Expr = tree.this
        return whole
    return None


def scale_code_of(value: Typed) -> exp.Expr | None:
    """Return the scale code of a numeric or an integer, None if it has none."""
    if value.scale_code is not None:
        return value.scale_code
    if value.type.name in {"int2", "int4", "int8"}:
        return number(scale_code(0))
    if value.type.name == "numeric" and value.type.keeps_scale:
        assert value.type.scale is not None
        return number(scale_code(value.type.scale))
    return None


def summed_code(value: Typed) -> exp.Expr | None:
    """Return the code whose least is a sum's; None if the type tells it, or nobody."""
    return None if value.scale_code is None else call(COUNTED_CODE, _free(value.scale_code))


def scale_code_of_text(text: exp.Expr) -> exp.Expr:
    """Return the scale code of a numeric that is written in a text."""
    return call("tg_scale_of_text", text)


def is_stored_with_scale(value: Typed) -> bool:
    """Whether a query that has a value as a column keeps its scale."""
    pg_type = value.type
    return pg_type.carries_scale or (
        value.scale_code is not None and pg_type.name == "numeric" and not pg_type.keeps_scale
    )


def calculated(result: Typed, operation: str, operands: Sequence[Typed]) -> Typed:
    """Return the result of an operation with its scale code.

    Args:
        result: As calculated.
        operation: ``+``, ``-``, ``*``, or another.
        operands: Of the operation.
    """
    if result.type.keeps_scale or all(operand.scale_code is None for operand in operands):
        return result
    codes = [scale_code_of(operand) for operand in operands]
    known = [_free(code) for code in codes if code is not None]
    if len(known) < len(codes):
        return result
    match operation:
        case "+" | "-" if len(known) == 2:
            code = call("tg_larger_scale", *known)
        case "*":
            code = call("tg_scale_of_product", *known)
        case "-" | "abs":
            (code,) = known
        case _:
            return result
    return with_scale_code(result, code)


def _free(tree: exp.Expr) -> exp.Expr:
    return tree if tree.parent is None else tree.copy()
