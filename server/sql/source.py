"""Where statements begin and end in the string a client sends, and where in it a node stands.

Only PostgreSQL's lexical rules are known here (PostgreSQL 15, chapter 4.1): quoted strings and
identifiers, escape and dollar-quoted strings, nested comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from sqlglot import exp

from catalog.errors import CharacterNotInRepertoire, SqlSyntaxError


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one statement, without comments around it and without its semicolon."""

    text: str
    start: int = 0  #: Offset of the text in the whole string, in characters from 0.


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What all statements have."""

    source: Source

    @property
    def text(self) -> str:
        """The statement as written, blanks instead of comments."""
        return self.source.text

    @property
    def start(self) -> int:
        """Offset in the whole string, in characters from 0."""
        return self.source.start


class LexemeKind(Enum):
    """What kind of text cannot be understood character by character."""

    STRING = auto()
    ESCAPE_STRING = auto()
    UNICODE_STRING = auto()
    DOLLAR_STRING = auto()
    IDENTIFIER = auto()
    UNICODE_IDENTIFIER = auto()
    COMMENT = auto()
    SEMICOLON = auto()


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A stretch of text of one kind, quotes included."""

    kind: LexemeKind
    start: int
    end: int


_SPACE: Final = " \t\n\r\f\v"

#: The beginnings of all lexemes; a prefix or a dollar inside a word does not begin one.
_BEGINNING: Final = re.compile(
    r"""(?P<quote>(?:(?<![\w$])[eEbBxXnN])?'|(?:(?<![\w$])[uU]&)?['"])"""
    r"""|(?P<line>--[^\n\r]*)|(?P<block>/\*)|(?P<semicolon>;)"""
    r"""|(?<![\w$])(?P<dollar>\$(?:[^\W\d]\w*)?\$)"""
)
_PLAIN_END: Final = re.compile(r"[^']*+'(?:'[^']*+')*+")
_IDENTIFIER_END: Final = re.compile(r'[^"]*+"(?:"[^"]*+")*+')
_ESCAPE_END: Final = re.compile(r"(?:[^'\\]++|\\.|'')*+'", re.DOTALL)
_PARAMETER: Final = re.compile(r"(?<![\w$])\$(\d+)")
_COMMENT_EDGE: Final = re.compile(r"/\*|\*/")


def lexemes(text: str) -> Iterator[Lexeme]:
    """Find strings, quoted identifiers, comments and semicolons, in order.

    Raises:
        SqlSyntaxError: A quote or comment does not end; the position counts from this text.
    """
    at = 0
    while (beginning := _BEGINNING.search(text, at)) is not None:
        lexeme = _lexeme(text, beginning)
        yield lexeme
        at = lexeme.end


def _lexeme(text: str, beginning: re.Match[str]) -> Lexeme:
    start, inside = beginning.span()
    match beginning.lastgroup:
        case "line":
            return Lexeme(LexemeKind.COMMENT, start, inside)
        case "semicolon":
            return Lexeme(LexemeKind.SEMICOLON, start, inside)
        case "block":
            return Lexeme(LexemeKind.COMMENT, start, _comment_end(text, start))
        case "dollar":
            tag = beginning.group()
            close = text.find(tag, inside)
            if close < 0:
                raise _unterminated("dollar-quoted string", text, start)
            return Lexeme(LexemeKind.DOLLAR_STRING, start, close + len(tag))
        case _:
            return _quoted(text, start, inside)


_STRINGS: Final = {"B": "bit string literal", "X": "hexadecimal string literal"}


def _quoted(text: str, start: int, inside: int) -> Lexeme:
    prefix = text[start]
    if text[inside - 1] == '"':
        kind = LexemeKind.IDENTIFIER if prefix == '"' else LexemeKind.UNICODE_IDENTIFIER
        end = _IDENTIFIER_END.match(text, inside)
        what = "quoted identifier"
    elif prefix in "eE":
        kind = LexemeKind.ESCAPE_STRING
        end = _ESCAPE_END.match(text, inside)
        what = "quoted string"
    else:
        kind = LexemeKind.UNICODE_STRING if prefix in "uU" else LexemeKind.STRING
        end = _PLAIN_END.match(text, inside)
        what = _STRINGS.get(prefix.upper(), "quoted string")
    if end is None:
        raise _unterminated(what, text, start)
    return Lexeme(kind, start, end.end())


def _comment_end(text: str, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    raise _unterminated("/* comment", text, start)


def _unterminated(what: str, text: str, start: int) -> SqlSyntaxError:
    return SqlSyntaxError(f'unterminated {what} at or near "{text[start:]}"', position=start + 1)


def without_comments(text: str) -> str:
    """Return the text with blanks instead of comments, every other character in its place."""
    if "--" not in text and "/*" not in text:
        return text
    pieces = []
    at = 0
    for lexeme in lexemes(text):
        if lexeme.kind is LexemeKind.COMMENT:
            pieces.append(text[at : lexeme.start])
            pieces.append(re.sub(r"[^\n]", " ", text[lexeme.start : lexeme.end]))
            at = lexeme.end
    return "".join((*pieces, text[at:]))


def split(sql: str) -> list[Source]:
    """Return the statements of a string; those without a token are dropped.

    The whole string is looked at before anything is returned, so that nothing runs when a later
    statement has a quote too many.

    Raises:
        SqlSyntaxError: A quote or comment does not end.
        CharacterNotInRepertoire: There is a NUL character.
    """
    if "\0" in sql:
        raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8": 0x00')
    text = without_comments(sql)
    ends = [x.start for x in lexemes(text) if x.kind is LexemeKind.SEMICOLON] if ";" in text else []
    statements = []
    start = 0
    for end in (*ends, len(text)):
        piece = text[start:end]
        trimmed = piece.lstrip(_SPACE)
        if trimmed:
            offset = start + len(piece) - len(trimmed)
            statements.append(Source(trimmed.rstrip(_SPACE), offset))
        start = end + 1
    return statements


def first_parameter(source: Source) -> tuple[int, int] | None:
    """Return the number of the first ``$n`` of a statement and its position in the whole string."""
    at = 0
    for lexeme in (*lexemes(source.text), None):
        end = len(source.text) if lexeme is None else lexeme.start
        found = _PARAMETER.search(source.text, at, end)
        if found is not None:
            return int(found[1]), source.start + found.start() + 1
        at = end if lexeme is None else lexeme.end
    return None


def position_of(node: exp.Expr, source: Source) -> int | None:
    """Return where a node begins, in characters from 1 in the whole string.

    sqlglot keeps offsets for names, literals and functions; of any other node the leftmost
    descendant that has one tells.
    """
    own = node.meta.get("start")
    if isinstance(own, int):
        return source.start + own + 1
    offsets = [
        offset for child in node.walk() if isinstance(offset := child.meta.get("start"), int)
    ]
    return source.start + min(offsets) + 1 if offsets else None
