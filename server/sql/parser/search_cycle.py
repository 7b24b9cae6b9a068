"""SEARCH and CYCLE behind a query of WITH, which sqlglot knows in part and of the last query alone.

The clauses are taken out of the tokens and go with the query's name, from which they are taken when
the tree is there: see ``clauses_of``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.changelog import CHANGELOG
from server.sql.parser.tokens import opening_of, retold, word

#: Between a query's name and its clauses; no name has it.
_MARK: Final = "\0"
_CLAUSES: Final = "search and cycle"


@dataclass(frozen=True, slots=True)
class SearchClause:
    """``SEARCH BREADTH|DEPTH FIRST BY columns SET name``; the offset is that of its first word."""

    is_breadth: bool
    columns: tuple[str, ...]
    name: str
    start: int


@dataclass(frozen=True, slots=True)
class CycleClause:
    """``CYCLE columns SET mark [TO value DEFAULT default] USING path``; values as written."""

    columns: tuple[str, ...]
    mark: str
    path: str
    value: str
    default: str
    start: int


def with_clauses_apart(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without SEARCH and CYCLE, which the names of their queries carry."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        taken = _clause(tokens, at) if found and found[-1].token_type is TokenType.R_PAREN else None
        name = None if taken is None else _name_before(found)
        if taken is None or name is None:
            found.append(tokens[at])
            at += 1
            continue
        clause, end = taken
        carrier = found[name]
        text, _, before = carrier.text.partition(_MARK)
        if carrier.token_type is not TokenType.IDENTIFIER:
            text = text.lower()
        clauses = json.loads(before or "{}")
        if clauses.keys() & {"cycle", *clause}:
            found.append(tokens[at])  # Each comes once, and SEARCH before CYCLE.
            at += 1
            continue
        clauses |= clause
        found[name] = retold(carrier, text + _MARK + json.dumps(clauses), TokenType.IDENTIFIER)
        at = end
    return found


def take_clauses(query: exp.Expr) -> None:
    """Take the clauses that a query's name carries into its ``meta``."""
    identifier = query.args["alias"].this
    name, _, clauses = str(identifier.this).partition(_MARK)
    if clauses:
        identifier.set("this", name)
        query.meta[_CLAUSES] = clauses


def clauses_of(query: exp.Expr) -> tuple[SearchClause | None, CycleClause | None]:
    """Return the clauses of a query of WITH."""
    found = json.loads(query.meta.get(_CLAUSES, "{}"))
    search, cycle = found.get("search"), found.get("cycle")
    return (
        None if search is None else SearchClause(**search | {"columns": tuple(search["columns"])}),
        None if cycle is None else CycleClause(**cycle | {"columns": tuple(cycle["columns"])}),
    )


def is_changelog(query: exp.Expr) -> bool:
    """Whether a query of WITH is ``CHANGELOG FROM`` what it reads."""
    return CHANGELOG in json.loads(query.meta.get(_CLAUSES, "{}"))


def _clause(tokens: Sequence[Token], at: int) -> tuple[dict[str, object], int] | None:
    """Return the clause that begins at an index, and the index after it; None if none does."""
    reader = _Reader(tokens, at)
    if reader.words("search"):
        is_breadth = reader.words("breadth")
        if not is_breadth and not reader.words("depth"):
            return None
        if not reader.words("first", "by"):
            return None
        columns = reader.names()
        if not columns or not reader.words("set") or not (name := reader.name()):
            return None
        search = {"is_breadth": is_breadth, "columns": columns, "name": name}
        return {"search": search | {"start": tokens[at].start}}, reader.at
    if not reader.words("cycle"):
        return None
    columns = reader.names()
    if not columns or not reader.words("set") or not (mark := reader.name()):
        return None
    value, default = "true", "false"
    if reader.words("to"):
        value = reader.until("default")
        reader.words("default")
        default = reader.until("using")
    if not reader.words("using") or not (path := reader.name()) or not value or not default:
        return None
    cycle = {"columns": columns, "mark": mark, "path": path, "value": value, "default": default}
    return {"cycle": cycle | {"start": tokens[at].start}}, reader.at


class _Reader:
    """Reads the words of a clause."""

    def __init__(self, tokens: Sequence[Token], at: int) -> None:
        self._tokens = tokens
        self.at = at

    def words(self, *wanted: str) -> bool:
        """Take the words if all of them stand in front."""
        following = self._tokens[self.at : self.at + len(wanted)]
        texts = [
            "" if token.token_type is TokenType.IDENTIFIER else word(token) for token in following
        ]
        if texts != list(wanted):
            return False
        self.at += len(wanted)
        return True

    def name(self) -> str:
        """Take a name; empty if there is none."""
        found = word(self._tokens[self.at]) if self.at < len(self._tokens) else ""
        self.at += bool(found)
        return found

    def names(self) -> list[str]:
        """Take names with commas between them."""
        found = [self.name()]
        while self.at < len(self._tokens) and self._tokens[self.at].token_type is TokenType.COMMA:
            self.at += 1
            found.append(self.name())
        return found if all(found) else []

    def until(self, stop: str) -> str:
        """Take a constant up to a word, and return it as it is written."""
        pieces: list[str] = []
        while self.at < len(self._tokens) and word(self._tokens[self.at]) != stop:
            token = self._tokens[self.at]
            text = token.text
            if token.token_type is TokenType.STRING:
                text = "'" + text.replace("'", "''") + "'"
            pieces.append(text)
            self.at += 1
        return " ".join(pieces)


def _name_before(tokens: Sequence[Token]) -> int | None:
    """Return the index of the name of the query in WITH that the tokens end with, or None."""
    at = opening_of(tokens, len(tokens) - 1)
    if at is None:
        return None
    at -= 1
    if word(tokens[at]) == "materialized":
        at -= 1 + (word(tokens[at - 1]) == "not")
    if at < 1 or tokens[at].token_type is not TokenType.ALIAS:
        return None
    at -= 1
    if tokens[at].token_type is TokenType.R_PAREN:
        opening = opening_of(tokens, at)
        if opening is None:
            return None
        at = opening - 1
    return at if at >= 0 and word(tokens[at]) else None
