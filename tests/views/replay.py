"""Running a random history on a server, and on PostgreSQL beside it, and comparing all along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg

from tests.support.server import Connection
from tests.views.comparison import Row, multiset
from tests.views.history import History
from tests.views.queries import Query, Rel

#: PostgreSQL finds out only when it plans that it cannot do a FULL JOIN on such a condition.
_NOT_SUPPORTED = "0A000"


@dataclass
class Replay:
    """One history; every statement and every difference says its seed."""

    history: History
    ours: Connection
    judge: Connection | None = None
    log: list[str] = field(default_factory=list)

    def run(self) -> None:
        schema = f"h{self.history.seed}"
        for connection in self._connections:
            connection.execute(f"drop schema if exists {schema} cascade".encode())
            connection.execute(f"create schema {schema}".encode())
            connection.execute(f"set search_path to {schema}".encode())
        # As in PostgreSQL: else INSERT replaces the row that has the key.
        self.ours.execute("set insert_conflict = 'error'")
        for table in self.history.tables:
            self._both([table.ddl])
        # Some views are there from the start, others are filled from rows that are there already.
        for _ in range(self.history.views_max // 2):
            self._create(*self.history.view())
        self._compare()
        for statements in self.history.epochs():
            self._both(statements)
            if len(self.history.views) < self.history.views_max:
                self._create(*self.history.view())
            self._compare()
        for connection in self._connections:
            connection.execute(f"drop schema {schema} cascade".encode())

    @property
    def _connections(self) -> list[Connection]:
        return [self.ours] if self.judge is None else [self.judge, self.ours]

    def _create(self, view: Rel, query: Query) -> None:
        self.log.append(f"create materialized view {view.name} as {query.sql}")
        if self.judge is not None:
            self.judge.execute(f"create view {view.name} as {query.sql}".encode())
        self.ours.execute(f"create materialized view {view.name} as {query.sql}".encode())
        self.history.views.append((view, query))

    def _both(self, statements: Sequence[str]) -> None:
        """Run a transaction; what PostgreSQL refuses must be refused with the same SQLSTATE."""
        self.log += statements
        outcomes = [_outcome(connection, statements) for connection in self._connections]
        assert len(set(outcomes)) == 1, self._story(f"outcomes {outcomes}")

    def _compare(self) -> None:
        for table in self.history.tables:
            self._agree(table.name, self.ours, self.judge, f"select * from {table.name}")
        for view, query in self.history.views:
            stored = f"select * from {view.name}"
            shown, fresh = _rows(self.ours, stored), _rows(self.ours, query.sql)
            assert shown == fresh, self._story(f"{view.name} is not its query", shown, fresh)
            self._agree(view.name, self.ours, self.judge, stored)

    def _agree(self, name: str, ours: Connection, judge: Connection | None, sql: str) -> None:
        if judge is None:
            return
        expected = _rows(judge, sql)
        if expected != _NOT_SUPPORTED:
            found = _rows(ours, sql)
            assert found == expected, self._story(f"{name} is not PostgreSQL's", found, expected)

    def _story(self, what: str, *sides: Counter[Row] | str) -> str:
        lines = [f"seed {self.history.seed}: {what}"]
        if len(sides) == 2 and isinstance(sides[0], Counter) and isinstance(sides[1], Counter):
            lines += [f"too many: {sides[0] - sides[1]}", f"missing: {sides[1] - sides[0]}"]
        else:
            lines += map(str, sides)
        return "\n".join([*lines, *(f"{line};" for line in self.log)])


def _outcome(connection: Connection, statements: Sequence[str]) -> str:
    try:
        with connection.transaction():
            for statement in statements:
                connection.execute(statement.encode())
    except psycopg.Error as e:
        return str(e.sqlstate)
    return "ok"


def _rows(connection: Connection, sql: str) -> Counter[Row] | str:
    """The rows of a query, or the SQLSTATE with which it fails."""
    try:
        return multiset(connection.execute(sql.encode()).fetchall())
    except psycopg.Error as e:
        return str(e.sqlstate)
