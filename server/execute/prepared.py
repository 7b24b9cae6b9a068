"""PREPARE, EXECUTE and DEALLOCATE by SQL."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import (
    PgError,
    SqlSyntaxError,
)
from catalog.types import PgType
from catalog.user_type import FindType
from server.execute.describe import Described, describe
from server.prepared_statement import Prepared
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.bind_query import bind_query
from server.sql.bind.type_text import type_of_text
from server.sql.modifier import without_modifier
from server.sql.object_text import name_parts


def prepare(state: SessionState, statement: s.Prepare) -> Done:
    """Do PREPARE.

    Raises:
        PgError: The name is taken, or the statement does not make sense.
    """
    state.statements.check_free(statement.name)
    find = state.bind_context(state.catalog()).context.find_type
    hints = tuple(_type(name, find) for name in statement.types)
    described = describe(state, statement.statement, hints)
    prepared = Prepared(
        statement.statement,
        described,
        described.parameter_types,
        described.columns,
        text=state.query,
        is_by_sql=True,
        created_ms=state.now_ms(),
    )
    state.statements.add(statement.name, prepared)
    return Done("PREPARE")


def arguments(
    state: SessionState, statement: s.ExecuteStatement
) -> tuple[s.Statement, Described, list[object]]:
    """Return the statement that EXECUTE names, and the values of its parameters.

    Raises:
        PgError: There is no such statement, or its parameters are others.
    """
    prepared = find(state, statement.name)
    described = prepared.described
    wanted = described.parameter_types
    if len(wanted) != len(statement.arguments):
        raise SqlSyntaxError(
            f'wrong number of parameters for prepared statement "{statement.name}"',
            detail=f"Expected {len(wanted)} parameters but got {len(statement.arguments)}.",
        )
    described.refresh(state)
    assert prepared.statement is not None
    return prepared.statement, described, _values(state, statement, wanted)


def find(state: SessionState, name: str) -> Prepared:
    """Return the statement that SQL or the protocol has named.

    Raises:
        UndefinedPreparedStatement: There is none.
    """
    prepared = state.statements.get(name)
    assert isinstance(prepared, Prepared)
    return prepared


def deallocate(state: SessionState, name: str | None) -> Done:
    """Do DEALLOCATE of one statement, or of all.

    Raises:
        UndefinedPreparedStatement: There is none of that name.
    """
    state.statements.deallocate(name)
    return Done("DEALLOCATE ALL" if name is None else "DEALLOCATE")


def _values(
    state: SessionState, statement: s.ExecuteStatement, wanted: tuple[PgType, ...]
) -> list[object]:
    """Return the arguments' values as the engine has them."""
    if not wanted:
        return []
    query = exp.Select(
        expressions=[
            exp.Cast(this=argument.copy(), to=_written(pg_type))
            for argument, pg_type in zip(statement.arguments, wanted, strict=True)
        ]
    )
    context = state.bind_context(state.catalog(), offset=statement.start)
    bound = bind_query(query, context.context)
    ((row),) = state.reader.rows(bound.tree.sql(dialect="duckdb"))
    return list(row)


def _written(pg_type: PgType) -> exp.DataType:
    """Return a type as it would be parsed."""
    made = pg_type.element or pg_type
    if made.is_bits:
        names = [exp.to_identifier(made.name, quoted=True)]  # Without it, bit is one bit long.
    elif not made.is_made and made.domain is None:
        return exp.DataType.build(pg_type.sql_name, dialect="risingwave")
    else:
        names = [exp.to_identifier(name, quoted=True) for name in name_parts(made.sql_name)]
    kind = names[0] if len(names) == 1 else exp.Dot(this=names[0], expression=names[1])
    found = exp.DataType(this=exp.DType.USERDEFINED, kind=kind)
    if pg_type.is_array:
        return exp.DataType(this=exp.DType.ARRAY, expressions=[found], nested=True)
    return found


def _type(name: str, find: FindType) -> PgType | None:
    try:
        return without_modifier(type_of_text(name, find))
    except PgError:
        if name == "unknown":
            return None
        raise
