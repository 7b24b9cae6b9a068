"""Bytes to frontend messages, backend messages to bytes (PostgreSQL 15, chapter 55.7)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final, assert_never

from catalog.errors import Notice, PgError, ProtocolViolation
from catalog.oid import Oid
from server.wire import messages as m
from server.wire.body import Body

#: A type byte and a length that counts itself.
HEADER_BYTES: Final = 5

#: Messages that carry a query or data may be long; the others have no business to be.
LONG_MESSAGE_BYTES_MAX: Final = 256 * 1024 * 1024
SHORT_MESSAGE_BYTES_MAX: Final = 10_000
_LONG_KINDS: Final = frozenset(b"QPBdF")
_KINDS: Final = frozenset(b"QPBDECHSXFdcf")

_DATA_ROW: Final = struct.Struct("!ciH")
_LENGTH: Final = struct.Struct("!i")
_NULL: Final = _LENGTH.pack(-1)


def body_length(header: bytes, long_bytes_max: int = LONG_MESSAGE_BYTES_MAX) -> int:
    """Return how many bytes follow the five of a message's header.

    Raises:
        ProtocolViolation: FATAL, since the next message cannot be found any more: the type is
            unknown or the length out of its bounds.
    """
    kind, length = struct.unpack("!Bi", header)
    if kind not in _KINDS:
        raise ProtocolViolation(f"invalid frontend message type {kind}", severity="FATAL")
    bytes_max = long_bytes_max if kind in _LONG_KINDS else SHORT_MESSAGE_BYTES_MAX
    if not 4 <= length <= bytes_max + 4:
        raise ProtocolViolation("invalid message length", severity="FATAL")
    return int(length) - 4


def decode(kind: bytes, data: bytes) -> m.FrontendMessage:
    """Decode one frontend message.

    Args:
        kind: The type byte.
        data: The body, without type byte and length word.

    Raises:
        ProtocolViolation: The type is unknown or the body malformed.
        CharacterNotInRepertoire: A string is not UTF-8.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise ProtocolViolation(f"invalid frontend message type {kind[0]}", severity="FATAL")
    body = Body(data)
    return body.finish(decoder(body))


def _parse(body: Body) -> m.FrontendMessage:
    statement, query = body.string(), body.string()
    return m.Parse(statement, query, tuple(Oid(body.uint32()) for _ in range(body.count())))


def _bind(body: Body) -> m.FrontendMessage:
    portal, statement = body.string(), body.string()
    parameter_formats = _formats(body)
    parameters = tuple(_parameter(body) for _ in range(body.count()))
    return m.Bind(portal, statement, parameter_formats, parameters, _formats(body))


def _formats(body: Body) -> tuple[int, ...]:
    return tuple(body.int16() for _ in range(body.count()))


def _parameter(body: Body) -> bytes | None:
    length = body.int32()
    return None if length == -1 else body.take(length)


def _describe(body: Body) -> m.FrontendMessage:
    kind, name = body.byte(), body.string()
    match kind:
        case b"S":
            return m.DescribeStatement(name)
        case b"P":
            return m.DescribePortal(name)
        case _:
            raise ProtocolViolation(f"invalid DESCRIBE message subtype {kind[0]}")


def _close(body: Body) -> m.FrontendMessage:
    kind, name = body.byte(), body.string()
    match kind:
        case b"S":
            return m.CloseStatement(name)
        case b"P":
            return m.ClosePortal(name)
        case _:
            raise ProtocolViolation(f"invalid CLOSE message subtype {kind[0]}")


def _function_call(body: Body) -> m.FrontendMessage:
    function_oid = Oid(body.uint32())
    formats = _formats(body)
    arguments = tuple(_parameter(body) for _ in range(body.count()))
    return m.FunctionCall(function_oid, formats, arguments, body.int16())


def _terminate(body: Body) -> m.FrontendMessage:
    body.rest()  # Who leaves is not kept for bad manners.
    return m.Terminate()


_DECODERS: Final[dict[bytes, Callable[[Body], m.FrontendMessage]]] = {
    b"Q": lambda body: m.Query(body.string()),
    b"P": _parse,
    b"B": _bind,
    b"D": _describe,
    b"E": lambda body: m.Execute(body.string(), body.int32()),
    b"C": _close,
    b"H": lambda _: m.Flush(),
    b"S": lambda _: m.Sync(),
    b"X": _terminate,
    b"F": _function_call,
    b"d": lambda body: m.CopyData(body.rest()),
    b"c": lambda _: m.CopyDone(),
    b"f": lambda body: m.CopyFail(body.string()),
}


