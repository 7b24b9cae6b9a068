"""Random queries of all the kinds that a view may be, over tables and other views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.views.scalars import (
    EXACT_NUMBERS,
    FLOATS,
    PLAIN,
    TYPES,
    Column,
    condition,
    expression,
)

#: About how many rows a table has at its fullest.
TABLE_ROWS: Final = 30

#: No query joins to more rows than about this: views stand on views, and their joins multiply.
ROWS_MAX: Final = 30_000


@dataclass(frozen=True)
class Rel:
    """A table or view: its quoted name, its columns' quoted names and types, about its rows."""

    name: str
    columns: tuple[Column, ...]
    rows: int = TABLE_ROWS


@dataclass(frozen=True)
class Query:
    """A query, the types of its columns, which are called x1, x2, ..., and about its rows."""

    sql: str
    types: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Source:
    """What stands behind FROM: its text, the columns it brings, and about its rows."""

    text: str
    scope: list[Column]
    rows: int


#: The kinds that are maintained from changes come first and most often.
KINDS: Final = {
    "plain": 3,
    "join": 3,
    "aggregate": 4,
    "global": 1,
    "union all": 2,
    "outer": 2,
    "semi": 2,
    "distinct": 1,
    "set": 1,
    "window": 2,
    "top": 1,
    "limit": 1,
    "scalar": 1,
    "common": 1,
    "distinct on": 1,
    "cube": 1,
    "lateral": 1,
}


