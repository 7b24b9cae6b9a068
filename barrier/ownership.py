"""What depends on a user, who therefore cannot be dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final, TypeAlias

from barrier.cluster import Cluster
from catalog.acl import Kind, names_in
from catalog.dependence import describe
from catalog.errors import DependentObjectsStillExist
from catalog.relation import DefaultPrivileges
from catalog.state import Catalog
from catalog.type_change import described

#: What default privileges are on, in messages.
_KINDS: Final = {
    Kind.RELATION: "relations",
    Kind.SEQUENCE: "sequences",
    Kind.FUNCTION: "functions",
    Kind.TYPE: "types",
    Kind.SECRET: "secrets",
    Kind.SCHEMA: "schemas",
}

#: An object, by which they are told in their order, and what it has to do with the role.
_Need: TypeAlias = tuple[int, str]
#: Default privileges have no OID of their own.
_LAST: Final = 1 << 32


def refuse_needed(name: str, cluster: Cluster, catalogs: Iterable[Catalog], database: str) -> None:
    """Refuse to drop somebody on whom something depends.

    Args:
        name: His.
        cluster: The server.
        catalogs: Of all databases.
        database: Whose objects are named; of others it is told how many there are.

    Raises:
        DependentObjectsStillExist: With what it is.
    """
    found: list[_Need] = []
    for held in cluster.databases.values():
        if held.owner == name:
            found.append((held.oid, f"owner of database {held.name}"))
        elif name in names_in(held.acl):
            found.append((held.oid, f"privileges for database {held.name}"))
    elsewhere: list[str] = []
    for catalog in catalogs:
        needs = list(_needing(name, catalog))
        if catalog.database == database:
            found += needs
        elif needs:
            count = "1 object" if len(needs) == 1 else f"{len(needs)} objects"
            elsewhere.append(f"{count} in database {catalog.database}")
    if found or elsewhere:
        raise DependentObjectsStillExist(
            f'role "{name}" cannot be dropped because some objects depend on it',
            detail="\n".join([*(line for _, line in sorted(found, key=itemgetter(0))), *elsewhere]),
        )


def _needing(name: str, catalog: Catalog) -> Iterator[_Need]:
    """Yield why a role is needed, once for each object."""
    for schema in catalog.schemas.values():
        if schema.owner == name:
            yield schema.oid, f"owner of schema {schema.name}"
        elif name in names_in(schema.acl):
            yield schema.oid, f"privileges for schema {schema.name}"
    for relation in catalog.in_order():
        if relation.owner == name:
            yield relation.oid, f"owner of {describe(relation)}"
        elif name in names_in(relation.acl):
            yield relation.oid, f"privileges for {describe(relation)}"
        for column in relation.columns:
            if name in names_in(column.acl):
                what = f"column {column.name} of {describe(relation)}"
                yield relation.oid, f"privileges for {what}"
    for function in catalog.functions.values():
        if function.owner == name:
            yield function.oid, f"owner of function {function.signature}"
        elif name in names_in(function.acl):
            yield function.oid, f"privileges for function {function.signature}"
    for secret in catalog.secrets.values():
        if secret.owner == name:
            yield secret.oid, f"owner of {secret.described}"
        elif name in names_in(secret.acl):
            yield secret.oid, f"privileges for {secret.described}"
    for made in catalog.types.values():
        if made.owner == name:
            yield made.oid, f"owner of {described(made)}"
        elif name in names_in(made.acl):
            yield made.oid, f"privileges for {described(made)}"
    for default in catalog.defaults:
        what = _described(default)
        if default.role == name:
            yield _LAST, f"owner of {what}"
        elif name in names_in(default.acl):
            yield _LAST, f"privileges for {what}"


def _described(default: DefaultPrivileges) -> str:
    where = "" if default.schema is None else f" in schema {default.schema}"
    kind = f"{default.relation}s" if default.relation else _KINDS[default.kind]
    return f"default privileges on new {kind} belonging to role {default.role}{where}"
