"""Functions and operators as lines of text.

A line reads ``name(types) result = DuckDB expression``; ``_0`` is the first argument, already of
its declared type. Types are typnames with these pseudo-types beside them:

    any             whatever it is, as it is
    anyelement      one type for all that say so, after PostgreSQL's rules for common types
    anyarray        an array of it
    otherarray      an array of anything else
    anymap          a map, whatever it is of
    anyenum         an enum, the same one for all that say so
    number          a numeric with its own scale (integers become numerics)
    $0              as a result: the type of that argument
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from catalog.errors import FeatureNotSupported
from catalog.types import NUMERIC, TEXT, PgType, array_of, by_name
from server.sql.coercion import Coercion, as_numeric, coerce, default_typed
from server.sql.common_type import common_type
from server.sql.fragment import fragment
from server.sql.typed import Typed

#: What makes the result of the arguments, which have the declared types.
Build: TypeAlias = Callable[[Sequence[Typed]], Typed]

_PSEUDO: Final = frozenset(
    {"any", "anyelement", "anyarray", "anyenum", "anymap", "otherarray", "number"}
)
_LINE: Final = re.compile(r"(?P<name>\S+?)\((?P<types>[^)]*)\)\s+(?P<result>\S+)\s*=\s*(?P<sql>.*)")


@dataclass(frozen=True, slots=True)
class Overload:
    """One function of a name.

    Attributes:
        name: The function's name or the operator's symbol.
        parameters: Types, or names of pseudo-types.
        build: Makes the result.
        is_variadic: Whether the last parameter may be given any number of times, at least once.
    """

    name: str
    parameters: tuple[PgType | str, ...]
    build: Build
    is_variadic: bool = False

    def parameter(self, index: int) -> PgType | str:
        """The type of the argument at a place."""
        return self.parameters[min(index, len(self.parameters) - 1)]

    def takes(self, count: int) -> bool:
        """Whether it can be called with so many arguments."""
        if self.is_variadic:
            return count >= len(self.parameters)
        return count == len(self.parameters)


def table(lines: str) -> tuple[Overload, ...]:
    """Return the overloads that lines of text describe; see the module."""
    return tuple(_overload(line.strip()) for line in lines.splitlines() if line.strip())


def rule(signature: str, build: Build) -> Overload:
    """Return an overload that is built by code; the signature is ``name(types)``."""
    name, _, types = signature.removesuffix(")").partition("(")
    parameters, is_variadic = _parameters(types)
    return Overload(name, parameters, build, is_variadic)


def _overload(line: str) -> Overload:
    match = _LINE.fullmatch(line)
    assert match is not None, line
    parameters, is_variadic = _parameters(match["types"])
    result, sql = match["result"], match["sql"]

    def build(arguments: Sequence[Typed]) -> Typed:
        return Typed(fragment(sql, *(a.tree for a in arguments)), result_type(result, arguments))

    if result == "number":
        result = "numeric"
    if result in {"anyelement", "anyarray"}:
        return Overload(
            match["name"], parameters, _polymorphic(sql, parameters, result), is_variadic
        )
    return Overload(match["name"], parameters, build, is_variadic)


def _polymorphic(sql: str, parameters: tuple[PgType | str, ...], result: str) -> Build:
    def build(arguments: Sequence[Typed]) -> Typed:
        found: PgType | None = None
        for parameter, argument in zip(parameters, arguments, strict=False):
            if parameter == result or (parameter, result) == ("anyenum", "anyelement"):
                found = argument.type
                break
            if parameter == "anyarray" and result == "anyelement":
                assert argument.type.element is not None
                found = argument.type.element
                break
            if parameter in {"anyelement", "anyenum"} and result == "anyarray":
                found = array_of(argument.type)
        assert found is not None, sql
        return Typed(fragment(sql, *(a.tree for a in arguments)), found)

    return build


def _parameters(types: str) -> tuple[tuple[PgType | str, ...], bool]:
    names = [name.strip() for name in types.split(",") if name.strip()]
    is_variadic = bool(names) and names[-1].startswith("variadic ")
    if is_variadic:
        names[-1] = names[-1].removeprefix("variadic ")
    return tuple(n if n in _PSEUDO else by_name(n) for n in names), is_variadic


def result_type(result: str, arguments: Sequence[Typed]) -> PgType:
    """Return the type that a line's result names."""
    if result.startswith("$"):
        return arguments[int(result[1:])].type
    return by_name(result)


