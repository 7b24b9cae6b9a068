"""Functions that implement operators, such as textcat and int4pl: each is its operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from catalog.oid import Oid
from catalog.system.pg_functions import operator_functions
from catalog.types import NUMERIC, VECTORS, PgType, array_of, by_oid
from server.sql.operators import binary, unary
from server.sql.overload import Overload
from server.sql.typed import Typed

#: What parameters of operators stand for.
_PARAMETERS: Final = {
    int(NUMERIC.oid): "number",
    2277: "anyarray",
    2283: "anyelement",
    5077: "anyelement",
    5078: "anyarray",
}


#: Functions that operators do not call, and do what they do: name, symbol, parameters.
_WITH_TWO_NAMES: Final = (
    ("like", "~~", (25, 25)),
    ("like", "~~", (17, 17)),
    ("like", "~~", (19, 25)),
    ("notlike", "!~~", (25, 25)),
    ("notlike", "!~~", (17, 17)),
    ("notlike", "!~~", (19, 25)),
)


def _parameter(oid: int) -> PgType | str | None:
    return _PARAMETERS.get(oid) or by_oid(Oid(oid))


def _operated(symbol: str, arguments: Sequence[Typed]) -> Typed:
    arguments = [_array_of_vector(argument) for argument in arguments]
    if len(arguments) == 1:
        return unary(symbol, arguments[0])
    return binary(symbol, arguments[0], arguments[1])


def _array_of_vector(value: Typed) -> Typed:
    element = VECTORS.get(value.type.oid)
    return value if element is None else Typed(value.tree, array_of(element))


def implementing_functions(taken: frozenset[str]) -> Iterator[Overload]:
    """Yield the functions, without those whose names are ``taken`` by functions of their own."""
    for name, symbol, oids in (*operator_functions(), *_WITH_TWO_NAMES):
        parameters = tuple(_parameter(oid) for oid in oids)
        if name in taken or None in parameters:
            continue
        yield Overload(
            name, tuple(p for p in parameters if p is not None), partial(_operated, symbol)
        )
