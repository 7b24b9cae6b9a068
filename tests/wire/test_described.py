"""What is known of a statement before it runs, asked of us and of a PostgreSQL."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from tests.support.server import Address
from tests.support.wire_client import WireClient, fields

_SCRIPTS: Final = sorted((Path(__file__).parent / "described").glob("*.sql"))

_TABLES: Final = (
    """CREATE TABLE t (id int PRIMARY KEY, i2 int2, i8 int8, f4 float4, f8 float8, n numeric(10,2),
    s text, v varchar(10), b bool, by bytea, d date, tm time, ts timestamp, tz timestamptz,
    iv interval, u uuid, j json, jb jsonb, ia int[], ta text[])""",
    "CREATE TABLE u (a text, b varchar(20))",
    "PREPARE prepared_one AS SELECT 1 AS a",
)

#: Name, whether it is a relation's, number there, type, its length, modifier, format.
Column: TypeAlias = tuple[str, bool, int, int, int, int, int]

#: SQLSTATE, or the parameters' types and the columns, None for no rows.
Answer: TypeAlias = str | tuple[tuple[int, ...], tuple[Column, ...] | None]


def statements(script: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The statements of a script and the types declared for their parameters, ``[23, 0] SELECT``."""
    for line in script.read_text().splitlines():
        match = re.match(r"\[([\d, ]+)\] ", line)
        if match:
            yield line[match.end() :], tuple(int(oid) for oid in match[1].split(","))
        else:
            yield line, ()


def described(client: WireClient, sql: str, oids: tuple[int, ...]) -> Answer:
    """Parse and describe a statement in a transaction that is undone."""
    messages = client.parse(sql, oids=oids).describe("S").sync().until_ready()
    parameters: tuple[int, ...] = ()
    columns: tuple[Column, ...] | None = None
    for kind, body in messages:
        match kind:
            case "E":
                return fields(body)["C"]
            case "t":
                parameters = struct.unpack_from(f"!{(len(body) - 2) // 4}I", body, 2)
            case "T":
                columns = _columns(body)
            case _:
                pass
    return parameters, columns


def _columns(body: bytes) -> tuple[Column, ...]:
    (count,) = struct.unpack_from("!h", body)
    at, columns = 2, list[Column]()
    for _ in range(count):
        end = body.index(b"\0", at)
        table, number, oid, length, modifier, form = struct.unpack_from("!IhIhih", body, end + 1)
        columns.append((body[at:end].decode(), table != 0, number, oid, length, modifier, form))
        at = end + 19
    return tuple(columns)


def _client(address: Address) -> WireClient:
    client = WireClient((address.host, address.port), user=address.user, database=address.database)
    for sql in _TABLES:
        assert "E" not in [kind for kind, _ in client.ask(sql)], sql
    return client


@pytest.fixture(scope="module")
def judge(postgresql: Address) -> Iterator[WireClient]:
    with postgresql.connect() as connection:
        connection.execute("CREATE DATABASE described")
    with _client(postgresql.of_database("described")) as client:
        yield client
    with postgresql.connect() as connection:
        connection.execute("DROP DATABASE described WITH (FORCE)")


@pytest.mark.parametrize("script", _SCRIPTS, ids=lambda path: path.stem)
def test_a_statement_is_described_as_by_postgresql(
    script: Path, database: Address, judge: WireClient
) -> None:
    with _client(database) as client:
        differences = [
            f"{sql} {list(oids) or ''}\n  PostgreSQL {theirs}\n  Tidegate   {ours}"
            for sql, oids in statements(script)
            if (ours := described(client, sql, oids)) != (theirs := described(judge, sql, oids))
        ]
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences)
