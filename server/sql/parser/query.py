"""Queries and expressions inside statements: sqlglot parses them, ``strict`` looks them over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser import strict
from server.sql.parser.cursor import Cursor
from server.sql.query_tree import TEXT
from server.sql.sqlglot_errors import near, tree_of

#: What a query may begin with.
QUERY_WORDS: Final = frozenset({"SELECT", "VALUES", "WITH", "TABLE", "("})

#: What may end a query and says nothing.
_READ_ONLY: Final = ["FOR", "READ", "ONLY"]

_SELECT: Final = Token(TokenType.SELECT, "SELECT", 1, 1, 0, 0, [])
_STAR: Final = Token(TokenType.STAR, "*", 1, 1, 0, 0, [])
_FROM: Final = Token(TokenType.FROM, "FROM", 1, 1, 0, 0, [])
_ONE: Final = Token(TokenType.NUMBER, "1", 1, 1, 0, 0, [])
_OPEN: Final = Token(TokenType.L_PAREN, "(", 1, 1, 0, 0, [])
_CLOSE: Final = Token(TokenType.R_PAREN, ")", 1, 1, 0, 0, [])


def query_tree(cursor: Cursor, tokens: Sequence[Token]) -> exp.Expr:
    """Parse a query: SELECT, VALUES, TABLE, WITH or a set operation.

    Raises:
        SqlSyntaxError: The tokens are not one query.
    """
    if not tokens:
        raise near(None, cursor.text, cursor.source)
    if tokens[0].text.upper() not in QUERY_WORDS:
        raise near(tokens[0], cursor.text, cursor.source)
    if [token.text.upper() for token in tokens[-3:]] == _READ_ONLY:
        tokens = tokens[:-3]
    tree = _tree(cursor, tokens)
    if not isinstance(tree, exp.Query | exp.Values):
        raise near(tokens[0], cursor.text, cursor.source)
    return strict.checked(tree, cursor.text, cursor.source)


def expression_tree(cursor: Cursor, tokens: Sequence[Token]) -> exp.Expr:
    """Parse one expression without an alias."""
    expressions = _projections(cursor, tokens)
    if len(expressions) != 1 or isinstance(expressions[0], exp.Alias | exp.Aliases | exp.Star):
        raise near(tokens[-1], cursor.text, cursor.source)
    return expressions[0]


def expression_trees(cursor: Cursor, tokens: Sequence[Token]) -> tuple[exp.Expr, ...]:
    """Parse expressions with commas between them, with aliases and stars as in SELECT."""
    return _projections(cursor, tokens)


def from_tree(cursor: Cursor, tokens: Sequence[Token]) -> exp.Select:
    """Parse what stands after FROM; the result is ``SELECT * FROM`` it."""
    tree = _tree(cursor, (_SELECT, _STAR, _FROM, *tokens))
    allowed = {"expressions", "from_", "joins", "laterals"}
    if not isinstance(tree, exp.Select) or _other_clauses(tree, allowed):
        raise near(tokens[0], cursor.text, cursor.source)
    strict.checked(tree, cursor.text, cursor.source)
    return tree


def relation_tree(cursor: Cursor, tokens: Sequence[Token]) -> exp.Expr:
    """Parse the name of a relation; the result is ``SELECT * FROM`` it."""
    tree = from_tree(cursor, tokens)
    relation = tree.args["from_"].this
    is_name = type(relation) is exp.Table and isinstance(relation.this, exp.Identifier)
    if not is_name or relation.args.get("alias") or len(tree.args.get("joins") or ()):
        raise near(tokens[-1], cursor.text, cursor.source)
    return tree


def with_tree(cursor: Cursor, tokens: Sequence[Token]) -> exp.With:
    """Parse a WITH clause that stands before INSERT, UPDATE or DELETE."""
    tree = _tree(cursor, (*tokens, _SELECT, _ONE))
    clause = tree.args.get("with_")
    if not isinstance(clause, exp.With):
        raise near(tokens[0], cursor.text, cursor.source)
    strict.checked(tree, cursor.text, cursor.source)
    clause.pop()
    return clause


def _projections(cursor: Cursor, tokens: Sequence[Token]) -> tuple[exp.Expr, ...]:
    tree = _tree(cursor, (_SELECT, *tokens))
    if not isinstance(tree, exp.Select) or _other_clauses(tree, {"expressions"}):
        raise near(tokens[0], cursor.text, cursor.source)
    strict.checked(tree, cursor.text, cursor.source)
    expressions: list[exp.Expr] = tree.expressions
    for expression in expressions:
        expression.meta[TEXT] = cursor.text
        expression.parent = None
        expression.arg_key = None
        expression.index = None
    return tuple(expressions)


def _other_clauses(tree: exp.Expr, allowed: set[str]) -> set[str]:
    return {key for key, value in tree.args.items() if value} - allowed


def _tree(cursor: Cursor, tokens: Sequence[Token]) -> exp.Expr:
    if any(t.token_type is TokenType.ARROW for t in tokens):
        tokens = _without_lambdas(tokens)
    tree = tree_of(tokens, cursor.text, cursor.source)
    tree.meta[TEXT] = cursor.text
    return tree


def _without_lambdas(tokens: Sequence[Token]) -> list[Token]:
    """Keep sqlglot from taking ``f(x -> 'key')`` for a lambda: make it ``f(((x)) -> 'key')``.

    ``strict`` takes the parentheses away again.
    """
    kept: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.ARROW and kept:
            if kept[-1].token_type is TokenType.R_PAREN:
                is_argument = len(kept) > 2 and kept[-3].token_type is TokenType.L_PAREN
                begin = len(kept) - 3
            else:
                before = kept[-2].token_type if len(kept) > 1 else None
                is_argument = before in {TokenType.L_PAREN, TokenType.COMMA}
                begin = len(kept) - 1
            if is_argument:
                kept[begin:] = [_OPEN, _OPEN, *kept[begin:], _CLOSE, _CLOSE]
        kept.append(token)
    return kept
