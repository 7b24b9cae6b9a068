"""From bound trees to the text and parameters that the engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sqlglot import exp

#: A statement as DuckDB SQL and the values of its ``$1``, ``$2``, ...
EngineSql: TypeAlias = tuple[str, Sequence[object]]


def engine_sql(tree: exp.Expr, parameters: Sequence[object]) -> EngineSql:
    """Return a bound tree as text.

    The engine wants exactly the parameters that a statement has, and a tree may be a part of one:
    those that it has are numbered anew.
    """
    numbers = sorted({int(node.name) for node in tree.find_all(exp.Parameter)})
    if numbers == list(range(1, len(parameters) + 1)):
        return tree.sql(dialect="duckdb"), parameters
    renumbered = tree.copy()
    for node in renumbered.find_all(exp.Parameter):
        place = numbers.index(int(node.name)) + 1
        node.set("this", exp.Literal.number(str(place)))
    used = [parameters[number - 1] for number in numbers]
    return renumbered.sql(dialect="duckdb"), used


def with_rows(tree: exp.Expr, item: str, staging: str) -> exp.Expr:
    """Return a tree whose FROM item of that name reads a staging table instead."""
    database, _, name = staging.partition(".")
    changed = tree.copy()
    for table in changed.find_all(exp.Table):
        if table.name == item and not table.db:
            table.set("this", exp.to_identifier(name))
            table.set("db", exp.to_identifier(database))
    return changed
