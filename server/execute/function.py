"""CREATE, ALTER, DROP and COMMENT ON FUNCTION."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from barrier.command import ChangeCatalog
from catalog.change import Change, DropRelations
from catalog.dependence import describe
from catalog.errors import (
    AmbiguousFunction,
    DependentObjectsStillExist,
    InsufficientPrivilege,
    Notice,
    PgError,
    UndefinedFunction,
    UndefinedObject,
    UndefinedSchema,
)
from catalog.function import DropFunctions, Function, Parameter, PutFunction, renamed
from catalog.function_errors import DuplicateFunction, InvalidFunctionDefinition
from catalog.grant import GiveFunction
from catalog.relation import Relation
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.types import PgType
from catalog.user_type import FindType
from server.execute.drop import with_dependents
from server.execute.latest import on_latest
from server.execute.names import new_lasting_name, schema_of
from server.execute.permission import check_create_in, check_type, must_be_member
from server.execute.role_name import role_of
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import function_statement as f
from server.sql.bind.bind_query import QueryBinder, binding
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.type_text import type_of_text
from server.sql.bind.user_function import check_body
from server.sql.bind.walker import Walker
from server.sql.clause import QualifiedName
from server.sql.modifier import without_modifier


def change(state: SessionState, statement: object) -> Done | None:
    """Run a statement about functions; None is another one."""
    match statement:
        case f.CreateFunction():
            return create_function(state, statement)
        case f.DropFunction():
            return drop_functions(state, statement)
        case f.AlterFunction():
            return alter_function(state, statement)
        case f.CommentOnFunction():
            return comment_on_function(state, statement)
        case _:
            return None


def create_function(state: SessionState, statement: f.CreateFunction) -> Done:
    """Make a function, or put it in the place of one with the same arguments.

    Raises:
        PgError: It does not make sense, or there is one with such arguments.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _create(state, catalog, statement))


def _create(state: SessionState, catalog: Catalog, statement: f.CreateFunction) -> Done:
    tag = Done("CREATE FUNCTION")
    schema, name = new_lasting_name(state, catalog, statement.name)
    function = _described(state, schema, name, statement)
    known = next(
        (
            held
            for held in catalog.functions_in(schema, name)
            if [t.oid for t in held.types] == [t.oid for t in function.types]
        ),
        None,
    )
    if known is not None and statement.if_not_exists:
        said = f'function "{name}" already exists with same argument types, skipping'
        state.notice(Notice(said, sqlstate=SqlState.DUPLICATE_FUNCTION))
        return tag
    for used in (*function.types, function.result, *(column for _, column in function.columns)):
        check_type(state, catalog, used)
    if known is not None and not statement.replaces:
        raise DuplicateFunction(f'function "{name}" already exists with same argument types')
    if state.settings.is_on("check_function_bodies"):
        _check(state, catalog, function, statement)
    if known is not None:
        function = _in_the_place_of(state, catalog, known, function)
    state.perform(ChangeCatalog((PutFunction(function),)))
    return tag


def _described(
    state: SessionState, schema: str, name: str, statement: f.CreateFunction
) -> Function:
    find = state.bind_context(state.worker.catalog).context.find_type
    parameters = tuple(
        Parameter(p.name, _parameter_type(p.type, find), p.default) for p in statement.parameters
    )
    _check_names(statement.parameters + statement.columns)
    has_default = False
    for parameter in parameters:
        if has_default and parameter.default is None:
            raise InvalidFunctionDefinition(
                "input parameters after one with a default value must also have defaults"
            )
        has_default |= parameter.default is not None
    columns = tuple(
        (column.name, _parameter_type(column.type, find)) for column in statement.columns
    )
    if statement.result is None:
        result = columns[0][1]
    else:
        result = without_modifier(
            type_of_text(statement.result, find, position=statement.result_position)
        )
        if statement.returns_set:
            columns = (("", result),)
    return Function(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        parameters=parameters,
        result=result,
        columns=columns,
        body=statement.body,
        is_expression=statement.is_expression,
        volatility=statement.volatility,
        is_strict=statement.is_strict,
        definition=statement.text,
    )


def _parameter_type(text: str, find: FindType) -> PgType:
    try:
        return without_modifier(type_of_text(text, find))
    except UndefinedObject:
        raise UndefinedObject(f"type {text} does not exist") from None


def _check_names(parameters: Sequence[f.ParameterDefinition]) -> None:
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.name in seen:
            raise InvalidFunctionDefinition(
                f'parameter name "{parameter.name}" used more than once'
            )
        if parameter.name:
            seen.add(parameter.name)


def _check(
    state: SessionState, catalog: Catalog, function: Function, statement: f.CreateFunction
) -> None:
    """Bind what the function is made of, with values of its parameters' types."""
    context = state.bind_context(catalog, offset=statement.start).context
    scratch = Statement(context)
    binder = QueryBinder(scratch)
    with binding(scratch):
        walker = Walker(scratch, Scope(), binder.bind)
        check_body(walker, function)


