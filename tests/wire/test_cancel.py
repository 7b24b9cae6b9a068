"""A cancel takes effect at once, whatever the statement is doing; how soon, ``bench.cancel`` tells."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import pq

from tests.support.activity import until_runs
from tests.support.long_statements import LONG_STATEMENTS, make_table, nothing_is_left
from tests.support.rawwire import CANCEL_REQUEST, RawWire, sqlstates
from tests.support.server import Address, Connection
from tests.support.wire_client import eventually

#: By itself each of the statements would take minutes, or wait for ever.
LATENCY_S = 10


@pytest.fixture(scope="module")
def place(server: Address) -> Iterator[Address]:
    with server.connect() as connection:
        connection.execute("CREATE DATABASE test_cancel")
    address = server.of_database("test_cancel")
    with address.connect() as connection:
        make_table(connection)
    yield address
    with server.connect() as connection:
        connection.execute("DROP DATABASE test_cancel WITH (FORCE)")


def await_statement(place: Address, backend: int) -> None:
    """Return when the server is in the middle of the statement of this session.

    A cancel that came before the statement would have no effect.
    """
    with place.connect() as observer:
        until_runs(observer, backend)
    time.sleep(0.3)


def seconds_to_cancel(place: Address, connection: Connection, statement: str) -> float:
    """How long it takes from the request to the error; the session goes on afterwards."""
    connection.pgconn.send_query(statement.encode())
    await_statement(place, connection.pgconn.backend_pid)
    began = time.monotonic()
    connection.pgconn.get_cancel().cancel()
    results = []
    while (result := connection.pgconn.get_result()) is not None:
        results.append(result)
    passed = time.monotonic() - began
    last = results[-1]
    assert last.status == pq.ExecStatus.FATAL_ERROR, statement
    assert last.error_field(pq.DiagnosticField.SQLSTATE) == b"57014"
    assert connection.execute("SELECT 1").fetchone() == (1,)
    return passed


@pytest.mark.parametrize("statement", LONG_STATEMENTS)
def test_what_computes_ends_at_once(place: Address, statement: str) -> None:
    with place.connect() as connection:
        assert seconds_to_cancel(place, connection, statement) < LATENCY_S
        assert connection.execute("SELECT count(*) FROM n").fetchone() == (300_000,)
        assert eventually(lambda: nothing_is_left(connection))


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO n VALUES (-1, 'a')",
        "SET streaming_use_snapshot_backfill = off; CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM n",
    ],
)
def test_what_waits_for_resume_ends_at_once(place: Address, statement: str) -> None:
    with place.connect() as connection, place.connect() as other:
        other.execute("ALTER DATABASE test_cancel PAUSE")
        try:
            assert seconds_to_cancel(place, connection, statement) < LATENCY_S
            assert eventually(lambda: nothing_is_left(other))
        finally:
            other.execute("ALTER DATABASE test_cancel RESUME")
        assert other.execute("SELECT count(*) FROM n WHERE i < 0").fetchone() == (0,)


def cancel(address: Address, key: bytes) -> None:
    with socket.create_connection((address.host, address.port), timeout=10) as other:
        other.sendall(struct.pack("!ii", 16, CANCEL_REQUEST) + key)
        assert other.recv(1) == b""


def test_a_copy_that_finds_nothing_to_send_ends_at_once(place: Address) -> None:
    with RawWire(place) as wire:
        key = next(m.body for m in wire.startup if m.kind == "K")
        wire.query(f"COPY ({LONG_STATEMENTS[0]}) TO STDOUT")
        await_statement(place, int.from_bytes(key[:4]))
        cancel(place, key)
        assert sqlstates(wire.until_ready()) == ["57014"]


@pytest.mark.parametrize("sent", [b"", b"d\0\0\0\x08-2\tx", b"d\0\0\0\x09-2\tx\n", b"d\0\0"])
def test_a_copy_whose_client_keeps_silent_ends_at_once(place: Address, sent: bytes) -> None:
    """Also in the middle of a message, the rest of which comes when nobody wants it any more."""
    with RawWire(place) as wire:
        key = next(m.body for m in wire.startup if m.kind == "K")
        wire.query("COPY n FROM STDIN")
        assert wire.receive().kind == "G"
        wire.send_raw(sent)
        time.sleep(0.2)
        cancel(place, key)
        assert sqlstates(wire.until_ready()) == ["57014"]
        if sent:
            wire.send_raw((sent + b"\0\x08-2\tx\n")[len(sent) : 9] if len(sent) < 9 else b"")
        wire.send("d", b"-3\tx\n")
        wire.send("c")
        wire.query("SELECT count(*) FROM n WHERE i < 0")
        assert [m.kind for m in wire.until_ready()] == ["T", "D", "C", "Z"]


def test_a_copy_whose_client_keeps_silent_has_a_time_limit(place: Address) -> None:
    with RawWire(place) as wire:
        wire.query("SET statement_timeout = 300")
        wire.until_ready()
        wire.query("COPY n FROM STDIN")
        assert wire.receive().kind == "G"
        assert sqlstates(wire.until_ready()) == ["57014"]


@pytest.mark.parametrize(
    "statement", ["COPY (SELECT a.t FROM n a, n b) TO STDOUT", "SELECT a.t FROM n a, n b"]
)
def test_a_client_that_reads_late_gets_no_more_than_was_on_its_way(
    place: Address, statement: str
) -> None:
    with RawWire(place) as wire:
        key = next(m.body for m in wire.startup if m.kind == "K")
        wire.query(statement)
        await_statement(place, int.from_bytes(key[:4]))
        time.sleep(0.4)  # As much as it takes on its way is there.
        cancel(place, key)
        size, tail = 0, b""
        while not tail.endswith(b"Z\0\0\0\5I"):
            data = wire._socket.recv(1 << 20)
            assert data
            size += len(data)
            tail = (tail + data)[-1000:]
        assert b"C57014" in tail
        assert size < 64 * 1024 * 1024


def test_a_wrong_key_cancels_nothing(place: Address) -> None:
    with RawWire(place) as wire:
        key = next(m.body for m in wire.startup if m.kind == "K")
        wire.query("SELECT count(*) FROM n a, n b WHERE (a.i::bigint * b.i) % 7 = 3 AND a.i < 300")
        for wrong in (key[:4] + bytes(4), bytes(4) + key[4:], key[:7] + bytes([key[7] ^ 1])):
            cancel(place, wrong)
        assert [m.kind for m in wire.until_ready()] == ["T", "D", "C", "Z"]


def test_no_two_keys_are_alike(place: Address) -> None:
    keys = set()
    for _ in range(20):
        with RawWire(place) as wire:
            keys.add(next(m.body for m in wire.startup if m.kind == "K"))
    assert len(keys) == 20
    assert len({key[4:] for key in keys}) == 20


def test_a_late_cancel_does_not_hit_the_next_statement(place: Address) -> None:
    with place.connect() as connection:
        handle = connection.pgconn.get_cancel()
        connection.execute("SELECT 1")
        handle.cancel()
        time.sleep(0.1)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("SELECT 1/0")
