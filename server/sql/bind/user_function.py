"""Calls of functions that users have made: what they are made of is put in the call's place.

A function's parameters are columns of a FROM item around its body, so that a column of the body's
own comes first, as PostgreSQL has it (15, chapter 38.5.1); what they read are the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from catalog.acl import Privilege
from catalog.errors import (
    AmbiguousFunction,
    FeatureNotSupported,
    PgError,
    SqlSyntaxError,
    StatementTooComplex,
    UndefinedFunction,
)
from catalog.function import Function
from catalog.function_errors import InvalidFunctionDefinition
from catalog.types import PgType
from server.sql.bind import walker as places
from server.sql.bind.query import Query, SelectQuery, subquery
from server.sql.bind.relation import may_use, searched_schemas
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.walker import AGGREGATE_LEVEL, Walker
from server.sql.choice import Overloads
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.function_body import PLACE, body_tree, parsed_expression
from server.sql.overload import Overload, coerced_arguments
from server.sql.typed import Typed
from server.sql.volatility import is_volatile

#: Calls that may be put into one statement, those inside of others included.
_CALLS_MAX: Final = 500

_HINT: Final = (
    "No function matches the given name and argument types."
    " You might need to add explicit type casts."
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call is given, some of it by name."""

    values: Sequence[Typed]
    names: Sequence[str | None]

    def shown(self) -> str:
        """Return the types as messages give them."""
        return ", ".join(
            value.type.sql_name if name is None else f"{name} => {value.type.sql_name}"
            for value, name in zip(self.values, self.names, strict=True)
        )


def is_named(node: exp.Expr) -> bool:
    """Whether an argument is ``name => value`` or ``name := value``."""
    return isinstance(node, (exp.Kwarg, exp.PropertyEQ))


def bound_arguments(walker: Walker, nodes: Sequence[exp.Expr]) -> Arguments:
    """Bind the arguments of a call, ``name => value`` among them.

    Raises:
        SqlSyntaxError: One without a name follows one with a name, or a name is there twice.
    """
    names: list[str | None] = []
    values: list[Typed] = []
    for node in nodes:
        name = node.this.name if is_named(node) else None
        if name is None and any(names):
            raise SqlSyntaxError(
                "positional argument cannot follow named argument", position=walker.position(node)
            )
        if name is not None and name in names:
            raise SqlSyntaxError(
                f'argument name "{name}" used more than once',
                position=walker.position(node.this),
            )
        names.append(name)
        values.append(walker.bind(node if name is None else node.expression))
    return Arguments(values, names)


def user_functions(walker: Walker, schema: str, name: str) -> list[Function]:
    """Return the functions that a name may mean; of equal ones the first on the search path."""
    context = walker.statement.context
    found: dict[tuple[int, ...], Function] = {}
    for searched in (schema,) if schema else searched_schemas(context):
        if may_use(context, searched):
            for function in context.catalog.functions_in(searched, name):
                found.setdefault(tuple(t.oid for t in function.types), function)
    return list(found.values())


def call_function(
    walker: Walker,
    candidates: Sequence[Function],
    arguments: Arguments,
    position: int | None,
) -> Typed:
    """Return the call of one of some functions of a name.

    Raises:
        UndefinedFunction: None of them takes such arguments.
        AmbiguousFunction: Several do.
        FeatureNotSupported: It gives rows, or would have to evaluate an argument twice.
    """
    function, given = _chosen(walker, candidates, arguments, position)
    if function.returns_rows:
        return _set_of(walker, function, given, position)
    with _inlining(walker, function, position):
        query = _bound_body(walker, function, given)
        value = _single_value(query, function.result)
    if not function.is_strict or not given:
        return value
    missing = [exp.Is(this=_part(a.tree), expression=exp.Null()) for a in given]
    case = exp.Case(
        ifs=[exp.If(this=exp.or_(*missing, copy=False), true=exp.Null())], default=value.tree
    )
    return Typed(case, value.type)


def _set_of(
    walker: Walker, function: Function, given: Sequence[Typed], position: int | None
) -> Typed:
    """Return a call in a SELECT list of a function that gives rows.

    Raises:
        FeatureNotSupported: It may not stand there, or its rows have several columns.
    """
    walker.allow_set(position)
    if len(function.columns) > 1:
        raise FeatureNotSupported(
            f"function {function.name} gives rows of several columns, which only FROM takes",
            position=position,
        )
    with _inlining(walker, function, position):
        query = _bound_body(walker, function, given)
        tree = query.finish([function.result], Coercion.ASSIGNMENT)
    return Typed(exp.Unnest(expressions=[exp.Array(expressions=[tree])]), function.result)


