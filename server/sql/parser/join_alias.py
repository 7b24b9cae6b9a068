"""``USING (a, b) AS x``: a name for the columns that a join merges, which sqlglot does not know.

The name becomes one more in the list, with a mark that no name of a user's has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import after_closing, retold

#: What is before the alias of a join among the columns of USING.
JOIN_ALIAS: Final = "pg:join alias "


def with_join_aliases(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with every alias behind USING among the names of its columns."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _list_end(tokens, at) if token.token_type is TokenType.USING else None
        if end is None:
            found.append(token)
            at += 1
            continue
        alias = tokens[end + 1]
        name = alias.text if alias.token_type is TokenType.IDENTIFIER else alias.text.lower()
        found += tokens[at : end - 1]
        found += (
            retold(alias, ",", TokenType.COMMA),
            retold(alias, JOIN_ALIAS + name, TokenType.IDENTIFIER),
            tokens[end - 1],
        )
        at = end + 2
    return found


def _list_end(tokens: Sequence[Token], using: int) -> int | None:
    """Return the index of AS behind a list of names with an alias, None where it is no such."""
    opening = using + 1
    if opening >= len(tokens) or tokens[opening].token_type is not TokenType.L_PAREN:
        return None
    end = after_closing(tokens, opening)
    if end + 1 >= len(tokens) or tokens[end].token_type is not TokenType.ALIAS:
        return None
    inside = tokens[opening + 1 : end - 1]
    is_list = len(inside) % 2 == 1 and all(
        (token.token_type is TokenType.COMMA) == (place % 2 == 1)
        for place, token in enumerate(inside)
    )
    return end if is_list else None
