"""UNION, INTERSECT and EXCEPT, and VALUES as a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from catalog.types import NUMERIC
from catalog.written_numeric import WRITTEN_NUMERIC
from server.sql.bind import walker as places
from server.sql.bind.corresponding import corresponding
from server.sql.bind.query import Cte, Output, Query, SetQuery, ValuesQuery
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.walker import BindSubquery, Walker
from server.sql.coercion import Coercion, coerce
from server.sql.common_type import common_type
from server.sql.typed import Typed
from server.sql.written_numeric import is_stored_with_scale, scale_code_of

_MODIFIERS = ("order", "limit", "offset", "with_")


def bind_set_operation(
    statement: Statement,
    node: exp.SetOperation,
    outer: Scope | None,
    ctes: Mapping[str, Cte],
    bind_subquery: BindSubquery,
) -> SetQuery:
    """Bind a chain of set operations; the left side is walked without recursion.

    Raises:
        SqlSyntaxError: The sides have different numbers of columns.
        FeatureNotSupported: Its rows are to be locked.
    """
    links: list[exp.SetOperation] = []
    head: exp.Expr = node
    while isinstance(head, exp.SetOperation):
        is_corresponding = bool(head.args.get("by_name"))
        if head is not node and (is_corresponding or any(head.args.get(key) for key in _MODIFIERS)):
            break
        links.append(head)
        head = head.this
        if is_corresponding:
            break
    for lock in links[0].args.get("locks") or links[0].expression.args.get("locks") or ():
        clause = "FOR UPDATE" if lock.args.get("update") else "FOR SHARE"
        raise FeatureNotSupported(f"{clause} is not allowed with UNION/INTERSECT/EXCEPT")
    seen = outer or Scope()
    queries: list[Query] = [bind_subquery(head, seen, ctes)]
    kinds: list[tuple[type[exp.SetOperation], bool]] = []
    for link in reversed(links):
        query = bind_subquery(link.expression, seen, ctes)
        if link.args.get("by_name"):
            queries[0], query = corresponding(statement, link, queries[0], query)
        kind = type(link)
        if len(query.outputs) != len(queries[0].outputs):
            raise SqlSyntaxError(
                f"each {kind.key.upper()} query must have the same number of columns",
                position=_output_position(statement, [link.expression], 0, 0),
            )
        queries.append(query)
        kinds.append((kind, link.args.get("distinct") is not False))
    outputs = _common_outputs(statement, queries, links)
    return SetQuery(queries, kinds, outputs, statement.new_alias())


def _common_outputs(
    statement: Statement, queries: Sequence[Query], links: Sequence[exp.SetOperation]
) -> list[Output]:
    what = links[0].key.upper()
    alias = statement.new_alias()
    are_all = all(
        type(link) is exp.Union and link.args.get("distinct") is False for link in links
    )  # Of values that are equal others leave one.
    outputs: list[Output] = []
    nodes = [links[-1].this, *(link.expression for link in reversed(links))]
    for i, first in enumerate(queries[0].outputs):
        value = first.value
        for number, query in enumerate(queries[1:], 1):
            # Each operator gives the column a type before the next one looks at it.
            pair = [value, query.outputs[i].value]
            at = partial(_output_position, statement, [nodes[0], nodes[number]], i)
            pg_type = common_type(pair, what, at=at)
            if pg_type == NUMERIC and are_all and _have_scales(pair):
                pg_type = WRITTEN_NUMERIC
            value = Typed(exp.column(f"c{i + 1}", table=alias), pg_type)
        outputs.append(Output(first.name, value))
    return outputs


def _have_scales(values: Sequence[Typed]) -> bool:
    """Whether each of some values has a scale, and not all have that of their type."""
    return any(map(is_stored_with_scale, values)) and all(
        value.type.carries_scale or scale_code_of(value) is not None for value in values
    )


def _output_position(
    statement: Statement, queries: Sequence[exp.Expr], i: int, number: int
) -> int | None:
    """Return where output ``i`` of one of the queries stands."""
    nodes = output_nodes(queries[number])
    return statement.position(nodes[min(i, len(nodes) - 1)])  # A star stands for several.


def _value_position(statement: Statement, values: exp.Expr, i: int, number: int) -> int | None:
    """Return where value ``i`` of one of the rows stands."""
    return statement.position(row_values(values.expressions[number])[i])


def bind_values(
    statement: Statement,
    node: exp.Expr,
    outer: Scope | None,
    ctes: Mapping[str, Cte],
    bind_subquery: BindSubquery,
) -> ValuesQuery:
    """Bind VALUES; its columns are called column1, column2, ...

    Raises:
        SqlSyntaxError: The rows have different lengths.
    """
    scope = outer or Scope()
    walker = Walker(statement, scope, bind_subquery, ctes, statement.new_level(), places.VALUES)
    rows = [[walker.bind(value) for value in row_values(row)] for row in node.expressions]
    check_lengths(statement, node)
    types = [
        common_type(
            [row[i] for row in rows],
            "VALUES",
            at=partial(_value_position, statement, node, i),
        )
        for i in range(len(rows[0]))
    ]
    coerced = [
        [coerce(value, t, Coercion.IMPLICIT) for value, t in zip(row, types, strict=True)]
        for row in rows
    ]
    alias = statement.new_alias()
    outputs = [
        Output(f"column{i}", Typed(exp.column(f"c{i}", table=alias), pg_type))
        for i, pg_type in enumerate(types, 1)
    ]
    return ValuesQuery(coerced, outputs, alias)


def output_nodes(query: exp.Expr) -> list[exp.Expr]:
    """Return the outputs of a query as parsed; of several queries or rows those of the first."""
    while isinstance(query, exp.Paren | exp.Subquery | exp.SetOperation):
        query = query.this
    if isinstance(query, exp.Values):
        return row_values(query.expressions[0])
    return list(query.expressions) or [query]


def check_lengths(statement: Statement, values: exp.Expr) -> None:
    """Raise SqlSyntaxError unless the rows of VALUES are equally long."""
    first, *others = values.expressions
    width = len(row_values(first))
    for row in others:
        if len(row_values(row)) != width:
            raise SqlSyntaxError(
                "VALUES lists must all be the same length", position=statement.position(row)
            )


def row_values(row: exp.Expr) -> list[exp.Expr]:
    """Return the expressions of one row of VALUES."""
    return list(row.expressions) if isinstance(row, exp.Tuple) else [row]
