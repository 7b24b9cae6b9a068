"""What must be known of functions: which aggregate, which do not depend on their arguments alone.

sqlglot knows most of them as classes; the names here are DuckDB's (duckdb_functions()) for those
that it parses as anonymous calls.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

_AGGREGATE_NAMES: Final = frozenset(
    {
        "arbitrary",
        "arg_max_null",
        "arg_max_nulls_last",
        "arg_min_null",
        "arg_min_nulls_last",
        "bitstring_agg",
        "count_star",
        "entropy",
        "favg",
        "fsum",
        "histogram",
        "histogram_exact",
        "json_group_array",
        "json_group_object",
        "json_group_structure",
        "kahan_sum",
        "kurtosis_pop",
        "mad",
        "mean",
        "product",
        "reservoir_quantile",
        "sem",
        "sumkahan",
    }
)
_VOLATILE_NAMES: Final = frozenset(
    {
        "current_connection_id",
        "current_query",
        "current_query_id",
        "current_transaction_id",
        "currval",
        "nextval",
        "setseed",
        "setval",
        "txid_current",
        "uuidv4",
        "uuidv7",
    }
)
_CLOCK_NAMES: Final = frozenset(
    {
        "current_localtime",
        "current_localtimestamp",
        "get_current_timestamp",
        "getvariable",
        "now",
        "tg_clock",
        "transaction_timestamp",
    }
)
_CLOCK_CLASSES: Final = (
    exp.CurrentDate,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.Localtime,
    exp.Localtimestamp,
)
_SET_RETURNING_NAMES: Final = frozenset({"unnest", "generate_series", "range"})
_SETS: Final = frozenset({"unnest"})
#: Nodes that give a value or NULL whatever they are given.
_SAFE_NODES: Final = (
    exp.Alias,
    exp.Boolean,
    exp.Case,
    exp.Coalesce,
    exp.Column,
    exp.Connector,
    exp.DataType,
    exp.Identifier,
    exp.If,
    exp.Literal,
    exp.Not,
    exp.Null,
    exp.Paren,
    exp.Predicate,
)
_TEXTS: Final = (exp.DType.TEXT, exp.DType.VARCHAR)
_AGGREGATE_WRAPPERS: Final = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is a complete aggregate call, its FILTER and the like included."""
    if isinstance(node, _AGGREGATE_WRAPPERS):
        return is_aggregate(node.this)
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _AGGREGATE_NAMES
    return isinstance(node, exp.AggFunc)


def is_grouping(node: exp.Expr) -> bool:
    """Whether a node is a call of GROUPING()."""
    is_call = isinstance(node, exp.Anonymous) and node.name.upper() == "GROUPING"
    return is_call or type(node).__name__ == "Grouping"


def has_aggregate(tree: exp.Expr) -> bool:
    """Whether an expression aggregates the rows of its own query."""
    return any(is_aggregate(node) for node in _own_nodes(tree))


def aggregates(tree: exp.Expr) -> list[exp.Expr]:
    """Return the aggregate calls of an expression, outermost ones only."""
    calls: list[exp.Expr] = []
    for node in tree.walk(prune=is_aggregate):
        if is_aggregate(node):
            calls.append(node)
    return calls


def is_clock(node: exp.Expr) -> bool:
    """Whether a node is the time of the epoch itself."""
    return isinstance(node, _CLOCK_CLASSES) or _is_called(node, _CLOCK_NAMES)


def reads_clock(tree: exp.Expr) -> bool:
    """Whether a tree's value changes as time passes."""
    return any(map(is_clock, tree.walk()))


def refusal(
    expression: exp.Expr, *, allows_windows: bool = False, allows_subqueries: bool = False
) -> str | None:
    """Say why an expression cannot be computed for each row alone; None when it can.

    Args:
        expression: The expression.
        allows_windows: Whether it may look at the other rows of the query's window.
        allows_subqueries: Whether it may ask subqueries, which are not looked into.
    """
    for node in expression.walk(prune=lambda node: isinstance(node, exp.Query)):
        if isinstance(node, exp.Query):
            if allows_subqueries:
                continue
            return "subquery in an expression"
        if isinstance(node, exp.Window) and not allows_windows:
            return "window function"
        if isinstance(node, exp.Rand | exp.Uuid) or _is_called(node, _VOLATILE_NAMES):
            return "volatile function"
        if is_clock(node):
            return "depends on the current time"
        if isinstance(node, exp.Explode | exp.Unnest | exp.Posexplode):
            return "set-returning function"
    # As arguments range and generate_series give a list; only at the top do they give rows.
    if isinstance(expression, exp.GenerateSeries) or _is_called(expression, _SET_RETURNING_NAMES):
        return "set-returning function"
    return None


def returns_set(expression: exp.Expr) -> bool:
    """Whether an expression gives several rows."""
    return any(
        isinstance(node, exp.Explode | exp.Unnest | exp.Posexplode) or _is_called(node, _SETS)
        for node in expression.walk(prune=lambda node: isinstance(node, exp.Query))
    )


def can_fail(expression: exp.Expr) -> bool:
    """Whether an expression might raise an error for some row."""
    return not all(map(is_safe, expression.walk()))


def can_fail_for_pairs(condition: exp.Expr) -> bool:
    """Whether a condition might raise an error for two rows, though it does for neither alone."""
    return any(
        len({column.table for column in node.find_all(exp.Column)}) > 1
        for node in condition.walk()
        if not is_safe(node)
    )


def may_hold(condition: exp.Expr) -> exp.Expr:
    """Take a condition that fails for two rows as one that holds: too many rows do no harm."""
    if not can_fail_for_pairs(condition):
        return condition
    attempt = exp.Anonymous(this="try", expressions=[condition.copy()])
    return exp.Coalesce(this=attempt, expressions=[exp.true()])


def is_safe(node: exp.Expr) -> bool:
    """Whether a node by itself gives a value or NULL whatever it is given."""
    is_cast_to_text = isinstance(node, exp.Cast) and node.to.this in _TEXTS
    return is_cast_to_text or isinstance(node, _SAFE_NODES)


def _is_called(node: exp.Expr, names: frozenset[str]) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in names


def _own_nodes(tree: exp.Expr) -> list[exp.Expr]:
    # Aggregates of nested queries and those under OVER belong to others.
    return list(tree.walk(prune=lambda node: isinstance(node, exp.Query | exp.Window)))
