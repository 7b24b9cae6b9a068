"""Expressions and queries as they were written, kept true for others than who wrote them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from catalog.definition import quoted
from server.sql.parse import parse
from server.sql.parser.lexing import tokenize
from server.sql.parser.names import fold
from server.sql.source import Source
from server.sql.statement import Query


def with_renamed_column(text: str, old: str, new: str) -> str:
    """Return an expression over one row in which a column goes by its new name."""
    tokens = tokenize(Source(text)).tokens
    pieces: list[str] = []
    end = 0
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        is_call = following is not None and following.token_type is TokenType.L_PAREN
        is_quoted = token.token_type is TokenType.IDENTIFIER
        if token.token_type is TokenType.STRING or (is_call and not is_quoted):
            continue
        if fold(token.text, is_quoted=is_quoted) == old:
            pieces += [text[end : token.start], quoted(new)]
            end = token.end + 1
    return "".join([*pieces, text[end:]])


def with_schemas(query: str, relations: Mapping[str, str], functions: Mapping[str, str]) -> str:
    """Return a query in which relations and functions are named as they are to be.

    Args:
        query: As it was written.
        relations: The names of relations by what they are called; others stay as they are.
        functions: The same of functions.
    """
    parsed = parse(Source(query))
    if not isinstance(parsed, Query):
        return query
    own = {cte.alias for cte in parsed.tree.find_all(exp.CTE)}
    places: list[tuple[int, int, str]] = []
    for table in parsed.tree.find_all(exp.Table):
        name = relations.get(table.name)
        if name is not None and not table.args.get("db") and table.name not in own:
            places.append((table.this.meta["start"], table.this.meta["end"], name))
    for call in parsed.tree.find_all(exp.Anonymous):
        name = functions.get(call.name.lower())
        if name is not None and not isinstance(call.parent, exp.Dot):
            places.append((call.meta["start"], call.meta["end"], name))
    pieces: list[str] = []
    end = 0
    for start, last, name in sorted(places):
        pieces += [query[end:start], name]
        end = last + 1
    return "".join([*pieces, query[end:]])
