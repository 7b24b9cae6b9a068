"""How a connection begins, over a real socket."""

from __future__ import annotations

import struct
import threading
import time

import pytest

from server.listener import Listener
from server.reception import Limits
from tests.support.fake_session import FakeSessions
from tests.support.wire_client import (
    GSSENC_REQUEST,
    SSL_REQUEST,
    WireClient,
    errors,
    eventually,
    kinds,
    startup_packet,
)


def test_a_session_starts_with_its_parameters_and_key(client: WireClient) -> None:
    assert kinds(client.greeting) == "RSSSSSSSKZ"
    assert client.greeting[-1][1] == b"I"
    assert len(client.key) == 8
    assert (b"S", client.greeting[1][1]) == (b"S", b"server_version\0" + b"15.0\0")


def test_encryption_requests_are_answered_by_one_byte(listener: Listener) -> None:
    with WireClient(listener.address, start=False) as client:
        client.raw(struct.pack("!II", 8, GSSENC_REQUEST))
        assert client.socket.recv(10) == b"N"
        client.raw(struct.pack("!II", 8, SSL_REQUEST))
        assert client.socket.recv(10) == b"N"
        client.raw(startup_packet())
        assert kinds(client.until_ready())[0] == "R"


def test_startup_in_pieces(listener: Listener) -> None:
    with WireClient(listener.address, start=False) as client:
        for byte in startup_packet():
            client.raw(bytes([byte]))
        assert client.until_ready()


def test_startup_parameters_become_settings(listener: Listener, sessions: FakeSessions) -> None:
    options = r"-c search_path=s2 --statement-timeout=60s -c x=a\ b"
    with WireClient(listener.address, application_name="chk", options=options):
        startup = sessions.opened[0].startup
    assert (startup.user, startup.database, startup.peer) == ("root", "dev", "127.0.0.1")
    assert startup.settings == {
        "search_path": "s2",
        "statement_timeout": "60s",
        "x": "a b",
        "application_name": "chk",
    }


def test_newer_protocols_are_negotiated_down(listener: Listener) -> None:
    with WireClient(listener.address, start=False) as client:
        client.raw(startup_packet(196610, **{"_pq_.foo": "1"}))
        greeting = client.until_ready()
    assert greeting[0] == ("v", struct.pack("!ii", 3 << 16, 1) + b"_pq_.foo\0")


@pytest.mark.parametrize(
    ("packet", "sqlstate"),
    [
        (startup_packet(database="nowhere"), "3D000"),
        (startup_packet(database="broken"), "XX000"),
        (startup_packet(user=""), "28000"),
        (startup_packet(replication="database"), "0A000"),
        (startup_packet(2 << 16), "0A000"),
        (startup_packet(options="nonsense"), "42601"),
        (struct.pack("!ii", 4, 0), "08P01"),
        (struct.pack("!ii", 1 << 30, 196608), "08P01"),
        (struct.pack("!ii", 12, 196608) + b"user", "08P01"),
        (struct.pack("!ii", 15, 196608) + b"\xff\0x\0x\0\0", "22021"),
        (b"GET / HTTP/1.1\r\n\r\n", "08P01"),
    ],
)
def test_a_refused_startup_is_fatal_and_says_why(
    listener: Listener, packet: bytes, sqlstate: str
) -> None:
    with WireClient(listener.address, start=False) as client:
        client.raw(packet)
        told = errors(client.until("E"))[0]
        assert (told["S"], told["C"]) == ("FATAL", sqlstate)
        assert "secret" not in told["M"]
        assert client.is_closed()


def test_a_client_that_says_nothing_is_given_up(sessions: FakeSessions) -> None:
    listener = Listener("127.0.0.1", 0, sessions.open, limits=Limits(authentication_timeout_ms=100))
    listener.start()
    try:
        with WireClient(listener.address, start=False) as client:
            client.raw(b"\0\0")
            assert client.is_closed()
        with WireClient(listener.address) as client:
            time.sleep(0.2)
            assert kinds(client.ask("select x")) == "TDCZ"
    finally:
        listener.stop()


def test_too_many_clients_are_turned_away(sessions: FakeSessions) -> None:
    listener = Listener("127.0.0.1", 0, sessions.open, limits=Limits(connections_max=2))
    listener.start()
    try:
        with (
            WireClient(listener.address),
            WireClient(listener.address),
            WireClient(listener.address) as third,
        ):
            assert errors(third.greeting)[0]["C"] == "53300"
        assert eventually(lambda: all(session.is_closed for session in sessions.opened))
        with WireClient(listener.address) as fourth:
            assert kinds(fourth.ask("select x")) == "TDCZ"
    finally:
        listener.stop()


def test_two_hundred_clients_at_once(listener: Listener) -> None:
    clients: list[WireClient] = []
    threads = [
        threading.Thread(target=lambda: clients.append(WireClient(listener.address)))
        for _ in range(200)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(clients) == 200
    assert len({client.key[:4] for client in clients}) == 200
    for client in clients:
        client.close()
