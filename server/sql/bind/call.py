"""Calls: functions, aggregates, window functions, set-returning functions in a SELECT list."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from catalog.errors import (
    FeatureNotSupported,
    GroupingError,
    InvalidColumnReference,
    SqlSyntaxError,
    UndefinedFunction,
    UndefinedSchema,
    WrongObjectType,
)
from catalog.types import BOOL, INT4, PgType
from server.sql.bind import walker as places
from server.sql.bind.grouping_sets import HAS_DIRECT, grouping_call, mark_direct
from server.sql.bind.lambda_call import bind_lambda_function, is_lambda
from server.sql.bind.named_argument import placed
from server.sql.bind.object_name import object_constant
from server.sql.bind.ordering import ordered, sort_key
from server.sql.bind.record import column_of_row, row_of
from server.sql.bind.scope import Owner, Scope
from server.sql.bind.session_function import is_session_function, session_function
from server.sql.bind.table_function import bind_set_function, note_effects, standard_name
from server.sql.bind.user_function import (
    Arguments,
    bound_arguments,
    call_function,
    user_functions,
)
from server.sql.bind.variadic_call import bind_variadic_call, is_variadic
from server.sql.bind.walker import AGGREGATE_LEVEL, Walker, again, handles, settled
from server.sql.bind.whole_row import presence
from server.sql.fragment import fragment
from server.sql.functions.lambda_call import LAMBDA_FUNCTIONS
from server.sql.functions.map import map_value
from server.sql.functions.map_call import MAP_CALL
from server.sql.functions.registry import (
    aggregates_in_order,
    is_aggregate,
    is_function,
    is_hypothetical_set,
    is_scalar,
    is_table_function,
    is_window,
    object_parameter,
    resolve_aggregate,
    resolve_function,
    undefined_function,
)
from server.sql.jsonb_equality import equal_form
from server.sql.query_tree import AGGREGATE_PREFIX, function_name
from server.sql.typed import Typed


@dataclass(slots=True)
class Call:
    """A call as it was written.

    Attributes:
        node: The call with the schema in front.
        schema: That schema where it holds users' functions.
        nodes: The arguments; of ``count(*)`` none.
        order: ORDER BY inside the parentheses.
        within: ORDER BY of WITHIN GROUP.
        filter: The condition of FILTER.
        ignores_nulls: Whether IGNORE NULLS stands in it or behind it.
    """

    name: str
    node: exp.Expr
    schema: str = ""
    nodes: list[exp.Expr] = field(default_factory=list)
    has_star: bool = False
    is_distinct: bool = False
    order: list[exp.Expr] = field(default_factory=list)
    within: list[exp.Expr] = field(default_factory=list)
    filter: exp.Expr | None = None
    ignores_nulls: bool = False

    @property
    def has_aggregate_syntax(self) -> bool:
        """Whether it has what only aggregates may have."""
        return bool(self.is_distinct or self.order or self.within or self.filter or self.has_star)


def call_of(walker: Walker, node: exp.Expr) -> Call:
    """Return the parts of a call, with FILTER and WITHIN GROUP around it.

    Raises:
        FeatureNotSupported: It has NULLS options, or is a member access.
        UndefinedSchema: It is in a schema that holds no functions.
    """
    condition: exp.Expr | None = None
    within: list[exp.Expr] = []
    ignored: exp.Expr | None = None
    while isinstance(node, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        if isinstance(node, exp.Filter):
            condition = node.expression.this
        elif isinstance(node, exp.WithinGroup):
            within = list(node.expression.expressions)
        elif isinstance(node, exp.IgnoreNulls):
            ignored = node
        node = node.this
    written = node
    schema = ""
    if isinstance(node, exp.Dot):
        schema, node = _qualified(walker, node)
    if not isinstance(node, exp.Anonymous):
        raise FeatureNotSupported(
            f"{node.key} is not supported here", position=walker.position(node)
        )
    call = Call(function_name(node), written, schema=schema, filter=condition, within=within)
    call.ignores_nulls = ignored is not None
    for argument in node.expressions:
        _take_argument(call, argument)
    return call


def _qualified(walker: Walker, node: exp.Expr) -> tuple[str, exp.Expr]:
    """Return the schema and the call of ``schema.function(...)``; the system's schemas are none."""
    schema, function = node.this, node.expression
    if is_spread(node):
        raise FeatureNotSupported(
            'row expansion via "*" is not supported here', position=walker.position(schema)
        )
    if not isinstance(function, exp.Anonymous):
        raise FeatureNotSupported(
            "members of composite values are not supported", position=walker.position(node)
        )
    position = walker.position(schema)
    context = walker.statement.context
    known = ("pg_catalog", "information_schema", *context.catalog.schemas)
    if not isinstance(schema, exp.Identifier) or schema.name not in known:
        raise UndefinedSchema.named(schema.name, position=position)
    name = standard_name(schema.name, function_name(function))
    if schema.name == "information_schema" and (is_table_function(name) or is_scalar(name)):
        named = function.copy()
        named.set("this", name)
        named.parent = node
        return "", named
    if schema.name == "pg_catalog":
        return "", function
    if not user_functions(walker, schema.name, function_name(function)):
        shown = f"{schema.name}.{function_name(function)}"
        arguments = [walker.bind(argument) for argument in function.expressions]
        raise undefined_function(shown, arguments, position)
    return schema.name, function


