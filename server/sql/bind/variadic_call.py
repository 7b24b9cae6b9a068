"""Calls whose last arguments are the items of an array: ``concat(VARIADIC array)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.errors import DatatypeMismatch, FeatureNotSupported
from catalog.types import BOOL, JSON, JSONB, TEXT, PgType, array_of
from server.sql.bind.walker import Walker
from server.sql.casts import output_text
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import call, fragment
from server.sql.functions.json import as_json, json_text
from server.sql.functions.registry import resolve_function
from server.sql.literals import string_literal
from server.sql.operators import binary
from server.sql.typed import Typed

#: Makes a call of the arguments before the array, and the array.
_Build = Callable[[Sequence[Typed], Typed], Typed]


def _texts(array: Typed) -> Typed:
    if array.type.element is not None and array.type.element.name == "bool":
        letter = output_text(exp.column("i"), BOOL)
        return Typed(
            fragment("LIST_TRANSFORM(_0, LAMBDA i : _1)", array.tree, letter), array_of(TEXT)
        )
    return coerce(array, array_of(TEXT), Coercion.EXPLICIT)


def _flat(array: Typed) -> Typed:
    """Return the items of arrays of arrays one after the other."""
    element, tree = array.type.element, array.tree
    if element is None or array.type.dimensions < 2:
        return array
    for _ in range(array.type.dimensions - 1):
        tree = fragment("FLATTEN(_0)", tree)
    return Typed(tree, array_of(element))


def _joined(before: Sequence[Typed], array: Typed) -> Typed:
    between = before[0] if before else string_literal("")
    return resolve_function("array_to_string", [array, between])


def _formatted(before: Sequence[Typed], array: Typed) -> Typed:
    template = coerce(before[0], TEXT, Coercion.IMPLICIT)
    listed = fragment("COALESCE(_0, CAST([] AS TEXT[]))", _texts(_flat(array)).tree)
    return Typed(call("tg_format", template.tree, listed), TEXT)


def _json_array(result: PgType, before: Sequence[Typed], array: Typed) -> Typed:
    del before
    return as_json(json_text(_flat(array), between=", "), result)


def _json_object(result: PgType, before: Sequence[Typed], array: Typed) -> Typed:
    del before
    if array.type.element is None or array.type.element.category != "S":
        raise FeatureNotSupported(
            f"VARIADIC {array.type.sql_name} of {result.name}_build_object is not supported"
        )
    return as_json(call("tg_json_object", _flat(array).tree), result)


def _at_path(symbol: str, held: PgType, before: Sequence[Typed], array: Typed) -> Typed:
    return binary(symbol, coerce(before[0], held, Coercion.IMPLICIT), _texts(array))


#: By the name and the number of arguments before the array.
_CALLS: Final[dict[tuple[str, int], _Build]] = {
    ("concat", 0): _joined,
    ("concat_ws", 1): _joined,
    ("format", 1): _formatted,
    **{(f"{t.name}_build_array", 0): partial(_json_array, t) for t in (JSON, JSONB)},
    **{(f"{t.name}_build_object", 0): partial(_json_object, t) for t in (JSON, JSONB)},
    **{(f"{t.name}_extract_path", 1): partial(_at_path, "#>", t) for t in (JSON, JSONB)},
    **{(f"{t.name}_extract_path_text", 1): partial(_at_path, "#>>", t) for t in (JSON, JSONB)},
}


def is_variadic(nodes: Sequence[exp.Expr]) -> bool:
    """Whether the last argument of a call gives many."""
    return bool(nodes) and isinstance(nodes[-1], exp.Variadic)


def bind_variadic_call(
    walker: Walker, name: str, nodes: Sequence[exp.Expr], position: int | None
) -> Typed:
    """Return a call with an array for its last arguments.

    Raises:
        DatatypeMismatch: It is no array.
        FeatureNotSupported: The function takes none.
    """
    *given, last = nodes
    before = [walker.bind(node) for node in given]
    array = walker.bind(last.this)
    if array.is_unknown:
        array = coerce(array, array_of(TEXT), Coercion.IMPLICIT)
    if not array.type.is_array:
        raise DatatypeMismatch(
            "VARIADIC argument must be an array", position=walker.position(last.this)
        )
    build = _CALLS.get((name, len(before)))
    if build is None:
        raise FeatureNotSupported(f"VARIADIC of {name} is not supported", position=position)
    return build(before, array)
