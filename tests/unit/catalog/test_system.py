"""The system catalogs: every relation makes rows that fit its columns, and tells the truth."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.change import CreateRelation
from catalog.oid import Oid
from catalog.parameter_kind import KindDescription
from catalog.relation import Column, JobStatus, MaterializedView, Sink, Table, User, View
from catalog.serialize import decode_relation, encode_relation
from catalog.state import Catalog, apply
from catalog.system.registry import SYSTEM_RELATIONS, find_system_relation
from catalog.system.snapshot import DatabaseState, EventState, JobState, SettingState, Snapshot
from catalog.types import INT4, INT8, VARCHAR, numeric, with_length

TABLE = Table(
    oid=Oid(16384),
    schema="public",
    name="t",
    owner="root",
    columns=(
        Column("id", INT4, 1, is_nullable=False),
        Column("name", with_length(VARCHAR, 10), 2, default="'x'", default_source="'x'"),
        Column("price", numeric(10, 2), 4),
    ),
    primary_key=(1,),
)
KEYLESS = Table(
    oid=Oid(16385), schema="public", name="log", owner="root", columns=(Column("a", INT4, 1),)
)
VIEW = View(
    oid=Oid(16386),
    schema="public",
    name="v",
    owner="root",
    columns=(Column("id", INT4, 1),),
    query="",
    depends_on=frozenset({TABLE.oid}),
)
MATERIALIZED = MaterializedView(
    oid=Oid(16387),
    schema="public",
    name="m",
    owner="root",
    columns=(Column("n", INT8, 1),),
    query="",
    depends_on=frozenset({VIEW.oid}),
    status=JobStatus.CREATING,
    is_background=True,
)
SINK = Sink(
    oid=Oid(16388),
    schema="public",
    name="k",
    owner="root",
    columns=(Column("n", INT8, 1),),
    query="",
    depends_on=frozenset({VIEW.oid}),
    connector="blackhole",
    properties=(("connector", "blackhole"),),
)


@pytest.fixture
def snapshot() -> Snapshot:
    catalog = Catalog("dev", Oid(1))
    for relation in (TABLE, KEYLESS, VIEW, MATERIALIZED, SINK):
        catalog = apply(catalog, CreateRelation(relation))
    return Snapshot(
        catalog,
        "root",
        databases=(DatabaseState(Oid(1), "dev", "root", None, 5, is_paused=True),),
        users=(User(Oid(10), "root", is_superuser=True),),
        jobs=lambda: (
            JobState(
                MATERIALIZED.oid,
                "CREATE ...",
                is_background=True,
                progress="0.0%",
                uses_snapshot_backfill=False,
                created_ms=1,
            ),
        ),
        events=lambda: (EventState("1", 1_700_000_000_000, "PAUSE", "{}"),),
        settings=lambda: (
            SettingState(
                "TimeZone", "UTC", "", "user", "default", "UTC", "UTC", KindDescription("string")
            ),
        ),
    )


def rows(snapshot: Snapshot, schema: str, name: str) -> list[dict[str, Any]]:
    relation = find_system_relation(schema, name)
    assert relation is not None, name
    names = [column.name for column in relation.columns]
    return [{name: row.get(name) for name in names} for row in relation.rows(snapshot)]


@pytest.mark.parametrize(
    "relation", SYSTEM_RELATIONS.values(), ids=lambda r: f"{r.schema}.{r.name}"
)
def test_rows_fit_their_columns(relation: Any, snapshot: Snapshot) -> None:
    names = {column.name for column in relation.columns}
    for row in relation.rows(snapshot):
        assert row.keys() <= names


def test_a_sink_is_the_same_after_a_restart() -> None:
    assert decode_relation(encode_relation(SINK)) == SINK


def test_a_sink_is_no_relation_to_postgresqls_tools(snapshot: Snapshot) -> None:
    for schema, name in (("pg_catalog", "pg_class"), ("pg_catalog", "pg_attribute")):
        assert all(SINK.oid not in row.values() for row in rows(snapshot, schema, name))
    assert [row["name"] for row in rows(snapshot, "rw_catalog", "rw_sinks")] == ["k"]


def test_identifiers_are_unique() -> None:
    assert len({relation.oid for relation in SYSTEM_RELATIONS.values()}) == len(SYSTEM_RELATIONS)
    assert all(relation.oid < 16384 for relation in SYSTEM_RELATIONS.values())


def test_pg_class_lists_relations_keys_and_itself(snapshot: Snapshot) -> None:
    kinds = {row["relname"]: row["relkind"] for row in rows(snapshot, "pg_catalog", "pg_class")}
    assert {name: kinds[name] for name in ("t", "t_pkey", "v", "m", "pg_class")} == {
        "t": "r",
        "t_pkey": "i",
        "v": "v",
        "m": "m",
        "pg_class": "r",
    }


def test_pg_attribute_keeps_numbers_modifiers_and_not_null(snapshot: Snapshot) -> None:
    of_table = {
        r["attname"]: r
        for r in rows(snapshot, "pg_catalog", "pg_attribute")
        if r["attrelid"] == TABLE.oid
    }
    assert {name: r["attnum"] for name, r in of_table.items()} == {"id": 1, "name": 2, "price": 4}
    assert of_table["id"]["attnotnull"]
    assert of_table["name"]["atttypmod"] == 14
    assert of_table["price"]["atttypmod"] == (10 << 16 | 2) + 4
    assert of_table["name"]["atthasdef"]


def test_information_schema_columns(snapshot: Snapshot) -> None:
    listed = {
        r["column_name"]: r
        for r in rows(snapshot, "information_schema", "columns")
        if r["table_name"] == "t"
    }
    assert listed["id"]["is_nullable"] == "NO"
    assert listed["name"]["character_maximum_length"] == 10
    assert (listed["price"]["numeric_precision"], listed["price"]["numeric_scale"]) == (10, 2)
    assert [r["ordinal_position"] for r in listed.values()] == [1, 2, 3]


def test_keys_are_constraints(snapshot: Snapshot) -> None:
    assert [r["conkey"] for r in rows(snapshot, "pg_catalog", "pg_constraint")] == [[1]]
    assert [r["column_name"] for r in rows(snapshot, "information_schema", "key_column_usage")] == [
        "id"
    ]


def test_rw_databases_tell_of_pause_and_parameters(snapshot: Snapshot) -> None:
    (database,) = rows(snapshot, "rw_catalog", "rw_databases")
    assert (
        database["is_paused"],
        database["barrier_interval_ms"],
        database["checkpoint_frequency"],
    ) == (True, None, 5)


def test_rw_lists(snapshot: Snapshot) -> None:
    (view,) = rows(snapshot, "rw_catalog", "rw_materialized_views")
    assert (view["name"], view["status"], view["background_ddl"], view["created_at"]) == (
        "m",
        "CREATING",
        True,
        None,
    )
    assert {(r["objid"], r["refobjid"]) for r in rows(snapshot, "rw_catalog", "rw_depend")} == {
        (VIEW.oid, TABLE.oid),
        (MATERIALIZED.oid, VIEW.oid),
        (SINK.oid, VIEW.oid),
    }
    hidden = [r["name"] for r in rows(snapshot, "rw_catalog", "rw_columns") if r["is_hidden"]]
    assert hidden == ["_row_id"]
    assert [r["create_type"] for r in rows(snapshot, "rw_catalog", "rw_ddl_progress")] == [
        "BACKGROUND"
    ]
    (event,) = rows(snapshot, "rw_catalog", "rw_event_logs")
    assert event["timestamp"].year == 2023
