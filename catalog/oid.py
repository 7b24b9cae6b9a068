"""Object identifiers (PostgreSQL 15, chapter 8.19)."""

from typing import Final, NewType

Oid = NewType("Oid", int)

#: The first identifier given to an object that a user made (``FirstNormalObjectId``).
FIRST_USER_OID: Final = Oid(16384)

#: Stands for "no object" and, in Parse, for a parameter whose type is left open.
INVALID_OID: Final = Oid(0)

# Namespaces have fixed identifiers where PostgreSQL gives them one.
PG_CATALOG_OID: Final = Oid(11)
PUBLIC_OID: Final = Oid(2200)
INFORMATION_SCHEMA_OID: Final = Oid(13000)
RW_CATALOG_OID: Final = Oid(13001)
