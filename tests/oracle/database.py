"""A database of base tables and views for tests: applies epochs, and compares with recomputation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import sqlglot

from barrier.duckdb_store import DuckdbAttempt
from barrier.gauge import Gauge
from barrier.kept_plans import Writer
from barrier.stepping import Stepping
from barrier.stop_gate import StopGate
from barrier.stream.build import compile_view
from barrier.stream.plan import Plan
from barrier.stream.program import Statement
from barrier.stream.relations import InputRelation
from barrier.stream.strategy import ChangeSize
from catalog.oid import Oid

Row = tuple[Any, ...]


@dataclass(frozen=True)
class TableSpec:
    """A base table: its columns' DuckDB types by name and its key; none: ``_row_id``."""

    oid: Oid
    types: Mapping[str, str]
    key: tuple[str, ...] = ()

    @property
    def storage(self) -> tuple[str, ...]:
        return (*self.types, *(() if self.key else ("_row_id",)))

    @property
    def relation(self) -> InputRelation:
        return InputRelation(self.oid, self.storage, self.key or ("_row_id",))


def _engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    # As the store has it: what it would do to the query is no judge.
    connection.execute("SET disabled_optimizers = 'partial_aggregate_pushdown'")
    return connection


@dataclass
class Database:
    """What the worker does around a plan, without the worker."""

    tables: Sequence[TableSpec]
    connection: duckdb.DuckDBPyConnection = field(default_factory=_engine)
    plans: dict[Oid, Plan] = field(default_factory=dict)
    queries: dict[Oid, str] = field(default_factory=dict)
    #: The statements that the last epoch ran, by view.
    ran: dict[Oid, list[Statement]] = field(default_factory=dict)
    knows_sizes: bool = True
    #: The rows that statements made, changed and took away so far, unless they were stepped.
    handled: int = 0
    #: Whether views are stepped as the worker does it: with plans that are kept where all is small,
    #: and without a delta where nobody reads it.
    is_stepping: bool = False

    def __post_init__(self) -> None:
        self._writer = Writer(self.connection)
        self._attempt = DuckdbAttempt(
            self.connection, self._writer, StopGate(self.connection.interrupt)
        )
        self._gauge = Gauge()
        for table in self.tables:
            columns = [f"{name} {kind}" for name, kind in table.types.items()]
            if not table.key:
                columns.append("_row_id BIGINT")
            self.connection.execute(f"CREATE TABLE r{table.oid} ({', '.join(columns)})")

    def create(self, oid: Oid, query: str) -> Plan:
        inputs = {table.oid: table.relation for table in self.tables}
        inputs |= {other: plan.as_input() for other, plan in self.plans.items()}
        plan = compile_view(oid, sqlglot.parse_one(query, read="duckdb"), inputs)
        for statement in plan.create():
            self.connection.execute(statement)
        self.plans[oid] = plan
        self.queries[oid] = query
        return plan

    def epoch(self, changes: Mapping[Oid, Iterable[tuple[Row, int]]]) -> None:
        """Apply consolidated deltas of base tables, then maintain all views in one transaction."""
        run = self.connection.execute
        self._writer.begin()
        sizes: dict[Oid, ChangeSize] = {}
        for table in self.tables:
            self._change(table, list(changes.get(table.oid, ())))
            sizes[table.oid] = self._delta_size(table.oid)
        rows = self._relation_sizes() if self.knows_sizes else None
        made = []
        for oid in self.plans:
            is_read = not self.is_stepping or any(oid in p.reads for p in self.plans.values())
            self._step(oid, sizes, rows, is_read=is_read)
            if self.ran[oid] and is_read:
                made.append(oid)
                sizes[oid] = self._delta_size(oid)
        for oid in made:
            self._check_delta(oid)
        run("COMMIT")
        for oid in [*made, *(table.oid for table in self.tables)]:
            self._attempt.run(f"DROP TABLE IF EXISTS d{oid}")

    def _step(
        self,
        oid: Oid,
        sizes: Mapping[Oid, ChangeSize],
        rows: Mapping[Oid, int] | None,
        *,
        is_read: bool,
    ) -> None:
        plan = self.plans[oid]
        if not self.is_stepping:
            self.ran[oid] = plan.step(sizes, rows)
            self.handled += sum(self._attempt.run(statement.sql) for statement in self.ran[oid])
            return
        deltas = {f"d{oid}": size.total for oid, size in sizes.items()}
        stepping = Stepping(self._attempt, self._gauge, lambda _: None, deltas)
        changes = sum(sizes[o].total for o in plan.reads if o in sizes)
        is_light = stepping.is_light(plan, changes)
        self.ran[oid] = plan.step(sizes, rows, needs_delta=is_read, is_light=is_light)
        stepping.run(plan, self.ran[oid])

    def _change(self, table: TableSpec, rows: Sequence[tuple[Row, int]]) -> None:
        run = self.connection.execute
        names = ", ".join(table.storage)
        run(
            f"CREATE OR REPLACE TEMP TABLE d{table.oid} AS "
            f"SELECT {names}, 0::BIGINT AS __weight FROM r{table.oid} LIMIT 0"
        )
        marks = ", ".join("?" for _ in range(len(table.storage) + 1))
        for row, weight in rows:
            run(f"INSERT INTO d{table.oid} VALUES ({marks})", [*row, weight])
        key = table.key or ("_row_id",)
        same = " AND ".join(f"r{table.oid}.{k} = d.{k}" for k in key)
        run(f"DELETE FROM r{table.oid} USING d{table.oid} AS d WHERE d.__weight < 0 AND {same}")
        run(
            f"INSERT INTO r{table.oid} ({names}) "
            f"SELECT {names} FROM d{table.oid} WHERE __weight > 0"
        )
        for oid in self.plans:
            run(f"CREATE OR REPLACE TEMP TABLE before{oid} AS SELECT * FROM r{oid}")

    def _delta_size(self, oid: Oid) -> ChangeSize:
        row = self.connection.execute(
            f"SELECT count(*) FILTER (__weight > 0), count(*) FILTER (__weight < 0) FROM d{oid}"
        ).fetchone()
        assert row is not None
        return ChangeSize(*row)

    def _relation_sizes(self) -> dict[Oid, int]:
        oids = [*(table.oid for table in self.tables), *self.plans]
        return {oid: len(self.rows(f"SELECT 1 FROM r{oid}")) for oid in oids}

    def _check_delta(self, oid: Oid) -> None:
        """The view's delta is new minus old, and no row comes and goes."""
        # As text: Python would not tell an interval of a month from one of 30 days.
        names = ", ".join(f"{n}::VARCHAR" for n in self.plans[oid].as_input().columns)
        change = Counter(self.rows(f"SELECT {names} FROM r{oid}"))
        change.subtract(Counter(self.rows(f"SELECT {names} FROM before{oid}")))
        delta: dict[Row, int] = {}
        for *values, weight in self.rows(f"SELECT {names}, __weight FROM d{oid}"):
            row = tuple(values)
            assert row not in delta, ("not consolidated", oid, row)
            assert weight in (1, -1), (oid, row, weight)
            delta[row] = weight
        assert delta == {row: n for row, n in change.items() if n}, (oid, self.queries[oid])

    def check(self) -> None:
        """Every view equals its query, up to the order in which floats were added."""
        self._attempt.value("SELECT 0")  # It leaves the engine's optimizer on.
        for oid, query in self.queries.items():
            plan = self.plans[oid]
            stored = self.multiset(f"SELECT {', '.join(plan.root.columns)} FROM r{oid}")
            expected = self.multiset(query)
            assert stored == expected, (
                f"view {oid}: {query}\n only in view: {stored - expected}\n"
                f" missing: {expected - stored}\n"
                + "\n".join(f"{s.label}: {s.sql}" for s in self.ran.get(oid, ()))
            )
            if plan.root.key:
                keys = ", ".join(plan.root.key)
                twice = f"SELECT {keys} FROM r{oid} GROUP BY {keys} HAVING count(*) > 1"
                assert self.rows(twice) == [], (oid, query, "key is not unique")

    def rows(self, sql: str) -> list[Row]:
        return self.connection.execute(sql).fetchall()

    def multiset(self, sql: str) -> Counter[Row]:
        kinds = self.rows(f"DESCRIBE {sql}")
        names = [f"{n}::VARCHAR" if kind == "INTERVAL" else n for n, kind, *_ in kinds]
        rows = self.rows(f"SELECT {', '.join(names)} FROM ({sql})")
        return Counter(tuple(map(comparable, row)) for row in rows)


def comparable(value: Any) -> Any:
    """Round floats, make NaN equal to itself and lists hashable."""
    if isinstance(value, float):
        return f"{value + 0.0:.9g}"
    return value if isinstance(value, str | int | None) else repr(value)
