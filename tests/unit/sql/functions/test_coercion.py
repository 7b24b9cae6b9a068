"""Coercions, common types and parameters, as the walker uses them."""

from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

from catalog.errors import CannotCoerce, DatatypeMismatch, UndefinedFunction
from catalog.types import (
    BOOL,
    DATE,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMPTZ,
    UNKNOWN,
    VARCHAR,
    PgType,
    array_of,
    computed_numeric,
    numeric,
    with_length,
)
from server.sql.coercion import Coercion, can_coerce, coerce, parameters_reported_to
from server.sql.common_type import common_type
from server.sql.functions.registry import resolve_function
from server.sql.literals import number_literal, string_literal
from server.sql.operators import binary
from server.sql.typed import Typed
from tests.unit.sql.functions.evaluation import open_instance


def parameter(number: int) -> Typed:
    return Typed(exp.Parameter(this=exp.Literal.number(str(number))), UNKNOWN)


def column(pg_type: PgType) -> Typed:
    return Typed(exp.column("c1", table="t1"), pg_type)


@pytest.mark.parametrize(
    ("source", "target", "how", "expected"),
    [
        (INT4, INT8, Coercion.IMPLICIT, True),
        (INT8, INT4, Coercion.IMPLICIT, False),
        (INT8, INT4, Coercion.ASSIGNMENT, True),
        (INT4, BOOL, Coercion.ASSIGNMENT, False),
        (INT4, BOOL, Coercion.EXPLICIT, True),
        (INT4, TEXT, Coercion.IMPLICIT, False),
        (INT4, TEXT, Coercion.ASSIGNMENT, True),
        (TEXT, INT4, Coercion.ASSIGNMENT, False),
        (TEXT, INT4, Coercion.EXPLICIT, True),
        (VARCHAR, TEXT, Coercion.IMPLICIT, True),
        (DATE, TIMESTAMPTZ, Coercion.IMPLICIT, True),
        (DATE, INT4, Coercion.EXPLICIT, False),
        (array_of(INT4), array_of(INT8), Coercion.IMPLICIT, True),
        (array_of(INT4), INT4, Coercion.EXPLICIT, False),
    ],
)
def test_casts_as_pg_cast_says(
    source: PgType, target: PgType, how: Coercion, expected: bool
) -> None:
    assert can_coerce(source, target, how) is expected


def test_refuses_a_cast_that_does_not_exist() -> None:
    with pytest.raises(CannotCoerce, match="cannot cast type date to integer"):
        coerce(column(DATE), INT4, Coercion.EXPLICIT)


def test_tells_the_type_a_parameter_takes() -> None:
    told: list[tuple[int, str]] = []
    with parameters_reported_to(lambda number, pg_type: told.append((number, pg_type.name))):
        sum_ = binary("+", column(INT8), parameter(1))
        coerce(parameter(2), with_length(VARCHAR, 3), Coercion.ASSIGNMENT)
        resolve_function("lower", [parameter(3)])

    assert told == [(1, "int8"), (2, "varchar"), (3, "text")]
    assert sum_.tree.sql("duckdb") == "t1.c1 + CAST($1 AS BIGINT)"


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([INT4, INT8], INT8),
        ([INT2, FLOAT8], FLOAT8),
        ([INT4, numeric(10, 2)], numeric(12, 2, is_declared=False)),
        ([numeric(10, 2), numeric(10, 2)], numeric(10, 2)),
        ([UNKNOWN, INT4], INT4),
        ([UNKNOWN, UNKNOWN], TEXT),
        ([VARCHAR, TEXT], VARCHAR),
        ([with_length(VARCHAR, 3), with_length(VARCHAR, 5)], VARCHAR),
        ([DATE, TIMESTAMPTZ], TIMESTAMPTZ),
    ],
)
def test_finds_the_common_type(types: list[PgType], expected: PgType) -> None:
    values = [string_literal("x") if t is UNKNOWN else column(t) for t in types]

    assert common_type(values, "UNION") == expected


def test_types_of_different_categories_have_none_in_common() -> None:
    with pytest.raises(DatatypeMismatch, match="UNION types integer and text cannot be matched"):
        common_type([column(INT4), column(TEXT)], "UNION")


def test_an_undefined_function_has_a_hint() -> None:
    with pytest.raises(UndefinedFunction) as raised:
        resolve_function("no_such_function", [number_literal("1")])

    assert raised.value.hint == (
        "No function matches the given name and argument types. "
        "You might need to add explicit type casts."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", INT4),
        ("2147483648", INT8),
        ("9223372036854775808", computed_numeric(19, 0)),
        ("1.50", computed_numeric(18, 2)),
        ("12345678901234567890.123456789", computed_numeric(29, 9)),
    ],
)
def test_types_number_literals_by_size_and_form(text: str, expected: PgType) -> None:
    assert number_literal(text).type == expected


def test_a_coerced_value_has_exactly_the_target_type() -> None:
    for target in (NUMERIC, numeric(5, 1), JSONB, array_of(TEXT)):
        how = Coercion.ASSIGNMENT
        text = {"numeric": "1.5", "jsonb": "{}", "_text": "{a}"}[target.name]
        assert coerce(string_literal(text), target, how).type == target


def test_a_file_keeps_its_macros_and_opens_again(tmp_path: Path) -> None:
    path = tmp_path / "d.duckdb"
    first = open_instance(path)
    first.execute("CREATE TABLE t AS SELECT CAST('{\"a\":1}' AS JSON) AS x")
    first.execute("CREATE VIEW v AS SELECT tg_jsonb_of(x) AS y, tg_divide(7, 2) AS z FROM t")
    first.close()

    second = open_instance(path)
    cursor: duckdb.DuckDBPyConnection = second.cursor()
    assert str(cursor.execute("SELECT y FROM v").fetchall()[0][0]) == '{"a": 1}'
    second.close()
