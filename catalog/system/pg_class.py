"""Relations, columns and keys: pg_class, pg_attribute and their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from catalog import types
from catalog.acl import shown
from catalog.collation import COLLATIONS, collation_oid
from catalog.index import Index
from catalog.oid import Oid
from catalog.relation import Column, MaterializedView, Relation, Source, Table, View, is_temporary
from catalog.system.constraint import default_oid, key_index_oid, key_name, keyed_tables
from catalog.system.operator_class import default_class
from catalog.system.pg_index import indexes, other_indexes
from catalog.system.pg_type import storage_of
from catalog.system.relation import Make, Row, SystemRelation
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import composites
from catalog.updatable import view_options

#: pg_am's row of PostgreSQL's own storage, which clients look for.
HEAP_OID: Final = 2
#: pg_am's row of the only kind of indexes.
BTREE_OID: Final = 403

_KINDS: Final[dict[type, str]] = {Table: "r", View: "v", MaterializedView: "m", Source: "r"}


def _class_row(
    oid: int,
    name: str,
    *,
    schema: int,
    owner: int,
    kind: str,
    columns: int,
    is_temporary: bool = False,
    row_type: int = 0,
) -> Row:
    is_stored = kind in ("r", "m", "i")
    return {
        "oid": oid,
        "relname": name,
        "relnamespace": schema,
        "reltype": row_type,
        "reloftype": 0,
        "relowner": owner,
        "relam": HEAP_OID if kind in ("r", "m") else BTREE_OID if kind == "i" else 0,
        "relfilenode": oid if is_stored else 0,
        "reltablespace": 0,
        "relpages": 0,
        "reltuples": -1.0,
        "relallvisible": 0,
        "reltoastrelid": 0,
        "relhasindex": False,
        "relisshared": False,
        "relpersistence": "t" if is_temporary else "p",
        "relkind": kind,
        "relnatts": columns,
        "relchecks": 0,
        "relhasrules": kind in ("v", "m"),
        "relhastriggers": False,
        "relhassubclass": False,
        "relrowsecurity": False,
        "relforcerowsecurity": False,
        "relispopulated": True,
        "relreplident": "n" if kind == "v" else "d",
        "relispartition": False,
        "relrewrite": 0,
        "relfrozenxid": 0,
        "relminmxid": 0,
    }


def _classes(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        schema = snapshot.schema_oid(relation.schema)
        owner = snapshot.user_oid(relation.owner)
        kind = _KINDS[type(relation)]
        has_key = isinstance(relation, Table) and bool(relation.primary_key)
        has_index = has_key or (not isinstance(relation, View | Source) and bool(relation.indexes))
        columns = len(relation.columns)
        row = _class_row(
            relation.oid,
            relation.name,
            schema=schema,
            owner=owner,
            kind=kind,
            columns=columns,
            is_temporary=is_temporary(relation.schema),
        )
        checks = len(relation.checks) if isinstance(relation, Table) else 0
        # The field PostgreSQL goes by to say that a table has foreign keys.
        is_referring = isinstance(relation, Table) and bool(relation.foreign_keys)
        yield {
            **row,
            "relhasindex": has_index,
            "relchecks": checks,
            "relhastriggers": is_referring or bool(snapshot.catalog.referring(relation.oid)),
            "relacl": shown(relation.acl),
            "reloptions": _options(relation) or None,
        }
    for table in keyed_tables(snapshot):
        schema = snapshot.schema_oid(table.schema)
        owner = snapshot.user_oid(table.owner)
        oid, columns = key_index_oid(table), len(table.primary_key)
        yield _class_row(
            oid,
            key_name(table),
            schema=schema,
            owner=owner,
            kind="i",
            columns=columns,
            is_temporary=is_temporary(table.schema),
        )

    yield from _sequence_classes(snapshot)
    for relation, index in indexes(snapshot):
        schema = snapshot.schema_oid(relation.schema)
        owner = snapshot.user_oid(relation.owner)
        columns = len(index.keys) + len(index.include)
        yield _class_row(
            index.oid,
            index.name,
            schema=schema,
            owner=owner,
            kind="i",
            columns=columns,
            is_temporary=is_temporary(relation.schema),
        )

    for made, members in composites(snapshot):
        yield _class_row(
            made.relation_oid,
            made.name,
            schema=snapshot.schema_oid(made.schema),
            owner=snapshot.user_oid(made.owner),
            kind="c",
            columns=len(members),
            row_type=made.oid,
        )


def _options(relation: Relation) -> list[str]:
    if isinstance(relation, View):
        return view_options(relation)
    return list(relation.storage_parameters) if isinstance(relation, Table) else []


def _sequence_classes(snapshot: Snapshot) -> Iterator[Row]:
    for sequence in snapshot.catalog.sequences.values():
        row = _class_row(
            sequence.oid,
            sequence.name,
            schema=snapshot.schema_oid(sequence.schema),
            owner=snapshot.user_oid(sequence.owner),
            kind="S",
            columns=3,
            is_temporary=is_temporary(sequence.schema),
        )
        yield {**row, "relacl": shown(sequence.acl)}


def system_class_rows(relations: list[SystemRelation], snapshot: Snapshot) -> Iterator[Row]:
    """Yield the rows of pg_class about the system catalogs themselves."""
    for relation in relations:
        schema = snapshot.schema_oid(relation.schema)
        kind = "r" if relation.is_table else "v"
        owner = snapshot.user_oid("root")
        columns = len(relation.columns)
        yield _class_row(
            relation.oid, relation.name, schema=schema, owner=owner, kind=kind, columns=columns
        )


def _attribute_row(relation: Oid, column: Column, number: int, *, is_key: bool) -> Row:
    return {
        "attrelid": relation,
        "attname": column.name,
        "atttypid": column.type.listed_oid,
        "attstattarget": -1,
        "attlen": column.type.size,
        "attnum": number,
        "attndims": 1 if column.type.is_array else 0,
        "attcacheoff": -1,
        "atttypmod": -1 if column.type.domain is not None else column.type.modifier,
        "attbyval": 0 < column.type.size <= 8,
        "attalign": "i",
        "attstorage": storage_of(column.type),
        "attcompression": "",
        "attnotnull": is_key or not column.is_nullable,
        "atthasdef": column.default is not None or column.generated is not None,
        "atthasmissing": False,
        "attidentity": column.identity,
        "attgenerated": "" if column.generated is None else "s",
        "attisdropped": False,
        "attislocal": True,
        "attinhcount": 0,
        "attcollation": collation_oid(column.type, column.collation),
        "attacl": shown(column.acl) if column.acl else None,
    }


#: Columns of system tables that are never NULL although their length varies, and the exception to
#: the rule that those before them, of fixed length, are not either (PostgreSQL 15, chapter 53).
_FILLED: Final = frozenset(
    (
        *("defaclacl", "prosrc", "datcollate", "datctype", "description", "adbin", "data"),
        *("ev_qual", "ev_action", "tgargs", "extversion", "polroles", "stxkind", "initprivs"),
        *("provider", "label", "roname", "subconninfo", "subsynccommit", "subpublications"),
        "parname",
    )
)
_NOT_FILLED: Final = frozenset({"srsublsn"})


def _filled(relation: SystemRelation) -> frozenset[int]:
    """Return the numbers of the columns that are never NULL; of views nobody says so."""
    found: set[int] = set()
    is_fixed = relation.is_table
    for column in relation.columns:
        is_fixed &= column.type.size > 0 or column.type in (types.INT2VECTOR, types.OIDVECTOR)
        is_filled = is_fixed or (relation.is_table and column.name in _FILLED)
        if is_filled and column.name not in _NOT_FILLED:
            found.add(column.number)
    return frozenset(found)


def attributes_with(system: list[SystemRelation]) -> Make:
    """Return what makes the rows of pg_attribute, which lists the system relations too."""

    @lru_cache(maxsize=1)
    def of_system() -> tuple[Row, ...]:
        return tuple(
            _attribute_row(relation.oid, column, column.number, is_key=column.number in filled)
            for relation in system
            for filled in (_filled(relation),)
            for column in relation.columns
        )

    def rows(snapshot: Snapshot) -> Iterator[Row]:
        yield from _attributes(snapshot)
        yield from of_system()

    return rows


def _sequences(snapshot: Snapshot) -> Iterator[Row]:
    for sequence in snapshot.catalog.sequences.values():
        yield {
            "seqrelid": sequence.oid,
            "seqtypid": sequence.type.oid,
            "seqstart": sequence.start,
            "seqincrement": sequence.increment,
            "seqmax": sequence.maximum,
            "seqmin": sequence.minimum,
            "seqcache": sequence.cache,
            "seqcycle": sequence.cycles,
        }


def _sequences_shown(snapshot: Snapshot) -> Iterator[Row]:
    for sequence in snapshot.catalog.sequences.values():
        yield {
            "schemaname": sequence.schema,
            "sequencename": sequence.name,
            "sequenceowner": sequence.owner,
            "data_type": sequence.type.oid,
            "start_value": sequence.start,
            "min_value": sequence.minimum,
            "max_value": sequence.maximum,
            "increment_by": sequence.increment,
            "cycle": sequence.cycles,
            "cache_size": sequence.cache,
            "last_value": snapshot.last_number(sequence),
        }


def _attributes(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        for column in relation.columns:
            is_key = _is_key_column(relation, column)
            yield _attribute_row(relation.oid, column, column.number, is_key=is_key)
    for table in keyed_tables(snapshot):
        for position, number in enumerate(table.primary_key, 1):
            column = next(c for c in table.columns if c.number == number)
            yield _attribute_row(key_index_oid(table), column, position, is_key=True)
    yield from _index_attributes(snapshot)
    for made, members in composites(snapshot):
        for column in members:
            yield _attribute_row(made.relation_oid, column, column.number, is_key=False)


def _index_attributes(snapshot: Snapshot) -> Iterator[Row]:
    for relation, index in indexes(snapshot):
        by_number = {column.number: column for column in relation.columns}
        numbers = [*(key.column for key in index.keys), *index.include]
        names = _expression_names(index)
        for position, number in enumerate(numbers, 1):
            column = by_number.get(number) or Column(names[position - 1], types.TEXT, 0)
            yield _attribute_row(index.oid, replace(column, default=None), position, is_key=False)


_CALL: Final = re.compile(r'\(*"?(\w+)"?\(')


def _expression_names(index: Index) -> list[str]:
    """Return what PostgreSQL calls the parts of an index's key: after their functions."""
    names: list[str] = []
    for key in index.keys:
        call = _CALL.match(key.source or "")
        stem = call[1].lower() if call is not None else "expr"
        taken = sum(name.rstrip("0123456789") == stem for name in names)
        names.append(f"{stem}{taken}" if taken else stem)
    return names


