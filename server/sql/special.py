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

from catalog.special_numeric import greatest_number, special_of_stored, two_units
from catalog.types import PgType, special_numeric
from server.sql.fragment import cast, concatenated, fragment, string
from server.sql.typed import Typed

_IS_SPLIT: Final = "is_split"
_BOUNDED: Final = "tg_bounded"

#: What is larger is not copied into both branches.
_COPIED_NODES_MAX: Final = 150
_NEVER_COPIED: Final = (exp.Window, exp.Query)

#: What makes an expression of operands that are numbers.
Build = Callable[[Sequence[Typed]], Typed]


@dataclass(frozen=True, slots=True)
class Split:
    """An expression taken apart.

    Attributes:
        guards: Conditions, one of which holds if an operand is special; none: it is a number.
        plain: The value if no guard holds.
        rare: The value always.
    """

    guards: tuple[exp.Expr, ...]
    plain: exp.Expr
    rare: exp.Expr

    def chosen(self, rare: exp.Expr, plain: exp.Expr | None) -> exp.Expr:
        """Return one expression if a guard holds and another if none does; None: NULL."""
        ifs = [exp.If(this=_any(self.guards), true=_free(rare))]
        return exp.Case(ifs=ifs, default=None if plain is None else _free(plain))


def split(value: Typed) -> Split:
    """Return a numeric taken apart."""
    tree = value.tree
    if not value.type.has_specials:
        return Split((), tree, tree)
    inner = tree.this if isinstance(tree, exp.Cast) else tree
    if isinstance(inner, exp.Null) or _is_number(inner):
        return Split((), tree, tree)
    if isinstance(inner, exp.Case) and inner.meta.get(_IS_SPLIT):
        condition, plain = inner.args["ifs"][0], inner.args["default"]
        if isinstance(plain, exp.Anonymous) and plain.name == _BOUNDED:
            plain = plain.expressions[0]
        return Split(_conditions(condition.this), plain, condition.args["true"])
    if tree.find(*_NEVER_COPIED) or sum(1 for _ in tree.walk()) > _COPIED_NODES_MAX:
        return Split((exp.true(),), cast(exp.Null(), value.type.duckdb), tree)
    return Split((_is_special(tree, value.type),), tree, tree)


def number(value: Typed) -> Split:
    """Return a numeric that is known to be a number in spite of its type."""
    return Split((), value.tree, value.tree)


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
        plain = bounded(plain, result) if is_bounded else plain
    texts = [
        _operand(part.rare, operand.type) for part, operand in zip(parts, operands, strict=True)
    ]
    return merged(parts, plain, called(operation, texts, result), result)


def merged(parts: Sequence[Split], plain: exp.Expr, rare: exp.Expr, result: PgType) -> Typed:
    """Return the expression that is ``plain`` if no part is special, else ``rare``."""
    guards: list[exp.Expr] = []
    for part in parts:
        guards += [guard for guard in part.guards if guard not in guards]
    if not guards:
        return Typed(cast(plain, result.duckdb), result)
    tree = Split(tuple(guards), plain, rare).chosen(rare, plain)
    tree.meta[_IS_SPLIT] = True
    return Typed(cast(tree, result.duckdb), result)


def called(operation: str, texts: Sequence[exp.Expr], result: PgType) -> exp.Expr:
    """Return the call of ``tg_special`` on operands in text form, as a type."""
    pieces = [piece for text in texts for piece in (string(" "), text)][1:]
    scale = exp.Literal.number(str(result.scale or 0))
    tree = fragment("tg_special(_0, _1, _2)", string(operation), concatenated(pieces), scale)
    return cast(tree, result.duckdb)


def is_special(value: Typed) -> exp.Expr:
    """Return whether a numeric is NaN or infinite; it is NULL for NULL."""
    return _is_special(value.tree, value.type)


def bounded(tree: exp.Expr, pg_type: PgType) -> exp.Expr:
    """Return a number of a type with specials, an error if it would mean one of these."""
    assert pg_type.scale is not None
    unit = cast(string(two_units(pg_type.scale)), pg_type.duckdb)
    return fragment(f"{_BOUNDED}(_0, _1)", tree, unit)


def _is_special(tree: exp.Expr, pg_type: PgType) -> exp.Expr:
    assert pg_type.scale is not None
    greatest = cast(string(greatest_number(pg_type.scale)), pg_type.duckdb)
    return fragment("ABS(_0) > _1", tree, greatest)


def _operand(tree: exp.Expr, pg_type: PgType) -> exp.Expr:
    """Return an operand's text; a number that cannot be special is marked as one."""
    text = cast(tree, "VARCHAR")
    return text if pg_type.has_specials else fragment("'=' || _0", text)


def _free(tree: exp.Expr) -> exp.Expr:
    return tree if tree.parent is None else tree.copy()


def _any(conditions: Sequence[exp.Expr]) -> exp.Expr:
    found = conditions[0].copy()
    for condition in conditions[1:]:
        found = exp.Or(this=found, expression=condition.copy())
    return found


def _conditions(tree: exp.Expr) -> tuple[exp.Expr, ...]:
    if isinstance(tree, exp.Or):
        return (*_conditions(tree.this), tree.expression)
    return (tree,)
