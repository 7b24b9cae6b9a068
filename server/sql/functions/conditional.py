"""Conditional expressions (PostgreSQL 15, chapter 9.18) with their arguments already typed."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.types import PgType
from server.sql.coercion import Coercion, coerce, common_type
from server.sql.fragment import call, cast, fragment
from server.sql.operators import binary
from server.sql.typed import Typed


def _together(
    values: Sequence[Typed], what: str, position: int | None
) -> tuple[list[Typed], PgType]:
    shared = common_type(values, what, position=position)
    return [coerce(v, shared, Coercion.IMPLICIT, position=position) for v in values], shared


def coalesce(values: Sequence[Typed], *, position: int | None = None) -> Typed:
    """Return the first value that is not NULL."""
    sides, shared = _together(values, "COALESCE", position)
    if len(sides) == 1:
        return sides[0]
    return Typed(cast(call("COALESCE", *(s.tree for s in sides)), shared.duckdb), shared)


def extreme(name: str, values: Sequence[Typed], *, position: int | None = None) -> Typed:
    """Return GREATEST or LEAST, which leave NULLs aside."""
    sides, shared = _together(values, name.upper(), position)
    if len(sides) == 1:
        return sides[0]
    return Typed(cast(call(name.upper(), *(s.tree for s in sides)), shared.duckdb), shared)


def nullif(left: Typed, right: Typed, *, position: int | None = None) -> Typed:
    """Return the first value, or NULL if it equals the second; its type is the first's."""
    if left.is_unknown:
        shared = common_type([left, right], "NULLIF", position=position)
        left = coerce(left, shared, Coercion.IMPLICIT, position=position)
    equal = binary("=", left, right, position=position)
    tree = fragment("CASE WHEN _0 THEN NULL ELSE _1 END", equal.tree, left.tree)
    return Typed(cast(tree, left.type.duckdb), left.type)


def case(
    conditions: Sequence[Typed], results: Sequence[Typed], *, position: int | None = None
) -> Typed:
    """Return CASE WHEN; there is one result more than conditions when there is an ELSE."""
    sides, shared = _together(results, "CASE", position)
    words = [f"WHEN _{i} THEN _{i + len(conditions)}" for i in range(len(conditions))]
    if len(results) > len(conditions):
        words.append(f"ELSE _{2 * len(conditions)}")
    trees = [*(c.tree for c in conditions), *(s.tree for s in sides)]
    return Typed(cast(fragment(f"CASE {' '.join(words)} END", *trees), shared.duckdb), shared)