def _is_key_column(relation: Relation, column: Column) -> bool:
    return isinstance(relation, Table) and column.number in relation.primary_key


def _defaults(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        for column in relation.columns:
            if (column.default is not None and not column.identity) or column.generated is not None:
                yield {
                    "oid": default_oid(relation, column),
                    "adrelid": relation.oid,
                    "adnum": column.number,
                    "adbin": column.default_source or column.generated_source,
                }


def _namespaces(snapshot: Snapshot) -> Iterator[Row]:
    for schema in snapshot.catalog.schemas.values():
        owner = snapshot.user_oid(schema.owner)
        yield {
            "oid": schema.oid,
            "nspname": schema.name,
            "nspowner": owner,
            "nspacl": shown(schema.acl),
        }


def _indexes(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        columns = len(table.primary_key)
        by_number = {column.number: column.type for column in table.columns}
        types = [by_number[number] for number in table.primary_key]
        yield {
            "indexrelid": key_index_oid(table),
            "indrelid": table.oid,
            "indnatts": columns,
            "indnkeyatts": columns,
            "indisunique": True,
            "indnullsnotdistinct": False,
            "indisprimary": True,
            "indisexclusion": False,
            "indimmediate": True,
            "indisclustered": False,
            "indisvalid": True,
            "indcheckxmin": False,
            "indisready": True,
            "indislive": True,
            "indisreplident": False,
            "indkey": list(table.primary_key),
            "indcollation": [collation_oid(pg_type) for pg_type in types],
            "indclass": [default_class(pg_type) for pg_type in types],
            "indoption": [0] * columns,
        }
    yield from other_indexes(snapshot)


def _access_methods(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    yield {"oid": HEAP_OID, "amname": "heap", "amhandler": 3, "amtype": "t"}
    yield {"oid": BTREE_OID, "amname": "btree", "amhandler": 330, "amtype": "i"}


def _collations(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for collation in COLLATIONS.values():
        yield {
            "oid": collation.oid,
            "collname": collation.name,
            "collnamespace": 11,
            "collowner": owner,
            "collprovider": collation.provider,
            "collisdeterministic": True,
            "collencoding": collation.encoding,
            "collcollate": collation.locale,
            "collctype": collation.locale,
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_attrdef": _defaults,
    "pg_namespace": _namespaces,
    "pg_index": _indexes,
    "pg_sequence": _sequences,
    "pg_sequences": _sequences_shown,
    "pg_am": _access_methods,
    "pg_collation": _collations,
}


def classes_with(system: list[SystemRelation]) -> Make:
    """Return what makes the rows of pg_class, which lists the system relations too."""

    def rows(snapshot: Snapshot) -> Iterator[Row]:
        yield from _classes(snapshot)
        yield from system_class_rows(system, snapshot)

    return rows
