"""The protocol over a real socket, with a session that knows a few statements."""

from __future__ import annotations

import socket
import struct
import threading
import time

import psycopg
import pytest

from server.listener import Listener
from tests.support.fake_session import FakeSessions
from tests.support.wire_client import (
    CANCEL_REQUEST,
    WireClient,
    errors,
    eventually,
    fields,
    kinds,
    rows,
    tags,
)

# The simple protocol.


def test_several_statements_have_one_ready(client: WireClient, sessions: FakeSessions) -> None:
    assert kinds(client.ask("select a; set x = y; select b")) == "TDCCTDCSZ"
    assert sessions.opened[0].log == ["(begin)", "select a", "set x = y", "select b", "(end)"]


def test_an_error_ends_the_string(client: WireClient, sessions: FakeSessions) -> None:
    got = client.ask("select a; select 1/0; select b")
    assert kinds(got) == "TDCEZ"
    told = errors(got)[0]
    assert told == {"S": "ERROR", "V": "ERROR", "C": "22012", "M": "division by zero"}
    assert sessions.opened[0].log[-1] == "(fail)"


def test_an_empty_query(client: WireClient) -> None:
    assert kinds(client.ask("")) == "IZ"
    assert kinds(client.ask(" ; ")) == "IZ"


def test_errors_carry_a_position(client: WireClient) -> None:
    assert errors(client.ask("selec 1"))[0]["P"] == "1"


def test_bugs_are_internal_errors_and_the_session_lives(client: WireClient) -> None:
    told = errors(client.ask("bug"))[0]
    assert (told["C"], told["M"]) == ("XX000", "internal error")
    assert errors(client.ask("recurse"))[0]["C"] == "54001"
    assert kinds(client.ask("select x")) == "TDCZ"


def test_transaction_status(client: WireClient) -> None:
    assert client.ask("begin")[-1][1] == b"T"
    assert client.ask("select 1/0")[-1][1] == b"E"
    assert errors(client.ask("select a"))[0]["C"] == "25P02"
    got = client.ask("commit")
    assert (tags(got), got[-1][1]) == (["ROLLBACK"], b"I")


def test_changed_parameters_are_reported(client: WireClient) -> None:
    assert ("S", b"TimeZone\0Asia/Tokyo\0") in client.ask("set TimeZone = Asia/Tokyo")


def test_a_large_result(client: WireClient) -> None:
    got = client.ask("wide 20")
    assert [len(row[0] or b"") for row in rows(got)] == [1_000_000] * 20


# The extended protocol.


def test_a_statement_in_all_its_steps(client: WireClient, sessions: FakeSessions) -> None:
    client.parse("series 2", "s").describe("S", "s").bind(name="s", results=[1]).describe(
        "P"
    ).execute().sync()
    got = client.until_ready()
    assert kinds(got) == "1tT2TDDCZ"
    assert rows(got) == [[b"\0\0\0\1"], [b"\0\0\0\2"]]
    described = struct.pack("!IhIhih", 16385, 1, 23, 4, -1, 0)
    assert got[2][1] == struct.pack("!h", 1) + b"i\0" + described
    assert got[4][1] == struct.pack("!h", 1) + b"i\0" + described[:-1] + b"\1"
    assert sessions.opened[0].log == ["series 2"]


def test_parameters_and_results_in_both_formats(client: WireClient) -> None:
    sql = "select $1::int4, $2::float8, $3::text, $4::bool, $5::int4[]"
    array = struct.pack("!iiIiiiii", 1, 1, 23, 2, 1, 4, 7, -1)
    values = [struct.pack("!i", 7), struct.pack("!d", 1.5), "é".encode(), None, array]
    got = client.parse(sql).bind(values, formats=[1], results=[1]).execute().sync().until_ready()
    assert rows(got) == [values]
    got = (
        client.parse(sql)
        .bind([b"7", b"1.5", b"x", None, b"{7,NULL}"], results=[0, 1, 0, 0, 1])
        .execute()
        .sync()
        .until_ready()
    )
    assert rows(got) == [[b"7", struct.pack("!d", 1.5), b"x", None, array]]


def test_bad_parameters(client: WireClient) -> None:
    def code(
        *values: bytes | None, formats: tuple[int, ...] = (), results: tuple[int, ...] = ()
    ) -> str:
        client.parse("select $1::int4").bind(
            values, formats=formats, results=results
        ).execute().sync()
        return errors(client.until_ready())[0]["C"]

    assert code(b"x") == "22P02"
    assert code(b"99999999999") == "22003"
    assert code(b"\0", formats=(1,)) == "08P01"
    assert code(b"\0" * 5, formats=(1,)) == "22P03"
    assert code(b"\xff") == "22021"
    assert code() == "08P01"
    assert code(b"1", formats=(2,)) == "22023"
    assert code(b"1", formats=(0, 0)) == "08P01"
    assert code(b"1", results=(0, 0)) == "08P01"


