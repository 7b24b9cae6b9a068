"""Options: ``WITH (name = value)``, those of COPY, and single values of parameters."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import TokenType

from server.sql.parser.cursor import Cursor
from server.sql.parser.names import RESERVED
from server.sql.statement import Option, QualifiedName

#: Words that are no value of a parameter but in quotes: those that PostgreSQL reserves altogether,
#: and not only where relations and columns are named.
_NO_VALUES: Final = RESERVED - frozenset(
    """
    authorization binary collation concurrently cross current_schema false freeze full ilike inner
    is isnull join left like natural notnull on outer overlaps right similar tablesample true
    verbose
    """.split()  # noqa: SIM905 - a list of words reads better than thirty quoted ones
)


def with_options(cursor: Cursor, *, takes_secrets: bool = False) -> tuple[Option, ...]:
    """Take ``(name = value, ...)``; names may be dotted, values literals or words.

    Args:
        cursor: In front of them.
        takes_secrets: Whether ``SECRET name`` may be a value.
    """
    cursor.expect("(")
    options = []
    while True:
        position = cursor.position
        name = option_name(cursor)
        has_value = cursor.accept("=")
        if has_value and takes_secrets and _is_secret(cursor):
            options.append(Option(name, None, position, _secret(cursor)))
        else:
            options.append(Option(name, value(cursor) if has_value else None, position))
        if not cursor.accept(",") or cursor.word == ")":  # The peer lets a comma end the list.
            break
    cursor.expect(")")
    return tuple(options)


def _is_secret(cursor: Cursor) -> bool:
    """Whether SECRET stands in front with a name behind it, rather than as a word."""
    following = cursor.index + 1
    return (
        cursor.word == "SECRET"
        and following < len(cursor.tokens)
        and cursor.word_at(following) not in {",", ")"}
    )


def _secret(cursor: Cursor) -> QualifiedName:
    cursor.expect("SECRET")
    name = cursor.qualified()
    if cursor.word == "AS":
        raise cursor.unsupported("SECRET ... AS FILE")
    return name


def format_clause(cursor: Cursor) -> tuple[str, str]:
    """Take ``FORMAT name ENCODE name``, or the older ``ROW FORMAT name``, in upper case.

    Returns:
        The two names; both are empty when there is no such clause.
    """
    if cursor.accept("ROW", "FORMAT") or cursor.accept("ROW FORMAT"):
        return "PLAIN", cursor.label().upper()
    if not cursor.accept("FORMAT"):
        return "", ""
    written = cursor.label().upper()
    cursor.expect("ENCODE")
    encode = cursor.label().upper()
    if cursor.word == "(":
        raise cursor.unsupported("options of ENCODE")
    return written, encode


def option_name(cursor: Cursor) -> str:
    """Take the name of an option, which may be dotted or in quotes."""
    parts = [cursor.string() if cursor.is_at_string else cursor.label()]
    while cursor.accept("."):
        parts.append(cursor.label())
    return ".".join(parts)


def value(cursor: Cursor) -> str:
    """Take a string, a number or a word; words are folded like names."""
    if cursor.is_at_string:
        return cursor.string()
    if cursor.is_at_number or cursor.word in {"-", "+"}:
        return cursor.number()
    return cursor.label()


def copy_options(cursor: Cursor) -> tuple[Option, ...]:
    """Take COPY's options, in brackets or in the way of PostgreSQL before version 9."""
    delimiters = _old_delimiters(cursor)
    has_with = cursor.accept("WITH")
    if cursor.accept("("):
        options = [_copy_option(cursor)]
        while cursor.accept(","):
            options.append(_copy_option(cursor))
        cursor.expect(")")
        return tuple(options)
    if has_with and cursor.is_at_end:
        raise cursor.error()
    options = delimiters
    while not cursor.is_at_end and cursor.word != "WHERE":
        options.append(_old_copy_option(cursor))
    return tuple(options)


def _old_delimiters(cursor: Cursor) -> list[Option]:
    """Take ``[USING] DELIMITERS 'c'`` of the oldest way, which comes before WITH."""
    position = cursor.position
    if cursor.word not in {"USING", "DELIMITERS"}:
        return []
    cursor.accept("USING")
    cursor.expect("DELIMITERS")
    return [Option("delimiter", cursor.string(), position)]


def _copy_option(cursor: Cursor) -> Option:
    position = cursor.position
    name = cursor.label()
    if cursor.word in {",", ")"}:
        return Option(name, None, position)
    if cursor.accept("*"):
        return Option(name, "*", position)
    if cursor.word == "(":
        names = ",".join(column.name for column in cursor.columns())
        return Option(name, names, position)
    return Option(name, value(cursor), position)


def _old_copy_option(cursor: Cursor) -> Option:
    position = cursor.position
    word = cursor.expect_any(
        *("BINARY", "CSV", "HEADER", "FREEZE", "DELIMITER", "NULL", "QUOTE", "ESCAPE", "ENCODING"),
        *("FORCE",),
    )
    if word in {"BINARY", "CSV"}:
        return Option("format", word.lower(), position)
    if word in {"HEADER", "FREEZE"}:
        return Option(word.lower(), None, position)
    if word == "FORCE":
        return _old_force(cursor, position)
    cursor.accept("AS")
    return Option(word.lower(), cursor.string(), position)


def _old_force(cursor: Cursor, position: int) -> Option:
    if cursor.accept("NOT"):
        cursor.expect("NULL")
        name = "force_not_null"
    else:
        name = f"force_{cursor.expect_any('QUOTE', 'NULL').lower()}"
    if cursor.accept("*"):
        return Option(name, "*", position)
    names = [cursor.name()]
    while cursor.accept(","):
        names.append(cursor.name())
    return Option(name, ",".join(names), position)


def parameter_name(cursor: Cursor) -> str:
    """Take the name of a parameter, which may be dotted."""
    parts = [cursor.name()]
    while cursor.accept("."):
        parts.append(cursor.label())
    return ".".join(parts).lower()


def shown_name(cursor: Cursor) -> str:
    """Take what SHOW and RESET name; phrases stand for parameters."""
    if cursor.accept("ALL"):
        return "all"
    if cursor.accept("TIME", "ZONE"):
        return "timezone"
    if cursor.accept("TRANSACTION", "ISOLATION", "LEVEL"):
        return "transaction_isolation"
    if cursor.accept("SESSION", "AUTHORIZATION"):
        return "session_authorization"
    return parameter_name(cursor)


#: Parameters of RisingWave that take a word which PostgreSQL reserves.
_OWN_WORDS: Final = {"streaming_cache_refill_policy": "BOTH"}


def parameter_value(cursor: Cursor, name: str = "") -> str:
    """Take one value of SET; TRUE, ON and the like are words in small letters."""
    if cursor.word and cursor.word == _OWN_WORDS.get(name.removeprefix("rw_")):
        return cursor.label()
    token = cursor.token
    if token is None or token.token_type in {TokenType.COMMA, TokenType.R_PAREN}:
        raise cursor.error()
    if cursor.word.lower() in _NO_VALUES:
        raise cursor.error()
    return value(cursor)


def assigned_value(cursor: Cursor) -> str | None:
    """Take ``{= | TO} value`` and the end of the statement; None is DEFAULT."""
    cursor.expect_any("=", "TO")
    if cursor.accept("DEFAULT"):
        cursor.expect_end()
        return None
    values = [parameter_value(cursor)]
    while cursor.accept(","):
        values.append(parameter_value(cursor))
    cursor.expect_end()
    return ", ".join(values)
