"""SET of UPDATE, of ON CONFLICT and of MERGE."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from server.sql.clause import Assignment, FieldPart, Part, SubscriptPart
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
            parts = _parts(cursor, column.position)
            cursor.expect("=")
            value = _value(cursor)
            if parts and value is None:
                what = "a subfield" if isinstance(parts[-1], FieldPart) else "an array element"
                raise FeatureNotSupported(
                    f"cannot set {what} to DEFAULT", position=parts[-1].position
                )
            found.append(Assignment((column,), value, parts))
        if not cursor.accept(","):
            return tuple(found)


def _parts(cursor: Cursor, position: int | None) -> tuple[Part, ...]:
    """Take ``.field`` and ``[subscript]`` as often as they come; errors show the column."""
    found: list[Part] = []
    while cursor.word in {".", "["}:
        if cursor.accept("."):
            found.append(FieldPart(cursor.label(), position))
            continue
        cursor.expect("[")
        index = _bound(cursor)
        is_slice = cursor.accept(":")
        upper = _bound(cursor) if is_slice else None
        if index is None and not is_slice:
            raise cursor.error()
        cursor.expect("]")
        found.append(SubscriptPart(index, upper, is_slice, position))
    return tuple(found)


def _bound(cursor: Cursor) -> exp.Expr | None:
    if cursor.word in {":", "]"}:
        return None
    return expression_tree(cursor, cursor.until(":"))


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
