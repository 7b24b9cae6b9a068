"""Bytes to messages: any bytes either decode or are refused with the right SQLSTATE."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import CharacterNotInRepertoire, PgError, ProtocolViolation, SqlSyntaxError
from catalog.oid import Oid
from server.wire import messages as m
from server.wire.codec import body_length, decode, encode
from server.wire.startup import command_line_settings, decode_startup, packet_length

KINDS = [bytes([byte]) for byte in b"QPBDECHSXFdcf"]


@given(st.sampled_from(KINDS), st.binary(max_size=64))
def test_any_body_decodes_or_is_refused(kind: bytes, body: bytes) -> None:
    try:
        message = decode(kind, body)
    except (ProtocolViolation, CharacterNotInRepertoire) as e:
        assert e.severity == "ERROR"
    else:
        assert message is not None


@given(st.binary(max_size=64))
def test_any_startup_packet_decodes_or_is_refused(body: bytes) -> None:
    try:
        decode_startup(body)
    except PgError as e:
        assert e.severity == "FATAL"


@given(st.binary(min_size=5, max_size=5))
def test_any_header_gives_a_bounded_length_or_ends_the_connection(header: bytes) -> None:
    try:
        assert 0 <= body_length(header, 1000) <= 10_000
    except ProtocolViolation as e:
        assert e.severity == "FATAL"


@pytest.mark.parametrize("length", [-1, 0, 7, 10_001, 2**31 - 1])
def test_startup_packets_have_limits(length: int) -> None:
    with pytest.raises(ProtocolViolation):
        packet_length(struct.pack("!i", length))


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        (b"Q", b"select 1\0", m.Query("select 1")),
        (
            b"P",
            b"s\0select $1\0" + struct.pack("!hI", 1, 23),
            m.Parse("s", "select $1", (Oid(23),)),
        ),
        (
            b"B",
            b"p\0s\0" + struct.pack("!hhhiibhh", 1, 1, 2, -1, 1, 7, 1, 1)[:-1] + b"\1",
            m.Bind("p", "s", (1,), (None, b"\7"), (1,)),
        ),
        (b"D", b"Ss\0", m.DescribeStatement("s")),
        (b"D", b"Pp\0", m.DescribePortal("p")),
        (b"E", b"p\0" + struct.pack("!i", 5), m.Execute("p", 5)),
        (b"C", b"Ss\0", m.CloseStatement("s")),
        (b"C", b"P\0", m.ClosePortal("")),
        (b"f", b"why\0", m.CopyFail("why")),
    ],
)
def test_messages_are_decoded(kind: bytes, body: bytes, message: m.FrontendMessage) -> None:
    assert decode(kind, body) == message


def test_a_string_cannot_break_the_framing() -> None:
    encoded = encode(m.CommandComplete("a\0b\ud800"))
    assert encoded == b"C\0\0\0\x08ab?\0"


def test_an_error_has_its_fields() -> None:
    encoded = encode(m.ErrorResponse("ERROR", "42P01", "no", "Detail.", "Hint.", 8))
    assert encoded[5:] == b"SERROR\0VERROR\0C42P01\0Mno\0DDetail.\0HHint.\0P8\0\0"


def test_invalid_utf8_is_named_as_postgresql_names_it() -> None:
    with pytest.raises(
        CharacterNotInRepertoire,
        match=r'^invalid byte sequence for encoding "UTF8": 0xe9 0x20 0x78$',
    ):
        decode(b"Q", b"\xe9 x\0")


def test_command_line_settings() -> None:
    assert command_line_settings(r"-c a=1 --b-c=2  -cd=x\ y\\z") == {
        "a": "1",
        "b_c": "2",
        "d": r"x y\z",
    }
    with pytest.raises(SqlSyntaxError):
        command_line_settings("-d")
