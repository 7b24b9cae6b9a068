"""What sessions do to each other: ending, cancelling, notifying; and what they are told of it."""

from __future__ import annotations

import socket
import threading
import time

import psycopg
import pytest

from tests.support.rawwire import RawWire, kinds
from tests.support.server import Address, Connection

#: Long enough for a busy machine, and far below what a statement would take by itself.
SOON_S = 5


def _process_id(connection: Connection) -> int:
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def test_an_idle_session_is_told_that_its_database_is_dropped(server: Address) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE dropped_by_force")
        with RawWire(server.of_database("dropped_by_force")) as idle:
            admin.execute("DROP DATABASE dropped_by_force WITH (FORCE)")
            (told,) = idle.until_closed()
    assert (told.fields["S"], told.fields["C"]) == ("FATAL", "57P01")
    assert told.fields["M"] == "terminating connection due to administrator command"


@pytest.mark.parametrize("work", ["SELECT 1", "SELECT pg_sleep(60)"])
def test_a_session_is_terminated_whether_it_works_or_not(server: Address, work: str) -> None:
    with server.connect() as admin, RawWire(server) as other:
        other.query("SELECT pg_backend_pid()")
        (row,) = (m for m in other.until_ready() if m.kind == "D")
        process_id = int(row.body[6:])
        other.query(work)
        if work == "SELECT 1":
            other.until_ready()
        else:
            _wait_until_active(admin, process_id)
        found = admin.execute("SELECT pg_terminate_backend(%s, 5000)", (process_id,)).fetchone()
        assert found == (True,)
        told = other.until_closed()[-1]
        assert (told.fields["S"], told.fields["C"]) == ("FATAL", "57P01")
        left = admin.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", (process_id,))
        assert left.fetchone() == (0,)


def _wait_until_active(admin: Connection, process_id: int) -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND query LIKE '%%pg_sleep%%'"
    until = time.monotonic() + SOON_S
    while admin.execute(query, (process_id,)).fetchone() != (1,):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_statement_is_cancelled_by_its_sessions_number(server: Address) -> None:
    with server.connect() as admin, server.connect() as other:
        process_id = _process_id(other)
        errors: list[Exception] = []

        def sleep() -> None:
            try:
                other.execute("SELECT pg_sleep(60)")
            except psycopg.Error as e:
                errors.append(e)

        thread = threading.Thread(target=sleep)
        thread.start()
        _wait_until_active(admin, process_id)
        assert admin.execute("SELECT pg_cancel_backend(%s)", (process_id,)).fetchone() == (True,)
        thread.join(SOON_S)
        assert [type(e) for e in errors] == [psycopg.errors.QueryCanceled]
        assert other.execute("SELECT 1").fetchone() == (1,)


def test_nobody_is_no_backend(server: Address) -> None:
    with server.connect() as admin:
        notices: list[str] = []
        admin.add_notice_handler(lambda d: notices.append(f"{d.severity}: {d.message_primary}"))
        query = "SELECT pg_cancel_backend(999999), pg_terminate_backend(999999)"
        assert admin.execute(query).fetchone() == (False, False)
        assert notices == ["WARNING: PID 999999 is not a PostgreSQL backend process"] * 2


