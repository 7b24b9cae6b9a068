"""WITH whose queries write, and the statement after it: each a query of its own.

What one gives is kept for those after it, which read it under the name that their trees have for
it. All read their tables as these were before the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from sqlglot import exp

from catalog.errors import DuplicateAlias
from server.sql.bind.bind_query import QueryBinder, binding, output_columns
from server.sql.bind.context import BindContext
from server.sql.bind.delete import delete_in
from server.sql.bind.insert import insert_in
from server.sql.bind.merge import merge_in
from server.sql.bind.query import Cte
from server.sql.bind.result import (
    BoundDelete,
    BoundInsert,
    BoundMerge,
    BoundQuery,
    BoundStep,
    BoundUpdate,
    BoundWriting,
)
from server.sql.bind.statement import Statement
from server.sql.bind.update import update_in
from server.sql.bind.with_query import bind_with, renamed
from server.sql.merge_statement import Merge
from server.sql.query_tree import WRITE
from server.sql.statement import Delete, Insert, Query, Update, Write, WritingWith

_Bound: TypeAlias = BoundQuery | BoundInsert | BoundUpdate | BoundDelete | BoundMerge


def bind_writing(node: WritingWith, context: BindContext) -> BoundWriting:
    """Bind a statement with others in its WITH; what was parsed is left as it is.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, node.text, is_part=True)
    with binding(statement):
        binder = _Binder(statement, node)
        for query in node.with_.expressions:
            binder.add(query)
        main = binder.main()
        statement.is_part = False
        parameters = statement.parameter_types()
    steps = _read_or_writing(binder.steps, main)
    bounds: list[_Bound] = [*(step.bound for step in steps), main]
    return BoundWriting(
        steps,
        main,
        exp.Tuple(expressions=[bound.tree.copy() for bound in bounds]),
        main if isinstance(main, BoundQuery) else main.returning,
        parameters,
        frozenset(statement.depends_on),
        statement.needs,
    )


class _Binder:
    """Binds one query of the clause after the other."""

    def __init__(self, statement: Statement, node: WritingWith) -> None:
        self._statement = statement
        self._node = node
        self._binder = QueryBinder(statement)
        self._known: dict[str, Cte] = {}
        self.steps: list[BoundStep] = []

    def add(self, query: exp.Expr) -> None:
        """Bind a query of the clause.

        Raises:
            DuplicateAlias: Another has its name.
        """
        if query.alias in self._known:
            raise DuplicateAlias(
                f'WITH query name "{query.alias}" specified more than once',
                position=self._statement.position(query.args["alias"]),
            )
        number = query.meta.get(WRITE)
        if number is None:
            self._add_reading(query)
        else:
            self._add_writing(query, self._node.writes[number])

    def main(self) -> _Bound:
        """Bind the statement itself."""
        main = self._node.main
        if not isinstance(main, Query):
            return _bound_write(self._statement, main, self._known)
        query = self._binder.bind(main.tree, None, self._known)
        outputs = query.outputs
        return BoundQuery(self._statement.finish(query.finish()), output_columns(outputs))

    def _add_reading(self, query: exp.Expr) -> None:
        clause = exp.With(
            expressions=[query.copy()], recursive=self._node.with_.args.get("recursive")
        )
        bound, known = bind_with(self._statement, clause, None, self._known, self._binder.bind)
        self._known[query.alias] = cte = known[query.alias]
        names = [exp.column(f"c{place}") for place in range(1, len(cte.columns) + 1)]
        tree = exp.Select(expressions=names)
        tree.set("from_", exp.From(this=exp.Table(this=exp.to_identifier(cte.alias))))
        tree.set("with_", bound)
        read = BoundQuery(self._statement.finish(tree), ())
        self.steps.append(BoundStep(cte.alias, query.alias, read))

    def _add_writing(self, query: exp.Expr, write: Write) -> None:
        bound = _bound_write(self._statement, write, self._known)
        assert not isinstance(bound, BoundMerge)
        alias = self._statement.new_alias()
        if bound.returning is None:
            self._known[query.alias] = Cte(alias, (), is_silent=True)
        else:
            columns = [(column.name, column.type) for column in bound.returning.columns]
            self._known[query.alias] = Cte(alias, renamed(self._statement, query, columns))
        self.steps.append(BoundStep(alias, query.alias, bound))


def _bound_write(
    statement: Statement, node: Write, ctes: Mapping[str, Cte]
) -> BoundInsert | BoundUpdate | BoundDelete | BoundMerge:
    match node:
        case Insert():
            return insert_in(statement, node, ctes)
        case Update():
            return update_in(statement, node, ctes)
        case Delete():
            return delete_in(statement, node, ctes)
        case Merge():
            return merge_in(statement, node, ctes)


def _read_or_writing(steps: list[BoundStep], main: _Bound) -> tuple[BoundStep, ...]:
    """Return the steps without those that only read and that nobody reads."""
    kept: list[BoundStep] = []
    read = _read_by(main)
    for step in reversed(steps):
        if isinstance(step.bound, BoundQuery) and step.item not in read:
            continue
        kept.append(step)
        read |= _read_by(step.bound)
    return tuple(reversed(kept))


def _read_by(bound: _Bound) -> set[str]:
    trees = [bound.tree]
    if not isinstance(bound, BoundQuery) and bound.returning is not None:
        trees.append(bound.returning.tree)
    if isinstance(bound, BoundInsert) and bound.conflict is not None and bound.conflict.update:
        trees.append(bound.conflict.update)
    return {table.name for tree in trees for table in tree.find_all(exp.Table)}
