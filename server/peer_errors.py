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
    AmbiguousColumn,
    CardinalityViolation,
    DatatypeMismatch,
    DatetimeFieldOverflow,
    DependentObjectsStillExist,
    DivisionByZero,
    DuplicateColumn,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidParameterValue,
    InvalidTextRepresentation,
    NumericOutOfRange,
    PgError,
    SqlSyntaxError,
    UndefinedClass,
    UndefinedColumn,
    UndefinedDatabase,
    UndefinedFunction,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from server.peer_binding import binding_causes, type_kind

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
    if error.hint is None and asked == "table":
        return (f'Invalid input syntax: "{name}" is not a table or cannot be altered',)
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


def _incompatible(match: re.Match[str], _: PgError) -> tuple[str, ...]:
    was, becomes = (type_kind(match[part]) for part in ("was", "becomes"))
    return (f"incompatible data type change from {was} to {becomes}",)


#: Of a column that others read.
_REFERENCED: Final = (
    "unable to drop or alter the column due to being referenced by downstream materialized views "
    "or sinks"
)


def _column_used(_: re.Match[str], error: PgError) -> tuple[str, ...]:
    """Tell which generated column reads a column that should go, or that others do."""
    found = re.search(r"^column (\S+) of .* depends on column (\S+) of", error.detail or "")
    if found is None:
        return (_REFERENCED,)
    told = f'failed to drop column "{found[2]}" because it\'s referenced by a generated column'
    return (f'{told} "{found[1]}"',)


def _not_common(match: re.Match[str], _: PgError) -> tuple[str, ...]:
    told = (
        "Invalid input syntax: When CORRESPONDING is specified, at least one column of the left "
        "side shall have a column name that is the column name of some column of the right side "
        f"in a {match['what']} operation. Left side query column list: {match['left']}. Right "
        f"side query column list: {match['right']}."
    )
    return (told,)


_KIND: Final = (
    "(?P<kind>table|materialized view|view|index|source|sink|subscription|connection|secret)"
)

