"""Modifiers of types, which the results of functions have none of."""

from __future__ import annotations

from dataclasses import replace

from catalog.types import NUMERIC, PgType


def without_modifier(pg_type: PgType) -> PgType:
    """Return a type without what was declared of its length or digits, as results have it."""
    if pg_type.element is not None:
        return replace(pg_type, element=without_modifier(pg_type.element))
    if pg_type.oid == NUMERIC.oid:
        return replace(pg_type, is_declared=False)
    if pg_type.length is not None:
        return replace(pg_type, length=None, is_declared=False)
    return pg_type
