"""Type names in casts (PostgreSQL 15, chapter 8)."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from catalog import types
from catalog.errors import (
    FeatureNotSupported,
    InvalidParameterValue,
    SqlSyntaxError,
    UndefinedObject,
)
from catalog.types import PgType
from catalog.user_type import FindType

_D = exp.DType

#: What sqlglot's own types are called here.
_BY_DTYPE: Final[dict[exp.DType, PgType]] = {
    _D.BOOLEAN: types.BOOL,
    _D.SMALLINT: types.INT2,
    _D.INT: types.INT4,
    _D.BIGINT: types.INT8,
    _D.FLOAT: types.FLOAT4,
    _D.DOUBLE: types.FLOAT8,
    _D.DECIMAL: types.NUMERIC,
    _D.CHAR: types.BPCHAR,
    _D.BPCHAR: types.BPCHAR,
    _D.VARCHAR: types.VARCHAR,
    _D.TEXT: types.TEXT,
    _D.NAME: types.NAME,
    _D.VARBINARY: types.BYTEA,
    _D.BINARY: types.BYTEA,
    _D.DATE: types.DATE,
    _D.TIME: types.TIME,
    _D.TIMETZ: types.TIMETZ,
    _D.TIMESTAMP: types.TIMESTAMP,
    _D.TIMESTAMPTZ: types.TIMESTAMPTZ,
    _D.TIMESTAMPLTZ: types.TIMESTAMPTZ,
    _D.INTERVAL: types.INTERVAL,
    _D.BIT: types.BIT,
    _D.UUID: types.UUID,
    _D.JSON: types.JSON,
    _D.JSONB: types.JSONB,
}

#: PostgreSQL's limit of numeric's precision, which is not ours.
_PRECISION_MAX: Final = 1000
_LENGTH_MAX: Final = 10485760
_TEXTS: Final = frozenset({types.BPCHAR.oid, types.VARCHAR.oid})
#: What has a length of one where none is given.
_ONE_LONG: Final = frozenset({types.BPCHAR.oid, types.BIT.oid})
_FIELDS: Final = re.compile(
    r"interval (year|month|day|hour|minute|year to month|day to hour|day to minute|hour to minute"
    r"|second|day to second|hour to second|minute to second)?(?: ?\( ?(\d)\))?"
)
_SECONDS_MAX: Final = 6

_TIMED: Final = frozenset({"time", "timetz", "timestamp", "timestamptz", "interval"})


def find_none(schema: str | None, name: str) -> PgType | None:  # noqa: ARG001
    """Know no types but PostgreSQL's and RisingWave's."""
    return None


def resolve_type(
    node: exp.Expr, find: FindType = find_none, *, position: int | None = None
) -> PgType:
    """Return the type that a type name means.

    Args:
        node: The name.
        find: Finds types that users have made.
        position: Of the name, for errors.

    Raises:
        UndefinedObject: There is no such type.
        InvalidParameterValue: A modifier is out of its range.
        FeatureNotSupported: A numeric is declared with more digits than can be stored.
    """
    assert isinstance(node, exp.DataType), node
    kind = node.this
    if isinstance(kind, exp.Interval):
        return _interval(kind)
    if isinstance(kind, str):
        return _named(kind.lower(), find_none, position)  # regclass and its like
    if kind is _D.STRUCT:
        return _struct(node, find, position)
    if kind is _D.MAP and len(node.expressions) == 2:
        key, value = (resolve_type(part, find, position=position) for part in node.expressions)
        return map_of(key, value, position=position)
    if kind is _D.ARRAY:
        if not node.expressions:
            raise UndefinedObject('type "array" does not exist', position=position)
        element = resolve_type(node.expressions[0], find, position=position)
        return array_of(element, position=position)
    if kind is _D.USERDEFINED:
        return _user_named(node, find, position)
    if kind is _D.DOUBLE and node.expressions:
        digits = _modifiers(node)[0]
        return types.FLOAT4 if digits <= 24 else types.FLOAT8
    base = _BY_DTYPE.get(kind)
    if base is None:
        return _named(kind.value.lower(), find_none, position)
    modifiers = _modifiers(node)
    if kind is _D.BPCHAR and not modifiers:
        return base  # Unlike char, which is one character long.
    return modified(base, modifiers, position=position)


def modified(base: PgType, modifiers: list[int], *, position: int | None = None) -> PgType:
    """Return a type with what stood in parentheses behind it."""
    if len(modifiers) > 1 and (base.is_bits or base.oid in _TEXTS):
        raise InvalidParameterValue("invalid type modifier", position=position)
    if base.oid in _ONE_LONG:
        return _with_length(base, modifiers[0] if modifiers else 1, position)
    if not modifiers:
        return base
    if base.same_base(types.VARCHAR) or base.is_bits:
        return _with_length(base, modifiers[0], position)
    if base.same_base(types.NUMERIC):
        return _numeric(modifiers, position)
    if base.name in _TIMED:
        return with_seconds(base, modifiers[0], position=position)
    raise UndefinedObject(f'type modifier is not allowed for type "{base.name}"', position=position)


def with_seconds(
    base: PgType, digits: int | None, fields: str = "", *, position: int | None = None
) -> PgType:
    """Return a time, timestamp or interval with the digits of its seconds; six is the most."""
    if digits is not None and digits < 0:
        raise InvalidParameterValue(
            f"{_title(base)} precision must not be negative", position=position
        )
    kept = None if digits is None else min(digits, _SECONDS_MAX)
    return types.with_seconds(base, kept, fields)


def _struct(node: exp.DataType, find: FindType, position: int | None) -> PgType:
    """Return the row of ``STRUCT<a int, b varchar>``."""
    members: list[tuple[str, PgType]] = []
    for member in node.expressions:
        if not isinstance(member, exp.ColumnDef) or member.args.get("kind") is None:
            raise SqlSyntaxError("columns of a struct have a name and a type", position=position)
        members.append((member.name, resolve_type(member.args["kind"], find, position=position)))
    return types.record(members)


def interval_of_fields(text: str) -> PgType | None:
    """Return the type of ``interval day to second(3)``, None for a text without such fields."""
    found = _FIELDS.fullmatch(text)
    if found is None:
        return None
    return with_seconds(types.INTERVAL, int(found[2]) if found[2] else None, found[1] or "")


def _interval(node: exp.Interval) -> PgType:
    """Return the interval of fields, whose digits of a second the tokens' rewriting has put on."""
    unit = node.args["unit"]
    span = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit,)
    first, *rest = (part.name.lower() for part in span)
    last, _, digits = (rest[0] if rest else first).partition("_")
    fields = f"{first} to {last}" if rest else last
    return with_seconds(types.INTERVAL, int(digits) if digits else None, fields)


