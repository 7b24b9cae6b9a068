"""Messages of transcripts to bytes and bytes to messages, written apart from the server's codec."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

from tests.support.server import Address
from tests.support.transcript import Message, TranscriptError, Value

TYPES: Final = {
    "any": 0, "bool": 16, "bytea": 17, "char": 18, "name": 19, "int8": 20, "int2": 21, "int4": 23,
    "text": 25, "oid": 26, "json": 114, "float4": 700, "float8": 701, "unknown": 705,
    "bpchar": 1042, "varchar": 1043, "date": 1082, "time": 1083, "timestamp": 1114,
    "timestamptz": 1184, "interval": 1186, "numeric": 1700, "uuid": 2950, "jsonb": 3802,
    "regclass": 2205, "regtype": 2206, "void": 2278, "xid": 28, "record": 2249,
    "_bool": 1000, "_bytea": 1001, "_int2": 1005, "_int4": 1007, "_text": 1009,
    "_varchar": 1015, "_int8": 1016, "_float4": 1021, "_float8": 1022, "_timestamp": 1115,
    "_date": 1182, "_time": 1183, "_timestamptz": 1185, "_interval": 1187, "_numeric": 1231,
    "_uuid": 2951, "_jsonb": 3807, "_json": 199,
}  # fmt: skip
_NAMES: Final = {oid: name for name, oid in TYPES.items()}
_REQUESTS: Final = {"SSLRequest": 80877103, "GSSENCRequest": 80877104, "CancelRequest": 80877102}
_EMPTY: Final = {"Flush": b"H", "Sync": b"S", "Terminate": b"X", "CopyDone": b"c"}


# What the client sends.


def frame(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def encode(message: Message, address: Address, keys: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a client's message; ``keys`` are those of other connections."""
    options = message.options
    match message.kind:
        case "Startup" | "CancelRequest" | "SSLRequest" | "GSSENCRequest":
            return _packet(message, address, keys)
        case "Bytes":
            return b"".join(_bytes(value) for value in message.fields)
        case "Frame":
            kind, body = _bytes(message.fields[0]), b"".join(map(_bytes, message.fields[1:]))
            length = _number(options.get("length", str(len(body) + 4)))
            return kind + struct.pack("!i", length) + body
        case "Query":
            return frame(b"Q", _string(message.fields[0]))
        case "Parse":
            types = [_oid(value) for value in _list(options.get("types"))]
            body = _string(options.get("name", "")) + _string(message.fields[0])
            return frame(b"P", body + struct.pack(f"!H{len(types)}I", len(types), *types))
        case "Bind":
            return frame(b"B", _bind(options))
        case "Execute":
            rows = _number(options.get("rows_max", "0"))
            return frame(b"E", _string(options.get("portal", "")) + struct.pack("!i", rows))
        case "DescribeStatement" | "DescribePortal" | "CloseStatement" | "ClosePortal":
            verb, letter = message.kind[0].encode(), b"S" if "Statement" in message.kind else b"P"
            return frame(verb, letter + _string(message.fields[0] if message.fields else ""))
        case "CopyData":
            return frame(b"d", b"".join(map(_bytes, message.fields)))
        case "CopyFail":
            return frame(b"f", _string(message.fields[0]))
        case "PasswordMessage":
            return frame(b"p", _string(message.fields[0]))
        case "FunctionCall":
            return frame(b"F", _function_call(message))
        case kind if kind in _EMPTY:
            return frame(_EMPTY[kind], b"")
        case _:
            raise TranscriptError(f"a client has no message {message.kind}")


def _packet(message: Message, address: Address, keys: Mapping[str, bytes]) -> bytes:
    options = message.options
    code = _REQUESTS.get(message.kind)
    if message.kind == "CancelRequest":
        key = bytearray(keys[_text(message.fields[0])])
        if "wrong" in message.fields:
            key[-1] ^= 1
        body = bytes(key)
    elif code is not None:
        body = b""
    else:
        major, _, minor = _text(options.pop("protocol", "3.0")).partition(".")
        code = (int(major) << 16) | int(minor)
        given = {"user": address.user, "database": address.database, **options}
        pairs = [(name, value) for name, value in given.items() if value is not None]
        body = b"".join(_string(name) + _string(value) for name, value in pairs) + b"\0"
    assert code is not None
    return struct.pack("!iI", len(body) + 8, code) + body


def _bind(options: dict[str, Value]) -> bytes:
    formats = [_number(value) for value in _list(options.get("formats"))]
    results = [_number(value) for value in _list(options.get("results"))]
    values = _list(options.get("values"))
    body = _string(options.get("portal", "")) + _string(options.get("statement", ""))
    body += struct.pack(f"!H{len(formats)}hH", len(formats), *formats, len(values))
    for value in values:
        data = None if value is None else _bytes(value)
        body += struct.pack("!i", -1 if data is None else len(data)) + (data or b"")
    return body + struct.pack(f"!H{len(results)}h", len(results), *results)


