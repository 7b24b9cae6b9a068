"""Expressions and what PostgreSQL 15 answers, produced by it.

``answers.tsv`` has an expression, the type and the rows' texts, or the SQLSTATE of the error; so
have ``precedence.tsv`` and ``constants.tsv``, where a line break in an expression is ``\\n``.
``differences.tsv`` has, where numerics print otherwise by design, our answer and PostgreSQL's: a
numeric without a declared scale prints without trailing zeros and keeps 16 digits of a quotient.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.unit.sql.functions.evaluation import evaluate, open_instance

HERE = Path(__file__).parent


def lines(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (HERE / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def instance() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = open_instance()
    yield connection
    connection.close()


@pytest.mark.parametrize(("expression", "type_name", "rows"), lines("answers.tsv"))
def test_answers_as_postgresql(
    instance: duckdb.DuckDBPyConnection, expression: str, type_name: str, rows: str
) -> None:
    answer = evaluate(instance, expression)

    assert answer.type_name == type_name, answer.message
    assert sorted(map(str, answer.rows)) == sorted(map(str, json.loads(rows or "[]")))


@pytest.mark.parametrize(
    ("expression", "type_name", "rows"), [*lines("precedence.tsv"), *lines("constants.tsv")]
)
def test_grammar_as_postgresql(
    instance: duckdb.DuckDBPyConnection, expression: str, type_name: str, rows: str
) -> None:
    answer = evaluate(instance, expression.replace("\\n", "\n"))

    assert answer.type_name == type_name, answer.message
    assert sorted(map(str, answer.rows)) == sorted(map(str, json.loads(rows or "[]")))


@pytest.mark.parametrize(
    ("expression", "type_name", "rows"), [line[:3] for line in lines("differences.tsv")]
)
def test_numerics_print_without_trailing_zeros(
    instance: duckdb.DuckDBPyConnection, expression: str, type_name: str, rows: str
) -> None:
    answer = evaluate(instance, expression)

    assert (answer.type_name, list(answer.rows)) == (type_name, json.loads(rows))
