"""DuckDB's errors in PostgreSQL's words; what it really says is provoked, not quoted."""

from collections.abc import Iterator

import duckdb
import pytest

from barrier.engine_errors import from_engine
from catalog.errors import UndefinedFunction
from server.sql.functions.registry import resolve_function
from server.sql.literals import string_literal
from tests.unit.sql.functions.evaluation import evaluate, open_instance


@pytest.fixture(scope="module")
def instance() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = open_instance()
    connection.execute("CREATE TABLE k (a INTEGER PRIMARY KEY, b INTEGER NOT NULL)")
    connection.execute("INSERT INTO k VALUES (1, 1)")
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        ("SELECT 1 // 0", "22012", "division by zero"),
        ("SELECT CAST('x1' AS INTEGER)", "22P02", 'invalid input syntax for type integer: "x1"'),
        ("SELECT CAST(70000 AS SMALLINT)", "22003", "smallint out of range"),
        (
            "SELECT CAST(2147483647 AS INTEGER) + CAST(1 AS INTEGER)",
            "22003",
            "integer out of range",
        ),
        ("SELECT CAST(1000 AS DECIMAL(4, 2))", "22003", "numeric field overflow"),
        (
            "SELECT (SELECT a FROM (VALUES (1), (2)) t(a))",
            "21000",
            "more than one row returned by a subquery used as an expression",
        ),
        (
            "SELECT CAST('2023-02-29' AS DATE)",
            "22008",
            'date/time field value out of range: "2023-02-29"',
        ),
        ("SELECT CAST('soon' AS DATE)", "22007", 'invalid input syntax for type date: "soon"'),
        ("SELECT CAST('{' AS JSON)", "22P02", "invalid input syntax for type json"),
        ("INSERT INTO k VALUES (1, 2)", "23505", "duplicate key value violates unique constraint"),
        (
            "INSERT INTO k VALUES (2, NULL)",
            "23502",
            'null value in column "b" violates not-null constraint',
        ),
        ("SELECT tg_nonzero(0)", "22012", "division by zero"),
        ("SELECT tg_jsonb('{')", "22P02", "invalid input syntax for type json"),
        ("SELECT no_such(1)", "XX000", "internal error"),
    ],
)
def test_speaks_as_postgresql(
    instance: duckdb.DuckDBPyConnection, sql: str, sqlstate: str, message: str
) -> None:
    with pytest.raises(duckdb.Error) as raised:
        instance.execute(sql).fetchall()

    error = from_engine(type(raised.value).__name__, str(raised.value))

    assert (error.sqlstate.value, error.message) == (sqlstate, message)


def test_an_interrupt_is_a_cancel() -> None:
    error = from_engine("InterruptException", "INTERRUPT Error: Interrupted!")

    assert error.sqlstate.value == "57014"


def test_users_text_is_not_taken_for_a_code_of_ours(instance: duckdb.DuckDBPyConnection) -> None:
    answer = evaluate(instance, "x::int FROM (VALUES ('22012:division by zero')) t(x)")

    assert answer.type_name == "22P02"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("'x1'::int", 'invalid input syntax for type integer: "x1"'),
        ("varchar 'a' + 1", "operator does not exist: character varying + integer"),
        ("no_such_function(1)", "function no_such_function(integer) does not exist"),
        ("1 AND true", "argument of AND must be type boolean, not type integer"),
        ("CASE WHEN true THEN 1 ELSE true END", "CASE types boolean and integer cannot be matched"),
        ("CAST(date '2024-01-01' AS int)", "cannot cast type date to integer"),
        ("40000::smallint", "smallint out of range"),
        ("sqrt(-1)", "cannot take square root of a negative number"),
        ("ln(0)", "cannot take logarithm of zero"),
    ],
)
def test_words_errors_as_postgresql(
    instance: duckdb.DuckDBPyConnection, expression: str, message: str
) -> None:
    assert evaluate(instance, expression).message == message


@pytest.mark.parametrize(
    "name", ["read_csv", "read_text", "glob", "getenv", "query", "duckdb_settings", "list_value"]
)
def test_what_only_the_engine_has_does_not_exist(name: str) -> None:
    with pytest.raises(UndefinedFunction):
        resolve_function(name, [string_literal("x")])