def encode(message: m.BackendMessage) -> bytes:
    """Encode one backend message, header included."""
    match message:
        case m.AuthenticationOk():
            return b"R\0\0\0\x08\0\0\0\0"
        case m.AuthenticationCleartextPassword():
            return b"R\0\0\0\x08\0\0\0\3"
        case m.AuthenticationSasl(mechanisms):
            return _frame(b"R", b"\0\0\0\x0a" + b"".join(map(_string, mechanisms)) + b"\0")
        case m.AuthenticationSaslContinue(data):
            return _frame(b"R", b"\0\0\0\x0b" + data)
        case m.AuthenticationSaslFinal(data):
            return _frame(b"R", b"\0\0\0\x0c" + data)
        case m.NegotiateProtocolVersion(version, options):
            names = b"".join(_string(name) for name in options)
            return _frame(b"v", struct.pack("!ii", version, len(options)) + names)
        case m.ParameterStatus(name, value):
            return _frame(b"S", _string(name) + _string(value))
        case m.NotificationResponse(process_id, channel, payload):
            body = struct.pack("!i", process_id) + _string(channel) + _string(payload)
            return _frame(b"A", body)
        case m.FunctionCallResponse(value):
            return _frame(b"V", _NULL if value is None else _LENGTH.pack(len(value)) + value)
        case m.BackendKeyData(process_id, secret_key):
            return _frame(b"K", struct.pack("!II", process_id, secret_key))
        case m.ReadyForQuery(status):
            return b"Z\0\0\0\x05" + status
        case m.RowDescription(fields):
            described = b"".join(_field(field) for field in fields)
            return _frame(b"T", struct.pack("!H", len(fields)) + described)
        case m.ParameterDescription(oids):
            return _frame(b"t", struct.pack(f"!H{len(oids)}I", len(oids), *oids))
        case m.ParseComplete():
            return b"1\0\0\0\x04"
        case m.BindComplete():
            return b"2\0\0\0\x04"
        case m.CloseComplete():
            return b"3\0\0\0\x04"
        case m.NoData():
            return b"n\0\0\0\x04"
        case m.PortalSuspended():
            return b"s\0\0\0\x04"
        case m.CopyInResponse(formats):
            return _frame(b"G", _copy_formats(formats))
        case m.CopyOutResponse(formats):
            return _frame(b"H", _copy_formats(formats))
        case m.CopyData(data):
            return _frame(b"d", data)
        case m.CopyDone():
            return b"c\0\0\0\x04"
        case m.EmptyQueryResponse():
            return b"I\0\0\0\x04"
        case m.CommandComplete(tag):
            return _frame(b"C", _string(tag))
        case m.ErrorResponse():
            return _frame(b"E", _report(message, *_particulars(message)))
        case m.NoticeResponse():
            return _frame(b"N", _report(message))
        case _:
            assert_never(message)


def error_response(error: PgError) -> m.ErrorResponse:
    """Return what a client is told about an error."""
    return m.ErrorResponse(
        error.severity,
        error.sqlstate,
        error.message,
        error.detail,
        error.hint,
        error.position,
        error.context,
        error.place,
    )


def notice_response(notice: Notice) -> m.NoticeResponse:
    """Return what a client is told about a notice."""
    return m.NoticeResponse(
        notice.severity, notice.sqlstate, notice.message, notice.detail, notice.hint
    )


def data_row(fields: Sequence[bytes]) -> bytes:
    """Return one DataRow message of images, each with its length before it."""
    body = b"".join(fields)
    return _DATA_ROW.pack(b"D", len(body) + _DATA_ROW.size - 1, len(fields)) + body


def only_value(row: bytes | memoryview) -> bytes | None:
    """Return the image in a DataRow message of one column; None is NULL."""
    (length,) = _LENGTH.unpack_from(row, _DATA_ROW.size)
    return None if length < 0 else bytes(row[_DATA_ROW.size + _LENGTH.size :])


def _frame(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def _string(text: str) -> bytes:
    # A NUL would end the string early, a lone surrogate has no UTF-8: neither may break framing.
    return text.encode(errors="replace").replace(b"\0", b"") + b"\0"


def _field(field: m.FieldDescription) -> bytes:
    return _string(field.name) + struct.pack(
        "!IhIhih",
        field.relation_oid,
        field.number,
        field.type_oid,
        field.type_size,
        field.type_modifier,
        field.format,
    )


def _copy_formats(formats: Sequence[int]) -> bytes:
    overall = formats[0] if formats else m.TEXT_FORMAT
    return struct.pack(f"!bh{len(formats)}h", overall, len(formats), *formats)


def _particulars(message: m.ErrorResponse) -> list[tuple[bytes, str | None]]:
    """Return the fields that only errors have."""
    fields: list[tuple[bytes, str | None]] = [
        (b"P", None if message.position is None else str(message.position)),
        (b"W", message.context),
    ]
    if (place := message.place) is not None:
        fields += [
            (b"s", place.schema),
            (b"t", place.table),
            (b"c", place.column),
            (b"n", place.constraint),
        ]
    return fields


def _report(message: m.ErrorResponse | m.NoticeResponse, *more: tuple[bytes, str | None]) -> bytes:
    fields = [
        (b"S", message.severity),
        (b"V", message.severity),
        (b"C", message.sqlstate),
        (b"M", message.message),
        (b"D", message.detail),
        (b"H", message.hint),
        *more,
    ]
    return b"".join(code + _string(text) for code, text in fields if text is not None) + b"\0"
