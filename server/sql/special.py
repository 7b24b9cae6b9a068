"""Calculating with numerics that may be NaN or infinite (``catalog.special_numeric``).

Nearly all values are numbers, and for these an operation costs what it costs without specials: an
expression is ``CASE WHEN a or b is special THEN rare ELSE plain END``, where ``a`` and ``b`` are
the columns and the like at its leaves, ``plain`` calculates with DECIMALs, and ``rare`` calls
``tg_special``, which knows PostgreSQL's rules (``special_operations``). Another operation on it
takes it apart again, so that each leaf is looked at once and expressions grow with their size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from catalog.special_numeric import Special, greatest_number, special_of_stored, two_units
from catalog.types import PgType, special_numeric
from server.sql.fragment import cast, fragment, string
from server.sql.typed import Typed

_BOUNDED: Final = "tg_bounded"

#: What is larger is not copied into both branches.
_COPIED_NODES_MAX: Final = 150
_NEVER_COPIED: Final = (exp.Window, exp.Query)

#: What calculates with so many operands.
_CALLS: Final = {1: "tg_special", 2: "tg_special_of_two", 4: "tg_special_of_four"}

#: What makes an expression of operands that are numbers.
Build = Callable[[Sequence[Typed]], Typed]


@dataclass(frozen=True, slots=True)
class Split:
    """An expression taken apart.

    Attributes:
        guards: Conditions, one of which holds if an operand is special; none: it is a number.
        plain: The value if no guard holds.
        rare: The text of the value, always.
        is_bounded: Whether ``plain`` could be so large that it meant a special.
    """

    guards: tuple[exp.Expr, ...]
    plain: exp.Expr
    rare: exp.Expr
    is_bounded: bool = False

    def chosen(self, rare: exp.Expr, plain: exp.Expr | None) -> exp.Expr:
        """Return one expression if a guard holds and another if none does; None: NULL."""
        if not self.guards:
            return exp.Null() if plain is None else _free(plain)
        ifs = [exp.If(this=_any(self.guards), true=_free(rare))]
        return exp.Case(ifs=ifs, default=None if plain is None else _free(plain))


class Lifted(Typed):
    """A numeric that is known in parts, and only made one expression where that is asked for.

    Its parts are put into larger ones without being copied.
    """

    __slots__ = ("parts",)

    parts: Split

    def __init__(self, parts: Split, pg_type: PgType, scale_code: exp.Expr | None = None) -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "type", pg_type)
        object.__setattr__(self, "scale_code", scale_code)

    @property
    def tree(self) -> exp.Expr:
        """The expression, each time another."""
        parts: Split = self.parts
        plain = parts.plain.copy()
        if parts.is_bounded:
            plain = bounded(plain, self.type)
        return cast(
            parts.chosen(cast(parts.rare.copy(), self.type.duckdb), plain), self.type.duckdb
        )


def retyped(value: Typed, pg_type: PgType) -> Typed:
    """Return a value as one of a type that is stored in the same way."""
    if isinstance(value, Lifted):
        return Lifted(value.parts, pg_type, value.scale_code)
    return Typed(value.tree, pg_type, value.scale_code)


def with_scale_code(value: Typed, code: exp.Expr | None) -> Typed:
    """Return a numeric with another scale code."""
    if isinstance(value, Lifted):
        return Lifted(value.parts, value.type, code)
    return Typed(value.tree, value.type, code)


def split(value: Typed) -> Split:
    """Return a numeric, or an integer, taken apart."""
    if isinstance(value, Lifted):
        parts: Split = value.parts
        return parts
    tree = value.tree
    inner = tree.this if isinstance(tree, exp.Cast) else tree
    if not value.type.has_specials or isinstance(inner, exp.Null) or _is_number(inner):
        return number(value)
    text = cast(tree, "VARCHAR")
    if tree.find(*_NEVER_COPIED) or sum(1 for _ in tree.walk()) > _COPIED_NODES_MAX:
        return Split((exp.true(),), cast(exp.Null(), value.type.duckdb), text)
    return Split((_is_special(tree, value.type),), tree, text)


def number(value: Typed) -> Split:
    """Return what is known to be a number, whatever its type could hold; its text is marked."""
    return Split((), value.tree, fragment("'=' || _0", cast(value.tree, "VARCHAR")))


def _is_number(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Literal) and special_of_stored(str(tree.this)) is None


def is_number(pg_type: PgType) -> PgType:
    """Return the type of a numeric's values that are neither NaN nor infinite."""
    return replace(pg_type, has_specials=False)


