"""Rows of constants are read by another way than other rows, to the same end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from catalog.types import by_name
from server.sql.bind.result import BoundInsert, ParameterList
from server.sql.parse import parse
from server.sql.source import Source
from server.sql.statement import Insert

if TYPE_CHECKING:
    from .conftest import Database
else:
    Database = Any

ROWS = 16
COLUMNS = "k int8,s text,n numeric,f float8,b bool,d date,t timestamp,i int2,v varchar"
ROW = "(1, 'it''s; (a), b', -1.50, 2.25, TRUE, '2024-02-29', '2024-01-01 10:00:00.5', -2, NULL)"


def insert(rows: str, head: str = "INSERT INTO many VALUES", tail: str = "") -> str:
    return f"{head} {', '.join([rows] * ROWS)}{tail}"


def alone(row: str, head: str = "INSERT INTO many VALUES") -> str:
    """A row with a comment before it, which makes it one of the others."""
    return f"{head}/**/{row}"


@pytest.fixture
def many(db: Database) -> Database:
    db.table(16390, "many", COLUMNS)
    return db


def test_many_rows_are_as_one(many: Database) -> None:
    bound = many.write(insert(ROW))
    assert isinstance(bound, BoundInsert)
    assert len(bound.constants) == 9
    other = many.write(alone(ROW))
    assert isinstance(other, BoundInsert)
    assert not other.constants
    assert many.inserted(insert(ROW)) == many.inserted(alone(ROW)) * ROWS


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("d", "(DATE '2024-02-29')"),
        ("d, t", "(date  '2024-02-29', TIMESTAMP '2024-01-01 10:00:00')"),
    ],
)
def test_dates_with_their_word_take_the_short_way(many: Database, columns: str, row: str) -> None:
    head = f"INSERT INTO many ({columns}) VALUES"
    bound = many.write(insert(row, head))
    assert isinstance(bound, BoundInsert)
    assert bound.constants
    assert many.inserted(insert(row, head)) == many.inserted(alone(row, head)) * ROWS


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("t", "(DATE '2024-02-29')"),
        ("d", "(TIMESTAMP '2024-02-29 10:00:00')"),
        ("d", "(DATE '2024-02-29' + 1)"),
        ("n", "(1.00000000000000005)"),
        ("n", "('1.5')"),
        ("i", "(1.5)"),
        ("s", "(12)"),
        ("b", "('yes')"),
        ("k", "('7')"),
        ("t", "('2024-01-01T00:00:00')"),
        ("d", "('Jan 2, 2024')"),
        ("s, n", "(E'a\\tb', DEFAULT)"),
        ("k", "(1 + 1)"),
        ("f", "(1e3)"),
    ],
)
def test_other_constants_take_the_long_way(many: Database, columns: str, row: str) -> None:
    head = f"INSERT INTO many ({columns}) VALUES"
    bound = many.write(insert(row, head))
    assert isinstance(bound, BoundInsert)
    assert not bound.constants
    assert many.inserted(insert(row, head)) == many.inserted(alone(row, head)) * ROWS


@pytest.mark.parametrize(
    ("row", "sqlstate"),
    [
        ("('x')", "22P02"),
        ("('99999999999999999999')", "22003"),
        ("(true)", "42804"),
        ("(1, 'a', 1, 1, true, '2024-02-30')", "22008"),
        ("(1, 2, 3, 4, true, NULL, NULL, 8, 9, 10)", "42601"),
    ],
)
def test_errors_are_those_of_one_row(many: Database, row: str, sqlstate: str) -> None:
    other = many.error(alone(row))
    blanks = " " * len("/**/")
    for sql in (insert(row), f"INSERT INTO many VALUES {row}"):
        error = many.error(sql.replace("VALUES ", f"VALUES{blanks}"))
        assert (error.sqlstate, error.message) == (sqlstate, other.message)
        assert error.position == other.position


def test_parameters_take_the_types_of_their_columns(many: Database) -> None:
    rows = ", ".join(f"(${2 * i + 1}, ${2 * i + 2})" for i in range(ROWS))
    bound = many.write(f"INSERT INTO many (s, n) VALUES {rows}")
    assert isinstance(bound, BoundInsert)
    assert bound.constants[1] == ParameterList(tuple(range(2, 2 * ROWS + 1, 2)))
    assert [t.name for t in bound.parameters] == ["text", "numeric"] * ROWS


@pytest.mark.parametrize(
    ("row", "hints"),
    [
        ("($1, 1)", ()),
        ("($1, $1)", (by_name("int2"),)),
        ("($1, NULL)", (by_name("int4"),)),
    ],
)
def test_other_parameters_take_the_long_way(many: Database, row: str, hints: Any) -> None:
    bound = many.write(insert(row, "INSERT INTO many (k, i) VALUES"), parameter_hints=hints)
    assert isinstance(bound, BoundInsert)
    assert not bound.constants


def test_what_follows_the_rows_is_read() -> None:
    sql = insert("(1)", "INSERT INTO t (k) VALUES", " ON CONFLICT (k) DO NOTHING RETURNING k")
    statement = parse(Source(sql))
    assert isinstance(statement, Insert)
    assert statement.rows is not None
    assert statement.on_conflict is not None
    assert len(statement.returning) == 1
    assert statement.text == sql


@pytest.mark.parametrize(
    "sql",
    [
        insert("(1)", tail=", (1, 2)"),
        insert("(1)", tail=" UNION SELECT 2"),
        insert("($1, $x$a$x$)"),
        insert("(1 -- one\n)"),
        insert("('a'\n'b')"),
        insert("(0x1)"),
    ],
)
def test_the_rest_is_left_to_the_parser(sql: str) -> None:
    try:
        statement = parse(Source(sql))
    except Exception as e:  # noqa: BLE001 - only that it is not taken for rows counts
        assert getattr(e, "sqlstate", "") == "42601"
    else:
        assert isinstance(statement, Insert)
        assert statement.rows is None
