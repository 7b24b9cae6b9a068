"""SET of a part of a column: an element or slice of an array, a member of jsonb, a field of a row.

What is assigned is the whole column again, with the part replaced (PostgreSQL 15, chapters 8.14.5,
8.15.4 and 8.16.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog.errors import ArraySubscriptError, DatatypeMismatch, UndefinedColumn
from catalog.types import INT4, JSONB, TEXT, PgType
from server.sql.bind.subscript import jsonb_step, no_slices
from server.sql.bind.walker import Walker
from server.sql.clause import FieldPart, Part, SubscriptPart
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import call, cast, fragment, row_fragment, string
from server.sql.functions.array import inner_type
from server.sql.typed import Typed


def with_part(
    walker: Walker, base: Typed, parts: Sequence[Part], value: Typed, *, column: str
) -> Typed:
    """Return a column's value with another one in a part of it.

    Args:
        walker: Binds the subscripts.
        base: The column as it is.
        parts: Where the part is, from the outside in; none is all of it.
        value: What is put there.
        column: What the column is called.

    Raises:
        DatatypeMismatch: There is no such part, or it is of another type.
        UndefinedColumn: The row has no such field.
    """
    if base.type.domain is not None:
        bare = Typed(base.tree, base.type.bare)
        made = with_part(walker, bare, parts, value, column=column)
        return coerce(made, base.type, Coercion.ASSIGNMENT)
    part, rest = parts[0], parts[1:]
    if isinstance(part, FieldPart):
        return _with_field(walker, base, part, rest, value, column=column)
    if base.type.oid == JSONB.oid:
        return _with_member(walker, base, parts, value, column=column)
    if base.type.element is None:
        raise DatatypeMismatch(
            f"cannot subscript type {base.type.sql_name} because it does not support subscripting",
            position=part.position,
        )
    if part.is_slice:
        return _with_slice(walker, base, part, rest, value, column=column)
    index = _index(walker, part.index, part)
    element = inner_type(base.type)
    if not rest:
        put = _fitting(value, element, part, f'subscripted assignment to "{column}" requires type')
    elif (
        isinstance(rest[0], SubscriptPart) and element.element is None and element.oid != JSONB.oid
    ):
        raise ArraySubscriptError("wrong number of array subscripts")
    else:
        held = Typed(fragment("LIST_EXTRACT(_0, _1)", base.tree.copy(), index.copy()), element)
        put = with_part(walker, held, rest, value, column=column).tree
    listed = fragment("LIST_VALUE(_0)", cast(put, element.duckdb))
    return _joined(base, index, index.copy(), listed)


def _with_field(
    walker: Walker,
    base: Typed,
    part: FieldPart,
    rest: Sequence[Part],
    value: Typed,
    *,
    column: str,
) -> Typed:
    where = f'cannot assign to field "{part.name}" of column "{column}" because'
    if not base.type.members:
        raise DatatypeMismatch(
            f"{where} its type {base.type.sql_name} is not a composite type",
            position=part.position,
        )
    names = [name for name, _ in base.type.members]
    if part.name not in names:
        raise UndefinedColumn(
            f"{where} there is no such column in data type {base.type.sql_name}",
            position=part.position,
        )
    fields: list[exp.Expr] = []
    for number, (name, pg_type) in enumerate(base.type.members, 1):
        tree = fragment(f"STRUCT_EXTRACT(_0, 'f{number}')", base.tree.copy())
        if name == part.name and rest:
            tree = with_part(walker, Typed(tree, pg_type), rest, value, column=column).tree
        elif name == part.name:
            tree = _fitting(value, pg_type, part, f'subfield "{name}" is of type')
        fields.append(cast(tree, pg_type.duckdb))
    return Typed(cast(row_fragment(fields), base.type.duckdb), base.type)


def _with_member(
    walker: Walker, base: Typed, parts: Sequence[Part], value: Typed, *, column: str
) -> Typed:
    path: list[exp.Expr] = []
    begins_with_number = False
    for part in parts:
        if isinstance(part, FieldPart) or part.is_slice:
            raise no_slices(part.position)
        assert part.index is not None
        step = jsonb_step(walker, part.index, part.position)
        begins_with_number |= step.type.oid == INT4.oid and not path
        path.append(cast(step.tree, TEXT.duckdb))
    put = _fitting(value, JSONB, parts[0], f'subscripted assignment to "{column}" requires type')
    tree = call(
        "tg_jsonb_assign",
        *(cast(base.tree, "VARCHAR"), exp.Array(expressions=path)),
        *(exp.true() if begins_with_number else exp.false(), cast(put, "VARCHAR")),
    )
    return Typed(cast(tree, JSONB.duckdb), JSONB)


def _with_slice(
    walker: Walker,
    base: Typed,
    part: SubscriptPart,
    rest: Sequence[Part],
    value: Typed,
    *,
    column: str,
) -> Typed:
    if rest:
        raise ArraySubscriptError("wrong number of array subscripts")
    put = _fitting(value, base.type, part, f'subscripted assignment to "{column}" requires type')
    length = fragment("LEN(_0)", base.tree.copy())
    low = exp.Literal.number("1") if part.index is None else _index(walker, part.index, part)
    high = length if part.upper is None else _index(walker, part.upper, part)
    wide = fragment("_0 - _1 + 1", high, low)
    checked = fragment(
        "CASE WHEN _0 < 0 THEN ERROR(_1) WHEN LEN(_2) < _0 THEN ERROR(_3) "
        "ELSE LIST_SLICE(_2, 1, _0) END",
        *(wide, string("2202E:upper bound cannot be less than lower bound")),
        *(put, string("2202E:source array too small")),
    )
    joined = _joined(base, low, high, checked)
    tree = fragment("CASE WHEN _0 IS NULL THEN _1 ELSE _2 END", put, base.tree, joined.tree)
    return Typed(cast(tree, base.type.duckdb), base.type)


def _joined(base: Typed, low: exp.Expr, high: exp.Expr, put: exp.Expr) -> Typed:
    """Return an array with others in the place of those from ``low`` to ``high``.

    What lies between its end and these is NULL.
    """
    had = fragment("COALESCE(_0, [])", base.tree)
    before = fragment("LIST_RESIZE(LIST_SLICE(_0, 1, _1 - 1), _1 - 1)", had, low)
    after = fragment("LIST_SLICE(_0, _1 + 1, LEN(_0))", had, high)
    tree = fragment(
        "CASE WHEN _0 IS NULL THEN ERROR(_1) WHEN _0 < 1 OR (_0 > 1 AND LEN(_2) = 0) "
        "THEN ERROR(_3) ELSE LIST_CONCAT(LIST_CONCAT(_4, _5), _6) END",
        *(low, string("22004:array subscript in assignment must not be null"), had),
        string("0A000:arrays whose subscripts do not begin with 1 are not supported"),
        *(before, put, after),
    )
    return Typed(cast(tree, base.type.duckdb), base.type)


def _index(walker: Walker, node: exp.Expr | None, part: SubscriptPart) -> exp.Expr:
    assert node is not None
    value = walker.bind(node)
    if not can_coerce(value.type, INT4, Coercion.ASSIGNMENT):
        raise DatatypeMismatch("array subscript must have type integer", position=part.position)
    return coerce(value, INT4, Coercion.ASSIGNMENT, position=part.position).tree


def _fitting(value: Typed, target: PgType, part: Part, what: str) -> exp.Expr:
    """Return a value of a part's type.

    Raises:
        DatatypeMismatch: There is no assignment cast.
    """
    if not can_coerce(value.type, target, Coercion.ASSIGNMENT):
        raise DatatypeMismatch(
            f"{what} {target.sql_name} but expression is of type {value.type.sql_name}",
            hint="You will need to rewrite or cast the expression.",
            position=part.position,
        )
    return cast(coerce(value, target, Coercion.ASSIGNMENT).tree, target.duckdb)