#: By class and message, what RisingWave says.
_WORDS: Final[tuple[tuple[type[PgError], str, _Causes], ...]] = (
    (UndefinedSchema, r'schema "(.+)" does not exist', _plain(_CATALOG, r"schema not found: \1")),
    (
        UndefinedDatabase,
        r'database "(.+)" does not exist',
        _plain(_CATALOG, r"database not found: \1"),
    ),
    (
        UndefinedClass,
        r'relation "(.+)" does not exist',
        _plain(_EXPRESSION, r"Invalid parameter name: class not found: \1"),
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
    (
        WrongObjectType,
        r'ALTER action .+ cannot be performed on relation "(.+)"',
        _plain(r'Invalid input syntax: "\1" is not a table or cannot be altered'),
    ),
    (DependentObjectsStillExist, rf"cannot drop {_KIND} .* because other objects.*", _still_used),
    (DependentObjectsStillExist, "cannot drop column .*", _column_used),
    (
        FeatureNotSupported,
        "cannot alter type of a column used by a view or rule",
        _plain(f"Feature is not yet implemented: {_REFERENCED}"),
    ),
    (
        SqlSyntaxError,
        'parameter "(streaming\\..+)" specified more than once',
        _plain(r"Invalid input syntax: Duplicate option for ALTER CONFIG: \1"),
    ),
    (
        SqlSyntaxError,
        "the configuration of a streaming job takes only parameters .*",
        _plain(
            "Invalid input syntax: ALTER CONFIG only accepts options starting with `streaming.`"
        ),
    ),
    (
        InvalidParameterValue,
        "unrecognized parameters? of streaming jobs: (.+)",
        _plain(r"Invalid parameter value: Invalid parameter: unrecognized configs: [\1]"),
    ),
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
        InvalidParameterValue,
        r"cannot cast jsonb (\w+) to type (?:smallint|integer|bigint|real|double .*|numeric)",
        _plain(_EXPRESSION, r"Invalid parameter json: cannot cast jsonb \1 to type number"),
    ),
    (
        InvalidParameterValue,
        "cannot call jsonb_each(?:_text)? on a non-object",
        _plain(_EXPRESSION, "Invalid parameter jsonb: cannot deconstruct a non-object"),
    ),
    (
        InvalidParameterValue,
        "argument list must have even number of elements",
        _plain(r"Bind error: \g<0>"),
    ),
    (
        InvalidParameterValue,
        r"(step|start|stop) size cannot be (NaN|infinity)",
        _plain(_EXPRESSION, r"Invalid parameter \1: \1 value cannot be \2"),
    ),
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
        UndefinedFunction,
        r"function rw_vnode\((?P<only>\w*)\) does not exist",
        lambda match, _: (
            f"Function `rw_vnode` takes at least 2 arguments ({int(bool(match['only']))} given)",
        ),
    ),
    (
        AmbiguousColumn,
        r'column "?([^"]+?)"? of EXCEPT is ambiguous',
        _plain(r"Ambiguous column name: \1"),
    ),
    (
        DuplicateColumn,
        "column specified more than once in EXCEPT",
        _plain("Bind error: Duplicate entry in except list"),
    ),
    (
        SqlSyntaxError,
        r"EXCEPT of \* takes names of columns",
        _plain("Bind error: Only support column name in except list"),
    ),
    (
        UndefinedColumn,
        r'column "(.+)" of CORRESPONDING BY is not in both queries',
        _plain(
            r"Invalid input syntax: Column name `\1` in CORRESPONDING BY is not found in a side of "
            "the UNION operation. It shall be included in both sides."
        ),
    ),
    (
        SqlSyntaxError,
        r"(?P<what>[A-Z]+) CORRESPONDING needs .*: (?P<left>\(.*\)) and (?P<right>\(.*\))",
        _not_common,
    ),
    (
        DatatypeMismatch,
        r"argument of (LIMIT|OFFSET) must be type bigint, not type .*",
        _plain(
            _EXPRESSION,
            r"expects an integer or expression that can be evaluated to an integer after \1",
        ),
    ),
    (
        FeatureNotSupported,
        r"set-returning functions are not allowed in (LIMIT|OFFSET)",
        _plain(
            _EXPRESSION,
            r"expects an integer or expression that can be evaluated to an integer after \1, "
            "but found non-const expression",
        ),
    ),
    (
        DatatypeMismatch,
        "incompatible data type change from (?P<was>.*) to (?P<becomes>.*)",
        _incompatible,
    ),
    (
        FeatureNotSupported,
        "ADD COLUMN with PRIMARY KEY is not supported",
        _plain("Invalid input syntax: alter primary key of table is not supported"),
    ),
    (
        FeatureNotSupported,
        'the type of column "(.+)" cannot be altered',
        _plain(r"Invalid input syntax: only types containing struct can be altered"),
    ),
    (FeatureNotSupported, r"(?s)(.*)", _plain(r"Feature is not yet implemented: \1")),
    (
        UndefinedColumn,
        'could not identify column "(.+)" in record data type',
        _plain(r'column "\1" not found in struct type'),
    ),
    (
        UndefinedColumn,
        r'column "?([^" ]+)"? does not exist',
        _plain(r"Failed to bind expression: \1", r"Item not found: Invalid column: \1"),
    ),
    (
        InvalidParameterValue,
        r'(\w+)\(\) does not support the "global" option',
        _plain(_EXPRESSION, r"Invalid parameter \1: \1 does not support the global option"),
    ),
    (InvalidParameterValue, r"invalid map key type: .*", _plain(r"Bind error: \g<0>")),
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
    bound = binding_causes(error)
    if bound is not None:
        told = copy(error)
        told.message = _chain(_PHASES.get(message, _PHASES[b"Q"]), bound)
        told.hint = None  # What RisingWave has to say of it stands in the message.
        return told
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
