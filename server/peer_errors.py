"""Errors in RisingWave's words, for sessions that follow its habits (``compatibility``).

RisingWave tells of a chain of causes; what clients and scripts of it look for is the last of them.
SQLSTATE, detail, hint and position stay PostgreSQL's, since RisingWave mostly has none; so do the
messages of errors for which it has no words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from typing import Final, TypeAlias

from catalog.errors import (
    CardinalityViolation,
    DatetimeFieldOverflow,
    DependentObjectsStillExist,
    DivisionByZero,
    InsufficientPrivilege,
    InvalidParameterValue,
    InvalidTextRepresentation,
    NumericOutOfRange,
    PgError,
    SqlSyntaxError,
    UndefinedColumn,
    UndefinedDatabase,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)

#: What began with which message of the protocol.
_PHASES: Final = {
    b"Q": "Failed to run the query",
    b"P": "Failed to prepare the statement",
    b"E": "Failed to execute the statement",
}

_CATALOG: Final = "Catalog error"
_EXPRESSION: Final = "Expr error"
_CONFIG: Final = "Failed to get or set session config"

#: The causes of an error, the first of them first; made of what its message matched.
_Causes: TypeAlias = Callable[[re.Match[str], PgError], tuple[str, ...]]


def _plain(*causes: str) -> _Causes:
    return lambda match, _: tuple(match.expand(cause) for cause in causes)


def _wrong_kind(match: re.Match[str], error: PgError) -> tuple[str, ...]:
    """Tell which DROP takes a relation of another kind; of views it knows no other kind."""
    name, asked = match["name"], match["kind"]
    found = re.search(r"Use DROP (.+?) to ", error.hint or "")
    if asked == "view" or found is None or found[1] == "VIEW":
        return _CATALOG, f"{asked} not found: {name}"
    return (f"Invalid input syntax: Use `DROP {found[1]}` to drop a {found[1].lower()}.",)


def _still_used(match: re.Match[str], error: PgError) -> tuple[str, ...]:
    count = len((error.detail or "").splitlines())
    return (f"Permission denied: {match['kind']} used by {count} other objects.",)


def _wrong_date(match: re.Match[str], _: PgError) -> tuple[str, ...]:
    """Tell of a date; its years before 1 are counted from 0."""
    year, month, day = (int(match[part]) for part in ("year", "month", "day"))
    shown = f"{year + (year < 0)}-{month}-{day}"
    return _EXPRESSION, f"Invalid parameter year, month, day: invalid date: {shown}"


def _wrong_time(match: re.Match[str], _: PgError) -> tuple[str, ...]:
    second = float(match["second"])
    if second < 0:
        return _EXPRESSION, f"Invalid parameter sec: invalid sec: {second:g}"
    shown = f"{int(match['hour'])}:{int(match['minute'])}:{second:g}"
    return _EXPRESSION, f"Invalid parameter hour, min, sec: invalid time: {shown}"


_KIND: Final = "(?P<kind>table|materialized view|view|index|source|sink|subscription|connection)"

#: By class and message, what RisingWave says.
_WORDS: Final[tuple[tuple[type[PgError], str, _Causes], ...]] = (
    (UndefinedSchema, r'schema "(.+)" does not exist', _plain(_CATALOG, r"schema not found: \1")),
    (
        UndefinedDatabase,
        r'database "(.+)" does not exist',
        _plain(_CATALOG, r"database not found: \1"),
    ),
    (
        UndefinedTable,
        r'relation "(.+)" does not exist',
        _plain(_CATALOG, r"table or source not found: \1"),
    ),
    (
        UndefinedTable,
        rf'{_KIND} "(?P<name>.+)" does not exist',
        _plain(_CATALOG, r"\g<kind> not found: \g<name>"),
    ),
    (
        UndefinedObject,
        rf'{_KIND} "(?P<name>.+)" does not exist',
        _plain(_CATALOG, r"\g<kind> not found: \g<name>"),
    ),
    (WrongObjectType, rf'"(?P<name>.+)" is not an? {_KIND}', _wrong_kind),
    (DependentObjectsStillExist, rf"cannot drop {_KIND} .* because other objects.*", _still_used),
    (InsufficientPrivilege, r"(?s)(.*)", _plain(r"Permission denied: \1")),
    (
        CardinalityViolation,
        "more than one row returned by a subquery used as an expression",
        _plain(_EXPRESSION, "Scalar subquery produced more than one row"),
    ),
    (
        SqlSyntaxError,
        'multiple assignments to same column "(.+)"',
        _plain("Bind error: multiple assignments to the same column"),
    ),
    (DivisionByZero, ".*", _plain(_EXPRESSION, "Division by zero")),
    (
        NumericOutOfRange,
        "value out of range: (overflow|underflow)",
        _plain(_EXPRESSION, r"Numeric out of range: \1"),
    ),
    (NumericOutOfRange, ".* out of range.*", _plain(_EXPRESSION, "Numeric out of range")),
    (
        DatetimeFieldOverflow,
        r"date field value out of range: (?P<year>-?\d+)-(?P<month>-?\d+)-(?P<day>-?\d+)",
        _wrong_date,
    ),
    (
        DatetimeFieldOverflow,
        r"time field value out of range: (?P<hour>-?\d+):(?P<minute>-?\d+):(?P<second>[-+.\de]+)",
        _wrong_time,
    ),
    (
        InvalidParameterValue,
        'time zone "(.+)" not recognized',
        _plain(_EXPRESSION, r"Invalid parameter time_zone: '\1' is not a valid timezone"),
    ),
    (
        InvalidTextRepresentation,
        r'invalid input syntax for type (smallint|integer|bigint): "[^"]*"',
        _plain(_EXPRESSION, r"Parse error: \1 invalid digit found in string"),
    ),
    (
        UndefinedColumn,
        r'column "?([^" ]+)"? does not exist',
        _plain(r"Failed to bind expression: \1", r"Item not found: Invalid column: \1"),
    ),
    (
        UndefinedObject,
        'unrecognized configuration parameter "(.+)"',
        _plain(_CONFIG, r"Unrecognized config entry `\1`"),
    ),
    (
        InvalidParameterValue,
        'invalid value for parameter "(.+?)": "(.*)"',
        _plain(_CONFIG, r"Invalid value `\2` for `\1`"),
    ),
    (
        InvalidParameterValue,
        'parameter "(.+?)" requires a Boolean value',
        _plain(_CONFIG, r"Invalid value for `\1`", "Invalid bool"),
    ),
)


def in_peers_words(error: PgError, message: bytes) -> PgError:
    """Return an error as RisingWave words it.

    Args:
        error: What happened.
        message: The type of the protocol's message that it ends.
    """
    for kind, pattern, causes in _WORDS:
        match = re.fullmatch(pattern, error.message) if isinstance(error, kind) else None
        if match is not None:
            told = copy(error)
            told.message = _chain(_PHASES.get(message, _PHASES[b"Q"]), causes(match, error))
            return told
    return error


def _chain(what: str, causes: tuple[str, ...]) -> str:
    if len(causes) == 1:
        return f"{what}\n\nCaused by:\n  {causes[0]}"
    listed = "\n".join(f"  {place}: {cause}" for place, cause in enumerate(causes, 1))
    return f"{what}\n\nCaused by these errors (recent errors listed first):\n{listed}"