def test_statements_without_rows_and_without_text(client: WireClient) -> None:
    assert (
        kinds(
            client.parse("set x = y")
            .describe("S")
            .bind()
            .describe("P")
            .execute()
            .sync()
            .until_ready()
        )
        == "1tn2nCSZ"
    )
    assert kinds(client.parse("").bind().describe("P").execute().sync().until_ready()) == "12nIZ"


def test_after_an_error_all_is_skipped_up_to_sync(
    client: WireClient, sessions: FakeSessions
) -> None:
    client.parse("select a").bind().execute().parse("select 1/0").bind().execute().parse(
        "select b"
    ).bind().execute().flush().sync()
    client.parse("select c").bind().execute().sync()
    assert kinds(client.until_ready()) == "12DC12EZ"
    assert kinds(client.until_ready()) == "12DCZ"
    assert sessions.opened[0].log == ["(begin)", "select a", "select 1/0", "(fail)", "select c"]


def test_a_pipeline_is_one_transaction(client: WireClient, sessions: FakeSessions) -> None:
    client.parse("set a = b").bind().execute().bind().execute().sync().until_ready()
    assert sessions.opened[0].log == ["(begin)", "set a = b", "set a = b", "(end)"]


def test_flush_delivers(client: WireClient) -> None:
    client.parse("select a", "s").describe("S", "s").flush()
    assert kinds(client.until("T")) == "1tT"


def test_portals_are_suspended_and_resumed(client: WireClient) -> None:
    client.parse("series 10").bind(portal="p")
    for _ in range(4):
        client.execute(4, "p")
    got = client.sync().until_ready()
    assert kinds(got) == "12DDDDsDDDDsDDCCZ"
    assert tags(got) == ["SELECT 2", "SELECT 0"]
    assert [int(row[0] or b"") for row in rows(got)] == list(range(1, 11))
    assert errors(client.execute(1, "p").sync().until_ready())[0]["C"] == "34000"


def test_portals_live_as_long_as_their_transaction(
    client: WireClient, sessions: FakeSessions
) -> None:
    client.ask("begin")
    client.parse("series 9", "s").bind(name="s", portal="p1").bind(name="s", portal="p2").execute(
        2, "p1"
    ).sync()
    assert kinds(client.until_ready()) == "122DDsZ"
    assert kinds(client.ask("select x")) == "TDCZ"
    assert rows(client.execute(1, "p1").sync().until_ready()) == [[b"3"]]
    assert rows(client.execute(1, "p2").sync().until_ready()) == [[b"1"]]
    client.bind(name="s", portal="p1").sync()
    assert errors(client.until_ready())[0]["C"] == "42P03"
    client.ask("rollback")
    assert errors(client.execute(1, "p1").sync().until_ready())[0]["C"] == "34000"
    assert all(result.is_closed for result in sessions.opened[0].results if result.columns)


def test_a_statement_without_rows_runs_once(client: WireClient) -> None:
    client.ask("begin")
    got = (
        client.parse("set a = b")
        .bind(portal="p")
        .execute(0, "p")
        .execute(0, "p")
        .sync()
        .until_ready()
    )
    assert kinds(got) == "12CESZ"
    assert errors(got)[0]["C"] == "55000"


def test_names_of_prepared_statements(client: WireClient) -> None:
    client.parse("select a", "n").sync().until_ready()
    assert errors(client.parse("select b", "n").sync().until_ready())[0]["C"] == "42P05"
    assert (
        kinds(
            client.close_name("S", "n")
            .close_name("S", "never")
            .close_name("P", "p")
            .sync()
            .until_ready()
        )
        == "333Z"
    )
    assert errors(client.bind(name="n").sync().until_ready())[0]["C"] == "26000"
    assert (
        kinds(client.parse("select a").parse("select b").bind().execute().sync().until_ready())
        == "112DCZ"
    )
    client.parse("select a", "d").sync().until_ready()
    assert tags(client.ask("deallocate d")) == ["DEALLOCATE"]
    assert errors(client.describe("S", "d").sync().until_ready())[0]["C"] == "26000"


# Bad input.


