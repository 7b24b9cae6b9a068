"""What people have said of objects: pg_description and pg_shdescription (PostgreSQL 15, 53.19)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import Oid
from catalog.relation import Table
from catalog.system.catalog_oid import (
    PG_AUTHID,
    PG_CLASS,
    PG_CONSTRAINT,
    PG_DATABASE,
    PG_NAMESPACE,
    PG_PROC,
    PG_TYPE,
)
from catalog.system.constraint import check_oid, key_constraint_oid, key_index_oid
from catalog.system.pg_index import indexes
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.user_type import CompositeType, DomainType


def _descriptions(snapshot: Snapshot) -> Iterator[Row]:
    catalog = snapshot.catalog
    for relation in snapshot.relations():
        yield from _described(relation.oid, PG_CLASS, relation.comment)
        for column in relation.columns:
            yield from _described(relation.oid, PG_CLASS, column.comment, column.number)
        if isinstance(relation, Table):
            yield from _of_constraints(relation)
    for _, index in indexes(snapshot):
        yield from _described(index.oid, PG_CLASS, index.comment)
        yield from _described(index.constraint, PG_CONSTRAINT, index.constraint_comment)
    for schema in catalog.schemas.values():
        yield from _described(schema.oid, PG_NAMESPACE, schema.comment)
    for sequence in catalog.sequences.values():
        yield from _described(sequence.oid, PG_CLASS, sequence.comment)
    for function in catalog.functions.values():
        yield from _described(function.oid, PG_PROC, function.comment)
    for made in catalog.types.values():
        yield from _described(made.oid, PG_TYPE, made.comment)
        if isinstance(made, DomainType):
            for condition in made.checks:
                yield from _described(condition.oid, PG_CONSTRAINT, condition.comment)
        elif isinstance(made, CompositeType):
            for place, text in made.member_comments:
                yield from _described(made.relation_oid, PG_CLASS, text, place + 1)


def _of_constraints(table: Table) -> Iterator[Row]:
    yield from _described(key_index_oid(table), PG_CLASS, table.key_index_comment)
    yield from _described(key_constraint_oid(table), PG_CONSTRAINT, table.key_comment)
    for number, check in enumerate(table.checks, 1):
        yield from _described(check_oid(table, number), PG_CONSTRAINT, check.comment)
    for key in table.foreign_keys:
        yield from _described(key.oid, PG_CONSTRAINT, key.comment)


def _described(oid: Oid, of: int, comment: str | None, number: int = 0) -> Iterator[Row]:
    if comment is not None:
        yield {"objoid": oid, "classoid": of, "objsubid": number, "description": comment}


def _shared(snapshot: Snapshot) -> Iterator[Row]:
    said = [(d.oid, PG_DATABASE, d.comment) for d in snapshot.databases]
    said += [(user.oid, PG_AUTHID, user.comment) for user in snapshot.users]
    for oid, of, comment in said:
        if comment is not None:
            yield {"objoid": oid, "classoid": of, "description": comment}


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {"pg_description": _descriptions, "pg_shdescription": _shared}
