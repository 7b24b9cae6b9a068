"""Generated columns that hold when their row was written, which is not computed again."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp, parse_one


@lru_cache(maxsize=256)
def reads_clock(generated: str) -> bool:
    """Whether what a column holds, as DuckDB SQL over its row, depends on when it is computed."""
    return any(map(is_clock, parse_one(generated, read="duckdb").walk()))


def is_clock(node: exp.Expr) -> bool:
    """Whether a node of DuckDB SQL is the time."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() == "NOW"
    return isinstance(node, exp.CurrentTimestamp)
