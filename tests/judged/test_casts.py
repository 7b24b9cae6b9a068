"""What becomes what, and what several values are together, is what PostgreSQL says of each pair."""

from __future__ import annotations

from itertools import product

import pytest
from psycopg import pq

from tests.support.server import Address, Connection

TYPES = (
    *("bool", "int4", "int8", "float8", "numeric", "numeric(6,2)", "text", "varchar(3)"),
    *("char(3)", '"char"', "name", "bytea", "date", "time", "timestamp", "timestamptz", "json"),
    *("jsonb", "oid", "xid", "int4[]", "text[]", "mood", "pos", "pair", "mood[]"),
)
PAIRS = (
    "SELECT {a}::{to} FROM t",
    "INSERT INTO t ({b}) SELECT {a} FROM t",
    "SELECT CASE WHEN true THEN {a} ELSE {b} END FROM t",
    "SELECT {a} FROM t UNION ALL SELECT {b} FROM t",
    "SELECT {a} || {b} FROM t",
)
SINGLE = (
    "SELECT 1 FROM t ORDER BY {a}",
    "SELECT {a} FROM t GROUP BY 1",
    "SELECT DISTINCT {a} FROM t",
    "SELECT sum({a}) FROM t",
    "SELECT avg({a}) FROM t",
)


def column(name: str) -> str:
    return "c_" + "".join(c if c.isalnum() else "_" for c in name)


def questions() -> list[str]:
    pairs = [
        question.format(a=column(a), b=column(b), to=b)
        for question in PAIRS
        for a, b in product(TYPES, TYPES)
    ]
    return pairs + [q.format(a=column(a)) for q in SINGLE for a in TYPES]


def answers(connection: Connection) -> dict[str, tuple[object, ...]]:
    """Return of each question the type and modifier of its column, or its error."""
    connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    connection.execute("CREATE DOMAIN pos AS int CHECK (VALUE > 0)")
    connection.execute("CREATE TYPE pair AS (a int, b text)")
    columns = ", ".join(f"{column(name)} {name}" for name in TYPES)
    connection.execute(f"CREATE TABLE t ({columns})")
    names: dict[int, str] = dict(
        connection.execute("SELECT oid::int8, typname FROM pg_type").fetchall()
    )
    found: dict[str, tuple[object, ...]] = {}
    for question in questions():
        prepared = connection.pgconn.prepare(b"", question.encode())
        if prepared.status != pq.ExecStatus.COMMAND_OK:
            state = prepared.error_field(pq.DiagnosticField.SQLSTATE)
            message = prepared.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)
            found[question] = ((state or b"").decode(), (message or b"").decode())
            continue
        described = connection.pgconn.describe_prepared(b"")
        found[question] = tuple(
            (names[described.ftype(n)], described.fmod(n)) for n in range(described.nfields)
        )
    return found


@pytest.fixture
def sides(judge: Address, database: Address) -> tuple[dict[str, tuple[object, ...]], ...]:
    found = []
    for address in (judge, database):
        with address.connect() as connection:
            found.append(answers(connection))
    return tuple(found)


def test_each_pair_of_types_becomes_what_it_becomes_there(
    sides: tuple[dict[str, tuple[object, ...]], ...],
) -> None:
    theirs, ours = sides
    assert {key: (theirs[key], ours[key]) for key in theirs if ours[key] != theirs[key]} == {}
