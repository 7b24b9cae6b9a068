"""Expressions and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from catalog.types import INT8, TEXT

if TYPE_CHECKING:
    from .conftest import Database
else:
    Database = Any


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("7 / 2", 3),
        ("2 ^ 3", 8.0),
        ("5 # 3", 6),
        ("'a' || 1", "a1"),
        ("NOT (true AND false)", True),
        ("2 BETWEEN 1 AND 3", True),
        ("2 BETWEEN SYMMETRIC 3 AND 1", True),
        ("2 NOT IN (1, 3)", True),
        ("2 IN (1, NULL)", None),
        ("'2' = 2", True),
        ("(1, 2) = (1, 2)", True),
        ("(1, NULL) = (1, 2)", None),
        ("(1, 2) < (1, 3)", True),
        ("(1, 2) IN ((1, 2), (3, 4))", True),
        ("(1, 2) IN (SELECT 1, 2)", True),
        ("1 IS DISTINCT FROM NULL", True),
        ("NULL IS NULL", True),
        ("(1 > 2) IS NOT TRUE", True),
        ("'abc' LIKE 'a%'", True),
        ("'a%c' LIKE 'a!%c' ESCAPE '!'", True),
        ("'abc' ~ '^a'", True),
        ("'abc' !~* 'X'", True),
        ("'abc' SIMILAR TO 'a(b|x)c'", True),
        ("2 = ANY (ARRAY[1, 2])", True),
        ("3 = ANY (ARRAY[1, NULL])", None),
        ("3 <> ALL (ARRAY[1, 2])", True),
        ("2 = ANY ('{1,2}')", True),
        ("2 = ANY (SELECT 2)", True),
        ("2 > ALL (SELECT 1)", True),
        ("CASE WHEN 1 = 2 THEN 'a' ELSE 'b' END", "b"),
        ("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END", "b"),
        ("coalesce(NULL, 2)", 2),
        ("nullif(1, 1)", None),
        ("greatest(1, 3, NULL)", 3),
        ("ARRAY[1, 2][2]", 2),
        ("(ARRAY[1, 2, 3])[2:3]", [2, 3]),
        ("ARRAY[[1, 2], [3, 4]][2][1]", 3),
        ("ARRAY(SELECT k FROM t ORDER BY k)", [1, 2, 3]),
        ("ARRAY[]::int[]", []),
        ("'{\"a\": {\"b\": 1}}'::jsonb -> 'a' ->> 'b'", "1"),
        ("'{\"a.b\": 1}'::jsonb ->> 'a.b'", "1"),
        ("extract(year FROM date '2024-05-17')::int", 2024),
        ("date_part('month', date '2024-05-17')", 5.0),
        ("to_char(timestamp '2024-05-07 15:04:05', 'YYYY-MM-DD HH24:MI')", "2024-05-07 15:04"),
        ("to_date('07 05 2024', 'DD MM YYYY')::text", "2024-05-07"),
        ("position('b' IN 'abc')", 2),
        ("substring('abc' FROM 2 FOR 1)", "b"),
        ("trim(BOTH 'x' FROM concat('xa', 'x'))", "a"),
        ("rtrim('ax', 'x')", "a"),
        ("interval '1 day' + interval '2' hour = interval '26 hours'", True),
        ("1.5::numeric(10, 2)::text", "1.50"),
        ("'x'::varchar(3) COLLATE \"C\"", "x"),
        ("(timestamptz '2024-06-01 12:00:00+02' AT TIME ZONE 'UTC')::text", "2024-06-01 10:00:00"),
    ],
)
def test_values(db: Database, sql: str, value: object) -> None:
    assert db.rows(f"SELECT {sql}") == [(value,)]


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT $1", ["text"]),
        ("SELECT $1::int + $1", ["int4"]),
        ("SELECT k FROM t WHERE k = $1 AND s LIKE $2", ["int4", "text"]),
        ("SELECT k FROM t LIMIT $1 OFFSET $2", ["int8", "int8"]),
        ("SELECT k FROM t WHERE k IN ($1, $2)", ["int4", "int4"]),
        ("SELECT k FROM t WHERE k = ANY ($1)", ["_int4"]),
        ("SELECT k FROM t WHERE v BETWEEN $1 AND $2", ["int4", "int4"]),
        ("SELECT CASE WHEN $1 THEN 1 ELSE $2 END", ["bool", "int4"]),
        ("SELECT upper($1)", ["text"]),
        ("SELECT 1 UNION SELECT $1", ["int4"]),
    ],
)
def test_parameters(db: Database, sql: str, types: list[str]) -> None:
    assert [t.name for t in db.bind(sql).parameters] == types


def test_parameter_hints_come_first(db: Database) -> None:
    bound = db.bind("SELECT $1, $2", parameter_hints=(INT8, None))
    assert bound.parameters == (INT8, TEXT)
    assert (
        bound.tree.sql(dialect="duckdb")
        == "SELECT CAST($1 AS BIGINT) AS c1, CAST($2 AS TEXT) AS c2"
    )


def test_parameter_errors(db: Database) -> None:
    assert db.error("SELECT $2").sqlstate == "42P18"
    assert db.error("SELECT $0").sqlstate == "42P02"


def test_statement_parameters_run(db: Database) -> None:
    assert db.rows("SELECT s FROM t WHERE k = $1 AND v > $2", 2, 5) == [("b",)]


def test_what_a_client_sees_of_types(db: Database) -> None:
    assert db.types("SELECT 1, 1.50, 'x', NULL, true, sum(k), avg(k), now() FROM t") == [
        *("integer", "numeric", "text", "text", "boolean", "bigint", "numeric"),
        "timestamp with time zone",
    ]


def test_volatile(db: Database) -> None:
    assert db.bind("SELECT random()").is_volatile
    assert db.bind("SELECT s::timestamptz FROM t").is_volatile
    assert db.bind("SELECT date 'today'").is_volatile
    assert db.bind("SELECT pg_sleep(0)").is_volatile
    assert not db.bind("SELECT k FROM t").is_volatile
