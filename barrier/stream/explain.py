"""Plans and programs as lines for EXPLAIN."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from barrier.stream.describe import Described, Names
from barrier.stream.operator import Operator
from barrier.stream.program import Statement
from catalog.oid import Oid
from catalog.relation import storage_name

_INDENT = "  "


def tree(root: Operator, view: Oid, names: Names, *, is_verbose: bool) -> list[str]:
    """Return the nodes, each under who reads it, with the reason where one is computed anew.

    Args:
        root: The topmost node.
        view: Whose plan it is.
        names: What stored relations and their columns are called.
        is_verbose: Whether to show keys and state tables, and nodes that only choose columns.
    """
    described = _describe(root, names)
    lines = [f"Materialize {names.relation(view)}"]
    if is_verbose:
        lines[0] += f" [rows {storage_name(view)}]"
    seen: set[Operator] = set()

    def add(node: Operator, depth: int) -> None:
        own = described[node]
        if own.is_plain and node is not root and not is_verbose:
            add(node.inputs[0], depth)
            return
        line = f"{_INDENT * depth}{' '.join([own.title, *own.facts[:1]])}".rstrip()
        lines.append(f"{line} [{_storage(node)}]" if is_verbose else line)
        lines.extend(f"{_INDENT * (depth + 1)}({fact})" for fact in own.facts[1:])
        if node in seen and node.inputs:
            lines.append(f"{_INDENT * (depth + 1)}(as above)")
            return
        seen.add(node)
        for below in node.inputs:
            add(below, depth + 1)

    add(root, 1)
    return lines


def program(oid: Oid, statements: Iterable[Statement], names: Names) -> list[str]:
    """Return the statements that follow a change of one input."""
    lines = ["", f"When {names.relation(oid)} [rows {storage_name(oid)}] changes:"]
    for statement in statements:
        lines.append(f"{_INDENT}-- {statement.label}")
        lines += [_INDENT + line for line in _pretty(statement.tree).split("\n")]
    return lines


def _describe(root: Operator, names: Names) -> dict[Operator, Described]:
    described: dict[Operator, Described] = {}

    def add(node: Operator) -> None:
        if node not in described:
            for below in node.inputs:
                add(below)
            labels = tuple(described[below].labels for below in node.inputs)
            described[node] = node.describe(Names(names.relations, names.columns, labels))

    add(root)
    return described


def _storage(node: Operator) -> str:
    key = f"key {', '.join(node.key)}" if node.key else "at most one row"
    return key if node.table is None else f"{key}; state {node.table}"


def _pretty(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb", pretty=True, max_text_width=100)
