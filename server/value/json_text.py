"""JSON texts as PostgreSQL keeps them (PostgreSQL 15, chapter 8.14).

json keeps its text; jsonb is canonical: keys by length, then bytes, the last of equal keys wins,
one space after colon and comma, numbers with the digits they were written with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeAlias

from catalog.errors import InvalidTextRepresentation, StatementTooComplex
from server.value import json_fault

#: What a JSON text is made of; numbers stay as they were written.
JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | Decimal | bool | None"

_NESTING_MAX: Final = 2000


def parse_json(text: str) -> JsonValue:
    """Read a JSON text.

    Raises:
        InvalidTextRepresentation: It is none.
        UntranslatableCharacter: A string has the character NUL.
    """
    value = _loaded(text)
    if "\\u" in text:
        json_fault.check(text, is_decoded=True)
    return value


def check_json(text: str) -> str:
    """Return the text unchanged, having checked that it is JSON.

    Raises:
        InvalidTextRepresentation: It is not.
    """
    _loaded(text)
    return text


def _loaded(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(
            text, parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse
        )
    except ValueError as e:
        json_fault.check(text, is_decoded=False)
        raise InvalidTextRepresentation("invalid input syntax for type json") from e
    except RecursionError as e:
        raise StatementTooComplex("stack depth limit exceeded") from e
    return value


def _refuse(word: str) -> JsonValue:
    raise ValueError(word)


def in_alphabet(text: str) -> str:
    """Return the text of a jsonb value with the members of its objects as RisingWave orders them.

    It goes by their names alone, not by their lengths first.
    """
    return canonical(parse_json(text), _by_name) if "{" in text else text


def _by_length(member: tuple[str, JsonValue]) -> tuple[int, bytes]:
    name = member[0].encode()
    return len(name), name


def _by_name(member: tuple[str, JsonValue]) -> tuple[int, bytes]:
    return 0, member[0].encode()


def canonical(
    value: JsonValue, order: Callable[[tuple[str, JsonValue]], tuple[int, bytes]] = _by_length
) -> str:
    """Return the text of a jsonb value."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Decimal():
            return _number(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return "[" + ", ".join(canonical(item, order) for item in value) + "]"
        case _:
            members = sorted(value.items(), key=order)
            return "{" + ", ".join(f"{_key(k)}: {canonical(v, order)}" for k, v in members) + "}"


def _key(key: str) -> str:
    return json.dumps(key, ensure_ascii=False)


def _number(value: Decimal) -> str:
    text = format(value, "f")
    return text if value else text.removeprefix("-")


def canonical_text(text: str) -> str:
    """Return a JSON text in the form that jsonb keeps."""
    return canonical(parse_json(text))


def pretty(value: JsonValue, depth: int = 0) -> str:
    """Return what jsonb_pretty prints."""
    pad, inner = " " * (4 * depth), " " * (4 * depth + 4)
    match value:
        case list():
            items = [inner + pretty(item, depth + 1) for item in value]
            return "[\n" + ",\n".join(items) + ("\n" if items else "") + pad + "]"
        case dict():
            members = sorted(value.items(), key=_by_length)
            lines = [f"{inner}{_key(k)}: {pretty(v, depth + 1)}" for k, v in members]
            return "{\n" + ",\n".join(lines) + ("\n" if lines else "") + pad + "}"
        case _:
            return canonical(value)
