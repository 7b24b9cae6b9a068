"""Rows that are compared: column by column, NULL equal to NULL and after everything else.

So PostgreSQL compares values of record and composite types (chapter 9.24.6), as the engine
compares structs.
"""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import DatatypeMismatch, FeatureNotSupported
from catalog.types import TEXT, PgType, record
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.typed import Typed


def comparable_records(
    left: Typed, right: Typed, *, position: int | None = None
) -> tuple[Typed, Typed] | None:
    """Return two rows as rows of one type; None if one is no row.

    Raises:
        DatatypeMismatch: Their columns do not match.
    """
    if left.is_unknown or right.is_unknown:
        known = right.type if left.is_unknown else left.type
        first, second = (coerce(side, known, Coercion.IMPLICIT) for side in (left, right))
        return first, second
    if not left.type.is_row or not right.type.is_row:
        return None
    if len(left.type.members) != len(right.type.members):
        raise DatatypeMismatch(
            "cannot compare record types with different numbers of columns", position=position
        )
    if not left.type.members and isinstance(left.tree, exp.Struct):
        raise FeatureNotSupported("cannot compare rows of zero length", position=position)
    pairs = zip(left.type.members, right.type.members, strict=True)
    members = [
        (name, _common(one, other, number))
        for number, ((name, one), (_, other)) in enumerate(pairs, 1)
    ]
    shared = record(members)
    first, second = (coerce(_as_record(side), shared, Coercion.IMPLICIT) for side in (left, right))
    return first, second


def _as_record(value: Typed) -> Typed:
    return Typed(value.tree, record(value.type.members))


def _common(one: PgType, other: PgType, number: int) -> PgType:
    if one.name == "unknown" or other.name == "unknown":
        found = other if one.name == "unknown" else one
        return TEXT if found.name == "unknown" else found
    if one.same_base(other):
        return one.bare
    for target, source in ((one, other), (other, one)):
        if can_coerce(source, target, Coercion.IMPLICIT):
            return target.bare
    raise DatatypeMismatch(
        f"cannot compare dissimilar column types {one.sql_name} and {other.sql_name}"
        f" at record column {number}"
    )
