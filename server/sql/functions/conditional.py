"""Conditional expressions (PostgreSQL 15, chapter 9.18) with their arguments already typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.types import INT4, JSONB, PgType
from server.sql.coercion import Coercion, coerce
from server.sql.common_type import common_type
from server.sql.fragment import call, cast, fragment
from server.sql.operators import binary
from server.sql.overload import rule
from server.sql.special import merged, number, split, with_scale_code
from server.sql.typed import Typed
from server.sql.written_numeric import scale_code_of

At = Callable[[int], int | None]
"""Returns the position of an argument by its index."""


def _together(
    values: Sequence[Typed], what: str, at: At, first: int = 0
) -> tuple[list[Typed], PgType]:
    shared = common_type(values, what, at=at, first=first)
    return [coerce(v, shared, Coercion.IMPLICIT) for v in values], shared


def _nowhere(_: int) -> None:
    return None


def coalesce(values: Sequence[Typed], *, at: At = _nowhere) -> Typed:
    """Return the first value that is not NULL."""
    sides, shared = _together(values, "COALESCE", at)
    if len(sides) == 1:
        return sides[0]
    found = _joined(values, sides, shared, lambda trees: call("COALESCE", *trees))
    return _with_chosen_code(found, values, lambda trees: call("COALESCE", *trees))


def extreme(name: str, values: Sequence[Typed], *, at: At = _nowhere) -> Typed:
    """Return GREATEST or LEAST, which leave NULLs aside."""
    sides, shared = _together(values, name.upper(), at)
    if len(sides) == 1:
        return sides[0]
    if shared.oid == JSONB.oid:
        sign = ">" if name == "greatest" else "<"
        return _joined(values, sides, shared, partial(_chosen, sign))
    return _joined(values, sides, shared, lambda trees: call(name.upper(), *trees))


def _chosen(sign: str, trees: Sequence[exp.Expr]) -> exp.Expr:
    """Return the first of what nothing comes before, in jsonb's own order."""
    found = trees[0]
    for other in trees[1:]:
        keys = (fragment("tg_jsonb_key(CAST(_0 AS TEXT))", tree) for tree in (other, found))
        later = fragment(f"_0 IS NULL OR _1 {sign} _2", found, *keys)
        found = fragment("CASE WHEN _0 THEN COALESCE(_1, _2) ELSE _2 END", later, other, found)
    return found


def nulls_counted(arguments: Sequence[Typed], *, is_null: bool) -> Typed:
    """Return how many arguments are NULL, or are not."""
    word = "IS NULL" if is_null else "IS NOT NULL"
    tree: exp.Expr = exp.Literal.number("0")
    for argument in arguments:
        tree = fragment(f"_0 + CASE WHEN _1 {word} THEN 1 ELSE 0 END", tree, argument.tree)
    return Typed(cast(tree, INT4.duckdb), INT4)


CONDITIONAL_FUNCTIONS: Final = (
    rule("num_nulls(variadic any)", partial(nulls_counted, is_null=True)),
    rule("num_nonnulls(variadic any)", partial(nulls_counted, is_null=False)),
)


def nullif(left: Typed, right: Typed, *, position: int | None = None) -> Typed:
    """Return the first value, or NULL if it equals the second; its type is the first's."""
    if left.is_unknown:
        shared = common_type([left, right], "NULLIF", at=lambda _: position)
        left = coerce(left, shared, Coercion.IMPLICIT, position=position)
    equal = binary("=", left, right, position=position)
    tree = fragment("CASE WHEN _0 THEN NULL ELSE _1 END", equal.tree, left.tree)
    return Typed(cast(tree, left.type.duckdb), left.type)


def case(conditions: Sequence[Typed], results: Sequence[Typed], *, at: At = _nowhere) -> Typed:
    """Return CASE WHEN; there is one result more than conditions when there is an ELSE."""
    has_default = len(results) > len(conditions)
    sides, shared = _together(results, "CASE", at, len(conditions) if has_default else 0)
    words = [f"WHEN _{i} THEN _{i + len(conditions)}" for i in range(len(conditions))]
    if has_default:
        words.append(f"ELSE _{2 * len(conditions)}")
    tests = [c.tree for c in conditions]
    sql = f"CASE {' '.join(words)} END"
    found = _joined(results, sides, shared, lambda trees: fragment(sql, *tests, *trees))
    return _with_chosen_code(found, results, lambda trees: fragment(sql, *tests, *trees))


def _with_chosen_code(
    found: Typed, values: Sequence[Typed], build: Callable[[Sequence[exp.Expr]], exp.Expr]
) -> Typed:
    """Return one of several values with the scale code of that one, if each has one."""
    if found.type.keeps_scale or all(value.scale_code is None for value in values):
        return found
    codes: list[exp.Expr] = []
    for value in values:
        code = exp.Null() if isinstance(value.tree, exp.Null) else scale_code_of(value)
        if code is None:
            return found
        codes.append(cast(code, INT4.duckdb))
    return with_scale_code(found, build(codes))


def _joined(
    values: Sequence[Typed],
    sides: Sequence[Typed],
    shared: PgType,
    build: Callable[[Sequence[exp.Expr]], exp.Expr],
) -> Typed:
    """Return one of several values; where they may be special numerics, that is decided once."""
    if not shared.has_specials:
        return Typed(cast(build([side.tree for side in sides]), shared.duckdb), shared)
    parts = [
        split(side) if value.is_unknown or value.type.has_specials else number(side)
        for value, side in zip(values, sides, strict=True)
    ]
    plain = cast(build([part.plain for part in parts]), shared.duckdb)
    rare = build(
        [
            cast(part.rare, shared.duckdb) if part.guards else side.tree
            for part, side in zip(parts, sides, strict=True)
        ]
    )
    return merged(parts, plain, cast(rare, "VARCHAR"), shared)