def is_spread(node: exp.Expr | None) -> bool:
    """Whether a node is ``(row).*``."""
    return isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star)


def _take_argument(call: Call, argument: exp.Expr) -> None:
    if isinstance(argument, (exp.IgnoreNulls, exp.RespectNulls)):
        call.ignores_nulls |= isinstance(argument, exp.IgnoreNulls)
        argument = argument.this
    if isinstance(argument, exp.Order):
        call.order = list(argument.expressions)
        argument = argument.this
    if is_spread(argument):
        argument = argument.this  # RisingWave's way to give a row as a whole.
    if isinstance(argument, exp.Distinct):
        call.is_distinct = True
        call.nodes += argument.expressions
    elif isinstance(argument, exp.Star):
        call.has_star = True
    elif argument is not None:
        call.nodes.append(argument)


@handles(exp.Tuple)
def _bind_row(walker: Walker, node: exp.Expr) -> Typed:
    values: list[Typed] = []
    for item in node.expressions:
        if isinstance(item, exp.Column) and item.is_star and item.table:
            columns = walker.scope.item(item.table, position=walker.position(item)).columns
            values += [again(column.value) for column in columns]
        else:
            values.append(walker.bind(item))
    named = [(f"f{number}", value) for number, value in enumerate(values, 1)]
    return row_of(named)


@handles(exp.Anonymous, exp.Dot, exp.Filter, exp.WithinGroup)
def _bind_call(walker: Walker, node: exp.Expr) -> Typed:
    if (
        isinstance(node, exp.Dot)
        and isinstance(node.this, (exp.Paren, exp.Dot, exp.Anonymous))
        and isinstance(node.expression, exp.Identifier)
    ):
        value = walker.bind(node.this)
        return column_of_row(value, node.expression.name, position=walker.position(node.this))
    if isinstance(node, exp.Anonymous) and function_name(node) == "row":
        return _bind_row(walker, node)
    if isinstance(node, exp.Anonymous) and function_name(node) == MAP_CALL:
        parts = [walker.bind(part) for part in node.expressions]
        return map_value(parts, position=walker.position(node))
    if isinstance(node, exp.Anonymous) and function_name(node) in LAMBDA_FUNCTIONS:
        return bind_lambda_function(walker, function_name(node), node)
    if is_lambda(node):
        raise SqlSyntaxError(
            "a lambda expression is an argument of array_transform or map_filter",
            position=walker.position(node),
        )
    call = call_of(walker, node)
    name = call.name
    position = walker.position(call.node)
    if name.startswith(AGGREGATE_PREFIX):
        return _bind_wrapped(walker, call, position)
    if call.schema or not is_function(name):
        candidates = user_functions(walker, call.schema, name)
        if candidates:
            if call.has_aggregate_syntax:
                raise _not_an_aggregate(call, position)
            given = bound_arguments(walker, call.nodes)
            return call_function(walker, candidates, given, position)
    if (
        is_aggregate(name)
        or (call.order and aggregates_in_order(name))
        or (call.within and is_hypothetical_set(name))
    ):
        return _aggregated(walker, call, position)
    if is_window(name):
        raise WrongObjectType(f"window function {name} requires an OVER clause", position=position)
    if call.has_aggregate_syntax:
        if not is_function(name):
            written = [walker.bind(argument) for argument in call.nodes]
            raise undefined_function(name, written, position)
        raise _not_an_aggregate(call, position)
    call.nodes = placed(walker, name, call.nodes, position)
    refuse_ignored_nulls(call, position)
    if name == "grouping":
        return _grouping(walker, call, position)
    if is_table_function(name):
        return bind_set_function(walker, name, call.nodes, position)
    if is_variadic(call.nodes):
        return bind_variadic_call(walker, name, call.nodes, position)
    arguments = _arguments(walker, call)
    if is_session_function(name):
        return session_function(walker, name, arguments, position)
    note_effects(walker, name, position)
    arguments = [
        _object_named(walker, value, object_parameter(name, len(arguments), place), node)
        for place, (value, node) in enumerate(zip(arguments, call.nodes, strict=True))
    ]
    if isinstance(call.node, exp.Dot):
        return catalog_function(name, arguments, position=position)
    try:
        return resolve_function(
            name, arguments, position=position, at=lambda i: walker.position(call.nodes[i])
        )
    except UndefinedFunction:
        # Of a name that is the system's too, users' functions take other arguments.
        candidates = user_functions(walker, "", name)
        if not candidates:
            raise
        given = Arguments(arguments, [None] * len(arguments))
        return call_function(walker, candidates, given, position)


