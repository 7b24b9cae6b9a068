"""PREPARE, EXECUTE and DEALLOCATE by SQL."""

from __future__ import annotations

from sqlglot import exp

from catalog import types
from catalog.errors import (
    DuplicatePreparedStatement,
    PgError,
    SqlSyntaxError,
    UndefinedPreparedStatement,
)
from catalog.types import PgType
from server.declared import PreparedBySql
from server.execute.describe import Described, describe
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.bind_query import bind_query


def prepare(state: SessionState, statement: s.Prepare) -> Done:
    """Do PREPARE.

    Raises:
        PgError: The name is taken, or the statement does not make sense.
    """
    if statement.name in state.prepared:
        raise DuplicatePreparedStatement(f'prepared statement "{statement.name}" already exists')
    hints = tuple(_type(name) for name in statement.types)
    described = describe(state, statement.statement, hints)
    state.prepared[statement.name] = PreparedBySql(
        statement.statement, described, described.columns
    )
    return Done("PREPARE")


def arguments(
    state: SessionState, statement: s.ExecuteStatement
) -> tuple[s.Statement, Described, list[object]]:
    """Return the statement that EXECUTE names, and the values of its parameters.

    Raises:
        PgError: There is no such statement, or its parameters are others.
    """
    prepared = state.prepared.get(statement.name)
    if prepared is None:
        raise UndefinedPreparedStatement.named(statement.name)
    described = prepared.described
    assert isinstance(described, Described)
    wanted = described.parameter_types
    if len(wanted) != len(statement.arguments):
        raise SqlSyntaxError(
            f'wrong number of parameters for prepared statement "{statement.name}"',
            detail=f"Expected {len(wanted)} parameters but got {len(statement.arguments)}.",
        )
    return prepared.statement, described, _values(state, statement, wanted)


def deallocate(state: SessionState, name: str | None) -> Done:
    """Do DEALLOCATE of one statement, or of all.

    Raises:
        UndefinedPreparedStatement: There is none of that name.
    """
    if name is None:
        state.prepared.clear()
        state.deallocate(None)
        return Done("DEALLOCATE ALL")
    if state.prepared.pop(name, None) is None:
        state.deallocate(name)
    return Done("DEALLOCATE")


def _values(
    state: SessionState, statement: s.ExecuteStatement, wanted: tuple[PgType, ...]
) -> list[object]:
    """Return the arguments' values as the engine has them."""
    if not wanted:
        return []
    query = exp.Select(
        expressions=[
            exp.cast(argument.copy(), pg_type.sql_name, dialect="risingwave")
            for argument, pg_type in zip(statement.arguments, wanted, strict=True)
        ]
    )
    context = state.bind_context(state.catalog(), offset=statement.start)
    bound = bind_query(query, context.context)
    ((row),) = state.reader.rows(bound.tree.sql(dialect="duckdb"))
    return list(row)


def _type(name: str) -> PgType | None:
    try:
        found = types.by_name(name)
    except PgError:
        if name == "unknown":
            return None
        raise
    return found
