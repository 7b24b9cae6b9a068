"""The packets before a session, and what a startup asks for (PostgreSQL 15, chapter 55.2.1)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog.errors import FeatureNotSupported, InvalidAuthorization, PgError, ProtocolViolation
from server.wire import messages as m
from server.wire.body import Body

STARTUP_BYTES_MAX: Final = 10_000

_SSL_REQUEST: Final = (1234 << 16) | 5679
_GSSENC_REQUEST: Final = (1234 << 16) | 5680
_CANCEL_REQUEST: Final = (1234 << 16) | 5678


@dataclass(frozen=True, slots=True)
class StartupParameters:
    """What a client wants its session to be.

    Attributes:
        user: Whom it says it is.
        database: Which database; the user's name unless it was given.
        settings: Parameters by name as the client spelled them, ``options`` taken apart.
        process_id: The number that pg_backend_pid() and BackendKeyData give.
        peer: The client's address as text.
    """

    user: str
    database: str
    settings: Mapping[str, str]
    process_id: int
    peer: str


def packet_length(header: bytes) -> int:
    """Return how many bytes follow the four of a startup packet's length word.

    Raises:
        ProtocolViolation: FATAL; this is no startup packet.
    """
    (length,) = struct.unpack("!i", header)
    if not 8 <= length <= STARTUP_BYTES_MAX:
        raise ProtocolViolation("invalid length of startup packet", severity="FATAL")
    return int(length) - 4


def decode_startup(data: bytes) -> m.StartupPacket:
    """Decode a packet without its length word.

    Raises:
        PgError: FATAL; malformed, not UTF-8 or of another protocol.
    """
    try:
        return _decode_startup(Body(data))
    except PgError as e:
        e.severity = "FATAL"
        raise


def _decode_startup(body: Body) -> m.StartupPacket:
    code = body.uint32()
    match code:
        case c if c == _SSL_REQUEST:
            return body.finish(m.SslRequest())
        case c if c == _GSSENC_REQUEST:
            return body.finish(m.GssEncRequest())
        case c if c == _CANCEL_REQUEST:
            return body.finish(m.CancelRequest(body.uint32(), body.uint32()))
    major, minor = code >> 16, code & 0xFFFF
    if major != 3:
        raise FeatureNotSupported(
            f"unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.0"
        )
    parameters: list[tuple[str, str]] = []
    unknown: list[str] = []
    while name := body.string():
        value = body.string()
        if name.startswith("_pq_."):
            unknown.append(name)
        else:
            parameters.append((name, value))
    return body.finish(m.Startup(minor, tuple(parameters), tuple(unknown)))


def startup_parameters(startup: m.Startup, process_id: int, peer: str) -> StartupParameters:
    """Return what the packet asks for.

    Raises:
        PgError: FATAL; no user is named, replication is wanted or ``options`` is malformed.
    """
    given = dict(startup.parameters)
    user = given.pop("user", "")
    if not user:
        raise InvalidAuthorization(
            "no PostgreSQL user name specified in startup packet", severity="FATAL"
        )
    database = given.pop("database", "") or user
    if given.pop("replication", "false").lower() not in ("false", "off", "no", "0"):
        raise FeatureNotSupported("replication connections are not supported", severity="FATAL")
    # Settings of their own win over those in options, as in PostgreSQL.
    settings = command_line_settings(given.pop("options", "")) | given
    return StartupParameters(user, database, settings, process_id, peer)


def command_line_settings(options: str) -> dict[str, str]:
    """Return the settings in ``-c name=value --name=value``; a backslash quotes a character.

    Raises:
        ProtocolViolation: FATAL; something else stands there.
    """
    settings: dict[str, str] = {}
    words = iter(_words(options))
    for word in words:
        if word == "-c":
            assignment = next(words, "")
        elif word.startswith(("-c", "--")):
            assignment = word[2:]
        else:
            raise _bad_option(word)
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise _bad_option(word)
        settings[name.replace("-", "_")] = value
    return settings


def _words(options: str) -> list[str]:
    words: list[str] = []
    word: str | None = None
    characters = iter(options)
    for character in characters:
        if character.isspace():
            if word is not None:
                words.append(word)
            word = None
        else:
            taken = next(characters, "") if character == "\\" else character
            word = (word or "") + taken
    if word is not None:
        words.append(word)
    return words


def _bad_option(word: str) -> ProtocolViolation:
    return ProtocolViolation(
        f"invalid command-line argument for server process: {word}", severity="FATAL"
    )
