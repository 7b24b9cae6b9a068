"""How a path is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Final, NoReturn

from catalog.errors import FeatureNotSupported, InvalidTextRepresentation, SqlSyntaxError
from server.value.json_path.path import (
    COMPARISONS,
    Binary,
    Chain,
    Constant,
    Deep,
    Expr,
    Filter,
    JsonPath,
    Key,
    LikeRegex,
    Method,
    Step,
    Subscripts,
    Unary,
    Variable,
    Word,
    is_predicate,
)
from server.value.regex import python_regex

_KEYWORDS: Final = frozenset(
    """
    is to abs lax flag last size type with floor double exists starts strict ceiling datetime
    keyvalue unknown like_regex
    """.split()  # noqa: SIM905
)
#: Words that are keywords in lower case alone.
_CONSTANTS: Final[dict[str, bool | None]] = {"null": None, "true": True, "false": False}
_METHODS: Final = frozenset(("abs", "size", "type", "floor", "double", "ceiling", "keyvalue"))
_LEVEL_MAX: Final = 2**31 - 1
_DEPTH_MAX: Final = 500

_OTHER: Final = r"""[^?%$.\[\]{}()|&!=<>@#,*:\-+/\\" \t\n\r\f]"""
_TOKEN: Final = re.compile(
    rf"""
    (?P<blank>[ \t\n\r\f]+|/\*.*?\*/)
    |(?P<number>(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][-+]?[0-9]+)?)(?P<junk>{_OTHER})?
    |(?P<variable>\$(?={_OTHER}|\\|"))
    |(?P<string>")
    |(?P<symbol>\*\*|&&|\|\||==|!=|<>|<=|>=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CODE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\})")


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a path; the kind is its own text for symbols and keywords."""

    kind: str
    text: str
    start: int
    value: str = ""


def _complaint(what: str, near: str) -> SqlSyntaxError:
    place = f'at or near "{near}"' if near else "at end"
    return SqlSyntaxError(f"{what} {place} of jsonpath input")


@dataclass(slots=True)
class _Lexer:
    text: str
    at: int = 0
    found: list[_Token] = field(default_factory=list)

    def run(self) -> list[_Token]:
        """Return the tokens, an empty one last."""
        while self.at < len(self.text):
            self._token()
        self.found.append(_Token("", "", len(self.text)))
        return self.found

    def _add(self, kind: str, start: int, value: str = "") -> None:
        self.found.append(_Token(kind, self.text[start : self.at], start, value))

    def _token(self) -> None:
        start = self.at
        if re.match(rf"{_OTHER}|\\", self.text[start]) and not self.text[start].isascii():
            self._word(start)
            return
        if re.match(r"[^\W\d]|\\", self.text[start]):
            self._word(start)
            return
        match = _TOKEN.match(self.text, start)
        assert match is not None, self.text
        self.at = match.end()
        if match["blank"]:
            return
        if match["number"]:
            if match["junk"]:
                raise _complaint("trailing junk after numeric literal", match[0])
            self._add("number", start, match["number"])
        elif match["variable"]:
            name = self._string() if self.text[self.at] == '"' else self._bare()
            self._add("variable", start, name)
        elif match["string"]:
            self.at = start
            self._add("string", start, self._string())
        elif match[0].startswith("/") and self.text.startswith("/*", start):
            raise _complaint("unexpected end of comment", "")
        else:
            symbol = "!=" if match[0] == "<>" else match[0]
            self._add(symbol, start)

    def _word(self, start: int) -> None:
        name = self._bare()
        lower = name.lower()
        if lower in _KEYWORDS or name in _CONSTANTS:
            self._add(lower, start, name)
        else:
            self._add("word", start, name)

    def _bare(self) -> str:
        """Read a name without quotes."""
        found: list[str] = []
        while self.at < len(self.text):
            if self.text[self.at] == "\\":
                found.append(self._escape())
            elif re.match(_OTHER, self.text[self.at]):
                found.append(self.text[self.at])
                self.at += 1
            else:
                break
        return _joined(found)

    def _string(self) -> str:
        found: list[str] = []
        self.at += 1
        while True:
            if self.at >= len(self.text):
                raise _complaint("unexpected end of quoted string", "")
            character = self.text[self.at]
            if character == '"':
                self.at += 1
                return _joined(found)
            if character == "\\":
                found.append(self._escape())
            else:
                found.append(character)
                self.at += 1

    def _escape(self) -> str:
        match = _CODE.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
            code = int(match[1] or match[2] or match[3], 16)
            if code == 0:
                raise SqlSyntaxError("unsupported Unicode escape sequence")
            return chr(code)
        following = self.text[self.at + 1 : self.at + 2]
        if not following:
            raise _complaint("unexpected end after backslash", "")
        if following in "xu":
            what = "hexadecimal character" if following == "x" else "Unicode escape"
            raise _complaint(f"invalid {what} sequence", self.text[self.at :][:2])
        self.at += 2
        return _ESCAPES.get(following, following)


def _joined(pieces: list[str]) -> str:
    """Return the text of characters, of which halves of pairs are put together."""
    try:
        return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise InvalidTextRepresentation("invalid input syntax for type jsonpath") from None


@dataclass(slots=True)
class _Parser:
    text: str
    tokens: list[_Token]
    at: int = 0
    depth: int = 0
    #: How many filters and subscripts stand around.
    filters: int = 0
    subscripts: int = 0

    @property
    def token(self) -> _Token:
        """What comes next."""
        return self.tokens[self.at]

    def take(self, *kinds: str) -> _Token | None:
        """Return what comes next if it is of such a kind, and step over it."""
        token = self.token
        if token.kind in kinds and token.kind:
            self.at += 1
            return token
        return None

    def expect(self, *kinds: str) -> _Token:
        """Return what comes next, which must be of such a kind."""
        return self.take(*kinds) or self.fail()

    def fail(self) -> NoReturn:
        """Refuse what comes next."""
        raise _complaint("syntax error", self.token.text)

    def path(self) -> JsonPath:
        """Read the whole."""
        mode = self.take("lax", "strict")
        root = self.disjunction()
        if self.token.kind:
            self.fail()
        return JsonPath(mode is None or mode.kind == "lax", root)

    def predicate(self) -> Expr:
        """Read what must be true, false or unknown."""
        found = self.disjunction()
        if not is_predicate(found):
            self.fail()
        return found

    def disjunction(self) -> Expr:
        """Read anything."""
        self.depth += 1
        if self.depth > _DEPTH_MAX:
            raise _complaint("memory exhausted", self.token.text)
        found = self._operated("||", lambda: self._operated("&&", self.comparison))
        self.depth -= 1
        return found

    def _operated(self, operator: str, operand: Callable[[], Expr]) -> Expr:
        found = operand()
        while is_predicate(found) and self.take(operator):
            right = operand()
            if not is_predicate(right):
                self.fail()
            found = Binary(operator, found, right)
        return found

    def comparison(self) -> Expr:
        """Read a predicate without ``&&`` and ``||``, or an expression."""
        if self.take("!"):
            if self.token.kind == "exists":
                return Unary("!", self.primary())
            self.expect("(")
            inner = self.predicate()
            self.expect(")")
            return Unary("!", inner)
        left = self.sum()
        if is_predicate(left):
            return left
        if sign := self.take(*COMPARISONS):
            right = self.sum()
            if is_predicate(right):
                self.fail()
            return Binary(sign.kind, left, right)
        if self.take("starts"):
            self.expect("with")
            token = self.expect("string", "variable")
            initial = Constant(token.value) if token.kind == "string" else Variable(token.value)
            return Binary("starts with", left, initial)
        if self.take("like_regex"):
            pattern = self.expect("string").value
            flags = self.expect("string").value if self.take("flag") else ""
            return _like_regex(left, pattern, flags)
        return left

    def sum(self) -> Expr:
        """Read sums and differences."""
        return self._calculated(("+", "-"), lambda: self._calculated(("*", "/", "%"), self.signed))

    def _calculated(self, operators: tuple[str, ...], operand: Callable[[], Expr]) -> Expr:
        found = operand()
        while not is_predicate(found) and (sign := self.take(*operators)):
            right = operand()
            if is_predicate(right):
                self.fail()
            found = Binary(sign.kind, found, right)
        return found

    def signed(self) -> Expr:
        """Read an expression with a sign, or without."""
        sign = self.take("+", "-")
        if sign is None:
            return self.primary()
        operand = self.signed()
        if is_predicate(operand):
            self.fail()
        if isinstance(operand, Constant) and isinstance(operand.value, Decimal):
            return Constant(-operand.value if sign.kind == "-" else operand.value)
        return Unary(sign.kind, operand)

    def primary(self) -> Expr:
        """Read a constant or the like and the steps behind it."""
        if self.take("exists"):
            self.expect("(")
            inner = self.sum()
            if is_predicate(inner):
                self.fail()
            self.expect(")")
            return Unary("exists", inner)
        head = self._head()
        if is_predicate(head) and self.take("is"):
            self.expect("unknown")
            return Unary("is unknown", head)
        steps: list[Step] = []
        while self.token.kind in {".", "[", "?", "**"}:
            steps += self._step()
        if not steps:
            return head
        if isinstance(head, Chain):
            return Chain(head.head, (*head.steps, *steps))
        return Chain(head, tuple(steps))

    def _head(self) -> Expr:
        token = self.token
        self.at += 1
        match token.kind:
            case "string":
                return Constant(token.value)
            case "number":
                return Constant(Decimal(token.value))
            case "null" | "true" | "false":
                return Constant(_CONSTANTS[token.kind])
            case "variable":
                return Variable(token.value)
            case "$":
                return Word("$")
            case "@":
                if not self.filters:
                    raise SqlSyntaxError("@ is not allowed in root expressions")
                return Word("@")
            case "last":
                if not self.subscripts:
                    raise SqlSyntaxError("LAST is allowed only in array subscripts")
                return Word("last")
            case "(":
                inner = self.disjunction()
                self.expect(")")
                return inner
            case _:
                self.at -= 1
                return self.fail()

    def _step(self) -> list[Step]:
        token = self.expect(".", "[", "?")
        if token.kind == "[":
            return [self._subscripts()]
        if token.kind == "?":
            self.expect("(")
            self.filters += 1
            predicate = self.predicate()
            self.filters -= 1
            self.expect(")")
            return [Filter(predicate)]
        if self.take("*"):
            return [Key(None)]
        if self.take("**"):
            return [self._levels()]
        name = self.token
        if name.kind not in {"word", "string", *_KEYWORDS, *_CONSTANTS}:
            self.fail()
        self.at += 1
        if name.kind in _METHODS and self.take("("):
            self.expect(")")
            return [Method(name.kind)]
        if name.kind == "datetime" and self.take("("):
            argument = self.take("string")
            self.expect(")")
            return [Method("datetime", None if argument is None else argument.value)]
        return [Key(name.value)]

    def _subscripts(self) -> Subscripts:
        if self.take("*"):
            self.expect("]")
            return Subscripts(None)
        self.subscripts += 1
        ranges: list[tuple[Expr, Expr | None]] = []
        while True:
            first = self.sum()
            ranges.append((first, self.sum() if self.take("to") else None))
            if not self.take(","):
                break
        self.subscripts -= 1
        self.expect("]")
        return Subscripts(tuple(ranges))

    def _levels(self) -> Deep:
        if not self.take("{"):
            return Deep(0, None)
        first = self._level()
        last = self._level() if self.take("to") else first
        self.expect("}")
        return Deep(first, last)

    def _level(self) -> int | None:
        token = self.expect("number", "last")
        if token.kind == "last":
            return None
        if not token.value.isdigit() or int(token.value) > _LEVEL_MAX:
            self.at -= 1
            self.fail()
        return int(token.value)


def _like_regex(operand: Expr, pattern: str, flags: str) -> LikeRegex:
    for flag in flags:
        if flag not in "ismxq":
            raise SqlSyntaxError(
                "invalid input syntax for type jsonpath",
                detail=f'Unrecognized flag character "{flag}" in LIKE_REGEX predicate.',
            )
    if "x" in flags and "q" not in flags:
        raise FeatureNotSupported(
            'XQuery "x" flag (expanded regular expressions) is not implemented'
        )
    letters = "i" if "i" in flags else ""
    if "q" in flags:
        letters += "q"
    else:
        # By default the end of a line ends what a point matches, and no line begins.
        letters += {"": "p", "m": "n", "s": "", "ms": "w"}[
            "".join(flag for flag in "ms" if flag in flags)
        ]
    python_regex(pattern, letters)
    shown = "".join(flag for flag in "ismxq" if flag in flags)
    return LikeRegex(operand, pattern, shown, letters)


@lru_cache(maxsize=512)
def parse_path(text: str) -> JsonPath:
    """Read a path.

    Raises:
        SqlSyntaxError: It is none.
        InvalidTextRepresentation: It is empty.
    """
    tokens = _Lexer(text).run()
    if len(tokens) == 1:
        raise InvalidTextRepresentation.of("jsonpath", text)
    return _Parser(text, tokens).path()
