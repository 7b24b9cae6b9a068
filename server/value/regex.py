r"""PostgreSQL's advanced regular expressions (chapter 9.7.3), spelled for other engines.

Two know most of them: Python's, which has look-around and back references, and DuckDB's (RE2),
which is fast and has neither. What all three have in common is copied; the rest is:

    \m \M \y \Y \A \Z   places; in RE2 there is no beginning or end of a word alone
    \d \s \w [[:alpha:]] classes; letters are Unicode's, digits are not
    $ . [^x]            with option n ends of lines are told apart, else they are characters
    (?i) ***= ***:      options at the beginning
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from catalog.errors import InvalidRegularExpression
from server.value.bounded_regex import BoundedRegex


@dataclass(frozen=True, slots=True)
class Options:
    """How an expression is read.

    Attributes:
        ignores_case: Whether letters match in both cases.
        has_lines: Whether ``^`` and ``$`` match at lines.
        stops_at_lines: Whether ``.`` and ``[^x]`` leave line feeds aside.
        is_expanded: Whether white space and comments are left aside.
        is_literal: Whether it is a text and no expression.
    """

    ignores_case: bool = False
    has_lines: bool = False
    stops_at_lines: bool = False
    is_expanded: bool = False
    is_literal: bool = False

    def with_letters(self, letters: str) -> Options:
        """Return the options with letters applied, the later ones over those before."""
        found = self
        for letter in letters:
            change = _LETTERS.get(letter)
            if change is None:
                raise InvalidRegularExpression(
                    "invalid regular expression: invalid embedded option"
                )
            found = replace(found, **change)
        return found


_LETTERS: Final[dict[str, dict[str, bool]]] = {
    "i": {"ignores_case": True},
    "c": {"ignores_case": False},
    "n": {"has_lines": True, "stops_at_lines": True},
    "m": {"has_lines": True, "stops_at_lines": True},
    "p": {"has_lines": False, "stops_at_lines": True},
    "s": {"has_lines": False, "stops_at_lines": False},
    "w": {"has_lines": True, "stops_at_lines": False},
    "x": {"is_expanded": True},
    "t": {"is_expanded": False},
    "q": {"is_literal": True},
    "e": {},
    "b": {},
}
OPTION_LETTERS: Final = frozenset(_LETTERS)

_SPACES: Final = frozenset(
    "\t\n\v\f\r \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)

_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "alpha": str.isalpha,
    "alnum": lambda c: c.isalpha() or c.isdecimal(),
    "upper": str.isupper,
    "lower": str.islower,
    "space": lambda c: c in _SPACES,
    "digit": lambda c: "0" <= c <= "9",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: c < " " or "\x7f" <= c <= "\x9f",
    "punct": lambda c: c.isprintable() and not c.isalnum() and not c.isspace(),
    "print": str.isprintable,
    "graph": lambda c: c.isprintable() and not c.isspace(),
    "word": lambda c: c.isalpha() or c.isdecimal() or c == "_",
    "ascii": lambda c: c < "\x80",
}

#: RE2's spelling inside of brackets, where it has one.
_RE2_CLASSES: Final = {
    "alpha": r"\pL", "alnum": r"\pL\p{Nd}", "upper": r"\p{Lu}", "lower": r"\p{Ll}",
    "digit": "0-9", "word": r"\pL\p{Nd}_",
}  # fmt: skip
_ESCAPED_CLASSES: Final = {"d": "digit", "s": "space", "w": "word"}
_CHARACTERS: Final = {
    "a": "\a", "b": "\b", "B": "\\", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "0": "\0",
}  # fmt: skip
_HEX: Final = {"x": 255, "u": 4, "U": 8}


@lru_cache(maxsize=32)
def _ranges(name: str, spelling: str) -> str:
    """Return the characters of a class as ranges inside of brackets, each spelled so."""
    test = _CLASSES[name]
    pieces: list[str] = []
    start = -1
    for code in range(sys.maxunicode + 2):
        is_in = code <= sys.maxunicode and not 0xD800 <= code < 0xE000 and test(chr(code))
        if is_in and start < 0:
            start = code
        elif not is_in and start >= 0:
            last = code - 1
            low, high = spelling.format(start), spelling.format(last)
            pieces.append(f"{low}-{high}" if last > start else low)
            start = -1
    return "".join(pieces)


def _fault(what: str) -> InvalidRegularExpression:
    return InvalidRegularExpression(f"invalid regular expression: {what}")


class _NotInRe2(Exception):
    """An expression has what RE2 has not."""


@dataclass(slots=True)
class _Translation:
    """An expression on its way, read from left to right."""

    pattern: str
    options: Options
    is_re2: bool
    at: int = 0
    found: list[str] = field(default_factory=list)
    groups: int = 0
    open_groups: list[int] = field(default_factory=list)
    #: Whether something stands before that a quantifier may apply to.
    has_atom: bool = False

    def run(self) -> str:
        """Return the whole in the other spelling."""
        while self.at < len(self.pattern):
            self._step(self.pattern[self.at])
        if self.open_groups:
            raise _fault("parentheses () not balanced")
        return "".join(self.found)

    def _atom(self, text: str, length: int) -> None:
        self.found.append(text)
        self.has_atom = True
        self.at += length

    def _place(self, text: str, length: int) -> None:
        """Add what matches no character; PostgreSQL has no quantifiers for it."""
        self.found.append(text)
        self.has_atom = False
        self.at += length

    def _step(self, character: str) -> None:
        match character:
            case "\\":
                self._escape()
            case "[":
                self._bracket()
            case "(":
                self._group()
            case ")":
                if not self.open_groups:
                    raise _fault("parentheses () not balanced")
                self.open_groups.pop()
                self._atom(")", 1)
            case "|":
                self._place("|", 1)
            case "*" | "+" | "?" | "{":
                self._quantifier(character)
            case "^":
                self._place("^", 1)
            case "$":
                self._place(self._end_of_line(), 1)
            case ".":
                self._atom("[^\\n]" if self.options.stops_at_lines else "(?s:.)", 1)
            case "#" if self.options.is_expanded:
                end = self.pattern.find("\n", self.at)
                self.at = len(self.pattern) if end < 0 else end + 1
            case _ if self.options.is_expanded and character.isspace():
                self.at += 1
            case _:
                self._atom(_quoted(character), 1)

    def _end_of_line(self) -> str:
        if self.options.has_lines:
            return "$"
        return r"\z" if self.is_re2 else r"\Z"

    def _quantifier(self, character: str) -> None:
        bounds = re.compile(r"\{(\d+)(?:(,)(\d*))?\}").match(self.pattern, self.at)
        if character == "{" and not self.pattern[self.at + 1 : self.at + 2].isdigit():
            self._atom(r"\{", 1)
            return
        if not self.has_atom:
            raise _fault("quantifier operand invalid")
        if character == "{":
            if bounds is None:
                raise _fault("braces {} not balanced")
            least, most = int(bounds[1]), int(bounds[3] or bounds[1])
            if most < least or max(least, most) > 255:
                raise _fault("invalid repetition count(s)")
            text = bounds[0]
        else:
            text = character
        self.at += len(text)
        if self.pattern[self.at : self.at + 1] == "?":
            text += "?"
            self.at += 1
        self.found.append(text)
        self.has_atom = False

    def _group(self) -> None:
        rest = self.pattern[self.at :]
        if rest.startswith("(?#"):
            end = rest.find(")")
            if end < 0:
                raise _fault("parentheses () not balanced")
            self.at += end + 1
            return
        opening = "("
        for known in ("(?<=", "(?<!", "(?:", "(?=", "(?!"):
            if rest.startswith(known):
                opening = known
        if opening == "(" and rest.startswith("(?"):
            raise _fault("quantifier operand invalid")
        if opening in {"(?<=", "(?<!", "(?=", "(?!"} and self.is_re2:
            raise _NotInRe2
        if opening == "(":
            self.groups += 1
        self.open_groups.append(self.groups)
        self._place(opening, len(opening))

    def _escape(self) -> None:
        if self.at + 1 >= len(self.pattern):
            raise _fault("invalid escape \\ sequence")
        character = self.pattern[self.at + 1]
        places = {
            "A": r"\A",
            "Z": r"\z" if self.is_re2 else r"\Z",
            "y": r"\b",
            "Y": r"\B",
            "m": r"\b(?=\w)",
            "M": r"\b(?<=\w)",
        }
        if character in places:
            if self.is_re2 and character in "mMyY":
                raise _NotInRe2  # Its words are made of ASCII.
            self._place(places[character], 2)
        elif character.lower() in _ESCAPED_CLASSES:
            inside = self._class(_ESCAPED_CLASSES[character.lower()])
            self._atom(f"[{'^' if character.isupper() else ''}{inside}]", 2)
        elif character in "123456789":
            self._back_reference()
        else:
            text, length = self._character()
            self._atom(_quoted(text), length)

    def _back_reference(self) -> None:
        digits = re.compile(r"\d+").match(self.pattern, self.at + 1)
        assert digits is not None
        number = digits[0] if int(digits[0]) <= self.groups else digits[0][0]
        if int(number) > self.groups:
            raise _fault("invalid backreference number")
        if self.is_re2:
            raise _NotInRe2
        self._atom(f"(?:\\{number})", 1 + len(number))

    def _character(self) -> tuple[str, int]:
        """Return the character that an escape stands for, and how long that is."""
        character = self.pattern[self.at + 1]
        if not character.isalnum():
            return character, 2
        if character in _HEX:
            digits = re.compile(r"[0-9a-fA-F]+").match(self.pattern, self.at + 2)
            if digits is None:
                raise _fault("invalid escape \\ sequence")
            text = digits[0][: _HEX[character]]
            if character != "x" and len(text) < _HEX[character]:
                raise _fault("invalid escape \\ sequence")
            code = int(text, 16)
            if code > sys.maxunicode:
                raise _fault("invalid escape \\ sequence")
            return chr(code), 2 + len(text)
        if character == "c" and self.at + 2 < len(self.pattern):
            return chr(ord(self.pattern[self.at + 2]) & 31), 3
        if character in _CHARACTERS:
            return _CHARACTERS[character], 2
        raise _fault("invalid escape \\ sequence")

    def _class(self, name: str) -> str:
        if name not in _CLASSES:
            raise _fault("invalid character class")
        if self.is_re2 and name in _RE2_CLASSES:
            return _RE2_CLASSES[name]
        if not self.is_re2 and name == "word":
            return r"\w"
        return _ranges(name, "\\x{{{:x}}}" if self.is_re2 else "\\U{:08x}")

    def _bracket(self) -> None:
        for text, place in (("[[:<:]]", r"\b(?=\w)"), ("[[:>:]]", r"\b(?<=\w)")):
            if self.pattern.startswith(text, self.at):
                if self.is_re2:
                    raise _NotInRe2
                self._place(place, len(text))
                return
        self.at += 1
        is_negated = self.pattern.startswith("^", self.at)
        self.at += is_negated
        items: list[str] = []
        is_first = True
        while True:
            if self.at >= len(self.pattern):
                raise _fault("brackets [] not balanced")
            if self.pattern[self.at] == "]" and not is_first:
                break
            is_first = False
            items.append(self._bracket_item())
        inside = "".join(items)
        if is_negated and self.options.stops_at_lines:
            inside += r"\n"
        self._atom(f"[{'^' if is_negated else ''}{inside}]", 1)

    def _bracket_item(self) -> str:
        low = self._bracket_end()
        if len(low) > 1:
            return low[1:]
        has_range = self.pattern.startswith("-", self.at) and not self.pattern.startswith(
            "-]", self.at
        )
        if not has_range:
            return _quoted_inside(low)
        self.at += 1
        if self.at >= len(self.pattern):
            raise _fault("brackets [] not balanced")
        high = self._bracket_end()
        if len(high) > 1 or high < low:
            raise _fault("invalid character range")
        return f"{_quoted_inside(low)}-{_quoted_inside(high)}"

    def _bracket_end(self) -> str:
        """Return a character, or a class after a mark."""
        pattern, at = self.pattern, self.at
        named = re.compile(r"\[:(\w+):\]").match(pattern, at)
        if named is not None:
            self.at += len(named[0])
            return f"={self._class(named[1])}"
        collating = re.compile(r"\[([.=])(.)\1\]", re.DOTALL).match(pattern, at)
        if collating is not None:
            self.at += len(collating[0])
            return collating[2]
        if pattern[at] == "\\":
            if at + 1 >= len(pattern):
                raise _fault("invalid escape \\ sequence")
            following = pattern[at + 1]
            if following in _ESCAPED_CLASSES:
                self.at += 2
                return f"={self._class(_ESCAPED_CLASSES[following])}"
            text, length = self._character()
            self.at += length
            return text
        self.at += 1
        return pattern[at]


def _quoted(character: str) -> str:
    return re.escape(character)


def _quoted_inside(character: str) -> str:
    return f"\\{character}" if character in r"\]^-[&~|" else character


def _opened(pattern: str, options: Options) -> tuple[str, Options]:
    """Return an expression without the options that stand at its beginning."""
    if options.is_literal:
        return pattern, options
    if pattern.startswith("***="):
        return pattern[4:], replace(options, is_literal=True)
    if pattern.startswith("***:"):
        pattern = pattern[4:]
    elif pattern.startswith("***"):
        raise _fault("quantifier operand invalid")
    embedded = re.match(r"\(\?([a-z]+)\)", pattern)
    if embedded is not None:
        options = options.with_letters(embedded[1])
        pattern = pattern[embedded.end() :]
    return pattern, options


@lru_cache(maxsize=512)
def python_regex(pattern: str, letters: str = "") -> BoundedRegex:
    """Return an expression for Python.

    Args:
        pattern: In PostgreSQL's spelling.
        letters: Options; ``g`` is none of them.

    Raises:
        InvalidRegularExpression: It is none.
    """
    text, options = _opened(pattern, Options().with_letters(letters))
    source = (
        re.escape(text) if options.is_literal else _Translation(text, options, is_re2=False).run()
    )
    try:
        return BoundedRegex.compiled(
            source, ignores_case=options.ignores_case, has_lines=options.has_lines
        )
    except ValueError as e:
        raise _fault(str(e)) from None


@lru_cache(maxsize=512)
def re2_regex(pattern: str, letters: str = "") -> str | None:
    """Return an expression for RE2 with its options in front, None if RE2 cannot have it.

    Raises:
        InvalidRegularExpression: It is none.
    """
    text, options = _opened(pattern, Options().with_letters(letters))
    if options.is_literal:
        source = re.escape(text)
    else:
        try:
            source = _Translation(text, options, is_re2=True).run()
        except _NotInRe2:
            return None
    flags = ("i" if options.ignores_case else "") + ("m" if options.has_lines else "")
    return f"(?{flags}){source}" if flags else source
