"""Names of objects as constants: ``'t'::regclass`` and ``'int4'::regtype``."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import PgError, UndefinedClass, UndefinedTable
from catalog.types import OBJECT_TYPES, REGCLASS, REGTYPE, PgType
from server.sql.bind.relation import find_relation
from server.sql.bind.statement import Statement
from server.sql.fragment import cast
from server.sql.object_text import name_parts, type_of_name
from server.sql.typed import Typed
from server.value.array_text import parse_array


def object_constant(
    statement: Statement, text: str, target: PgType, *, position: int | None = None
) -> Typed | None:
    """Return the OID that a name means when it is cast to ``target``; None for other types.

    Raises:
        PgError: There is no such object, or there are several.
    """
    if target.element is not None and target.element in OBJECT_TYPES:
        return _array(statement, text, target, position)
    if target not in OBJECT_TYPES:
        return None
    oid = _oid(statement, text, target, position)
    return Typed(cast(exp.Literal.number(str(oid)), target.duckdb), target)


def _array(statement: Statement, text: str, target: PgType, position: int | None) -> Typed:
    element = target.element
    assert element is not None
    items = parse_array(text, lambda item: _oid(statement, item, element, position))
    trees = [exp.Null() if i is None else exp.Literal.number(str(i)) for i in items]
    return Typed(cast(exp.Array(expressions=trees), target.duckdb), target)


def _oid(statement: Statement, text: str, target: PgType, position: int | None) -> int:
    bare = text.strip()
    if bare.isdigit() or bare == "-":
        return 0 if bare == "-" else int(bare)
    if target == REGTYPE:
        return int(type_of_name(text, statement.context.find_type, position=position).listed_oid)
    if target == REGCLASS:
        *qualifiers, name = name_parts(text, position=position)
        schema = qualifiers[-1] if qualifiers else None
        try:
            return int(find_relation(statement.context, name, schema, position=position).oid)
        except UndefinedTable:
            pass  # An index has a name too.
    try:
        return statement.context.object_oid(target.name, text)
    except UndefinedTable as error:
        raise UndefinedClass(error.message, position=position) from error
    except PgError as error:
        error.position = position
        raise
