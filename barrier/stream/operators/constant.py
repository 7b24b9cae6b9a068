"""Rows that never change: VALUES and table functions of constants.

    dC = 0

A row is identified by its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import functions, trees
from barrier.stream.describe import Described, Names
from barrier.stream.operator import Builder, Operator
from barrier.stream.program import Program
from barrier.stream.zset import Delta


@dataclass(frozen=True, eq=False, kw_only=True)
class Constant(Operator):
    """The rows of an item of FROM that refers to nothing."""

    item: exp.Expr

    def rows(self) -> exp.Expr:
        """Return the rows with their places."""
        place = exp.Window(this=exp.RowNumber())
        alias = self.item.alias_or_name
        return trees.select(
            [*trees.columns(self.columns, alias), trees.named(place, "k1")], items=[self.item]
        )

    def delta(self, program: Program) -> Delta | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def describe(self, names: Names) -> Described:  # noqa: ARG002
        """Return what EXPLAIN shows."""
        return Described(title="Constant", facts=("rows that never change",))


def source(item: exp.Expr, builder: Builder) -> Operator | None:  # noqa: ARG001
    """Take VALUES and table functions whose columns are named and whose arguments are constant."""
    is_function = isinstance(item, exp.Table) and isinstance(item.this, exp.Func)
    if not is_function and not isinstance(item, exp.Values | exp.Unnest):
        return None
    inner = [node for node in item.find_all(exp.Column, exp.Query) if node is not item]
    volatile = isinstance(item.find(exp.Rand, exp.Uuid), exp.Expr) or functions.reads_clock(item)
    alias = item.args.get("alias")
    names = () if alias is None else tuple(column.name for column in alias.args["columns"] or ())
    if inner or volatile or not names:
        return None
    return Constant(columns=names, key=("k1",), item=item)
