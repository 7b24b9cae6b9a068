"""What stands on what: pg_depend, and the rules that make views in PostgreSQL, pg_rewrite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import RW_CATALOG_OID, Oid
from catalog.relation import Relation, Table
from catalog.sequence import sequences_of
from catalog.system.catalog_oid import (
    PG_ATTRDEF,
    PG_CLASS,
    PG_CONSTRAINT,
    PG_EXTENSION,
    PG_NAMESPACE,
    PG_PROC,
    PG_REWRITE,
    PG_TYPE,
)
from catalog.system.constraint import (
    default_oid,
    key_constraint_oid,
    key_index_oid,
    key_oid,
    keyed_tables,
)
from catalog.system.pg_index import indexes
from catalog.system.relation import Make, Row, SystemRelation
from catalog.system.snapshot import Snapshot
from catalog.user_type import CompositeType, DomainType, uses

#: The OID of the extension that rw_catalog is listed to belong to.
_PEERS_CATALOGS: Final = 13002

#: Rules have no numbers here: theirs are made from the view's.
_RULE_BIT: Final = 1 << 27


def _rule_oid(view: Relation) -> Oid:
    return Oid(view.oid | _RULE_BIT)


def _rules(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if not isinstance(relation, Table):
            yield {
                "oid": _rule_oid(relation),
                "rulename": "_RETURN",
                "ev_class": relation.oid,
                "ev_type": "1",
                "ev_enabled": "O",
                "is_instead": True,
                "ev_qual": "<>",
                "ev_action": relation.definition,
            }


def _dependency(  # noqa: PLR0917 -- as pg_depend has them
    catalog: int, oid: int, on_catalog: int, on: int, column: int, kind: str
) -> Row:
    return {
        "classid": catalog,
        "objid": oid,
        "objsubid": 0,
        "refclassid": on_catalog,
        "refobjid": on,
        "refobjsubid": column,
        "deptype": kind,
    }


def _dependencies(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, Table):
            continue
        rule = _rule_oid(relation)
        yield _dependency(PG_REWRITE, rule, PG_CLASS, relation.oid, 0, "i")
        # Which columns a view reads is not kept.
        for read in sorted(relation.depends_on):
            yield _dependency(PG_REWRITE, rule, PG_CLASS, read, 0, "n")
        for called in sorted(relation.functions):
            yield _dependency(PG_REWRITE, rule, PG_PROC, called, 0, "n")
    for sequence in snapshot.catalog.sequences.values():
        if sequence.owned_by is not None:
            table_oid, number = sequence.owned_by
            kind = "i" if sequence.is_identity else "a"
            yield _dependency(PG_CLASS, sequence.oid, PG_CLASS, table_oid, number, kind)
    yield from _dependencies_of_defaults(snapshot)
    for table in keyed_tables(snapshot):
        constraint = key_constraint_oid(table)
        yield _dependency(PG_CLASS, key_index_oid(table), PG_CONSTRAINT, constraint, 0, "i")
        for number in table.primary_key:
            yield _dependency(PG_CONSTRAINT, constraint, PG_CLASS, table.oid, number, "a")
    yield from _dependencies_of_constraints(snapshot)
    yield from _dependencies_on_types(snapshot)


def dependencies_with(system: list[SystemRelation]) -> Make:
    """Return what makes the rows of pg_depend, which says whose the peer's catalogs are."""

    def rows(snapshot: Snapshot) -> Iterator[Row]:
        yield from _dependencies(snapshot)
        # So that programs that copy a database leave them alone.
        yield _dependency(PG_NAMESPACE, RW_CATALOG_OID, PG_EXTENSION, _PEERS_CATALOGS, 0, "e")
        for relation in system:
            if relation.schema == "rw_catalog":
                yield _dependency(PG_CLASS, relation.oid, PG_EXTENSION, _PEERS_CATALOGS, 0, "e")

    return rows


def _extensions(snapshot: Snapshot) -> Iterator[Row]:
    yield {
        "oid": _PEERS_CATALOGS,
        "extname": "tidegate",
        "extowner": snapshot.user_oid("root"),
        "extnamespace": RW_CATALOG_OID,
        "extrelocatable": False,
        "extversion": "1.0",
    }


def _dependencies_of_defaults(snapshot: Snapshot) -> Iterator[Row]:
    """Yield whose the defaults of columns are, and which sequences they ask."""
    for relation in snapshot.relations():
        for column in relation.columns:
            if column.default is None or column.identity:
                continue
            oid = default_oid(relation, column)
            yield _dependency(PG_ATTRDEF, oid, PG_CLASS, relation.oid, column.number, "a")
            for sequence in sorted(sequences_of(column.default)):
                yield _dependency(PG_ATTRDEF, oid, PG_CLASS, sequence, 0, "n")


def _dependencies_of_constraints(snapshot: Snapshot) -> Iterator[Row]:
    """Yield what unique and foreign keys stand on, and indexes that are no constraint's."""
    for relation, index in indexes(snapshot):
        if index.constraint:
            yield _dependency(PG_CLASS, index.oid, PG_CONSTRAINT, index.constraint, 0, "i")
        oid, of = (index.constraint, PG_CONSTRAINT) if index.constraint else (index.oid, PG_CLASS)
        for number in sorted(index.columns):
            yield _dependency(of, oid, PG_CLASS, relation.oid, number, "a")
    for table in snapshot.relations():
        for key in table.foreign_keys if isinstance(table, Table) else ():
            for number in key.columns:
                yield _dependency(PG_CONSTRAINT, key.oid, PG_CLASS, table.oid, number, "a")
            target = snapshot.catalog.table(key.target)
            for number in key.target_columns:
                yield _dependency(PG_CONSTRAINT, key.oid, PG_CLASS, target.oid, number, "n")
            unique = next(u for u in target.unique_keys if u.oid == key.key)
            yield _dependency(PG_CONSTRAINT, key.oid, PG_CLASS, key_oid(target, unique), 0, "n")


def _dependencies_on_types(snapshot: Snapshot) -> Iterator[Row]:
    """Yield what columns, domains and composite types are made of."""
    made = snapshot.catalog.types
    for relation in snapshot.relations():
        for column in relation.columns:
            for oid in made:
                if uses(column.type, oid):
                    row = _dependency(PG_CLASS, relation.oid, PG_TYPE, oid, 0, "n")
                    yield {**row, "objsubid": column.number}
    for user in made.values():
        match user:
            case DomainType(base=base):
                found = [oid for oid in made if uses(base, oid)]
                yield from (_dependency(PG_TYPE, user.oid, PG_TYPE, oid, 0, "n") for oid in found)
            case CompositeType(members=members, relation_oid=relation_oid):
                yield _dependency(PG_CLASS, relation_oid, PG_TYPE, user.oid, 0, "i")
                for number, (_, member) in enumerate(members, 1):
                    for oid in made:
                        if uses(member, oid):
                            row = _dependency(PG_CLASS, relation_oid, PG_TYPE, oid, 0, "n")
                            yield {**row, "objsubid": number}
            case _:
                pass
        yield _dependency(PG_TYPE, user.array_oid, PG_TYPE, user.oid, 0, "i")


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {"pg_rewrite": _rules, "pg_extension": _extensions}
