"""How two answers differ, and which differences are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from tests.differential.answers import Answer
from tests.differential.corpus import Statement

_LIST: Final = Path(__file__).parent / "differences.tsv"

#: What there is not, is refused with these.
_MISSING: Final = frozenset({"42883", "42704", "42601", "0A000"})
_NUMERIC: Final = 1700
_FLOATS: Final = frozenset({700, 701})
_RELATIVE: Final = Decimal("1e-14")


def outcome(wanted: Answer, got: Answer) -> str:
    """How ours differs from PostgreSQL's answer; empty if it does not.

    ``missing`` is what we have not, ``refused`` another error where there is a value, ``accepted``
    a value where there is an error, ``error`` another error, ``type``, ``digits`` of a number that
    is equal but for its last ones or trailing zeros, and ``value``.
    """
    if (wanted.sqlstate, wanted.types, wanted.rows) == (got.sqlstate, got.types, got.rows):
        return ""
    if got.sqlstate in _MISSING:
        return "missing"
    if got.sqlstate:
        return "error" if wanted.sqlstate else "refused"
    if wanted.sqlstate:
        return "accepted"
    if wanted.types != got.types:
        return "type"
    return "digits" if _has_other_digits(wanted, got) else "value"


def _has_other_digits(wanted: Answer, got: Answer) -> bool:
    if len(wanted.rows) != len(got.rows):
        return False
    numeric = {_NUMERIC, *_FLOATS}
    return all(
        a == b or (oid in numeric and _is_nearly(a, b))
        for left, right in zip(wanted.rows, got.rows, strict=True)
        for a, b, (oid, _) in zip(left, right, wanted.types, strict=True)
    )


def _is_nearly(a: str | None, b: str | None) -> bool:
    if a is None or b is None:
        return False
    try:
        x, y = Decimal(a), Decimal(b)
    except InvalidOperation:
        return False
    if not (x.is_finite() and y.is_finite()):
        return False
    return abs(x - y) <= max(abs(x) * _RELATIVE, Decimal("1e-15"))


@dataclass(frozen=True)
class Known:
    """A difference that is meant or not yet gone.

    Attributes:
        outcome: As ``outcome`` names it.
        pattern: Of the kinds of statements, or of ``kind: statement``.
        reason: Why it is.
        example: A statement that differs so.
    """

    outcome: str
    pattern: re.Pattern[str]
    reason: str
    example: str

    def matches(self, statement: Statement) -> bool:
        """Whether the statement is one of those."""
        return bool(
            self.pattern.fullmatch(statement.kind)
            or self.pattern.fullmatch(f"{statement.kind}: {statement.sql}")
        )


def known_differences() -> list[Known]:
    """All that are listed."""
    lines = [line.split("\t") for line in _LIST.read_text("utf-8").splitlines() if line]
    return [
        Known(found, re.compile(pattern, re.DOTALL), why, example)
        for found, pattern, why, example in lines
    ]


@dataclass(frozen=True)
class Judgement:
    """What became of statements.

    Attributes:
        unknown: A text for each difference that is not listed.
        gone: What is listed and whose example does not differ so any more.
    """

    unknown: Sequence[str]
    gone: Sequence[str]


def judged(
    statements: Sequence[Statement], wanted: Sequence[Answer], got: Sequence[Answer]
) -> Judgement:
    """Compare the answers of PostgreSQL and ours."""
    known = known_differences()
    outcomes: dict[str, str] = {}
    unknown: list[str] = []
    for statement, theirs, ours in zip(statements, wanted, got, strict=True):
        outcomes[statement.sql] = found = outcome(theirs, ours)
        if not found:
            continue
        if not any(k.outcome == found and k.matches(statement) for k in known):
            unknown.append(
                f"{found}: {statement.kind}: {statement.sql}\n"
                f"    PostgreSQL {theirs}\n    Tidegate   {ours}"
            )
    gone = [f"{k.outcome} {k.pattern.pattern}" for k in known if outcomes[k.example] != k.outcome]
    return Judgement(unknown, gone)


def some(statements: Sequence[Statement], of_each: int) -> list[Statement]:
    """Statements of each kind, from its whole range, and the examples of known differences."""
    by_kind: dict[str, list[Statement]] = {}
    for statement in statements:
        by_kind.setdefault(statement.kind, []).append(statement)
    chosen = {s.sql: s for group in by_kind.values() for s in _spread(group, of_each)}
    examples = {known.example for known in known_differences()}
    chosen.update({s.sql: s for s in statements if s.sql in examples})
    return [s for s in statements if s.sql in chosen]


def _spread(group: Sequence[Statement], count: int) -> Iterable[Statement]:
    if len(group) <= count:
        return group
    return [group[i * len(group) // count] for i in range(count)]