class Generator:
    """Draws queries over relations, none of which makes many rows of few.

    What multiplies rows (joins, and what is looked up for each row) has a *room*: so many rows an
    item may have, that the product stays bounded. Rows are estimated for the worst that the random
    conditions let happen: every row meets every other.
    """

    def __init__(self, random: Random, relations: Sequence[Rel]) -> None:
        self.random = random
        self.relations = relations
        self._aliases = 0

    def query(self, depth: int = 1, room: int = ROWS_MAX) -> Query:
        """Draw a query of about no more rows than there is room for, or one of a single table."""
        query = self._query(depth)
        return query if query.rows <= room else self._one_table()

    def _query(self, depth: int) -> Query:
        (kind,) = self.random.choices(list(KINDS), list(KINDS.values()))
        match kind:
            case "plain" | "join" | "outer" | "semi":
                return self._rows(kind, depth)
            case "aggregate" | "global":
                return self._aggregate(depth, is_grouped=kind == "aggregate")
            case "union all":
                return self._union(depth, "union all", TYPES)
            case "set":
                word = self.random.choice(["union", "intersect", "except", "except all"])
                return self._union(depth, word, PLAIN)
            case "distinct" | "limit":
                return self._ordered(depth, kind)
            case "window" | "top":
                return self._window(depth, is_top=kind == "top")
            case "scalar":
                return self._scalar()
            case "common":
                return self._common(depth)
            case "distinct on":
                return self._distinct_on(depth)
            case "cube":
                return self._cube(depth)
            case _:
                return self._lateral()

    def _alias(self) -> str:
        self._aliases += 1
        return f"a{self._aliases}"

    def _one_table(self) -> Query:
        source = self._item(0, TABLE_ROWS)
        shown = self._shown(source.scope)
        return Query(f"select {_named(shown)} from {source.text}", _types(shown), source.rows)

    def _item(self, depth: int, room: int) -> Source:
        """An item of FROM."""
        alias = self._alias()
        if depth and self.random.random() < 0.2:
            inner = self.query(depth - 1, room)
            columns = [(f"{alias}.x{i}", t) for i, t in enumerate(inner.types, start=1)]
            return Source(f"({inner.sql}) as {alias}", columns, inner.rows)
        relation = self.random.choice([r for r in self.relations if r.rows <= room])
        columns = [(f"{alias}.{n}", t) for n, t in relation.columns]
        return Source(f"{relation.name} as {alias}", columns, relation.rows)

    def _on(self, left: Sequence[Column], right: Sequence[Column]) -> str:
        """An equality between two sides, where they have a type in common."""
        pairs = [
            (a, b) for a, s in left for b, t in right if s == t and s not in ("jsonb", *FLOATS)
        ]
        if not pairs:
            return condition(self.random, right)
        a, b = self.random.choice(pairs)
        more = f" and {condition(self.random, right)}" if self.random.random() < 0.2 else ""
        return f"{a} = {b}{more}"

    def _from(self, depth: int, kind: str = "") -> Source:
        kind = kind or self.random.choice(["plain", "plain", "join", "outer", "semi"])
        first = self._item(depth, ROWS_MAX if kind == "plain" else ROWS_MAX // TABLE_ROWS)
        text, scope, rows = first.text, first.scope, first.rows
        wheres: list[str] = []
        if kind in ("join", "outer"):
            for _ in range(self.random.choice([1, 1, 2])):
                if rows * TABLE_ROWS > ROWS_MAX:
                    break
                joined = self._item(depth, ROWS_MAX // rows)
                item, columns = joined.text, joined.scope
                rows *= joined.rows
                word = "join" if kind == "join" else self.random.choice(["left", "right", "full"])
                on = self._on(scope, columns)
                if word == "full":  # PostgreSQL takes an equality of both sides, and no more.
                    on = on.split(" and ")[0]
                    left, _, right = on.partition(" = ")
                    if not _is_of(left, scope) or not _is_of(right, columns):
                        word = "left"
                text += f" {word if word == 'join' else word + ' join'} {item} on {on}"
                scope = [*scope, *columns]
        if kind == "semi":
            wheres.append(self._semi(first))
        if self.random.random() < 0.5:
            wheres.append(condition(self.random, scope))
        return Source(text + (" where " + " and ".join(wheres) if wheres else ""), scope, rows)

    def _semi(self, outer: Source) -> str:
        inner, scope = self._looked_up(outer), outer.scope
        item, columns = inner.text, inner.scope
        on = self._on(scope, columns)
        word = self.random.choice(["exists", "not exists", "in", "not in"])
        if word in ("exists", "not exists"):
            return f"{word} (select 1 from {item} where {on})"
        pairs = [(a, b) for a, s in scope for b, t in columns if s == t and s in PLAIN]
        if not pairs:
            return "true"
        a, b = self.random.choice(pairs)
        return f"{a} {word} (select {b} from {item})"

    def _looked_up(self, outer: Source) -> Source:
        """An item that is looked at for each row of another."""
        return self._item(0, ROWS_MAX // outer.rows)

    def _shown(self, scope: Sequence[Column], types: Sequence[str] = TYPES) -> list[Column]:
        count = self.random.choice([1, 2, 2, 3])
        return [expression(self.random, scope, types) for _ in range(count)]

    def _rows(self, kind: str, depth: int) -> Query:
        source = self._from(depth, kind)
        shown = self._shown(source.scope)
        return Query(f"select {_named(shown)} from {source.text}", _types(shown), source.rows)

    def _call(self, scope: Sequence[Column]) -> Column:
        numbers = (*EXACT_NUMBERS, *FLOATS)
        name = self.random.choice(
            [
                "count(*)",
                "count",
                "count distinct",
                "sum",
                "sum",
                "avg",
                "min",
                "max",
                "max",
                "bool_or",
                "string_agg",
                "array_agg",
                "filter",
                "sum distinct",
                "stddev",
            ]
        )
        match name:
            case "count(*)":
                return "count(*)", "bigint"
            case "count":
                return f"count({expression(self.random, scope)[0]})", "bigint"
            case "count distinct":
                return f"count(distinct {expression(self.random, scope, PLAIN)[0]})", "bigint"
            case "sum" | "avg":
                value, type_ = expression(self.random, scope, numbers)
                return f"{name}({value})", _summed(type_, name)
            case "sum distinct":
                value, type_ = expression(self.random, scope, EXACT_NUMBERS)
                return f"sum(distinct {value})", _summed(type_, "sum")
            case "min" | "max":
                types = tuple(t for t in TYPES if t not in ("jsonb", "boolean", "uuid", "interval"))
                value, type_ = expression(self.random, scope, types)
                return f"{name}({value})", type_
            case "bool_or":
                return f"bool_or({expression(self.random, scope, ('boolean',))[0]})", "boolean"
            case "string_agg":
                value, _ = expression(self.random, scope, ("text",))
                return f"string_agg({value}, ',' order by {value})", "text"
            case "array_agg":
                value, _ = expression(self.random, scope, ("int",))
                return f"array_agg({value} order by {value})", "int[]"
            case "stddev":
                value, _ = expression(self.random, scope, ("int",))
                return f"stddev(({value} % 10)::double precision)", "double precision"
            case _:
                value, type_ = expression(self.random, scope, EXACT_NUMBERS)
                where = condition(self.random, scope)
                return f"sum({value}) filter (where {where})", _summed(type_, "sum")

    def _aggregate(self, depth: int, *, is_grouped: bool) -> Query:
        source = self._from(depth)
        text, scope = source.text, source.scope
        groups = [expression(self.random, scope, PLAIN) for _ in range(self.random.randint(1, 2))]
        if not is_grouped:
            groups = []
        groups = [group for group in groups if "::" not in group[0] or "(" in group[0][:1]]
        shown = [group for group in groups if self.random.random() < 0.8]
        shown += [self._call(scope) for _ in range(self.random.randint(1, 3))]
        self.random.shuffle(shown)
        group = " group by " + ", ".join(name for name, _ in groups) if groups else ""
        having = ""
        if self.random.random() < 0.25:
            having = " having " + self.random.choice(["count(*) > 1", "count(*) < 3", "max(1) > 0"])
        return Query(
            f"select {_named(shown)} from {text}{group}{having}",
            _types(shown),
            source.rows if groups else 1,
        )

    def _union(self, depth: int, word: str, types: Sequence[str]) -> Query:
        source = self._from(depth)
        first = self._shown(source.scope, types)
        queries, rows = [f"select {_named(first)} from {source.text}"], source.rows
        for _ in range(self.random.choice([1, 1, 2]) if word == "union all" else 1):
            source = self._from(depth)
            shown = [expression(self.random, source.scope, (t,)) for _, t in first]
            queries.append(f"select {_named(shown)} from {source.text}")
            rows += source.rows
        return Query(f" {word} ".join(queries), _types(first), rows)

    def _ordered(self, depth: int, kind: str) -> Query:
        """Distinct rows, or the first few of rows that are ordered by all they show."""
        source = self._from(depth)
        text, scope = source.text, source.scope
        shown = self._shown(scope, PLAIN)
        if kind == "distinct":
            return Query(f"select distinct {_named(shown)} from {text}", _types(shown), source.rows)
        order = ", ".join(
            f"{i}{self.random.choice(['', ' desc', ' nulls first'])}"
            for i in range(1, len(shown) + 1)
        )
        rows = self.random.randint(1, 4)
        limit = f"limit {rows}"
        if self.random.random() < 0.4:
            limit += f" offset {self.random.randint(1, 2)}"
        sql = f"select {_named(shown)} from {text} order by {order} {limit}"
        return Query(sql, _types(shown), rows)

    def _window(self, depth: int, *, is_top: bool) -> Query:
        source = self._from(depth)
        text, scope = source.text, source.scope
        plain = [column for column in scope if column[1] in PLAIN]
        if not plain:
            return self._rows("plain", depth)
        partition = self.random.choice(plain)[0]
        shown = [self.random.choice(plain) for _ in range(2)]
        order = ", ".join(name for name, _ in shown)
        over = f"over (partition by {partition} order by {order})"
        if is_top:
            inner = f"select {_named(shown)}, row_number() {over} as n from {text}"
            names = ", ".join(f"x{i}" for i in range(1, len(shown) + 1))
            return Query(
                f"select {names} from ({inner}) as {self._alias()} where n <= "
                f"{self.random.randint(1, 3)}",
                _types(shown),
                source.rows,
            )
        number, type_ = expression(self.random, scope, EXACT_NUMBERS)
        calls: list[Column] = [
            (f"rank() {over}", "bigint"),
            (f"dense_rank() over (order by {order})", "bigint"),
            (f"count(*) over (partition by {partition})", "bigint"),
            (f"sum({number}) over (partition by {partition})", _summed(type_, "sum")),
            (f"sum({number}) {over}", _summed(type_, "sum")),
            (f"max({shown[0][0]}) {over}", shown[0][1]),
            (f"lag({shown[0][0]}) {over}", shown[0][1]),
        ]
        calls = [c for c in calls if not (c[0].startswith("max") and c[1] in ("boolean", "uuid"))]
        shown = [*shown, self.random.choice(calls)]
        return Query(f"select {_named(shown)} from {text}", _types(shown), source.rows)

    def _scalar(self) -> Query:
        outer = self._item(0, ROWS_MAX // TABLE_ROWS)
        inner, scope = self._looked_up(outer), outer.scope
        item, columns = inner.text, inner.scope
        call, type_ = self._call(columns)
        shown = [
            self.random.choice(scope),
            (f"(select {call} from {item} where {self._on(scope, columns)})", type_),
        ]
        return Query(f"select {_named(shown)} from {outer.text}", _types(shown), outer.rows)

    def _common(self, depth: int) -> Query:
        inner = self.query(max(depth - 1, 0), math.isqrt(ROWS_MAX))
        a, b = self._alias(), self._alias()
        name = f"w{self._alias()}"
        left = [(f"{a}.x{i}", t) for i, t in enumerate(inner.types, start=1)]
        right = [(f"{b}.x{i}", t) for i, t in enumerate(inner.types, start=1)]
        shown = [self.random.choice(left), self.random.choice(right)]
        return Query(
            f"with {name} as ({inner.sql}) select {_named(shown)} from {name} as {a} "
            f"join {name} as {b} on {self._on(left, right)}",
            _types(shown),
            inner.rows**2,
        )

    def _distinct_on(self, depth: int) -> Query:
        source = self._from(depth)
        text, scope = source.text, source.scope
        shown = self._shown(scope, PLAIN)
        sorted_by = [name for name, _ in shown]
        # What may fail for all the engine knows is computed below.
        numbers = [name for name, type_ in shown if type_ in EXACT_NUMBERS]
        if numbers and self.random.random() < 0.5:
            sorted_by.insert(1, f"100 / ({self.random.choice(numbers)} % 5 + 7)")
        order = ", ".join(sorted_by)
        return Query(
            f"select distinct on ({shown[0][0]}) {_named(shown)} from {text} order by {order}",
            _types(shown),
            source.rows,
        )

    def _cube(self, depth: int) -> Query:
        source = self._from(depth)
        text, scope = source.text, source.scope
        groups = [c for c in scope if c[1] in PLAIN]
        if len(groups) < 2:
            return self._rows("plain", depth)
        a, b = self.random.sample(groups, 2)
        shown = [a, b, ("count(*)", "bigint")]
        word = self.random.choice(["rollup", "cube"])
        return Query(
            f"select {_named(shown)} from {text} group by {word} ({a[0]}, {b[0]})",
            _types(shown),
            4 * source.rows,
        )

    def _lateral(self) -> Query:
        outer = self._item(0, ROWS_MAX // TABLE_ROWS)
        inner, scope = self._looked_up(outer), outer.scope
        columns = inner.scope
        name = self._alias()
        call, type_ = self._call(columns)
        shown = [self.random.choice(scope), (f"{name}.y", type_)]
        return Query(
            f"select {_named(shown)} from {outer.text}, lateral "
            f"(select {call} as y from {inner.text} "
            f"where {self._on(scope, columns)}) as {name}",
            _types(shown),
            outer.rows,
        )


def _is_of(name: str, scope: Sequence[Column]) -> bool:
    return any(column == name for column, _ in scope)


def _named(shown: Sequence[Column]) -> str:
    return ", ".join(f"{name} as x{i}" for i, (name, _) in enumerate(shown, start=1))


def _types(shown: Sequence[Column]) -> tuple[str, ...]:
    return tuple(type_ for _, type_ in shown)


def _summed(type_: str, name: str) -> str:
    if type_ in FLOATS:
        return "double precision" if name == "avg" else type_
    return "bigint" if type_ == "int" and name == "sum" else "numeric"
