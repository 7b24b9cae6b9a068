"""How a server reads and shows one value, on every way that there is into it and out of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import pq

#: So many rows are encoded by the engine, one is encoded by Python.
MANY: Final = 300


@dataclass(frozen=True)
class Answer:
    """What came back: a value with its type as described, or an error."""

    value: bytes | None = None
    type: tuple[int, int, int] = (0, 0, 0)
    sqlstate: str = ""
    message: str = ""


def ask(
    connection: psycopg.Connection[object],
    sql: str,
    parameter: bytes | None = None,
    *,
    binary_in: bool = False,
    binary_out: bool = False,
) -> Answer:
    """The first value of a query's first row."""
    result = connection.pgconn.exec_params(
        sql.encode(),
        None if parameter is None else [parameter],
        param_formats=None if parameter is None else [int(binary_in)],
        result_format=int(binary_out),
    )
    if result.status == pq.ExecStatus.FATAL_ERROR:
        state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        return Answer(sqlstate=state.decode(), message=message.decode())
    described = (result.ftype(0), result.fsize(0), result.fmod(0))
    return Answer(result.get_value(0, 0) if result.ntuples else None, described)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def answers(
    connection: psycopg.Connection[object], kind: str, text: str, image: bytes | None = None
) -> Iterator[tuple[str, Answer]]:
    """Every way of a text, and of its binary image if there is one, with what comes back."""
    literal = f"{quoted(text)}::{kind}"
    many = f"SELECT x FROM (SELECT {literal} AS x FROM generate_series(1, {MANY})) AS q"
    late = f"SELECT x::{kind} FROM (VALUES ({quoted(text)}), ('x' || 'y')) AS v(x) LIMIT 1"
    ways = {
        "constant": f"SELECT {literal}",
        "cast to text": f"SELECT ({literal})::text",
        "cast at run time": late,
        "many rows": many,
        "array": f"SELECT ARRAY[{literal}, NULL]",
    }
    for name, sql in ways.items():
        for binary in (False, True):
            yield f"{name}, binary {binary}", ask(connection, sql, binary_out=binary)
    given = f"SELECT $1::{kind}"
    for binary in (False, True):
        sent = text.encode()
        yield f"text in, binary {binary}", ask(connection, given, sent, binary_out=binary)
        if image is not None:
            answer = ask(connection, given, image, binary_in=True, binary_out=binary)
            yield f"binary in, binary {binary}", answer
