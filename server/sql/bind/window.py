"""OVER: window functions and aggregates, their partitions, orders and frames."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import (
    FeatureNotSupported,
    InvalidColumnReference,
    InvalidFrameSize,
    NullValueNotAllowed,
    UndefinedObject,
    WindowingError,
    WrongObjectType,
)
from catalog.types import FLOAT8, INT8, INTERVAL, NUMERIC, PgType
from server.sql.bind import walker as places
from server.sql.bind.call import Call, bind_aggregate, call_of, refuse_ignored_nulls
from server.sql.bind.ordering import constant_safe, is_negative, ordered, sort_key
from server.sql.bind.session_window import SESSION, session_gap, whole_partition
from server.sql.bind.walker import Walker, handles, settled
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import cast
from server.sql.functions.over import ignoring_nulls
from server.sql.functions.registry import (
    is_aggregate,
    is_window,
    over,
    resolve_window,
)
from server.sql.jsonb_equality import equal_form
from server.sql.literals import string_literal
from server.sql.special import with_room_for_distances
from server.sql.typed import Typed

#: Functions that give a value of another row, and may pass over those that have none.
_OF_OTHER_ROWS: Final = ("lag", "lead", "first_value", "last_value", "nth_value")

#: By the type of what is sorted by, that of distances in it.
_DISTANCES: Final[dict[str, PgType]] = {
    **dict.fromkeys(("int2", "int4", "int8"), INT8),
    **dict.fromkeys(("float4", "float8"), FLOAT8),
    **dict.fromkeys(("date", "time", "timetz", "timestamp", "timestamptz", "interval"), INTERVAL),
    "numeric": NUMERIC,
}


@handles(exp.Window)
def _bind_window(walker: Walker, node: exp.Expr) -> Typed:
    position = walker.position(node.this)
    walker.allow_window(position)
    with walker.within(places.WINDOW_DEFINITION):
        window = _definition(walker, node)
    call = call_of(walker, node.this)
    if call.within:
        raise FeatureNotSupported(
            f"OVER is not supported for ordered-set aggregate {call.name}", position=position
        )
    with walker.within(places.WINDOW):
        value = _bind_function(walker, call, position)
    placed = over(value, window)
    if call.name == "ntile":
        return Typed(cast(placed.tree, placed.type.duckdb), placed.type)
    return placed


def _bind_function(walker: Walker, call: Call, position: int | None) -> Typed:
    if is_window(call.name) and not is_aggregate(call.name):
        if call.has_aggregate_syntax:
            word = "DISTINCT" if call.is_distinct else "FILTER" if call.filter else "ORDER BY"
            raise FeatureNotSupported(
                f"{word} is not implemented for non-aggregate window functions", position=position
            )
        if call.name not in _OF_OTHER_ROWS:
            refuse_ignored_nulls(call, position)
        arguments = [walker.bind(argument) for argument in call.nodes]
        value = resolve_window(call.name, arguments, position=position)
        return ignoring_nulls(value) if call.ignores_nulls else value
    if is_aggregate(call.name):
        if call.is_distinct:
            raise FeatureNotSupported(
                "DISTINCT is not implemented for window functions", position=position
            )
        return bind_aggregate(walker, call, position)
    raise WrongObjectType(
        f"OVER specified, but {call.name} is not a window function nor an aggregate function",
        position=position,
    )


def _definition(walker: Walker, node: exp.Expr) -> exp.Window:
    """Return the window that a call is over, with the named window it begins with put in."""
    partition, order, spec = _resolved(walker, node, frozenset())
    window = exp.Window(this=exp.Null(), over="OVER")
    if partition:
        window.set(
            "partition_by",
            [constant_safe(equal_form(settled(walker.bind(item))).tree) for item in partition],
        )
    values = [settled(walker.bind(item.this)) for item in order]
    if (gap := session_gap(spec)) is not None:
        return _session(walker, window, order, values, gap)
    if spec is not None and _has_distance(spec):
        if len(values) != 1:
            raise WindowingError(
                "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column"
            )
        _check_distances(values[0].type)
        measured: PgType | None = values[0].type
        values = [with_room_for_distances(values[0])]
    else:
        measured = None
    keys = [ordered(sort_key(value), item) for value, item in zip(values, order, strict=True)]
    if keys:
        window.set("order", exp.Order(expressions=keys))
    if spec is not None:
        window.set("spec", _frame(walker, spec, keys, measured))
    return window


def _session(
    walker: Walker,
    window: exp.Window,
    order: list[exp.Expr],
    values: list[Typed],
    gap: exp.Expr,
) -> exp.Window:
    """Return a window over the session that a row is in; ``number_sessions_below`` finds it."""
    if len(values) != 1 or order[0].args.get("desc"):
        raise WindowingError("SESSION WITH GAP requires exactly one ORDER BY column, ascending")
    _check_distances(values[0].type)
    window.set("order", exp.Order(expressions=[ordered(values[0].tree, order[0])]))
    window.set("spec", whole_partition())
    bound = walker.bind(gap)
    if any(bound.tree.find_all(exp.Column)):
        raise InvalidColumnReference(
            "argument of SESSION must not contain variables", position=walker.position(gap)
        )
    window.set(SESSION, _distance(bound, values[0].type, walker.position(gap)))
    return window


def _has_distance(spec: exp.Expr) -> bool:
    """Whether a frame ends where the order's value differs by so much."""
    is_range = str(spec.args.get("kind") or "RANGE").upper() == "RANGE"
    return is_range and any(isinstance(spec.args.get(s), exp.Expr) for s in ("start", "end"))