def _arguments(walker: Walker, call: Call) -> list[Typed]:
    if call.name != "coalesce":
        return [walker.bind(argument) for argument in call.nodes]
    with walker.without_sets("COALESCE"):
        return [walker.bind(argument) for argument in call.nodes]


def _aggregated(walker: Walker, call: Call, position: int | None) -> Typed:
    value = bind_aggregate(walker, call, position)
    owner = _owner(walker, value.tree)
    owner.allow_aggregate(position)
    if any(node.meta.get(AGGREGATE_LEVEL) == owner.level for node in value.tree.walk()):
        raise GroupingError("aggregate function calls cannot be nested", position=position)
    for tree in (value.tree, value.scale_code):
        if tree is not None:
            tree.meta[AGGREGATE_LEVEL] = owner.level
    if call.within:
        value.tree.meta[HAS_DIRECT] = True
    return value


def _bind_wrapped(walker: Walker, call: Call, position: int | None) -> Typed:
    """Bind ``aggregate:f(x ORDER BY y)``, which is ``f(array_agg(x ORDER BY y))``."""
    name = call.name.removeprefix(AGGREGATE_PREFIX)
    call.name = "array_agg"
    values = [_aggregated(walker, call, position)]
    if not is_function(name):
        candidates = user_functions(walker, "", name)
        if candidates:
            return call_function(walker, candidates, Arguments(values, [None]), position)
    return resolve_function(name, values, position=position)


def _owner(walker: Walker, tree: exp.Expr) -> Owner:
    """Return whose an aggregate is: the innermost query's of which it aggregates columns.

    One that reads columns of outer queries alone is theirs (PostgreSQL 15, chapter 4.2.7).
    """
    inner = {alias.name for alias in tree.find_all(exp.TableAlias)}
    read = {column.table for column in tree.find_all(exp.Column)} - inner
    scope: Scope | None = walker.scope if read else None
    while scope is not None:
        if any(item.alias in read for item in scope.items):
            return scope.owner or walker
        scope = scope.outer
    return walker


def _object_named(walker: Walker, value: Typed, target: PgType | None, node: exp.Expr) -> Typed:
    """Return an argument, the OID of what it names where a literal stands for an object."""
    if target is None or not value.is_unknown or not isinstance(value.tree, exp.Literal):
        return value
    position = walker.position(node)
    found = object_constant(walker.statement, value.tree.name, target, position=position)
    return value if found is None else found


def catalog_function(name: str, arguments: list[Typed], *, position: int | None) -> Typed:
    """Return the call of a function of pg_catalog: named so, or meant by a syntax of its own.

    Args:
        name: The function's.
        arguments: Of the call.
        position: Of the call.
    """
    try:
        return resolve_function(name, arguments, position=position)
    except UndefinedFunction as error:
        before, after = f"function {name}(", f"function pg_catalog.{name}("
        error.message = error.message.replace(before, after, 1)
        raise


@handles(exp.Explode, exp.Unnest)
def _bind_unnest(walker: Walker, node: exp.Expr) -> Typed:
    nodes = [node.this] if isinstance(node, exp.Explode) else list(node.expressions)
    return bind_set_function(walker, "unnest", nodes, walker.position(node))


