"""Trees from DuckDB text with holes.

``fragment("LPAD(_0, _1)", text, width)`` parses the text once per process and puts the arguments
in the places of ``_0`` and ``_1``. Arguments are parenthesised where the text needs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sqlglot import exp, parse_one

from catalog.types import NO_COLUMN

_HOLE: Final = re.compile(r"_(\d+)")

#: What binds tighter than any operator.
_ATOMS: Final = (
    *(exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Cast, exp.TryCast),
    *(exp.Anonymous, exp.Case, exp.Parameter, exp.Subquery, exp.Identifier, exp.StructExtract),
)

#: Where an argument stands between commas or brackets of its own.
_CLOSED: Final = (exp.Anonymous, exp.Cast, exp.TryCast, exp.Paren)


def fragment(sql: str, *arguments: exp.Expr) -> exp.Expr:
    """Return the tree of ``sql`` with its holes filled.

    An argument that is part of another tree, or used twice, is copied; one that stands alone is
    taken as it is.
    """
    tree = _parsed(sql).copy()
    holes = [
        (column, int(match[1]))
        for column in tree.find_all(exp.Column)
        if (match := _HOLE.fullmatch(column.name)) and not column.table
    ]
    for column, number in holes:
        argument = arguments[number]
        if argument.parent is not None or argument is tree:
            argument = argument.copy()
        if column is tree:
            return argument
        if not isinstance(argument, _ATOMS) and not isinstance(column.parent, _CLOSED):
            argument = exp.Paren(this=argument)
        column.replace(argument)
    return tree


def row_fragment(columns: Sequence[exp.Expr]) -> exp.Expr:
    """Return the engine's row of values, as ``catalog.types.record`` has it."""
    pairs = ", ".join(f"'f{number}': _{number - 1}" for number in range(1, len(columns) + 1))
    return fragment(f"{{{pairs or f'{NO_COLUMN!r}: FALSE'}}}", *columns)


@lru_cache(maxsize=4096)
def _parsed(sql: str) -> exp.Expr:
    tree = parse_one(sql, read="duckdb")
    for node in tree.walk():
        # Where it stood in the text means nothing, and takes longer to copy than all the rest.
        node._meta = node.comments = None  # noqa: SLF001  # ``meta`` makes what is not there
    return tree


def cast(tree: exp.Expr, duckdb: str) -> exp.Expr:
    """Return ``CAST(tree AS duckdb)``, or the tree itself if it is that cast already."""
    wanted = _data_type(duckdb)
    if isinstance(tree, exp.Cast) and not isinstance(tree, exp.TryCast) and tree.to == wanted:
        return tree
    inner = tree if tree.parent is None else tree.copy()
    return exp.Cast(this=inner, to=wanted.copy())


@lru_cache(maxsize=1024)
def _data_type(duckdb: str) -> exp.DataType:
    built = exp.DataType.build(duckdb, dialect="duckdb")
    assert isinstance(built, exp.DataType)
    return built


def string(text: str) -> exp.Expr:
    """Return a string literal."""
    return exp.Literal.string(text)


def number(value: int) -> exp.Expr:
    """Return an integer literal; a negative one stands in a cast-safe form."""
    literal = exp.Literal.number(str(abs(value)))
    return exp.Paren(this=exp.Neg(this=literal)) if value < 0 else literal


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a DuckDB function or macro."""
    holes = ", ".join(f"_{i}" for i in range(len(arguments)))
    return fragment(f"{name}({holes})", *arguments)


def concatenated(pieces: list[exp.Expr]) -> exp.Expr:
    """Return the pieces joined by ``||``; NULL if one is."""
    if not pieces:
        return string("")
    tree = pieces[0]
    for piece in pieces[1:]:
        tree = fragment("_0 || _1", tree, piece)
    return tree