def _resolved(
    walker: Walker, node: exp.Expr, seen: frozenset[str]
) -> tuple[list[exp.Expr], list[exp.Expr], exp.Expr | None]:
    partition = list(node.args.get("partition_by") or ())
    order_node = node.args.get("order")
    order = [] if order_node is None else list(order_node.expressions)
    spec = node.args.get("spec")
    alias = node.args.get("alias")
    if alias is None:
        return partition, order, spec
    name = alias.name
    base = walker.windows.get(name)
    if base is None or name in seen:
        raise UndefinedObject(f'window "{name}" does not exist', position=walker.position(alias))
    base_partition, base_order, base_spec = _resolved(walker, base, seen | {name})
    if partition:
        raise WindowingError(
            f'cannot override PARTITION BY clause of window "{name}"',
            position=walker.position(alias),
        )
    if order and base_order:
        raise WindowingError(
            f'cannot override ORDER BY clause of window "{name}"',
            position=walker.position(alias),
        )
    return base_partition, order or base_order, spec or base_spec


def _check_distances(pg_type: PgType) -> None:
    """Refuse RANGE with a distance over what has none."""
    if pg_type.name not in _DISTANCES:
        raise FeatureNotSupported(
            "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
            f"{pg_type.sql_name}"
        )


def _frame(
    walker: Walker, spec: exp.Expr, keys: list[exp.Ordered], measured: PgType | None
) -> exp.WindowSpec:
    kind = str(spec.args.get("kind") or "RANGE").upper()
    if kind == "GROUPS" and not keys:
        raise WindowingError("GROUPS mode requires an ORDER BY clause")
    bound = exp.WindowSpec(kind=kind)
    for side in ("start", "end"):
        value = spec.args.get(side)
        if value is None:
            continue
        bound.set(side, _bound(walker, value, kind, side, measured))
        bound.set(f"{side}_side", str(spec.args.get(f"{side}_side") or "").upper() or None)
    if spec.args.get("exclude") is not None:
        bound.set("exclude", spec.args["exclude"].copy())
    return bound


def _bound(
    walker: Walker, value: exp.Expr | str, kind: str, side: str, measured: PgType | None
) -> exp.Expr | str:
    if isinstance(value, str):
        return value.upper()
    offset = walker.bind(value)
    position = walker.position(value)
    aliases = {item.alias for item in walker.scope.items}
    if any(column.table in aliases for column in offset.tree.find_all(exp.Column)):
        raise InvalidColumnReference(
            f"argument of {kind} must not contain variables", position=position
        )
    if measured is not None:
        return _distance(offset, measured, position)
    if isinstance(offset.tree, exp.Null):
        word = "starting" if side == "start" else "ending"
        raise NullValueNotAllowed(f"frame {word} offset must not be null")
    if is_negative(offset.tree):
        word = "starting" if side == "start" else "ending"
        raise InvalidFrameSize(f"frame {word} offset must not be negative")
    if isinstance(offset.tree, exp.Literal) and not offset.is_unknown:
        return offset.tree
    return coerce(offset, INT8, Coercion.IMPLICIT, position=position).tree


def _distance(offset: Typed, measured: PgType, position: int | None) -> exp.Expr:
    """Return how far a frame reaches in the order's values.

    Raises:
        FeatureNotSupported: The values and the distance do not go together.
    """
    wanted = _DISTANCES[measured.name]
    if offset.is_unknown and offset.constant_text is not None:
        given = string_literal(offset.constant_text)
        return coerce(given, wanted, Coercion.IMPLICIT, position=position).tree
    if not can_coerce(offset.type, wanted, Coercion.IMPLICIT):
        raise FeatureNotSupported(
            "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
            f"{measured.sql_name} and offset type {offset.type.sql_name}",
            hint="Cast the offset value to an appropriate type.",
            position=position,
        )
    if is_negative(offset.tree):
        raise InvalidFrameSize("invalid preceding or following size in window function")
    return settled(offset).tree
