"""Functions in FROM and set-returning functions in a SELECT list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from catalog.function import Function
from catalog.types import INT8, PgType, array_of, by_name, record
from server.sql.bind.gap_fill import GAP_FILL, bind_gap_fill
from server.sql.bind.named_argument import placed
from server.sql.bind.output_name import output_name
from server.sql.bind.query import aliased, subquery
from server.sql.bind.record import row_of
from server.sql.bind.relation import read_relation
from server.sql.bind.scope import FromItem, ScopeColumn, column_of
from server.sql.bind.time_window import bind_time_window, is_time_window
from server.sql.bind.type_name import resolve_type
from server.sql.bind.user_function import bound_arguments, rows_of_function, user_functions
from server.sql.bind.walker import Walker, as_array
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import cast, fragment
from server.sql.functions.json_record import (
    OF_DEFINED_COLUMNS,
    POPULATED,
    rows_of_definition,
)
from server.sql.functions.registry import (
    TableFunction,
    is_function,
    is_table_function,
    needs_session,
    resolve_table_function,
    undefined_function,
)
from server.sql.functions.rows import by_fields, rows_of_list
from server.sql.query_tree import function_name
from server.sql.typed import Typed


def bind_table_function(
    walker: Walker,
    call: exp.Expr,
    *,
    has_ordinality: bool,
    definition: Sequence[exp.ColumnDef] = (),
) -> tuple[str, exp.Expr, FromItem]:
    """Return a function as a FROM item: its name, its tree and what can be named of it.

    Args:
        walker: Binds what it is called with.
        call: The function's.
        has_ordinality: Whether a last column counts its rows.
        definition: The columns of a function that does not know them itself.

    Raises:
        SqlSyntaxError: They are defined and must not be, or are not and must be.
    """
    position = walker.position(call)
    alias = walker.statement.new_alias()
    schema = ""
    whole = call
    if isinstance(call, exp.Dot):
        schema, call = call.this.name, call.expression
    if isinstance(call, exp.Unnest):
        name, nodes = "unnest", list(call.expressions)
    elif isinstance(call, exp.Explode):  # Behind the name of a schema.
        name, nodes = "unnest", [call.this, *call.expressions]
    elif isinstance(call, exp.Anonymous):
        name, nodes = function_name(call), list(call.expressions)
    else:
        return _scalar(walker, call, alias)
    name = standard_name(schema or _standard_schema(walker, name), name)
    if definition and name in POPULATED:
        given = _arguments(walker, name, nodes)
        return _in_columns(
            walker,
            name,
            _populated(walker, name, given, definition),
            alias,
            has_ordinality=has_ordinality,
        )
    if definition and name not in OF_DEFINED_COLUMNS:
        raise SqlSyntaxError(
            'a column definition list is only allowed for functions returning "record"',
            position=position,
        )
    relation = None if nodes else walker.statement.context.system("", name)
    if relation is not None:
        tree, item = read_relation(walker.statement, relation, alias)
        if has_ordinality:
            raise FeatureNotSupported(
                f"WITH ORDINALITY of {name} is not supported", position=position
            )
        return name, tree, replace(item, name="", relation_name="", system=())
    if name == GAP_FILL:
        return name, *bind_gap_fill(walker, nodes, alias, position)
    if is_time_window(name):
        tree, item = bind_time_window(walker, name, nodes, alias, position)
        return nodes[0].name, tree, item  # It is called like the relation whose rows it has.
    is_systems = schema in {"", "pg_catalog", "information_schema"}
    if not (is_systems and is_table_function(name)):
        return _other(walker, schema, whole, name, has_ordinality=has_ordinality)
    if name == "unnest" and len(nodes) > 1:
        return name, *_unnested_together(walker, nodes, alias, has_ordinality=has_ordinality)
    note_effects(walker, name, position)
    given = _arguments(walker, name, nodes)
    function = _with_definition(walker, name, given, definition, position)
    if name == "unnest" and not definition:
        function = by_fields(function)
    return _in_columns(walker, name, function, alias, has_ordinality=has_ordinality)


def _in_columns(
    walker: Walker, name: str, function: TableFunction, alias: str, *, has_ordinality: bool
) -> tuple[str, exp.Expr, FromItem]:
    """Return the rows of a function as a FROM item."""
    columns = list(function.columns)
    inner = walker.statement.new_alias() if has_ordinality else alias
    rows = function.tree
    if function.row_by_row is not None:
        rows = function.row_by_row(walker.statement.new_alias())
    tree = subquery(rows, inner)
    if has_ordinality:
        tree = _numbered(tree, inner, alias, len(columns))
        columns.append(("ordinality", INT8))
    is_value = len(columns) == 1 and not function.gives_records
    return name, tree, replace(_named(alias, columns), is_value=is_value)


def _other(
    walker: Walker, schema: str, call: exp.Expr, name: str, *, has_ordinality: bool
) -> tuple[str, exp.Expr, FromItem]:
    """Return a user's function that gives rows, or any that gives one value, as a FROM item."""
    alias = walker.statement.new_alias()
    candidates = _of_user(walker, schema, name)
    found = None
    if candidates:
        bare = call.expression if isinstance(call, exp.Dot) else call
        arguments = bound_arguments(walker, list(bare.expressions))
        position = walker.position(call)
        found = rows_of_function(walker, candidates, arguments, alias, position)
    if found is None:
        return _scalar(walker, call, alias)
    tree, item = found
    if has_ordinality:
        inner, alias = alias, walker.statement.new_alias()
        tree = _numbered(tree, inner, alias, len(item.columns))
        columns = [(c.name, c.value.type) for c in item.columns]
        item = _named(alias, [*columns, ("ordinality", INT8)])
    return name, tree, item


