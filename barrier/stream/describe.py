"""What EXPLAIN says of a node, in the names that users know.

A node's columns have numbers; what they are called is worked out from the stored relations upwards,
each node from the labels of its inputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sqlglot import ErrorLevel, exp

from barrier.stream.as_written import as_written, is_added
from catalog.oid import Oid
from catalog.relation import storage_name

_CHARACTERS_MAX: Final = 200
#: Names and calls, which need no parentheses inside of another expression.
_COMPACT: Final = re.compile(r'[\w."]+(\([^()]*\))?')
_OPERATORS: Final = (exp.Binary, exp.Unary, exp.Predicate, exp.Bracket)
_INTERNAL_PREFIX: Final = "tg_"


@dataclass(frozen=True)
class Label:
    """What a column is called: its name or expression, and the relation it is of, if of one."""

    text: str
    owner: str = ""


#: The labels of a node's columns.
Labels = Mapping[str, Label]


@dataclass(frozen=True)
class Names:
    """What a node is described from.

    Attributes:
        relations: What stored relations are called.
        columns: What their columns are called, by their storage names.
        inputs: The labels of the node's inputs.
    """

    relations: Mapping[Oid, str] = field(default_factory=dict)
    columns: Mapping[Oid, Mapping[str, str]] = field(default_factory=dict)
    inputs: tuple[Labels, ...] = ()

    def relation(self, oid: Oid) -> str:
        """Return what a relation is called."""
        return self.relations.get(oid, storage_name(oid))

    def column(self, oid: Oid, name: str) -> str:
        """Return what a relation's column is called."""
        return self.columns.get(oid, {}).get(name, name)


@dataclass(frozen=True, kw_only=True)
class Described:
    """One line of EXPLAIN.

    Attributes:
        title: What the node does.
        facts: How, in a few words; then, each a line, what is computed anew and the like.
        labels: What the node's columns are called above it.
        is_plain: Whether the line may be left out, since the node only chooses columns.
    """

    title: str
    facts: tuple[str, ...] = ()
    labels: Labels = field(default_factory=dict)
    is_plain: bool = False


class Scope:
    """The columns that expressions of one node refer to, by the input's alias."""

    def __init__(self, inputs: Mapping[str, Labels]) -> None:
        """Take the labels of inputs; a relation that is read twice is told apart by a number."""
        self._labels: dict[tuple[str, str], Label] = {}
        taken: set[str] = set()
        for alias, labels in inputs.items():
            owners = sorted({label.owner for label in labels.values() if label.owner})
            renamed = {owner: _free(owner, taken) for owner in owners}
            taken.update(renamed.values())
            for name, label in labels.items():
                owner = renamed.get(label.owner, "")
                self._labels[alias, name] = replace(label, owner=owner)
        self._is_qualified = len(taken) > 1

    def label(self, expression: exp.Expr) -> Label:
        """Return what a projection is called."""
        if isinstance(expression, exp.Column):
            return self._of(expression)
        return Label(self.text(expression))

    def text(self, expression: exp.Expr) -> str:
        """Return an expression in users' names, without casts, and not too long."""
        root = exp.Paren(this=expression.copy())
        for cast in reversed(list(root.find_all(exp.Cast))):
            cast.replace(cast.this)
        as_written(root)
        for call in root.find_all(exp.Anonymous):
            call.set("this", call.name.lower().removeprefix(_INTERNAL_PREFIX))
        for column in list(root.find_all(exp.Column)):
            text = self._shown(self._of(column))
            if isinstance(column.parent, _OPERATORS) and not _COMPACT.fullmatch(text):
                text = f"({text})"
            column.replace(exp.Var(this=text))
        if is_added(root.this):
            return ""
        sql = root.this.sql(dialect="postgres", unsupported_level=ErrorLevel.IGNORE)
        return _short(sql)

    def texts(self, expressions: Iterable[exp.Expr]) -> str:
        """Return several expressions, each once."""
        texts = dict.fromkeys(self.text(e) for e in expressions)
        return _short(", ".join(text for text in texts if text))

    def _of(self, column: exp.Column) -> Label:
        return self._labels.get((column.table, column.name), Label(column.name))

    def _shown(self, label: Label) -> str:
        return f"{label.owner}.{label.text}" if label.owner and self._is_qualified else label.text


def _short(text: str) -> str:
    return text if len(text) <= _CHARACTERS_MAX else f"{text[:_CHARACTERS_MAX]}..."


def _free(name: str, taken: set[str]) -> str:
    number, result = 1, name
    while result in taken:
        number += 1
        result = f"{name}_{number}"
    return result
