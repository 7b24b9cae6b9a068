"""ASOF JOIN, as RisingWave has it: each row on the left with the closest one on the right.

    a ASOF JOIN b ON a.k = b.k AND a.t >= b.t
    = a JOIN LATERAL (SELECT * FROM b WHERE a.k = b.k AND a.t >= b.t
                      ORDER BY b.t DESC, a.t, ROW(b.*) LIMIT 1) AS b ON TRUE

Which side an operand is of does not matter for the order: the left row's is the same for all. Of
rows that are equally close the first of all is taken, so that a view has one answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError

_AT_LEAST: Final = (exp.GT, exp.GTE)
_AT_MOST: Final = (exp.LT, exp.LTE)


def without_asof(join: exp.Expr, position: int | None) -> exp.Join:
    """Return the join that an ASOF JOIN means.

    Raises:
        SqlSyntaxError: Its condition is not of one.
        FeatureNotSupported: It is neither an inner nor a left join, or of something without a name.
    """
    side = str(join.args.get("side") or "").upper()
    name = _name(join.this)
    if side not in ("", "LEFT") or name is None:
        raise FeatureNotSupported(f"{side} ASOF JOIN is not supported".lstrip(), position=position)
    on = join.args.get("on") or exp.true()
    conditions = list(_conjuncts(on))
    if not any(isinstance(condition, exp.EQ) for condition in conditions):
        raise SqlSyntaxError("AsOf join requires at least 1 equal condition", position=position)
    bounds = [c for c in conditions if isinstance(c, (*_AT_LEAST, *_AT_MOST))]
    if len(bounds) != 1:
        raise SqlSyntaxError("AsOf join requires exactly 1 inequality condition", position=position)
    nearest = exp.Select(
        expressions=[exp.Star()],
        from_=exp.From(this=join.this.copy()),
        where=exp.Where(this=on.copy()),
        order=exp.Order(expressions=[*_closeness(bounds[0]), _whole_row(name)]),
        limit=exp.Limit(expression=exp.Literal.number(1)),
    )
    lateral = exp.Lateral(
        this=exp.Subquery(this=nearest),
        view=False,
        outer=False,
        alias=exp.TableAlias(this=name.copy()),
    )
    return exp.Join(this=lateral, side=side or None, on=exp.true())


def _name(item: exp.Expr) -> exp.Expr | None:
    """Return what a FROM item is called by."""
    alias = item.args.get("alias")
    named = item.this if alias is None else alias.this
    return named if isinstance(named, exp.Identifier) else None


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(condition, exp.Paren):
        yield from _conjuncts(condition.this)
    elif isinstance(condition, exp.And):
        yield from _conjuncts(condition.this)
        yield from _conjuncts(condition.expression)
    else:
        yield condition


def _closeness(bound: exp.Expr) -> tuple[exp.Ordered, exp.Ordered]:
    is_at_least = isinstance(bound, _AT_LEAST)
    return (
        exp.Ordered(this=bound.expression.copy(), desc=is_at_least, nulls_first=is_at_least),
        exp.Ordered(this=bound.this.copy(), desc=not is_at_least, nulls_first=not is_at_least),
    )


def _whole_row(name: exp.Expr) -> exp.Ordered:
    everything = exp.Column(this=exp.Star(), table=name.copy())
    row = exp.Anonymous(this="row", expressions=[everything])
    return exp.Ordered(this=row, desc=False, nulls_first=False)