def lifted(
    operation: str, operands: Sequence[Typed], build: Build, *, is_bounded: bool = False
) -> Typed:
    """Return an operation on numerics that may be special.

    Args:
        operation: What ``special_operations`` calls it.
        operands: Of the operation; numerics, or integers.
        build: Makes it of numbers.
        is_bounded: Whether the result of numbers could be so large that it meant a special.
    """
    if not any(operand.type.has_specials for operand in operands):
        return build(operands)
    parts = [split(operand) for operand in operands]
    found = build(
        [
            Typed(part.plain, is_number(operand.type))
            for part, operand in zip(parts, operands, strict=True)
        ]
    )
    result, plain = found.type, found.tree
    if result.name == "numeric" and not result.is_declared:
        assert result.scale is not None
        result = special_numeric(result.scale, keeps_scale=result.keeps_scale)
        plain = cast(plain, result.duckdb)
    rare = called(operation, [part.rare for part in parts], result)
    return merged(parts, plain, rare, result, is_bounded=is_bounded)


def merged(
    parts: Sequence[Split],
    plain: exp.Expr,
    rare: exp.Expr,
    result: PgType,
    *,
    is_bounded: bool = False,
) -> Typed:
    """Return what is ``plain`` if no part is special, else what has the text ``rare``."""
    guards: list[exp.Expr] = []
    for part in parts:
        guards += [guard for guard in part.guards if guard not in guards]
    if not guards:
        plain = bounded(plain, result) if is_bounded else plain
        return Typed(cast(plain, result.duckdb), result)
    whole = Split(tuple(guards), plain, rare, is_bounded=is_bounded)
    if result.has_specials:
        return Lifted(whole, result)
    tree = whole.chosen(cast(rare, result.duckdb), plain)
    return Typed(cast(tree, result.duckdb), result)


def called(operation: str, texts: Sequence[exp.Expr], result: PgType) -> exp.Expr:
    """Return the text of an operation's result, from those of its operands."""
    scale = exp.Literal.number(str(result.scale or 0))
    trees = [string(operation), scale, *texts]
    holes = ", ".join(f"_{i}" for i in range(len(trees)))
    return fragment(f"{_CALLS[len(texts)]}({holes})", *trees)


def with_room_for_distances(value: Typed) -> Typed:
    """Return a number that orders as a numeric does.

    What stands for a special is so far from all else that no distance leads from one to another.
    A number that is too large for that overflows; ``error`` is not allowed in an order.
    """
    if not value.type.has_specials:
        return value
    assert value.type.scale is not None
    unit = "0" * (37 - value.type.scale)
    nan, infinity = (string(s.stored(value.type.scale)) for s in (Special.NAN, Special.INFINITY))
    numbers = [
        cast(string(text), value.type.duckdb)
        for text in (f"9{unit}", f"7{unit}", f"-9{unit}", f"4{unit}")
    ]
    tree = fragment(
        "CASE WHEN ABS(_0) <= _4 THEN _0 WHEN _0 = _5 THEN _1 WHEN _0 = _6 THEN _2 "
        "WHEN _0 = -_6 THEN _3 WHEN _0 > 0 THEN _0 + _1 WHEN _0 < 0 THEN _0 + _3 END",
        value.tree,
        *numbers,
        cast(nan, value.type.duckdb),
        cast(infinity, value.type.duckdb),
    )
    return Typed(cast(tree, value.type.duckdb), is_number(value.type))


def bounded(tree: exp.Expr, pg_type: PgType) -> exp.Expr:
    """Return a number of a type with specials, an error if it would mean one of these."""
    assert pg_type.scale is not None
    unit = cast(string(two_units(pg_type.scale)), pg_type.duckdb)
    return fragment(f"{_BOUNDED}(_0, _1)", tree, unit)


def _is_special(tree: exp.Expr, pg_type: PgType) -> exp.Expr:
    assert pg_type.scale is not None
    greatest = cast(string(greatest_number(pg_type.scale)), pg_type.duckdb)
    return fragment("ABS(_0) > _1", tree, greatest)


def _free(tree: exp.Expr) -> exp.Expr:
    return tree if tree.parent is None else tree.copy()


def _any(conditions: Sequence[exp.Expr]) -> exp.Expr:
    found = conditions[0].copy()
    for condition in conditions[1:]:
        found = exp.Or(this=found, expression=condition.copy())
    return found
