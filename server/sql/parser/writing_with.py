"""WITH in front of a statement, when statements in it write.

sqlglot's own grammar of them is another: each is parsed by ours, and ``SELECT`` with its number is
in its place when sqlglot sees the clause.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from catalog.errors import FeatureNotSupported
from server.sql.parser.cursor import Cursor
from server.sql.parser.tokens import after_closing, retold
from server.sql.query_tree import WRITE
from server.sql.statement import Query, Write, WritingWith

WRITES: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
_MAIN: Final = WRITES | {"SELECT", "VALUES", "TABLE", "("}


def parse_writing_with(
    cursor: Cursor, parse: Callable[[Cursor], Query | Write]
) -> WritingWith | None:
    """Parse a statement that begins with WITH; None, and nothing taken, where nothing in it writes.

    Args:
        cursor: Stands at WITH.
        parse: Parses a query or a write, with a clause before it in which nothing writes.

    Raises:
        FeatureNotSupported: There is a MERGE in it.
    """
    tokens = list(cursor.tokens)
    writes: list[Write] = []
    places: list[int] = []
    for place, (start, end) in reversed(list(enumerate(_bodies(cursor)))):
        if not _writes(cursor, start, end):
            continue
        body = cursor.part(start, end)
        position = body.position
        write = parse(body)
        if cursor.word_at(start) == "MERGE":
            raise FeatureNotSupported("MERGE not supported in WITH query", position=position)
        assert not isinstance(write, Query), write
        first = cursor.tokens[start]
        number = retold(first, str(len(writes)), TokenType.NUMBER)
        tokens[start:end] = [retold(first, "SELECT", TokenType.SELECT), number]
        writes.append(write)
        places.append(place)
    if not writes:
        return None
    whole = cursor.part(0, 0)
    whole.tokens = tokens
    whole.index = cursor.index
    with_, main = _apart(parse(whole))
    for number_, place in enumerate(places):
        with_.expressions[place].meta[WRITE] = number_
    return WritingWith(with_, tuple(writes), main, source=cursor.source)


def _apart(whole: Query | Write) -> tuple[exp.With, Query | Write]:
    """Return a statement's WITH, and the statement without it."""
    if not isinstance(whole, Query):
        assert whole.with_ is not None
        return whole.with_, replace(whole, with_=None)
    tree = whole.tree
    while tree.args.get("with_") is None and isinstance(tree.this, exp.Expr):
        tree = tree.this
    with_ = tree.args["with_"]
    assert isinstance(with_, exp.With)
    with_.pop()
    return with_, whole


def _bodies(cursor: Cursor) -> list[tuple[int, int]]:
    """Return where the tokens of each query in the clause begin and end."""
    found: list[tuple[int, int]] = []
    at = cursor.index + 1
    while at < len(cursor.tokens):
        word = cursor.word_at(at)
        if word != "(":
            if word in _MAIN and cursor.word_at(at - 1) == ")":
                break
            at += 1
            continue
        end = after_closing(cursor.tokens, at)
        before = cursor.word_at(at - 1)
        if before in {"AS", "MATERIALIZED"}:
            found.append((at + 1, end - 1))
        elif before == ")":
            break
        at = end
    return found


def _writes(cursor: Cursor, start: int, end: int) -> bool:
    """Whether a query in the clause writes, itself or after a WITH of its own."""
    word = cursor.word_at(start)
    return word in WRITES or (word == "WITH" and before_write(cursor.part(start, end)) is not None)


def before_write(cursor: Cursor) -> int | None:
    """Return where INSERT, UPDATE, DELETE or MERGE follows a WITH in front, None if none does."""
    depth = 0
    for index in range(cursor.index, len(cursor.tokens)):
        word = cursor.word_at(index)
        depth += (word == "(") - (word == ")")
        if depth == 0 and word in WRITES and cursor.word_at(index - 1) == ")":
            return index
    return None
