"""The rows in which a view and its query, run from scratch, differ.

Both are read on one snapshot. Rows are compared as Z-sets: what is left when the query's rows are
taken from the view's is the difference. Sums of floating-point numbers depend on the order of
addition, which is nobody's promise, so such columns may differ by a little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import sqlglot
from sqlglot import exp

from barrier.stream import exact, trees
from catalog.oid import Oid
from catalog.relation import storage_name

#: By how much two sums of the same numbers may differ, relative to the larger.
_TOLERANCE: Final = "1e-9"

_WEIGHT: Final = "w"


def difference(
    oid: Oid,
    query: str,
    columns: Sequence[str],
    inexact: frozenset[str],
    earlier: Mapping[Oid, str],
) -> str:
    """Return the query for the rows that differ.

    Args:
        oid: The view.
        query: Its query, with the view's columns.
        columns: Their storage names.
        inexact: Those of the columns that are floating-point numbers.
        earlier: Queries to be read instead of stored relations: their rows as they once were.

    Returns:
        A query for the columns, and last a weight: how many more of such rows the view has than
        the query; fewer if it is negative.
    """
    tree = sqlglot.parse_one(query, read="duckdb")
    for table in list(tree.find_all(exp.Table)):
        for upstream, rows in earlier.items():
            if table.name == storage_name(upstream) and not table.db:
                once = sqlglot.parse_one(rows, read="duckdb")
                table.replace(trees.from_item(once, table.alias_or_name))
    names = ", ".join(columns)
    print_differently = exact.fingerprint([trees.column(n) for n in columns]).sql("duckdb")
    left = (
        f"SELECT {names}, sum({_WEIGHT})::BIGINT AS {_WEIGHT} FROM ("
        f"SELECT {names}, 1 AS {_WEIGHT} FROM {storage_name(oid)} UNION ALL "
        f"SELECT {names}, -1 FROM ({tree.sql(dialect='duckdb')}) AS q) AS z "
        f"GROUP BY {names}{'' if inexact else ', ' + print_differently} HAVING sum({_WEIGHT}) <> 0"
    )
    return _without_near_pairs(left, columns, inexact) if inexact else left


def _without_near_pairs(left: str, columns: Sequence[str], inexact: frozenset[str]) -> str:
    """Leave out rows that have a near one on the other side, in the order of their numbers."""
    floats = [name for name in columns if name in inexact]
    others = [name for name in columns if name not in inexact]
    names = ", ".join(columns)
    place = ", ".join([f"sign({_WEIGHT})", *others])
    numbered = (
        f"SELECT {names}, sign({_WEIGHT}) AS {_WEIGHT}, row_number() OVER "
        f"(PARTITION BY {place} ORDER BY {', '.join(floats)}) AS n "
        f"FROM ({left}) AS d, range(abs({_WEIGHT})) AS r"
    )
    conditions = ["a.n = b.n", f"a.{_WEIGHT} = -b.{_WEIGHT}"]
    conditions += [f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in others]
    conditions += list(_near(floats))
    return (
        f"WITH numbered AS MATERIALIZED ({numbered}) "
        f"SELECT {names}, {_WEIGHT}::BIGINT AS {_WEIGHT} FROM numbered AS a "
        f"WHERE NOT EXISTS (SELECT 1 FROM numbered AS b WHERE {' AND '.join(conditions)})"
    )


def _near(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        a, b = f"a.{name}", f"b.{name}"
        yield (
            f"({a} IS NOT DISTINCT FROM {b}"
            f" OR abs({a} - {b}) <= {_TOLERANCE} * greatest(abs({a}), abs({b})))"
        )
