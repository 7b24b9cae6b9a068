"""The packets before a session, and what a startup asks for (PostgreSQL 15, chapter 55.2.1)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog.errors import (
    FeatureNotSupported,
    InvalidAuthorization,
    InvalidParameterValue,
    PgError,
    ProtocolViolation,
    SqlSyntaxError,
)
from server.wire import messages as m
from server.wire.body import Body, decode_utf8

STARTUP_BYTES_MAX: Final = 10_000
ANSWER_BYTES_MAX: Final = 65_535  #: Of a message in which somebody proves who he is.
NAME_BYTES_MAX: Final = 63  #: Longer names of users and databases are cut, as everywhere.

#: Major and minor.
PROTOCOL_VERSION: Final = 3 << 16

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


@dataclass(frozen=True, slots=True)
class SaslInitial:
    """The body of the first 'p' message of a SASL dialogue; ``data`` None: it was kept back."""

    mechanism: str
    data: bytes | None


def packet_length(header: bytes) -> int:
    """Return how many bytes follow the four of a startup packet's length word.

    Raises:
        ProtocolViolation: FATAL; this is no startup packet.
    """
    (length,) = struct.unpack("!i", header)
    if not 8 <= length <= STARTUP_BYTES_MAX:
        raise ProtocolViolation("invalid length of startup packet", severity="FATAL")
    return int(length) - 4


def decode_startup(
    data: bytes, *, may_ask_tls: bool = True, may_ask_gss: bool = True
) -> m.StartupPacket:
    """Decode a packet without its length word.

    Args:
        data: The packet.
        may_ask_tls: Whether TLS was not asked for yet; afterwards that is no packet any more.
        may_ask_gss: The same for encryption by GSSAPI.

    Raises:
        PgError: FATAL; malformed, not UTF-8 or of another protocol.
    """
    try:
        return _decode_startup(Body(data), may_ask_tls, may_ask_gss)
    except PgError as e:
        e.severity = "FATAL"
        raise


def _decode_startup(body: Body, may_ask_tls: bool, may_ask_gss: bool) -> m.StartupPacket:  # noqa: FBT001
    code = body.uint32()
    match code:
        case c if c == _SSL_REQUEST and may_ask_tls:
            return body.finish(m.SslRequest())
        case c if c == _GSSENC_REQUEST and may_ask_gss:
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
    for name, value in _pairs(body.rest()):
        if name.startswith("_pq_."):
            unknown.append(name)
        else:
            parameters.append((name, value))
    return m.Startup(minor, tuple(parameters), tuple(unknown))


def _pairs(data: bytes) -> list[tuple[str, str]]:
    """Return names and values; a name without letters ends them."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(data) and data[at]:
        value_at = data.find(b"\0", at) + 1
        end = data.find(b"\0", value_at)
        if value_at == 0 or end < 0:
            break
        pairs.append((decode_utf8(data[at : value_at - 1]), decode_utf8(data[value_at:end])))
        at = end + 1
    if at != len(data) - 1:
        raise ProtocolViolation("invalid startup packet layout: expected terminator as last byte")
    return pairs


def decode_password(data: bytes) -> str:
    """Return the password in the body of a 'p' message.

    Raises:
        ProtocolViolation: It is no string.
        CharacterNotInRepertoire: It is not UTF-8.
    """
    if not data or data.find(b"\0") != len(data) - 1:
        raise ProtocolViolation("invalid password packet size")
    return Body(data).string()


def decode_sasl_initial(data: bytes) -> SaslInitial:
    """Return what is in the body of a 'p' message that begins a SASL dialogue.

    Raises:
        ProtocolViolation: It is malformed.
    """
    body = Body(data)
    mechanism = body.string()
    length = body.int32()
    return body.finish(SaslInitial(mechanism, None if length == -1 else body.take(length)))


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
    database = _cut(given.pop("database", "") or user)
    _refuse_replication(given.pop("replication", "false"))
    # Settings of their own win over those in options, as in PostgreSQL.
    settings = command_line_settings(given.pop("options", "")) | given
    return StartupParameters(_cut(user), database, settings, process_id, peer)


def _refuse_replication(value: str) -> None:
    known = {"false": False, "off": False, "no": False, "0": False}
    known |= {"true": True, "on": True, "yes": True, "1": True, "database": True}
    wanted = known.get(value.lower())
    if wanted is None:
        raise InvalidParameterValue(
            f'invalid value for parameter "replication": "{value}"',
            hint='Valid values are: "false", 0, "true", 1, "database".',
            severity="FATAL",
        )
    if wanted:
        raise FeatureNotSupported("replication connections are not supported", severity="FATAL")


def _cut(name: str) -> str:
    """Return a name no longer than names can be."""
    return name.encode()[:NAME_BYTES_MAX].decode(errors="ignore")


def command_line_settings(options: str) -> dict[str, str]:
    """Return the settings in ``-c name=value --name=value``; a backslash quotes a character.

    Raises:
        SqlSyntaxError: FATAL; something else stands there.
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


def _bad_option(word: str) -> SqlSyntaxError:
    return SqlSyntaxError(
        f"invalid command-line argument for server process: {word}",
        hint="Settings are given as -c name=value or --name=value.",
        severity="FATAL",
    )
