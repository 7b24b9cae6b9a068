"""COPY as a dialogue: its messages, its ends, and what it is to transactions and the pause."""

from __future__ import annotations

import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.copying import copy_in, copy_out, refused, values
from tests.support.rawwire import RawWire, kinds, sqlstates, tags
from tests.support.server import Address, Connection


@pytest.fixture
def two(connection: Connection) -> Connection:
    """A table of two columns."""
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, v text)")
    return connection


# The messages.


def data(*pieces: bytes) -> bytes:
    return b"".join(b"d" + struct.pack("!i", len(piece) + 4) + piece for piece in pieces)


DONE = b"c" + struct.pack("!i", 4)


def test_data_may_be_cut_anywhere(two: Connection, database: Address) -> None:
    text = "1\té\n2\t\\N\n3\tline\\nend\n".encode()
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN")
        assert wire.receive().body == struct.pack("!bhhh", 0, 2, 0, 0)
        wire.send_raw(data(*(text[i : i + 1] for i in range(len(text)))) + DONE)
        assert tags(wire.until_ready()) == ["COPY 3"]
    assert values(two, "SELECT v FROM t ORDER BY k") == [("é",), (None,), ("line\nend",)]


def test_the_extended_protocol_ignores_sync_while_it_copies(
    two: Connection, database: Address
) -> None:
    with RawWire(database) as wire:
        wire.parse("COPY t FROM STDIN")
        wire.bind()
        wire.describe("P")
        wire.execute()
        wire.sync()
        wire.send("H")
        wire.send_raw(data(b"1\ta\n") + DONE)
        wire.sync()
        messages = wire.until_ready()
        assert (kinds(messages), tags(messages)) == ("12nGCZ", ["COPY 1"])
        wire.parse("COPY t TO STDOUT")
        wire.bind()
        wire.execute()
        wire.sync()
        assert kinds(wire.until_ready()) == "12HdcCZ"
    assert values(two, "SELECT * FROM t") == [(1, "a")]


