"""The forms of SQL that programs are made of, as sqlglot trees.

Names are ours (``r<oid>``, ``c<number>``, ...): lower case without anything to quote. Trees that
come in are copied when they go into another tree, so that no node is ever shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp


def column(name: str, table: str | None = None) -> exp.Column:
    """Return a reference to a column."""
    return exp.Column(
        this=exp.to_identifier(name), table=None if table is None else exp.to_identifier(table)
    )


def columns(names: Iterable[str], table: str | None = None) -> list[exp.Expr]:
    """Return references to columns of one relation."""
    return [column(name, table) for name in names]


def named(expression: exp.Expr, name: str) -> exp.Alias:
    """Return a projection under a name."""
    return exp.Alias(this=expression.copy(), alias=exp.to_identifier(name))


def relation(name: str) -> exp.Table:
    """Return a stored or temporary table."""
    return exp.Table(this=exp.to_identifier(name))


def from_item(rows: exp.Expr, alias: str) -> exp.Expr:
    """Return a table or query as an item of FROM."""
    name = exp.TableAlias(this=exp.to_identifier(alias))
    if isinstance(rows, exp.Table):
        item = rows.copy()
        item.set("alias", name)
        return item
    return exp.Subquery(this=rows.copy(), alias=name)


def select(
    projections: Sequence[exp.Expr],
    *,
    items: Sequence[exp.Expr] = (),
    where: exp.Expr | None = None,
    group: Sequence[exp.Expr] = (),
    having: exp.Expr | None = None,
) -> exp.Select:
    """Return a SELECT; several items of FROM are a cross product.

    Rows without any column, such as those of an aggregate of which nobody reads a column, get one.
    """
    visible = projections or [named(exp.true(), "nothing")]
    query = exp.Select(expressions=[projection.copy() for projection in visible])
    if items:
        query.set("from_", exp.From(this=items[0].copy()))
        query.set("joins", [exp.Join(this=item.copy()) for item in items[1:]])
    if where is not None:
        query.set("where", exp.Where(this=where.copy()))
    if group:
        query.set("group", exp.Group(expressions=[expression.copy() for expression in group]))
    if having is not None:
        query.set("having", exp.Having(this=having.copy()))
    return query


def distinct(query: exp.Select) -> exp.Select:
    """Keep one of equal rows of a query made here, and return the query."""
    query.set("distinct", exp.Distinct())
    return query


def left_join(query: exp.Select, item: exp.Expr, condition: exp.Expr) -> exp.Select:
    """Add an outer join to a query made here, and return the query."""
    query.append("joins", exp.Join(this=item.copy(), side="LEFT", on=condition.copy()))
    return query


def join(query: exp.Select, item: exp.Expr, condition: exp.Expr, side: str = "") -> exp.Select:
    """Add a join, by default an inner one, to a query made here, and return the query."""
    query.append("joins", exp.Join(this=item.copy(), on=condition.copy(), side=side or None))
    return query


def with_steps(
    steps: Sequence[tuple[str, exp.Expr]], query: exp.Select, *, kept: frozenset[str] = frozenset()
) -> exp.Select:
    """Put named steps before a query; those ``kept`` are computed once however often they are read.

    The query is changed in place and returned.
    """
    expressions = [
        exp.CTE(
            this=step.copy(),
            alias=exp.TableAlias(this=exp.to_identifier(name)),
            materialized=True if name in kept else None,
        )
        for name, step in steps
    ]
    query.set("with_", exp.With(expressions=expressions))
    return query


def union_all(queries: Sequence[exp.Expr]) -> exp.Expr:
    """Return the rows of all queries, of which there is at least one."""
    result = queries[0].copy()
    for query in queries[1:]:
        result = exp.Union(this=result, expression=query.copy(), distinct=False)
    return result


def all_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Return the conjunction; TRUE of none."""
    result: exp.Expr | None = None
    for condition in conditions:
        operand = _operand(condition)
        result = operand if result is None else exp.And(this=result, expression=operand)
    return exp.true() if result is None else result


def any_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Return the disjunction; FALSE of none."""
    result: exp.Expr | None = None
    for condition in conditions:
        operand = _operand(condition)
        result = operand if result is None else exp.Or(this=result, expression=operand)
    return exp.false() if result is None else result


def _operand(condition: exp.Expr) -> exp.Expr:
    copy = condition.copy()
    return exp.Paren(this=copy) if isinstance(copy, exp.Connector) else copy


def negated(condition: exp.Expr) -> exp.Expr:
    """Return the negation."""
    return exp.Not(this=exp.Paren(this=condition.copy()))


def same(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Whether two values are equal, NULL being equal to NULL."""
    return exp.NullSafeEQ(this=left.copy(), expression=right.copy())


def same_columns(pairs: Iterable[tuple[str, str]], left: str, right: str) -> exp.Expr:
    """Whether the columns of two relations are pairwise the same."""
    return all_of([same(column(a, left), column(b, right)) for a, b in pairs])


