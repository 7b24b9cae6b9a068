"""Functions that make and change JSON (PostgreSQL 15, chapter 9.16)."""
# ruff: noqa: FBT001 -- as SQL calls them

from __future__ import annotations

import json
import re
from typing import Final

from barrier.prelude import PythonFunction
from catalog.errors import (
    ArraySubscriptError,
    InvalidParameterValue,
    InvalidTextRepresentation,
    NullValueNotAllowed,
)
from server.sql import python_functions
from server.sql.called.python_function import called
from server.value import json_slice
from server.value.json_text import JsonValue, canonical, check_json, parse_json
from server.value.jsonb_order import sort_key


def is_json(text: str, kind: str, is_unique: bool) -> bool:
    """Return whether a text is JSON: a value of a kind, without a key twice if that is asked."""
    repeated = 0

    def counted(members: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        nonlocal repeated
        repeated = max(repeated, len(members) - len(dict(members)))
        return dict(members)

    try:
        check_json(text)
        value = json.loads(text, object_pairs_hook=counted if is_unique else None)
    except (InvalidTextRepresentation, RecursionError):
        return False
    if repeated:
        return False
    is_kind = {"OBJECT": isinstance(value, dict), "ARRAY": isinstance(value, list)}
    return is_kind.get(kind, kind == "VALUE" or not isinstance(value, (dict, list)))


def strip_nulls(text: str) -> str:
    """Return a JSON text without blanks and members that are null; numbers stay as written."""
    text = text.strip()
    if text[0] == "{":
        kept = (
            f"{_quoted(name)}:{strip_nulls(value)}"
            for name, value in json_slice.members(text)
            if value.strip() != "null"
        )
        return f"{{{','.join(kept)}}}"
    if text[0] == "[":
        return f"[{','.join(strip_nulls(item) for item in json_slice.elements(text))}]"
    return _quoted(json.loads(text)) if text[0] == '"' else text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def object_of_texts(items: list[str | None]) -> str:
    """Return an object of keys and values, one after the other."""
    if len(items) % 2:
        raise ArraySubscriptError("array must have even number of elements")
    return _object(list(zip(items[::2], items[1::2], strict=True)))


def object_of_rows(rows: list[list[str | None]]) -> str:
    """Return an object of rows of a key and a value."""
    if any(len(row) != len(("key", "value")) for row in rows):
        raise ArraySubscriptError("array must have two columns")
    return _object([(key, value) for key, value in rows])


def object_of_two(keys: list[str | None], values: list[str | None]) -> str:
    """Return an object of keys and of values in an array of their own."""
    if len(keys) != len(values):
        raise ArraySubscriptError("mismatched array dimensions")
    return _object(list(zip(keys, values, strict=True)))


def _object(pairs: list[tuple[str | None, str | None]]) -> str:
    members = []
    for key, value in pairs:
        if key is None:
            raise NullValueNotAllowed("null value not allowed for object key")
        shown = "null" if value is None else json.dumps(value, ensure_ascii=False)
        members.append(f"{json.dumps(key, ensure_ascii=False)} : {shown}")
    return f"{{{', '.join(members)}}}"


def set_lax(
    text: str | None,
    path: list[str] | None,
    new: str | None,
    is_created: bool | None,
    treatment: str | None,
) -> str | None:
    """Return a jsonb with another value at a path, NULL being treated as the caller says."""
    if text is None or path is None or is_created is None:
        return None
    if treatment is None:
        raise InvalidParameterValue(
            'null_value_treatment must be "delete_key", "return_target", '
            '"use_json_null", or "raise_exception"'
        )
    if new is not None:
        return python_functions.jsonb_set(text, path, new, is_created)
    match treatment:
        case "raise_exception":
            raise NullValueNotAllowed(
                "JSON value must not be null",
                detail='Exception was raised because null_value_treatment is "raise_exception".',
            )
        case "use_json_null":
            return python_functions.jsonb_set(text, path, "null", is_created)
        case "delete_key":
            return python_functions.jsonb_delete(text, path)
        case "return_target":
            return text
        case _:
            raise InvalidParameterValue(
                'null_value_treatment must be "delete_key", "return_target", '
                '"use_json_null", or "raise_exception"'
            )


def assigned(
    text: str | None, path: list[str | None] | None, is_array: bool, new: str | None
) -> str:
    """Return a jsonb with another value at a path; what is missing on the way there is made.

    Args:
        text: The value so far, or NULL.
        path: Keys, and numbers of places in arrays.
        is_array: Whether NULL becomes an array rather than an object.
        new: The value that is put there; NULL is JSON's.
    """
    value: JsonValue = ([] if is_array else {}) if text is None else parse_json(text)
    steps = [step for step in path or () if step is not None]
    if path is None or len(steps) < len(path):
        raise NullValueNotAllowed("jsonb subscript in assignment must not be null")
    holder = value
    for number, step in enumerate(steps, 1):
        if not isinstance(holder, (dict, list)):
            raise InvalidParameterValue(
                "cannot replace existing key",
                detail="The path assumes key is a composite object, but it is a scalar value.",
            )
        is_last = number == len(steps)
        put: JsonValue = None if new is None else parse_json(new)
        if not is_last:
            put = [] if _INTEGER.match(steps[number]) else {}
        if isinstance(holder, dict):
            if is_last or step not in holder:
                holder[step] = put
            holder = holder[step]
            continue
        place = _place(step, number, len(holder))
        if place >= len(holder):
            holder += [None] * (place - len(holder)) + [put]
        elif is_last:
            holder[place] = put
        holder = holder[place]
    return canonical(value)


_INTEGER: Final = re.compile(r"\s*[+-]?\d+\Z")


def _place(step: str, number: int, length: int) -> int:
    if not _INTEGER.match(step):
        raise InvalidTextRepresentation(
            f'path element at position {number} is not an integer: "{step}"'
        )
    place = int(step)
    if place < -length:
        raise InvalidParameterValue(f"path element at position {number} is out of range: {place}")
    return place + length if place < 0 else place


_V: Final = "VARCHAR"

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_json_member", json_slice.member, (_V, _V), _V, gives_null=True),
    called("tg_json_element", json_slice.element, (_V, "BIGINT"), _V, gives_null=True),
    called("tg_json_at_steps", json_slice.at_steps, (_V, "VARCHAR[]"), _V, gives_null=True),
    called("tg_json_at_path", json_slice.at_path, (_V, "VARCHAR[]"), _V, gives_null=True),
    called(
        "tg_json_element_texts", lambda text: list(json_slice.elements(text)), (_V,), "VARCHAR[]"
    ),
    called(
        "tg_json_member_texts",
        lambda text: [value for _, value in json_slice.members(text)],
        (_V,),
        "VARCHAR[]",
    ),
    called("tg_jsonb_key", sort_key, (_V,), "BLOB"),
    called("tg_is_json", is_json, (_V, _V, "BOOLEAN"), "BOOLEAN"),
    called("tg_json_strip_nulls", strip_nulls, (_V,), _V),
    called("tg_json_object", object_of_texts, ("VARCHAR[]",), _V),
    called("tg_json_object_of_rows", object_of_rows, ("VARCHAR[][]",), _V),
    called("tg_json_object_of_two", object_of_two, ("VARCHAR[]", "VARCHAR[]"), _V),
    called(
        "tg_jsonb_set_lax",
        set_lax,
        (_V, "VARCHAR[]", _V, "BOOLEAN", _V),
        "JSON",
        takes_null=True,
    ),
    called("tg_jsonb_assign", assigned, (_V, "VARCHAR[]", "BOOLEAN", _V), "JSON", takes_null=True),
)
