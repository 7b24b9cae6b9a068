"""INSERT, UPDATE, DELETE and column defaults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from catalog.change import ReplaceRelation
from catalog.oid import Oid
from catalog.relation import Table
from catalog.state import apply
from catalog.types import INT4, TEXT, TIMESTAMPTZ, numeric
from server.execute.engine_sql import engine_text
from server.sql import statement as parsed
from server.sql.bind.default import bind_default
from server.sql.bind.result import BoundInsert
from server.sql.parse import parse
from server.sql.source import Source

if TYPE_CHECKING:
    from .conftest import Database
else:
    Database = Any


def _with_default(db: Database) -> None:
    table = db.context.catalog.relations[Oid(16385)]
    assert isinstance(table, Table)
    columns = (*table.columns[:2], replace(table.columns[2], default="'d'"))
    catalog = apply(db.context.catalog, ReplaceRelation(replace(table, columns=columns)))
    db.context = replace(db.context, catalog=catalog)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("INSERT INTO t VALUES (7, 8, 'x')", [(7, 8, "x")]),
        ("INSERT INTO t VALUES (7)", [(7, None, "d")]),
        ("INSERT INTO t (s, k) VALUES ('x', '7'), (DEFAULT, 8)", [(7, None, "x"), (8, None, "d")]),
        ("INSERT INTO t (k, v) VALUES (7, 1.6), (8, NULL)", [(7, 2, "d"), (8, None, "d")]),
        ("INSERT INTO t (k, s) VALUES (7, 5)", [(7, None, "5")]),
        ("INSERT INTO t DEFAULT VALUES", [(None, None, "d")]),
        ("INSERT INTO t (k, s) SELECT k, w FROM u WHERE k = 4", [(4, None, "y")]),
        ("INSERT INTO t SELECT 7, '8', 'x'", [(7, 8, "x")]),
        (
            "INSERT INTO t (k) SELECT DISTINCT x FROM (VALUES (1.2), (1.3)) v(x)",
            [(1, None, "d")] * 2,
        ),
        ("WITH c AS (SELECT 7 AS k) INSERT INTO t (k) SELECT k FROM c", [(7, None, "d")]),
    ],
)
def test_insert(db: Database, sql: str, rows: list[tuple[Any, ...]]) -> None:
    _with_default(db)
    assert db.inserted(sql) == rows


def test_insert_tells_parameters(db: Database) -> None:
    bound = db.write("INSERT INTO t (s, k) VALUES ($2, $1)")
    assert [t.name for t in bound.parameters] == ["int4", "varchar"]
    bound = db.write("INSERT INTO t SELECT $1, $2, $3")
    assert [t.name for t in bound.parameters] == ["int4", "int4", "varchar"]


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        (
            "INSERT INTO t VALUES (1, 2, 'c', 4)",
            "42601",
            "INSERT has more expressions than target columns",
        ),
        (
            "INSERT INTO t (k, v) VALUES (1)",
            "42601",
            "INSERT has more target columns than expressions",
        ),
        (
            "INSERT INTO t (title) VALUES (1)",
            "42703",
            'column "title" of relation "t" does not exist',
        ),
        ("INSERT INTO t (k, k) VALUES (1, 2)", "42701", 'column "k" specified more than once'),
        (
            "INSERT INTO t VALUES (true)",
            "42804",
            'column "k" is of type integer but expression is of type boolean',
        ),
        (
            "INSERT INTO t (v) SELECT w FROM u",
            "42804",
            'column "v" is of type integer but expression is of type text',
        ),
        ("INSERT INTO t (k) VALUES ('x')", "22P02", 'invalid input syntax for type integer: "x"'),
        (
            "INSERT INTO t (k) VALUES (1) ON CONFLICT (v) DO NOTHING",
            "42P10",
            "there is no unique or exclusion constraint matching the ON CONFLICT specification",
        ),
        ("UPDATE t SET title = 1", "42703", 'column "title" of relation "t" does not exist'),
        ("UPDATE t SET v = 1, v = 2", "42601", 'multiple assignments to same column "v"'),
        ("UPDATE t SET v = count(*)", "42803", "aggregate functions are not allowed in UPDATE"),
        (
            "DELETE FROM t WHERE v",
            "42804",
            "argument of WHERE must be type boolean, not type integer",
        ),
        ("DELETE FROM missing", "42P01", 'relation "missing" does not exist'),
        ("DELETE FROM t RETURNING nope", "42703", 'column "nope" does not exist'),
    ],
)
def test_errors(db: Database, sql: str, sqlstate: str, message: str) -> None:
    error = db.error(sql)
    assert (error.sqlstate, error.message) == (sqlstate, message)


def test_update_gives_old_and_new(db: Database) -> None:
    bound = db.write("UPDATE t SET v = v + 1, s = DEFAULT WHERE k = 1 RETURNING k, v AS w")
    assert db.run(bound.tree.sql(dialect="duckdb")) == [(1, 10, "a", 1, 11, None)]
    assert bound.returning is not None
    assert bound.returning.tree.sql(dialect="duckdb") == (
        "SELECT t0.c1 AS c1, t0.c2 AS c2 FROM returned AS t0"
    )
    assert [c.name for c in bound.returning.columns] == ["k", "w"]


def test_update_from_changes_a_row_once(db: Database) -> None:
    db.run("INSERT INTO r16386 VALUES (1, 'again', NULL, 3)")
    bound = db.write("UPDATE t AS x SET (v, s) = (5, 'new') FROM u WHERE u.k = x.k")
    assert db.run(bound.tree.sql(dialect="duckdb")) == [(1, 10, "a", 1, 5, "new")]


def test_update_by_a_row_of_a_query(db: Database) -> None:
    bound = db.write("UPDATE t SET (v, s) = (SELECT 1, w FROM u WHERE u.k = t.k) WHERE k = 1")
    assert db.run(bound.tree.sql(dialect="duckdb")) == [(1, 10, "a", 1, 1, "x")]


def test_rows_without_key_are_known_by_their_hidden_one(db: Database) -> None:
    bound = db.write("UPDATE u SET w = 'z' WHERE k = 4")
    names = [projection.alias for projection in bound.tree.expressions]
    assert names == ["o_c1", "o_c2", "o_c3", "o__row_id", "n_c1", "n_c2", "n_c3"]
    bound = db.write("DELETE FROM u USING t WHERE u.k = t.k")
    assert db.run(bound.tree.sql(dialect="duckdb")) == [(1, "x", [1, 2], 1)]


def test_on_conflict(db: Database) -> None:
    sql = (
        "INSERT INTO t VALUES (1, 5, 'n'), (9, 9, 'n') ON CONFLICT (k) DO UPDATE "
        "SET v = t.v + excluded.v WHERE t.s = 'a'"
    )
    bound = db.write(sql)
    assert isinstance(bound, BoundInsert)
    assert bound.conflict is not None
    assert bound.conflict.arbiters == (bound.table.oid,)
    assert bound.conflict.update is not None
    text, values = engine_text(bound.tree, bound.constants).with_values(())
    db.run(f"CREATE TEMP TABLE excluded AS {text}", values)
    assert db.run(bound.conflict.update.sql(dialect="duckdb")) == [(1, 10, "a", 1, 15, "a")]
    nothing = db.write("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING")
    assert isinstance(nothing, BoundInsert)
    assert nothing.conflict is not None
    assert (nothing.conflict.arbiters, nothing.conflict.update) == ((), None)


@pytest.mark.parametrize(
    ("text", "target", "bound"),
    [
        ("5", INT4, "5"),
        ("'x'", TEXT, "'x'"),
        ("now()", TIMESTAMPTZ, "CURRENT_TIMESTAMP"),
        ("1 + 1", numeric(5, 2), "CAST(1 + 1 AS DECIMAL(5, 2))"),
    ],
)
def test_defaults(db: Database, text: str, target: Any, bound: str) -> None:
    statement = parse(Source(f"SELECT {text}"))
    assert isinstance(statement, parsed.Query)
    assert bind_default(statement.tree.expressions[0], target, db.context) == bound


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [("k", "0A000"), ("(SELECT 1)", "0A000"), ("true", "42804"), ("count(*)", "42803")],
)
def test_what_no_default_can_be(db: Database, text: str, sqlstate: str) -> None:
    statement = parse(Source(f"SELECT {text}"))
    assert isinstance(statement, parsed.Query)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the state is looked at
        bind_default(statement.tree.expressions[0], INT4, db.context)
    assert getattr(caught.value, "sqlstate", None) == sqlstate
