"""Constants written as text, read when a statement is bound (PostgreSQL 15, chapter 8).

``constant`` is PostgreSQL's input function of each type: what it refuses is refused before
anything runs.
"""

from __future__ import annotations

import re
import uuid
from decimal import Decimal, InvalidOperation
from typing import Final

from sqlglot import exp

from catalog.errors import (
    InvalidTextRepresentation,
    NumericOutOfRange,
    PgError,
)
from catalog.special_numeric import special_of_word, without_digits, without_room
from catalog.types import INTERVAL, NUMERIC, OBJECT_TYPES, VECTORS, PgType, array_of
from catalog.written_numeric import scale_code
from server.sql.casts import fitted
from server.sql.fragment import cast, number, row_fragment, string
from server.sql.literals import digits_of
from server.sql.moment_constant import moment_tree, time_tree
from server.sql.special import bounded
from server.sql.typed import Typed
from server.sql.written_numeric import stored
from server.value.array_text import Items, parse_array
from server.value.bits import parse_bits
from server.value.bytea import parse_bytea
from server.value.enum_label import order_of_label
from server.value.int256 import parse_int256
from server.value.interval import Interval, parse_interval
from server.value.json_path.parser import parse_path
from server.value.json_text import canonical_text, check_json
from server.value.record_text import parse_record
from server.value.style import current_style
from server.wire.numbers import parse_tid

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_INTEGER_BITS: Final = {"int2": 16, "int4": 32, "int8": 64}
_FLOAT: Final = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan)", re.IGNORECASE
)
_UUID: Final = re.compile(r"(\{)?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}(?(1)\})")
_NAME_BYTES_MAX: Final = 63
_OBJECTS: Final = frozenset(pg_type.name for pg_type in OBJECT_TYPES)
_TRUE: Final = ("true", "yes", "on", "1")
_FALSE: Final = ("false", "no", "off", "0")


def constant(text: str, pg_type: PgType, *, position: int | None = None) -> Typed:
    """Return a text as a constant of a type, its modifier left aside but for numerics.

    Raises:
        PgError: The text is not a value of the type; the class says why.
    """
    try:
        if pg_type.element is not None:
            element = pg_type.element
            return _array(parse_array(text, lambda item: _scalar(item, element)), pg_type)
        return Typed(_scalar(text, pg_type), pg_type)
    except PgError as e:
        e.position = position
        raise


def _scalar(text: str, pg_type: PgType) -> exp.Expr:
    if pg_type.labels:
        return _label(text, pg_type)
    if pg_type.is_row:
        return _row(text, pg_type)
    match pg_type.name:
        case "bool":
            return exp.Boolean(this=parse_boolean(text))
        case "int2" | "int4" | "int8":
            return _integer(text, pg_type)
        case "oid" | "xid" | "cid":
            return _oid(text, pg_type)
        case "int2vector" | "oidvector":
            return _vector(text, pg_type)
        case "float4" | "float8":
            return _float(text, pg_type)
        case "numeric":
            return _numeric(text, pg_type)
        case "date" | "timestamp" | "timestamptz":
            return moment_tree(text, pg_type.name)
        case "time" | "timetz":
            return time_tree(text, pg_type.name)
        case "interval":
            style = current_style()
            return _interval(
                parse_interval(text, pg_type.fields, style.interval_output, is_peer=style.is_peer)
            )
        case "rw_int256":
            return cast(string(str(parse_int256(text))), "BIGNUM")
        case "bit" | "varbit":
            return string(parse_bits(text))
        case "uuid":
            return cast(string(parse_uuid(text)), "UUID")
        case "bytea":
            return exp.Anonymous(this="UNHEX", expressions=[string(parse_bytea(text).hex())])
        case "name":
            return string(cut_name(text))
        case "char":
            return string(text[:1])
        case "json":
            return cast(string(check_json(text)), "JSON")
        case "jsonb":
            return cast(string(canonical_text(text)), "JSON")
        case "jsonpath":
            return string(str(parse_path(text)))
        case "tid":
            return cast(exp.Literal.number(str(parse_tid(text))), pg_type.duckdb)
        case name if name in _OBJECTS:
            return _oid(text, pg_type)
        case _:
            return string(text)


def _label(text: str, pg_type: PgType) -> exp.Expr:
    return cast(exp.Literal.number(repr(order_of_label(text, pg_type))), pg_type.duckdb)


def _row(text: str, pg_type: PgType) -> exp.Expr:
    members = []
    columns = parse_record(text, len(pg_type.members))
    for column, (_, member) in zip(columns, pg_type.members, strict=True):
        value = exp.Null() if column is None else constant(column, member).tree
        members.append(fitted(cast(value, member.duckdb), member, is_explicit=False))
    return cast(row_fragment(members), pg_type.duckdb)


def cut_name(text: str) -> str:
    """Return as much of a name as an identifier can have, in whole characters."""
    return text.encode()[:_NAME_BYTES_MAX].decode(errors="ignore")


def parse_uuid(text: str) -> str:
    """Return the usual spelling of a UUID in any of its forms."""
    if not _UUID.fullmatch(text):
        raise InvalidTextRepresentation.of("uuid", text)
    return str(uuid.UUID(text))


