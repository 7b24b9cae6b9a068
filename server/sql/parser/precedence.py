"""Where sqlglot's reading of a chain of operators is not PostgreSQL's (PostgreSQL 15, 4.1.6).

Comparisons do not associate: ``a = b = c`` is an error. Nor do BETWEEN, IN, LIKE and SIMILAR, one
after the other. Operators of more than one character associate to the left, all at one level, so
that ``a ~ b || c`` is ``(a ~ b) || c``.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from sqlglot import exp

COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
RANGES: Final = (exp.Between, exp.In, exp.Like, exp.ILike, exp.SimilarTo)
MATCHES: Final = (
    *(exp.RegexpLike, exp.RegexpILike, exp.ArrayContainsAll, exp.ArrayContainedBy),
    exp.ArrayOverlaps,
)

#: What sqlglot binds tighter than ``MATCHES`` and PostgreSQL does not.
_OTHERS: Final = (
    *(exp.DPipe, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor),
    *(exp.BitwiseLeftShift, exp.BitwiseRightShift),
)

_COMPARISON: Final = re.compile(r"<=|>=|<>|!=|=|<|>")
_RANGE: Final = re.compile(r"\b(?:BETWEEN|IN|LIKE|ILIKE|SIMILAR)\b", re.IGNORECASE)


def second_comparison(node: exp.Expr) -> exp.Expr | None:
    """Return the comparison of a chain that cannot follow the first one; None if there is none."""
    right = node.args["expression"]
    second = _second(node, COMPARISONS)
    return right if second is None and isinstance(right, COMPARISONS) else second


def second_range(node: exp.Expr) -> exp.Expr | None:
    """Return the BETWEEN, IN or LIKE that cannot follow another; None if there is none."""
    return _second(node, RANGES)


def _second(node: exp.Expr, kinds: tuple[type[exp.Expr], ...]) -> exp.Expr | None:
    """Return the second link of a chain that begins at a node and goes down on its left side."""
    if not isinstance(node.this, kinds) or _ends_with_bracket(node.this):
        return None
    while isinstance(node.this.this, kinds) and not _ends_with_bracket(node.this.this):
        node = node.this
    return node


def _ends_with_bracket(node: exp.Expr) -> bool:
    """Whether it is ``a IN (...)`` or ``a = ANY (...)``, after which anything may follow."""
    return isinstance(node, exp.In) or isinstance(node.args.get("expression"), (exp.Any, exp.All))


def operator_before(text: str, offset: int, *, is_comparison: bool) -> re.Match[str] | None:
    """Return the last operator before an offset."""
    pattern = _COMPARISON if is_comparison else _RANGE
    return max(pattern.finditer(text, 0, offset), key=lambda found: found.start(), default=None)


def operator_after(
    text: str, offset: int, *, is_comparison: bool, skipped: int = 0
) -> re.Match[str] | None:
    """Return the first operator after an offset when so many are skipped."""
    pattern = _COMPARISON if is_comparison else _RANGE
    return next(islice(pattern.finditer(text, offset), skipped, None), None)


def associate_left(node: exp.Expr) -> None:
    """Make ``a ~ (b || c)``, where nobody wrote the brackets, ``(a ~ b) || c``, in place."""
    whole = node.args["expression"]
    if not isinstance(whole, _OTHERS):
        return
    first = whole
    while isinstance(first.this, _OTHERS):
        first = first.this
    operand = first.this
    node.replace(whole)
    node.set("expression", operand)
    first.set("this", node)
