"""Plans and programs as lines for EXPLAIN."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from barrier.stream.operator import Operator
from barrier.stream.program import Statement
from catalog.oid import Oid
from catalog.relation import storage_name

_INDENT = "  "


def tree(root: Operator, view: str, names: Mapping[Oid, str]) -> list[str]:
    """Return the nodes, each under who reads it, with keys, state tables and reasons."""
    lines: list[str] = []
    seen: set[Operator] = set()

    def add(node: Operator, depth: int) -> None:
        described = node.describe()
        facts = list(described.facts)
        if node.table is not None:
            facts.append(f"state {node.table}")
        lines.append(f"{_INDENT * depth}{described.title} ({'; '.join(facts)})")
        if node in seen and node.inputs:
            lines.append(f"{_INDENT * (depth + 1)}(as above)")
            return
        seen.add(node)
        for below in node.inputs:
            add(below, depth + 1)

    lines.append(f"Materialize (rows {view})")
    add(root, 1)
    return [_with_names(line, names) for line in lines]


def program(oid: Oid, statements: Iterable[Statement], names: Mapping[Oid, str]) -> list[str]:
    """Return the statements that follow a change of one input."""
    lines = [_with_names(f"When {storage_name(oid)} changes:", names)]
    for statement in statements:
        lines.append(f"{_INDENT}-- {statement.label}")
        lines.append(f"{_INDENT}{statement.sql}")
    return lines


def _with_names(line: str, names: Mapping[Oid, str]) -> str:
    """Say beside a stored relation what users call it."""

    def shown(match: re.Match[str]) -> str:
        name = names.get(Oid(int(match[1])))
        return match[0] if name is None else f"{name} [{match[0]}]"

    return re.sub(r"\br(\d+)\b", shown, line)
