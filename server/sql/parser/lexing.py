"""The tokens of one statement: sqlglot's tokenizer, held to PostgreSQL's lexical rules.

sqlglot's own strings with escapes, dollar quotes, comments and hints differ from PostgreSQL's in
detail. So each string is decoded here, and the tokenizer is given a text of the same length in
which every string with a prefix is a plain one, comments are blanks, the dollar of a parameter
is an at sign (``$1,$`` would be a dollar quote to it) and an exponent with a sign behind it is
digits (``1e8+1`` would be one number to it): offsets stay true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import (
    CharacterNotInRepertoire,
    InvalidEscapeSequence,
    PgError,
    SqlSyntaxError,
)
from server.sql.source import Lexeme, LexemeKind, Source, lexemes, without_comments
from server.sql.sqlglot_errors import DIALECT, tokens_of

#: At the start of a statement sqlglot takes these and all that follows as one opaque text.
_OPAQUE_WORDS: Final = frozenset(
    word
    for word, kind in DIALECT.tokenizer_class.KEYWORDS.items()
    if kind in DIALECT.tokenizer_class.COMMANDS
)
_FIRST_WORD: Final = re.compile(r"\s*([^\W\d]\w*)")

_MAY_NEED_MASK: Final = re.compile(r"[eE&]['\"]|\$|[eE]\d+[+-]|[eE][+-]\d+[+-]")
_PARAMETER: Final = re.compile(r"(?<![\w$])\$(?=\d)")
#: A number with an exponent that a sign follows.
_BEFORE_SIGN: Final = re.compile(r"(?<![\w$])\d+(?:\.\d*)?[eE][+-]?\d+(?=[+-])")
_NO_DIGIT: Final = re.compile(r"[eE+-]")
#: Operators that would be others with the at sign of a parameter behind them, and what they are.
_STICKY: Final = re.compile(r"[<^@]\$\d")
#: A type whose brackets are one operator to the tokenizer.
_EMPTY_STRUCT: Final = re.compile(r"struct\s*<>", re.IGNORECASE)

_UNSTUCK: Final = {
    TokenType.LT_AT: TokenType.LT,
    TokenType.CARET_AT: TokenType.CARET,
    TokenType.DAT: TokenType.PARAMETER,
}

_PREFIXED: Final = frozenset(
    {
        LexemeKind.ESCAPE_STRING,
        LexemeKind.UNICODE_STRING,
        LexemeKind.UNICODE_IDENTIFIER,
        LexemeKind.DOLLAR_STRING,
    }
)


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens of a statement."""

    source: Source
    text: str  #: The statement with blanks for comments; tokens' offsets count in it.
    tokens: list[Token]


def tokenize(source: Source) -> Lexed:
    """Return the tokens of a statement; string tokens carry the string they mean.

    Raises:
        SqlSyntaxError: A quote does not end, or an escape is malformed.
    """
    try:
        text = without_comments(source.text)
        masked, decoded = _mask(text)
    except PgError as e:
        if e.position is not None:
            e.position += source.start
        raise
    tokens = tokens_of(masked, source)
    if _EMPTY_STRUCT.search(text) is not None:
        tokens = _with_brackets(tokens)
    if _STICKY.search(text) is not None:
        tokens = _without_parameters(tokens, text)
    if decoded:
        for token in tokens:
            value = decoded.get(token.start)
            if value is not None:
                token.text = value
    return Lexed(source, text, tokens)


