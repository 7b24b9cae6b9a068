"""Statements and expressions as RisingWave shows them: one line, the grammar's words in capitals.

Whoever wrote a statement finds it again by its names, numbers and strings, which stay as they
are; so does the order of everything. What changes is blanks and comments, the capitals of words
that can be nothing but grammar, and AS, which stands before every alias.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.functions.lambda_call import LAMBDA_CALL
from server.sql.functions.map_call import MAP_CALL
from server.sql.parse import parse
from server.sql.parser.lexing import Lexed, tokenize
from server.sql.source import Source
from server.sql.statement import CreateTable, Query

#: Words of the grammar, alone and in pairs that are one token.
_KEYWORDS: Final = frozenset(
    """
    all and any array as asc at between both by case cast close collate create cross cube current
    desc distinct else emit end escape except exclude exists extract false fetch filter first
    following for force from full group grouping having if ilike in index inner intersect
    interval into is join last lateral leading left like limit map materialized natural no not
    null nulls offset on only or order ordinality others outer over overlaps partition preceding
    range recursive right rollup row rows select session sets similar sink some table temporal
    temporary then ties to trailing true unbounded union using values view when where window
    with within without zone
    """.split()  # noqa: SIM905 - a list of words reads better than ninety quoted ones
)

#: What is a function where a parenthesis follows.
_CALLED: Final = frozenset({"first", "if", "last", "left", "range", "right"})

#: Words with nothing between them and their parenthesis.
_TIGHT: Final = frozenset({"cast", "extract", "row"})

#: What is not part of what is created.
_CONDITION: Final = re.compile(r"(CREATE (?:MATERIALIZED VIEW|VIEW|SINK) )IF NOT EXISTS ")

#: RisingWave writes the truth values small.
_SMALL: Final = frozenset({"true", "false"})

_NOTHING_BEFORE: Final = frozenset(
    {
        *(TokenType.COMMA, TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.SEMICOLON),
        *(TokenType.DOT, TokenType.DCOLON, TokenType.L_BRACKET, TokenType.R_BRACE),
    }
)
_NOTHING_BEHIND: Final = frozenset(
    {
        *(TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.DOT, TokenType.DCOLON),
        TokenType.L_BRACE,
    }
)
_SIGNS: Final = frozenset({TokenType.DASH, TokenType.PLUS, TokenType.TILDE})
_ENDS_OF_VALUES: Final = frozenset(
    {
        *(TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.NUMBER),
        *(TokenType.STRING, TokenType.IDENTIFIER),
    }
)


def peers_spelling(text: str) -> str:
    """Return the text of a statement that creates a view or a sink as RisingWave shows it."""
    source = Source(text)
    parsed = parse(source)
    tree = parsed.tree if isinstance(parsed, Query) else getattr(parsed, "query", None)
    spelling = _Spelling(tokenize(source), tree if isinstance(tree, exp.Expr) else None)
    return _CONDITION.sub(r"\1", spelling.text(), count=1)


def peers_expression(node: exp.Expr) -> str:
    """Return an expression as RisingWave shows it: casts are CAST, and no alias stands behind."""
    shown = node.copy().transform(_with_own_calls)
    return shown.sql(dialect="risingwave", normalize_functions=False, comments=False)


def _with_own_calls(node: exp.Expr) -> exp.Expr:
    """Return a node as text that is something else to the parser than it was written as."""
    if isinstance(node, exp.Bracket):
        inner = ", ".join(peers_expression(part) for part in node.expressions)
        return exp.Var(this=f"{peers_expression(node.this)}[{inner}]")
    if not isinstance(node, exp.Anonymous) or not isinstance(node.this, str):
        return node
    arguments = [peers_expression(argument) for argument in node.expressions]
    match node.this.lower():
        case "row":
            return exp.Var(this=f"ROW({', '.join(arguments)})")
        case name if name == MAP_CALL:
            pairs = zip(arguments[::2], arguments[1::2], strict=True)
            return exp.Var(this=f"MAP {{{', '.join(f'{key}: {value}' for key, value in pairs)}}}")
        case name if name == LAMBDA_CALL:
            names = ", ".join(argument.name for argument in node.expressions[:-1])
            return exp.Var(this=f"|{names}| {arguments[-1]}")
        case _:
            return node


def is_from_query(text: str) -> bool:
    """Whether a statement that creates a table takes its columns from a query."""
    parsed = parse(Source(text))
    return isinstance(parsed, CreateTable) and parsed.query is not None


class _Spelling:
    """One statement, token by token."""

    def __init__(self, lexed: Lexed, tree: exp.Expr | None) -> None:
        self._lexed = lexed
        self._names: set[int] = set()
        self._aliases: set[int] = set()
        for name in () if tree is None else tree.find_all(exp.Identifier):
            start = name.meta.get("start")
            if start is None:
                continue
            self._names.add(start)
            is_alias = isinstance(name.parent, exp.Alias) and name.arg_key == "alias"
            if is_alias or (isinstance(name.parent, exp.TableAlias) and name.arg_key == "this"):
                self._aliases.add(start)
        for before, token in pairwise(lexed.tokens):
            if before.token_type is TokenType.DOT:
                self._names.add(token.start)
            elif token.token_type is TokenType.DOT:
                self._names.add(before.start)
        for part in () if tree is None else tree.find_all(exp.CTE):
            self._aliases.discard(part.args["alias"].this.meta.get("start", -1))

    def text(self) -> str:
        """Return the statement."""
        pieces: list[str] = []
        before: Token | None = None
        was_sign = False
        for place, token in enumerate(self._lexed.tokens):
            if token.start in self._aliases and not self._is(before, TokenType.ALIAS):
                pieces.append(" AS")
            is_sign = token.token_type in _SIGNS and not self._ends_value(before)
            if before is not None and not was_sign and self._parted(before, token):
                pieces.append(" ")
            pieces.append(self._written(token, place))
            before, was_sign = token, is_sign
        return "".join(pieces).rstrip("; ")

    def _written(self, token: Token, place: int) -> str:
        raw = self._lexed.text[token.start : token.end + 1]
        words = raw.lower().split()
        if not self._is_keyword(token, words):
            return raw
        if words[0] in _CALLED and self._is(self._following(place), TokenType.L_PAREN):
            return raw
        return words[0] if words[0] in _SMALL else " ".join(words).upper()

    def _is_keyword(self, token: Token, words: list[str]) -> bool:
        return token.start not in self._names and bool(words) and _KEYWORDS.issuperset(words)

    def _following(self, place: int) -> Token | None:
        tokens = self._lexed.tokens
        return tokens[place + 1] if place + 1 < len(tokens) else None

    def _parted(self, before: Token, token: Token) -> bool:
        """Whether a blank stands between two tokens."""
        if TokenType.COLON in (before.token_type, token.token_type):
            return token.start > before.end + 1  # Of a slice, or of a map: as it was.
        if before.token_type in _NOTHING_BEHIND:
            return False
        if token.token_type is TokenType.L_BRACKET:
            return False
        if token.token_type in _NOTHING_BEFORE:
            return False
        if token.token_type is not TokenType.L_PAREN:
            return True
        if before.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET):
            return False
        raw = self._lexed.text[before.start : before.end + 1].lower().split()
        if self._is_keyword(before, raw) and raw[-1] not in _CALLED | _TIGHT:
            return True
        return not (raw[0][0].isalpha() or raw[0][0] in '_"')

    def _ends_value(self, token: Token | None) -> bool:
        """Whether a sign behind a token stands between two values."""
        if token is None:
            return False
        if token.token_type in _ENDS_OF_VALUES or token.start in self._names:
            return True
        raw = self._lexed.text[token.start : token.end + 1].lower().split()
        return (raw[0][0].isalpha() or raw[0][0] == "_") and (
            not self._is_keyword(token, raw) or raw[-1] in {*_SMALL, "end", "null"}
        )

    @staticmethod
    def _is(token: Token | None, kind: TokenType) -> bool:
        return token is not None and token.token_type is kind
