"""Random queries in the bound form, random rows, random epochs, for hypothesis to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from catalog.oid import Oid
from tests.oracle.database import Row, TableSpec

INT, BIG, TEXT, DECIMAL, DOUBLE, INTERVAL, BOOLEAN = (
    "INTEGER",
    "BIGINT",
    "VARCHAR",
    "DECIMAL(10,2)",
    "DOUBLE",
    "INTERVAL",
    "BOOLEAN",
)
NUMBERS = (INT, BIG, DECIMAL, DOUBLE)
#: Equal values of these print differently, so a group may show any of them.
LOOSE = (INTERVAL, DOUBLE)

TABLES = (
    TableSpec(Oid(1), {"c1": INT, "c2": TEXT, "c3": DECIMAL, "c4": DOUBLE, "c5": INTERVAL}),
    TableSpec(Oid(2), {"c1": INT, "c2": BIG, "c3": TEXT}, ("c1",)),
    TableSpec(Oid(3), {"c1": INT, "c2": TEXT, "c4": DOUBLE}, ("c1", "c2")),
)

VALUES: Mapping[str, Sequence[Any]] = {
    INT: (0, 1, 2, 3, None),
    BIG: (0, 1, 7, -9223372036854775807, 9223372036854775807, None),
    TEXT: ("", "a", "b", None),
    DECIMAL: (Decimal("0.00"), Decimal("1.50"), Decimal("-2.25"), Decimal("99999999.99"), None),
    DOUBLE: (0.0, -0.0, 1.5, 1e20, float("inf"), float("-inf"), float("nan"), None),
    INTERVAL: ("1 month", "30 days", "1 day", None),
}


@dataclass(frozen=True)
class Rel:
    """What a query can read: a table or view by its storage name, and its columns' types."""

    name: str
    types: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Query:
    """A query and the types of c1, c2, ..."""

    sql: str
    types: tuple[str, ...]


@dataclass
class Names:
    """Aliases are unique in a statement."""

    used: int = 0

    def next(self) -> str:
        self.used += 1
        return f"t{self.used}"


Scope = list[tuple[str, str]]  # reference and type


