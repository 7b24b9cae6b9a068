"""Clients that are slow on purpose: nobody else waits for them, and they are not waited for for ever."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.rawwire import CANCEL_REQUEST, RawWire, kinds, sqlstates
from tests.support.resources import Resources
from tests.support.server import Address, ServerProcess, running_server
from tests.support.wire_client import eventually

SLOW_CLIENTS = 200
#: How long one statement of an ordinary client may take beside them.
PATIENCE_S = 2.0
ENDLESS = "SELECT g, repeat('x', 1000) FROM generate_series(1, 3000000) AS g"


@pytest.fixture(scope="module")
def slow_server() -> Iterator[ServerProcess]:
    with running_server() as server:
        yield server


def assert_answers(address: Address) -> None:
    """A new client and its first statement take no longer than they should."""
    began = time.monotonic()
    with RawWire(address) as wire:
        wire.query("SELECT 1")
        assert kinds(wire.until_ready()) == "TDCZ"
    assert time.monotonic() - began < PATIENCE_S


def trickle(wires: list[RawWire], data: bytes, pause_s: float) -> None:
    """Send the same bytes to all, one byte at a time."""
    for byte in data:
        for wire in wires:
            wire.send_raw(bytes([byte]))
        time.sleep(pause_s)


def test_clients_that_say_nothing_keep_nobody_waiting(slow_server: ServerProcess) -> None:
    address = slow_server.address
    before = Resources.of(slow_server.process.pid)
    with contextlib.ExitStack() as stack:
        for _ in range(SLOW_CLIENTS):
            stack.enter_context(RawWire(address, starts=False))
        assert_answers(address)
    assert eventually(lambda: Resources.of(slow_server.process.pid).has_no_more_than(before), 10)


def test_clients_that_send_byte_by_byte_keep_nobody_waiting(slow_server: ServerProcess) -> None:
    address = slow_server.address
    before = Resources.of(slow_server.process.pid)
    query = b"Q" + struct.pack("!i", 13) + b"SELECT 1\0"
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(RawWire(address)) for _ in range(SLOW_CLIENTS)]
        trickle(wires, query[:-1], 0.02)
        assert_answers(address)
        trickle(wires, query[-1:], 0)
        for wire in wires:
            assert kinds(wire.until_ready()) == "TDCZ"
    assert eventually(lambda: Resources.of(slow_server.process.pid).has_no_more_than(before), 10)


def test_a_startup_that_trickles_is_given_up(tmp_path: Path) -> None:
    config = tmp_path / "tidegate.toml"
    config.write_text('authentication_timeout = "1s"\n')
    with running_server(None, "--config", str(config)) as server:
        with RawWire(server.address, starts=False) as wire:
            began = time.monotonic()
            with contextlib.suppress(OSError):
                trickle([wire], struct.pack("!ii", 1000, 196608) + b"user\0root\0" * 9, 0.05)
            wire.until_closed()
            assert time.monotonic() - began < 6
        assert_answers(server.address)


def start_endless(address: Address) -> RawWire:
    """A client that asks for gigabytes and reads the first message."""
    wire = RawWire(address)
    wire.query(ENDLESS)
    assert wire.receive().kind == "T"
    return wire


def test_a_client_that_does_not_read_keeps_nobody_waiting(slow_server: ServerProcess) -> None:
    address = slow_server.address
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(start_endless(address)) for _ in range(5)]
        time.sleep(1)
        with RawWire(address) as other:
            for sql in ("CREATE TABLE beside (a int)", "INSERT INTO beside VALUES (1)"):
                other.query(sql)
                assert sqlstates(other.until_ready()) == []
        assert_answers(address)
        for wire in wires:
            wire.reset()


def test_a_client_that_does_not_read_is_cancelled_when_it_reads(
    slow_server: ServerProcess,
) -> None:
    address = slow_server.address
    with start_endless(address) as wire:
        key = next(m.body for m in wire.startup if m.kind == "K")
        time.sleep(0.5)
        with RawWire(address, starts=False) as other:
            other.send_raw(struct.pack("!ii", 16, CANCEL_REQUEST) + key)
            assert other.until_closed() == []
        message = wire.receive()
        while message.kind == "D":
            message = wire.receive()
        assert message.fields["C"] == "57014"
        assert wire.receive().kind == "Z"
        wire.query("SELECT 1")
        assert kinds(wire.until_ready()) == "TDCZ"


def test_a_client_that_does_not_read_can_be_terminated(slow_server: ServerProcess) -> None:
    address = slow_server.address
    before = Resources.of(slow_server.process.pid)
    with RawWire(address) as other:
        other.query("CREATE DATABASE unread")
        assert sqlstates(other.until_ready()) == []
        with start_endless(address.of_database("unread")):
            time.sleep(0.5)
            other.query("DROP DATABASE unread WITH (FORCE)")
            assert sqlstates(other.until_ready()) == []
    assert eventually(lambda: Resources.of(slow_server.process.pid).has_no_more_than(before), 8)


def test_a_server_stops_beside_clients_that_do_not_read(launch: Launch) -> None:
    server = launch(None)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(start_endless(server.address))
        for _ in range(20):
            stack.enter_context(RawWire(server.address, starts=False))
            wire = stack.enter_context(RawWire(server.address))
            wire.send_raw(b"Q\0\0")
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 8


def test_the_time_limit_of_a_statement_is_that_of_all_its_rows(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("SET statement_timeout = '500ms'")
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            for _ in connection.cursor().stream("SELECT generate_series(1, 10000000000)"):
                pass


def test_each_execute_of_a_portal_has_the_whole_time(database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("SET statement_timeout = '500ms'")
        wire.until_ready()
        wire.parse("SELECT generate_series(1, 100000)")
        wire.bind()
        for _ in range(3):
            wire.execute(1)
            wire.send("H")
            time.sleep(0.3)
        wire.sync()
        assert kinds(wire.until_ready()) == "12DsDsDsZ"