def test_the_activity_of_sessions_is_listed(server: Address) -> None:
    query = (
        "SELECT state, query, backend_start <= query_start, xact_start IS NULL, query_start <= "
        "state_change FROM pg_stat_activity WHERE pid = %s"
    )
    with server.connect() as admin, server.connect() as other:
        process_id = _process_id(other)
        other.execute("SELECT 5")
        assert admin.execute(query, (process_id,)).fetchone() == (
            *("idle", "SELECT 5", True, True, True),
        )
        other.execute("BEGIN")
        other.execute("SELECT 6")
        assert admin.execute(query, (process_id,)).fetchone() == (
            *("idle in transaction", "SELECT 6", True, False, True),
        )
        with pytest.raises(psycopg.errors.UndefinedColumn):
            other.execute("SELECT nothing")
        found = admin.execute(query, (process_id,)).fetchone()
        assert found is not None
        assert found[0] == "idle in transaction (aborted)"
        mine = admin.execute("SELECT state FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        assert mine.fetchone() == ("active",)


def test_a_notification_does_not_wait_for_a_message_that_is_half_sent(server: Address) -> None:
    with RawWire(server) as listener, server.connect() as other:
        listener.query("LISTEN news")
        listener.until_ready()
        whole = b"Q" + (4 + 9).to_bytes(4, "big") + b"SELECT 1\0"
        listener.send_raw(whole[:7])
        other.execute("NOTIFY news, 'x'")
        told = listener.receive()
        assert (told.kind, told.body[4:]) == ("A", b"news\0x\0")
        listener.send_raw(whole[7:])
        assert kinds(listener.until_ready()) == "TDCZ"


def test_no_notification_stands_in_the_middle_of_an_answer(server: Address) -> None:
    """Several sessions notify all the time while one reads long answers."""
    is_over = threading.Event()

    def notify() -> None:
        with server.connect() as other:
            while not is_over.is_set():
                other.execute("NOTIFY noise, 'x'")

    threads = [threading.Thread(target=notify) for _ in range(3)]
    with RawWire(server) as listener:
        listener.query("LISTEN noise")
        listener.until_ready()
        for thread in threads:
            thread.start()
        heard = 0
        for _ in range(30):
            listener.query("SELECT g FROM generate_series(1, 5000) AS g; SELECT 1")
            answer = kinds(listener.until_ready())
            heard += answer.count("A")
            assert answer.lstrip("A").rstrip("Z").rstrip("A") == "T" + "D" * 5000 + "CTDC"
        is_over.set()
        for thread in threads:
            thread.join(SOON_S)
    assert heard > 0


def test_notifications_are_of_one_database(server: Address) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE elsewhere")
        with server.of_database("elsewhere").connect() as other, server.connect() as listener:
            listener.execute("LISTEN news")
            other.execute("NOTIFY news, 'from elsewhere'")
            admin.execute("NOTIFY news, 'from here'")
            told = [n.payload for n in listener.notifies(timeout=SOON_S, stop_after=1)]
        admin.execute("DROP DATABASE elsewhere WITH (FORCE)")
    assert told == ["from here"]


def test_who_does_not_read_keeps_nobody_from_notifying(server: Address) -> None:
    with RawWire(server) as deaf, server.connect() as hearing, server.connect() as other:
        deaf._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.query("LISTEN load")
        deaf.until_ready()
        hearing.execute("LISTEN load")
        began = time.monotonic()
        # Some 8 MB, far more than sockets hold.
        query = (
            "SELECT pg_notify('load', g::text || repeat('x', 7900)) FROM generate_series(1, 1000) g"
        )
        other.execute(query)
        assert time.monotonic() - began < SOON_S
        assert len(list(hearing.notifies(timeout=SOON_S, stop_after=1000))) == 1000
        assert other.execute("SELECT pg_notification_queue_usage() < 1").fetchone() == (True,)


@pytest.mark.parametrize(
    ("setting", "before", "sqlstate"),
    [
        ("idle_session_timeout", "SELECT 1", "57P05"),
        ("idle_in_transaction_session_timeout", "BEGIN", "25P03"),
    ],
)
def test_many_idle_clients_are_ended_in_time(
    server: Address, setting: str, before: str, sqlstate: str
) -> None:
    wires = [RawWire(server) for _ in range(20)]
    for wire in wires:
        wire.query(f"SET {setting} = '300ms'; {before}")
        wire.until_ready()
    for wire in wires:
        (told,) = wire.until_closed()
        assert (told.fields["S"], told.fields["C"]) == ("FATAL", sqlstate)
        wire.__exit__()


def test_a_client_that_talks_is_not_idle(server: Address) -> None:
    with server.connect() as client:
        client.execute("SET idle_session_timeout = '1200ms'")
        client.execute("SET idle_in_transaction_session_timeout = '1200ms'")
        client.execute("SELECT pg_sleep(1.6)")
        for _ in range(16):
            time.sleep(0.1)
            client.execute("SELECT 1")
        client.execute("BEGIN")
        client.execute("SELECT pg_sleep(1.6)")
        client.execute("COMMIT")


def test_holding_a_lock_outlives_nobody(server: Address) -> None:
    """A client that vanishes without a word gives its locks back."""
    with RawWire(server) as holder, server.connect() as other:
        holder.query("SELECT pg_advisory_lock(4711)")
        holder.until_ready()
        assert other.execute("SELECT pg_try_advisory_lock(4711)").fetchone() == (False,)
        holder._socket.close()
        other.execute("SET lock_timeout = '5s'")
        other.execute("SELECT pg_advisory_lock(4711)")
        assert other.execute("SELECT pg_advisory_unlock(4711)").fetchone() == (True,)


def test_where_the_data_is_is_told_to_those_alone_who_may_see_all_settings(
    connection: Connection,
) -> None:
    connection.execute("SET SESSION search_path = public")
    assert connection.execute("SHOW data_directory").fetchone() == ("",)
    assert connection.execute("SELECT current_setting('max_connections')::int > 0").fetchone() == (
        True,
    )
    connection.execute("CREATE ROLE curious")
    connection.execute("SET ROLE curious")
    asked = ("SHOW data_directory", "SELECT current_setting('data_directory')")
    for statement in asked:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="pg_read_all_settings"):
            connection.execute(statement.encode())
    listed = "SELECT count(*) FROM pg_settings WHERE name = 'data_directory'"
    assert connection.execute(listed.encode()).fetchone() == (0,)
    connection.execute("RESET ROLE")
    connection.execute("GRANT pg_read_all_settings TO curious")
    connection.execute("SET ROLE curious")
    assert connection.execute("SHOW data_directory").fetchone() == ("",)
    connection.execute("RESET ROLE")
    connection.execute("DROP ROLE curious")
