"""Who may do what, as the system catalogs show it (PostgreSQL 15, chapters 37 and 53)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.acl import ON_COLUMN, PUBLIC, Acl, AclItem, Kind, Privilege, default_acl, shown
from catalog.oid import INVALID_OID
from catalog.relation import Relation
from catalog.roles import DATABASE_OWNER
from catalog.sequence import SequenceGenerator
from catalog.state import SYSTEM_SCHEMAS
from catalog.system.catalog_oid import PG_NAMESPACE
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import composites, domains
from catalog.user_type import DomainType

#: What stands for kinds of objects in pg_default_acl, where that is not what ``Kind`` has; those
#: of single kinds of relations are RisingWave's, by the letters of pg_class and others like them.
_DEFAULT_LETTERS: Final = {
    Kind.SEQUENCE: "S",
    "table": "r",
    "view": "v",
    "materialized view": "m",
    "source": "x",
    "sink": "K",
    "subscription": "U",
}


def _default_acls(snapshot: Snapshot) -> Iterator[Row]:
    for number, default in enumerate(snapshot.catalog.defaults):
        schema = default.schema
        yield {
            "oid": 15000 + number,
            "defaclrole": snapshot.user_oid(default.role),
            "defaclnamespace": INVALID_OID if schema is None else snapshot.schema_oid(schema),
            "defaclobjtype": _DEFAULT_LETTERS.get(default.relation or default.kind, default.kind),
            "defaclacl": shown(default.acl),
        }


def _members(snapshot: Snapshot) -> Iterator[Row]:
    for membership in snapshot.roles.memberships:
        yield {
            "roleid": membership.role,
            "member": membership.member,
            "grantor": membership.grantor,
            "admin_option": membership.is_admin,
        }


def _granted(snapshot: Snapshot, owner: str, acl: Acl) -> Iterator[tuple[str, str, Row]]:
    """Yield grantor, grantee and what the standard's views say of each privilege."""
    for item in acl:
        grantee = snapshot.roles.find(item.grantee)
        owns = grantee is not None and snapshot.roles.access(grantee.oid, snapshot.database).owns(
            owner
        )
        for privilege in item.privileges:
            is_grantable = owns or privilege in item.options
            yield (
                item.grantor,
                item.grantee,
                {
                    "grantor": item.grantor,
                    "grantee": "PUBLIC" if item.grantee == PUBLIC else item.grantee,
                    "privilege_type": str(privilege.name),
                    "is_grantable": "YES" if is_grantable else "NO",
                },
            )


def _of_relation(snapshot: Snapshot, relation: Relation, *, has_public: bool) -> Iterator[Row]:
    """Yield what is granted by or to those whose privileges the user has."""
    acl = relation.acl
    held = default_acl(Kind.RELATION, relation.owner) if acl is None else acl
    return _of_list(snapshot, relation, held, has_public=has_public)


def _of_list(
    snapshot: Snapshot, relation: Relation, held: Acl, *, has_public: bool
) -> Iterator[Row]:
    for row in shown_to(snapshot, Kind.RELATION, relation.owner, held, has_public=has_public):
        yield {
            **row,
            "table_catalog": snapshot.catalog.database,
            "table_schema": relation.schema,
            "table_name": relation.name,
        }


def shown_to(
    snapshot: Snapshot, kind: Kind, owner: str, acl: Acl | None, *, has_public: bool
) -> Iterator[Row]:
    """Yield what is granted of something by or to those whose privileges the user has."""
    held = default_acl(kind, owner) if acl is None else acl
    for grantor, grantee, row in _granted(snapshot, owner, held):
        is_public = grantee == PUBLIC and has_public
        if is_public or snapshot.access.owns(grantor) or snapshot.access.owns(grantee):
            yield row


def _udt_privileges(snapshot: Snapshot, *, has_public: bool = True) -> Iterator[Row]:
    """Yield what is granted of composite types."""
    for made, _ in composites(snapshot):
        for row in shown_to(snapshot, Kind.TYPE, made.owner, made.acl, has_public=has_public):
            yield {
                **row,
                "udt_catalog": snapshot.catalog.database,
                "udt_schema": made.schema,
                "udt_name": made.name,
                "privilege_type": "TYPE USAGE",
            }


def _role_udt_grants(snapshot: Snapshot) -> Iterator[Row]:
    yield from _udt_privileges(snapshot, has_public=False)


