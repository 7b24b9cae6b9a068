"""What DuckDB asks Python for, a row at a time and never with NULL (see ``macros``).

Only what DuckDB has no means for: canonical JSON, input formats, PostgreSQL's date templates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from catalog.errors import (
    DatetimeFieldOverflow,
    InvalidParameterValue,
    InvalidTextRepresentation,
    NullValueNotAllowed,
    ProgramLimitExceeded,
)
from server.sql.quoting import quoted_identifier, quoted_literal
from server.value.bytea import parse_bytea
from server.value.calendar import (
    DATE_MAX,
    DATE_MIN,
    DAY,
    TIMESTAMP_MAX,
    duckdb_date,
    duckdb_timestamp,
)
from server.value.int256 import pack_int256, parse_hexadecimal
from server.value.json_text import JsonValue, canonical, canonical_text, parse_json, pretty
from server.value.moment_reading import local_microseconds, read_under

_WORD: Final = re.compile(r"[^\W_]+")
_FORMAT: Final = re.compile(
    r"%(?:(?P<position>\d+)\$)?(?P<minus>-?)"
    r"(?:(?P<digits>\d+)|(?P<star>\*)(?:(?P<from>\d+)\$)?)?(?P<kind>[sIL%])"
)


def jsonb(text: str) -> str:
    """Return the canonical form."""
    return canonical_text(text)


def jsonb_pretty(text: str) -> str:
    """Return the form with one member a line."""
    return pretty(parse_json(text))


def jsonb_concat(left: str, right: str) -> str:
    """Return ``left || right``: objects are merged, everything else becomes arrays."""
    a, b = parse_json(left), parse_json(right)
    if isinstance(a, dict) and isinstance(b, dict):
        return canonical(a | b)
    items: list[JsonValue] = []
    for side in (a, b):
        if isinstance(side, list):
            items.extend(side)
        else:
            items.append(side)
    return canonical(items)


def jsonb_contains(holder: str, part: str) -> bool:
    """Return ``holder @> part``."""
    a, b = parse_json(holder), parse_json(part)
    if isinstance(a, list) and not isinstance(b, (list, dict)):
        return b in a
    return _contains(a, b)


def _contains(holder: JsonValue, part: JsonValue) -> bool:
    if isinstance(holder, dict) and isinstance(part, dict):
        return all(k in holder and _contains(holder[k], v) for k, v in part.items())
    if isinstance(holder, list) and isinstance(part, list):
        return all(any(_contains(item, wanted) for item in holder) for wanted in part)
    return type(holder) is type(part) and holder == part


def jsonb_has_key(holder: str, key: str) -> bool:
    """Return ``holder ? key``."""
    value = parse_json(holder)
    if isinstance(value, (dict, list)):
        return key in value
    return value == key


def jsonb_has_any(holder: str, keys: list[str | None]) -> bool:
    """Return ``holder ?| keys``."""
    return any(jsonb_has_key(holder, key) for key in keys if key is not None)


def jsonb_has_all(holder: str, keys: list[str | None]) -> bool:
    """Return ``holder ?& keys``."""
    return all(jsonb_has_key(holder, key) for key in keys if key is not None)


def jsonb_delete_key(text: str, key: str) -> str:
    """Return the value without a key, or an array without a string."""
    value = parse_json(text)
    match value:
        case dict():
            return canonical({k: v for k, v in value.items() if k != key})
        case list():
            return canonical([item for item in value if item != key])
        case _:
            raise InvalidParameterValue("cannot delete from scalar")


def jsonb_delete_keys(text: str, keys: list[str | None]) -> str:
    """Return the value without several keys."""
    if not isinstance(parse_json(text), (dict, list)):
        raise InvalidParameterValue("cannot delete from scalar")
    for key in keys:
        if key is not None:
            text = jsonb_delete_key(text, key)
    return text


def jsonb_delete_index(text: str, index: int) -> str:
    """Return an array without an item; negative indexes count from the end."""
    value = parse_json(text)
    if isinstance(value, dict):
        raise InvalidParameterValue("cannot delete from object using integer index")
    if not isinstance(value, list):
        raise InvalidParameterValue("cannot delete from scalar")
    if -len(value) <= index < len(value):
        del value[index]
    return canonical(value)


def jsonb_delete(text: str, path: list[str]) -> str:
    """Return the value without what is at a path."""
    value = parse_json(text)
    if not isinstance(value, (dict, list)):
        raise InvalidParameterValue("cannot delete path in scalar")
    _check_path(path)
    holder = _walk(value, path[:-1])
    if path and isinstance(holder, dict):
        holder.pop(path[-1], None)
    elif path and isinstance(holder, list) and (index := _index(path[-1], holder)) is not None:
        del holder[index]
    return canonical(value)


def jsonb_set(text: str, path: list[str], new: str, is_created: bool) -> str:  # noqa: FBT001
    """Return the value with another one at a path."""
    value = parse_json(text)
    if not isinstance(value, (dict, list)):
        raise InvalidParameterValue("cannot set path in scalar")
    _check_path(path)
    holder = _walk(value, path[:-1])
    put = parse_json(new)
    if not path:
        return canonical(value)
    if isinstance(holder, dict) and (is_created or path[-1] in holder):
        holder[path[-1]] = put
    elif isinstance(holder, list):
        position = _position(path[-1])
        if -len(holder) <= position < len(holder):
            holder[position] = put
        elif is_created:
            holder.insert(0 if position < 0 else len(holder), put)
    return canonical(value)


def jsonb_insert(text: str, path: list[str], new: str, is_after: bool) -> str:  # noqa: FBT001
    """Return the value with another one put in at a path."""
    value = parse_json(text)
    if not isinstance(value, (dict, list)):
        raise InvalidParameterValue("cannot set path in scalar")
    _check_path(path)
    holder = _walk(value, path[:-1])
    put = parse_json(new)
    if not path:
        return canonical(value)
    if isinstance(holder, dict):
        if path[-1] in holder:
            raise InvalidParameterValue("cannot replace existing key")
        holder[path[-1]] = put
    elif isinstance(holder, list):
        position = _position(path[-1])
        at = max(0, position + len(holder)) if position < 0 else min(position, len(holder))
        holder.insert(at + 1 if is_after and holder else at, put)
    return canonical(value)


def _check_path(path: Sequence[str | None]) -> None:
    """Refuse a path of which a step is NULL."""
    if None in path:
        raise NullValueNotAllowed(f"path element at position {path.index(None) + 1} is null")


def _position(step: str) -> int:
    try:
        return int(step)
    except ValueError:
        raise InvalidTextRepresentation(f'path element is not an integer: "{step}"') from None


def _index(step: str, holder: list[JsonValue]) -> int | None:
    position = _position(step)
    return position if -len(holder) <= position < len(holder) else None


def _walk(value: JsonValue, path: list[str]) -> JsonValue:
    for place, step in enumerate(path, 1):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list):
            if not re.fullmatch(r"-?\d+", step):
                raise InvalidTextRepresentation(
                    f'path element at position {place} is not an integer: "{step}"'
                )
            index = _index(step, value)
            value = None if index is None else value[index]
        else:
            return None
    return value


def json_path_get(text: str, path: list[str | None]) -> str | None:
    """Return ``text #> path`` as JSON text."""
    value = parse_json(text)
    for step in path:
        if step is None:
            return None
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", step):
            index = _index(step, value)
            if index is None:
                return None
            value = value[index]
        else:
            return None
    return canonical(value)


