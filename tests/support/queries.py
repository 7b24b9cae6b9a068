"""Queries of two columns over relations of two columns, each with its answer worked out in Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Row: TypeAlias = tuple[int | None, int | None]
Rows: TypeAlias = Sequence[Row]


@dataclass(frozen=True)
class Template:
    """A query over ``{0}`` and, if it joins, ``{1}``."""

    sql: str
    answer: Callable[..., Iterable[Row]]

    @property
    def inputs(self) -> int:
        return 2 if "{1}" in self.sql else 1


def _groups(rows: Rows) -> dict[int | None, list[int]]:
    groups: dict[int | None, list[int]] = defaultdict(list)
    for first, second in rows:
        groups[second].extend([] if first is None else [first])
    return groups


def _counted(rows: Rows) -> Iterable[Row]:
    counts: dict[int | None, int] = defaultdict(int)
    for _, second in rows:
        counts[second] += 1
    return counts.items()


def _summed(rows: Rows) -> Iterable[Row]:
    values = [second for _, second in rows if second is not None]
    return [(len(rows), sum(values) if values else None)]


def _paired(left: Rows, right: Rows) -> Iterable[Row]:
    return [(a, c) for a, b in left for c, d in right if b == d and b is not None]


def _outer(left: Rows, right: Rows) -> Iterable[Row]:
    for a, b in left:
        matches = [c for c, d in right if b == d and b is not None]
        yield from [(a, c) for c in matches] or [(a, None)]


def _outside(left: Rows, right: Rows) -> Iterable[Row]:
    held = {d for _, d in right}
    return [(a, b) for a, b in left if b is None or b not in held]


TEMPLATES: Final = (
    Template(
        "SELECT t.c1 AS c1, t.c2 AS c2 FROM r{0} AS t WHERE t.c2 > 1",
        lambda rows: [(a, b) for a, b in rows if b is not None and b > 1],
    ),
    Template(
        "SELECT t.c2 AS c1, count(*) AS c2 FROM r{0} AS t GROUP BY t.c2",
        _counted,
    ),
    Template(
        "SELECT count(*) AS c1, CAST(sum(t.c2) AS BIGINT) AS c2 FROM r{0} AS t",
        _summed,
    ),
    Template(
        "SELECT t.c2 AS c1, max(t.c1) AS c2 FROM r{0} AS t GROUP BY t.c2",
        lambda rows: [(key, max(held, default=None)) for key, held in _groups(rows).items()],
    ),
    Template(
        "SELECT DISTINCT t.c2 AS c1, t.c2 AS c2 FROM r{0} AS t",
        lambda rows: [(b, b) for b in {b for _, b in rows}],
    ),
    Template(
        "SELECT t.c1 AS c1, u.c1 AS c2 FROM r{0} AS t JOIN r{1} AS u ON t.c2 = u.c2",
        _paired,
    ),
    Template(
        "SELECT t.c1 AS c1, u.c1 AS c2 FROM r{0} AS t LEFT JOIN r{1} AS u ON t.c2 = u.c2",
        _outer,
    ),
    Template(
        "SELECT t.c1 AS c1, t.c2 AS c2 FROM r{0} AS t "
        "WHERE NOT EXISTS (SELECT 1 FROM r{1} AS u WHERE u.c2 = t.c2)",
        _outside,
    ),
)