def _usage_privileges(snapshot: Snapshot, *, has_public: bool = True) -> Iterator[Row]:
    """Yield the USAGE that is granted of domains and sequences."""
    for made in domains(snapshot):
        yield from _usage(snapshot, "DOMAIN", Kind.TYPE, made, has_public=has_public)
    for sequence in snapshot.catalog.sequences.values():
        if sequence.acl is None:
            continue  # PostgreSQL takes what an owner has for what he has of a table.
        yield from _usage(snapshot, "SEQUENCE", Kind.SEQUENCE, sequence, has_public=has_public)


def _usage(
    snapshot: Snapshot,
    called: str,
    kind: Kind,
    held: DomainType | SequenceGenerator,
    *,
    has_public: bool,
) -> Iterator[Row]:
    for row in shown_to(snapshot, kind, held.owner, held.acl, has_public=has_public):
        if row["privilege_type"] == "USAGE":
            yield {
                **row,
                "object_catalog": snapshot.catalog.database,
                "object_schema": held.schema,
                "object_name": held.name,
                "object_type": called,
            }


def _role_usage_grants(snapshot: Snapshot) -> Iterator[Row]:
    yield from _usage_privileges(snapshot, has_public=False)


def _table_privileges(snapshot: Snapshot, *, has_public: bool = True) -> Iterator[Row]:
    for relation in snapshot.relations():
        for row in _of_relation(snapshot, relation, has_public=has_public):
            is_read = row["privilege_type"] == "SELECT"
            yield {**row, "with_hierarchy": "YES" if is_read else "NO"}


def _role_table_grants(snapshot: Snapshot) -> Iterator[Row]:
    yield from _table_privileges(snapshot, has_public=False)


def _column_privileges(snapshot: Snapshot, *, has_public: bool = True) -> Iterator[Row]:
    kinds = {privilege.name for privilege in ON_COLUMN}
    for relation in snapshot.relations():
        for row in _of_relation(snapshot, relation, has_public=has_public):
            if row["privilege_type"] in kinds:
                yield from ({**row, "column_name": c.name} for c in relation.columns)
        for column in relation.columns:
            for row in _of_list(snapshot, relation, column.acl, has_public=has_public):
                yield {**row, "column_name": column.name}


def _role_column_grants(snapshot: Snapshot) -> Iterator[Row]:
    yield from _column_privileges(snapshot, has_public=False)


def _enabled_roles(snapshot: Snapshot) -> Iterator[Row]:
    for user in snapshot.users:
        if snapshot.access.owns(user.name):
            yield {"role_name": user.name}


def _applicable_roles(snapshot: Snapshot) -> Iterator[Row]:
    roles = snapshot.roles
    for membership in roles.memberships:
        role, member = roles.by_oid(membership.role), roles.by_oid(membership.member)
        if role is not None and member is not None and snapshot.access.owns(member.name):
            yield {
                "grantee": member.name,
                "role_name": role.name,
                "is_grantable": "YES" if membership.is_admin else "NO",
            }


def _administrable_roles(snapshot: Snapshot) -> Iterator[Row]:
    yield from (row for row in _applicable_roles(snapshot) if row["is_grantable"] == "YES")


def _initial_privileges(snapshot: Snapshot) -> Iterator[Row]:
    """Yield what schemas were made with, so that programs that copy a database leave it alone."""
    for name, owner in (("public", DATABASE_OWNER), *((name, "root") for name in SYSTEM_SCHEMAS)):
        schema = snapshot.catalog.schemas.get(name)
        if schema is not None:
            acl = (*default_acl(Kind.SCHEMA, owner), AclItem(PUBLIC, owner, Privilege.USAGE))
            yield {
                "objoid": schema.oid,
                "classoid": PG_NAMESPACE,
                "objsubid": 0,
                "privtype": "i",
                "initprivs": shown(acl),
            }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_default_acl": _default_acls,
    "pg_auth_members": _members,
    "pg_init_privs": _initial_privileges,
}
STANDARD_ROWS: Final[dict[str, Make]] = {
    "table_privileges": _table_privileges,
    "role_table_grants": _role_table_grants,
    "column_privileges": _column_privileges,
    "role_column_grants": _role_column_grants,
    "udt_privileges": _udt_privileges,
    "role_udt_grants": _role_udt_grants,
    "usage_privileges": _usage_privileges,
    "role_usage_grants": _role_usage_grants,
    "enabled_roles": _enabled_roles,
    "applicable_roles": _applicable_roles,
    "administrable_role_authorizations": _administrable_roles,
}
