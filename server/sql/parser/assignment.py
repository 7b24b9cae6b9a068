"""SET of UPDATE, of ON CONFLICT and of MERGE."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from server.sql.clause import Assignment
from server.sql.parser.cursor import Cursor
from server.sql.parser.query import QUERY_WORDS, expression_tree


def assignments(cursor: Cursor) -> tuple[Assignment, ...]:
    """Take what stands after SET."""
    found: list[Assignment] = []
    while True:
        if cursor.word == "(":
            found += _row_assignment(cursor)
        else:
            column = cursor.column()
            if cursor.word in {".", "["}:
                raise cursor.unsupported("assigning to a part of a column")
            cursor.expect("=")
            found.append(Assignment((column,), _value(cursor)))
        if not cursor.accept(","):
            return tuple(found)


def _value(cursor: Cursor) -> exp.Expr | None:
    if cursor.accept("DEFAULT"):
        return None
    return expression_tree(cursor, cursor.until(",", "FROM", "WHERE", "RETURNING"))


def _row_assignment(cursor: Cursor) -> list[Assignment]:
    """Parse ``(a, b) = (1, 2)``, ``= ROW (1, 2)`` or ``= (SELECT ...)``."""
    columns = cursor.columns()
    cursor.expect("=")
    has_row = cursor.accept("ROW")
    position = cursor.position
    if cursor.word != "(":
        if has_row:
            raise cursor.error()
        _value(cursor)
        raise FeatureNotSupported(
            "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
            position=position,
        )
    if not has_row and cursor.word_at(cursor.index + 1) in QUERY_WORDS - {"("}:
        tokens = cursor.until(",", "FROM", "WHERE", "RETURNING")
        return [Assignment(columns, expression_tree(cursor, tokens))]
    cursor.expect("(")
    values = [_value(cursor)]
    while cursor.accept(","):
        values.append(_value(cursor))
    cursor.expect(")")
    if len(values) != len(columns):
        raise SqlSyntaxError("number of columns does not match number of values", position=position)
    return [Assignment((c,), v) for c, v in zip(columns, values, strict=True)]
