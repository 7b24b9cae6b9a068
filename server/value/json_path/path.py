"""What a path is made of, and how it prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Constant:
    """A string, number, boolean or null."""

    value: str | Decimal | bool | None


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``, one of the caller's."""

    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """``$``, the whole, ``@``, what a filter looks at, or ``last``, an array's last subscript."""

    text: str


@dataclass(frozen=True, slots=True)
class Unary:
    """An operand with a sign before it, or ``!``, ``exists`` or ``is unknown`` of it."""

    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands of arithmetic, a comparison, ``starts with``, ``&&`` or ``||``."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class LikeRegex:
    """Whether a text matches a regular expression of PostgreSQL's, its options as letters."""

    operand: Expr
    pattern: str
    flags: str
    letters: str


@dataclass(frozen=True, slots=True)
class Chain:
    """An expression and the steps that lead on from its items."""

    head: Expr
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """The member of a name; None is ``*``, all of them."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Subscripts:
    """Items of an array, each from one place to another; None is ``[*]``, all of them."""

    ranges: tuple[tuple[Expr, Expr | None], ...] | None


@dataclass(frozen=True, slots=True)
class Deep:
    """What is nested so deeply, ``**{first to last}``; None is the last level there is."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Method:
    """``.type()`` and the like; the argument is a template of ``datetime``."""

    name: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """The items for which a predicate is true."""

    predicate: Expr


Step: TypeAlias = Key | Subscripts | Deep | Method | Filter
Expr: TypeAlias = Constant | Variable | Word | Unary | Binary | LikeRegex | Chain

ARITHMETIC: Final = frozenset("+-*/%")
COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))

#: What a path can have as a constant.
Scalar: TypeAlias = str | Decimal | bool | None

_PRIORITIES: Final = {
    "||": 0, "&&": 1, **dict.fromkeys((*COMPARISONS, "starts with"), 2),
    "+": 3, "-": 3, "*": 4, "/": 4, "%": 4,
}  # fmt: skip
_SIGN_PRIORITY: Final = 5
_HIGHEST: Final = 6


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path in lax or strict mode."""

    is_lax: bool
    root: Expr

    def __str__(self) -> str:
        """Return the text that PostgreSQL prints."""
        return ("" if self.is_lax else "strict ") + _text(self.root, has_brackets=True)


def is_predicate(expr: Expr) -> bool:
    """Whether an expression is true, false or unknown, rather than items."""
    match expr:
        case Unary(operator, _):
            return operator not in ARITHMETIC
        case Binary(operator, _, _):
            return operator not in ARITHMETIC
        case LikeRegex():
            return True
        case _:
            return False


def _priority(expr: Expr) -> int:
    match expr:
        case Binary(operator, _, _):
            return _PRIORITIES[operator]
        case Unary("+" | "-", _):
            return _SIGN_PRIORITY
        case Chain(head, _):
            return _priority(head)
        case _:
            return _HIGHEST


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _inner(expr: Expr, holder: Expr) -> str:
    return _text(expr, has_brackets=_priority(expr) <= _priority(holder))


def _text(expr: Expr, *, has_brackets: bool) -> str:
    match expr:
        case Constant(value):
            return constant_text(value)
        case Variable(name):
            return "$" + _quoted(name)
        case Word(text):
            return text
        case Unary("!", operand):
            return f"!({_text(operand, has_brackets=False)})"
        case Unary("exists", operand):
            return f"exists ({_text(operand, has_brackets=False)})"
        case Unary("is unknown", operand):
            return f"({_text(operand, has_brackets=False)}) is unknown"
        case Unary(operator, operand):
            return _bracketed(operator + _inner(operand, expr), has_brackets=has_brackets)
        case Binary(operator, left, right):
            text = f"{_inner(left, expr)} {operator} {_inner(right, expr)}"
            return _bracketed(text, has_brackets=has_brackets)
        case LikeRegex(operand, pattern, flags, _):
            text = f"{_inner(operand, expr)} like_regex {_quoted(pattern)}"
            text += f' flag "{flags}"' if flags else ""
            return _bracketed(text, has_brackets=has_brackets)
        case Chain(Constant(Decimal() as number), steps):
            return f"({constant_text(number)}){_steps_text(steps)}"
        case Chain(head, steps):
            return _text(head, has_brackets=True) + _steps_text(steps)


def _bracketed(text: str, *, has_brackets: bool) -> str:
    return f"({text})" if has_brackets else text


def constant_text(value: Scalar) -> str:
    """Return a scalar as JSON."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value, "f")
        case _:
            return _quoted(value)


def _steps_text(steps: Sequence[Step]) -> str:
    return "".join(_step_text(step) for step in steps)


def _step_text(step: Step) -> str:
    match step:
        case Key(None):
            return ".*"
        case Key(str() as name):
            return "." + _quoted(name)
        case Subscripts(None):
            return "[*]"
        case Subscripts(tuple() as ranges):
            return "[" + ",".join(_range_text(first, last) for first, last in ranges) + "]"
        case Deep(first, last):
            return ".**" + _levels_text(first, last)
        case Method(name, argument):
            return f".{name}({'' if argument is None else _quoted(argument)})"
        case Filter(predicate):
            return f"?({_text(predicate, has_brackets=False)})"
        case _:
            raise AssertionError(step)


def _range_text(first: Expr, last: Expr | None) -> str:
    text = _text(first, has_brackets=False)
    return text if last is None else f"{text} to {_text(last, has_brackets=False)}"


def _levels_text(first: int | None, last: int | None) -> str:
    if (first, last) == (0, None):
        return ""
    ends = ["last" if end is None else str(end) for end in (first, last)]
    return "{" + (ends[0] if first == last else " to ".join(ends)) + "}"
