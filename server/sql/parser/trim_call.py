"""``TRIM(BOTH FROM text, characters)``, made the call of a function that it is.

What is trimmed may stand behind FROM together with the characters. sqlglot knows but the form
with the characters before FROM, which is left to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import retold

TRIM: Final = "trim"

_FUNCTIONS: Final = {"both": "btrim", "leading": "ltrim", "trailing": "rtrim"}


def with_trim_calls(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with such a call for every TRIM that has FROM at its beginning."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        following = [t.text.lower() for t in tokens[at : at + 3]]
        side = following[1] if len(following) > 1 and following[1] in _FUNCTIONS else ""
        words = ["(", side, "from"] if side else ["(", "from"]
        is_call = token.text.lower() == TRIM and token.token_type is not TokenType.IDENTIFIER
        if is_call and following[: len(words)] == words:
            found += (retold(token, _FUNCTIONS.get(side, "btrim")), tokens[at])
            at += len(words)
        else:
            found.append(token)
    return found