def _with_brackets(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the two brackets of each struct without columns."""
    parted: list[Token] = []
    for token in tokens:
        is_brackets = token.token_type is TokenType.NEQ and token.text == "<>"
        if not is_brackets or not parted or parted[-1].token_type is not TokenType.STRUCT:
            parted.append(token)
            continue
        line, start = token.line, token.start
        parted += (
            Token(TokenType.LT, "<", line, token.col - 1, start, start),
            Token(TokenType.GT, ">", line, token.col, token.end, token.end),
        )
    return parted


def _without_parameters(tokens: list[Token], text: str) -> list[Token]:
    """Return the tokens with those parted that are an operator and a parameter's beginning."""
    parted: list[Token] = []
    for token in tokens:
        kind = _UNSTUCK.get(token.token_type)
        if kind is None or text[token.end] != "$":
            parted.append(token)
            continue
        end = token.end - 1
        sign = Token(kind, text[token.start : token.end], token.line, token.col, token.start, end)
        parted += (
            sign,
            Token(TokenType.PARAMETER, "@", token.line, token.col, token.end, token.end),
        )
    return parted


def _mask(text: str) -> tuple[str, dict[int, str]]:
    """Return the text for sqlglot's tokenizer, and by offset what its tokens really say."""
    decoded: dict[int, str] = {}
    first = _FIRST_WORD.match(text)
    if first is not None and first[1].upper() in _OPAQUE_WORDS:
        decoded[first.start(1)] = first[1]
        text = text[: first.start(1)] + "_" * len(first[1]) + text[first.end(1) :]
    if _MAY_NEED_MASK.search(text) is None:
        return text, decoded
    pieces = []
    at = 0

    def plain(begin: int, end: int) -> str:
        """Return what stands between two lexemes."""

        def in_digits(number: re.Match[str]) -> str:
            decoded[begin + number.start()] = number[0]
            return _NO_DIGIT.sub("0", number[0])

        return _PARAMETER.sub("@", _BEFORE_SIGN.sub(in_digits, text[begin:end]))

    for lexeme in lexemes(text):
        pieces.append(plain(at, lexeme.start))
        at = lexeme.end
        if lexeme.kind in _PREFIXED:
            decoded[lexeme.start] = _decode(text, lexeme)
            quote = '"' if lexeme.kind is LexemeKind.UNICODE_IDENTIFIER else "'"
            pieces += (quote, "_" * (lexeme.end - lexeme.start - 2), quote)
        else:
            pieces.append(text[lexeme.start : at])
    pieces.append(plain(at, len(text)))
    return "".join(pieces), decoded


def _decode(text: str, lexeme: Lexeme) -> str:
    whole = text[lexeme.start : lexeme.end]
    match lexeme.kind:
        case LexemeKind.DOLLAR_STRING:
            tag = whole.index("$", 1) + 1
            return whole[tag:-tag]
        case LexemeKind.ESCAPE_STRING:
            return _decode_escapes(whole[2:-1], lexeme.start + 2)
        case LexemeKind.UNICODE_STRING:
            return _decode_unicode(whole[3:-1].replace("''", "'"), lexeme.start + 3)
        case _:
            return _decode_unicode(whole[3:-1].replace('""', '"'), lexeme.start + 3)


_ESCAPE: Final = re.compile(
    r"''|\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)", re.DOTALL
)
_SIMPLE_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _decode_escapes(body: str, start: int) -> str:
    """Decode the body of ``E'...'``; octal and hexadecimal escapes are bytes of UTF-8."""
    if "\\" not in body:
        return body.replace("''", "'")

    def value(escape: re.Match[str]) -> str:
        text = escape.group()
        if text == "''":
            return "'"
        kind = text[1]
        if kind in "uU":
            if len(text) == 2:
                raise InvalidEscapeSequence(
                    "invalid Unicode escape",
                    hint=r"Unicode escapes must be \uXXXX or \UXXXXXXXX.",
                    position=start + escape.start() + 1,
                )
            return _character(
                int("0" + text[1:].replace("u", "x").replace("U", "x"), 0), start + escape.start()
            )
        if kind == "x" and len(text) > 2:
            return _byte(int("0" + text[1:], 0))
        if kind in "01234567":
            return _byte(int(text[1:], 8) & 0xFF)
        return _SIMPLE_ESCAPES.get(kind, kind)

    return _joined(_ESCAPE.sub(value, body), start)


def _byte(value: int) -> str:
    """Return a byte so that ``_joined`` can find it again among characters."""
    return chr(value) if value < 0x80 else chr(0xDC00 + value)


def _character(code: int, start: int) -> str:
    if code > 0x10FFFF or code == 0:
        raise SqlSyntaxError("invalid Unicode escape value", position=start + 1)
    return chr(code)


def _joined(text: str, start: int) -> str:
    """Make characters of surrogate pairs and of bytes that were written one by one."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    try:
        paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return paired.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError as e:
        byte = e.object[e.start]
        message = f'invalid byte sequence for encoding "UTF8": 0x{byte:02x}'
        raise CharacterNotInRepertoire(message) from e
    except UnicodeEncodeError as e:
        raise SqlSyntaxError("invalid Unicode surrogate pair", position=start + 1) from e


_UNICODE_ESCAPE: Final = re.compile(r"\\(?:\\|([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|)")


def _decode_unicode(body: str, start: int) -> str:
    r"""Decode the body of ``U&'...'`` with ``\`` as its escape character."""

    def value(escape: re.Match[str]) -> str:
        if escape.group() == "\\\\":
            return "\\"
        code = escape[1] or escape[2]
        if code is None:
            raise SqlSyntaxError(
                "invalid Unicode escape",
                hint=r"Unicode escapes must be \XXXX or \+XXXXXX.",
                position=start + escape.start() + 1,
            )
        return _character(int(code, 16), start + escape.start())

    return _joined(_UNICODE_ESCAPE.sub(value, body), start)
