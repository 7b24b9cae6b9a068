"""What people have said of objects: pg_description and pg_shdescription (PostgreSQL 15, 53.19)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import Oid
from catalog.relation import Table
from catalog.system.constraint import check_oid, key_constraint_oid, key_index_oid
from catalog.system.pg_index import indexes
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.user_type import CompositeType, DomainType

# The OIDs of the catalogs that objects are in.
_CLASS: Final = 1259
_CONSTRAINT: Final = 2606
_DATABASE: Final = 1262
_NAMESPACE: Final = 2615
_PROC: Final = 1255
_ROLE: Final = 1260
_TYPE: Final = 1247


def _descriptions(snapshot: Snapshot) -> Iterator[Row]:
    catalog = snapshot.catalog
    for relation in snapshot.relations():
        yield from _described(relation.oid, _CLASS, relation.comment)
        for column in relation.columns:
            yield from _described(relation.oid, _CLASS, column.comment, column.number)
        if isinstance(relation, Table):
            yield from _of_constraints(relation)
    for _, index in indexes(snapshot):
        yield from _described(index.oid, _CLASS, index.comment)
        yield from _described(index.constraint, _CONSTRAINT, index.constraint_comment)
    for schema in catalog.schemas.values():
        yield from _described(schema.oid, _NAMESPACE, schema.comment)
    for sequence in catalog.sequences.values():
        yield from _described(sequence.oid, _CLASS, sequence.comment)
    for function in catalog.functions.values():
        yield from _described(function.oid, _PROC, function.comment)
    for made in catalog.types.values():
        yield from _described(made.oid, _TYPE, made.comment)
        if isinstance(made, DomainType):
            for condition in made.checks:
                yield from _described(condition.oid, _CONSTRAINT, condition.comment)
        elif isinstance(made, CompositeType):
            for place, text in made.member_comments:
                yield from _described(made.relation_oid, _CLASS, text, place + 1)


def _of_constraints(table: Table) -> Iterator[Row]:
    yield from _described(key_index_oid(table), _CLASS, table.key_index_comment)
    yield from _described(key_constraint_oid(table), _CONSTRAINT, table.key_comment)
    for number, check in enumerate(table.checks, 1):
        yield from _described(check_oid(table, number), _CONSTRAINT, check.comment)
    for key in table.foreign_keys:
        yield from _described(key.oid, _CONSTRAINT, key.comment)


def _described(oid: Oid, of: int, comment: str | None, number: int = 0) -> Iterator[Row]:
    if comment is not None:
        yield {"objoid": oid, "classoid": of, "objsubid": number, "description": comment}


def _shared(snapshot: Snapshot) -> Iterator[Row]:
    said = [(d.oid, _DATABASE, d.comment) for d in snapshot.databases]
    said += [(user.oid, _ROLE, user.comment) for user in snapshot.users]
    for oid, of, comment in said:
        if comment is not None:
            yield {"objoid": oid, "classoid": of, "description": comment}


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {"pg_description": _descriptions, "pg_shdescription": _shared}
