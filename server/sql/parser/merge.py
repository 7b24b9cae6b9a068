"""MERGE."""

from __future__ import annotations

import copy

from sqlglot import exp

from catalog.errors import SqlSyntaxError
from server.sql.merge_statement import (
    Merge,
    MergeAction,
    MergeDelete,
    MergeInsert,
    MergeNothing,
    MergeUpdate,
    When,
)
from server.sql.parser.assignment import assignments
from server.sql.parser.cursor import Cursor
from server.sql.parser.query import expression_tree, from_tree


def parse_merge(cursor: Cursor, with_: exp.With | None = None) -> Merge:
    """Parse MERGE."""
    cursor.expect("MERGE", "INTO")
    cursor.accept("ONLY")
    table = cursor.qualified()
    cursor.accept("*")
    has_as = cursor.accept("AS")
    alias = cursor.name() if has_as or cursor.word != "USING" else None
    cursor.expect("USING")
    using = from_tree(cursor, cursor.until("ON"))
    cursor.expect("ON")
    ends = _whens(cursor)
    if not ends:
        cursor.rest()
        raise cursor.error()
    head = _part(cursor, cursor.index, ends[0])
    on = expression_tree(head, head.rest())
    whens = [
        _when(_part(cursor, start, end))
        for start, end in zip(ends, [*ends[1:], len(cursor.tokens)], strict=True)
    ]
    _check_reachable(whens)
    return Merge(table, using, on, tuple(whens), alias, with_, source=cursor.source)


def _whens(cursor: Cursor) -> list[int]:
    """Return where each WHEN [NOT] MATCHED begins."""
    found: list[int] = []
    depth = 0
    for index in range(cursor.index, len(cursor.tokens)):
        word = cursor.word_at(index)
        depth += (word == "(") - (word == ")")
        following = cursor.word_at(index + 1)
        if following == "NOT":
            following = cursor.word_at(index + 2)
        if depth == 0 and word == "WHEN" and following == "MATCHED":
            found.append(index)
    return found


def _part(cursor: Cursor, start: int, end: int) -> Cursor:
    """Return a walk over some of the tokens."""
    part = copy.copy(cursor)
    part.tokens = cursor.tokens[:end]
    part.index = start
    return part


def _when(cursor: Cursor) -> When:
    cursor.expect("WHEN")
    is_matched = not cursor.accept("NOT")
    cursor.expect("MATCHED")
    condition = None
    if cursor.accept("AND"):
        end = _then(cursor)
        part = _part(cursor, cursor.index, end)
        condition = expression_tree(part, part.rest())
        cursor.index = end
    cursor.expect("THEN")
    action = _action(cursor, is_matched=is_matched)
    cursor.expect_end()
    return When(is_matched, action, condition)


def _then(cursor: Cursor) -> int:
    """Return where THEN stands that belongs to no CASE."""
    depth = 0
    for index in range(cursor.index, len(cursor.tokens)):
        word = cursor.word_at(index)
        if word == "THEN" and depth == 0:
            return index
        depth += (word in {"(", "CASE"}) - (word in {")", "END"})
    cursor.rest()
    raise cursor.error()


def _action(cursor: Cursor, *, is_matched: bool) -> MergeAction:
    if cursor.accept("DO", "NOTHING"):
        return MergeNothing()
    if is_matched and cursor.accept("DELETE"):
        return MergeDelete()
    if is_matched:
        cursor.expect("UPDATE", "SET")
        return MergeUpdate(assignments(cursor))
    cursor.expect("INSERT")
    columns = cursor.columns() if cursor.word == "(" else ()
    if cursor.accept("OVERRIDING"):
        cursor.expect_any("USER", "SYSTEM")
        cursor.expect("VALUE")
    if cursor.accept("DEFAULT", "VALUES"):
        return MergeInsert(columns)
    cursor.expect("VALUES", "(")
    values = [_value(cursor)]
    while cursor.accept(","):
        values.append(_value(cursor))
    cursor.expect(")")
    return MergeInsert(columns, tuple(values))


def _value(cursor: Cursor) -> exp.Expr | None:
    if cursor.accept("DEFAULT"):
        return None
    return expression_tree(cursor, cursor.until(","))


def _check_reachable(whens: list[When]) -> None:
    """Refuse a WHEN clause after one of its kind that takes every row.

    Raises:
        SqlSyntaxError: There is one.
    """
    closed: set[bool] = set()
    for when in whens:
        if when.is_matched in closed:
            raise SqlSyntaxError(
                "unreachable WHEN clause specified after unconditional WHEN clause"
            )
        if when.condition is None:
            closed.add(when.is_matched)
