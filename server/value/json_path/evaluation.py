"""What a path gives for a value.

Items come one after the other, so that who asks only whether there is one sees no error behind the
first. In lax mode arrays are taken apart and single items taken for arrays where a step wants the
other, and what is not there is nothing; in strict mode both are errors. An error inside of a
predicate makes it unknown, which is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import islice
from typing import Final, TypeAlias

from catalog.errors import PgError, UndefinedObject
from server.value.json_path.calculation import calculated
from server.value.json_path.errors import (
    InvalidDatetimeArgument,
    InvalidJsonSubscript,
    JsonArrayNotFound,
    JsonMemberNotFound,
    JsonNumberNotFound,
    JsonObjectNotFound,
    NonNumericJsonItem,
    SingletonJsonItemRequired,
)
from server.value.json_path.moment import JsonMoment, compared_moments, read_moment
from server.value.json_path.path import (
    ARITHMETIC,
    Binary,
    Chain,
    Constant,
    Deep,
    Expr,
    Filter,
    JsonPath,
    Key,
    LikeRegex,
    Method,
    Step,
    Subscripts,
    Unary,
    Variable,
    Word,
)
from server.value.json_path.place import place_of
from server.value.json_text import JsonValue
from server.value.regex import python_regex

#: A JSON value, or a moment that .datetime() made.
Item: TypeAlias = "JsonValue | JsonMoment"

_KINDS: Final = {bool: "boolean", Decimal: "number", str: "string", list: "array", dict: "object"}
_INT4_MAX: Final = 2**31 - 1
#: What keyvalue() adds for what comes from variables.
_VARIABLES_PLACE: Final = 10_000_000_000


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where an expression stands.

    Attributes:
        current: What ``@`` is.
        size: Of the array whose subscript it is, for ``last``.
        is_lenient: Whether what is not there is nothing rather than an error.
    """

    current: Item
    size: int
    is_lenient: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A path over a value.

    Attributes:
        path: The path.
        root: What ``$`` is.
        variables: The caller's; where there are none to be given, as with operators, all are null.
        zone: The session's time zone; None where a comparison may not depend on it.
    """

    path: JsonPath
    root: JsonValue
    variables: Mapping[str, JsonValue] | None
    zone: str | None = None

    def items(self) -> Iterator[Item]:
        """Yield what the path gives."""
        scope = _Scope(self.root, -1, self.path.is_lax)
        return self._items(self.path.root, scope)

    def gives_any(self) -> bool:
        """Return whether the path gives any item; strict mode has the errors of all."""
        return self._gives_any(self.path.root, _Scope(self.root, -1, self._is_lax))

    def _gives_any(self, expr: Expr, scope: _Scope) -> bool:
        if not self._is_lax:
            return bool(list(self._items(expr, scope)))
        match expr:
            case Unary("+" | "-", operand):  # What is no number has no sign to be asked for.
                return any(
                    isinstance(item, Decimal) for item in list(self._unwrapped(operand, scope))
                )
            case _:
                return any(True for _ in islice(self._items(expr, scope), 1))

    @property
    def _is_lax(self) -> bool:
        return self.path.is_lax

    def _items(self, expr: Expr, scope: _Scope) -> Iterator[Item]:
        match expr:
            case Chain(head, steps):
                for item in self._items(head, scope):
                    yield from self._follow(item, steps, scope, unwraps=self._is_lax)
            case Constant(value):
                yield value
            case Variable(name):
                if self.variables is None:
                    yield None
                elif name in self.variables:
                    yield self.variables[name]
                else:
                    raise UndefinedObject(f'could not find jsonpath variable "{name}"')
            case Word("$"):
                yield self.root
            case Word("@"):
                yield scope.current
            case Word():
                yield Decimal(scope.size - 1)
            case Unary("+" | "-" as sign, operand):
                yield from self._signed(sign, operand, scope)
            case Binary(operator, left, right) if operator in ARITHMETIC:
                a = self._single_number(
                    left, scope, f"left operand of jsonpath operator {operator}"
                )
                b = self._single_number(
                    right, scope, f"right operand of jsonpath operator {operator}"
                )
                yield calculated(operator, a, b)
            case _:
                yield self._truth(expr, scope)

    def _unwrapped(self, expr: Expr, scope: _Scope) -> Iterator[Item]:
        """Yield items, arrays taken apart in lax mode."""
        for item in self._items(expr, scope):
            if self._is_lax and isinstance(item, list):
                yield from item
            else:
                yield item

    def _single_number(self, expr: Expr, scope: _Scope, what: str) -> Decimal:
        found = list(self._unwrapped(expr, scope))
        if len(found) != 1 or not isinstance(found[0], Decimal):
            raise SingletonJsonItemRequired(f"{what} is not a single numeric value")
        return found[0]

    def _signed(self, sign: str, operand: Expr, scope: _Scope) -> Iterator[Item]:
        for item in list(self._unwrapped(operand, scope)):
            if not isinstance(item, Decimal):
                raise JsonNumberNotFound(
                    f"operand of unary jsonpath operator {sign} is not a numeric value"
                )
            yield item.copy_negate() if sign == "-" else item

    # What is true.

    def _truth(self, expr: Expr, scope: _Scope) -> bool | None:
        match expr:
            case Unary("!", operand):
                found = self._truth(operand, scope)
                return None if found is None else not found
            case Unary("is unknown", operand):
                return self._truth(operand, scope) is None
            case Unary("exists", operand):
                return self._exists(operand, scope)
            case Binary("&&" | "||" as operator, left, right):
                decisive = operator == "||"
                first = self._truth(left, scope)
                if first is decisive:
                    return decisive
                second = self._truth(right, scope)
                return second if second is decisive or first is not None else None
            case Binary("starts with", left, right):
                return self._any(left, right, scope, _starts, unwraps_right=False)
            case Binary(operator, left, right):

                def compare(a: Item, b: Item) -> bool | None:
                    return self._compared(operator, a, b)

                return self._any(left, right, scope, compare, unwraps_right=True)
            case LikeRegex(operand, pattern, _, letters):
                regex = python_regex(pattern, letters)

                def matches(a: Item, _: Item) -> bool | None:
                    return regex.search(a) is not None if isinstance(a, str) else None

                return self._any(operand, Constant(None), scope, matches, unwraps_right=False)
            case _:
                raise AssertionError(expr)

    def _exists(self, operand: Expr, scope: _Scope) -> bool | None:
        try:
            return self._gives_any(operand, scope)
        except PgError as error:
            forgive(error)
            return None

    def _any(
        self,
        left: Expr,
        right: Expr,
        scope: _Scope,
        test: Callable[[Item, Item], bool | None],
        *,
        unwraps_right: bool,
    ) -> bool | None:
        """Return whether a pair of items passes; strict mode wants to know of all that can be."""
        try:
            lefts = list(self._unwrapped(left, scope))
            rights = list((self._unwrapped if unwraps_right else self._items)(right, scope))
        except PgError as error:
            forgive(error)
            return None
        is_found = is_unknown = False
        for a in lefts:
            for b in rights:
                found = test(a, b)
                if found is None:
                    if not self._is_lax:
                        return None
                    is_unknown = True
                elif found:
                    if self._is_lax:
                        return True
                    is_found = True
        return True if is_found else None if is_unknown else False

    def _compared(self, operator: str, a: Item, b: Item) -> bool | None:
        if isinstance(a, JsonMoment) and isinstance(b, JsonMoment):
            order = compared_moments(a, b, self.zone)
            return None if order is None else _TESTS[operator](order)
        if type(a) is not type(b):
            # Null equals nothing else; other things of two kinds cannot be compared.
            return operator == "!=" if a is None or b is None else None
        match a, b:
            case None, None:
                return _TESTS[operator](0)
            case (
                (bool() as x, bool() as y)
                | (Decimal() as x, Decimal() as y)
                | (str() as x, str() as y)
            ):
                return _TESTS[operator]((x > y) - (x < y))  # type: ignore[operator]
            case _:
                return None

    # Steps.

    def _follow(
        self, item: Item, steps: tuple[Step, ...], scope: _Scope, *, unwraps: bool
    ) -> Iterator[Item]:
        """Yield where steps lead from an item."""
        if not steps:
            yield item
            return
        step, rest = steps[0], steps[1:]
        if unwraps and isinstance(item, list) and _wants_items(step):
            for element in item:
                yield from self._follow(element, steps, scope, unwraps=False)
            return
        match step:
            case Key(None):
                found: Iterator[Item] = self._members(item, scope)
            case Key(str() as name):
                found = _member(item, name, scope)
            case Subscripts(None):
                found = self._elements(item, scope)
            case Subscripts():
                found = self._subscripted(item, step, scope)
            case Deep():
                scope = replace(scope, is_lenient=True)
                found = _nested(item, step, 0)
            case Filter(predicate):
                if self._truth(predicate, replace(scope, current=item)) is True:
                    yield from self._follow(item, rest, scope, unwraps=self._is_lax)
                return
            case Method(name, argument):
                found = self._called(item, name, argument, scope)
            case _:
                raise AssertionError(step)
        for inner in found:
            yield from self._follow(inner, rest, scope, unwraps=self._is_lax)

    def _members(self, item: Item, scope: _Scope) -> Iterator[Item]:
        if isinstance(item, dict):
            yield from (item[key] for key in _ordered(item))
        elif not scope.is_lenient:
            raise JsonObjectNotFound(
                "jsonpath wildcard member accessor can only be applied to an object"
            )

    def _elements(self, item: Item, scope: _Scope) -> Iterator[Item]:
        if isinstance(item, list):
            yield from item
        elif self._is_lax:
            yield item
        elif not scope.is_lenient:
            raise JsonArrayNotFound(
                "jsonpath wildcard array accessor can only be applied to an array"
            )

    def _subscripted(self, item: Item, step: Subscripts, scope: _Scope) -> Iterator[Item]:
        if not isinstance(item, list) and not self._is_lax:
            if not scope.is_lenient:
                raise JsonArrayNotFound("jsonpath array accessor can only be applied to an array")
            return
        elements: list[Item] = [*item] if isinstance(item, list) else [item]
        inside = replace(scope, size=len(elements))
        for first, last in step.ranges or ():
            start = self._subscript(first, inside)
            end = start if last is None else self._subscript(last, inside)
            if not scope.is_lenient and (start < 0 or start > end or end >= len(elements)):
                raise InvalidJsonSubscript("jsonpath array subscript is out of bounds")
            yield from elements[max(start, 0) : max(end + 1, 0)]

    def _subscript(self, expr: Expr, scope: _Scope) -> int:
        found = list(self._items(expr, scope))
        if len(found) != 1 or not isinstance(found[0], Decimal):
            raise InvalidJsonSubscript("jsonpath array subscript is not a single numeric value")
        number = int(found[0])
        if not -_INT4_MAX - 1 <= number <= _INT4_MAX:
            raise InvalidJsonSubscript("jsonpath array subscript is out of integer range")
        return number

    # Methods.

    def _called(self, item: Item, name: str, argument: str | None, scope: _Scope) -> Iterator[Item]:
        match name:
            case "type":
                yield kind_of(item)
            case "size":
                if not isinstance(item, list) and not self._is_lax:
                    if scope.is_lenient:
                        return
                    raise JsonArrayNotFound(
                        "jsonpath item method .size() can only be applied to an array"
                    )
                yield Decimal(len(item) if isinstance(item, list) else 1)
            case "abs" | "floor" | "ceiling":
                if not isinstance(item, Decimal):
                    raise NonNumericJsonItem(
                        f"jsonpath item method .{name}() can only be applied to a numeric value"
                    )
                yield _rounded(item, name)
            case "double":
                yield _as_double(item)
            case "keyvalue":
                yield from self._key_values(item)
            case _:
                if not isinstance(item, str):
                    raise InvalidDatetimeArgument(
                        "jsonpath item method .datetime() can only be applied to a string"
                    )
                yield read_moment(item, argument)

    def _key_values(self, item: Item) -> Iterator[Item]:
        if not isinstance(item, dict):
            raise JsonObjectNotFound(
                "jsonpath item method .keyvalue() can only be applied to an object"
            )
        place = place_of(item, self.root)
        number = Decimal(_VARIABLES_PLACE if place is None else place)
        for key in _ordered(item):
            yield {"key": key, "value": item[key], "id": number}


def forgive(error: PgError) -> None:
    """Pass over an error about values, which makes what was asked unknown.

    Raises:
        PgError: It is about something else.
    """
    if not error.sqlstate.value.startswith("22"):
        raise error


def _wants_items(step: Step) -> bool:
    """Whether a step is for the items of an array rather than for the array."""
    match step:
        case Key() | Filter():
            return True
        case Method(name):
            return name not in {"type", "size"}
        case _:
            return False


def _member(item: Item, name: str, scope: _Scope) -> Iterator[Item]:
    if isinstance(item, dict):
        if name in item:
            yield item[name]
        elif not scope.is_lenient:
            raise JsonMemberNotFound(f'JSON object does not contain key "{name}"')
    elif not scope.is_lenient:
        raise JsonMemberNotFound("jsonpath member accessor can only be applied to an object")


def _ordered(item: Mapping[str, JsonValue]) -> list[str]:
    return sorted(item, key=lambda key: (len(key.encode()), key.encode()))


def _nested(item: Item, step: Deep, level: int) -> Iterator[Item]:
    """Yield what is nested in an item between two levels, the outer before the inner."""
    is_scalar = not isinstance(item, (dict, list))
    if step.first is None:
        is_in = step.last is None and is_scalar and level > 0
    else:
        is_in = step.first <= level
    if is_in and (step.last is None or level <= step.last):
        yield item
    if is_scalar or (step.last is not None and level >= step.last):
        return
    inner = [item[key] for key in _ordered(item)] if isinstance(item, dict) else item
    assert isinstance(inner, list)
    for value in inner:
        yield from _nested(value, step, level + 1)


def kind_of(item: Item) -> str:
    """Return what ``.type()`` says."""
    if isinstance(item, JsonMoment):
        return item.kind
    return "null" if item is None else _KINDS[type(item)]


def _rounded(number: Decimal, name: str) -> Decimal:
    with localcontext() as context:
        context.prec = 2000
        if name == "abs":
            return number.copy_abs()
        return number.to_integral_value(ROUND_FLOOR if name == "floor" else ROUND_CEILING)


def _as_double(item: Item) -> Decimal:
    what = "numeric" if isinstance(item, Decimal) else "string"
    if not isinstance(item, (Decimal, str)):
        raise NonNumericJsonItem(
            "jsonpath item method .double() can only be applied to a string or numeric value"
        )
    try:
        number = math.nan if "_" in str(item) else float(item)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        fault = (
            "is out of range for type double precision"
            if what == "numeric"
            else "is not a valid representation of a double precision number"
        )
        raise NonNumericJsonItem(f"{what} argument of jsonpath item method .double() {fault}")
    return item if isinstance(item, Decimal) else Decimal(f"{number:.15g}")


def _starts(a: Item, b: Item) -> bool | None:
    return a.startswith(b) if isinstance(a, str) and isinstance(b, str) else None


_TESTS: Final[dict[str, Callable[[int], bool]]] = {
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}
