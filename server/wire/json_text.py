"""JSON as text: checked, and for jsonb brought into PostgreSQL's form (chapter 8.14)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Final, NoReturn

from catalog.errors import InvalidTextRepresentation

_ESCAPED: Final = json.encoder.encode_basestring


def check_json(text: str) -> str:
    """Return the text unchanged, having checked that it is JSON.

    Raises:
        InvalidTextRepresentation: It is not.
    """
    _loaded(text)
    return text


def normalized_jsonb(text: str) -> str:
    """Return the text that PostgreSQL gives back for a jsonb.

    Keys stand once, the shorter first, then in the order of their bytes; a blank follows colons
    and commas; numbers keep their digits without an exponent.

    Raises:
        InvalidTextRepresentation: It is not JSON.
    """
    return _written(_loaded(text))


def _loaded(text: str) -> object:
    try:
        value: object = json.loads(
            text, parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse_constant
        )
    except ValueError as e:
        raise InvalidTextRepresentation(
            "invalid input syntax for type json", detail=f"{_reason(e)}."
        ) from e
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f'Token "{name}" is invalid')


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (line {error.lineno}, character {error.colno})"
    return str(error)


def _written(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value, "f") if value else "0"
        case str():
            return _ESCAPED(value)
        case list():
            return "[" + ", ".join(_written(item) for item in value) + "]"
        case dict():
            keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
            members = (f"{_ESCAPED(key)}: {_written(value[key])}" for key in keys)
            return "{" + ", ".join(members) + "}"
        case _:
            raise AssertionError(value)
