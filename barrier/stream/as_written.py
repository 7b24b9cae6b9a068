"""Expressions as users wrote them, before numerics made them longer.

What ``server/sql/special`` adds for NaN and infinity is told by its calls and by the number that it
compares with, what ``server/sql/written_numeric`` adds for scales by its calls.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.special_numeric import greatest_number
from catalog.written_numeric import COUNTED_CODE, STORED_AS

_SPECIAL: Final = "tg_special"
#: Calls that are around what was written.
_AROUND: Final = frozenset({"tg_bounded", STORED_AS})
_LONGER: Final = (exp.Case, exp.Coalesce, exp.Greatest, exp.Anonymous, exp.StructExtract)
_GREATEST_DIGITS: Final = greatest_number(0)


def as_written(tree: exp.Expr) -> exp.Expr:
    """Return a tree, without casts, in which nothing looks for special values; it is changed.

    A sum that only counts them becomes ``SUM(NULL)``.
    """
    for node in reversed(list(tree.find_all(*_LONGER))):
        if node is not tree and (plain := _plain(node)) is not None:
            node.replace(plain)
    return tree


def is_added(tree: exp.Expr) -> bool:
    """Whether what ``as_written`` gave, as it is shown, is no part of what was written."""
    if isinstance(tree, exp.Min):
        shown: str = tree.this.sql()
        return shown.lower().startswith(COUNTED_CODE.removeprefix("tg_"))
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
        case exp.StructExtract() if node.expression.name == "v":
            return node.this  # type: ignore[no-any-return]  # sqlglot's arguments have no type
        case exp.Anonymous() if node.name.lower() in _AROUND:
            inner: exp.Expr = node.expressions[0]
            return inner
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