def _function_call(message: Message) -> bytes:
    """``FunctionCall OID values... formats=[...] result=0``."""
    options = message.options
    formats = [_number(value) for value in _list(options.get("formats"))]
    values = message.fields[1:]
    body = struct.pack("!I", _number(message.fields[0]))
    body += struct.pack(f"!H{len(formats)}hH", len(formats), *formats, len(values))
    for value in values:
        data = None if value is None else _bytes(value)
        body += struct.pack("!i", -1 if data is None else len(data)) + (data or b"")
    return body + struct.pack("!h", _number(options.get("result", "0")))


def _bytes(value: Value) -> bytes:
    match value:
        case bytes():
            return value
        case str():
            return value.encode()
        case _:
            raise TranscriptError(f"{value!r} is no string")


def _text(value: Value) -> str:
    return _bytes(value).decode()


def _string(value: Value) -> bytes:
    return _bytes(value) + b"\0"


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _number(value: Value) -> int:
    return int(_bytes(value), 0)


def _oid(value: Value) -> int:
    word = _text(value)
    return TYPES[word] if word in TYPES else int(word)


# What the server sends.

_PLAIN: Final = {
    "1": "ParseComplete", "2": "BindComplete", "3": "CloseComplete", "n": "NoData",
    "s": "PortalSuspended", "I": "EmptyQueryResponse", "c": "CopyDone", "K": "BackendKeyData",
}  # fmt: skip
_COPY: Final = {"G": "CopyInResponse", "H": "CopyOutResponse"}


def describe(kind: str, body: bytes) -> Message:
    """Return a server's message as a line."""
    match kind:
        case "R":
            (code,) = struct.unpack_from("!I", body)
            return Message("Authentication", (str(code),)) if code else Message("AuthenticationOk")
        case "S":
            name, value, _ = body.split(b"\0")
            return Message("ParameterStatus", (name.decode(), value))
        case "A":
            channel, payload, _ = body[4:].split(b"\0")
            return Message("NotificationResponse", (channel, payload))
        case "v":
            minor, count = struct.unpack_from("!ii", body)
            names: list[Value] = [name.decode() for name in body[8:].split(b"\0")[:count]]
            return Message("NegotiateProtocolVersion", (str(minor), names))
        case "Z":
            return Message("ReadyForQuery", (body.decode(),))
        case "T":
            return Message("RowDescription", tuple(_columns(body)))
        case "t":
            oids = struct.unpack_from(f"!{(len(body) - 2) // 4}I", body, 2)
            return Message("ParameterDescription", tuple(_NAMES.get(o, str(o)) for o in oids))
        case "D":
            return Message("DataRow", tuple(_row(body)))
        case "C":
            return Message("CommandComplete", (body[:-1],))
        case "d":
            return Message("CopyData", (body,))
        case "V":
            (length,) = struct.unpack_from("!i", body)
            return Message("FunctionCallResponse", (None if length < 0 else body[4:],))
        case "G" | "H":
            overall, count = struct.unpack_from("!bh", body)
            codes = set(struct.unpack_from(f"!{count}h", body, 3))
            assert codes <= {overall}, codes
            return Message(_COPY[kind], (("text", "binary")[overall], str(count)))
        case "E" | "N":
            return _report("ErrorResponse" if kind == "E" else "NoticeResponse", body)
        case _:
            return Message(_PLAIN[kind])


def _columns(body: bytes) -> list[Value]:
    """``name:type``, with ``~modifier``, ``@attnum`` and ``/binary`` where there is such."""
    columns: list[Value] = []
    at = 2
    for _ in range(struct.unpack_from("!H", body)[0]):
        end = body.index(0, at)
        name = body[at:end].decode()
        table, number, oid, _size, modifier, code = struct.unpack_from("!IhIhih", body, end + 1)
        at = end + 19
        column = f"{name}:{_NAMES.get(oid, str(oid))}"
        column += "" if modifier == -1 else f"~{modifier}"
        column += f"@{number}" if table else ""
        columns.append(column + ("/binary" if code else ""))
    return columns


def _row(body: bytes) -> list[Value]:
    (count,) = struct.unpack_from("!H", body)
    at, row = 2, list[Value]()
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, at)
        at += 4
        row.append(None if length < 0 else body[at : at + length])
        at += max(length, 0)
    return row


def _report(kind: str, body: bytes) -> Message:
    found = {part[:1]: part[1:] for part in body.split(b"\0") if part}
    named: list[tuple[str, Value]] = []
    usual = b"ERROR" if kind == "ErrorResponse" else b"NOTICE"
    if found[b"S"] != usual:
        named.append(("severity", found[b"S"].decode()))
    for letter, name in ((b"D", "detail"), (b"H", "hint"), (b"P", "position")):
        if letter in found:
            value = found[letter]
            named.append((name, value.decode() if name == "position" else value))
    assert found.get(b"V") == found[b"S"], found
    return Message(kind, (found[b"C"].decode(), found[b"M"]), tuple(named))