def rows_of_function(
    walker: Walker,
    candidates: Sequence[Function],
    arguments: Arguments,
    alias: str,
    position: int | None,
) -> tuple[exp.Expr, FromItem] | None:
    """Return a call as a FROM item; None if the function that is meant gives a single value."""
    function, given = _chosen(walker, candidates, arguments, position)
    if not function.returns_rows:
        return None
    with _inlining(walker, function, position):
        query = _bound_body(walker, function, given)
        types = [pg_type for _, pg_type in function.columns]
        tree = query.finish(types, Coercion.ASSIGNMENT)
    columns = tuple(
        ScopeColumn(name or function.name, column_of(alias, f"c{i}", pg_type))
        for i, (name, pg_type) in enumerate(function.columns, 1)
    )
    item: exp.Expr = subquery(tree, alias)
    if any(a.tree.find(exp.Column) is not None for a in given):
        item = exp.Lateral(this=exp.Subquery(this=tree), alias=item.args["alias"])
    return item, FromItem(alias, "", columns, is_value=len(columns) == 1)


def _chosen(
    walker: Walker, candidates: Sequence[Function], arguments: Arguments, position: int | None
) -> tuple[Function, list[Typed]]:
    """Return the function that a call means, and its arguments as it declares them."""
    by_overload: dict[int, tuple[Overload, Function, list[int]]] = {}
    for function in candidates:
        slots = _slots(function, arguments.names)
        if slots is not None:
            types = tuple(function.types[slot] for slot in slots)
            overload = Overload(function.name, types, lambda given: given[0])
            by_overload[id(overload)] = overload, function, slots
    overloads = Overloads([overload for overload, _, _ in by_overload.values()])
    chosen = overloads.select(arguments.values)
    if len(chosen) != 1:
        signature = f"function {candidates[0].name}({arguments.shown()})"
        if chosen:
            raise AmbiguousFunction(
                f"{signature} is not unique",
                hint="Could not choose a best candidate function. "
                "You might need to add explicit type casts.",
                position=position,
            )
        raise UndefinedFunction(f"{signature} does not exist", hint=_HINT, position=position)
    overload, function, slots = by_overload[id(chosen[0])]
    given = coerced_arguments(overload, arguments.values, position)
    by_slot = dict(zip(slots, given, strict=True))
    walker.statement.needs.add(function.oid, Privilege.EXECUTE)
    walker.statement.functions.add(function.oid)
    return function, [
        by_slot[slot] if slot in by_slot else _default(walker, function, slot, position)
        for slot in range(len(function.parameters))
    ]


def _slots(function: Function, names: Sequence[str | None]) -> list[int] | None:
    """Return which parameters the arguments of a call are for; None if it cannot be called so."""
    known = {p.name: slot for slot, p in enumerate(function.parameters) if p.name}
    slots: list[int] = []
    for place, name in enumerate(names):
        slot = place if name is None else known.get(name)
        if slot is None or slot in slots or slot >= len(function.parameters):
            return None
        slots.append(slot)
    left = [p for slot, p in enumerate(function.parameters) if slot not in slots]
    return None if any(p.default is None for p in left) else slots


def _default(walker: Walker, function: Function, slot: int, position: int | None) -> Typed:
    parameter = function.parameters[slot]
    assert parameter.default is not None, parameter
    with _inlining(walker, function, position):
        inner = Walker(
            *(walker.statement, Scope(), walker.bind_subquery, {}, walker.level),
            place=places.DEFAULT,
        )
        value = inner.bind(parsed_expression(parameter.default))
        return coerce(value, parameter.type, Coercion.ASSIGNMENT)


@contextmanager
def _inlining(walker: Walker, function: Function, position: int | None) -> Iterator[None]:
    """Bind what a function is made of; where something in it stands is no place of the statement.

    Raises:
        StatementTooComplex: Functions call each other without an end.
    """
    statement = walker.statement
    statement.calls_inlined += 1
    if statement.calls_inlined > _CALLS_MAX:
        raise StatementTooComplex(
            "stack depth limit exceeded",
            hint=f'Function "{function.name}" is called too often in one statement,'
            " or calls itself.",
            position=position,
        )
    with statement.reading_another_text():
        try:
            yield
        except PgError as e:
            e.position = position
            raise


