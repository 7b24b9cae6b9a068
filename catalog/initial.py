"""The schemas that every database has from the start."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.acl import PUBLIC, AclItem, Kind, Privilege, default_acl
from catalog.oid import INFORMATION_SCHEMA_OID, PG_CATALOG_OID, PUBLIC_OID, RW_CATALOG_OID
from catalog.relation import Schema
from catalog.roles import DATABASE_OWNER


def initial_schemas() -> Mapping[str, Schema]:
    """Return them by name."""
    made = (
        (PUBLIC_OID, "public", DATABASE_OWNER),
        (PG_CATALOG_OID, "pg_catalog", "root"),
        (INFORMATION_SCHEMA_OID, "information_schema", "root"),
        (RW_CATALOG_OID, "rw_catalog", "root"),
    )
    return {
        name: Schema(
            oid,
            name,
            owner,
            comment="standard public schema" if name == "public" else None,
            acl=(*default_acl(Kind.SCHEMA, owner), AclItem(PUBLIC, owner, Privilege.USAGE)),
        )
        for oid, name, owner in made
    }