def test_after_an_error_the_rest_is_skipped(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN; SELECT 1")
        wire.send_raw(data(b"x\ta\n" * 300_000, b"1\ta\n") + DONE)
        messages = wire.until_ready()
        assert (kinds(messages), sqlstates(messages)) == ("GEZ", ["22P02"])
        wire.parse("COPY t FROM STDIN")
        wire.bind()
        wire.execute()
        wire.send_raw(data(b"x\ta\n" * 300_000))
        wire.parse("SELECT 1")
        wire.send_raw(data(b"1\ta\n") + DONE)
        wire.sync()
        messages = wire.until_ready()
        assert (kinds(messages), sqlstates(messages)) == ("12GEZ", ["22P02"])
        wire.query("SELECT count(*) FROM t")
        assert kinds(wire.until_ready()) == "TDCZ"


def test_several_copies_in_one_string(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN; COPY t FROM STDIN; COPY t TO STDOUT; SELECT 1")
        assert wire.receive().kind == "G"
        wire.send_raw(data(b"1\ta\n") + DONE)
        assert [wire.receive().kind for _ in "CG"] == ["C", "G"]
        wire.send_raw(data(b"2\tb\n") + DONE)
        messages = wire.until_ready()
        assert kinds(messages) == "CHddcCTDCZ"
        assert tags(messages) == ["COPY 1", "COPY 2", "SELECT 1"]


def test_copyfail_ends_it(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN")
        wire.send_raw(data(b"1\ta\n"))
        wire.send("f", b"changed my mind\0")
        messages = wire.until_ready()
        assert messages[1].fields["M"] == "COPY from stdin failed: changed my mind"
        assert sqlstates(messages) == ["57014"]
    assert values(two, "SELECT * FROM t") == []


def test_a_client_that_vanishes_leaves_nothing(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN")
        assert wire.receive().kind == "G"
        wire.send_raw(data(b"".join(b"%d\ta\n" % i for i in range(300_000))))
    deadline = time.monotonic() + 10
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    while values(two, query) != [(1,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert values(two, "SELECT * FROM t") == []


def test_a_client_that_is_killed_leaves_nothing(
    database: Address, tmp_path: Path, launch: Any
) -> None:
    """Killed while its data flow: the server is as if it had never come."""
    server = launch(tmp_path / "data")
    threads = Path(f"/proc/{server.process.pid}/task")
    script = (
        "import psycopg, sys\n"
        "with psycopg.connect(sys.argv[1]) as c, c.cursor() as k, k.copy('COPY b FROM STDIN') as w:\n"
        "    while True: w.write('1\\tsome text that is copied\\n' * 20000); print('x', flush=True)\n"
    )
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE b (k int, v text)")
        before = len(list(threads.iterdir()))
        command = [sys.executable, "-c", script, server.address.url]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
            assert client.stdout is not None
            for _ in range(20):
                client.stdout.readline()
            client.kill()
        deadline = time.monotonic() + 20
        while len(list(threads.iterdir())) > before or list(tmp_path.glob("data/*.pieces/*")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert values(connection, "SELECT count(*) FROM b") == [(0,)]
        assert values(connection, "SELECT count(*) FROM pg_stat_activity") == [(1,)]


def test_a_time_limit_ends_it(two: Connection, database: Address) -> None:
    """As in PostgreSQL, it is noticed when the next data come."""
    with RawWire(database) as wire:
        wire.query("SET statement_timeout = 400")
        wire.until_ready()
        wire.query("COPY t FROM STDIN")
        assert wire.receive().kind == "G"
        time.sleep(0.6)
        wire.send_raw(data(b"1\ta\n") + DONE)
        assert sqlstates(wire.until_ready()) == ["57014"]
        wire.query("SELECT count(*) FROM t")
        assert kinds(wire.until_ready()) == "TDCZ"


def test_a_client_that_stops_sending_holds_nobody_up(two: Connection, database: Address) -> None:
    with RawWire(database) as slow, RawWire(database) as slower:
        for wire in (slow, slower):
            wire.query("COPY t FROM STDIN")
            assert wire.receive().kind == "G"
            wire.send_raw(data(b"".join(b"%d\ta\n" % i for i in range(100_000))))
            wire.send_raw(data(b"x")[:-1])
        started = time.monotonic()
        two.execute("CREATE MATERIALIZED VIEW w AS SELECT count(*) AS n FROM t")
        assert copy_in(two, "COPY t FROM STDIN", "-1\tb\n" + "-2\tc\n" * 100_000) == "COPY 100001"
        assert values(two, "SELECT n FROM w") == [(2,)]
        assert time.monotonic() - started < 10


def test_cancel_ends_it(two: Connection, database: Address) -> None:
    with database.connect() as other:

        def write_until_canceled() -> None:
            with other.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as copy:
                copy.write("1\ta\n")
                other.cancel()
                deadline = time.monotonic() + 10
                while time.monotonic() < deadline:
                    copy.write("2\tb\n" * 1000)

        with pytest.raises(psycopg.errors.QueryCanceled):
            write_until_canceled()
        assert values(other, "SELECT * FROM t") == []


# Transactions and the pause.


def test_in_a_transaction_it_is_part_of_it(two: Connection, database: Address) -> None:
    two.execute("CREATE TABLE free (a text)")
    with database.connect(autocommit=False) as other:
        copy_in(other, "COPY t FROM STDIN", "1\ta\n2\tb\n")
        copy_in(other, "COPY t FROM STDIN CSV", '2,"c"\n')
        copy_in(other, "COPY free FROM STDIN", "x\nx\n")
        assert copy_out(other, "COPY (SELECT * FROM t ORDER BY k) TO STDOUT") == b"1\ta\n2\tc\n"
        assert values(two, "SELECT * FROM t") == []
        other.rollback()
        assert values(other, "SELECT * FROM t") == []
        copy_in(other, "COPY t FROM STDIN", "3\tc\n")
        other.execute("SAVEPOINT s")
        assert refused(other, "COPY t FROM STDIN", "4\td\nx\te\n").sqlstate == "22P02"
        other.execute("ROLLBACK TO SAVEPOINT s")
        copy_in(other, "COPY free FROM STDIN", "y\n")
        other.commit()
    assert values(two, "SELECT * FROM t") == [(3, "c")]
    assert values(two, "SELECT * FROM free") == [("y",)]


def test_a_read_only_transaction_takes_none(two: Connection) -> None:
    two.execute("BEGIN READ ONLY")
    assert refused(two, "COPY t FROM STDIN", "1\ta\n").sqlstate == "25006"
    two.execute("ROLLBACK")


def test_without_flush_it_does_not_wait(two: Connection) -> None:
    two.execute("SET implicit_flush = off")
    copy_in(two, "COPY t FROM STDIN", "1\ta\n")
    two.execute("FLUSH")
    assert values(two, "SELECT * FROM t") == [(1, "a")]


def test_it_waits_before_and_behind_the_data(two: Connection, database: Address) -> None:
    with RawWire(database) as early, RawWire(database) as late:
        late.query("COPY t FROM STDIN")
        assert late.receive().kind == "G"
        late.send_raw(data(b"1\tlate\n"))
        two.execute(f"ALTER DATABASE {database.database} PAUSE")
        early.query("COPY t FROM STDIN")
        assert early.receive().kind == "N"
        late.send_raw(DONE)
        assert late.receive().kind == "N"
        assert values(two, "SELECT * FROM t") == []
        two.execute("SET paused_dml = 'error'")
        assert refused(two, "COPY t FROM STDIN", "3\tc\n").sqlstate == "55000"
        two.execute(f"ALTER DATABASE {database.database} RESUME")
        assert tags(late.until_ready()) == ["COPY 1"]
        assert early.receive().kind == "G"
        early.send_raw(data(b"2\tearly\n") + DONE)
        assert tags(early.until_ready()) == ["COPY 1"]
    assert values(two, "SELECT * FROM t ORDER BY k") == [(1, "late"), (2, "early")]


@pytest.mark.slow
def test_a_million_rows_need_no_memory_of_their_own(two: Connection, launch: Any) -> None:
    """The rows are stored by the engine; what Python holds does not grow with them."""
    server = launch(None)
    piece = "".join(
        f"{i}\t{i % 97}\t{i / 8}\tword {i % 1009}\t2024-01-05 12:00:00\n" for i in range(10_000)
    )

    def resident_mb() -> float:
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    with server.address.connect() as connection:
        connection.execute("CREATE TABLE b (i bigint, k int, v float8, s text, at timestamp)")
        copy_in(connection, "COPY b FROM STDIN", piece)
        before = resident_mb()
        with connection.cursor() as cursor:
            with cursor.copy("COPY b FROM STDIN") as copy:
                for _ in range(100):
                    copy.write(piece)
            assert cursor.statusmessage == "COPY 1000000"
            size = 0
            with cursor.copy("COPY b TO STDOUT") as copy:
                for line in copy:
                    size += len(line)
        assert size > 101 * len(piece) * 0.9
        assert resident_mb() - before < 700