def refuse_ignored_nulls(call: Call, position: int | None) -> None:
    """Refuse IGNORE NULLS of what is not over a window.

    Raises:
        FeatureNotSupported: It has it.
    """
    if call.ignores_nulls:
        raise FeatureNotSupported(
            f"IGNORE NULLS of {call.name} is not supported", position=position
        )


def _not_an_aggregate(call: Call, position: int | None) -> WrongObjectType:
    word = "DISTINCT" if call.is_distinct else "ORDER BY" if call.order else "FILTER"
    if call.has_star:
        return WrongObjectType(
            f"{call.name}(*) specified, but {call.name} is not an aggregate function",
            position=position,
        )
    return WrongObjectType(
        f"{word} specified, but {call.name} is not an aggregate function", position=position
    )


def bind_aggregate(walker: Walker, call: Call, position: int | None) -> Typed:
    """Return an aggregate's call, without noting that the level has one.

    Raises:
        InvalidColumnReference: DISTINCT sorts by what it does not aggregate.
        SqlSyntaxError: WITHIN GROUP stands beside DISTINCT or another order.
        WrongObjectType: It is ``count()``.
    """
    if call.has_star and (call.name != "count" or call.nodes):
        raise UndefinedFunction(f"function {call.name}() does not exist", position=position)
    if call.name == "count" and not (call.has_star or call.nodes):
        raise WrongObjectType(
            "count(*) must be used to call a parameterless aggregate function", position=position
        )
    if call.within and (call.order or call.is_distinct):
        said = "multiple ORDER BY clauses" if call.order else "DISTINCT"
        raise SqlSyntaxError(f"cannot use {said} with WITHIN GROUP", position=position)
    with walker.within(places.AGGREGATE if walker.place is not places.WINDOW else places.WINDOW):
        arguments = _counted_row(walker, call)
        if arguments is None:
            arguments = [walker.bind(argument) for argument in call.nodes]
        given = arguments
        if call.is_distinct:
            arguments = [equal_form(argument) for argument in arguments]
        if call.within:
            for argument in arguments:
                mark_direct(argument.tree)
        keys = [settled(walker.bind(item.this)) for item in call.order]
        order = [
            ordered(equal_form(key).tree if call.is_distinct else sort_key(key), item)
            for key, item in zip(keys, call.order, strict=True)
        ]
        within = [(walker.bind(item.this), item) for item in call.within]
    refuse_ignored_nulls(call, position)
    condition: exp.Expr | None = None
    if call.filter is not None:
        with walker.within(places.FILTER):
            condition = walker.condition(call.filter, "FILTER")
    if call.is_distinct and not _are_among(keys, given):
        raise InvalidColumnReference(
            "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
            position=position,
        )
    return resolve_aggregate(
        call.name,
        arguments,
        is_distinct=call.is_distinct,
        order_by=order,
        filter_=condition,
        within_group=within,
        position=position,
    )


def _are_among(keys: list[Typed], arguments: list[Typed]) -> bool:
    """Whether what an aggregate sorts by is what it aggregates, before that has another type."""
    known = [(settled(argument).tree, settled(argument).type) for argument in arguments]
    return all((key.tree, key.type) in known for key in keys)


def _counted_row(walker: Walker, call: Call) -> list[Typed] | None:
    """Return what count(t.*) counts: rows, of which outer joins may have found none."""
    if call.name != "count" or call.is_distinct or len(call.nodes) != 1:
        return None
    (node,) = call.nodes
    if not (isinstance(node, exp.Column) and node.is_star and node.table):
        return None
    item = walker.scope.item(node.table, position=walker.position(node))
    present = presence(walker, item)
    return [] if present is None else [Typed(fragment("_0 IS NOT NULL OR NULL", present), BOOL)]


def _grouping(walker: Walker, call: Call, position: int | None) -> Typed:
    trees = [settled(walker.bind(argument)).tree for argument in call.nodes]
    owner = _owner(walker, exp.Tuple(expressions=[tree.copy() for tree in trees]))
    owner.allow_aggregate(position)
    tree = grouping_call(trees, owner.level)
    if trees and position is not None:
        tree.meta["position"] = walker.position(call.nodes[0])
    return Typed(tree, INT4)


def is_empty_map(node: exp.Expr) -> bool:
    """Whether a node is ``map {}``."""
    is_map = isinstance(node, exp.Anonymous) and function_name(node) == MAP_CALL
    return is_map and not node.expressions
