"""What is wrong with a text that is no JSON, in PostgreSQL's words."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from catalog.errors import InvalidTextRepresentation, UntranslatableCharacter

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
#: What a token goes on with that has begun wrongly.
_WORD: Final = re.compile(r"[A-Za-z0-9_\u0080-\U0010ffff]*")
_NUMBER_WORD: Final = re.compile(r"-?[A-Za-z0-9_.+\-\u0080-\U0010ffff]*")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{0,4}")
_ESCAPES: Final = frozenset('"\\/bfnrt')


def check(text: str, *, is_decoded: bool) -> None:
    """Find what is wrong.

    Args:
        text: The whole text.
        is_decoded: Whether escapes in strings must name characters that a text can have.

    Raises:
        InvalidTextRepresentation: The text is no JSON.
        UntranslatableCharacter: It has the character NUL.
    """
    scanner = _Scanner(text, is_decoded=is_decoded)
    scanner.document()


class _Scanner:
    """A position in a text, and the token that begins there."""

    def __init__(self, text: str, *, is_decoded: bool) -> None:
        self._text = text
        self._is_decoded = is_decoded
        self._at = 0
        #: "" at the end; "string", "number", "word", or a mark.
        self._kind = ""
        self._start = 0

    def document(self) -> None:
        self._advance()
        self._value("Expected JSON value, but found {}.")
        if self._kind:
            self._unexpected("Expected end of input, but found {}.")

    # Values; each leaves the token after it as the current one.

    def _value(self, expected: str) -> None:
        match self._kind:
            case "{":
                self._object()
            case "[":
                self._array()
            case "string" | "number" | "word":
                self._advance()
            case _:
                self._unexpected(expected)

    def _object(self) -> None:
        self._advance()
        if self._kind == "}":
            self._advance()
            return
        if self._kind != "string":
            self._unexpected('Expected string or "}}", but found {}.')
        while True:
            if self._kind != "string":
                self._unexpected("Expected string, but found {}.")
            self._advance()
            if self._kind != ":":
                self._unexpected('Expected ":", but found {}.')
            self._advance()
            self._value("Expected JSON value, but found {}.")
            if self._kind == "}":
                self._advance()
                return
            if self._kind != ",":
                self._unexpected('Expected "," or "}}", but found {}.')
            self._advance()

    def _array(self) -> None:
        self._advance()
        if self._kind == "]":
            self._advance()
            return
        while True:
            self._value("Expected JSON value, but found {}.")
            if self._kind == "]":
                self._advance()
                return
            if self._kind != ",":
                self._unexpected('Expected "," or "]", but found {}.')
            self._advance()

    # Tokens.

    def _advance(self) -> None:
        found = _BLANKS.match(self._text, self._at)
        assert found is not None
        self._start = self._at = found.end()
        first = self._text[self._at : self._at + 1]
        if first in {"", *"{}[],:"}:
            self._kind = first
            self._at += len(first)
        elif first == '"':
            self._string()
        elif first == "-" or first.isdigit():
            self._number()
        else:
            self._word(first)

    def _number(self) -> None:
        found = _NUMBER.match(self._text, self._at)
        whole = _NUMBER_WORD.match(self._text, self._at)
        assert whole is not None
        if found is None or found.end() != whole.end():
            self._invalid_token(whole.end())
        self._at, self._kind = whole.end(), "number"

    def _word(self, first: str) -> None:
        found = _WORD.match(self._text, self._at)
        assert found is not None
        self._at = max(found.end(), self._at + len(first))
        if found[0] not in {"true", "false", "null"}:
            self._invalid_token(self._at)
        self._kind = "word"

    def _string(self) -> None:
        at = self._at + 1
        high: int | None = None
        while True:
            found = _PLAIN.match(self._text, at)
            assert found is not None
            if found[0]:
                self._check_pair(high)
                high = None
            at = found.end()
            character = self._text[at : at + 1]
            if character == '"':
                self._check_pair(high)
                self._at, self._kind = at + 1, "string"
                return
            if not character:
                self._invalid_token(at)
            if character != "\\":
                self._fail(f"Character with value 0x{ord(character):02x} must be escaped.")
            at, high = self._escape(at + 1, high)

    def _escape(self, at: int, high: int | None) -> tuple[int, int | None]:
        """Return where an escape ends and the high surrogate that it is, if so."""
        letter = self._text[at : at + 1]
        if letter == "u":
            found = _HEXADECIMAL.match(self._text, at + 1)
            assert found is not None
            if len(found[0]) < 4:
                self._fail('"\\u" must be followed by four hexadecimal digits.')
            return found.end(), self._unicode(int(found[0], 16), high)
        self._check_pair(high)
        if not letter:
            self._invalid_token(at)
        if letter not in _ESCAPES:
            self._fail(f'Escape sequence "\\{letter}" is invalid.')
        return at + 1, None

    def _unicode(self, code: int, high: int | None) -> int | None:
        if not self._is_decoded:
            return None
        if code == 0:
            raise UntranslatableCharacter(
                "unsupported Unicode escape sequence",
                detail="\\u0000 cannot be converted to text.",
            )
        if 0xD800 <= code < 0xDC00:
            if high is not None:
                self._fail("Unicode high surrogate must not follow a high surrogate.")
            return code
        if 0xDC00 <= code < 0xE000:
            if high is None:
                self._fail("Unicode low surrogate must follow a high surrogate.")
            return None
        self._check_pair(high)
        return None

    def _check_pair(self, high: int | None) -> None:
        if high is not None:
            self._fail("Unicode low surrogate must follow a high surrogate.")

    def _unexpected(self, expected: str) -> NoReturn:
        if not self._kind:
            self._fail("The input string ended unexpectedly.")
        self._fail(expected.format(f'"{self._text[self._start : self._at]}"'))

    def _invalid_token(self, end: int) -> NoReturn:
        self._fail(f'Token "{self._text[self._start : end]}" is invalid.')

    def _fail(self, detail: str) -> NoReturn:
        raise InvalidTextRepresentation("invalid input syntax for type json", detail=detail)
