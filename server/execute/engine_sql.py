"""From bound trees to the text and parameters that the engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from server.sql.bind.result import CONSTANTS_FIRST, ParameterList

#: A statement as DuckDB SQL and the values of its ``$1``, ``$2``, ...
EngineSql: TypeAlias = tuple[str, Sequence[object]]


@dataclass(frozen=True, slots=True)
class EngineText:
    """A bound tree as text.

    Attributes:
        numbers: Which parameters are $1, $2, ... of the text: the client's, counted from 1, and
            the statement's own, counted from ``CONSTANTS_FIRST``.
        constants: The statement's own.
    """

    text: str
    numbers: tuple[int, ...]
    constants: Sequence[object] = ()

    def with_values(self, parameters: Sequence[object]) -> EngineSql:
        """Return the text and the parameters that it has."""
        values: list[object] = []
        for number in self.numbers:
            if number < CONSTANTS_FIRST:
                values.append(parameters[number - 1])
                continue
            value = self.constants[number - CONSTANTS_FIRST]
            if isinstance(value, ParameterList):
                value = [parameters[n - 1] for n in value.numbers]
            values.append(value)
        return self.text, values


def engine_text(tree: exp.Expr, constants: Sequence[object] = ()) -> EngineText:
    """Return a bound tree as text.

    The engine wants exactly the parameters that a statement has, and a tree may be a part of one:
    those that it has are numbered anew.
    """
    numbers = tuple(sorted({int(node.name) for node in tree.find_all(exp.Parameter)}))
    if numbers != tuple(range(1, len(numbers) + 1)):
        tree = tree.copy()
        for node in tree.find_all(exp.Parameter):
            place = numbers.index(int(node.name)) + 1
            node.set("this", exp.Literal.number(str(place)))
    return EngineText(tree.sql(dialect="duckdb"), numbers, constants)


def engine_sql(tree: exp.Expr, parameters: Sequence[object]) -> EngineSql:
    """Return a bound tree as text with the parameters that it has."""
    return engine_text(tree).with_values(parameters)


def with_rows(tree: exp.Expr, item: str, staging: str) -> exp.Expr:
    """Return a tree whose FROM item of that name reads a staging table instead."""
    database, _, name = staging.partition(".")
    changed = tree.copy()
    for table in changed.find_all(exp.Table):
        if table.name == item and not table.db:
            table.set("this", exp.to_identifier(name))
            table.set("db", exp.to_identifier(database))
    return changed
