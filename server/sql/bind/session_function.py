"""Functions whose result is known when the statement is bound: user, database, settings, time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import exp

from catalog.errors import (
    FeatureNotSupported,
    UndefinedFunction,
    UndefinedObject,
)
from catalog.relation import is_temporary, temporary_schema
from catalog.types import (
    BOOL,
    DATE,
    INT4,
    NAME,
    OID,
    REGTYPE,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    VARCHAR,
    PgType,
    array_of,
)
from server.sql.bind.relation import searched_schemas
from server.sql.bind.type_name import with_seconds
from server.sql.bind.walker import Walker, handles
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import cast, fragment
from server.sql.functions.registry import resolve_function
from server.sql.typed import Typed

#: A function's arguments are bound already; the last argument is the position.
_Function = Callable[[Walker, list[Typed], int | None], Typed]


def text_constant(text: str | None, pg_type: PgType) -> Typed:
    """Return a constant whose type DuckDB stores as text."""
    literal: exp.Expr = exp.Null() if text is None else exp.Literal.string(text)
    return Typed(cast(literal, pg_type.duckdb), pg_type)


def _user(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    return text_constant(walker.statement.context.user, NAME)


def _session_user(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    return text_constant(walker.statement.context.session_user, NAME)


def _database(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    return text_constant(walker.statement.context.catalog.database, NAME)


def _schema(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    path = _explicit_path(walker)
    return text_constant(path[0] if path else None, NAME)


def _explicit_path(walker: Walker) -> tuple[str, ...]:
    """Return the schemas that are searched because the session says so."""
    return tuple(s for s in walker.statement.context.search_path if not is_temporary(s))


def _schemas(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:
    with_implicit = coerce(arguments[0], BOOL, Coercion.IMPLICIT, position=position)
    pg_type = array_of(NAME)
    every, explicit = (
        cast(exp.Array(expressions=[exp.Literal.string(name) for name in names]), pg_type.duckdb)
        for names in (searched_schemas(walker.statement.context), _explicit_path(walker))
    )
    chosen = "CASE WHEN _0 THEN _1 WHEN NOT _0 THEN _2 END"
    tree = fragment(chosen, with_implicit.tree, every, explicit)
    return Typed(tree, pg_type)


def _version(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    return text_constant(walker.statement.context.version, TEXT)


def _cluster(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    return text_constant(walker.statement.context.cluster, VARCHAR)


def _backend_pid(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    number = exp.Literal.number(str(walker.statement.context.backend_pid))
    return Typed(cast(number, INT4.duckdb), INT4)


def _setting(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:
    name = arguments[0].constant_text
    is_missing_ok = arguments[1].tree if len(arguments) > 1 else exp.false()
    context = walker.statement.context
    is_constant = name is not None and isinstance(is_missing_ok, exp.Boolean)
    if name is None or not is_constant or walker.statement.sets_parameters:
        if context.is_streaming:
            raise FeatureNotSupported(
                "the arguments of current_setting must be constants in a materialized view",
                position=position,
            )
        return resolve_function("current_setting", arguments, position=position)
    value = context.settings.get(name.lower())
    if value is None and not bool(is_missing_ok.this):
        if not context.is_streaming:  # It may be there, and who runs the query allowed to see it.
            return resolve_function("current_setting", arguments, position=position)
        raise UndefinedObject(f'unrecognized configuration parameter "{name}"')
    return text_constant(value, TEXT)


def _own_temporary(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    context = walker.statement.context
    schema = context.catalog.schemas.get(temporary_schema(context.backend_pid))
    number = exp.Literal.number("0" if schema is None else str(schema.oid))
    return Typed(cast(number, OID.duckdb), OID)


def _is_other_temporary(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    context = walker.statement.context
    own = temporary_schema(context.backend_pid)
    others = [s.oid for n, s in context.catalog.schemas.items() if is_temporary(n) and n != own]
    listed = [exp.Literal.number(str(oid)) for oid in (0, *others)]
    return Typed(exp.In(this=arguments[0].tree, expressions=listed), BOOL)


def _type_of(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    number = exp.Literal.number(str(arguments[0].type.listed_oid))
    return Typed(cast(number, REGTYPE.duckdb), REGTYPE)


def now(walker: Walker) -> exp.Expr:
    """Return the transaction's time; in a query that is maintained, the epoch's."""
    if walker.statement.context.is_streaming:
        return fragment("CAST(GETVARIABLE('epoch_now') AS TIMESTAMPTZ)")
    return exp.CurrentTimestamp()


def _now(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:  # noqa: ARG001
    return Typed(now(walker), TIMESTAMPTZ)


def _statement(walker: Walker, arguments: list[Typed], position: int | None) -> Typed:
    if walker.statement.context.is_streaming:
        return _now(walker, arguments, position)
    return resolve_function("statement_timestamp", arguments, position=position)


#: Name -> numbers of arguments that it takes, and what it gives.
_FUNCTIONS: Final[dict[str, tuple[tuple[int, ...], _Function]]] = {
    "current_user": ((0,), _user),
    "session_user": ((0,), _session_user),
    "user": ((0,), _user),
    "current_role": ((0,), _user),
    "current_database": ((0,), _database),
    "current_catalog": ((0,), _database),
    "current_schema": ((0,), _schema),
    "current_schemas": ((1,), _schemas),
    "version": ((0,), _version),
    "pg_backend_pid": ((0,), _backend_pid),
    "rw_cluster_id": ((0,), _cluster),
    "current_setting": ((1, 2), _setting),
    "pg_typeof": ((1,), _type_of),
    "pg_my_temp_schema": ((0,), _own_temporary),
    "pg_is_other_temp_schema": ((1,), _is_other_temporary),
    "now": ((0,), _now),
    "transaction_timestamp": ((0,), _now),
    "statement_timestamp": ((0,), _statement),
}


def is_session_function(name: str) -> bool:
    """Whether the function is one of these."""
    return name in _FUNCTIONS


def session_function(
    walker: Walker, name: str, arguments: list[Typed], position: int | None
) -> Typed:
    """Return what the function gives.

    Raises:
        UndefinedFunction: It does not take so many arguments.
    """
    counts, function = _FUNCTIONS[name]
    if len(arguments) not in counts:
        types = ", ".join(argument.type.sql_name for argument in arguments)
        raise UndefinedFunction(
            f"function {name}({types}) does not exist",
            hint="No function matches the given name and argument types. "
            "You might need to add explicit type casts.",
            position=position,
        )
    return function(walker, arguments, position)


#: Words that are functions without parentheses.
_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentUser: "current_user",
    exp.CurrentRole: "current_user",
    exp.SessionUser: "session_user",
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentSchema: "current_schema",
    exp.CurrentDatabase: "current_database",
}


@handles(*_WORDS)
def _bind_word(walker: Walker, node: exp.Expr) -> Typed:
    return session_function(walker, _WORDS[type(node)], [], walker.position(node))


#: Words for the time, with their types.
_TIMES: Final[dict[type[exp.Expr], PgType]] = {
    exp.CurrentTimestamp: TIMESTAMPTZ,
    exp.Localtimestamp: TIMESTAMP,
    exp.CurrentDate: DATE,
    exp.CurrentTime: TIMETZ,
    exp.Localtime: TIME,
}


@handles(*_TIMES)
def _bind_time(walker: Walker, node: exp.Expr) -> Typed:
    pg_type = _TIMES[type(node)]
    if pg_type is TIMETZ:
        tree = fragment("tg_timestamptz_timetz(_0)", now(walker))
    else:
        tree = now(walker) if pg_type is TIMESTAMPTZ else cast(now(walker), TIMESTAMP.duckdb)
    value = Typed(cast(tree, pg_type.duckdb), pg_type)
    if not isinstance(node.this, exp.Literal):
        return value
    held = with_seconds(pg_type, int(node.this.name), position=walker.position(node))
    return coerce(value, held, Coercion.EXPLICIT)


def word_value(walker: Walker, name: str) -> Typed | None:
    """Return what a word gives that sqlglot takes for a column's name, or None."""
    if name in ("user", "current_role", "current_catalog", "session_user"):
        return session_function(walker, name, [], None)
    return None
