"""CORRESPONDING of a set operation: columns are matched by name, not by place (SQL:2016, 7.17)."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from catalog.errors import AmbiguousColumn, SqlSyntaxError, UndefinedColumn
from server.sql.bind.query import Query, SelectQuery, outputs_of, subquery
from server.sql.bind.statement import Statement


def corresponding(
    statement: Statement, link: exp.SetOperation, left: Query, right: Query
) -> tuple[Query, Query]:
    """Return both sides with the columns that are matched, in one order.

    Without BY those are the columns that both have, in the left one's order.

    Raises:
        SqlSyntaxError: They have none in common.
        UndefinedColumn: One that BY names is not in both.
        AmbiguousColumn: One side has two of a name.
    """
    position = statement.position(link)
    sides = [[output.name for output in query.outputs] for query in (left, right)]
    listed = link.args.get("on")
    if listed:
        names = [column.name for column in listed]
        for column in listed:
            if any(column.name not in side for side in sides):
                raise UndefinedColumn(
                    f'column "{column.name}" of CORRESPONDING BY is not in both queries',
                    position=statement.position(column),
                )
    else:
        names = [name for name in sides[0] if name in sides[1]]
    if not names:
        raise SqlSyntaxError(
            f"{link.key.upper()} CORRESPONDING needs a column that both queries have: "
            f"({_listed(sides[0])}) and ({_listed(sides[1])})",
            position=position,
        )
    for name in names:
        if any(Counter(side)[name] > 1 for side in sides):
            raise AmbiguousColumn(f'column name "{name}" is ambiguous', position=position)
    return _with_columns(statement, left, names), _with_columns(statement, right, names)


def _with_columns(statement: Statement, query: Query, names: list[str]) -> Query:
    """Return a query with some of its columns."""
    alias = statement.new_alias()
    select = exp.Select()
    outputs = {output.name: output for output in outputs_of(alias, query.outputs)}
    select.set("from_", exp.From(this=subquery(query.finish(), alias)))
    return SelectQuery(select, [outputs[name] for name in names], statement.new_alias())


def _listed(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
