"""Functions by name and arguments. A name that is not here does not exist, whatever DuckDB has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from sqlglot import exp

from catalog.errors import (
    AmbiguousFunction,
    DatatypeMismatch,
    UndefinedFunction,
    WrongObjectType,
)
from catalog.types import OBJECT_TYPES, VECTORS, PgType, array_of, by_name
from server.sql.choice import NONE, Overloads
from server.sql.choice import by_name as overloads_by_name
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import fragment
from server.sql.functions import conditional
from server.sql.functions.aggregate import (
    AGGREGATES,
    VALUES_IN_ORDER,
    Aggregate,
)
from server.sql.functions.array import ARRAY_FUNCTIONS, slice_of, subscript
from server.sql.functions.bits import BIT_FUNCTIONS
from server.sql.functions.catalog import CATALOG_FUNCTION_NAMES, CATALOG_FUNCTIONS
from server.sql.functions.enum import ENUM_FUNCTIONS
from server.sql.functions.hypothetical_set import HYPOTHETICAL_SETS, hypothetical_set
from server.sql.functions.implementing import implementing_functions
from server.sql.functions.json import JSON_FUNCTIONS
from server.sql.functions.json_record import JSON_RECORD_FUNCTIONS
from server.sql.functions.map import MAP_FUNCTIONS
from server.sql.functions.modified import Modifiers
from server.sql.functions.moment import MOMENT_FUNCTIONS
from server.sql.functions.number import NUMBER_FUNCTIONS
from server.sql.functions.ordered_set import ORDERED_SETS, ordered_set
from server.sql.functions.over import over
from server.sql.functions.regular import REGULAR_FUNCTIONS
from server.sql.functions.rows import ROWS_FUNCTIONS, RowsFunction, TableFunction
from server.sql.functions.session import SESSION_FUNCTION_NAMES, SESSION_FUNCTIONS
from server.sql.functions.standard import STANDARD_FUNCTIONS
from server.sql.functions.text import TEXT_FUNCTIONS
from server.sql.functions.vnode import VNODE_FUNCTIONS
from server.sql.functions.window import WINDOW_FUNCTIONS
from server.sql.operators import binary
from server.sql.overload import Overload, apply, coerced_arguments, table
from server.sql.pattern import pattern_operator
from server.sql.typed import Typed

__all__ = [
    "TableFunction",
    "function_names",
    "is_aggregate",
    "is_scalar",
    "is_table_function",
    "is_window",
    "needs_session",
    "over",
    "resolve_aggregate",
    "resolve_function",
    "resolve_table_function",
    "resolve_window",
]

_HINT: Final = (
    "No function matches the given name and argument types. "
    "You might need to add explicit type casts."
)

_OTHER_FUNCTIONS: Final = table(
    """
    gen_random_uuid() uuid = GEN_RANDOM_UUID()
    """
)

_T = TypeVar("_T")


def _named(items: Iterable[_T], name: Callable[[_T], str]) -> dict[str, list[_T]]:
    found: dict[str, list[_T]] = defaultdict(list)
    for item in items:
        found[name(item)].append(item)
    return dict(found)


_OWN: Final = (
    *TEXT_FUNCTIONS,
    *BIT_FUNCTIONS,
    *REGULAR_FUNCTIONS,
    *NUMBER_FUNCTIONS,
    *MOMENT_FUNCTIONS,
    *JSON_FUNCTIONS,
    *JSON_RECORD_FUNCTIONS,
    *ARRAY_FUNCTIONS,
    *ENUM_FUNCTIONS,
    *MAP_FUNCTIONS,
    *SESSION_FUNCTIONS,
    *CATALOG_FUNCTIONS,
    *STANDARD_FUNCTIONS,
    *conditional.CONDITIONAL_FUNCTIONS,
    *VNODE_FUNCTIONS,
    *_OTHER_FUNCTIONS,
)
_SCALARS: Final = overloads_by_name(
    (*_OWN, *implementing_functions(frozenset(overload.name for overload in _OWN)))
)
_AGGREGATES: Final = _named((*AGGREGATES, *VALUES_IN_ORDER), lambda a: a.overload.name)
_AGGREGATE_OVERLOADS: Final = overloads_by_name(a.overload for a in (*AGGREGATES, *VALUES_IN_ORDER))
_WINDOWS: Final = overloads_by_name(WINDOW_FUNCTIONS)
_ROWS: Final = _named(ROWS_FUNCTIONS, lambda r: r.overload.name)
_ROWS_OVERLOADS: Final = overloads_by_name(r.overload for r in ROWS_FUNCTIONS)

_SPECIAL: Final = frozenset(
    {"coalesce", "nullif", "greatest", "least", "subscript", "slice", "similar_to", "array_cat"}
    | {"array_append", "array_prepend"}
)


def is_aggregate(name: str) -> bool:
    """Whether there is an aggregate of that name."""
    return (name in _AGGREGATES and name not in _WINDOWS) or name in ORDERED_SETS


def aggregates_in_order(name: str) -> bool:
    """Whether a window function is an aggregate where its rows are put in an order."""
    return name in _AGGREGATES and name in _WINDOWS


def is_hypothetical_set(name: str) -> bool:
    """Whether a window function is an aggregate where it has WITHIN GROUP."""
    return name in HYPOTHETICAL_SETS


def is_window(name: str) -> bool:
    """Whether there is a function of that name that needs an OVER clause."""
    return name in _WINDOWS


def is_table_function(name: str) -> bool:
    """Whether there is a function of that name that gives rows."""
    return name in _ROWS


def needs_session(name: str) -> bool:
    """Whether the function acts on the session that calls it, or asks it."""
    return name in SESSION_FUNCTION_NAMES or name in CATALOG_FUNCTION_NAMES


def object_parameter(name: str, count: int, place: int) -> PgType | None:
    """Return the type, such as regclass, of a plain function's parameter; None for other types.

    Args:
        name: The function's.
        count: How many arguments a call has.
        place: The argument's, from 0.
    """
    found = {
        parameter
        for overload in _SCALARS.get(name, NONE)
        if len(overload.parameters) == count
        and isinstance(parameter := overload.parameters[place], PgType)
    }
    (only,) = found if len(found) == 1 else (None,)
    return only if only in OBJECT_TYPES else None


def is_scalar(name: str) -> bool:
    """Whether there is a plain function of that name."""
    return name in _SCALARS or name in _SPECIAL


def is_function(name: str) -> bool:
    """Whether there is a function of that name, of any kind."""
    return (
        is_scalar(name)
        or is_aggregate(name)
        or is_window(name)
        or is_table_function(name)
        or name in _CASTS
        or name == "grouping"
    )


def function_names() -> tuple[str, ...]:
    """Return the names of all functions, for pg_proc."""
    return tuple(sorted({*_SCALARS, *_AGGREGATES, *ORDERED_SETS, *_WINDOWS, *_ROWS, *_SPECIAL}))


def resolve_function(
    name: str,
    arguments: Sequence[Typed],
    *,
    position: int | None = None,
    at: Callable[[int], int | None] = lambda _: None,
) -> Typed:
    """Return the call of a plain function.

    Args:
        name: The function's, without its schema.
        arguments: Of the call.
        position: Of the call, for the message.
        at: Returns the position of an argument by its index.

    Raises:
        UndefinedFunction: No function of that name takes such arguments.
        AmbiguousFunction: Several do.
        WrongObjectType: The name is an aggregate's, a window function's or gives rows.
    """
    if name in _SPECIAL and arguments:
        return _special(name, arguments, position, at)
    if name not in _SCALARS and (is_aggregate(name) or is_window(name)):
        raise WrongObjectType(f"{name} is not a plain function", position=position)
    candidates = _SCALARS.get(name, NONE)
    if (as_cast := _cast_like(name, arguments, candidates, position)) is not None:
        return as_cast
    if any(a.type.oid in VECTORS for a in arguments) and not candidates.select(arguments):
        arrays = [_array_of_vector(a) for a in arguments]
        found = apply(_one(name, candidates, arrays, position), arrays, position=position)
        if name in _GIVING_SUBSCRIPTS:
            return Typed(fragment("_0 - 1", found.tree), found.type)
        return found
    chosen = _one(name, candidates, arguments, position)
    return apply(chosen, arguments, position=position)


#: Functions that give places in arrays; vectors begin with 0.
_GIVING_SUBSCRIPTS: Final = frozenset({"array_position", "array_lower", "array_upper"})


def _array_of_vector(value: Typed) -> Typed:
    """Return an int2vector or oidvector as the array that it is; others as they are."""
    element = VECTORS.get(value.type.oid)
    return value if element is None else Typed(value.tree, array_of(element))


def _special(
    name: str,
    arguments: Sequence[Typed],
    position: int | None,
    at: Callable[[int], int | None],
) -> Typed:
    count = len(arguments)
    match name:
        case "coalesce":
            return conditional.coalesce(arguments, at=at)
        case "greatest" | "least":
            return conditional.extreme(name, arguments, at=at)
        case "nullif" if count == 2:
            return conditional.nullif(arguments[0], arguments[1], position=position)
        case "subscript" if count == 2:
            return subscript(arguments[0], arguments[1], position=position)
        case "slice" if count == 3:
            return slice_of(arguments[0], arguments[1], arguments[2], position=position)
        case "array_cat" if count == 2 and any(a.type.is_array for a in arguments):
            return binary("||", arguments[0], arguments[1], position=position)
        case "array_append" | "array_prepend" if count == 2:
            array, item = arguments if name == "array_append" else reversed(arguments)
            if item.type.is_array and array.type.dimensions == item.type.dimensions + 1:
                # RisingWave's items of arrays of arrays.
                return binary("||", arguments[0], arguments[1], position=position)
            chosen = _one(name, _SCALARS[name], arguments, position)
            return apply(chosen, arguments, position=position)
        case "similar_to" if count in {2, 3}:
            escape = arguments[2] if count == 3 else None
            return pattern_operator(
                "similar to", arguments[0], arguments[1], escape=escape, position=position
            )
        case _:
            raise undefined_function(name, arguments, position)


def _cast_like(
    name: str, arguments: Sequence[Typed], candidates: Overloads, position: int | None
) -> Typed | None:
    """Return ``int4(x)`` and the like, which are casts in the form of a call."""
    if candidates or len(arguments) != 1 or name not in _CASTS:
        return None
    target = _CASTS[name]
    if not arguments[0].is_unknown and not can_coerce(arguments[0].type, target, Coercion.EXPLICIT):
        return None
    return coerce(arguments[0], target, Coercion.EXPLICIT, position=position)


_CASTS: Final[dict[str, PgType]] = {
    name: by_name(name)
    for name in (
        *("int2", "int4", "int8", "float4", "float8", "numeric", "bool", "text", "varchar"),
        *("date", "timestamp", "timestamptz", "interval", "uuid", "json", "jsonb", "bytea", "time"),
    )
}


def resolve_aggregate(
    name: str,
    arguments: Sequence[Typed],
    *,
    is_distinct: bool = False,
    order_by: Sequence[exp.Ordered] = (),
    filter_: exp.Expr | None = None,
    within_group: Sequence[tuple[Typed, exp.Expr]] = (),
    position: int | None = None,
) -> Typed:
    """Return the call of an aggregate.

    Args:
        name: The aggregate.
        arguments: Its arguments; none for ``count(*)``.
        is_distinct: Whether equal arguments count once.
        order_by: The order of its input, over bound trees.
        filter_: The bound condition of FILTER.
        within_group: The values of WITHIN GROUP, each with the node that has its direction.
        position: Of the call.

    Raises:
        UndefinedFunction: No aggregate of that name takes such arguments.
        WrongObjectType: WITHIN GROUP is missing, or there where it must not be.
    """
    modifiers = Modifiers(is_distinct, tuple(order_by), filter_)
    if name in ORDERED_SETS:
        if len(within_group) != 1:
            raise WrongObjectType(
                f"WITHIN GROUP is required for ordered-set aggregate {name}", position=position
            )
        value, key = within_group[0]
        found = ordered_set(name, arguments, value, key, modifiers)
        if found is None:
            raise undefined_function(name, [*arguments, value], position)
        return found
    if within_group and name in HYPOTHETICAL_SETS:
        found = hypothetical_set(name, arguments, within_group, modifiers)
        if found is None:
            keys = [value for value, _ in within_group]
            error = undefined_function(name, [*arguments, *keys], position)
            error.hint = (
                f"To use the hypothetical-set aggregate {name}, the number of hypothetical direct"
                f" arguments (here {len(arguments)}) must match the number of ordering columns"
                f" (here {len(keys)})."
            )
            raise error
        return found
    if within_group:
        raise WrongObjectType(
            f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
            position=position,
        )
    chosen = _one(name, _AGGREGATE_OVERLOADS.get(name, NONE), arguments, position)
    aggregate: Aggregate = next(a for a in _AGGREGATES[name] if a.overload is chosen)
    return aggregate.build(coerced_arguments(chosen, arguments, position), modifiers)


def resolve_window(name: str, arguments: Sequence[Typed], *, position: int | None = None) -> Typed:
    """Return the call of a window function, without OVER; aggregates are taken too.

    Raises:
        UndefinedFunction: No window function of that name takes such arguments.
    """
    if name not in _WINDOWS:
        return resolve_aggregate(name, arguments, position=position)
    chosen = _one(name, _WINDOWS[name], arguments, position)
    return apply(chosen, arguments, position=position)


def resolve_table_function(
    name: str, arguments: Sequence[Typed], *, position: int | None = None
) -> TableFunction:
    """Return the call of a function that gives rows.

    Raises:
        UndefinedFunction: No such function of that name takes such arguments.
    """
    chosen = _one(name, _ROWS_OVERLOADS.get(name, NONE), arguments, position)
    function: RowsFunction = next(r for r in _ROWS[name] if r.overload is chosen)
    return function.build(coerced_arguments(chosen, arguments, position))


def _one(
    name: str, candidates: Overloads, arguments: Sequence[Typed], position: int | None
) -> Overload:
    chosen = candidates.select(arguments)
    if not chosen:
        is_open = any(_lacks_a_type(candidate, arguments) for candidate in candidates)
        if is_open and name == "unnest":  # PostgreSQL has one of text search, too.
            raise _ambiguous(name, arguments, position)
        if is_open:
            raise DatatypeMismatch(
                "could not determine polymorphic type because input has type unknown"
            )
        raise undefined_function(name, arguments, position)
    if len(chosen) > 1:
        raise _ambiguous(name, arguments, position)
    return chosen[0]


def _ambiguous(name: str, arguments: Sequence[Typed], position: int | None) -> AmbiguousFunction:
    return AmbiguousFunction(
        f"function {_signature(name, arguments)} is not unique",
        hint="Could not choose a best candidate function. "
        "You might need to add explicit type casts.",
        position=position,
    )


def _lacks_a_type(candidate: Overload, arguments: Sequence[Typed]) -> bool:
    """Whether a function over arrays fits but for an argument that has no type."""
    return (
        candidate.takes(len(arguments))
        and "anyarray" in candidate.parameters
        and all(
            a.is_unknown if p == "anyarray" else isinstance(p, str) or a.is_unknown or a.type == p
            for p, a in zip(candidate.parameters, arguments, strict=False)
        )
    )


def _signature(
    name: str, arguments: Sequence[Typed], names: Sequence[str | None] | None = None
) -> str:
    shown = [argument.type.sql_name for argument in arguments]
    for place, own in enumerate(names or ()):
        if own is not None:
            shown[place] = f"{own} => {shown[place]}"
    return f"{name}({', '.join(shown)})"


def undefined_function(
    name: str,
    arguments: Sequence[Typed],
    position: int | None,
    names: Sequence[str | None] | None = None,
) -> UndefinedFunction:
    """Build the error about a call that no function takes; ``names`` are written before values."""
    shown = _signature(name, arguments, names)
    return UndefinedFunction(f"function {shown} does not exist", hint=_HINT, position=position)
