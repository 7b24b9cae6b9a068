"""Numerics without a scale of their type's keep the one that they were written with."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Sequence
from decimal import Decimal

import pytest

from tests.support.server import Address, Connection

_NUMBERS = (
    *("1.50", "1.5", "100", "0.00", "-0.00", "-2.50", "0.001", "-7", "12345.678900", "NULL"),
    *(
        "'NaN'",
        "'Infinity'",
        "'-Infinity'",
        "'1.5e3'",
        "'25e-4'",
        "'  3.10 '",
        "0.00000001",
    ),
)
_QUERIES = (
    "SELECT k, n, n::text, scale(n), -n, abs(n) FROM w ORDER BY k",
    "SELECT k, n + 1, n + 0.250, n - m, n * 2, n * 1.10, n * m FROM w ORDER BY k",
    "SELECT k, n || '', format('%s', n::text), n::varchar(3) FROM w ORDER BY k",
    "SELECT k, coalesce(n, 0.0), CASE WHEN k > 5 THEN n ELSE 7.70 END FROM w ORDER BY k",
    "SELECT k, trim_scale(n), round(n, 2), trunc(n, 1), n::int8 FROM w WHERE k < 10 ORDER BY k",
    "SELECT sum(n), min(n), max(n), sum(n * m), sum(n) FILTER (WHERE k < 3) FROM w WHERE k < 10",
    "SELECT g, sum(n), min(n), max(n) FROM w WHERE k < 10 GROUP BY g ORDER BY g",
    "SELECT k, sum(n) OVER (PARTITION BY g ORDER BY k) FROM w WHERE k < 10 ORDER BY k",
    "SELECT k, n FROM (SELECT * FROM w WHERE k < 4 UNION ALL SELECT 9, 9, 2.500, 1) q ORDER BY k",
    "SELECT (SELECT n FROM w WHERE k = 1), (SELECT max(n) FROM w WHERE k < 5)",
    "WITH q AS (SELECT k, n * 3.0 AS n FROM w WHERE k < 10) SELECT * FROM q ORDER BY k",
    "SELECT k, n FROM w WHERE n = 1.5 ORDER BY k",
    "SELECT a.k, b.k FROM w a JOIN w b ON a.n = b.n ORDER BY 1, 2",
    "SELECT k FROM w WHERE n IN (1.5000, 100.0) ORDER BY k",
    "SELECT k FROM w WHERE n IN (SELECT n + 0.00 FROM w WHERE k = 1) ORDER BY k",
    "SELECT count(DISTINCT n), count(*) FROM w",
    "SELECT k FROM w ORDER BY n NULLS FIRST, k DESC",
    "SELECT DISTINCT ON (n) k, n FROM w WHERE k < 3 ORDER BY n, k",
)
_WRITES = (
    "UPDATE w SET n = n + 0.10 WHERE k = 1 RETURNING n",
    "UPDATE w SET n = 5.000 WHERE k IN (2, 3)",
    "INSERT INTO w SELECT k + 100, g, n * 1.0, m FROM w WHERE k < 4",
    "INSERT INTO w VALUES (200, 1, 1.20, 3), (201, 1, 7, 0.50) RETURNING n, m",
    "INSERT INTO w (k) VALUES (300) RETURNING n",
    "DELETE FROM w WHERE n = 1.2 RETURNING k, n",
    "ALTER TABLE w ADD COLUMN late numeric DEFAULT 4.40",
    "SELECT k, late FROM w ORDER BY k",
    "CREATE TABLE w2 AS SELECT k, n, n * 2 AS d FROM w",
    "SELECT * FROM w2 ORDER BY k",
    "CREATE TABLE w3 (k int, n numeric UNIQUE)",
    "INSERT INTO w3 VALUES (1, 1.50)",
    "INSERT INTO w3 VALUES (2, 1.5) ON CONFLICT DO NOTHING",
    "ALTER TABLE w2 ADD UNIQUE (d, k)",
    "INSERT INTO w2 SELECT k, n, n * 2.00 FROM w ON CONFLICT DO NOTHING",
)


_ROWS = ", ".join(
    f"({k}, {k % 3}, {number}, {(k * 7) % 5 + 0.5})" for k, number in enumerate(_NUMBERS, 1)
)
_MADE = (
    "CREATE TABLE w (k int PRIMARY KEY, g int, n numeric DEFAULT 9.90, m numeric)",
    f"INSERT INTO w VALUES {_ROWS}",
)


def _shown(connection: Connection, statement: str) -> tuple[str | None, list[list[bytes | None]]]:
    """Return the tag and the texts of a statement's result, in which 1.50 is not 1.5."""
    cursor = connection.execute(statement.encode())
    result = cursor.pgresult
    assert result is not None
    rows = range(result.ntuples)
    texts = [[result.get_value(row, column) for column in range(result.nfields)] for row in rows]
    return cursor.statusmessage, texts


def _assert_alike(judge: Address, database: Address, statements: Sequence[str]) -> None:
    with judge.connect() as theirs, database.connect() as ours:
        for statement in statements:
            assert _shown(ours, statement) == _shown(theirs, statement), statement


def test_they_are_what_they_are_in_postgresql(judge: Address, database: Address) -> None:
    _assert_alike(judge, database, [*_MADE, *_QUERIES])