def jsonb_strip_nulls(text: str) -> str:
    """Return the value without members that are null."""
    return canonical(stripped(parse_json(text)))


def stripped(value: JsonValue) -> JsonValue:
    """Return a value without members that are null."""
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [stripped(item) for item in value]
    return value


def bytea_input(text: str) -> bytes:
    """Return the bytes that a text stands for."""
    return parse_bytea(text)


def parse_date(text: str, template: str) -> str:
    """Return what to_date reads, as the engine's text of a date."""
    days = read_under(text, template).days
    if not DATE_MIN <= days <= DATE_MAX:
        raise DatetimeFieldOverflow(f'date out of range: "{text}"')
    return duckdb_date(days)


def parse_moment(text: str, template: str) -> str:
    """Return what to_timestamp reads, as the engine's text; without a zone it is a local time."""
    moment = read_under(text, template)
    microseconds = local_microseconds(moment)
    if not DATE_MIN * DAY <= microseconds <= TIMESTAMP_MAX:
        raise DatetimeFieldOverflow("timestamp out of range")
    return duckdb_timestamp(microseconds, "" if moment.offset is None else "+00")


#: As PostgreSQL's, which has room for the end beside it.
_STRING_BYTES_MAX: Final = 0x3FFFFFFF - 1


def format_text(template: str, arguments: list[str | None]) -> str:
    """Return ``format(template, arguments)``."""
    following = end = size = 0

    def argument(position: str | None) -> str | None:
        nonlocal following
        index = int(position) - 1 if position else following
        if index < 0:
            raise InvalidParameterValue(
                "format specifies argument 0, but arguments are numbered from 1"
            )
        following = index + 1
        if index >= len(arguments):
            raise InvalidParameterValue("too few arguments for format()")
        return arguments[index]

    def replaced(match: re.Match[str]) -> str:
        nonlocal end, size
        size += len(template[end : match.start()].encode())
        text = shown(match)
        end, size = match.end(), size + len(text.encode())
        return text

    def shown(match: re.Match[str]) -> str:
        if match["kind"] == "%":
            return "%"
        width = int(match["digits"] or 0)
        if match["star"]:
            given = argument(match["from"])
            width = 0 if given is None else _width(given)
        is_left = bool(match["minus"]) or width < 0
        text = _formatted(argument(match["position"]), match["kind"])
        padding, length = max(abs(width) - len(text), 0), len(text.encode())
        _check_room(size, *((length, padding) if is_left else (padding, length)))
        return text.ljust(abs(width)) if is_left else text.rjust(abs(width))

    for stray in re.finditer(r"%.?", _FORMAT.sub("", template)):
        raise InvalidParameterValue(
            f'unrecognized format() type specifier "{stray[0][1:]}"'
            if len(stray[0]) > 1
            else "unterminated format() type specifier",
            hint='For a single "%" use "%%".',
        )
    return _FORMAT.sub(replaced, template)


