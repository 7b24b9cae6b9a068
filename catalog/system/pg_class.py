"""Relations, columns and keys: pg_class, pg_attribute and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import INVALID_OID, Oid
from catalog.relation import Check, Column, MaterializedView, Relation, Table, View
from catalog.system.relation import Row, SystemRelation, no_rows, pg_relation
from catalog.system.snapshot import Snapshot
from catalog.types import PgType

#: pg_am's row of PostgreSQL's own storage, which clients look for.
HEAP_OID: Final = 2
#: The default collation, which texts have.
DEFAULT_COLLATION_OID: Final = 100

_KINDS: Final[dict[type, str]] = {Table: "r", View: "v", MaterializedView: "m"}

# A primary key is a part of its table here; in pg_catalog it is an index and a constraint beside
# it. Their OIDs are made from the table's, far from those that are given out.
_KEY_INDEX_BIT: Final = 1 << 30
_KEY_CONSTRAINT_BIT: Final = 1 << 29


def key_index_oid(table: Table) -> Oid:
    """Return the OID under which a table's primary key is listed as an index."""
    return Oid(table.oid | _KEY_INDEX_BIT)


def key_constraint_oid(table: Table) -> Oid:
    """Return the OID under which a table's primary key is listed as a constraint."""
    return Oid(table.oid | _KEY_CONSTRAINT_BIT)


def key_name(table: Table) -> str:
    """Return what PostgreSQL would call a table's primary key."""
    return f"{table.name}_pkey"


def keyed_tables(snapshot: Snapshot) -> list[Table]:
    """Return the tables that have a primary key."""
    return [r for r in snapshot.relations() if isinstance(r, Table) and r.primary_key]


def collation_oid(pg_type: PgType) -> Oid:
    """Return the collation of a type's values, or 0."""
    element = pg_type.element or pg_type
    return Oid(DEFAULT_COLLATION_OID) if element.category == "S" else INVALID_OID


