"""Constants, parameters, columns, casts, CASE, arrays and the other forms of expressions."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from catalog.collation import find_collation, refuse_collation
from catalog.errors import (
    CannotCoerce,
    DatatypeMismatch,
    FeatureNotSupported,
    IndeterminateDatatype,
    PgError,
    SqlSyntaxError,
    UndefinedFunction,
    UndefinedParameter,
)
from catalog.types import BIT, BOOL, JSON, JSONB, VECTORS, PgType, array_of
from catalog.written_numeric import plain_type
from server.sql.bind.call import catalog_function, is_empty_map
from server.sql.bind.null_test import null_test, row_fields
from server.sql.bind.object_name import object_constant
from server.sql.bind.operator_node import compare_rows
from server.sql.bind.quantified import in_list, in_subquery
from server.sql.bind.relation import qualified_column
from server.sql.bind.scope import FromItem, Scope
from server.sql.bind.session_function import word_value
from server.sql.bind.type_name import interval_of_fields, resolve_type
from server.sql.bind.walker import ROW_COMPARISON, Walker, again, handles, joined, operand, settled
from server.sql.bind.whole_row import whole_row
from server.sql.coercion import Coercion, coerce, default_typed
from server.sql.common_type import common_type
from server.sql.fragment import call, cast, string
from server.sql.functions.array import inner_type
from server.sql.functions.conditional import case
from server.sql.functions.map import empty_map
from server.sql.literals import boolean_literal, null_literal, number_literal, string_literal
from server.sql.operators import OPERATOR_ERRORS, binary
from server.sql.other_way import OTHER_DATABASE
from server.sql.text_input import constant, interval_constant
from server.sql.typed import POSITION, Typed
from server.value.style import current_style


@handles(exp.Literal)
def _bind_literal(walker: Walker, node: exp.Expr) -> Typed:
    if node.is_string:
        return _placed(string_literal(node.name), walker.position(node))
    return number_literal(node.name, position=walker.position(node))


@handles(exp.ByteString, exp.RawString, exp.National, exp.UnicodeString)
def _bind_escaped_string(walker: Walker, node: exp.Expr) -> Typed:
    """Bind E'...', $$...$$, N'...' and U&'...'; the tokenizer has taken the escapes out."""
    return _placed(string_literal(node.name), walker.position(node))


@handles(exp.BitString, exp.HexString)
def _bind_bits(walker: Walker, node: exp.Expr) -> Typed:
    letter = "B" if isinstance(node, exp.BitString) else "X"
    return constant(f"{letter}{node.name}", BIT, position=walker.position(node))


@handles(exp.Null)
def _bind_null(walker: Walker, node: exp.Expr) -> Typed:  # noqa: ARG001
    return null_literal()


@handles(exp.Boolean)
def _bind_boolean(walker: Walker, node: exp.Expr) -> Typed:  # noqa: ARG001
    return boolean_literal(value=bool(node.this))


@handles(exp.Parameter, exp.Placeholder)
def _bind_parameter(walker: Walker, node: exp.Expr) -> Typed:
    if not node.name.isdigit():
        raise SqlSyntaxError.near("?", position=walker.position(node))
    try:
        return _placed(walker.statement.parameter(int(node.name)), walker.position(node))
    except UndefinedParameter as error:
        error.position = walker.position(node)
        raise


@handles(exp.Concat)
def _bind_adjacent_strings(walker: Walker, node: exp.Expr) -> Typed:
    """Bind 'a' 'b', one constant over several lines."""
    pieces = [walker.bind(piece).constant_text for piece in node.expressions]
    assert None not in pieces, node
    return _placed(string_literal("".join(piece or "" for piece in pieces)), walker.position(node))


@handles(exp.Column)
def _bind_column(walker: Walker, node: exp.Expr) -> Typed:
    name, table = node.name, node.args.get("table")
    position = walker.position(node)
    if isinstance(node.this, exp.Star):
        if table is not None:
            item = walker.scope.item(table.name, position=position)
            return whole_row(walker, item)
        raise FeatureNotSupported('row expansion via "*" is not supported here', position=position)
    if node.args.get("catalog") is not None:
        database = node.args["catalog"].name
        if database != walker.statement.context.catalog.database:
            raise FeatureNotSupported(
                "cross-database references are not implemented: "
                f"{database}.{node.text('db')}.{node.text('table')}.{name}",
                hint=OTHER_DATABASE,
                position=position,
            )
    if table is not None:
        found = qualified_column(walker.statement, walker.scope, node, position)
        return _placed(again(found.value), position)
    bare = walker.scope.find(name, position=position)
    if bare is None:
        word = None if node.this.args.get("quoted") else word_value(walker, name)
        if word is not None:
            return word
        row = _whole_row(walker.scope, name)
        if row is not None:
            for column in row.columns:
                walker.statement.note_read(column)
            return whole_row(walker, row)
        bare = walker.scope.column(name, position=position)
    walker.statement.note_read(bare)
    return _placed(again(bare.value), position)


def _whole_row(scope: Scope, name: str) -> FromItem | None:
    """Return the FROM item of that name, which is not the name of a column."""
    found: Scope | None = scope
    while found is not None:
        for item in found.items:
            if item.name == name:
                return item
        found = found.outer
    return None


def _placed(value: Typed, position: int | None) -> Typed:
    """Return a constant or the reading of a column, which remembers where it was written."""
    if position is not None:
        value.tree.meta[POSITION] = position
    return value


@handles(exp.Cast)
def _bind_cast(walker: Walker, node: exp.Expr) -> Typed:
    try:
        target = resolve_type(node.args["to"], walker.statement.context.find_type)
    except PgError as error:
        error.position = walker.type_position(node)
        raise
    inner = node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.Array) and target.element is not None and not _is_query(inner):
        made = _array_of(walker, inner, target.bare)
        return coerce(made, target, Coercion.EXPLICIT)
    if target.entry is not None and is_empty_map(inner):
        return empty_map(target)
    value = walker.bind(inner)
    if value.is_unknown and value.constant_text is not None:
        named = object_constant(
            walker.statement, value.constant_text, target, position=walker.position(inner)
        )
        if named is not None:
            return named
    try:
        return coerce(value, target, Coercion.EXPLICIT)
    except CannotCoerce as error:
        error.position = walker.cast_position(node)
        raise


@handles(exp.Interval)
def _bind_interval(walker: Walker, node: exp.Expr) -> Typed:
    fields = "" if node.args.get("unit") is None else node.args["unit"].name.lower()
    value = interval_constant(node.name, fields, position=walker.position(node))
    pg_type = interval_of_fields(f"interval {fields}") if fields else None
    return value if pg_type is None else replace(value, type=pg_type)


@handles(exp.Case)
def _bind_case(walker: Walker, node: exp.Expr) -> Typed:
    with walker.without_sets("CASE"):
        return _case(walker, node)


def _case(walker: Walker, node: exp.Expr) -> Typed:
    subject = None if node.this is None else settled(walker.bind(node.this))
    conditions: list[Typed] = []
    values: list[Typed] = []
    for branch in node.args["ifs"]:
        if subject is None:
            conditions.append(Typed(walker.condition(branch.this, "CASE/WHEN"), BOOL))
        else:
            conditions.append(_equal_to_subject(walker, again(subject), branch.this))
        values.append(walker.bind(branch.args["true"]))
    nodes = [branch.args["true"] for branch in node.args["ifs"]]
    default = node.args.get("default")
    if default is not None:
        values.append(walker.bind(default))
        nodes.append(default)
    return case(conditions, values, at=lambda i: walker.position(nodes[i]))


def _equal_to_subject(walker: Walker, subject: Typed, node: exp.Expr) -> Typed:
    """Bind what stands after WHEN of ``CASE subject WHEN``."""
    before = walker.sets
    tested = walker.bind(node)
    walker.refuse_sets(before, "CASE/WHEN", node)
    try:
        return binary("=", subject, tested)
    except OPERATOR_ERRORS as error:
        error.position = walker.word_position(node, "when")
        raise


@handles(exp.In)
def _bind_in(walker: Walker, node: exp.Expr) -> Typed:
    query = node.args.get("query")
    fields = row_fields(node.this)
    before = walker.sets
    if query is not None:
        lefts = [walker.bind(field) for field in (fields or [node.this])]
        walker.refuse_sets(before, ROW_COMPARISON, node)
        return in_subquery(walker, lefts, query.this, walker.sign_position(node.this))
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
        lefts = [walker.bind(field) for field in (fields or [node.this])]
        walker.refuse_sets(before, ROW_COMPARISON, node)
        values = exp.Values(expressions=node.expressions[0].expressions)
        return in_subquery(walker, lefts, values, walker.sign_position(node.this))
    if fields is not None:
        found = _in_rows(walker, fields, node.expressions, walker.sign_position(node.this))
        walker.refuse_sets(before, ROW_COMPARISON, node)
        return found
    left = walker.bind(node.this)
    items = [walker.bind(item) for item in node.expressions]
    if walker.sets != before and not _is_array(items):
        walker.refuse_sets(before, "IN", node)
    try:
        return in_list(left, items, None)
    except OPERATOR_ERRORS as error:
        error.position = walker.sign_position(node.this)
        raise


def _is_array(items: list[Typed]) -> bool:
    """Whether what stands in an IN is an array to PostgreSQL, as several constants are."""
    return len(items) > 1 and not any(item.tree.find(exp.Column) for item in items)


def _in_rows(
    walker: Walker, fields: list[exp.Expr], rows: list[exp.Expr], position: int | None
) -> Typed:
    left = [walker.bind(field) for field in fields]
    tests: list[exp.Expr] = []
    for row in rows:
        right = row_fields(row)
        if right is None:
            raise SqlSyntaxError("row comparisons need two row expressions", position=position)
        bound = [walker.bind(field) for field in right]
        tests.append(compare_rows("=", [again(v) for v in left], bound, position).tree)
    return Typed(joined(exp.Or, tests), BOOL)


@handles(exp.Between)
def _bind_between(walker: Walker, node: exp.Expr) -> Typed:
    before = walker.sets
    try:
        value, low = walker.bind(node.this), walker.bind(node.args["low"])
        above = binary(">=", again(value), again(low)).tree
        high = walker.bind(node.args["high"])
        value = _once_more(walker, node.this, value)
        tree = _both(above, binary("<=", again(value), again(high)).tree)
        if node.args.get("symmetric"):
            low, high = (
                _once_more(walker, node.args[side], bound)
                for side, bound in (("low", low), ("high", high))
            )
            above = binary(">=", again(value), again(high)).tree
            other = _both(above, binary("<=", again(value), again(low)).tree)
            tree = joined(exp.Or, [tree, other])
    except OPERATOR_ERRORS as error:
        error.position = error.position or walker.sign_position(node.this)
        raise
    walker.refuse_sets(before, "AND", node)
    return Typed(tree, BOOL)


def _once_more(walker: Walker, node: exp.Expr, value: Typed) -> Typed:
    """Return the value of a node; a parameter may have got its type since it was bound."""
    return value if value.parameter is None else walker.bind(node)


def _both(above: exp.Expr, below: exp.Expr) -> exp.Expr:
    if isinstance(above, exp.GTE) and isinstance(below, exp.LTE) and above.this == below.this:
        return exp.Between(this=above.this, low=above.expression, high=below.expression)
    return joined(exp.And, [above, below])


@handles(exp.Is)
def _bind_is(walker: Walker, node: exp.Expr) -> Typed:
    what = node.expression
    if isinstance(what, exp.Null):
        return null_test(walker, node.this)
    if isinstance(what, exp.Boolean):
        word = "IS TRUE" if what.this else "IS FALSE"
        condition = walker.condition(node.this, word)
        return Typed(exp.Is(this=operand(condition), expression=what.copy()), BOOL)
    if isinstance(what, exp.JSON):
        return _is_json(walker, node, what)
    condition = walker.condition(node.this, "IS UNKNOWN")
    return Typed(exp.Is(this=operand(condition), expression=exp.Null()), BOOL)


def _is_json(walker: Walker, node: exp.Expr, wanted: exp.JSON) -> Typed:
    """Return ``text IS JSON``, of a kind of values if one is named.

    Raises:
        DatatypeMismatch: It is no text.
    """
    value = default_typed(walker.bind(node.this))
    if value.type.oid not in {JSON.oid, JSONB.oid} and value.type.category != "S":
        raise DatatypeMismatch(
            f"cannot use type {value.type.sql_name} in IS JSON predicate",
            position=walker.position(node.this),
        )
    kind = str(wanted.this or "VALUE").upper()
    is_unique = exp.Boolean(this=bool(wanted.args.get("with_") and wanted.args.get("unique")))
    text = cast(value.tree, "VARCHAR")
    return Typed(call("tg_is_json", text, string(kind), is_unique), BOOL)


@handles(exp.Array)
def _bind_array(walker: Walker, node: exp.Expr) -> Typed:
    if _is_query(node):
        return _array_from_query(walker, node.expressions[0])
    if not node.expressions:
        raise IndeterminateDatatype(
            "cannot determine type of empty array",
            hint="Explicitly cast to the desired type, for example ARRAY[]::integer[].",
            position=walker.position(node),
        )
    values = [walker.bind(item) for item in node.expressions]
    element = common_type(values, "ARRAY", at=lambda i: walker.position(node.expressions[i]))
    _refuse_vectors(element, walker.position(node))
    trees = [coerce(value, element, Coercion.IMPLICIT).tree for value in values]
    target = array_of(element)
    return _matched(Typed(cast(exp.Array(expressions=trees), target.duckdb), target))


def _refuse_vectors(element: PgType, position: int | None) -> None:
    """Raise FeatureNotSupported for an array of vectors, which are arrays to the engine."""
    if element.oid in VECTORS:
        raise FeatureNotSupported(
            f"arrays of {element.sql_name} are not supported", position=position
        )


def _matched(value: Typed) -> Typed:
    """Return an array whose inner arrays have equal lengths, as will be seen when it is made."""
    if value.type.dimensions < 2:
        return value
    if current_style().is_peer:
        return value  # To RisingWave these are lists of lists, as long as they are.
    return Typed(call("tg_matched", value.tree), value.type)


def _array_of(walker: Walker, node: exp.Expr, target: PgType) -> Typed:
    """Bind ARRAY[...]::type, whose elements are cast one by one."""
    assert target.element is not None
    element = target.element
    trees: list[exp.Expr] = []
    for item in node.expressions:
        inner = item
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Array) and not _is_query(inner):
            nested = inner_type(target) if target.dimensions > 1 else target
            value = _array_of(walker, inner, nested)
            target = array_of(value.type)
            trees.append(value.tree)
        else:
            position = walker.position(item)
            value = walker.bind(item)
            trees.append(coerce(value, element, Coercion.EXPLICIT, position=position).tree)
    return _matched(Typed(cast(exp.Array(expressions=trees), target.duckdb), target))


def _is_query(node: exp.Expr) -> bool:
    return len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Query)


def _array_from_query(walker: Walker, query: exp.Expr) -> Typed:
    result = walker.bind_subquery(query, walker.scope, walker.ctes)
    if len(result.outputs) != 1:
        raise SqlSyntaxError(
            "subquery must return only one column", position=walker.position(query.parent)
        )
    element = plain_type(result.outputs[0].settled_type)
    _refuse_vectors(element, walker.position(query.parent))
    return Typed(exp.Array(expressions=[result.finish([element])]), array_of(element))


@handles(exp.Collate)
def _bind_collate(walker: Walker, node: exp.Expr) -> Typed:
    name = node.expression.name
    if isinstance(node.expression, exp.Dot):
        name = node.expression.expression.name
    position = walker.sign_position(node.this, ("collate",))
    find_collation(name, position=position)
    value = walker.bind(node.this)
    if not value.is_unknown:  # A constant gets its type from what is around it.
        refuse_collation(value.type, position=position)
    return value


@handles(exp.AtTimeZone)
def _bind_at_time_zone(walker: Walker, node: exp.Expr) -> Typed:
    arguments = [walker.bind(node.args["zone"]), walker.bind(node.this)]
    try:
        return catalog_function("timezone", arguments, position=None)
    except UndefinedFunction as error:
        error.position = walker.sign_position(node.this, ("at",))
        raise


@handles(exp.Extract)
def _bind_extract(walker: Walker, node: exp.Expr) -> Typed:
    part = string_literal(node.this.name.lower())
    arguments = [part, walker.bind(node.expression)]
    return catalog_function("extract", arguments, position=walker.position(node))


@handles(exp.StrPosition)
def _bind_position(walker: Walker, node: exp.Expr) -> Typed:
    """Bind POSITION(a IN b)."""
    arguments = [walker.bind(node.this), walker.bind(node.args["substr"])]
    return catalog_function("position", arguments, position=walker.position(node))


@handles(exp.Substring)
def _bind_substring(walker: Walker, node: exp.Expr) -> Typed:
    nodes = [node.this, node.args.get("start"), node.args.get("length")]
    if nodes[1] is None and nodes[2] is not None:
        nodes[1] = exp.Literal.number("1")
    arguments = [walker.bind(argument) for argument in nodes if argument is not None]
    return catalog_function("substring", arguments, position=walker.position(node))


@handles(exp.Trim)
def _bind_trim(walker: Walker, node: exp.Expr) -> Typed:
    side = str(node.args.get("position") or "BOTH").upper()
    name = {"LEADING": "ltrim", "TRAILING": "rtrim", "BOTH": "btrim"}[side]
    nodes = [node.this, node.args.get("expression")]
    arguments = [walker.bind(argument) for argument in nodes if argument is not None]
    return catalog_function(name, arguments, position=walker.position(node))


@handles(exp.Overlay)
def _bind_overlay(walker: Walker, node: exp.Expr) -> Typed:
    nodes = [node.args.get(key) for key in ("this", "expression", "from_", "for_")]
    arguments = [walker.bind(argument) for argument in nodes if argument is not None]
    return catalog_function("overlay", arguments, position=walker.position(node))


@handles(exp.Overlaps)
def _bind_overlaps(walker: Walker, node: exp.Expr) -> Typed:
    left, right = row_fields(node.this), row_fields(node.expression)
    if left is None or right is None or len(left) != 2 or len(right) != 2:
        raise SqlSyntaxError(
            "wrong number of parameters on left side of OVERLAPS expression",
            position=walker.position(node),
        )
    arguments = [walker.bind(field) for field in (*left, *right)]
    return catalog_function("overlaps", arguments, position=walker.position(node))


@handles(exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Values)
def _bind_scalar_subquery(walker: Walker, node: exp.Expr) -> Typed:
    result = walker.bind_subquery(node, walker.scope, walker.ctes)
    if len(result.outputs) != 1:
        raise SqlSyntaxError("subquery must return only one column", position=walker.position(node))
    return Typed(exp.Subquery(this=result.finish()), result.outputs[0].settled_type)


@handles(exp.Exists)
def _bind_exists(walker: Walker, node: exp.Expr) -> Typed:
    result = walker.bind_subquery(node.this, walker.scope, walker.ctes)
    return Typed(exp.Exists(this=result.finish()), BOOL)