def _check_room(size: int, *more: int) -> None:
    """Refuse a text of so many bytes that is to grow by so many, one after the other."""
    for added in more:
        if size + added > _STRING_BYTES_MAX:
            raise ProgramLimitExceeded(
                "out of memory",
                detail=f"Cannot enlarge string buffer containing {size} bytes "
                f"by {added} more bytes.",
            )
        size += added


def _width(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidTextRepresentation.of("integer", text) from None


def _formatted(value: str | None, kind: str) -> str:
    if kind == "s":
        return value or ""
    if kind == "L":
        return "NULL" if value is None else quoted_literal(value)
    if value is None:
        raise NullValueNotAllowed("null values cannot be formatted as an SQL identifier")
    return quoted_identifier(value)


def initcap(text: str) -> str:
    """Return the text with every word's first letter in upper case, the others in lower."""
    return _WORD.sub(lambda m: m[0][:1].upper() + m[0][1:].lower(), text)


def size_pretty(size: int) -> str:
    """Return a number of bytes with a unit in which it has few digits."""
    if abs(size) < _BYTES_MAX:
        return f"{size} bytes"
    units = ("kB", "MB", "GB", "TB", "PB")
    # Of each unit twice as many are counted, to round by the last bit.
    halves = int(size / 512)
    for unit in units:
        if abs(halves) < 2 * _BYTES_MAX - 1 or unit == units[-1]:
            return f"{int((halves + (1 if halves > 0 else -1)) / 2)} {unit}"
        halves = int(halves / 1024)
    raise AssertionError(size)


#: From so many on the next unit is taken.
_BYTES_MAX: Final = 10240


def int256_of_hexadecimal(text: str) -> str:
    """Return the decimal text of an rw_int256's hexadecimal one."""
    return str(parse_hexadecimal(text))


def int256_image(text: str) -> bytes:
    """Return the bytes of an rw_int256."""
    return pack_int256(int(text))
