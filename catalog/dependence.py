"""What stands on a relation, and how messages call it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from catalog.change_reader import change_reader
from catalog.constraint import ForeignKey
from catalog.errors import DependentObjectsStillExist
from catalog.oid import Oid
from catalog.relation import (
    MaterializedView,
    Mirror,
    Relation,
    Sink,
    Source,
    StreamingJob,
    Table,
    View,
    is_temporary,
    kind_name,
)


def describe(relation: Relation) -> str:
    """Return kind and name as messages give them; the schema only where it must be said."""
    is_plain = relation.schema == "public" or is_temporary(relation.schema)
    name = relation.name if is_plain else f"{relation.schema}.{relation.name}"
    return f"{kind_name(relation)} {name}"


def describe_constraint(name: str, relation: Relation) -> str:
    """Return what messages call a constraint of a table."""
    return f"constraint {name} on {describe(relation)}"


def still_used(what: str, users: Iterable[str]) -> DependentObjectsStillExist:
    """Build the error that refuses to drop what others use; all as messages call them."""
    return DependentObjectsStillExist(
        f"cannot drop {what} because other objects depend on it",
        detail="\n".join(f"{user} depends on {what}" for user in users),
        hint="Use DROP ... CASCADE to drop the dependent objects too.",
    )


def dependents(relations: Mapping[Oid, Relation], oid: Oid) -> list[Relation]:
    """Return what reads a relation directly, oldest first."""
    return [
        relation
        for _, relation in sorted(relations.items())
        if not isinstance(relation, Table) and oid in relation.depends_on
    ]


def without(relations: Mapping[Oid, Relation], oids: frozenset[Oid]) -> dict[Oid, Relation]:
    """Return the relations that are left; mirrors go with the last view that reads them."""
    kept = {oid: relation for oid, relation in relations.items() if oid not in oids}
    for gone in (relations[oid] for oid in oids):
        for read in () if isinstance(gone, Table) else gone.depends_on:
            if isinstance(kept.get(read), Mirror) and not dependents(kept, read):
                del kept[read]
    return kept


def standing_on(relations: Mapping[Oid, Relation], oid: Oid) -> list[Relation]:
    """Return what reads a relation directly, and the sinks that write into it."""
    writing = sorted(feeding(relations).get(oid, ()))
    return [*dependents(relations, oid), *(relations[sink] for sink in writing)]


def feeding(relations: Mapping[Oid, Relation]) -> dict[Oid, set[Oid]]:
    """Return the sinks that write into each table."""
    found: dict[Oid, set[Oid]] = {}
    for oid, relation in relations.items():
        if isinstance(relation, Sink) and relation.is_kept:
            found.setdefault(relation.target, set()).add(oid)
    return found


def closure(relations: Mapping[Oid, Relation], oids: Iterable[Oid]) -> list[Relation]:
    """Return relations and all that stands on them, each after what it reads.

    Sinks stand on the table into which they write.
    """
    wanted, fed = set(oids), feeding(relations)
    pending = list(wanted)
    while pending:
        oid = pending.pop()
        standing = {dependent.oid for dependent in dependents(relations, oid)}
        for dependent in (standing | fed.get(oid, set())) - wanted:
            wanted.add(dependent)
            pending.append(dependent)
    return [relation for relation in in_order(relations) if relation.oid in wanted]


def beneath(relations: Mapping[Oid, Relation], oids: Iterable[Oid]) -> tuple[Relation, ...]:
    """Return relations and all that they read through views, oldest first."""
    pending, found = list(oids), dict[Oid, Relation]()
    while pending:
        relation = relations[pending.pop()]
        if relation.oid not in found and isinstance(relation, View):
            pending.extend(relation.depends_on)
        found[relation.oid] = relation
    return tuple(relation for _, relation in sorted(found.items()))


def in_order(relations: Mapping[Oid, Relation]) -> list[Relation]:
    """Return relations, each after what it reads, and the older first where that leaves a choice.

    A table comes after the sinks that write into it. None reads itself.
    """
    found: dict[Oid, Relation] = {}
    fed = feeding(relations)

    def add(oid: Oid) -> None:
        relation = relations[oid]
        before = fed.get(oid, ()) if isinstance(relation, Table) else relation.depends_on
        for read in sorted(before):
            if read not in found:
                add(read)
        found.setdefault(oid, relation)

    for oid in sorted(relations):
        if oid not in found:
            add(oid)
    return list(found.values())


def readers_of(relations: Mapping[Oid, Relation]) -> dict[Oid, Table]:
    """Return what keeps the rows that sources and changelogs have brought to jobs, by OID."""
    found: dict[Oid, Table] = {}
    for relation in relations.values():
        for reader in relation.readers if isinstance(relation, StreamingJob) else ():
            source = relations.get(reader.source)
            if isinstance(source, Source):
                found[reader.oid] = source.reader(reader.oid, reader.last)
            else:
                assert isinstance(source, Table | MaterializedView), reader
                found[reader.oid] = change_reader(source, reader)
    return found


def base_tables(relations: Mapping[Oid, Relation], oid: Oid) -> frozenset[Oid]:
    """Return the stored relations that a relation reads, as ``Catalog.base_tables`` has it."""
    relation = relations[oid]
    if isinstance(relation, Table):
        return frozenset({oid})
    found: set[Oid] = set()
    for read in relation.depends_on:
        is_plain = isinstance(relations[read], View)
        found |= base_tables(relations, read) if is_plain else {read}
    readers = relation.readers if isinstance(relation, StreamingJob) else ()
    for reader in readers:
        if not reader.is_beside:
            found.discard(reader.source)
        found.add(reader.oid)
    return frozenset(found)


def references(relations: Mapping[Oid, Relation]) -> dict[Oid, tuple[tuple[Oid, ForeignKey], ...]]:
    """Return which tables refer to which, by the referenced table, oldest constraints first."""
    found: dict[Oid, list[tuple[Oid, ForeignKey]]] = {}
    for oid, relation in relations.items():
        if isinstance(relation, Table):
            for key in relation.foreign_keys:
                found.setdefault(key.target, []).append((oid, key))
    return {oid: tuple(sorted(keys, key=lambda k: k[1].oid)) for oid, keys in found.items()}


def references_from_others(
    relations: Mapping[Oid, Relation], gone: frozenset[Oid]
) -> Iterator[tuple[Table, ForeignKey]]:
    """Yield the constraints of tables that stay which refer to tables that go."""
    for _, relation in sorted(relations.items()):
        if isinstance(relation, Table) and relation.oid not in gone:
            for key in relation.foreign_keys:
                if key.target in gone:
                    yield relation, key


def still_needed(
    relations: Mapping[Oid, Relation], oid: Oid, gone: frozenset[Oid]
) -> DependentObjectsStillExist:
    """Build the error that refuses to drop what others stand on, in PostgreSQL's wording.

    Args:
        relations: All that there are.
        oid: What was to be dropped.
        gone: All that was to be.
    """
    dropped = relations[oid]
    lines: list[str] = []
    pending: list[Relation] = [dropped]
    told = {oid}
    while pending:
        below = pending.pop(0)
        for table, key in references_from_others(relations, gone | {below.oid}):
            if key.target == below.oid:
                constraint = describe_constraint(key.name, table)
                lines.append(f"{constraint} depends on {describe(below)}")
        for dependent in standing_on(relations, below.oid):
            lines.append(f"{describe(dependent)} depends on {describe(below)}")
            if dependent.oid not in told:
                told.add(dependent.oid)
                pending.append(dependent)
    return DependentObjectsStillExist(
        f"cannot drop {describe(dropped)} because other objects depend on it",
        detail="\n".join(lines),
        hint="Use DROP ... CASCADE to drop the dependent objects too.",
    )
