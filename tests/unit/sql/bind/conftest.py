"""A small database whose queries are bound and run on DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import pytest
from sqlglot import parse_one

from barrier.duckdb_store import NULLS
from catalog.change import CreateRelation
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import Column, MaterializedView, Table, View
from catalog.state import Catalog, apply
from catalog.types import by_name
from server.execute.engine_sql import engine_text
from server.sql import statement as parsed
from server.sql.bind.bind_query import bind_query
from server.sql.bind.context import BindContext
from server.sql.bind.delete import bind_delete
from server.sql.bind.insert import bind_insert
from server.sql.bind.result import BoundDelete, BoundInsert, BoundQuery, BoundUpdate
from server.sql.bind.update import bind_update
from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.sql.parse import parse
from server.sql.source import Source


@dataclass
class Database:
    """Tables ``t (k, v, s)`` with key k, ``u (k, w, a)`` without a key."""

    connection: duckdb.DuckDBPyConnection
    context: BindContext = field(
        default_factory=lambda: BindContext(catalog=Catalog("dev", Oid(5)))
    )

    def table(self, oid: int, name: str, columns: str, key: tuple[int, ...] = ()) -> None:
        made = tuple(
            Column(*_name_and_type(text), number)
            for number, text in enumerate(columns.split(","), 1)
        )
        table = Table(
            oid=Oid(oid), schema="public", name=name, owner="root", columns=made, primary_key=key
        )
        self._add(table)
        stored = [f"{c.storage_name} {c.type.duckdb}" for c in made]
        stored += [] if key else ["_row_id BIGINT"]
        self.connection.execute(f"CREATE TABLE r{oid} ({', '.join(stored)})")

    def view(self, oid: int, name: str, sql: str, *, is_materialized: bool = False) -> None:
        bound = self.bind(sql, is_streaming=is_materialized)
        columns = tuple(Column(c.name, c.type, n) for n, c in enumerate(bound.columns, 1))
        kind = MaterializedView if is_materialized else View
        query = bound.tree.sql(dialect="duckdb")
        self._add(
            kind(
                oid=Oid(oid),
                schema="public",
                name=name,
                owner="root",
                columns=columns,
                query=query,
                depends_on=bound.depends_on,
            )
        )
        if is_materialized:
            self.connection.execute(f"CREATE TABLE r{oid} AS {query}")

    def _add(self, relation: Table | View | MaterializedView) -> None:
        catalog = apply(self.context.catalog, CreateRelation(relation))
        self.context = replace(self.context, catalog=catalog)

    def bind(self, sql: str, **context: Any) -> BoundQuery:
        statement = parse(Source(sql))
        assert isinstance(statement, parsed.Query)
        return bind_query(statement.tree, replace(self.context, **context))

    def write(self, sql: str, **context: Any) -> BoundInsert | BoundUpdate | BoundDelete:
        statement = parse(Source(sql))
        with_context = replace(self.context, **context)
        match statement:
            case parsed.Insert():
                return bind_insert(statement, with_context)
            case parsed.Update():
                return bind_update(statement, with_context)
            case parsed.Delete():
                return bind_delete(statement, with_context)
            case _:
                raise AssertionError(statement)

    def sql(self, sql: str, **context: Any) -> str:
        return self.bind(sql, **context).tree.sql(dialect="duckdb")

    def rows(self, sql: str, *parameters: object, **context: Any) -> list[tuple[Any, ...]]:
        """Run a query; its types must be what was bound, also after a trip through text."""
        bound = self.bind(sql, **context)
        text = bound.tree.sql(dialect="duckdb")
        again = parse_one(text, read="duckdb").sql(dialect="duckdb")
        assert parse_one(again, read="duckdb").sql(dialect="duckdb") == again
        self.connection.execute(text, list(parameters))
        described = self.connection.description or []
        rows = self.connection.fetchall()
        for column, (_, found, *_) in zip(bound.columns, described, strict=False):
            expected = self.connection.execute(
                f"SELECT typeof(CAST(NULL AS {column.type.duckdb}))"
            ).fetchone()
            actual = str(found).replace("TIMESTAMP_TZ", "TIMESTAMP WITH TIME ZONE")
            assert expected is not None
            assert actual in (expected[0], column.type.duckdb), (column, found)
        self.connection.execute(again, list(parameters))
        assert sorted(map(repr, self.connection.fetchall())) == sorted(map(repr, rows))
        return rows

    def types(self, sql: str) -> list[str]:
        return [column.type.display() for column in self.bind(sql).columns]

    def names(self, sql: str) -> list[str]:
        return [column.name for column in self.bind(sql).columns]

    def error(self, sql: str, **context: Any) -> PgError:
        is_write = sql.split(maxsplit=1)[0].lower() in ("insert", "update", "delete")
        bind = self.write if is_write else self.bind
        with pytest.raises(PgError) as caught:
            bind(sql, **context)
        return caught.value

    def run(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, list(parameters)).fetchall()

    def inserted(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of an INSERT."""
        bound = self.write(sql)
        assert isinstance(bound, BoundInsert)
        return self.run(*engine_text(bound.tree, bound.constants).with_values(()))


def _name_and_type(text: str) -> tuple[str, Any]:
    name, type_name = text.split()
    return name, by_name(type_name)


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    for function in PYTHON_FUNCTIONS:
        connection.create_function(
            function.name,
            function.call,
            list(function.argument_types),
            function.return_type,
            null_handling=NULLS[function.takes_null],
        )
    for macro in MACROS:
        connection.execute(macro)
    connection.execute("SET TimeZone = 'UTC'")
    yield connection
    connection.close()


@pytest.fixture
def db(engine: duckdb.DuckDBPyConnection) -> Iterator[Database]:
    database = Database(engine)
    engine.execute("BEGIN")
    database.table(16385, "t", "k int4, v int4, s varchar", (1,))
    database.table(16386, "u", "k int8, w text, a int4[]")
    engine.execute("INSERT INTO r16385 VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 20, NULL)")
    engine.execute("INSERT INTO r16386 VALUES (1, 'x', [1, 2], 1), (4, 'y', [5], 2)")
    yield database
    engine.execute("ROLLBACK")
