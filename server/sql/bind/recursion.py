"""Where a query in WITH RECURSIVE may be named (PostgreSQL's parse_cte.c)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, InvalidRecursion
from server.sql.bind.statement import Statement

#: What stands behind a recursive query's UNION and is refused, and what it is called.
_DECORATION: Final = {
    "order": "ORDER BY",
    "offset": "OFFSET",
    "limit": "LIMIT",
}
#: What a join has and a comma, behind which another list of joins begins, has not.
_OF_JOINS: Final = ("kind", "side", "method", "on", "using")
_FROM_ITEMS: Final = (
    exp.From,
    exp.Join,
    exp.Lateral,
    exp.Subquery,
    exp.Paren,
    exp.SetOperation,
    exp.CTE,
)


def references(query: exp.Expr, name: str) -> Iterator[exp.Table]:
    """Yield where a query names another of its WITH."""
    for table in query.find_all(exp.Table):
        if table.name == name and not table.args.get("db"):
            yield table


def in_order(statement: Statement, nodes: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Return the queries of a WITH RECURSIVE such that each comes after those that it names.

    Raises:
        FeatureNotSupported: Two of them name each other.
    """
    pending, found = list(nodes), list[exp.Expr]()
    while pending:
        names = [node.alias for node in pending]
        ready = next((node for node in pending if not _waits(node, names)), None)
        if ready is None:
            raise FeatureNotSupported(
                "mutual recursion between WITH items is not implemented",
                position=statement.position(pending[0].args["alias"]),
            )
        pending.remove(ready)
        found.append(ready)
    return found


def _waits(node: exp.Expr, names: list[str]) -> bool:
    return any(any(references(node.this, name)) for name in names if name != node.alias)


def check_recursion(statement: Statement, union: exp.Expr, name: str, position: int | None) -> None:
    """Refuse a query that names itself where PostgreSQL does not let it.

    Raises:
        InvalidRecursion: It has another shape than two parts, of which the second names it once, or
            does so where rows could be taken away again by what it is.
        FeatureNotSupported: It is sorted or cut off.
    """
    if not isinstance(union, exp.Union):
        raise InvalidRecursion(
            f'recursive query "{name}" does not have the form '
            "non-recursive-term UNION [ALL] recursive-term",
            position=position,
        )
    for table in references(union.this, name):
        raise _refused(statement, table, "must not appear within its non-recursive term")
    for number, table in enumerate(references(union.expression, name)):
        if (place := _forbidden_place(table, union)) is not None:
            raise _refused(statement, table, f"must not appear within {place}")
        if number:
            raise _refused(statement, table, "must not appear more than once")
    for clause, words in _DECORATION.items():
        if union.args.get(clause):
            raise FeatureNotSupported(f"{words} in a recursive query is not implemented")
    if union.expression.args.get("locks"):  # They belong to the whole.
        raise FeatureNotSupported("FOR UPDATE/SHARE in a recursive query is not implemented")


def _refused(statement: Statement, table: exp.Table, why: str) -> InvalidRecursion:
    return InvalidRecursion(
        f'recursive reference to query "{table.name}" {why}', position=statement.position(table)
    )


def _forbidden_place(table: exp.Table, union: exp.Expr) -> str | None:
    """Return what a name stands in that is not allowed, beginning with what is next to it."""
    node: exp.Expr = table
    place = "an outer join" if _is_left_of_outer(node, -1) else None
    while place is None and node is not union.expression:
        above = node.parent
        assert above is not None
        if isinstance(above, exp.Except) and node.arg_key == "expression":
            place = "EXCEPT"
        elif isinstance(above, exp.Intersect) and above.args.get("distinct") is False:
            place = "INTERSECT"
        elif isinstance(node, exp.Query) and not isinstance(above, _FROM_ITEMS):
            place = "a subquery"
        elif isinstance(above, exp.Join):
            is_outer = str(above.args.get("side") or "") in {"LEFT", "FULL"}
            place = "an outer join" if is_outer or _is_left_of_joined(above) else None
        elif isinstance(node, exp.From) and _is_left_of_outer(above, -1):
            place = "an outer join"
        node = above
    return place


def _is_left_of_joined(join: exp.Join) -> bool:
    assert join.parent is not None
    assert join.index is not None
    return _is_left_of_outer(join.parent, join.index)


def _is_left_of_outer(owner: exp.Expr, index: int) -> bool:
    """Whether a later join may have rows without what stands before the join of that number."""
    later = (owner.args.get("joins") or [])[index + 1 :]
    same = takewhile(lambda join: any(join.args.get(key) for key in _OF_JOINS), later)
    return any(str(join.args.get("side") or "") in {"RIGHT", "FULL"} for join in same)
