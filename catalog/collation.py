"""Collations: texts are compared as they are stored, which is what each of these says.

``default`` is the databases' own, which is C (PostgreSQL 15, chapter 24.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from catalog.errors import DatatypeMismatch, UndefinedObject
from catalog.oid import INVALID_OID, Oid
from catalog.types import PgType


@dataclass(frozen=True, slots=True)
class Collation:
    """A collation, with what pg_collation says of it."""

    oid: Oid
    name: str
    provider: str
    encoding: int
    locale: str | None


DEFAULT: Final = Collation(Oid(100), "default", "d", -1, None)
#: That of names.
C: Final = Collation(Oid(950), "C", "c", -1, "C")

COLLATIONS: Final = {
    collation.name: collation
    for collation in (
        DEFAULT,
        C,
        Collation(Oid(951), "POSIX", "c", -1, "POSIX"),
        Collation(Oid(12340), "ucs_basic", "c", 6, "C"),
        Collation(Oid(12341), "C.utf8", "c", 6, "C.utf8"),
        Collation(Oid(12342), "C.UTF-8", "c", 6, "C.UTF-8"),
    )
}


def find_collation(name: str, *, position: int | None = None) -> Collation:
    """Return a collation.

    Raises:
        UndefinedObject: There is none of that name.
    """
    found = COLLATIONS.get(name)
    if found is None:
        raise UndefinedObject(
            f'collation "{name}" for encoding "UTF8" does not exist', position=position
        )
    return found


def refuse_collation(pg_type: PgType, *, position: int | None = None) -> None:
    """Refuse a type whose values are not compared by a collation.

    Raises:
        DatatypeMismatch: It is one.
    """
    if (pg_type.element or pg_type).category != "S":
        raise DatatypeMismatch(
            f"collations are not supported by type {pg_type.sql_name}", position=position
        )


def collation_oid(pg_type: PgType, name: str = "") -> Oid:
    """Return the collation of a type's values, or of a column that has another, or 0."""
    if name:
        return COLLATIONS[name].oid
    element = pg_type.element or pg_type
    if element.name == "name":
        return C.oid
    return DEFAULT.oid if element.category == "S" else INVALID_OID
