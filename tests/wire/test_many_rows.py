"""Results of many rows: their bytes are PostgreSQL's, and the first come before the last are made."""

from __future__ import annotations

import math
import random
import struct
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import psycopg
import pytest
from psycopg import pq

from tests.support.server import Address, Connection

SEED = 20150715
ROWS = 20_000

CREATE = (
    "CREATE TABLE many (n int, id bigint, k smallint, b boolean, v double precision, f real,"
    " s varchar, ts timestamp, d date, i interval, u uuid, t bytea, p numeric(10,2), j jsonb,"
    " a int[])"
)
QUERY = "SELECT * FROM many ORDER BY n"


def doubles(chance: random.Random) -> Iterator[float]:
    """Doubles of all kinds, those near powers of two and of ten among them."""
    yield from (0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324)
    for exponent in range(-20, 20):
        power = 10.0**exponent
        yield from (power, -math.nextafter(power, 0), math.nextafter(power, math.inf))
    for exponent in range(-60, 70):
        power = 2.0**exponent
        yield from (power, math.nextafter(power, 0), -math.nextafter(power, math.inf))
    while True:
        yield struct.unpack("d", chance.randbytes(8))[0]
        yield chance.uniform(-1e6, 1e6)
        yield chance.uniform(-1, 1) * 10 ** chance.uniform(-5, 17)
        yield round(chance.uniform(-1e5, 1e5), chance.randrange(6))
        yield float(chance.randrange(-(10**6), 10**6))
        yield chance.getrandbits(50) / 2 ** chance.randrange(50)


def named_alike(number: float) -> bool:
    """Whether no text halfway between two doubles is the shortest that reads as this one.

    PostgreSQL passes over such a text.
    """
    return not 2**54 <= abs(number) < 2**78


def lines(chance: random.Random) -> Iterator[str]:
    """Rows as COPY takes them, a tenth of the values NULL."""
    numbers = filter(named_alike, doubles(chance))
    texts = ("a", "é", "☃", "\\t", "\\n", "\\\\", '"', "'", "\\v", " ", ",", "\\b", "|")
    for n in range(ROWS):
        micro = chance.randrange(-(10**9), 10**9)
        moment = datetime(2000, 1, 1) + timedelta(seconds=micro, microseconds=micro % 10**6)
        values = (
            str(chance.randrange(-(2**63), 2**63)),
            str(chance.randrange(-(2**15), 2**15)),
            chance.choice("tf"),
            repr(next(numbers)),
            repr(round(chance.uniform(-1e5, 1e5), 2)),
            "".join(chance.choices(texts, k=chance.randrange(200 if n % 100 == 0 else 9))),
            chance.choice([str(moment), str(moment), "infinity", "-infinity"]),
            chance.choice([str(moment.date()), "infinity", "-infinity", "0044-03-15 BC"]),
            f"{chance.randrange(50)} mons {chance.randrange(-9, 9)} days {micro}.5 seconds",
            f"{chance.getrandbits(128):032x}",
            "\\\\x" + chance.randbytes(chance.randrange(9)).hex(),
            str(chance.randrange(-(10**9), 10**9) / 100),
            f'{{"k": {micro}}}',
            chance.choice(["{}", "{1,NULL,3}", f"{{{micro}}}"]),
        )
        shown = ("\\N" if chance.random() < 0.1 else value for value in values)
        yield "\t".join((str(n), *shown)) + "\n"


@pytest.fixture(scope="module")
def both(server: Address, postgresql: Address) -> Iterator[tuple[Connection, Connection]]:
    """The same rows here and in a PostgreSQL."""
    data = "".join(lines(random.Random(SEED)))
    with server.connect() as ours, postgresql.connect() as theirs:
        for connection in (ours, theirs):
            connection.execute("DROP TABLE IF EXISTS many")
            connection.execute(CREATE.encode())
            with connection.cursor() as cursor, cursor.copy("COPY many FROM STDIN") as copy:
                copy.write(data)
        yield ours, theirs
        for connection in (ours, theirs):
            connection.execute("DROP TABLE many")


def fetched(connection: Connection, code: int) -> list[list[bytes | None]]:
    result = connection.pgconn.exec_params(QUERY.encode(), [], result_format=code)
    assert result.status == pq.ExecStatus.TUPLES_OK, result.error_message
    columns = range(result.nfields)
    return [[result.get_value(row, column) for column in columns] for row in range(result.ntuples)]


@pytest.mark.parametrize("code", [0, 1])
def test_rows_are_those_of_postgresql(both: tuple[Connection, Connection], code: int) -> None:
    ours, theirs = (fetched(connection, code) for connection in both)
    assert len(ours) == ROWS
    assert ours == theirs


@pytest.mark.parametrize(
    "options",
    [
        "",
        "(DELIMITER '|')",
        "(DELIMITER ' ', NULL 'none')",
        "(FORMAT csv)",
        "(FORMAT csv, QUOTE '''', DELIMITER '|')",
        "(FORMAT binary)",
    ],
)
def test_copied_rows_are_those_of_postgresql(
    both: tuple[Connection, Connection], options: str
) -> None:
    def copied(connection: Connection) -> list[bytes]:
        statement = f"COPY ({QUERY}) TO STDOUT {options}"
        with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
            return [bytes(message) for message in copy]

    ours, theirs = (copied(connection) for connection in both)
    # A message for each row; PostgreSQL has the tail of the binary format in one of its own too.
    assert b"".join(ours) == b"".join(theirs)
    assert len(ours) == len(theirs)


def test_the_first_rows_come_before_the_last_are_computed(
    both: tuple[Connection, Connection],
) -> None:
    ours, _ = both
    with ours.cursor() as cursor:
        began = time.perf_counter()
        rows = cursor.stream("SELECT a.n, b.s FROM many AS a, many AS b")
        next(rows)
        assert time.perf_counter() - began < 5  # All 400 million take minutes.
        # By now the server waits for the client to read.
        ours.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled):
            for _ in rows:
                pass
    assert ours.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("expression", "sqlstate"),
    [
        ("1 / (n - 19000)", "22012"),
        ("n::smallint + (2 * n - 6000)::smallint", "22003"),
        ("CASE WHEN n > 19000 THEN (n || 'x')::int END", "22P02"),
    ],
)
def test_an_error_after_the_first_rows_is_told(
    both: tuple[Connection, Connection], expression: str, sqlstate: str
) -> None:
    for connection in both:
        with connection.cursor() as cursor:
            rows = cursor.stream(f"SELECT {expression}, n FROM many".encode())
            with pytest.raises(psycopg.Error) as caught:
                for _ in rows:
                    pass
        assert caught.value.sqlstate == sqlstate
