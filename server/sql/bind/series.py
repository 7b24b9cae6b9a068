"""A series in a SELECT list, moved to FROM: its rows are made one by one, not as a list of all.

A list of as many numbers as somebody asks for fits no memory, and making it cannot be interrupted.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

_SERIES: Final = "GENERATE_SERIES"


def move_series_to_from(select: exp.Select, alias: str) -> None:
    """Let a SELECT that has nothing but a series to take rows from take them from FROM.

    Args:
        select: Is changed if it is one.
        alias: A name that nothing in it has.
    """
    if any(select.args.get(clause) for clause in ("from_", "group", "having")):
        return
    shown = [node for item in select.expressions for node in item.find_all(exp.Unnest, exp.Explode)]
    # What is shown may be sorted by, too: it is the same column.
    lists = list(select.find_all(exp.Unnest, exp.Explode))
    if len(shown) != 1 or any(node != shown[0] for node in lists):
        return
    if any(True for _ in select.find_all(exp.AggFunc, exp.Window)):
        return
    (unnested,) = shown
    series = unnested.expressions[0] if isinstance(unnested, exp.Unnest) else unnested.this
    arguments = _arguments(series)
    if (
        arguments is None
        or any(node.parent_select is not select for node in lists)
        or any(any(tree.find_all(exp.Column, exp.Query)) for tree in arguments)
    ):
        return
    for node in lists:
        node.replace(exp.column("c1", table=alias))
    name = exp.TableAlias(this=exp.to_identifier(alias), columns=[exp.to_identifier("c1")])
    call = exp.Anonymous(this=_SERIES, expressions=[tree.copy() for tree in arguments])
    select.set("from_", exp.From(this=exp.Table(this=call, alias=name)))


def _arguments(series: exp.Expr) -> list[exp.Expr] | None:
    if isinstance(series, exp.GenerateSeries):
        given = (series.args.get(name) for name in ("start", "end", "step"))
        return [tree for tree in given if tree is not None]
    if isinstance(series, exp.Anonymous) and series.name.upper() == _SERIES:
        return list(series.expressions)
    return None
