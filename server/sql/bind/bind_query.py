"""Binding a whole query: the entry, and the dispatch over the kinds of queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlglot import exp

from catalog.errors import FeatureNotSupported, StatementTooComplex

# Handlers of expressions register themselves when they are imported.
from server.sql.bind import call, operator_node, primary, subscript, window  # noqa: F401
from server.sql.bind.context import BindContext
from server.sql.bind.limit import limited
from server.sql.bind.ordering import bind_order, check_common_order
from server.sql.bind.query import Cte, Output, Query, outputs_of, subquery
from server.sql.bind.result import BoundQuery, OutputColumn
from server.sql.bind.scope import FromItem, Scope, ScopeColumn
from server.sql.bind.select import bind_select
from server.sql.bind.set_operation import bind_set_operation, bind_values
from server.sql.bind.statement import Statement
from server.sql.bind.walker import Walker
from server.sql.bind.with_query import bind_with
from server.sql.coercion import parameters_reported_to
from server.sql.known import values_asked_of
from server.sql.query_tree import TEXT
from server.sql.volatility import is_volatile


def bind_query(tree: exp.Expr, context: BindContext) -> BoundQuery:
    """Bind a SELECT, VALUES or set operation; the parsed tree is left as it is.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, tree.meta.get(TEXT, ""))
    with binding(statement):
        query = QueryBinder(statement).bind(tree, None, {})
        outputs = query.outputs
        bound = statement.finish(query.finish())
    return BoundQuery(
        bound,
        output_columns(outputs),
        statement.parameter_types(),
        frozenset(statement.depends_on),
        is_volatile(bound),
        statement.needs,
        frozenset(statement.functions),
    )


@contextmanager
def binding(statement: Statement) -> Iterator[None]:
    """Collect parameters' types; what is nested too deeply for the stack is a client's error."""
    try:
        with (
            parameters_reported_to(statement.set_parameter),
            values_asked_of(statement.context.wanted.add),
        ):
            yield
    except RecursionError as e:
        raise StatementTooComplex(
            "stack depth limit exceeded", hint="Nest the statement's expressions less deeply."
        ) from e


def output_columns(outputs: Sequence[Output]) -> tuple[OutputColumn, ...]:
    """Return what a client sees of a query's columns."""
    return tuple(
        [
            OutputColumn(output.name, output.settled_type, output.relation_oid, output.number)
            for output in outputs
        ]
    )


class QueryBinder:
    """Binds the queries of one statement."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement

    def bind(self, node: exp.Expr, outer: Scope | None, ctes: Mapping[str, Cte]) -> Query:
        """Bind a query of any kind; ``outer`` is what it may refer to.

        Raises:
            FeatureNotSupported: It is no query.
        """
        while isinstance(node, (exp.Paren, exp.Subquery)) and not _has_modifiers(node):
            node = node.this
        with_ = node.args.get("with_")
        bound_with: exp.With | None = None
        if with_ is not None:
            bound_with, ctes = bind_with(self._statement, with_, outer, ctes, self.bind)
        query = self._bind_body(node, outer, ctes)
        if bound_with is not None:
            query.add_with(bound_with)
        return query

    def _bind_body(self, node: exp.Expr, outer: Scope | None, ctes: Mapping[str, Cte]) -> Query:
        match node:
            case exp.Select():
                return bind_select(self._statement, node, outer, ctes, self.bind)
            case exp.SetOperation():
                body: Query = bind_set_operation(self._statement, node, outer, ctes, self.bind)
            case exp.Values():
                body = bind_values(self._statement, node, outer, ctes, self.bind)
            case exp.Subquery():
                body = self.bind(node.this, outer, ctes)
            case _:
                raise FeatureNotSupported(
                    f"{node.key.upper()} is not supported as a query",
                    position=self._statement.position(node),
                )
        if _has_modifiers(node):
            return self._sorted(node, body, outer, ctes)
        return body

    def _sorted(
        self, node: exp.Expr, body: Query, outer: Scope | None, ctes: Mapping[str, Cte]
    ) -> Query:
        """Put ORDER BY and LIMIT around a query that has no place for them itself."""
        alias = self._statement.new_alias()
        outputs = outputs_of(alias, body.outputs)
        columns = tuple(ScopeColumn(output.name, output.value) for output in outputs)
        scope = Scope(outer=outer)
        scope.add(FromItem(alias, "", columns))
        walker = Walker(self._statement, scope, self.bind, ctes, self._statement.new_level())
        select = exp.Select()
        select.set("from_", exp.From(this=subquery(body.finish(), alias)))
        order = node.args.get("order")
        if order is not None:
            keys = bind_order(
                walker, order, outputs, has_own_keys=not isinstance(node, exp.SetOperation)
            )
            if isinstance(node, exp.SetOperation):
                check_common_order(walker, keys, outputs, [item.this for item in order.expressions])
            select.set("order", exp.Order(expressions=keys))
        return limited(walker, node, select, outputs)


def _has_modifiers(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("order", "limit", "offset", "with_"))