def _title(base: PgType) -> str:
    name, _, zone = base.sql_name.partition(" ")
    return f"{name.upper()} {zone.upper()}".rstrip()


def _numeric(modifiers: list[int], position: int | None) -> PgType:
    precision = modifiers[0]
    scale = modifiers[1] if len(modifiers) > 1 else 0
    if not 1 <= precision <= _PRECISION_MAX:
        raise InvalidParameterValue(
            f"NUMERIC precision {precision} must be between 1 and {_PRECISION_MAX}",
            position=position,
        )
    if precision > types.NUMERIC_PRECISION:
        raise FeatureNotSupported(
            f"NUMERIC precision {precision} is not supported",
            detail=f"A numeric has at most {types.NUMERIC_PRECISION} digits.",
            position=position,
        )
    if not 0 <= scale <= precision:
        raise InvalidParameterValue(
            f"NUMERIC scale {scale} must be between 0 and precision {precision}",
            position=position,
        )
    return types.numeric(precision, scale)


def _with_length(base: PgType, length: int, position: int | None) -> PgType:
    if length < 1:
        raise InvalidParameterValue(
            f"length for type {base.name} must be at least 1", position=position
        )
    most = _LENGTH_MAX * 8 if base.is_bits else _LENGTH_MAX
    if length > most:
        raise InvalidParameterValue(
            f"length for type {base.name} cannot exceed {most}", position=position
        )
    return types.with_length(base, length)


def _modifiers(node: exp.DataType) -> list[int]:
    return [int(param.name) for param in node.expressions if param.name.isdigit()]


def _user_named(node: exp.DataType, find: FindType, position: int | None) -> PgType:
    kind = node.args["kind"]
    modifiers = _modifiers(node)
    if isinstance(kind, str):
        name, parenthesis, written = kind.rstrip(")").partition("(")
        found = _named(name.strip(), find, position)
        if parenthesis:
            modifiers = [int(number) for number in written.split(",") if number.strip().isdigit()]
            return modified(found, modifiers or [0], position=position)
        return found
    if isinstance(kind, exp.Dot):
        schema, name = kind.this.name, kind.expression.name
        found = _named(f"{schema}.{name}", find, position, (schema, name))
    elif kind.name == "char" and kind.args.get("quoted"):
        return types.CHAR
    else:
        found = _named(kind.name, find, position)
    return modified(found, modifiers, position=position) if modifiers else found


def _named(
    text: str,
    find: FindType,
    position: int | None,
    parts: tuple[str | None, str] | None = None,
) -> PgType:
    """Return the type of a name; ``parts`` are its schema and itself."""
    try:
        return types.by_name(text, position=position)
    except UndefinedObject:
        found = find(*(parts or (None, text)))
        if found is None:
            raise
        return found


def array_of(element: PgType, *, position: int | None = None) -> PgType:
    """Return the array of a type.

    Raises:
        FeatureNotSupported: The type is a domain.
    """
    if element.domain is not None:
        raise FeatureNotSupported("arrays of domains are not supported", position=position)
    return types.array_of(element)


#: Types that keys of maps cannot have, as RisingWave has it.
_NO_KEYS: Final = frozenset({"float4", "float8", "map", "jsonb", "numeric", "timestamptz"})


def map_of(key: PgType, value: PgType, *, position: int | None = None) -> PgType:
    """Return the map of a type of keys to a type of values.

    Raises:
        InvalidParameterValue: There are no maps with such keys.
    """
    if key.name in _NO_KEYS or key.is_array or key.is_row or key.domain is not None:
        raise InvalidParameterValue(f"invalid map key type: {key.display()}", position=position)
    return types.map_of(key, value)