def _in_the_place_of(
    state: SessionState, catalog: Catalog, known: Function, function: Function
) -> Function:
    """Return what a function becomes that is replaced.

    Raises:
        InvalidFunctionDefinition: It would give something else.
        DependentObjectsStillExist: Views have it in their queries.
    """
    _must_own(state, known)
    if known.columns != function.columns or known.result != function.result:
        raise InvalidFunctionDefinition(
            "cannot change return type of existing function",
            hint=f"Use DROP FUNCTION {known.signature} first.",
        )
    if callers := catalog.callers(known.oid):
        raise DependentObjectsStillExist(
            f"cannot replace function {known.signature} because other objects depend on it",
            detail="\n".join(
                f"{describe(view)} depends on function {known.signature}" for view in callers
            ),
            hint="What it is made of is part of their queries: drop them first.",
        )
    return replace(function, oid=known.oid, owner=known.owner, acl=known.acl, comment=known.comment)


def drop_functions(state: SessionState, statement: f.DropFunction) -> Done:
    """Take functions away, all that are named or none.

    Raises:
        PgError: One does not exist, belongs to somebody else, or is still called by a view.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        found: list[Function] = []
        for named in statement.functions:
            try:
                function = find_function(state, catalog, named)
            except (UndefinedFunction, UndefinedObject, UndefinedSchema) as e:
                if not statement.if_exists:
                    raise
                state.notice(Notice(_skipped(named, e)))
                continue
            if not state.access.owns(catalog.schemas[function.schema].owner):
                _must_own(state, function)
            found.append(function)
        changes = _dropping(state, catalog, found, is_cascade=statement.is_cascade)
        if changes:
            state.perform(ChangeCatalog(changes))
        return Done("DROP FUNCTION")

    return on_latest(state, perform)


def _skipped(named: f.FunctionName, error: PgError) -> str:
    if named.types is None and isinstance(error, UndefinedFunction):
        return f"function {named.name}() does not exist, skipping"
    return f"{error.message}, skipping"


def _dropping(
    state: SessionState, catalog: Catalog, functions: Sequence[Function], *, is_cascade: bool
) -> tuple[Change, ...]:
    if not functions:
        return ()
    callers: dict[int, Relation] = {}
    for function in functions:
        found = catalog.callers(function.oid)
        if found and not is_cascade:
            raise DependentObjectsStillExist(
                f"cannot drop function {function.signature} because other objects depend on it",
                detail="\n".join(
                    f"{describe(view)} depends on function {function.signature}" for view in found
                ),
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )
        callers |= {view.oid: view for view in found}
    changes: list[Change] = []
    if callers:
        gone = with_dependents(state, catalog, list(callers.values()), told=())
        changes.append(DropRelations(gone))
    changes.append(DropFunctions(frozenset(function.oid for function in functions)))
    return tuple(changes)


def alter_function(state: SessionState, statement: f.AlterFunction) -> Done:
    """Give a function another name, schema or owner.

    Raises:
        PgError: It does not exist, or the user may not.
    """
    commit_on_the_way(state)
    with state.manager.naming_users():

        def perform(catalog: Catalog) -> Done:
            function = find_function(state, catalog, statement.function)
            _must_own(state, function)
            if statement.owner is not None:
                owner = role_of(state, statement.owner)
                must_be_member(state, owner)
                change: Change = GiveFunction(function.oid, owner.name)
            else:
                schema = statement.schema or function.schema
                if statement.schema is not None:
                    new_lasting_name(state, catalog, QualifiedName(function.name, schema))
                check_create_in(state, catalog.schemas[schema])
                change = PutFunction(renamed(function, schema, statement.new_name or function.name))
            state.perform(ChangeCatalog((change,)))
            return Done("ALTER FUNCTION")

        return on_latest(state, perform)


def comment_on_function(state: SessionState, statement: f.CommentOnFunction) -> Done:
    """Say something about a function, or nothing more.

    Raises:
        PgError: It does not exist, or belongs to somebody else.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        function = find_function(state, catalog, statement.function)
        _must_own(state, function)
        change = PutFunction(replace(function, comment=statement.text_of))
        state.perform(ChangeCatalog((change,)))
        return Done("COMMENT")

    return on_latest(state, perform)


def find_function(state: SessionState, catalog: Catalog, named: f.FunctionName) -> Function:
    """Return the function that a name means.

    Raises:
        UndefinedFunction: There is none.
        AmbiguousFunction: There are several, and no types are written.
    """
    schema = schema_of(state, named.name)
    schemas = state.search_path(catalog) if schema is None else (schema,)
    wanted: list[PgType] | None = None
    if named.types is not None:
        find = state.bind_context(catalog).context.find_type
        wanted = [type_of_text(text, find) for text in named.types]
    for searched in schemas:
        held = catalog.functions_in(searched, named.name.name)
        if wanted is not None:
            oids = [pg_type.oid for pg_type in wanted]
            held = [function for function in held if [t.oid for t in function.types] == oids]
        if len(held) > 1:
            raise AmbiguousFunction(
                f'function name "{named.name}" is not unique',
                hint="Specify the argument list to select the function unambiguously.",
            )
        if held:
            return held[0]
    if wanted is None:
        raise UndefinedFunction(f'could not find a function named "{named.name}"')
    types = ", ".join(pg_type.sql_name for pg_type in wanted)
    raise UndefinedFunction(f"function {named.name}({types}) does not exist")


def _must_own(state: SessionState, function: Function) -> None:
    if not state.access.owns(function.owner):
        raise InsufficientPrivilege(f"must be owner of function {function.name}")
