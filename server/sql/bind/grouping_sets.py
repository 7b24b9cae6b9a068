"""GROUPING SETS, ROLLUP and CUBE: which keys there are, and what is computed when one is left out.

PostgreSQL tells keys apart by the column of the result that they are, the engine by their
expressions. So two columns that are one expression are made two here, as is a constant that is
grouped by and one that is only shown.

What depends on whether a key is left out, in places where the engine gives no answer to that, is
computed for either case:

    CASE GROUPING(a) WHEN 0 THEN rank(a) WITHIN GROUP (...) ELSE rank(NULL) WITHIN GROUP (...) END
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from server.sql.bind.query import Output
from server.sql.bind.walker import AGGREGATE_LEVEL
from server.sql.fragment import cast
from server.sql.typed import Typed

#: Marks, in the meta of a node, what an aggregate takes once for a group.
DIRECT: Final = "direct"

#: What a constant is made of; ``now()`` is none.
_CONSTANT: Final = (
    *(exp.Literal, exp.Boolean, exp.Null, exp.Cast, exp.DataType, exp.DataTypeParam),
    *(exp.Neg, exp.Paren, exp.Binary),
)

_CASES_KEYS_MAX: Final = 4


@dataclass(slots=True)
class Keys:
    """The keys of a level with grouping sets.

    Attributes:
        outputs: The level's outputs, which become what the engine can tell apart.
        shown: The outputs that are keys, by their places.
        trees: Each expression that is a key, as the engine is told of it.
    """

    outputs: list[Output]
    shown: dict[int, exp.Expr] = field(default_factory=dict)
    trees: dict[exp.Expr, exp.Expr] = field(default_factory=dict)

    def of_output(self, place: int, value: Typed) -> exp.Expr:
        """Return the key that an output is."""
        if place not in self.shown:
            tree = value.tree.copy()
            if _is_constant(tree):  # Twice, as a text that is only shown is cast once too.
                tree = _other(_other(tree, value), value)
            while tree in self.shown.values():
                tree = _other(tree, value)
            self.trees.setdefault(value.tree, tree)
            self.shown[place] = tree
            self.outputs[place] = replace(self.outputs[place], value=Typed(tree, value.type))
        return self.shown[place]

    def of_expression(self, value: Typed) -> exp.Expr:
        """Return the key that an expression is: the first output that is the same, or itself."""
        for place, output in enumerate(self.outputs):
            if output.value.tree == value.tree:
                return self.of_output(place, value)
        return self.trees.setdefault(value.tree, value.tree)


def _other(tree: exp.Expr, value: Typed) -> exp.Expr:
    """Return what the engine takes for another expression."""
    return exp.Cast(this=tree, to=exp.DataType.build(value.type.duckdb, dialect="duckdb"))


def _is_constant(tree: exp.Expr) -> bool:
    return all(isinstance(node, _CONSTANT) for node in tree.walk())


def grouping_call(arguments: Sequence[exp.Expr], level: int) -> exp.Expr:
    """Return GROUPING of keys of a level."""
    tree = exp.Cast(
        this=exp.Anonymous(this="GROUPING", expressions=[a.copy() for a in arguments]),
        to=exp.DataType.build("INT"),
    )
    tree.meta[AGGREGATE_LEVEL] = level
    return tree


#: In the meta of an aggregate that may have such in it.
HAS_DIRECT: Final = "has_direct"


def mark_direct(tree: exp.Expr) -> None:
    """Mark what an aggregate takes once for a group, where keys that are left out are NULL."""
    for node in tree.walk():
        node.meta[DIRECT] = True


def by_case(tree: exp.Expr, keys: Sequence[exp.Expr], level: int) -> exp.Expr:
    """Return an expression of a level whose aggregates and queries know which keys are left out.

    Raises:
        FeatureNotSupported: They ask about too many.
    """
    asked = _asked(tree, keys, level)
    if not asked:
        return tree
    if len(asked) > _CASES_KEYS_MAX:
        raise FeatureNotSupported(
            f"aggregates and subqueries that depend on more than {_CASES_KEYS_MAX} keys of "
            "GROUPING SETS are not supported"
        )
    cases = [
        exp.If(this=exp.Literal.number(number), true=_in_case(tree, dict(zip(asked, bits)), level))  # noqa: B905
        for number, bits in enumerate(itertools.product((0, 1), repeat=len(asked)))
    ]
    return exp.Case(this=grouping_call(asked, level), ifs=cases)


def _asked(tree: exp.Expr, keys: Sequence[exp.Expr], level: int) -> list[exp.Expr]:
    found: dict[exp.Expr, None] = {}
    for node in tree.walk():
        if node._meta and node.meta.get(DIRECT) and node in keys:  # noqa: SLF001
            found[node] = None
        elif _is_grouping_within(node, tree, level):
            found.update(dict.fromkeys(node.this.expressions))
    return list(found)


def _is_grouping_within(node: exp.Expr, tree: exp.Expr, level: int) -> bool:
    """Whether a node is GROUPING of a level, asked by a query within a tree."""
    if not is_grouping(node) or node.meta.get(AGGREGATE_LEVEL) != level:
        return False
    at: exp.Expr | None = node
    while at is not None and at is not tree:
        at = at.parent
        if isinstance(at, exp.Query):
            return True
    return False


def is_grouping(node: exp.Expr) -> bool:
    """Whether a node is a call of GROUPING."""
    call = node.this if isinstance(node, exp.Cast) else None
    return isinstance(call, exp.Anonymous) and call.name == "GROUPING"


def _in_case(tree: exp.Expr, bits: dict[exp.Expr, int], level: int) -> exp.Expr:
    """Return an expression for rows of which is known which keys are left out, marked by 1."""

    def known(node: exp.Expr) -> exp.Expr:
        if _is_grouping_within(node, top, level):
            told = 0
            for argument in node.this.expressions:
                told = told * 2 + bits[argument]
            return cast(exp.Literal.number(told), "INT")
        if node.meta.get(DIRECT) and bits.get(node):
            return exp.null()
        return node

    top = tree.copy()
    return top.transform(known, copy=False)