def _with_definition(
    walker: Walker,
    name: str,
    given: list[Typed],
    definition: Sequence[exp.ColumnDef],
    position: int | None,
) -> TableFunction:
    """Return a function's call, of the columns that are defined for it if it has none itself."""
    if name not in OF_DEFINED_COLUMNS:
        return resolve_table_function(name, given, position=position)
    if not definition:
        raise SqlSyntaxError(
            'a column definition list is required for functions returning "record"',
            position=position,
        )
    pg_type = by_name(name.partition("_")[0])
    holder = coerce(given[0], pg_type, Coercion.IMPLICIT) if len(given) == 1 else None
    if holder is None:
        raise undefined_function(name, given, position)
    find = walker.statement.context.find_type
    target = record([(c.name, resolve_type(c.args["kind"], find)) for c in definition])
    return rows_of_list(target, rows_of_definition(name, holder, target))


def _populated(
    walker: Walker, name: str, given: list[Typed], definition: Sequence[exp.ColumnDef]
) -> TableFunction:
    """Return the call of a function that fills rows, of the columns that are defined for it."""
    find = walker.statement.context.find_type
    target = record([(c.name, resolve_type(c.args["kind"], find)) for c in definition])
    row, holder = given
    holder = coerce(holder, by_name(name.partition("_")[0]), Coercion.IMPLICIT)
    if not row.type.members:
        return rows_of_list(target, rows_of_definition(name, holder, target))
    own = rows_of_definition(name, holder, row.type, row.tree)  # A row knows its columns itself.
    return rows_of_list(target, cast(own, array_of(target).duckdb))


def bind_rows_from(
    walker: Walker,
    calls: Sequence[tuple[exp.Expr, Sequence[exp.ColumnDef]]],
    *,
    has_ordinality: bool,
) -> tuple[exp.Expr, FromItem]:
    """Return the rows of functions side by side, those of the shorter ones filled with NULL.

    With each call come the columns that are defined for it.
    """
    alias, inner = walker.statement.new_alias(), walker.statement.new_alias()
    lists: list[exp.Expr] = []
    shown: list[exp.Expr] = []
    columns: list[tuple[str, PgType]] = []
    for number, (call, definition) in enumerate(calls, 1):
        _, tree, item = bind_table_function(
            walker, call, has_ordinality=False, definition=definition
        )
        count = range(1, len(item.columns) + 1)
        row = fragment(
            "{" + ", ".join(f"'c{i}': _{i - 1}" for i in count) + "}",
            *(column.value.tree.copy() for column in item.columns),
        )
        rows = exp.Select(expressions=[row])
        rows.set("from_", exp.From(this=tree))
        unnested = exp.Unnest(expressions=[exp.Array(expressions=[rows])])
        lists.append(aliased(unnested, f"f{number}"))
        for i, column in zip(count, item.columns, strict=True):
            field = fragment(f"STRUCT_EXTRACT(_0, 'c{i}')", exp.column(f"f{number}", table=inner))
            columns.append((column.name, column.value.type))
            shown.append(aliased(field, f"c{len(columns)}"))
    if has_ordinality:
        columns.append(("ordinality", INT8))
        number_of = exp.Window(this=exp.RowNumber(), over="OVER")
        shown.append(aliased(number_of, f"c{len(columns)}"))
    select = exp.Select(expressions=shown)
    select.set("from_", exp.From(this=subquery(exp.Select(expressions=lists), inner)))
    return subquery(select, alias), _named(alias, columns)


def _of_user(walker: Walker, schema: str, name: str) -> list[Function]:
    """Return the users' functions that a name may mean, if one of them gives rows."""
    is_systems = schema == "pg_catalog" or (not schema and is_function(name))
    candidates = [] if is_systems else user_functions(walker, schema, name)
    return candidates if any(function.returns_rows for function in candidates) else []


