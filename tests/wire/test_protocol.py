"""The protocol message by message, as PostgreSQL speaks it."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from tests.support.activity import until_runs
from tests.support.rawwire import (
    CANCEL_REQUEST,
    GSSENC_REQUEST,
    SSL_REQUEST,
    RawWire,
    kinds,
    sqlstates,
    tags,
)
from tests.support.server import Address


@pytest.fixture
def wire(server: Address) -> Iterator[RawWire]:
    with RawWire(server) as wire:
        yield wire


def test_startup_tells_what_drivers_ask_for(wire: RawWire) -> None:
    assert wire.startup[0].kind == "R"
    parameters = dict(
        m.body.rstrip(b"\0").decode().split("\0")
        for m in wire.startup
        if m.kind == "S" and m.body.count(b"\0") == 2 and not m.body.endswith(b"\0\0")
    )
    assert parameters["server_encoding"] == "UTF8"
    assert parameters["client_encoding"] == "UTF8"
    assert parameters["integer_datetimes"] == "on"
    assert parameters["standard_conforming_strings"] == "on"
    assert parameters["DateStyle"].startswith("ISO")
    assert int(parameters["server_version"].split(".")[0]) >= 14
    assert kinds(wire.startup).count("K") == 1


@pytest.mark.parametrize("request_code", [SSL_REQUEST, GSSENC_REQUEST], ids=["ssl", "gss"])
def test_encryption_is_declined_and_the_client_goes_on(request_code: int, server: Address) -> None:
    with RawWire(server, starts=False) as wire:
        wire.send_raw(struct.pack("!ii", 8, request_code))
        assert wire.receive_raw(1) == b"N"
        body = f"user\0{server.user}\0database\0{server.database}\0\0".encode()
        wire.send_raw(struct.pack("!ii", len(body) + 8, 196608) + body)
        assert wire.until_ready()[0].kind == "R"


def test_an_unknown_database_is_refused_at_the_door(server: Address) -> None:
    with RawWire(server, starts=False) as wire:
        body = f"user\0{server.user}\0database\0no_such_database\0\0".encode()
        wire.send_raw(struct.pack("!ii", len(body) + 8, 196608) + body)
        refused = wire.until_closed()[-1]
        assert (refused.fields["S"], refused.fields["C"]) == ("FATAL", "3D000")


def test_a_query_of_several_statements_stops_at_the_first_error(wire: RawWire) -> None:
    wire.query("SELECT 1; SELECT 1/0; SELECT 3")
    messages = wire.until_ready()
    assert tags(messages) == ["SELECT 1"]
    assert sqlstates(messages) == ["22012"]


def test_an_empty_query_is_answered_as_such(wire: RawWire) -> None:
    wire.query(" -- nothing\n ;")
    assert kinds(wire.until_ready()) == "IZ"
    wire.parse("")
    wire.bind()
    wire.describe("P")
    wire.execute()
    wire.sync()
    assert kinds(wire.until_ready()) == "12nIZ"


def test_a_statement_without_rows_has_no_data(wire: RawWire) -> None:
    wire.parse("BEGIN")
    wire.describe("S")
    wire.bind()
    wire.execute()
    wire.sync()
    messages = wire.until_ready()
    assert kinds(messages) == "1tn2CZ"
    assert messages[-1].body == b"T"
    wire.query("ROLLBACK")
    assert wire.until_ready()[-1].body == b"I"


def test_after_an_error_everything_is_skipped_until_sync(wire: RawWire) -> None:
    wire.parse("SELEC 1")
    wire.bind()
    wire.execute()
    wire.parse("SELECT 1")
    wire.sync()
    messages = wire.until_ready()
    assert kinds(messages) == "EZ"
    assert sqlstates(messages) == ["42601"]
    assert messages[0].fields["P"] == "1"
    wire.query("SELECT 1")
    assert kinds(wire.until_ready()) == "TDCZ"


def test_a_portal_is_read_in_pieces(wire: RawWire) -> None:
    wire.query("BEGIN")
    wire.until_ready()
    wire.parse("SELECT g FROM generate_series(1, 5) AS g")
    wire.bind("p")
    for _ in range(3):
        wire.execute(2, "p")
    wire.sync()
    messages = wire.until_ready()
    assert kinds(messages) == "12DDsDDsDCZ"
    assert tags(messages) == ["SELECT 1"]
    wire.query("COMMIT")
    wire.until_ready()


def test_two_portals_are_read_in_turn(wire: RawWire) -> None:
    wire.query("BEGIN")
    wire.until_ready()
    wire.parse("SELECT g FROM generate_series(1, 3) AS g", "s")
    wire.bind("a", "s")
    wire.bind("b", "s")
    wire.execute(1, "a")
    wire.execute(2, "b")
    wire.execute(0, "a")
    wire.execute(0, "b")
    wire.sync()
    assert kinds(wire.until_ready()) == "122DsDDsDDCDCZ"
    wire.query("ROLLBACK")
    wire.until_ready()


def test_closing_what_is_not_there_is_no_error(wire: RawWire) -> None:
    wire.send("C", b"Snobody\0")
    wire.send("C", b"Pnobody\0")
    wire.sync()
    assert kinds(wire.until_ready()) == "33Z"


def test_missing_statements_and_portals_are_named(wire: RawWire) -> None:
    wire.bind("", "nobody")
    wire.sync()
    assert sqlstates(wire.until_ready()) == ["26000"]
    wire.execute(0, "nobody")
    wire.sync()
    assert sqlstates(wire.until_ready()) == ["34000"]


def test_a_pipeline_up_to_sync_is_one_transaction(database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("CREATE TABLE t (a int PRIMARY KEY)")
        wire.until_ready()
        for sql in ("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)", "SELECT 1/0"):
            wire.parse(sql)
            wire.bind()
            wire.execute()
        wire.sync()
        assert sqlstates(wire.until_ready()) == ["22012"]
        wire.query("SELECT count(*) FROM t")
        row = next(m for m in wire.until_ready() if m.kind == "D")
        assert row.body[-1:] == b"0"


def test_a_cancel_ends_the_running_query_only(wire: RawWire, server: Address) -> None:
    key = next(m for m in wire.startup if m.kind == "K").body
    wire.query(
        "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE (a::bigint * b) % 7 = 3"
    )
    with server.connect() as observer:
        until_runs(observer, int.from_bytes(key[:4]))
    with RawWire(server, starts=False) as other:
        other.send_raw(struct.pack("!ii", 8 + len(key), CANCEL_REQUEST) + key)
        assert other.until_closed() == []
    assert sqlstates(wire.until_ready()) == ["57014"]
    wire.query("SELECT 1")
    assert kinds(wire.until_ready()) == "TDCZ"


def test_a_cancel_with_a_wrong_key_does_nothing(wire: RawWire, server: Address) -> None:
    key = next(m for m in wire.startup if m.kind == "K").body
    wrong = key[:-1] + bytes([key[-1] ^ 1])
    wire.query("SELECT count(*) FROM generate_series(1, 3000000) a WHERE a % 7 = 3")
    with RawWire(server, starts=False) as other:
        other.send_raw(struct.pack("!ii", 8 + len(wrong), CANCEL_REQUEST) + wrong)
        assert other.until_closed() == []
    assert kinds(wire.until_ready()) == "TDCZ"


BAD_MESSAGES = {
    "an unknown type byte": b"y\0\0\0\4",
    "a length below four": b"Q\0\0\0\2",
    "a negative length": b"Q\xff\xff\xff\xff",
    "an oversized length": b"Q\x7f\xff\xff\xff",
    "a query without its end": b"Q\0\0\0\x07abc",
    "a bind cut short": b"B\0\0\0\x06ab",
    "text that is not UTF-8": b"Q\0\0\0\x0e'\xff\xfe' AS x;\0",
}


@pytest.mark.parametrize("data", BAD_MESSAGES.values(), ids=BAD_MESSAGES.keys())
def test_a_bad_message_harms_nobody_else(data: bytes, wire: RawWire, server: Address) -> None:
    with RawWire(server) as bad:
        bad.send_raw(data)
        bad.send_raw(b"S\0\0\0\4" * 2)
        try:
            assert bad.receive().fields["C"] in {"08P01", "22021"}
        except EOFError:
            pass  # PostgreSQL hangs up without a word when it cannot trust a length.
    wire.query("SELECT 1")
    assert kinds(wire.until_ready()) == "TDCZ"


def test_half_a_message_and_a_hangup_harm_nobody_else(wire: RawWire, server: Address) -> None:
    for data in (b"Q", b"Q\0\0\0\x40SELECT", b"P\0\0"):
        with RawWire(server) as half:
            half.send_raw(data)
    with RawWire(server, starts=False) as half:
        half.send_raw(b"\0\0\0")
    wire.query("SELECT 1")
    assert kinds(wire.until_ready()) == "TDCZ"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 100_000 + "1" + ")" * 100_000,
        "SELECT " + "1 + " * 50_000 + "1",
        "SELECT '" + "x" * 5_000_000,
    ],
    ids=["parentheses", "sums", "unterminated"],
)
def test_a_monstrous_statement_harms_nobody_else(sql: str, wire: RawWire, server: Address) -> None:
    with RawWire(server) as other:
        other.query(sql)
        messages = other.until_ready()
        if kinds(messages) != "TDCZ":
            assert sqlstates(messages)[0] in {"42601", "54001", "54000"}
        other.query("SELECT 1")
        assert kinds(other.until_ready()) == "TDCZ"
    wire.query("SELECT 1")
    assert kinds(wire.until_ready()) == "TDCZ"
