"""Evaluates expressions as a session would: bound, through text, in DuckDB with our macros."""

from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlglot import exp, parse_one

from barrier.duckdb_store import NULLS
from barrier.engine_errors import from_engine
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.state import Catalog
from server.sql.bind.bind_query import bind_query
from server.sql.bind.context import BindContext
from server.sql.casts import text_of
from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.sql.parse import parse
from server.sql.source import Source
from server.sql.statement import Query

CONTEXT = BindContext(catalog=Catalog("d", Oid(1)))


def open_instance(path: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Return an instance with what our expressions need."""
    connection = duckdb.connect(":memory:" if path is None else str(path))
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
    return connection


@dataclass(frozen=True)
class Answer:
    """What an expression gives: its type and the texts of its rows, or an error's SQLSTATE."""

    type_name: str
    rows: tuple[str | None, ...] = ()
    message: str = ""


def evaluate(connection: duckdb.DuckDBPyConnection, expression: str) -> Answer:
    """Return what ``SELECT expression`` gives; the engine's type must be the one we promise."""
    try:
        statement = parse(Source(f"SELECT {expression}", 0))
        assert isinstance(statement, Query)
        bound = bind_query(statement.tree, CONTEXT)
    except PgError as e:
        return Answer(e.sqlstate.value, message=e.message)
    stored = parse_one(bound.tree.sql(dialect="duckdb"), read="duckdb").sql(dialect="duckdb")
    pg_type = bound.columns[0].type
    text = text_of(exp.column("c1"), pg_type).sql(dialect="duckdb")
    promised = connection.execute(f"SELECT typeof(CAST(NULL AS {pg_type.duckdb}))").fetchall()
    try:
        found = connection.execute(f"SELECT {text}, typeof(c1) FROM ({stored})").fetchall()
    except duckdb.Error as e:
        error = from_engine(type(e).__name__, str(e))
        assert error.sqlstate.value != "XX000", (stored, str(e))
        return Answer(error.sqlstate.value, message=error.message)
    assert {engine_type for _, engine_type in found} <= {promised[0][0]}, (pg_type, found)
    return Answer(pg_type.sql_name, tuple(row[0] for row in found))
