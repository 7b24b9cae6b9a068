"""Conditional expressions (PostgreSQL 15, chapter 9.18) with their arguments already typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from catalog.types import PgType
from server.sql.coercion import Coercion, coerce, common_type
from server.sql.fragment import call, cast, fragment
from server.sql.operators import binary
from server.sql.typed import Typed

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
    return Typed(cast(call("COALESCE", *(s.tree for s in sides)), shared.duckdb), shared)


def extreme(name: str, values: Sequence[Typed], *, at: At = _nowhere) -> Typed:
    """Return GREATEST or LEAST, which leave NULLs aside."""
    sides, shared = _together(values, name.upper(), at)
    if len(sides) == 1:
        return sides[0]
    return Typed(cast(call(name.upper(), *(s.tree for s in sides)), shared.duckdb), shared)


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
    trees = [*(c.tree for c in conditions), *(s.tree for s in sides)]
    return Typed(cast(fragment(f"CASE {' '.join(words)} END", *trees), shared.duckdb), shared)
