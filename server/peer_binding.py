"""Errors about an expression in RisingWave's words, which begin with the expression."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from sqlglot import exp

from catalog.errors import (
    AmbiguousFunction,
    DatatypeMismatch,
    IndeterminateDatatype,
    InvalidParameterValue,
    PgError,
    SqlSyntaxError,
    UndefinedColumn,
    UndefinedFunction,
)
from server.sql.spelling import peers_expression

_OPERATORS: Final = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "%": "modulus",
    "=": "equal",
    "<>": "not_equal",
    "<": "less_than",
    "<=": "less_than_or_equal",
    ">": "greater_than",
    ">=": "greater_than_or_equal",
}

#: What RisingWave calls the kinds of types by which it tells them apart.
_TYPE_KINDS: Final = {
    "bigint": "Int64",
    "boolean": "Boolean",
    "bytea": "Bytea",
    "character varying": "Varchar",
    "date": "Date",
    "double precision": "Float64",
    "integer": "Int32",
    "interval": "Interval",
    "jsonb": "Jsonb",
    "real": "Float32",
    "smallint": "Int16",
    "text": "Varchar",
    "time without time zone": "Time",
    "timestamp with time zone": "Timestamptz",
    "timestamp without time zone": "Timestamp",
    "unknown": "Varchar",
}


def type_kind(shown: str) -> str:
    """Return the kind of a type by its name."""
    if shown.endswith("[]"):
        return "List"
    name = shown.partition("<")[0].partition("(")[0]
    others = {"struct": "Struct", "map": "Map", "numeric": "Decimal"}
    return _TYPE_KINDS.get(shown, others.get(name, shown))


#: The causes below the expression; what the message matched, and the error.
_Causes: TypeAlias = Callable[[re.Match[str], PgError], tuple[str, ...]]

_EXPRESSION: Final = "Expr error"


def _call(match: re.Match[str]) -> str:
    """Return an operator of two operands as the function that it is."""
    name = _OPERATORS.get(match["sign"], match["sign"])
    return f"function {name}({match['left']}, {match['right']})"


def _hinted(message: str, error: PgError) -> str:
    hint = (error.hint or "").replace("candidate operator", "candidate function")
    return f"Bind error: {message}\nHINT:  {hint}" if hint else f"Bind error: {message}"


def _plain(match: re.Match[str], _: PgError) -> tuple[str, ...]:
    return _EXPRESSION, match[0]


def _of_bind(match: re.Match[str], error: PgError) -> tuple[str, ...]:
    return (_hinted(match[0], error),)


def _two_fields(match: re.Match[str], _: PgError) -> tuple[str, ...]:
    kinds = ", ".join(type_kind(shown) for shown in match["types"].split(", "))
    return _EXPRESSION, f"{match['told']}{kinds}"


_OPERATION: Final = r"(?P<left>\S.*) (?P<sign>[-+*/<>=~!@#%^&|`?]+) (?P<right>\S.*)"

_WORDS: Final[tuple[tuple[type[PgError], str, _Causes], ...]] = (
    (
        UndefinedFunction,
        rf"operator does not exist: {_OPERATION}",
        lambda match, _: (f"{_call(match)} does not exist",),
    ),
    (
        UndefinedColumn,
        r'column "?([^" ]+)"? does not exist',
        lambda match, _: (f"Item not found: Invalid column: {match[1]}",),
    ),
    (UndefinedFunction, r"function .* does not exist", lambda match, _: (match[0],)),
    (
        AmbiguousFunction,
        rf"operator is not unique: {_OPERATION}",
        lambda match, error: (_hinted(f"{_call(match)} is not unique", error),),
    ),
    (InvalidParameterValue, r"invalid map (?:key type|entries type).*", _plain),
    (
        InvalidParameterValue,
        r"(?P<told>the underlying struct for map must have exactly two fields, got: )(?P<types>.*)",
        _two_fields,
    ),
    (IndeterminateDatatype, r"cannot determine type of empty array", _of_bind),
    (InvalidParameterValue, r"cannot determine type of empty map", _of_bind),
    (SqlSyntaxError, r"Lambda must have exactly .*", _of_bind),
    (DatatypeMismatch, r"Lambda must return Boolean type.*|Input must be Map type.*", _of_bind),
    (
        DatatypeMismatch,
        "could not determine polymorphic type because input has type unknown",
        lambda _, __: (
            "Bind error: Cannot implicitly cast 'null:Varchar' to polymorphic type AnyArray",
        ),
    ),
)


def binding_causes(error: PgError) -> tuple[str, ...] | None:
    """Return the causes of an error that an expression has, the expression first; or None."""
    if not isinstance(error.expression, exp.Expr):
        return None
    for kind, pattern, causes in _WORDS:
        match = re.fullmatch(pattern, error.message) if isinstance(error, kind) else None
        if match is not None:
            shown = peers_expression(error.expression)
            return f"Failed to bind expression: {shown}", *causes(match, error)
    return None