def apply(overload: Overload, arguments: Sequence[Typed], *, position: int | None = None) -> Typed:
    """Return the call of an overload, its arguments coerced."""
    return overload.build(coerced_arguments(overload, arguments, position))


def coerced_arguments(
    overload: Overload, arguments: Sequence[Typed], position: int | None = None
) -> list[Typed]:
    """Return the arguments as an overload declares them."""
    if overload.name != "pg_typeof":
        arguments = [_without_domain(argument) for argument in arguments]
    shared = _shared_type(overload, arguments)
    return [
        _argument(argument, overload.parameter(i), shared, position)
        for i, argument in enumerate(arguments)
    ]


def _without_domain(value: Typed) -> Typed:
    """Return a value as one of what its domain is made of: functions' results are no domain's."""
    return value if value.type.domain is None else Typed(value.tree, value.type.bare)


def _shared_type(overload: Overload, arguments: Sequence[Typed]) -> PgType | None:
    """Return what ``anyelement`` stands for in this call, or None where nothing says."""
    _check_dimensions(overload, arguments)
    samples: list[Typed] = []
    is_needed = False
    for i, argument in enumerate(arguments):
        parameter = overload.parameter(i)
        is_needed = is_needed or parameter in {"anyelement", "anyarray", "anyenum"}
        if parameter in {"anyelement", "anyenum"}:
            samples.append(argument)
        elif parameter == "anyarray" and argument.type.element is not None:
            element = argument.type.element
            if argument.type.duckdb.endswith("[][]"):
                return element
            samples.append(Typed(argument.tree, element))
    if not is_needed:
        return None
    return common_type(samples, "ARRAY") if samples else TEXT


def _check_dimensions(overload: Overload, arguments: Sequence[Typed]) -> None:
    """Refuse arrays of arrays beside other arrays, and items of one beside them.

    Raises:
        FeatureNotSupported: The engine takes both for values of different types.
    """
    depths = {
        a.type.dimensions - (overload.parameter(i) == "anyarray")
        for i, a in enumerate(arguments)
        if overload.parameter(i) in {"anyarray", "anyelement"} and not a.is_unknown
    }
    if len(depths) > 1 and max(depths) > 0 and any(a.type.dimensions > 1 for a in arguments):
        raise FeatureNotSupported("arrays of different dimensions together are not supported")


def _argument(
    argument: Typed, parameter: PgType | str, shared: PgType | None, position: int | None
) -> Typed:
    match parameter:
        case "any" | "otherarray":
            return default_typed(argument)
        case "anymap":
            return argument
        case "number":
            return as_numeric(argument)
        case "anyenum":
            assert shared is not None
            return coerce(argument, shared, Coercion.IMPLICIT, position=position)
        case "anyelement":
            assert shared is not None
            if argument.type.is_array and not shared.is_array:
                return argument
            return coerce(argument, shared, Coercion.IMPLICIT, position=position)
        case "anyarray":
            assert shared is not None
            if argument.type.is_array and argument.type.duckdb.endswith("[][]"):
                return argument
            return coerce(argument, array_of(shared), Coercion.IMPLICIT, position=position)
        case str():
            raise AssertionError(parameter)
        case _:
            if parameter.oid == NUMERIC.oid:
                return coerce(as_numeric(argument), parameter, Coercion.IMPLICIT, position=position)
            return coerce(argument, parameter, Coercion.IMPLICIT, position=position)