def test_what_is_written_keeps_its_scale(judge: Address, database: Address) -> None:
    checked = "SELECT k, g, n, m FROM w ORDER BY k"
    writes = [statement for write in _WRITES for statement in (write, checked)]
    _assert_alike(judge, database, [*_MADE, *writes])


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_drivers_get_back_what_they_gave(binary: bool, connection: Connection) -> None:
    given = [
        *map(Decimal, ("1.50", "100", "0.0010", "-7.250000", "0", "0.00", "NaN", "Infinity")),
        *map(Decimal, ("9999.0", "9999999999999999999999.9999999999999997")),
        None,
    ]
    connection.execute("CREATE TABLE w (k int, n numeric)")
    mark = "%b" if binary else "%t"
    for k, number in enumerate(given):
        connection.execute(f"INSERT INTO w VALUES ({k}, {mark})".encode(), (number,))
    format_ = " (FORMAT BINARY)" if binary else ""
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY w FROM STDIN{format_}".encode()) as copy,
    ):
        copy.set_types(["int4", "numeric"])
        for k, number in enumerate(given, 100):
            copy.write_row((k, number))
    with connection.cursor(binary=binary) as cursor:
        found = cursor.execute("SELECT n FROM w ORDER BY k").fetchall()
    assert [str(n) for (n,) in found] == [str(n) for n in given * 2]


@pytest.mark.parametrize("seed", range(4))
def test_views_show_what_their_queries_show(seed: int, connection: Connection) -> None:
    chance = random.Random(seed)
    views = (
        "SELECT k, n, n * m AS p, n - 0.5 AS d FROM w",
        "SELECT g, sum(n) AS s, min(n) AS lo, max(n) AS hi, count(n) AS c FROM w GROUP BY g",
        "SELECT sum(n * 1.10) AS s, sum(m) AS t FROM w",
        "SELECT n, count(*) AS c FROM w GROUP BY n",
        "SELECT a.g, sum(a.n + b.m) AS s FROM w a JOIN w b ON a.g = b.k GROUP BY a.g",
    )
    connection.execute("CREATE TABLE w (k int PRIMARY KEY, g int, n numeric, m numeric)")
    for number, query in enumerate(views):
        connection.execute(f"CREATE MATERIALIZED VIEW v{number} AS {query}".encode())

    def value() -> str:
        if chance.random() < 0.1:
            return chance.choice(["NULL", "'NaN'", "1e2", "'-0.0'"])
        scale = chance.choice([0, 0, 1, 2, 2, 5, 12])
        return f"{chance.randint(-50, 50) / 10**scale:.{scale}f}"

    for _ in range(25):
        k, g = chance.randrange(30), chance.randrange(4)
        statement = chance.choice(
            [
                f"INSERT INTO w VALUES ({k}, {g}, {value()}, {value()})",
                f"INSERT INTO w SELECT i, i % 3, {value()}, i * 0.10 FROM generate_series({k}, 29) i",
                f"UPDATE w SET n = n * {value()} WHERE k % 5 = {g}",
                f"UPDATE w SET m = {value()} WHERE k = {k}",
                f"DELETE FROM w WHERE k % 7 = {g}",
                f"DELETE FROM w WHERE k = {k}",
            ]
        )
        connection.execute(statement.encode())
        for number, query in enumerate(views):
            seen = connection.execute(f"SELECT * FROM v{number} ORDER BY 1, 2".encode()).fetchall()
            asked = connection.execute(f"SELECT * FROM ({query}) AS q ORDER BY 1, 2".encode())
            assert str(seen) == str(asked.fetchall()), (statement, query)


def test_numerics_come_from_a_source(connection: Connection) -> None:
    options = (
        "WITH (connector = 'datagen', fields.k.kind = 'sequence', fields.k.start = '1', "
        "fields.k.end = '9', fields.n.kind = 'sequence', fields.n.start = '1', fields.n.end = '9', "
        "datagen.rows.per.second = '1000') FORMAT PLAIN ENCODE JSON"
    )
    connection.execute(f"CREATE SOURCE s (k int, n numeric) {options}".encode())
    connection.execute(f"CREATE TABLE t (k int, n numeric) {options}".encode())
    connection.execute("CREATE MATERIALIZED VIEW v AS SELECT k, n + 0.50 AS n FROM s")
    connection.execute("CREATE MATERIALIZED VIEW w AS SELECT k, n + 0.50 AS n FROM t")
    wanted = [(k, Decimal(k) + Decimal("0.5")) for k in range(1, 10)]
    for view in ("v", "w"):
        query = f"SELECT k, n FROM {view} ORDER BY k".encode()
        for _ in range(100):
            if len(connection.execute(query).fetchall()) == len(wanted):
                break
            time.sleep(0.1)
        assert connection.execute(query).fetchall() == wanted


def test_digits_that_a_binary_scale_hides_are_cut_off(judge: Address, database: Address) -> None:
    image = struct.pack("!HhHH2h", 2, 0, 0, 1, 1, 2999)  # 1.2999 with one digit shown
    found = []
    for place in (judge, database):
        with place.connect() as connection:
            connection.execute("CREATE TABLE w (n numeric)")
            insert = b"INSERT INTO w VALUES ($1) RETURNING n, n = 1.2"
            result = connection.pgconn.exec_params(insert, [image], [1700], [1])
            found.append([result.get_value(0, column) for column in range(2)])
    assert found[1] == found[0] == [b"1.2", b"t"]