def _class_row(oid: int, name: str, *, schema: int, owner: int, kind: str, columns: int) -> Row:
    is_stored = kind in ("r", "m", "i")
    return {
        "oid": oid,
        "relname": name,
        "relnamespace": schema,
        "reltype": 0,
        "reloftype": 0,
        "relowner": owner,
        "relam": HEAP_OID if kind in ("r", "m") else 0,
        "relfilenode": oid if is_stored else 0,
        "reltablespace": 0,
        "relpages": 0,
        "reltuples": -1.0,
        "relallvisible": 0,
        "reltoastrelid": 0,
        "relhasindex": False,
        "relisshared": False,
        "relpersistence": "p",
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
        columns = len(relation.columns)
        row = _class_row(
            relation.oid, relation.name, schema=schema, owner=owner, kind=kind, columns=columns
        )
        checks = len(relation.checks) if isinstance(relation, Table) else 0
        yield {**row, "relhasindex": has_key, "relchecks": checks}
    for table in keyed_tables(snapshot):
        schema = snapshot.schema_oid(table.schema)
        owner = snapshot.user_oid(table.owner)
        oid, columns = key_index_oid(table), len(table.primary_key)
        yield _class_row(
            oid, key_name(table), schema=schema, owner=owner, kind="i", columns=columns
        )


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
        "atttypid": column.type.oid,
        "attstattarget": -1,
        "attlen": column.type.size,
        "attnum": number,
        "attndims": 1 if column.type.is_array else 0,
        "attcacheoff": -1,
        "atttypmod": column.type.modifier,
        "attbyval": 0 < column.type.size <= 8,
        "attalign": "i",
        "attstorage": "p" if column.type.size > 0 else "x",
        "attcompression": "",
        "attnotnull": is_key or not column.is_nullable,
        "atthasdef": column.default is not None or column.generated is not None,
        "atthasmissing": False,
        "attidentity": "",
        "attgenerated": "" if column.generated is None else "s",
        "attisdropped": False,
        "attislocal": True,
        "attinhcount": 0,
        "attcollation": collation_oid(column.type),
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


def _is_key_column(relation: Relation, column: Column) -> bool:
    return isinstance(relation, Table) and column.number in relation.primary_key


def _defaults(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        for column in relation.columns:
            if column.default is not None or column.generated is not None:
                yield {
                    "oid": relation.oid | 1 << 28 | column.number << 20,
                    "adrelid": relation.oid,
                    "adnum": column.number,
                    "adbin": column.default_source or column.generated_source,
                }


def _namespaces(snapshot: Snapshot) -> Iterator[Row]:
    for schema in snapshot.catalog.schemas.values():
        owner = snapshot.user_oid(schema.owner)
        yield {"oid": schema.oid, "nspname": schema.name, "nspowner": owner}


def _indexes(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        columns = len(table.primary_key)
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
            "indcollation": [0] * columns,
            "indclass": [0] * columns,
            "indoption": [0] * columns,
        }


def _constraints(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        yield {
            "oid": key_constraint_oid(table),
            "conname": key_name(table),
            "connamespace": snapshot.schema_oid(table.schema),
            "contype": "p",
            "condeferrable": False,
            "condeferred": False,
            "convalidated": True,
            "conrelid": table.oid,
            "contypid": 0,
            "conindid": key_index_oid(table),
            "conparentid": 0,
            "confrelid": 0,
            "confupdtype": " ",
            "confdeltype": " ",
            "confmatchtype": " ",
            "conislocal": True,
            "coninhcount": 0,
            "connoinherit": True,
            "conkey": list(table.primary_key),
        }
    for relation in snapshot.relations():
        if isinstance(relation, Table):
            schema = snapshot.schema_oid(relation.schema)
            for number, check in enumerate(relation.checks):
                yield _check_row(relation, number, check, schema)


def _check_row(table: Table, number: int, check: Check, schema: Oid) -> Row:
    return {
        "oid": table.oid | _KEY_CONSTRAINT_BIT | (number + 1) << 20,
        "conname": check.name,
        "connamespace": schema,
        "contype": "c",
        "condeferrable": False,
        "condeferred": False,
        "convalidated": True,
        "conrelid": table.oid,
        "contypid": 0,
        "conindid": 0,
        "conparentid": 0,
        "confrelid": 0,
        "confupdtype": " ",
        "confdeltype": " ",
        "confmatchtype": " ",
        "conislocal": True,
        "coninhcount": 0,
        "connoinherit": False,
        "conkey": list(check.columns),
        "conbin": f"({check.source})",
    }


def _access_methods(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    yield {"oid": HEAP_OID, "amname": "heap", "amhandler": "heap_tableam_handler", "amtype": "t"}
    yield {"oid": 403, "amname": "btree", "amhandler": "bthandler", "amtype": "i"}


def _collations(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, name in ((DEFAULT_COLLATION_OID, "default"), (950, "C")):
        yield {
            "oid": oid,
            "collname": name,
            "collnamespace": 11,
            "collowner": owner,
            "collprovider": "d" if name == "default" else "c",
            "collisdeterministic": True,
            "collencoding": -1,
            "collcollate": None if name == "default" else "C",
            "collctype": None if name == "default" else "C",
        }


CLASS_OID: Final = 1259
CLASS_COLUMNS: Final = (
    "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam "
    "oid, relfilenode oid, reltablespace oid, relpages integer, reltuples real, relallvisible "
    "integer, reltoastrelid oid, relhasindex boolean, relisshared boolean, relpersistence "
    '"char", relkind "char", relnatts smallint, relchecks smallint, relhasrules boolean, '
    "relhastriggers boolean, relhassubclass boolean, relrowsecurity boolean, "
    'relforcerowsecurity boolean, relispopulated boolean, relreplident "char", relispartition '
    "boolean, relrewrite oid, relfrozenxid bigint, relminmxid bigint, relacl text[], "
    "reloptions text[], relpartbound text"
)


def classes_with(system: list[SystemRelation]) -> SystemRelation:
    """Return pg_class, which lists the system relations too."""

    def rows(snapshot: Snapshot) -> Iterator[Row]:
        yield from _classes(snapshot)
        yield from system_class_rows([*system, relation], snapshot)

    relation = pg_relation(CLASS_OID, "pg_class", CLASS_COLUMNS, rows)
    return relation


RELATIONS: Final = (
    pg_relation(
        1249,
        "pg_attribute",
        "attrelid oid, attname name, atttypid oid, attstattarget integer, attlen smallint, "
        "attnum smallint, attndims integer, attcacheoff integer, atttypmod integer, attbyval "
        'boolean, attalign "char", attstorage "char", attcompression "char", attnotnull '
        'boolean, atthasdef boolean, atthasmissing boolean, attidentity "char", attgenerated '
        '"char", attisdropped boolean, attislocal boolean, attinhcount integer, attcollation '
        "oid, attacl text[], attoptions text[], attfdwoptions text[], attmissingval text",
        _attributes,
    ),
    pg_relation(
        2604,
        "pg_attrdef",
        "oid oid, adrelid oid, adnum smallint, adbin text",
        _defaults,
    ),
    pg_relation(
        2615,
        "pg_namespace",
        "oid oid, nspname name, nspowner oid, nspacl text[]",
        _namespaces,
    ),
    pg_relation(
        2610,
        "pg_index",
        "indexrelid oid, indrelid oid, indnatts smallint, indnkeyatts smallint, indisunique "
        "boolean, indnullsnotdistinct boolean, indisprimary boolean, indisexclusion boolean, "
        "indimmediate boolean, indisclustered boolean, indisvalid boolean, indcheckxmin "
        "boolean, indisready boolean, indislive boolean, indisreplident boolean, indkey "
        "int2vector, indcollation oid[], indclass oid[], indoption int2vector, indexprs text, "
        "indpred text",
        _indexes,
    ),
    pg_relation(
        2606,
        "pg_constraint",
        'oid oid, conname name, connamespace oid, contype "char", condeferrable boolean, '
        "condeferred boolean, convalidated boolean, conrelid oid, contypid oid, conindid oid, "
        'conparentid oid, confrelid oid, confupdtype "char", confdeltype "char", '
        'confmatchtype "char", conislocal boolean, coninhcount integer, connoinherit boolean, '
        "conkey smallint[], confkey smallint[], conpfeqop oid[], conppeqop oid[], conffeqop "
        "oid[], confdelsetcols smallint[], conexclop oid[], conbin text",
        _constraints,
    ),
    pg_relation(
        2601,
        "pg_am",
        'oid oid, amname name, amhandler regproc, amtype "char"',
        _access_methods,
    ),
    pg_relation(
        3456,
        "pg_collation",
        'oid oid, collname name, collnamespace oid, collowner oid, collprovider "char", '
        "collisdeterministic boolean, collencoding integer, collcollate text, collctype text, "
        "colliculocale text, collversion text",
        _collations,
    ),
    pg_relation(
        2611,
        "pg_inherits",
        "inhrelid oid, inhparent oid, inhseqno integer, inhdetachpending boolean",
        no_rows,
    ),
    pg_relation(
        3350,
        "pg_partitioned_table",
        'partrelid oid, partstrat "char", partnatts smallint, partdefid oid, partattrs '
        "int2vector, partclass oid[], partcollation oid[], partexprs text",
        no_rows,
    ),
    pg_relation(
        2620,
        "pg_trigger",
        "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype smallint, "
        'tgenabled "char", tgisinternal boolean, tgconstrrelid oid, tgconstrindid oid, '
        "tgconstraint oid, tgdeferrable boolean, tginitdeferred boolean, tgnargs smallint, "
        "tgattr int2vector, tgargs bytea, tgqual text, tgoldtable name, tgnewtable name",
        no_rows,
    ),
    pg_relation(
        2618,
        "pg_rewrite",
        'oid oid, rulename name, ev_class oid, ev_type "char", ev_enabled "char", is_instead '
        "boolean, ev_qual text, ev_action text",
        no_rows,
    ),
    pg_relation(
        2224,
        "pg_sequence",
        "seqrelid oid, seqtypid oid, seqstart bigint, seqincrement bigint, seqmax bigint, "
        "seqmin bigint, seqcache bigint, seqcycle boolean",
        no_rows,
    ),
    pg_relation(
        3256,
        "pg_policy",
        'oid oid, polname name, polrelid oid, polcmd "char", polpermissive boolean, polroles '
        "oid[], polqual text, polwithcheck text",
        no_rows,
    ),
    pg_relation(
        2608,
        "pg_depend",
        "classid oid, objid oid, objsubid integer, refclassid oid, refobjid oid, refobjsubid "
        'integer, deptype "char"',
        no_rows,
    ),
    pg_relation(
        2609,
        "pg_description",
        "objoid oid, classoid oid, objsubid integer, description text",
        no_rows,
    ),
    pg_relation(
        3381,
        "pg_statistic_ext",
        "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxstattarget "
        'integer, stxkeys int2vector, stxkind "char"[], stxexprs text',
        no_rows,
    ),
    pg_relation(
        3118,
        "pg_foreign_table",
        "ftrelid oid, ftserver oid, ftoptions text[]",
        no_rows,
    ),
    pg_relation(
        1417,
        "pg_foreign_server",
        "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, "
        "srvacl text[], srvoptions text[]",
        no_rows,
    ),
    pg_relation(
        6104,
        "pg_publication",
        "oid oid, pubname name, pubowner oid, puballtables boolean, pubinsert boolean, "
        "pubupdate boolean, pubdelete boolean, pubtruncate boolean, pubviaroot boolean",
        no_rows,
    ),
    pg_relation(
        6106,
        "pg_publication_rel",
        "oid oid, prpubid oid, prrelid oid, prqual text, prattrs int2vector",
        no_rows,
    ),
    pg_relation(
        6237,
        "pg_publication_namespace",
        "oid oid, pnpubid oid, pnnspid oid",
        no_rows,
    ),
    pg_relation(
        3466,
        "pg_event_trigger",
        'oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled "char", '
        "evttags text[]",
        no_rows,
    ),
)