def interval_constant(text: str, fields: str, *, position: int | None = None) -> Typed:
    """Return ``interval 'text' fields``, such as ``day to second(3)``.

    Raises:
        PgError: The text is no interval.
    """
    try:
        style = current_style()
        return Typed(
            _interval(parse_interval(text, fields, style.interval_output, is_peer=style.is_peer)),
            INTERVAL,
        )
    except PgError as e:
        e.position = position
        raise


def _interval(value: Interval) -> exp.Expr:
    return cast(string(value.engine_text()), "INTERVAL")


def parse_boolean(text: str) -> bool:
    """Read a boolean: any unique beginning of true, yes, on, false, no, off, or 1 and 0."""
    word = text.strip().lower()
    if word and word != "o":
        if any(known.startswith(word) for known in _TRUE):
            return True
        if any(known.startswith(word) for known in _FALSE):
            return False
    raise InvalidTextRepresentation.of("boolean", text)


def _integer(text: str, pg_type: PgType) -> exp.Expr:
    if not _INTEGER.fullmatch(text.strip()):
        raise InvalidTextRepresentation.of(pg_type.sql_name, text)
    value = int(text)
    limit = 1 << (_INTEGER_BITS[pg_type.name] - 1)
    if not -limit <= value < limit:
        raise NumericOutOfRange(f'value "{text}" is out of range for type {pg_type.sql_name}')
    return cast(string(str(value)), pg_type.duckdb)


def _oid(text: str, pg_type: PgType) -> exp.Expr:
    if not _INTEGER.fullmatch(text.strip()):
        raise InvalidTextRepresentation.of(pg_type.sql_name, text)
    value = int(text)
    if not -(1 << 31) <= value < 1 << 32:
        raise NumericOutOfRange(f'value "{text}" is out of range for type {pg_type.sql_name}')
    return cast(string(str(value % (1 << 32))), pg_type.duckdb)


def _vector(text: str, pg_type: PgType) -> exp.Expr:
    items = [_scalar(word, VECTORS[pg_type.oid]) for word in text.split()]
    return cast(exp.Array(expressions=items), pg_type.duckdb)


def _float(text: str, pg_type: PgType) -> exp.Expr:
    stripped = text.strip()
    if not _FLOAT.fullmatch(stripped):
        raise InvalidTextRepresentation.of(pg_type.sql_name, text)
    value = float(stripped)
    is_single = pg_type.name == "float4"
    largest = 3.4028235677973366e38 if is_single else float("inf")
    is_too_small = abs(value) <= (7.006492321624085e-46 if is_single else 0.0)
    has_digits = re.search(r"[1-9]", re.split("[eE]", stripped)[0]) is not None
    if "n" not in stripped.lower() and (abs(value) >= largest or (is_too_small and has_digits)):
        raise NumericOutOfRange(f'"{text}" is out of range for type {pg_type.sql_name}')
    return cast(string(stripped), pg_type.duckdb)


def _numeric(text: str, pg_type: PgType) -> exp.Expr:
    if pg_type.carries_scale:
        return _written(text)
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    if (special := special_of_word(text)) is not None:
        if not pg_type.has_specials:
            raise without_room(special, pg_type.precision, pg_type.scale)
        return cast(string(special.stored(pg_type.scale)), pg_type.duckdb)
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise InvalidTextRepresentation.of("numeric", text) from None
    if "_" in text or not value.is_finite():
        raise InvalidTextRepresentation.of("numeric", text)
    digits, scale = digits_of(value)
    if value and digits - scale > pg_type.precision - pg_type.scale and abs(value) >= 1:
        raise numeric_overflow(pg_type)
    number = cast(string(format(value, "f")), pg_type.duckdb)
    is_long = digits >= pg_type.precision
    return bounded(number, pg_type) if pg_type.has_specials and is_long else number


def _written(text: str) -> exp.Expr:
    """Return a numeric that carries its scale."""
    plain = Typed(_numeric(text, NUMERIC), NUMERIC)
    if special_of_word(text) is not None:
        return stored(plain, None).tree
    exponent = Decimal(text.strip()).as_tuple().exponent
    assert isinstance(exponent, int)
    return stored(plain, number(scale_code(max(-exponent, 0)))).tree


def numeric_overflow(pg_type: PgType) -> NumericOutOfRange:
    """Return the error of a number that is too large for a numeric."""
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    return without_digits(pg_type.precision, pg_type.scale)


def _array(items: Items, pg_type: PgType) -> Typed:
    """Return the array of trees in nested lists; None stands for NULL."""
    element = pg_type.element
    assert element is not None
    trees: list[exp.Expr] = []
    inner_type = element
    for item in items:
        if isinstance(item, list):
            inner = _array(item, array_of(element))
            inner_type = inner.type
            trees.append(inner.tree)
        else:
            assert item is None or isinstance(item, exp.Expr)
            trees.append(exp.Null() if item is None else item)
    whole = array_of(inner_type)
    return Typed(cast(exp.Array(expressions=trees), whole.duckdb), whole)
