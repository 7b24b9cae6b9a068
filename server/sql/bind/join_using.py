"""JOIN ... USING and NATURAL JOIN: the columns that two sides have in common become one."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from catalog.errors import InvalidColumnReference, UndefinedColumn
from server.sql.bind.scope import Scope, ScopeColumn
from server.sql.coercion import Coercion, coerce
from server.sql.common_type import common_type
from server.sql.operators import binary
from server.sql.typed import Typed
from server.sql.written_numeric import value_of


def merged_by(left: Scope, right: Scope, names: list[str], side: str) -> exp.Expr:
    """Merge the columns that USING names; they come first, as PostgreSQL has it."""
    merged: list[ScopeColumn] = []
    conditions: list[exp.Expr] = []
    for name in names:
        a = _using_column(left, name, "left")
        b = _using_column(right, name, "right")
        conditions.append(binary("=", _copy(a.value), _copy(b.value)).tree)
        merged.append(_merged_column(a, b, side))
    rest = [c for c in left.visible if c.name not in names]
    others = [c for c in right.visible if c.name not in names]
    left.merge(right)
    left.visible = [*merged, *rest, *others]
    tree = conditions[0]
    for condition in conditions[1:]:
        tree = exp.And(this=tree, expression=condition)
    return tree


def shared_names(left: Scope, right: Scope) -> list[str]:
    """Return the names of the columns that both sides have, in the order of the left one's."""
    there = {column.name for column in right.visible}
    return list(dict.fromkeys(c.name for c in left.visible if c.name in there))


def _using_column(scope: Scope, name: str, side: str) -> ScopeColumn:
    found = [column for column in scope.visible if column.name == name]
    if not found:
        raise UndefinedColumn(
            f'column "{name}" specified in USING clause does not exist in {side} table'
        )
    if len(found) > 1:
        raise InvalidColumnReference(
            f'common column name "{name}" appears more than once in {side} table'
        )
    return found[0]


def _merged_column(left: ScopeColumn, right: ScopeColumn, side: str) -> ScopeColumn:
    target = common_type([left.value, right.value], "JOIN/USING")
    a, b = (coerce(_copy(c.value), target, Coercion.IMPLICIT) for c in (left, right))
    if side == "FULL":
        tree = exp.Coalesce(this=a.tree, expressions=[b.tree])
        return ScopeColumn(left.name, Typed(tree, target))
    kept, value = (right, b) if side == "RIGHT" else (left, a)
    return replace(kept, value=value)


def _copy(value: Typed) -> Typed:
    return value_of(Typed(value.tree.copy(), value.type))
