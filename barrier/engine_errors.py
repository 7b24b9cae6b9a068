"""What DuckDB says when a statement fails, in PostgreSQL's words.

Macros and Python functions of ours report through ``error('<SQLSTATE>:<message>')``; what DuckDB
itself finds is recognised by its text. Nothing of that text reaches a client.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from barrier.outcome import RowsInUse
from catalog.errors import (
    CardinalityViolation,
    CharacterNotInRepertoire,
    DatetimeFieldOverflow,
    DiskFull,
    DivisionByZero,
    InternalError,
    InvalidDatetimeFormat,
    InvalidEscapeSequence,
    InvalidRegularExpression,
    InvalidTextRepresentation,
    IoError,
    NotNullViolation,
    NumericOutOfRange,
    ObjectInUse,
    OutOfMemory,
    PgError,
    QueryCanceled,
    StatementTooComplex,
    UniqueViolation,
)
from catalog.special_numeric import special_of_word, without_digits
from catalog.sqlstate import SqlState
from catalog.types import NUMERIC_PRECISION

#: Between the message and the detail of such an error, and before its hint.
DETAIL_MARK: Final = "\x1e"
HINT_MARK: Final = "\x1f"

#: An error that a macro or a Python function of ours raised.
_OWN: Final = re.compile(
    r"\A(?:Invalid Input Error: )?"
    r"(?:Python exception occurred while executing the UDF: \w+: )?"
    r"([0-9A-Z]{5}):(.*)\Z",
    re.DOTALL,
)

#: DuckDB's exception classes, where they tell more than the text, by its beginning.
_TITLED: Final = {
    "INTERRUPT Error": "InterruptException",
    "Out of Range Error": "OutOfRangeException",
    "Out of Memory Error": "OutOfMemoryException",
}

_TYPE_NAMES: Final = {
    "INT8": "smallint",
    "INT16": "smallint",
    "INT32": "integer",
    "INT64": "bigint",
    "INT128": "numeric",
    "UINT64": "bigint",
    "TINYINT": "smallint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "HUGEINT": "numeric",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "BOOL": "boolean",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIME": "time without time zone",
    "TIMESTAMP": "timestamp without time zone",
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
    "INTERVAL": "interval",
    "UUID": "uuid",
    "BLOB": "bytea",
    "JSON": "json",
}
#: The smallest value of each width has no positive counterpart.
_WIDTHS: Final = {"128": "INT16", "32768": "INT16", "2147483648": "INT32"}

_INTEGERS: Final = frozenset({"smallint", "integer", "bigint"})
_NUMBER: Final = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?\s*")


def from_engine(error_class: str, message: str) -> PgError:
    """Return what a client is told.

    Args:
        error_class: The name of DuckDB's exception class, such as ``ConversionException``.
        message: Its text.
    """
    if own := _OWN.match(message):
        return _coded(own[1], own[2])
    if error_class == "InterruptException":
        return QueryCanceled.by_user()
    for pattern, build in _RULES:
        if match := pattern.search(message):
            return build(match)
    if error_class == "OutOfRangeException":
        return NumericOutOfRange("value out of range")
    if error_class == "OutOfMemoryException":
        return OutOfMemory("out of memory")
    return InternalError("internal error")


def from_engine_text(message: str) -> PgError:
    """Return what a client is told of an error of which only the text is there."""
    title, _, _ = message.partition(": ")
    return from_engine(_TITLED.get(title, ""), message)


def _coded(code: str, text: str) -> PgError:
    text, _, hint = text.partition(HINT_MARK)
    message, _, detail = text.partition(DETAIL_MARK)
    try:
        state = SqlState(code)
    except ValueError:
        return InternalError("internal error")
    found = _CLASSES.get(state)
    if found is not None:
        return found(message, detail=detail or None, hint=hint or None)
    error = PgError(message, detail=detail or None, hint=hint or None)
    # A condition that has no class of its own: the instance carries the code.
    error.sqlstate = state  # type: ignore[misc]
    return error


def _classes(base: type[PgError]) -> dict[SqlState, type[PgError]]:
    found: dict[SqlState, type[PgError]] = {}
    for child in base.__subclasses__():
        found.setdefault(child.sqlstate, child)
        found |= {k: v for k, v in _classes(child).items() if k not in found}
    return found


_CLASSES: Final = _classes(PgError)


def _type_name(engine_name: str) -> str:
    if engine_name.startswith("DECIMAL"):
        return "numeric"
    return _TYPE_NAMES.get(engine_name, engine_name.lower())


def _out_of_range(engine_name: str) -> PgError:
    name = _type_name(engine_name)
    if name == "numeric":
        return NumericOutOfRange("numeric field overflow")
    return NumericOutOfRange(f"{name} out of range")


def _field_overflow(match: re.Match[str]) -> PgError:
    """Return the error of a numeric; as wide as it can be, it is none that was declared so."""
    if match["precision"] and int(match["precision"]) < NUMERIC_PRECISION:
        return without_digits(int(match["precision"]), int(match["scale"]))
    return NumericOutOfRange("numeric field overflow")


def _not_converted(match: re.Match[str]) -> PgError:
    text, name = match["text"], _type_name(match["type"])
    if _NUMBER.fullmatch(text) and (name in _INTEGERS or name == "numeric"):
        if name == "numeric":
            return _field_overflow(match)
        if text.strip().lstrip("+-").isdigit():
            return NumericOutOfRange(f'value "{text}" is out of range for type {name}')
    if name == "numeric" and special_of_word(text) is not None:
        return NumericOutOfRange("numeric field overflow")
    if _NUMBER.fullmatch(text) and name in {"real", "double precision"}:
        return NumericOutOfRange(f'"{text}" is out of range for type {name}')
    if name == "interval":
        return InvalidDatetimeFormat(f'invalid input syntax for type interval: "{text}"')
    return InvalidTextRepresentation.of(name, text)


def _bad_moment(match: re.Match[str]) -> PgError:
    names = {
        "date": "date",
        "time": "time without time zone",
        "timestamp": "timestamp without time zone",
    }
    name = names[match["what"].lower()]
    return InvalidDatetimeFormat(f'invalid input syntax for type {name}: "{match["text"]}"')


def _duplicate(match: re.Match[str]) -> PgError:
    del match
    return UniqueViolation("duplicate key value violates unique constraint")


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], PgError]]

_RULES: Final[tuple[_Rule, ...]] = (
    (
        re.compile(r"database has been invalidated|Failed to create checkpoint"),
        lambda _: IoError(
            "the storage of the database has failed",
            detail="It could not be written, and answers nothing until it is opened anew.",
            hint="Free disk space if there is none, and restart the server. What was committed is in the log.",
        ),
    ),
    (
        re.compile(r"Cannot subtract infinite timestamps"),
        lambda _: DatetimeFieldOverflow("cannot subtract infinite timestamps"),
    ),
    (re.compile(r"[Dd]ivision by zero|[Mm]odulo by zero"), lambda _: DivisionByZero.plain()),
    (
        re.compile(
            r"""Could not (?:convert|cast) string ['"](?P<text>.*)['"] to (?P<type>\w+)"""
            r"(?:\((?P<precision>\d+),(?P<scale>\d+)\))?",
            re.DOTALL,
        ),
        _not_converted,
    ),
    (
        re.compile(
            r"invalid (?P<what>date|time|timestamp) field format: \"(?P<text>.*)\", expected",
            re.DOTALL,
        ),
        _bad_moment,
    ),
    (
        re.compile(
            r"(?:date|time|timestamp) field value out of range: \"(?P<text>.*)\"", re.DOTALL
        ),
        lambda m: DatetimeFieldOverflow(f'date/time field value out of range: "{m["text"]}"'),
    ),
    (
        re.compile(r"Failed to cast decimal value \S+ to type (?P<type>\w+)"),
        lambda m: _out_of_range(m["type"]),
    ),
    (
        re.compile(r"out of range for the destination type (?P<type>[A-Z0-9]+)"),
        lambda m: _out_of_range(m["type"]),
    ),
    (
        re.compile(r"to (?:type )?DECIMAL\((?P<precision>\d+),(?P<scale>\d+)\)|of DECIMAL\(\d+"),
        _field_overflow,
    ),
    (
        re.compile(r"Overflow in (?:\w+) of (?P<type>INT\d+|DECIMAL|HUGEINT)"),
        lambda m: _out_of_range(m["type"]),
    ),
    (
        re.compile(r"Overflow in negation of (?P<type>\w+)"),
        lambda m: NumericOutOfRange(f"{m['type']} out of range"),
    ),
    (
        re.compile(r"Overflow (?:in|on) (?:negation|abs|division).*?-(?P<value>\d+)"),
        lambda m: _out_of_range(_WIDTHS.get(m["value"], "INT64")),
    ),
    (
        re.compile(r"Malformed JSON|Failed to parse JSON"),
        lambda _: InvalidTextRepresentation("invalid input syntax for type json"),
    ),
    (
        re.compile(r"Cannot (?P<operation>AND|OR|XOR) bit strings of different sizes"),
        lambda m: _coded("22026", f"cannot {m['operation']} bit strings of different sizes"),
    ),
    (
        re.compile(r"[Ll]ike pattern must not end with escape character"),
        lambda _: InvalidEscapeSequence("LIKE pattern must not end with escape character"),
    ),
    (
        re.compile(r"Argument for ntile must be greater than zero"),
        lambda _: _coded("22014", "argument of ntile must be greater than zero"),
    ),
    (
        re.compile(r"More than one row returned by a subquery"),
        lambda _: CardinalityViolation(
            "more than one row returned by a subquery used as an expression"
        ),
    ),
    (
        re.compile(
            r"(?:date|timestamp|interval|time|microseconds?) .*out of range|(?:Date|Timestamp) out of range"
            r"|(?:not in|overflows) timestamp range",
            re.IGNORECASE,
        ),
        lambda _: DatetimeFieldOverflow("timestamp out of range"),
    ),
    (
        re.compile(r"NOT NULL constraint failed: (?:[\w\"]+\.)*(?P<column>[\w\"]+)"),
        lambda m: NotNullViolation(
            f'null value in column "{m["column"]}" violates not-null constraint'
        ),
    ),
    (re.compile(r"[Dd]uplicate key|PRIMARY KEY or UNIQUE constraint"), _duplicate),
    (
        re.compile(
            r"missing \)|missing \]|no argument for repetition|invalid escape|bad repetition|invalid perl operator|unexpected \)|invalid character class"
        ),
        lambda m: InvalidRegularExpression(f"invalid regular expression: {m[0]}"),
    ),
    (re.compile(r"Unknown TimeZone '(?P<zone>.*)'"), lambda m: _unknown_zone(m["zone"])),
    (
        re.compile(r"[Ii]nvalid (?:unicode|UTF-?8)"),
        lambda _: CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8"'),
    ),
    (
        re.compile(r"No space left on device|[Dd]isk (?:is )?full"),
        lambda _: DiskFull("could not write: No space left on device"),
    ),
    (
        re.compile(r"[Oo]ut of [Mm]emory|failed to allocate|could not allocate|std::bad_alloc"),
        lambda _: OutOfMemory("out of memory"),
    ),
    (
        re.compile(r"Cannot create index with outstanding updates"),
        lambda _: RowsInUse("rows that have changed are still read as they were"),
    ),
    (
        re.compile(r"Cannot CHECKPOINT"),
        lambda _: ObjectInUse("the database is in use by a transaction that is not finished"),
    ),
    (
        re.compile(r"[Mm]aximum (?:recursion|expression) depth"),
        lambda _: StatementTooComplex("stack depth limit exceeded"),
    ),
)


def _unknown_zone(zone: str) -> PgError:
    return _coded("22023", f'time zone "{zone}" not recognized')
