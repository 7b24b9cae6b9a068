"""Names: relations, columns, aliases, output columns, and PostgreSQL's errors about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlglot import parse_one

from catalog.change import ReplaceRelation
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView
from catalog.state import apply

if TYPE_CHECKING:
    from .conftest import Database
else:
    Database = Any


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message", "position"),
    [
        ("SELECT * FROM missing", "42P01", 'relation "missing" does not exist', 15),
        ("SELECT * FROM no.t", "42P01", 'relation "no.t" does not exist', 15),
        ("SELECT nope FROM t", "42703", 'column "nope" does not exist', 8),
        ("SELECT t.nope FROM t", "42703", "column t.nope does not exist", 8),
        ("SELECT o.k FROM t", "42P01", 'missing FROM-clause entry for table "o"', 8),
        ("SELECT t.k FROM t x", "42P01", 'invalid reference to FROM-clause entry for table "t"', 8),
        ("SELECT k FROM t a, t b", "42702", 'column reference "k" is ambiguous', 8),
        ("SELECT 1 FROM t, t", "42712", 'table name "t" specified more than once', None),
        ("SELECT 1::nope", "42704", 'type "nope" does not exist', 11),
        ("SELECT nope(1)", "42883", "function nope(integer) does not exist", 8),
        (
            "SELECT s + 1 FROM t",
            "42883",
            "operator does not exist: character varying + integer",
            10,
        ),
        (
            "SELECT 1 FROM other.public.t",
            "0A000",
            'cross-database references are not implemented: "other.public.t"',
            15,
        ),
    ],
)
def test_errors(db: Database, sql: str, sqlstate: str, message: str, position: int | None) -> None:
    error = db.error(sql)
    assert (error.sqlstate, error.message) == (sqlstate, message)
    assert error.position == position


def test_position_counts_in_the_whole_string(db: Database) -> None:
    assert db.error("SELECT nope FROM t", offset=100).position == 108


def test_qualified_names(db: Database) -> None:
    assert db.rows("SELECT dev.public.t.k FROM dev.public.t WHERE public.t.k = 1") == [(1,)]
    assert db.rows('SELECT "T".k FROM t AS "T" WHERE T.k = 1'.replace(" T.k", ' "T".k')) == [(1,)]


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("k", "k"),
        ("k + 1", "?column?"),
        ("count(*)", "count"),
        ("1::int", "int4"),
        ("k::text", "k"),
        ("CASE WHEN true THEN 1 END", "case"),
        ("coalesce(k, 1)", "coalesce"),
        ("ARRAY[1]", "array"),
        ("EXISTS (SELECT 1)", "exists"),
        ("(SELECT max(k) FROM t)", "max"),
        ("true", "?column?"),
        ("date '2024-01-01'", "date"),
        ("interval '1 day'", "interval"),
        ("current_user", "current_user"),
        ("extract(year FROM date '2024-01-01')", "extract"),
        ("trim(s)", "btrim"),
        ('1 AS "A b"', "A b"),
        ("row_number() OVER ()", "row_number"),
        ("pg_catalog.upper('x')", "upper"),
    ],
)
def test_output_names(db: Database, expression: str, name: str) -> None:
    group = " GROUP BY k, v, s" if "count" in expression else ""
    assert db.names(f"SELECT {expression} FROM t{group}") == [name]


def test_output_columns_know_where_they_come_from(db: Database) -> None:
    columns = db.bind("SELECT v, k + 1, x.k FROM t AS x").columns
    assert [(c.relation_oid, c.number) for c in columns] == [(16385, 2), (0, 0), (16385, 1)]


def test_search_path_and_system_schemas(db: Database) -> None:
    assert db.error("SELECT * FROM t", search_path=()).sqlstate == "42P01"
    assert db.rows("SELECT current_schema()", search_path=()) == [(None,)]
    assert db.rows("SELECT current_schemas(true)") == [(["pg_catalog", "rw_catalog", "public"],)]


def test_session_functions(db: Database) -> None:
    row = db.rows(
        "SELECT current_user, user, current_database(), version(), pg_backend_pid(), "
        "current_setting('x')",
        user="ada",
        version="V",
        backend_pid=7,
        settings={"x": "y"},
    )
    assert row == [("ada", "ada", "dev", "V", 7, "y")]
    assert db.error("SELECT current_setting('nope')", is_streaming=True).sqlstate == "42704"


def test_names_as_constants(db: Database) -> None:
    assert db.rows("SELECT 't'::regclass, 'public.t'::regclass, 'int4'::regtype") == [
        (16385, 16385, 23)
    ]
    assert db.error("SELECT 'nope'::regclass").message == 'relation "nope" does not exist'


class _Names:
    oid = Oid(9000)
    name = "names"

    def __init__(self, db: Database, rows: list[tuple[object, ...]]) -> None:
        self.columns = db.context.catalog.relations[Oid(16385)].columns
        self._rows = rows

    def rows(self) -> list[tuple[object, ...]]:
        return self._rows

    has_texts = False

    def given(self, used: Sequence[int]) -> None:
        return None


def test_system_relations_are_values(db: Database) -> None:
    def system(schema: str, name: str) -> Any:
        held: list[tuple[object, ...]] = [(1, None, "x'y"), (2, 5, None)]
        rows = held if name == "names" else []
        known = schema == "pg_catalog" and name in ("names", "empty")
        return _Names(db, rows) if known else None

    assert db.rows("SELECT k, s FROM names ORDER BY k", system=system) == [(1, "x'y"), (2, None)]
    assert db.rows("SELECT count(*) FROM pg_catalog.names", system=system) == [(2,)]
    assert db.rows("SELECT s FROM empty", system=system) == []
    assert db.error("DELETE FROM names", system=system).sqlstate == "42501"


def test_views_are_put_in(db: Database) -> None:
    db.view(16390, "big", "SELECT k AS id, v FROM t WHERE v > 10")
    db.view(
        16391,
        "bigger",
        "WITH c AS (SELECT id FROM big) SELECT c.id, b.v FROM c JOIN big b USING (id)",
    )
    assert db.rows("SELECT a.id, b.v FROM bigger a JOIN bigger b ON a.id = b.id ORDER BY 1") == [
        (2, 20),
        (3, 20),
    ]
    assert db.bind("SELECT * FROM bigger").depends_on == {16391}


def test_overlay_stands_for_a_table_also_inside_views(db: Database) -> None:
    db.view(16390, "big", "SELECT k FROM t WHERE v > 10")
    overlay = {Oid(16385): parse_one("SELECT 9 AS c1, 90 AS c2, 'z' AS c3", read="duckdb")}
    assert db.rows("SELECT k FROM t", overlay=overlay) == [(9,)]
    assert db.rows("SELECT k FROM big", overlay=overlay) == [(9,)]


def test_materialized_view_is_read_where_it_is_stored(db: Database) -> None:
    db.view(16392, "m", "SELECT max(k) AS hi FROM t", is_materialized=True)
    assert db.rows("SELECT hi FROM m") == [(3,)]
    view = db.context.catalog.relations[Oid(16392)]
    assert isinstance(view, MaterializedView)
    for status in (JobStatus.CREATING, JobStatus.FAILED):
        changed = ReplaceRelation(replace(view, status=status))
        catalog = apply(db.context.catalog, changed)
        assert db.error("SELECT hi FROM m", catalog=catalog).sqlstate == "55000"
    assert db.error("INSERT INTO m VALUES (1)").message == 'cannot change materialized view "m"'


def test_now_is_the_epochs_where_a_query_is_maintained(db: Database) -> None:
    streaming = db.bind("SELECT now(), current_timestamp, current_date", is_streaming=True)
    assert streaming.tree.sql(dialect="duckdb").count("GETVARIABLE('epoch_now')") == 3
    assert not streaming.is_volatile
    assert db.bind("SELECT now()").is_volatile
    db.view(16393, "late", "SELECT k FROM t WHERE now() > timestamptz '2000-01-01'")
    assert "GETVARIABLE" in db.sql("SELECT * FROM late", is_streaming=True)