@dataclass
class Generator:
    """Draws queries over relations."""

    draw: Any
    relations: Sequence[Rel]
    names: Names = field(default_factory=Names)
    allows_recompute: bool = True

    def query(self, depth: int) -> Query:
        kinds = ["plain", "plain", "grouped", "grouped", "grouped", "global", "distinct", "window"]
        if depth:
            kinds += ["union all", "union", "common", "except", "intersect"]
            kinds += ["except all", "intersect all"]
        kinds += ["sets"]
        if self.allows_recompute:
            kinds += ["limit"]
        kind = self.draw(st.sampled_from(kinds))
        match kind:
            case "grouped" | "global":
                return self.aggregate(depth, is_grouped=kind == "grouped")
            case "union all" | "union" | "except" | "intersect" | "except all" | "intersect all":
                return self.union(depth, kind.upper())
            case "sets":
                return self.grouping_sets(depth)
            case "common":
                return self.common(depth)
            case _:
                return self.plain(depth, kind)

    def plain(self, depth: int, kind: str) -> Query:
        items, scope, where = self.from_clause(depth)
        types: list[str] = []
        columns: list[str] = []
        for _ in range(self.draw(st.integers(1, 3))):
            sql, type_ = self.expression(scope, no_loose=kind == "distinct")
            types.append(type_)
            columns.append(f"{sql} AS c{len(types)}")
        if kind == "window":
            ref, _ = self.pick(scope, (INT, BIG, TEXT, DECIMAL))
            order, _ = self.pick(scope, (INT, BIG, TEXT, DECIMAL))
            call = self.draw(st.sampled_from(["COUNT(*)", "RANK()", "DENSE_RANK()"]))
            part = f"PARTITION BY {ref} " if self.draw(st.integers(0, 3)) else ""
            over = f"{call} OVER ({part}ORDER BY {order})"
            columns.append(f"{over} AS c{len(types) + 1}")
            types.append(BIG)
        if kind == "plain" and self.draw(st.integers(0, 4)) == 0:
            sql, type_ = self.scalar(scope)
            types.append(type_)
            columns.append(f"{sql} AS c{len(types)}")
        distinct = "DISTINCT " if kind == "distinct" else ""
        sql = f"SELECT {distinct}{', '.join(columns)} FROM {items}{where}"
        if kind == "limit":  # A limit that never cuts needs no order to have one answer.
            sql += " LIMIT 100000"
        return Query(sql, tuple(types))

    def aggregate(self, depth: int, *, is_grouped: bool) -> Query:
        items, scope, where = self.from_clause(depth)
        count = self.draw(st.integers(1, 2)) if is_grouped else 0
        groups = [self.expression(scope, no_loose=True) for _ in range(count)]
        shown = [g for g in groups if self.draw(st.booleans())] + [
            self.aggregate_call(scope) for _ in range(self.draw(st.integers(1, 3)))
        ]
        shown = self.draw(st.permutations(shown))
        columns = ", ".join(f"{sql} AS c{i}" for i, (sql, _) in enumerate(shown, start=1))
        group = " GROUP BY " + ", ".join(sql for sql, _ in groups) if groups else ""
        having = ""
        if self.draw(st.integers(0, 3)) == 0:
            having = f" HAVING COUNT(*) > {self.draw(st.integers(0, 2))}"
        return Query(
            f"SELECT {columns} FROM {items}{where}{group}{having}", tuple(t for _, t in shown)
        )

    def grouping_sets(self, depth: int) -> Query:
        items, scope, where = self.from_clause(depth)
        (one, first), (two, second) = (self.pick(scope, (INT, BIG, TEXT)) for _ in range(2))
        form = self.draw(st.sampled_from(["ROLLUP ({0}, {1})", "CUBE ({0}, {1})"]))
        call, type_ = self.aggregate_call(scope)
        return Query(
            f"SELECT {one} AS c1, {two} AS c2, {call} AS c3, CAST(GROUPING({one}) AS BIGINT) AS c4 "
            f"FROM {items}{where} GROUP BY {form.format(one, two)}",
            (first, second, type_, BIG),
        )

    def scalar(self, scope: Scope) -> tuple[str, str]:
        """A subquery that gives a value, correlated or not."""
        name = self.names.next()
        relation = self.draw(st.sampled_from(self.relations))
        own = [(f"{name}.{column}", type_) for column, type_ in relation.types]
        inner, type_ = self.pick(own, (INT, BIG, TEXT, DECIMAL))
        call = self.draw(st.sampled_from(["COUNT", "MIN", "MAX"]))
        where = ""
        fitting = [(a, b) for a, s in scope for b, t in own if s == t and s not in LOOSE]
        if fitting and self.draw(st.booleans()):
            outer, column = self.draw(st.sampled_from(fitting))
            where = f" WHERE {column} {self.draw(st.sampled_from(['=', '=', '<>', '<']))} {outer}"
        source = f"FROM {relation.name} AS {name}{where}"
        return f"(SELECT {call}({inner}) AS c1 {source})", BIG if call == "COUNT" else type_

    def aggregate_call(self, scope: Scope) -> tuple[str, str]:
        ref, type_ = self.pick(scope, (INT, BIG, TEXT, DECIMAL, DOUBLE))
        filtered = ""
        if self.draw(st.integers(0, 4)) == 0:
            filtered = f" FILTER (WHERE {self.predicate(scope)})"
        typed = f"CAST({ref} AS {type_})"
        choices = ["count star", "count", "min", "max", "distinct"]
        choices += ["sum", "sum", "avg", "mean"] if type_ in NUMBERS else ["list"]
        match self.draw(st.sampled_from(choices)):
            case "count star":
                return f"COUNT(*){filtered}", BIG
            case "count":
                return f"COUNT({typed}){filtered}", BIG
            case "distinct":
                return f"COUNT(DISTINCT {typed}){filtered}", BIG
            case "list":
                return f"STRING_AGG({typed}, ',' ORDER BY {typed}){filtered}", TEXT
            case "sum":
                result = DOUBLE if type_ == DOUBLE else "DECIMAL(38,2)"
                return f"CAST(SUM({typed}){filtered} AS {result})", result
            case "avg":
                return f"AVG({typed}){filtered}", DOUBLE
            case "mean":
                return f"SUM({typed}) / COUNT(*)", DOUBLE
            case "min":
                return f"MIN({typed}){filtered}", type_
            case _:
                return f"COALESCE(MAX({typed}){filtered}, NULL)", type_

    def union(self, depth: int, word: str) -> Query:
        left = self.query(depth - 1)
        name = self.names.next()
        relation = self.draw(st.sampled_from(self.relations))
        scope = [(f"{name}.{column}", type_) for column, type_ in relation.types]
        columns: list[str] = []
        for i, type_ in enumerate(left.types, start=1):
            fitting = [ref for ref, other in scope if other == type_]
            source = self.draw(st.sampled_from(fitting)) if fitting else f"CAST(NULL AS {type_})"
            columns.append(f"{source} AS c{i}")
        if word != "UNION ALL" and any(type_ in LOOSE for type_ in left.types):
            word = "UNION ALL"
        right = f"SELECT {', '.join(columns)} FROM {relation.name} AS {name}"
        return Query(f"({left.sql}) {word} ({right})", left.types)

    def common(self, depth: int) -> Query:
        inner = self.query(depth - 1)
        cte, a, b = self.names.next(), self.names.next(), self.names.next()
        return Query(
            f"WITH {cte} AS ({inner.sql}) SELECT {a}.c1 AS c1, {b}.c1 AS c2 "
            f"FROM {cte} AS {a} JOIN {cte} AS {b} ON {a}.c1 = {b}.c1",
            (inner.types[0], inner.types[0]),
        )

    def from_clause(self, depth: int) -> tuple[str, Scope, str]:
        sql, scope = self.source(depth)
        for _ in range(self.draw(st.sampled_from([0, 0, 1, 1, 2]))):
            join = self.draw(
                st.sampled_from(["JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
            )
            other, more = self.source(self.draw(st.integers(0, depth)))
            condition = self.join_condition(scope, more)
            if join == "JOIN" and self.draw(st.booleans()):
                sql += f", {other}"
                scope += more
                return sql, scope, f" WHERE {condition} AND {self.predicate(scope)}"
            sql += f" {join} {other} ON {condition}"
            scope += more
        where = f" WHERE {self.predicate(scope)}" if self.draw(st.booleans()) else ""
        return sql, scope, where

    def source(self, depth: int) -> tuple[str, Scope]:
        if depth and self.draw(st.booleans()):
            inner = self.query(depth - 1)
            name = self.names.next()
            scope = [(f"{name}.c{i}", type_) for i, type_ in enumerate(inner.types, start=1)]
            return f"({inner.sql}) AS {name}", scope
        relation = self.draw(st.sampled_from(self.relations))
        name = self.names.next()
        return (
            f"{relation.name} AS {name}",
            [(f"{name}.{column}", type_) for column, type_ in relation.types],
        )

    def join_condition(self, left: Scope, right: Scope) -> str:
        pairs = [(a, b) for a, s in left for b, t in right if s == t]
        if not pairs:
            return "TRUE"
        a, b = self.draw(st.sampled_from(pairs))
        return f"{a} {self.draw(st.sampled_from(['=', '=', '<', 'IS NOT DISTINCT FROM']))} {b}"

    def predicate(self, scope: Scope) -> str:
        ref, type_ = self.draw(st.sampled_from(scope))
        if self.draw(st.integers(0, 5)) == 0:
            return self.semi_join(ref, type_)
        if type_ in (INT, BIG, DECIMAL, DOUBLE):
            return f"{ref} {self.draw(st.sampled_from(['<', '>=', '<>']))} {self.draw(st.integers(0, 3))}"
        if type_ == TEXT:
            return f"{ref} <> 'a'"
        return f"{ref} IS NOT NULL"

    def semi_join(self, ref: str, type_: str) -> str:
        name = self.names.next()
        relation = self.draw(st.sampled_from(self.relations))
        columns = [f"{name}.{column}" for column, other in relation.types if other == type_]
        if not columns:
            return f"{ref} IS NOT NULL"
        column = self.draw(st.sampled_from(columns))
        source = f"FROM {relation.name} AS {name}"
        negation = self.draw(st.sampled_from(["", "", "NOT "]))
        if self.draw(st.booleans()):
            return f"{negation}{ref} IN (SELECT {column} AS c1 {source})"
        compared = self.draw(st.sampled_from(["=", "=", "<"])) if type_ not in LOOSE else "="
        return f"{negation}EXISTS (SELECT 1 AS c1 {source} WHERE {column} {compared} {ref})"

    def expression(self, scope: Scope, *, no_loose: bool = False) -> tuple[str, str]:
        ref, type_ = self.pick(scope, None) if not no_loose else self.pick(scope, (INT, BIG, TEXT))
        choice = self.draw(st.integers(0, 3))
        if choice == 0 and type_ == INT:
            return f"{ref} % 2", INT
        if choice == 0 and type_ == TEXT:
            return f"UPPER({ref})", TEXT
        return ref, type_

    def pick(self, scope: Scope, types: Sequence[str] | None) -> tuple[str, str]:
        fitting = [(ref, t) for ref, t in scope if types is None or t in types]
        if not fitting:
            ref, _ = scope[0]
            return f"CASE WHEN {ref} IS NULL THEN 0 ELSE 1 END", INT
        return self.draw(st.sampled_from(fitting))  # type: ignore[no-any-return]


@st.composite
def view_stacks(draw: Any, *, allows_recompute: bool = True, views: int = 3) -> list[str]:
    """Queries of views 101, 102, ..., each of which may read the ones before it."""
    relations = [Rel(f"r{t.oid}", tuple(t.types.items())) for t in TABLES]
    queries: list[str] = []
    for i in range(draw(st.integers(1, views))):
        generator = Generator(draw, relations, allows_recompute=allows_recompute)
        query = generator.query(draw(st.integers(0, 2)))
        queries.append(query.sql)
        columns = tuple((f"c{n}", type_) for n, type_ in enumerate(query.types, start=1))
        relations.append(Rel(f"r{101 + i}", columns))
    return queries


@dataclass
class Contents:
    """The rows of a base table by key, to make consolidated deltas of."""

    table: TableSpec
    rows: dict[Row, Row] = field(default_factory=dict)
    next_row_id: int = 1

    def key_of(self, row: Row) -> Row:
        position = [self.table.storage.index(name) for name in self.table.key or ("_row_id",)]
        return tuple(row[i] for i in position)


@st.composite
def row_of(draw: Any, table: TableSpec) -> Row:
    """A row's visible columns; keys are not NULL."""
    return tuple(
        draw(st.sampled_from([v for v in VALUES[type_] if v is not None or name not in table.key]))
        for name, type_ in table.types.items()
    )


@st.composite
def epochs(draw: Any, count: int = 5) -> list[dict[Oid, list[tuple[Row, int]]]]:
    """Consolidated deltas of all tables, epoch by epoch: inserts, deletes, updates, upserts."""
    contents = [Contents(table) for table in TABLES]
    result: list[dict[Oid, list[tuple[Row, int]]]] = []
    for _ in range(draw(st.integers(2, count))):
        epoch: dict[Oid, list[tuple[Row, int]]] = {}
        kind = draw(st.sampled_from(["insert", "mixed", "mixed", "empty"]))
        for table in contents:
            if not draw(st.booleans()):
                continue
            before = dict(table.rows)
            if kind == "empty":
                table.rows.clear()
            for _ in range(draw(st.integers(1, 4))):
                _mutate(draw, table, kind)
            old, new = before.items(), table.rows.items()
            # repr: NaN is not equal to itself, and -0.0 is equal to 0.0.
            olds = {(key, repr(row)): row for key, row in old}
            news = {(key, repr(row)): row for key, row in new}
            epoch[table.table.oid] = [(row, -1) for k, row in olds.items() if k not in news] + [
                (row, 1) for k, row in news.items() if k not in olds
            ]
        result.append(epoch)
    return result


def _mutate(draw: Any, contents: Contents, kind: str) -> None:
    keys = sorted(contents.rows, key=repr)
    action = draw(st.sampled_from(["insert", "delete", "update", "update one"]))
    if kind == "insert" or not keys:
        action = "insert"
    row = draw(row_of(contents.table))
    if action == "insert":
        if not contents.table.key:
            row = (*row, contents.next_row_id)
            contents.next_row_id += 1
        elif kind == "insert" and contents.key_of(row) in contents.rows:
            return
        contents.rows[contents.key_of(row)] = row
        return
    key = draw(st.sampled_from(keys))
    old = contents.rows.pop(key)
    if action == "delete":
        return
    if action == "update one":
        at = draw(st.integers(0, len(row) - 1))
        row = (*old[:at], row[at], *old[at + 1 : len(row)])
    if not contents.table.key:
        row = (*row, old[-1])
    contents.rows[contents.key_of(row)] = row