def _numbered(tree: exp.Expr, inner: str, alias: str, count: int) -> exp.Subquery:
    """Return a FROM item with a last column that counts its rows."""
    shown = [aliased(exp.column(f"c{i}", table=inner), f"c{i}") for i in range(1, count + 1)]
    number = exp.Window(this=exp.RowNumber(), over="OVER")
    select = exp.Select(expressions=[*shown, aliased(number, f"c{count + 1}")])
    select.set("from_", exp.From(this=tree))
    return subquery(select, alias)


def _unnested_together(
    walker: Walker, nodes: list[exp.Expr], alias: str, *, has_ordinality: bool
) -> tuple[exp.Expr, FromItem]:
    """Return ``unnest(a, b)``: the arrays side by side, the shorter ones filled with NULL."""
    each = [
        by_fields(resolve_table_function("unnest", _arguments(walker, "unnest", [node])))
        for node in nodes
    ]
    inner = walker.statement.new_alias() if has_ordinality else alias
    trees = [shown.this.pop() for function in each for shown in function.tree.expressions]
    select = exp.Select(expressions=[aliased(tree, f"c{i}") for i, tree in enumerate(trees, 1)])
    tree = subquery(select, inner)
    columns = [column for function in each for column in function.columns]
    if has_ordinality:
        tree = _numbered(tree, inner, alias, len(columns))
        columns.append(("ordinality", INT8))
    return tree, _named(alias, columns)


def _scalar(walker: Walker, call: exp.Expr, alias: str) -> tuple[str, exp.Expr, FromItem]:
    """Return a function with one result as a FROM item with one row."""
    value = walker.bind(call)
    name = output_name(call)
    select = exp.Select(expressions=[aliased(value.tree, "c1")])
    if not value.type.is_row:
        return name, subquery(select, alias), _named(alias, [(name, value.type)])
    inner = walker.statement.new_alias()
    shown = [
        aliased(fragment(f"STRUCT_EXTRACT(_0, 'f{i}')", exp.column("c1", table=inner)), f"c{i}")
        for i in range(1, len(value.type.members) + 1)
    ]
    columns = exp.Select(expressions=shown)
    columns.set("from_", exp.From(this=subquery(select, inner)))
    return name, subquery(columns, alias), _named(alias, list(value.type.members))


def _named(alias: str, columns: list[tuple[str, PgType]]) -> FromItem:
    return FromItem(
        alias,
        "",
        tuple(
            ScopeColumn(name, column_of(alias, f"c{i}", pg_type))
            for i, (name, pg_type) in enumerate(columns, 1)
        ),
    )


def note_effects(walker: Walker, name: str, position: int | None) -> None:
    """Note that a function is called which acts on its session.

    Raises:
        FeatureNotSupported: It acts on the session that calls it, and there is none.
    """
    walker.statement.sets_parameters |= name == "set_config"
    if needs_session(name) and walker.statement.context.is_streaming:
        raise FeatureNotSupported(
            f"{name} cannot be used in a materialized view",
            detail="The function acts on the session that calls it.",
            position=position,
        )


def bind_set_function(
    walker: Walker, name: str, nodes: list[exp.Expr], position: int | None
) -> Typed:
    """Return a set-returning function in a SELECT list.

    Raises:
        FeatureNotSupported: It may not stand there.
    """
    value = _set_function(walker, name, nodes, position)
    walker.allow_set(position)
    return value


def _set_function(walker: Walker, name: str, nodes: list[exp.Expr], position: int | None) -> Typed:
    note_effects(walker, name, position)
    arguments = _arguments(walker, name, nodes)
    function = resolve_table_function(name, arguments, position=position)
    if len(function.columns) != 1 or function.gives_records:
        # The lists are taken apart side by side, so that each row has its own of all columns.
        items = zip(function.columns, function.tree.expressions, strict=True)
        return row_of([(column, Typed(item.this, pg_type)) for (column, pg_type), item in items])
    ((_, pg_type),) = function.columns
    return Typed(function.tree.expressions[0].this.pop(), pg_type)


def _arguments(walker: Walker, name: str, nodes: list[exp.Expr]) -> list[Typed]:
    """Return a function's arguments; vectors are arrays but where their bounds matter."""
    values = [walker.bind(node) for node in placed(walker, name, nodes, None)]
    return values if name == "generate_subscripts" else [as_array(value) for value in values]


def standard_name(schema: str, name: str) -> str:
    """Return what the registry calls a function; those of information_schema have it in front."""
    return f"{schema}.{name}" if schema == "information_schema" else name


def _standard_schema(walker: Walker, name: str) -> str:
    """Return the standard's schema where a bare name means a function of it; or an empty one.

    It must be on the search path; RisingWave finds what is in it from everywhere.
    """
    context, schema = walker.statement.context, "information_schema"
    is_found = schema in context.search_path or (
        context.settings.get("compatibility") == "risingwave"
    )
    is_there = is_table_function(standard_name(schema, name)) and not is_table_function(name)
    return schema if is_found and is_there else ""
