"""What is called exact never has equal values that print differently."""

from __future__ import annotations

import itertools
import re

import duckdb
import pytest
from sqlglot import parse_one

from barrier.stream.exact import is_exact

VALUES = {
    "small": "3::SMALLINT",
    "int": "-5::INTEGER",
    "big": "7::BIGINT",
    "huge": "5::HUGEINT",
    "decimal": "-1.500::DECIMAL(18,3)",
    "date": "DATE '2024-01-31'",
    "stamp": "TIMESTAMP '2024-01-31 10:00'",
    "zoned": "TIMESTAMPTZ '2024-01-31 10:00Z'",
    "time": "TIME '10:00'",
    "flag": "true",
    "word": "'3'",
}
FORMS = (
    *("{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} % {1}", "{0} / {1}", "{0} // {1}", "-{0}"),
    *("{0} + 1", "{0} - 1", "{0} % 2", "{0} * 1e2", "{0} - INTERVAL 1 DAY", "abs({0})"),
    *("{0} % CAST({1} AS BIGINT)", "CAST({0} AS BIGINT) - {1}", "({0} * {1}) - {1}"),
    *("date_trunc('month', {0})", "greatest({0}, NULL)", "least({0}, {1})", "nullif({0}, {1})"),
    *("length({0})", "substring({0}, 1, 2)", "CASE WHEN true THEN {0} % 2 ELSE {1} - 1 END"),
    *("{0} - '1'", "'5' % {0}", "coalesce({0} * 2, {1})"),
    *(
        f"CAST({{{{'v': {{0}}, 's': {{1}}}}}} AS STRUCT(v {type_}, s TINYINT))"
        for type_ in ("DECIMAL(38, 16)", "DOUBLE", "INTERVAL", "STRUCT(f FLOAT)")
    ),
)


@pytest.mark.parametrize("form", FORMS)
def test_no_exact_expression_has_a_type_with_loose_values(form: str) -> None:
    connection = duckdb.connect()
    columns = ", ".join(f"{value} AS {name}" for name, value in VALUES.items())
    connection.execute(f"CREATE TABLE t AS SELECT {columns}")
    for pair in itertools.product(VALUES, repeat=2):
        text = form.format(*pair)
        if not is_exact(parse_one(text, read="duckdb"), lambda _: True):
            continue
        try:
            rows = connection.execute(f"SELECT typeof({text}) FROM t").fetchall()
        except duckdb.Error:
            continue  # There are no such values.
        assert not re.search("DOUBLE|FLOAT|INTERVAL", rows[0][0]), (text, rows)


def test_arithmetic_with_small_numbers_is_exact() -> None:
    for text in (
        "a % 10",
        "a - 1",
        "a * b + 2",
        "-(a % CAST(b AS BIGINT))",
        "date_trunc('day', a)",
        "CAST(a AS STRUCT(v DECIMAL(38, 16), s TINYINT))",
    ):
        assert is_exact(parse_one(text, read="duckdb"), lambda _: True), text
