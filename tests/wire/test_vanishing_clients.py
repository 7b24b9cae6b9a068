"""Clients that die in the middle of something: nothing of it is left, and nobody else notices."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from tests.support.rawwire import RawWire, kinds, sqlstates
from tests.support.resources import Resources
from tests.support.server import Address, ServerProcess, running_server
from tests.support.wire_client import eventually

REPETITIONS: Final = 4
#: What allocators may keep of so many deaths.
MEMORY_MB_MAX: Final = 400

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def mortal_server() -> Iterator[ServerProcess]:
    with running_server() as server:
        yield server


def ask(wire: RawWire, sql: str) -> str:
    """Run a string of statements without error; return the last value of its last row."""
    wire.query(sql)
    messages = wire.until_ready()
    assert sqlstates(messages) == [], sql
    rows = [m.body for m in messages if m.kind == "D"]
    return rows[-1][6:].decode() if rows else ""


def in_copy(wire: RawWire) -> None:
    wire.query("COPY dying FROM STDIN")
    assert wire.receive().kind == "G"
    for start in range(1000, 6000, 1000):
        rows = "".join(f"{start + i}\tx\n" for i in range(1000))
        wire.send("d", rows.encode())
    wire.send_raw(b"d\0\0\xff\xff7000\tcut off")
    time.sleep(0.05)


def in_copy_of_a_block(wire: RawWire) -> None:
    ask(wire, "BEGIN; INSERT INTO dying VALUES (2, 'before')")
    in_copy(wire)


def in_result(wire: RawWire) -> None:
    wire.query("SELECT g, repeat('x', 1000) FROM generate_series(1, 2000000) AS g")
    for _ in range(100):
        wire.receive()


def in_long_computation(wire: RawWire) -> None:
    wire.query("SELECT count(*) FROM generate_series(1, 200000) a, generate_series(1, 200000) b")
    time.sleep(0.3)


def in_block(wire: RawWire) -> None:
    ask(wire, "BEGIN; INSERT INTO dying VALUES (2, 'x'); UPDATE dying SET b = 'gone' WHERE a = 1")


def in_pipeline(wire: RawWire) -> None:
    for number in (3, 4, 5):
        wire.parse(f"INSERT INTO dying VALUES ({number}, 'x')")
        wire.bind()
        wire.execute()
    wire.send("H")
    for _ in range(9):
        wire.receive()


def in_portal(wire: RawWire) -> None:
    ask(wire, "BEGIN")
    wire.parse("SELECT g, repeat('x', 100) FROM generate_series(1, 1000000) AS g")
    wire.bind("p")
    wire.execute(10, "p")
    wire.send("S")
    wire.until_ready()


def in_cursor(wire: RawWire) -> None:
    ask(wire, "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT g FROM generate_series(1, 50000) AS g")
    ask(wire, "FETCH 10 FROM c")


def in_message(wire: RawWire) -> None:
    wire.send_raw(b"Q\0\0\1\0SELECT")


def in_copy_out(wire: RawWire) -> None:
    wire.query("COPY (SELECT g, repeat('x', 1000) FROM generate_series(1, 2000000) g) TO STDOUT")
    for _ in range(100):
        wire.receive()


DEATHS: Final = [
    in_copy,
    in_copy_of_a_block,
    in_result,
    in_long_computation,
    in_block,
    in_pipeline,
    in_portal,
    in_cursor,
    in_message,
    in_copy_out,
]


@contextlib.contextmanager
def witness(server: ServerProcess) -> Iterator[tuple[Address, RawWire]]:
    """A table in a database of its own and a session that watches it."""
    name = f"mortal_{next(_numbers)}"
    with RawWire(server.address) as root:
        ask(root, f"CREATE DATABASE {name}")
        address = server.address.of_database(name)
        with RawWire(address) as wire:
            ask(wire, "CREATE TABLE dying (a int PRIMARY KEY, b text)")
            ask(wire, "INSERT INTO dying VALUES (1, 'one')")
            yield address, wire
        ask(root, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("dies", DEATHS, ids=lambda dies: dies.__name__)
def test_nothing_is_left_of_a_client_that_dies(
    mortal_server: ServerProcess, dies: Callable[[RawWire], None]
) -> None:
    process_id = mortal_server.process.pid
    with witness(mortal_server) as (address, wire):
        first = RawWire(address)
        dies(first)
        first.reset()
        ask(wire, "SELECT count(*) FROM dying")
        time.sleep(0.3)
        before = Resources.of(process_id)
        for number in range(REPETITIONS):
            client = RawWire(address)
            dies(client)
            if number % 2:
                client.close()
            else:
                client.reset()
            assert ask(wire, "SELECT b FROM dying") == "one"
        assert eventually(lambda: Resources.of(process_id).has_no_more_than(before), 10)
        assert Resources.of(process_id).memory_mb - before.memory_mb < MEMORY_MB_MAX
        assert ask(wire, "SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL") == "2"
        # Its place in the table is free: nothing waits and nothing is locked.
        ask(wire, "INSERT INTO dying VALUES (2, 'after'), (3, 'after'), (4, 'after'), (5, 'after')")
        assert ask(wire, "SELECT count(*) FROM dying") == "5"
        wire.parse("SELECT 1")
        wire.bind()
        wire.execute()
        wire.sync()
        assert kinds(wire.until_ready()) == "12DCZ"