def _bound_body(walker: Walker, function: Function, given: Sequence[Typed]) -> Query:
    tree = body_tree(function.body, is_expression=function.is_expression)
    columns: list[ScopeColumn] = []
    for place, (parameter, argument) in enumerate(zip(function.parameters, given, strict=True), 1):
        value = Typed(argument.tree, parameter.type)
        if parameter.name:
            columns.append(ScopeColumn(parameter.name, value))
        columns.append(ScopeColumn(f"{PLACE}{place}", value))
        _refuse_repeated(function, tree, {parameter.name, f"{PLACE}{place}"} - {""}, argument)
    around = Scope()
    around.add(FromItem("", function.name, tuple(columns)))
    ctes: Mapping[str, object] = {}
    return walker.bind_subquery(tree, around, ctes)  # type: ignore[arg-type]  # none of them


def _refuse_repeated(function: Function, tree: exp.Expr, names: set[str], argument: Typed) -> None:
    """Refuse to put something in several places that may be another in each."""
    places_read = [column for column in tree.find_all(exp.Column) if column.name in names]
    if len(places_read) > 1 and is_volatile(argument.tree):
        raise FeatureNotSupported(
            f"a volatile argument of function {function.name}, which uses it more than once, "
            "is not supported"
        )


def _single_value(query: Query, result: PgType) -> Typed:
    """Return the value of a body: the expression itself where it is no more than that."""
    if isinstance(query, SelectQuery) and len(query.outputs) == 1:
        value = query.outputs[0].value
        is_plain = not any(value_ for value_ in query.select.args.values())
        if is_plain and not any(_is_more(node) for node in value.tree.walk()):
            coerced = coerce(value, result, Coercion.ASSIGNMENT)
            return Typed(_part(coerced.tree), result)
    tree = query.finish([result], Coercion.ASSIGNMENT)
    if not _has_one_row(tree):
        if any(tree.args.get(clause) for clause in ("limit", "offset")) or not isinstance(
            tree, exp.Select
        ):
            outer = exp.Select(expressions=[exp.column("c1", table="f")])
            outer.set("from_", exp.From(this=subquery(tree, "f")))
            tree = outer
        tree.set("limit", exp.Limit(expression=exp.Literal.number("1")))
    return Typed(exp.Subquery(this=tree), result)


def _is_more(node: exp.Expr) -> bool:
    """Whether a node makes its query more than a value for each row around it."""
    is_aggregate = AGGREGATE_LEVEL in node.meta
    return is_aggregate or isinstance(node, (exp.Unnest, exp.Explode, exp.Window))


def _has_one_row(tree: exp.Expr) -> bool:
    """Whether a query is an aggregate over everything."""
    if not isinstance(tree, exp.Select) or tree.args.get("group") or tree.args.get("having"):
        return False
    return all(
        any(AGGREGATE_LEVEL in node.meta for node in item.walk()) for item in tree.expressions
    )


def _part(tree: exp.Expr) -> exp.Expr:
    """Return a tree that can stand inside another one."""
    alone = tree if tree.parent is None else tree.copy()
    return places.operand(alone)


def check_body(walker: Walker, function: Function) -> None:
    """Refuse a function whose body does not make sense, or gives something else than it says.

    Raises:
        PgError: What is wrong, with a position in the function's text only.
        InvalidFunctionDefinition: The types do not fit.
    """
    given = [
        Typed(exp.Cast(this=exp.Null(), to=exp.DataType.build(t.duckdb, dialect="duckdb")), t)
        for t in function.types
    ]
    for parameter in function.parameters:
        if parameter.default is not None:
            _default(walker, function, function.parameters.index(parameter), None)
    wanted = [pg_type for _, pg_type in function.columns] or [function.result]
    with walker.statement.reading_another_text():
        query = _bound_body(walker, function, given)
    name = "record" if len(wanted) > 1 else function.result.sql_name
    if len(query.outputs) != len(wanted):
        raise InvalidFunctionDefinition(
            f"return type mismatch in function declared to return {name}",
            detail="Final statement must return exactly one column."
            if len(wanted) == 1
            else f"Final statement returns too {_few_or_many(query, wanted)} columns.",
        )
    for place, (output, pg_type) in enumerate(zip(query.outputs, wanted, strict=True), 1):
        if not can_coerce(output.value.type, pg_type, Coercion.ASSIGNMENT):
            found = output.settled_type.sql_name
            raise InvalidFunctionDefinition(
                f"return type mismatch in function declared to return {name}",
                detail=f"Actual return type is {found}."
                if len(wanted) == 1
                else f"Final statement returns {found} instead of {pg_type.sql_name}"
                f" at column {place}.",
            )


def _few_or_many(query: Query, wanted: Sequence[PgType]) -> str:
    return "few" if len(query.outputs) < len(wanted) else "many"
