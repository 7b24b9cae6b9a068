"""CREATE SECRET and ALTER SECRET."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import with_options
from server.sql.parser.role_name import role_name
from server.sql.secret_statement import AlterSecret, CreateSecret, GiveSecret


def create_secret(cursor: Cursor) -> CreateSecret:
    """Parse what follows CREATE SECRET."""
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    options = with_options(cursor) if cursor.accept("WITH") else ()
    return CreateSecret(name, options, _value(cursor), if_not_exists, source=cursor.source)


def alter_secret(cursor: Cursor) -> AlterSecret | GiveSecret:
    """Parse what follows ALTER SECRET."""
    name = cursor.qualified()
    if cursor.accept("OWNER", "TO"):
        owner = role_name(cursor)
        cursor.expect_end()
        return GiveSecret(name, owner, source=cursor.source)
    options = with_options(cursor) if cursor.accept("WITH") else ()
    return AlterSecret(name, options, _value(cursor), source=cursor.source)


def _value(cursor: Cursor) -> str | None:
    """Take AS and a text in quotes of either kind, or NULL, and the end of the statement."""
    cursor.expect("AS")
    token = cursor.token
    if cursor.is_at_string:
        text: str | None = cursor.string()
    elif token is not None and token.token_type is TokenType.IDENTIFIER:
        cursor.index += 1
        text = token.text
    else:
        cursor.expect("NULL")
        text = None
    cursor.expect_end()
    return text
