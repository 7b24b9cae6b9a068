"""Functions of texts that the engine has no means for (PostgreSQL 15, chapter 9.4)."""
# ruff: noqa: FBT001 -- as SQL calls them

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, Literal, cast

from barrier.prelude import PythonFunction
from catalog.errors import InvalidParameterValue, NumericOutOfRange, SqlSyntaxError
from server.sql.called.python_function import called

_IDENTIFIER: Final = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^\W\d][\w$]*))\s*')
_UNICODE: Final = re.compile(
    r"\\(?:(\\)|([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))"
)
_SIZE: Final = re.compile(
    r"\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(\w+)?\s*"
)
_SIZE_UNITS: Final = {
    "bytes": 0, "b": 0, "kb": 10, "mb": 20, "gb": 30, "tb": 40, "pb": 50,
}  # fmt: skip
_FORMS: Final = ("NFC", "NFD", "NFKC", "NFKD")
_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def parse_ident(text: str, is_strict: bool) -> list[str]:
    """Return the parts of a name with points."""
    parts: list[str] = []
    at = 0
    while True:
        match = _IDENTIFIER.match(text, at)
        if match is None:
            raise _no_identifier(text, at)
        if match[1] is not None and not match[1]:
            raise InvalidParameterValue(
                f'string is not a valid identifier: "{text}"',
                detail="Quoted identifier must not be empty.",
            )
        parts.append(match[1].replace('""', '"') if match[1] is not None else match[2].lower())
        at = match.end()
        if at < len(text) and text[at] == ".":
            at += 1
            continue
        if at < len(text) and is_strict:
            raise InvalidParameterValue(f'string is not a valid identifier: "{text}"')
        return parts


def _no_identifier(text: str, at: int) -> InvalidParameterValue:
    rest = text[at:].lstrip()
    detail = None
    if rest.startswith('"'):
        detail = "String has unclosed double quotes."
    elif rest.startswith("."):
        detail = 'No valid identifier before ".".'
    elif at:
        detail = 'No valid identifier after ".".'
    return InvalidParameterValue(f'string is not a valid identifier: "{text}"', detail=detail)


def unistr(text: str) -> str:
    """Return a text whose escapes are written as the characters they name."""

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return "\\"
        code = int(next(filter(None, match.groups()[1:])), 16)
        if not 0 < code <= 0x10FFFF:
            raise InvalidParameterValue(f"invalid Unicode code point: {code:04X}")
        return chr(code)

    if "\\" in _UNICODE.sub("", text):
        raise SqlSyntaxError(
            "invalid Unicode escape",
            hint="Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.",
        )
    found = _UNICODE.sub(character, text)
    try:
        return found.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise SqlSyntaxError("invalid Unicode surrogate pair") from None


def size_bytes(text: str) -> int:
    """Return how many bytes a text such as ``1.5 GB`` names."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise InvalidParameterValue(f'invalid size: "{text}"')
    unit = _SIZE_UNITS.get((match[2] or "bytes").lower())
    if unit is None:
        raise InvalidParameterValue(
            f'invalid size: "{text}"',
            detail=f'Invalid size unit: "{match[2]}".',
            hint='Valid units are "bytes", "B", "kB", "MB", "GB", "TB", and "PB".',
        )
    size = int((Decimal(match[1]) * (1 << unit)).to_integral_value(ROUND_HALF_UP))
    if not -(2**63) <= size < 2**63:
        raise NumericOutOfRange("bigint out of range")
    return size


def _form(name: str) -> _Form:
    if name.upper() not in _FORMS:
        raise InvalidParameterValue(f"invalid normalization form: {name}")
    return cast("_Form", name.upper())


def normalized(text: str, form: str) -> str:
    """Return a text in a Unicode normalization form."""
    return unicodedata.normalize(_form(form), text)


def is_normalized(text: str, form: str) -> bool:
    """Return whether a text is in a Unicode normalization form."""
    return unicodedata.is_normalized(_form(form), text)


_V: Final = "VARCHAR"

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_parse_ident", parse_ident, (_V, "BOOLEAN"), "VARCHAR[]"),
    called("tg_unistr", unistr, (_V,), _V),
    called("tg_size_bytes", size_bytes, (_V,), "BIGINT"),
    called("tg_normalized", normalized, (_V, _V), _V),
    called("tg_is_normalized", is_normalized, (_V, _V), "BOOLEAN"),
)
