"""COPY by psycopg, and what tables hold after it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.support.server import Connection


def copy_in(connection: Connection, sql: str, data: bytes | str) -> str | None:
    with connection.cursor() as cursor:
        with cursor.copy(sql.encode()) as copy:
            copy.write(data)
        return cursor.statusmessage


def copy_out(connection: Connection, sql: str) -> bytes:
    with connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
        return b"".join(bytes(piece) for piece in copy)


def refused(connection: Connection, sql: str, data: bytes | str) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as caught:
        copy_in(connection, sql, data)
    return caught.value


def values(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql.encode()).fetchall()
