"""Which overload of a name a call means, by the types of its arguments.

PostgreSQL 15, chapters 10.2 (operators) and 10.3 (functions).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from catalog.oid import Oid
from catalog.types import BPCHAR, NUMERIC, PEER_TYPES, TEXT, UNKNOWN, VARCHAR, PgType
from server.sql.casts import is_text
from server.sql.coercion import Coercion, can_coerce, is_preferred
from server.sql.overload import Overload
from server.sql.typed import Typed


class Overloads:
    """The overloads of one name; what was chosen for some types is kept."""

    __slots__ = ("_candidates", "_chosen")

    def __init__(self, candidates: Iterable[Overload] = ()) -> None:
        self._candidates = tuple(candidates)
        self._chosen: dict[tuple[Oid, ...], Sequence[Overload]] = {}

    def __bool__(self) -> bool:
        return bool(self._candidates)

    def __iter__(self) -> Iterator[Overload]:
        return iter(self._candidates)

    def select(self, arguments: Sequence[Typed]) -> Sequence[Overload]:
        """Return the best for the arguments: none, one, or several that are equally good."""
        # Only the types' identities matter for the choice, and there are few of them.
        types = tuple([argument.type.oid for argument in arguments])
        chosen = self._chosen.get(types)
        if chosen is None:
            chosen = self._chosen[types] = self._among_peers(arguments)
        return chosen

    def _among_peers(self, arguments: Sequence[Typed]) -> Sequence[Overload]:
        """Return the best for the arguments; what takes types that PostgreSQL has not comes last.

        PostgreSQL's rules count how many candidates there are, so another one that its types can be
        converted to would make calls ambiguous that are not.
        """
        if not any(_is_peers(argument.type) for argument in arguments):
            plain = [c for c in self._candidates if not any(map(_is_peers, c.parameters))]
            if chosen := _select(plain, arguments):
                return chosen
        return _select(self._candidates, arguments)


def _is_peers(parameter: PgType | str) -> bool:
    return not isinstance(parameter, str) and parameter.oid in PEER_TYPES


#: Of a name that nothing has.
NONE: Final = Overloads()


def by_name(overloads: Iterable[Overload]) -> Mapping[str, Overloads]:
    """Return the overloads of each name."""
    found: dict[str, list[Overload]] = defaultdict(list)
    for overload in overloads:
        found[overload.name].append(overload)
    return {name: Overloads(same) for name, same in found.items()}


def _select(candidates: Iterable[Overload], arguments: Sequence[Typed]) -> list[Overload]:
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
        case "anymap":
            return source.entry is not None or source.oid == UNKNOWN.oid
        case "anyarray" | "otherarray":
            return source.is_array or source.oid == UNKNOWN.oid
        case "anyenum":
            return source.category == "E" or source.oid == UNKNOWN.oid
        case "number":
            return source.name in {"int2", "int4", "int8", "numeric", "unknown"}
        case str():
            raise AssertionError(parameter)
        case _:
            return can_coerce(source, parameter, Coercion.IMPLICIT)


#: Functions over arrays whose type may come from an element alone, or is text's where nothing
#: tells: PostgreSQL declares them over ``anycompatible``.
_COMPATIBLE: Final = frozenset(
    {"array_append", "array_prepend", "array_cat", "array_remove", "array_replace"}
    | {"array_position", "array_positions"}
)


def _shapes_agree(candidate: Overload, arguments: Sequence[Typed]) -> bool:
    """Whether what ``anyelement`` and ``anyarray`` stand for has a common type."""
    if "anymap" in candidate.parameters and not any(a.type.entry for a in arguments):
        return False
    enums = {
        argument.type.oid
        for i, argument in enumerate(arguments)
        if candidate.parameter(i) == "anyenum" and not argument.is_unknown
    }
    if "anyenum" in candidate.parameters and len(enums) != 1:
        return False
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
        return candidate.name in _COMPATIBLE
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
    match parameter:
        case "number":
            return source.oid == NUMERIC.oid
        case "anyarray":
            return source.is_array
        case "anymap":
            return source.entry is not None
        case "anyenum":
            return source.category == "E"
        case str():
            return False
        case _ if parameter.oid == TEXT.oid and source.oid == VARCHAR.oid:
            return True
        case _:
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
        return {"number": "N", "anyarray": "A", "anyenum": "E"}.get(parameter, "P")
    return parameter.category


def _is_preferred_parameter(parameter: PgType | str) -> bool:
    return not isinstance(parameter, str) and is_preferred(parameter)
