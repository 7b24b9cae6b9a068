"""A walk over the tokens of one statement: the words, names and values grammar rules ask for."""

from __future__ import annotations

from copy import copy
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from server.sql.parser import shape
from server.sql.parser.lambda_call import with_lambda_calls
from server.sql.parser.lexing import tokenize
from server.sql.parser.map_constructor import with_map_calls
from server.sql.parser.names import RESERVED, fold
from server.sql.source import Source
from server.sql.sqlglot_errors import near
from server.sql.statement import ColumnName, QualifiedName

_NOT_WORDS: Final = frozenset({TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER})
_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})


class Cursor:
    """Where the parser stands in a statement.

    ``accept`` takes what it is asked for if it is there, ``expect`` fails if it is not; both
    compare words in upper case and never a quoted name.
    """

    def __init__(self, source: Source) -> None:
        lexed = with_lambda_calls(with_map_calls(tokenize(source)))
        shape.check(lexed)
        self.source = source
        self.text = lexed.text
        self.tokens = lexed.tokens
        self.index = 0

    @property
    def token(self) -> Token | None:
        """The token in front, or None at the end."""
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    @property
    def word(self) -> str:
        """The word or symbol in front in upper case; empty for anything quoted and at the end."""
        return self.word_at(self.index)

    def word_at(self, index: int) -> str:
        """Return the word of the token with that number."""
        if index >= len(self.tokens):
            return ""
        token = self.tokens[index]
        if token.token_type in _NOT_WORDS:
            return ""
        text = token.text.upper()
        return " ".join(text.split()) if " " in text or "\n" in text else text

    @property
    def is_at_end(self) -> bool:
        """Whether every token was taken."""
        return self.index >= len(self.tokens)

    @property
    def position(self) -> int:
        """Where the token in front begins, in characters from 1 in the whole string."""
        token = self.token
        return self.source.start + (len(self.text) if token is None else token.start) + 1

    def error(self) -> SqlSyntaxError:
        """Return the error that says the token in front cannot be."""
        return near(self.token, self.text, self.source)

    def unsupported(self, what: str) -> FeatureNotSupported:
        """Return the error for a clause in front that is understood and not available."""
        return FeatureNotSupported(f"{what} is not supported", position=self.position)

    def accept(self, *words: str) -> bool:
        """Take the words if all of them stand in front."""
        for offset, word in enumerate(words):
            if self.word_at(self.index + offset) != word:
                return False
        self.index += len(words)
        return True

    def accept_any(self, *words: str) -> str:
        """Take one of the words and return it; empty if none stands in front."""
        word = self.word
        if word and word in words:
            self.index += 1
            return word
        return ""

    def accept_at_end(self, *words: str) -> bool:
        """Take the words off the end of the statement if they are the last ones."""
        first = len(self.tokens) - len(words)
        if first < self.index:
            return False
        if any(self.word_at(first + offset) != word for offset, word in enumerate(words)):
            return False
        del self.tokens[first:]
        return True

    def expect(self, *words: str) -> None:
        """Take the words, one after the other."""
        for word in words:
            if not self.accept(word):
                raise self.error()

    def expect_any(self, *words: str) -> str:
        """Take one of the words and return it."""
        word = self.accept_any(*words)
        if not word:
            raise self.error()
        return word

    def expect_end(self) -> None:
        """Make sure that nothing follows."""
        if not self.is_at_end:
            raise self.error()

    def name(self) -> str:
        """Take a name; unquoted ones are folded and must not be reserved."""
        token = self.token
        if token is None:
            raise self.error()
        if token.token_type is TokenType.IDENTIFIER:
            self.index += 1
            return fold(token.text, is_quoted=True)
        word = self.word
        if not word or not (word[0].isalpha() or word[0] == "_" or word[0] > "\x7f"):
            raise self.error()
        if word.lower() in RESERVED or " " in word:
            raise self.error()
        self.index += 1
        return fold(token.text, is_quoted=False)

    def name_or(self, word: str) -> str:
        """Take a name, or a word that is reserved and may be one here, as RisingWave has it."""
        if self.word != word:
            return self.name()
        self.index += 1
        return word.lower()

    def label(self) -> str:
        """Take a name that may be any word, as after a dot."""
        token = self.token
        if token is None:
            raise self.error()
        if token.token_type is TokenType.IDENTIFIER or not self.word[:1].isalpha():
            return self.name()
        self.index += 1
        return fold(token.text, is_quoted=False)

    def column(self, word: str = "") -> ColumnName:
        """Take the name of a column, or a word that is reserved and may be one here."""
        position = self.position
        return ColumnName(self.name_or(word) if word else self.name(), position)

    def columns(self) -> tuple[ColumnName, ...]:
        """Take column names in parentheses."""
        self.expect("(")
        columns = [self.column()]
        while self.accept(","):
            columns.append(self.column())
        self.expect(")")
        return tuple(columns)

    def qualified(self) -> QualifiedName:
        """Take the name of a relation, with its schema and database if they are given."""
        position = self.position
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.label())
        if len(parts) > 3:
            dotted = ".".join(parts)
            raise SqlSyntaxError(
                f"improper qualified name (too many dotted names): {dotted}", position=position
            )
        schema = parts[-2] if len(parts) > 1 else None
        database = parts[-3] if len(parts) > 2 else None
        return QualifiedName(parts[-1], schema, database, position)

    def string(self) -> str:
        """Take a string literal."""
        token = self.token
        if token is None or token.token_type is not TokenType.STRING:
            raise self.error()
        self.index += 1
        return token.text

    @property
    def is_at_string(self) -> bool:
        """Whether a string literal stands in front."""
        token = self.token
        return token is not None and token.token_type is TokenType.STRING

    @property
    def is_at_number(self) -> bool:
        """Whether an unsigned number stands in front."""
        token = self.token
        return token is not None and token.token_type is TokenType.NUMBER

    def number(self) -> str:
        """Take a number with its sign, as written."""
        sign = self.accept_any("-", "+")
        token = self.token
        if token is None or token.token_type is not TokenType.NUMBER:
            raise self.error()
        self.index += 1
        return ("-" if sign == "-" else "") + token.text

    def integer(self) -> int:
        """Take a whole number with its sign."""
        start = self.index
        text = self.number()
        if not text.removeprefix("-").isdecimal():
            self.index = start
            raise self.error()
        return int(text)

    def until(self, *stops: str) -> list[Token]:
        """Take at least one token, up to a stop or closing bracket outside of all brackets.

        Words that are part of an operator, as in IS DISTINCT FROM, are no stops.
        """
        start = self.index
        depth = 0
        while self.index < len(self.tokens):
            kind = self.tokens[self.index].token_type
            if kind in _OPENING:
                depth += 1
            elif kind in _CLOSING:
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0 and self.index > start and self._is_stop(stops):
                break
            self.index += 1
        if self.index == start:
            raise self.error()
        return self.tokens[start : self.index]

    def _is_stop(self, stops: tuple[str, ...]) -> bool:
        word = self.word
        is_operator = word == "FROM" and self.word_at(self.index - 1) == "DISTINCT"
        return word in stops and not is_operator

    def rest(self) -> list[Token]:
        """Take all tokens that are left, at least one."""
        if self.is_at_end:
            raise self.error()
        tokens = self.tokens[self.index :]
        self.index = len(self.tokens)
        return tokens

    def written(self, tokens: list[Token]) -> str:
        """Return the text that tokens standing together were made of, comments left out."""
        return self.text[tokens[0].start : tokens[-1].end + 1]

    def written_inside(self, tokens: list[Token]) -> str:
        """Return the text of an expression without the brackets that enclose all of it."""
        while len(tokens) > 2 and self._is_enclosed(tokens):
            tokens = tokens[1:-1]
        return self.written(tokens)

    @staticmethod
    def _is_enclosed(tokens: list[Token]) -> bool:
        depth = 0
        for place, token in enumerate(tokens):
            kind = token.token_type
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth == 0:
                return place == len(tokens) - 1
        return False

    def part(self, start: int, end: int) -> Cursor:
        """Return a cursor over some of the tokens, for a statement in another's brackets."""
        found = copy(self)
        found.tokens, found.index = self.tokens[start:end], 0
        return found

    def source_from(self, index: int) -> Source:
        """Return the part of the statement from that token on, for a statement inside another."""
        start = self.tokens[index].start if index < len(self.tokens) else len(self.text)
        return Source(self.text[start:], self.source.start + start)
