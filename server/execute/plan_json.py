"""The engine's plan of a query as PostgreSQL's EXPLAIN (FORMAT JSON) has it: nodes in nodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

#: What the engine estimates, under PostgreSQL's name for it.
_ESTIMATE: Final = "Estimated Cardinality"

#: Operators of the engine that stand around a query that is run to be explained.
_AROUND: Final = frozenset({"RESULT_COLLECTOR", "EXPLAIN_ANALYZE"})


def plan_json(engine_plan: str, named: Callable[[str], str]) -> str:
    """Return the JSON that clients read.

    Args:
        engine_plan: The engine's, of a query that was planned or run.
        named: Puts the names of relations in the place of their storage's.
    """
    told = json.loads(engine_plan)
    node = (told["operator"] if isinstance(told, dict) else told)[0]
    while node["name"] in _AROUND:
        node = node["children"][0]
    return json.dumps([{"Plan": _node(node, named)}], indent=2)


def _node(node: Mapping[str, Any], named: Callable[[str], str]) -> dict[str, Any]:
    """Return one operator with those that it reads from."""
    made: dict[str, Any] = {"Node Type": node["name"].replace("_", " ").strip().title()}
    for key, value in node.get("extra_info", {}).items():
        if key == "Table":
            made["Relation Name"] = named(value).strip()
        elif key == _ESTIMATE:
            made["Plan Rows"] = int(value)
        else:
            made[key] = named(value) if isinstance(value, str) else [named(v) for v in value]
    if "timing" in node:
        made["Actual Rows"] = node["intermediate_rows"]
        made["Actual Total Time"] = round(node["timing"] * 1000, 3)
    if children := node.get("children"):
        made["Plans"] = [_node(child, named) for child in children]
    return made