def when(condition: exp.Expr, value: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Case:
    """Return ``CASE WHEN condition THEN value ELSE otherwise END``."""
    branch = exp.If(this=condition.copy(), true=value.copy())
    return exp.Case(ifs=[branch], default=None if otherwise is None else otherwise.copy())


def is_null(value: exp.Expr) -> exp.Expr:
    """Whether a value is NULL."""
    return exp.Is(this=value.copy(), expression=exp.Null())


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a DuckDB function that sqlglot shall not rewrite."""
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def filtered(aggregate: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """Return an aggregate over the rows that satisfy a condition."""
    return exp.Filter(this=aggregate, expression=exp.Where(this=condition.copy()))


def cast(value: exp.Expr, type_name: str) -> exp.Expr:
    """Return a value as another type."""
    return exp.Cast(this=value.copy(), to=exp.DataType.build(type_name, dialect="duckdb"))


def number(value: int) -> exp.Expr:
    """Return a BIGINT."""
    return cast(exp.Literal.number(value), "BIGINT")


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the conditions that all must hold for ``condition`` to hold."""
    if condition is None:
        return []
    if isinstance(condition, exp.Paren):
        return conjuncts(condition.this)
    if isinstance(condition, exp.And):
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def create_table(name: str, query: exp.Expr, *, is_temporary: bool = False) -> exp.Expr:
    """Return the statement that makes a table of a query's rows; a temporary one is replaced."""
    properties = exp.Properties(expressions=[exp.TemporaryProperty()]) if is_temporary else None
    return exp.Create(
        this=relation(name),
        kind="TABLE",
        replace=is_temporary,
        properties=properties,
        expression=query.copy(),
    )


def drop_table(name: str) -> exp.Expr:
    """Return the statement that drops a table if it is there."""
    return exp.Drop(tables=[relation(name)], kind="TABLE", exists=True)


def insert(name: str, names: Sequence[str], query: exp.Expr) -> exp.Expr:
    """Return the statement that adds a query's rows to a table."""
    target = exp.Schema(this=relation(name), expressions=[exp.to_identifier(n) for n in names])
    return exp.Insert(this=target, expression=query.copy())


def insert_by_name(name: str, query: exp.Expr) -> exp.Expr:
    """Return the statement that adds a query's rows to a table whose columns have their names."""
    return exp.Insert(this=relation(name), by_name=True, expression=query.copy())


def merge(
    target: exp.Expr,
    source: exp.Expr,
    on: exp.Expr,
    *,
    removed: exp.Expr | None,
    updated: Sequence[tuple[str, exp.Expr]],
    added: Sequence[tuple[str, exp.Expr]],
    added_if: exp.Expr | None,
) -> exp.Expr:
    """Return the statement that merges rows into a table.

    Args:
        target: The table as an item of FROM.
        source: The rows as one.
        on: Whether a row of the table and one of the rows belong together.
        removed: Which pairs take the table's row away; None: none.
        updated: The columns that a pair changes, with their values.
        added: All columns of a row that has no partner, with their values.
        added_if: Which of those are added; None: all.
    """
    whens: list[exp.Expr] = []
    if removed is not None:
        gone = exp.Var(this="DELETE")
        whens.append(exp.When(matched=True, condition=removed.copy(), then=gone))
    if updated:
        pairs = [exp.EQ(this=exp.to_identifier(n), expression=e.copy()) for n, e in updated]
        whens.append(exp.When(matched=True, then=exp.Update(expressions=pairs)))
    insert_ = exp.Insert(
        this=exp.Tuple(expressions=[exp.to_identifier(name) for name, _ in added]),
        expression=exp.Tuple(expressions=[value.copy() for _, value in added]),
    )
    condition = None if added_if is None else added_if.copy()
    whens.append(exp.When(matched=False, condition=condition, then=insert_))
    return exp.Merge(
        this=target.copy(),
        using=source.copy(),
        on=on.copy(),
        whens=exp.Whens(expressions=whens),
    )


def update(
    target: exp.Expr, values: Sequence[tuple[str, exp.Expr]], source: exp.Expr, on: exp.Expr
) -> exp.Expr:
    """Return the statement that changes rows of a table by rows that belong to them.

    Args:
        target: The table as an item of FROM.
        values: The columns that change, with their values.
        source: The other rows as an item of FROM.
        on: Whether a row of the table and one of the others belong together.
    """
    return exp.Update(
        this=target.copy(),
        expressions=[exp.EQ(this=exp.to_identifier(n), expression=e.copy()) for n, e in values],
        from_=exp.From(this=source.copy()),
        where=exp.Where(this=on.copy()),
    )


def delete(name: str, using: exp.Expr | None = None, where: exp.Expr | None = None) -> exp.Expr:
    """Return the statement that removes rows, by default all."""
    return exp.Delete(
        this=relation(name),
        using=None if using is None else [using.copy()],
        where=None if where is None else exp.Where(this=where.copy()),
    )
