"""What a column of a SELECT list is called that has no alias (PostgreSQL's FigureColname)."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import PgError
from server.sql.bind.type_name import resolve_type
from server.sql.query_tree import AGGREGATE_PREFIX, function_name

_UNNAMED: Final = "?column?"

_FIXED: Final[dict[type[exp.Expr], str]] = {
    exp.Array: "array",
    exp.Tuple: "row",
    exp.Exists: "exists",
    exp.Extract: "extract",
    exp.StrPosition: "position",
    exp.Substring: "substring",
    exp.Overlay: "overlay",
    exp.Overlaps: "overlaps",
    exp.AtTimeZone: "timezone",
    exp.CurrentUser: "current_user",
    exp.SessionUser: "session_user",
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentSchema: "current_schema",
    exp.CurrentDatabase: "current_database",
    exp.CurrentDate: "current_date",
    exp.CurrentTime: "current_time",
    exp.CurrentTimestamp: "current_timestamp",
    exp.Localtime: "localtime",
    exp.Localtimestamp: "localtimestamp",
    exp.Unnest: "unnest",
    exp.Explode: "unnest",
}

#: Behind the name of the call that ``map {...}`` is.
_BRACES: Final = "{}"

_TRIMS: Final = {"LEADING": "ltrim", "TRAILING": "rtrim"}


def output_name(node: exp.Expr) -> str:
    """Return the name of a column that shows an expression."""
    return _strong_name(node) or _weak_name(node) or _UNNAMED


def _strong_name(node: exp.Expr) -> str | None:
    """Return the name of what names itself: columns and calls, also inside casts."""
    while True:
        match node:
            case exp.Column():
                return node.name
            case exp.Anonymous():
                return function_name(node).removesuffix(_BRACES).removeprefix(AGGREGATE_PREFIX)
            case exp.Dot():
                node = node.expression
            case exp.Identifier():
                return node.name
            case exp.Trim():
                side = str(node.args.get("position") or "").upper()
                return _TRIMS.get(side, "btrim")
            case exp.Case():
                default = node.args.get("default")
                return None if default is None else _strong_name(default)
            case exp.Subquery() | exp.Select():
                return _query_name(node)
            case (
                exp.Paren()
                | exp.Cast()
                | exp.Window()
                | exp.Filter()
                | exp.WithinGroup()
                | exp.IgnoreNulls()
                | exp.RespectNulls()
                | exp.Collate()
                | exp.Bracket()
            ):
                node = node.this
            case _:
                return _FIXED.get(type(node))


def _query_name(node: exp.Expr) -> str | None:
    while isinstance(node, (exp.Subquery, exp.Paren, exp.SetOperation)):
        node = node.this
    if isinstance(node, exp.Values):
        return "column1"
    if not isinstance(node, exp.Select) or len(node.expressions) != 1:
        return None
    first = node.expressions[0]
    return first.alias if isinstance(first, exp.Alias) else output_name(first)


def _weak_name(node: exp.Expr) -> str | None:
    """Return the name that a cast, a CASE or a constant with a type gives."""
    while isinstance(node, (exp.Paren, exp.Collate, exp.Bracket)):
        node = node.this
    match node:
        case exp.Cast():
            return _type_name(node.args["to"])
        case exp.Case():
            return "case"
        case exp.Interval():
            return "interval"
        case _:
            return None


def _type_name(node: exp.Expr) -> str | None:
    while isinstance(node, exp.DataType) and node.this is exp.DType.ARRAY and node.expressions:
        node = node.expressions[0]
    try:
        found = resolve_type(node)
    except PgError:
        kind = node.args.get("kind")
        return kind.name if isinstance(kind, exp.Expr) else None
    while found.element is not None:
        found = found.element
    return found.name


def index_word(node: exp.Expr) -> str:
    """Return what an expression is called in the name of an index."""
    name = output_name(node)
    return "expr" if name == _UNNAMED else name
