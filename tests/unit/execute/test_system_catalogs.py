"""System catalogs as a session reads them: in and out of blocks, beside others, by the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from barrier.duckdb_store import DuckdbStore
from barrier.prelude import Prelude
from catalog.change import CreateRelation
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import Column, Table, User
from catalog.roles import Access, Roles
from catalog.state import Catalog, apply
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.system.snapshot import Snapshot
from catalog.types import INT4, VARCHAR, array_of
from server.system.given import given_columns
from server.system.view import SystemViews
from tests.support.session_client import Client

COUNT = "SELECT count(*) FROM pg_class WHERE relname = '{}' AND pg_table_is_visible(oid)"


def tables(database: str, count: int) -> Catalog:
    catalog = Catalog(database, Oid(1))
    for number in range(count):
        columns = (Column("a", INT4, 1), Column("b", array_of(VARCHAR), 2, default_source="'ä'"))
        table = Table(
            oid=Oid(16384 + number),
            schema="public",
            name=f"t{number}",
            owner="root",
            columns=columns,
            primary_key=(1,),
        )
        catalog = apply(catalog, CreateRelation(table))
    return catalog


@pytest.mark.parametrize(
    "name", ["pg_class", "pg_attribute", "pg_index", "pg_constraint", "pg_proc", "pg_type"]
)
def test_the_engine_reads_the_rows_that_were_made(name: str) -> None:
    relation = SYSTEM_RELATIONS["pg_catalog", name]
    view = SystemViews().of(Snapshot(tables("dev", 3), "root", users=(User(Oid(10), "root"),)))
    store = DuckdbStore(None, Prelude(), settings={"threads": "1"})
    reader = store.reader()
    reader.give("given", view.given(relation))
    read = ", ".join(
        f"c{c.number}::JSON::{c.type.duckdb}" if c.type.duckdb.endswith("[]") else f"c{c.number}"
        for c in relation.columns
    )
    found = reader.rows(f"SELECT {read} FROM given")
    names = [column.name for column in relation.columns]
    assert found == [tuple(_read(row.get(n)) for n in names) for row in view.rows(relation)]
    reader.close()
    store.close()


def _read(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_columns_hold_null_and_moments() -> None:
    column = (Column("a", INT4, 1), Column("b", VARCHAR, 2))
    moment = datetime(2024, 1, 2)
    made = given_columns(column, [{"a": 1, "b": None}, {"a": None, "b": str(moment)}, {"a": 3}])
    assert [made[name].length for name in ("c1", "c2")] == [3, 3]
    assert made["c1"].validity == b"\x05"
    assert made["c2"].validity == b"\x02"


def test_rows_are_made_once_for_all_who_see_the_same_catalog() -> None:
    views = SystemViews()
    catalog = tables("dev", 2)
    relation = SYSTEM_RELATIONS["pg_catalog", "pg_class"]
    roles, access = Roles({}), Access(is_superuser=True, roles=frozenset({"root"}))
    seen = Snapshot(catalog, "root", roles=roles, access=access)
    first, again = (views.of(replace(seen)) for _ in range(2))
    assert again.rows(relation) is first.rows(relation)
    assert again.given(relation) is first.given(relation)
    assert views.of(replace(seen, user="other")) is not first
    assert views.of(replace(seen, roles=Roles({}))) is not first
    assert views.of(replace(seen, catalog=tables("dev", 2))) is not first


def test_others_see_a_new_table_at_once(connect: Callable[[], Client]) -> None:
    one, other = connect(), connect()
    question = COUNT.format("seen_by_others")
    assert other.run(question) == [("0",)]
    one.run("CREATE TABLE seen_by_others (a int)")
    assert other.run(question) == [("1",)]
    one.run("DROP TABLE seen_by_others")
    assert other.run(question) == [("0",)]


def test_a_block_that_is_undone_leaves_the_catalogs_readable(client: Client) -> None:
    client.run("CREATE TABLE kept (a int)")
    for end in ("ROLLBACK", "COMMIT"):
        client.run("BEGIN")
        assert client.run(COUNT.format("kept")) == [("1",)]
        client.run(end)
        assert client.run(COUNT.format("kept")) == [("1",)]


def test_catalogs_are_read_while_other_rows_are_fetched(client: Client) -> None:
    client.run("CREATE TABLE many (a int)")
    joined = "SELECT count(*) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    assert int(str(client.run(joined)[0][0])) > 2000
    assert client.run(f"{joined} WHERE c.relname = 'many'") == [("1",)]


def test_rows_have_system_columns(client: Client) -> None:
    client.run("CREATE TABLE placed (a int PRIMARY KEY)")
    client.run("INSERT INTO placed VALUES (1), (2)")
    assert client.run("SELECT tableoid::regclass, ctid FROM placed ORDER BY ctid") == [
        ("placed", "(0,1)"),
        ("placed", "(0,2)"),
    ]
    joined = "SELECT p.tableoid FROM (VALUES (7)) AS v(a) LEFT JOIN placed p ON p.a = v.a"
    assert client.run(joined) == [(None,)]
    assert client.run("SELECT a FROM placed WHERE ctid = '(0,2)'") == [("2",)]
    with pytest.raises(PgError) as caught:
        client.run("CREATE MATERIALIZED VIEW m AS SELECT ctid FROM placed")
    assert caught.value.sqlstate == "42703"


@pytest.mark.parametrize(
    "question",
    [
        "SELECT pg_get_viewdef('pg_class'::regclass)",
        "SELECT to_regclass('pg_class')",
        "SELECT format_type(23, NULL)",
    ],
    ids=["viewdef", "regclass", "type"],
)
def test_no_view_tells_of_objects(client: Client, question: str) -> None:
    with pytest.raises(PgError) as caught:
        client.run(f"CREATE MATERIALIZED VIEW m AS {question} AS told")
    assert caught.value.sqlstate == "0A000"


def test_a_view_is_told_as_it_was_written(client: Client) -> None:
    client.run('CREATE TABLE source (a int, "b AS c" text)')
    query = "SELECT a, (SELECT 'x AS y') AS \"b AS c\" FROM source"
    client.run(f'CREATE VIEW told ("x AS y", z) AS {query}')
    ((shown,),) = client.run("SELECT pg_get_viewdef('told'::regclass)")
    assert shown == f"{query};"
