"""Functions and operators as lines of text, and the choice among those of one name.

A line reads ``name(types) result = DuckDB expression``; ``_0`` is the first argument, already of
its declared type. Types are typnames with these pseudo-types beside them:

    any             whatever it is, as it is
    anyelement      one type for all that say so, after PostgreSQL's rules for common types
    anyarray        an array of it
    number          a numeric with its own scale (integers become numerics)
    $0              as a result: the type of that argument

The choice follows PostgreSQL 15, chapters 10.2 and 10.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from catalog.types import BPCHAR, NUMERIC, TEXT, UNKNOWN, VARCHAR, PgType, array_of, by_name
from server.sql.casts import is_text
from server.sql.coercion import (
    Coercion,
    as_numeric,
    can_coerce,
    coerce,
    common_type,
    default_typed,
    is_preferred,
)
from server.sql.fragment import fragment
from server.sql.typed import Typed

#: What makes the result of the arguments, which have the declared types.
Build: TypeAlias = Callable[[Sequence[Typed]], Typed]

_PSEUDO: Final = frozenset({"any", "anyelement", "anyarray", "number"})
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
            if parameter == result:
                found = argument.type
                break
            if parameter == "anyarray" and result == "anyelement":
                assert argument.type.element is not None
                found = argument.type.element
                break
            if parameter == "anyelement" and result == "anyarray":
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
    shared = _shared_type(overload, arguments)
    return [
        _argument(argument, overload.parameter(i), shared, position)
        for i, argument in enumerate(arguments)
    ]


def _shared_type(overload: Overload, arguments: Sequence[Typed]) -> PgType | None:
    """Return what ``anyelement`` stands for in this call, or None where nothing says."""
    samples: list[Typed] = []
    is_needed = False
    for i, argument in enumerate(arguments):
        parameter = overload.parameter(i)
        is_needed = is_needed or parameter in {"anyelement", "anyarray"}
        if parameter == "anyelement":
            samples.append(argument)
        elif parameter == "anyarray" and argument.type.element is not None:
            element = argument.type.element
            if argument.type.duckdb.endswith("[][]"):
                return element
            samples.append(Typed(argument.tree, element))
    if not is_needed:
        return None
    return common_type(samples, "ARRAY") if samples else TEXT


def _argument(
    argument: Typed, parameter: PgType | str, shared: PgType | None, position: int | None
) -> Typed:
    match parameter:
        case "any":
            return default_typed(argument)
        case "number":
            return as_numeric(argument)
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


def select(candidates: Iterable[Overload], arguments: Sequence[Typed]) -> list[Overload]:
    """Return the best of the candidates: none, one, or several that are equally good."""
    fitting = [
        c
        for c in candidates
        if c.takes(len(arguments))
        and all(_accepts(c.parameter(i), a.type) for i, a in enumerate(arguments))
        and _shapes_agree(c, arguments)
    ]
    if len(fitting) <= 1:
        return fitting
    fitting = _best(fitting, lambda c: _count(c, arguments, _is_exact))
    if len(fitting) <= 1:
        return fitting
    fitting = _best(fitting, lambda c: _count(c, arguments, _is_exact_or_preferred))
    if len(fitting) <= 1 or not any(a.is_unknown for a in arguments):
        return fitting[:1] if _are_alike(fitting) else fitting
    return _by_unknowns(fitting, arguments)


def _are_alike(fitting: Sequence[Overload]) -> bool:
    return all(isinstance(p, str) for p in fitting[0].parameters)


def _accepts(parameter: PgType | str, source: PgType) -> bool:
    match parameter:
        case "any":
            return True
        case "anyelement":
            return True
        case "anyarray":
            return source.is_array or source.oid == UNKNOWN.oid
        case "number":
            return source.name in {"int2", "int4", "int8", "numeric", "unknown"}
        case str():
            raise AssertionError(parameter)
        case _:
            return can_coerce(source, parameter, Coercion.IMPLICIT)


def _shapes_agree(candidate: Overload, arguments: Sequence[Typed]) -> bool:
    """Whether what ``anyelement`` and ``anyarray`` stand for has a common type."""
    elements: list[PgType] = []
    for i, argument in enumerate(arguments):
        parameter = candidate.parameter(i)
        if argument.is_unknown:
            continue
        if parameter == "anyelement":
            elements.append(argument.type)
        elif parameter == "anyarray" and argument.type.element is not None:
            elements.append(argument.type.element)
    if "anyarray" in candidate.parameters and not any(a.type.is_array for a in arguments):
        return False
    return all(
        can_coerce(a, b, Coercion.IMPLICIT) or can_coerce(b, a, Coercion.IMPLICIT)
        for a in elements[:1]
        for b in elements[1:]
    )


def _best(candidates: Sequence[Overload], score: Callable[[Overload], int]) -> list[Overload]:
    scores = [score(c) for c in candidates]
    top = max(scores)
    return [c for c, s in zip(candidates, scores, strict=True) if s == top]


def _count(
    candidate: Overload,
    arguments: Sequence[Typed],
    test: Callable[[PgType | str, PgType], bool],
) -> int:
    return sum(
        test(candidate.parameter(i), a.type) for i, a in enumerate(arguments) if not a.is_unknown
    )


def _is_exact(parameter: PgType | str, source: PgType) -> bool:
    if isinstance(parameter, str):
        return (parameter == "number" and source.oid == NUMERIC.oid) or (
            parameter == "anyarray" and source.is_array
        )
    if parameter.oid == TEXT.oid and source.oid == VARCHAR.oid:
        return True
    return parameter.oid == source.oid


def _is_exact_or_preferred(parameter: PgType | str, source: PgType) -> bool:
    if _is_exact(parameter, source):
        return True
    return not isinstance(parameter, str) and is_preferred(parameter)


def _by_unknowns(candidates: list[Overload], arguments: Sequence[Typed]) -> list[Overload]:
    """Choose by what arguments without a type could be: text first, else one category."""
    remaining = candidates
    for i, argument in enumerate(arguments):
        if not argument.is_unknown:
            continue
        categories = {_category(c.parameter(i)) for c in remaining}
        if "S" in categories:
            wanted = "S"
        elif len(categories) == 1:
            wanted = next(iter(categories))
        else:
            break
        remaining = [c for c in remaining if _category(c.parameter(i)) == wanted]
        preferred = [c for c in remaining if _is_preferred_parameter(c.parameter(i))]
        remaining = preferred or remaining
    if len(remaining) == 1:
        return remaining
    known = {a.type.oid for a in arguments if not a.is_unknown}
    if len(known) == 1:
        sample = next(a for a in arguments if not a.is_unknown)
        alike = [
            c
            for c in candidates
            if all(
                _is_exact(c.parameter(i), sample.type) or _is_text_pair(c.parameter(i), sample.type)
                for i in range(len(arguments))
            )
        ]
        if len(alike) == 1:
            return alike
        assumed = [
            c
            for c in candidates
            if all(_accepts(c.parameter(i), sample.type) for i in range(len(arguments)))
        ]
        if len(assumed) == 1:
            return assumed
    return remaining


def _is_text_pair(parameter: PgType | str, source: PgType) -> bool:
    return (
        not isinstance(parameter, str)
        and parameter.oid == TEXT.oid
        and is_text(source)
        and source.oid != BPCHAR.oid
    )


def _category(parameter: PgType | str) -> str:
    if isinstance(parameter, str):
        return {"number": "N", "anyarray": "A"}.get(parameter, "P")
    return parameter.category


def _is_preferred_parameter(parameter: PgType | str) -> bool:
    return not isinstance(parameter, str) and is_preferred(parameter)
