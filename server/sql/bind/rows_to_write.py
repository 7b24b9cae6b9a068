"""The rows that UPDATE and DELETE find: the target joined with the other items, filtered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder
from server.sql.bind.from_item import FromBinder
from server.sql.bind.query import Cte, SelectQuery
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.target import Target, bind_returning, read_target, stored_column
from server.sql.bind.walker import Walker
from server.sql.bind.with_query import bind_with


class RowsToWrite:
    """A SELECT over the rows to write, still without projections.

    Attributes:
        alias: The target's alias in it.
        others: What else can be named.
        walker: Binds expressions over the target and the other items.
    """

    def __init__(
        self,
        statement: Statement,
        target: Target,
        name: str | None,
        others: exp.Select | None,
        with_: exp.With | None,
        *,
        ctes: Mapping[str, Cte],
    ) -> None:
        self._statement, self._target, self._name = statement, target, name
        self.binder = QueryBinder(statement)
        self.ctes = ctes
        self.others: Scope | None = None
        self.select = exp.Select()
        if with_ is not None:
            bound_with, self.ctes = bind_with(statement, with_, None, ctes, self.binder.bind)
            self.select.set("with_", bound_with)
        self.alias = statement.new_alias()
        rows, item = read_target(statement, target, self.alias, name)
        self.select.set("from_", exp.From(this=rows))
        scope = Scope()
        scope.add(item)
        level = statement.new_level()
        if others is not None:
            from_binder = FromBinder(statement, None, self.ctes, self.binder.bind, level)
            joins = list(others.args.get("joins") or ())
            from_, more, seen = from_binder.bind(others.args["from_"].this, joins)
            self.others = seen
            scope.merge(seen)
            self.select.set("joins", [exp.Join(this=from_.this, kind="CROSS"), *more])
            # A row that is paired with several others is written once.
            keys = [stored_column(target, column, self.alias) for column in target.table.key]
            self.select.set("distinct", exp.Distinct(on=exp.Tuple(expressions=keys)))
        self.walker = Walker(statement, scope, self.binder.bind, self.ctes, level, places.WHERE)

    def bind_where(self, node: exp.Expr | None) -> None:
        """Bind WHERE."""
        if node is not None:
            condition = self.walker.condition(node, "WHERE")
            self.select.set("where", exp.Where(this=condition))

    def bind_returning(self, nodes: Sequence[exp.Expr]) -> SelectQuery | None:
        """Bind RETURNING, which may name the other items too."""
        return bind_returning(
            self._statement,
            self.binder,
            self._target,
            nodes,
            self.ctes,
            name=self._name,
            others=self.others,
        )
