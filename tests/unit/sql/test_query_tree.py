"""Nothing of what the user wrote is lost between text and tree."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from server.sql.query_tree import function_name, prepare, restored

_DIALECT = Dialect.get_or_raise("risingwave")


def _tree(sql: str) -> exp.Expr:
    tree = _DIALECT.parser().parse(prepare(_DIALECT.tokenize(sql)), sql)[0]
    assert tree is not None
    return restored(tree)


@pytest.mark.parametrize(
    ("sql", "name", "arguments"),
    [
        ("to_char(a, 'YYYY-MM-DD HH24:MI')", "to_char", ["a", "'YYYY-MM-DD HH24:MI'"]),
        ("DATE_PART('year', a)", "date_part", ["'year'", "a"]),
        ("log(2, a)", "log", ["2", "a"]),
        ("div(7, 3)", "div", ["7", "3"]),
        ("ltrim(a, 'x')", "ltrim", ["a", "'x'"]),
        ("left(a, 1)", "left", ["a", "1"]),
        ("now()", "now", []),
        ('"Foo"(1)', "Foo", ["1"]),
    ],
)
def test_calls_stay_calls(sql: str, name: str, arguments: list[str]) -> None:
    (call,) = _tree(f"SELECT {sql}").expressions
    assert isinstance(call, exp.Anonymous)
    assert function_name(call) == name
    assert [a.sql(dialect="postgres") for a in call.expressions] == arguments


@pytest.mark.parametrize(
    "sql",
    [
        "WITH log(x) AS (SELECT 1) SELECT x FROM log",
        "SELECT x FROM generate_series(1, 2) AS log(x)",
        "SELECT x FROM foo(1) date(x)",
        "SELECT CAST(x AS DATE), x::TIMESTAMP(3), timestamp(3) '2024-01-01'",
        "SELECT count(*) FILTER (WHERE a) FROM t GROUP BY GROUPING SETS ((a), ())",
        "SELECT a LIKE ('x') AND (b) OR NOT (c) FROM t JOIN u USING (k)",
    ],
)
def test_what_only_looks_like_a_call(sql: str) -> None:
    assert "pg:" not in _tree(sql).sql(dialect="postgres").lower()


def test_subscripts_and_keys_keep_their_values() -> None:
    first, second, third = _tree("SELECT a[1], a[i + 1][2:3], a -> 'b.c' ->> 1").expressions
    assert first.expressions[0].name == "1"
    assert second.this.expressions[0].sql() == "i + 1"
    assert third.expression.name == "1"
    assert third.this.expression.name == "b.c"


def test_words_are_folded() -> None:
    (column,) = _tree('SELECT T."B" FROM T').expressions
    assert (column.table, column.name) == ("t", "B")
