"""What DuckDB's equality does not tell apart, although readers see a difference.

An interval of a month equals one of 30 days, and -0.0 equals 0.0. Grouping, joining and DISTINCT
shall treat them alike; a difference between an old row and a new one must not.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from barrier.stream import trees

#: Types, alone or inside of others, that have equal values which print differently.
_TYPES = "INTERVAL|DOUBLE|FLOAT"


def fingerprint(values: Sequence[exp.Expr]) -> exp.Expr:
    """Return a text that differs for values that are equal but not identical.

    DuckDB knows each type when it binds, so for all other types this folds to a constant, and no
    plan has to know a type.
    """
    parts: list[exp.Expr] = []
    for value in values:
        is_loose = trees.call(
            "regexp_matches", trees.call("typeof", value), exp.Literal.string(_TYPES)
        )
        parts += [
            trees.when(is_loose, trees.cast(value, "VARCHAR")),
            exp.Literal.string(","),
        ]
    return trees.call("concat", exp.Literal.string(""), *parts)


def identical(left: Sequence[exp.Expr], right: Sequence[exp.Expr]) -> exp.Expr:
    """Whether two rows are the same to every reader."""
    if not left:
        return exp.true()
    equal = [trees.same(a, b) for a, b in zip(left, right, strict=True)]
    prints = exp.EQ(this=fingerprint(left), expression=fingerprint(right))
    return trees.all_of([*equal, prints])
