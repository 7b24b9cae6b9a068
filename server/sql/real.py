"""Values of type real made of larger ones, which may be out of its range."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from sqlglot import exp

from server.sql.fragment import fragment, string

_NUMBER: Final = re.compile(r"\d*\.?\d+([eE][-+]?\d+)?|\d+\.")


def real_of(tree: exp.Expr) -> exp.Expr:
    """Return a float8 as a float4.

    A constant that is a float8 since no numeric here holds it is one to PostgreSQL, whose error
    shows its digits.
    """
    written = _written(tree)
    if written is None:
        return fragment("tg_real(_0)" if isinstance(tree, exp.Column) else "tg_once_real(_0)", tree)
    return fragment("tg_written_real(_0, _1)", tree, string(written))


def _written(tree: exp.Expr) -> str | None:
    """Return the digits of a constant, or None."""
    if isinstance(tree, exp.Paren):
        return _written(tree.this)
    if isinstance(tree, exp.Neg):
        written = _written(tree.this)
        return None if written is None else f"-{written}"
    if not isinstance(tree, exp.Cast) or not isinstance(tree.this, exp.Literal):
        return None
    text = tree.this.name
    return f"{Decimal(text):f}" if _NUMBER.fullmatch(text) else None
