"""Expressions as users wrote them, before numerics that may be NaN or infinite made them longer.

What ``server/sql/special`` adds is told by its calls and by the number that it compares with.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.special_numeric import greatest_number

_SPECIAL: Final = "tg_special"
_BOUNDED: Final = "tg_bounded"
_LONGER: Final = (exp.Case, exp.Coalesce, exp.Greatest, exp.Anonymous)
_GREATEST_DIGITS: Final = greatest_number(0)


def as_written(tree: exp.Expr) -> exp.Expr:
    """Return a tree, without casts, in which nothing looks for special values; it is changed.

    A sum that only counts them becomes ``SUM(NULL)``.
    """
    for node in reversed(list(tree.find_all(*_LONGER))):
        if node is not tree and (plain := _plain(node)) is not None:
            node.replace(plain)
    return tree


def counts_specials(tree: exp.Expr) -> bool:
    """Whether what ``as_written`` gave is no part of what was written."""
    return isinstance(tree, exp.Sum) and tree.this.sql() == "NULL"


def _plain(node: exp.Expr) -> exp.Expr | None:
    match node:
        case exp.Case():
            first = node.args["ifs"][0]
            if _is_guard(first.this):
                plain: exp.Expr = node.args.get("default") or exp.Null()
                return plain
            if isinstance(first.this, exp.Is) and _is_special(first.this.this):
                found: exp.Expr = first.args["true"]
                return found
        case exp.Greatest() if _is_total(node):
            total: exp.Expr = node.this
            return total
        case exp.Coalesce() if _is_special(node.this):
            other: exp.Expr = node.expressions[0]
            return other
        case exp.Anonymous() if node.name.lower() == _BOUNDED:
            bounded: exp.Expr = node.expressions[0]
            return bounded
    return None


def _is_special(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Anonymous) and tree.name.lower() == _SPECIAL


def _is_total(tree: exp.Greatest) -> bool:
    return isinstance(tree.this, exp.Sum) and tree.expressions == [exp.Null()]


def _is_guard(condition: exp.Expr) -> bool:
    return any(
        isinstance(node.expression, exp.Literal)
        and str(node.expression.this).replace(".", "").lstrip("0") == _GREATEST_DIGITS
        for node in condition.find_all(exp.GT)
    )