@pytest.mark.parametrize(
    ("data", "severity", "sqlstate"),
    [
        (b"\x00\x00\x00\x00\x04", "FATAL", "08P01"),
        (b"!\x00\x00\x00\x04", "FATAL", "08P01"),
        (b"Q\x00\x00\x00\x03", "FATAL", "08P01"),
        (b"Q\x7f\xff\xff\xff", "FATAL", "08P01"),
        (b"S\x00\x10\x00\x00", "FATAL", "08P01"),
        (b"p\x00\x00\x00\x05\x00", "FATAL", "08P01"),
        (b"Q\x00\x00\x00\x08abcd", "ERROR", "08P01"),
        (b"Q\x00\x00\x00\x08\xff\xfe\xfd\x00", "ERROR", "22021"),
        (b"P\x00\x00\x00\x05\x00", "ERROR", "08P01"),
        (b"D\x00\x00\x00\x06X\x00", "ERROR", "08P01"),
        (
            b"B" + struct.pack("!i", 12) + b"\0\0" + struct.pack("!hh", 30000, 1) + b"\0\0",
            "ERROR",
            "08P01",
        ),
        (b"S\x00\x00\x00\x05\x00", "ERROR", "08P01"),
        (b"F" + struct.pack("!iIhhh", 14, 1299, 0, 0, 0), "ERROR", "08P01"),
    ],
)
def test_malformed_messages_end_at_most_their_connection(
    listener: Listener, client: WireClient, data: bytes, severity: str, sqlstate: str
) -> None:
    client.raw(data)
    if data[:1] in b"PDB":
        client.sync()
    told = fields(client.until("E")[-1][1])
    assert (told["S"], told["C"]) == (severity, sqlstate)
    if severity == "FATAL":
        assert client.is_closed()
    else:
        client.until_ready()
        assert kinds(client.ask("select x")) == "TDCZ"
    with WireClient(listener.address) as other:
        assert kinds(other.ask("select x")) == "TDCZ"


def test_leftovers_of_a_copy_are_ignored(client: WireClient) -> None:
    client.send("d", b"data").send("c").send("f", b"no\0")
    assert kinds(client.ask("select x")) == "TDCZ"


def test_terminate_and_abrupt_ends(
    listener: Listener, client: WireClient, sessions: FakeSessions
) -> None:
    client.send("X")
    assert client.is_closed()
    with WireClient(listener.address) as other:
        other.raw(b"Q\0\0\1\0sel")
    assert eventually(
        lambda: len(sessions.opened) == 2 and all(s.is_closed for s in sessions.opened)
    )


# Waiting statements.


def test_a_notice_is_sent_while_the_statement_waits_and_cancel_ends_it(
    listener: Listener, client: WireClient
) -> None:
    client.query("wait")
    assert "paused" in fields(client.receive()[1])["M"]
    for key in (client.key[:4] + b"\0\0\0\0", client.key):
        with WireClient(listener.address, start=False) as other:
            other.raw(struct.pack("!II", 16, CANCEL_REQUEST) + key)
            assert other.is_closed()
    got = client.until_ready()
    assert errors(got)[0]["C"] == "57014"
    assert kinds(client.ask("select x")) == "TDCZ"


def test_a_statement_that_waits_ends_with_its_client(
    listener: Listener, sessions: FakeSessions
) -> None:
    with WireClient(listener.address) as client:
        client.query("wait").receive()
        client.query("select x")  # Unread input must not hide the end.
    assert eventually(lambda: sessions.opened[0].is_closed)


def test_stopping_tells_every_session() -> None:
    sessions = FakeSessions()
    listener = Listener("127.0.0.1", 0, sessions.open)
    listener.start()
    with (
        WireClient(listener.address) as idle,
        WireClient(listener.address) as waits,
        WireClient(listener.address) as does_not_read,
        WireClient(listener.address, start=False),
    ):
        waits.query("wait").receive()
        does_not_read.query("wide 100")
        time.sleep(0.2)
        began = time.monotonic()
        listener.stop()
        assert time.monotonic() - began < 10
        for client in (idle, waits):
            told = fields(client.until("E")[-1][1])
            assert (told["S"], told["C"]) == ("FATAL", "57P01")
            assert told["M"] == "terminating connection due to administrator command"
            assert client.is_closed()
        assert all(session.is_closed for session in sessions.opened)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(listener.address, timeout=1)


# Drivers.


def test_psycopg(listener: Listener) -> None:
    with psycopg.connect(
        f"postgresql://root@127.0.0.1:{listener.port}/dev", autocommit=True
    ) as connection:
        for binary in (False, True):
            cursor = connection.cursor(binary=binary)
            assert cursor.execute("series 3").fetchall() == [(1,), (2,), (3,)]
        notices: list[str | None] = []
        connection.add_notice_handler(lambda diagnostic: notices.append(diagnostic.message_primary))
        waiting = threading.Thread(target=lambda: connection.cancel_safe(timeout=5))
        # That it waits is what the notice says.
        connection.add_notice_handler(lambda _: waiting.start())
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("wait")
        assert notices == ['database "dev" is paused; waiting for RESUME']
        waiting.join()
        with connection.pipeline() as pipeline:
            first = connection.execute("select a")
            connection.execute("select 1/0")
            with pytest.raises(psycopg.errors.DivisionByZero):
                pipeline.sync()
            pipeline.sync()
            assert first.fetchall() == [("a",)]
        assert connection.execute("select b").fetchall() == [("b",)]
