"""WITH: queries that are bound once and named many times, also by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from catalog.errors import (
    DatatypeMismatch,
    DuplicateAlias,
    InvalidColumnReference,
    InvalidRecursion,
    SqlSyntaxError,
)
from catalog.types import PgType
from catalog.written_numeric import plain_type
from server.sql.bind.changelog import bind_changelog
from server.sql.bind.query import Cte, Query, compared, set_operand
from server.sql.bind.recursion import check_recursion, in_order, references
from server.sql.bind.scope import Scope
from server.sql.bind.search_cycle import search_and_cycle
from server.sql.bind.statement import Statement
from server.sql.bind.walker import BindSubquery
from server.sql.parser.search_cycle import clauses_of, is_changelog


def bind_with(
    statement: Statement,
    with_: exp.Expr,
    outer: Scope | None,
    ctes: Mapping[str, Cte],
    bind_subquery: BindSubquery,
) -> tuple[exp.With, dict[str, Cte]]:
    """Return the bound WITH and everything that can be named after it.

    Raises:
        DuplicateAlias: Two queries have one name.
        PgError: A query is not what it must be.
    """
    known = dict(ctes)
    own: set[str] = set()
    trees: list[exp.Expr] = []
    is_recursive = bool(with_.args.get("recursive"))
    nodes = with_.expressions
    for place, node in enumerate(in_order(statement, nodes) if is_recursive else nodes):
        name = node.alias
        later = () if is_recursive else nodes[place:]
        statement.later.append(frozenset(other.alias for other in later))
        if name in own:
            raise DuplicateAlias(
                f'WITH query name "{name}" specified more than once',
                position=statement.position(node.args["alias"]),
            )
        own.add(name)
        if is_recursive and any(references(node.this, name)):
            tree, cte = _recursive(statement, node, outer, known, bind_subquery)
        elif any(clauses_of(node)):
            raise SqlSyntaxError(
                "WITH query is not recursive", position=statement.position(node.args["alias"])
            )
        elif is_changelog(node):
            tree, cte = bind_changelog(statement, node)
            shown, rest = cte.columns[: -cte.hidden], cte.columns[-cte.hidden :]
            cte = replace(cte, columns=(*renamed(statement, node, list(shown)), *rest))
        else:
            query = bind_subquery(node.this, outer or Scope(), known)
            cte = _cte(statement, node, query)
            tree = query.finish()
        known[name] = cte
        statement.later.pop()
        bound = exp.CTE(
            this=tree,
            alias=exp.TableAlias(
                this=exp.to_identifier(cte.alias),
                columns=[exp.to_identifier(f"c{i}") for i in range(1, len(cte.columns) + 1)],
            ),
        )
        if node.args.get("materialized") is not None:
            bound.set("materialized", node.args["materialized"])
        trees.append(bound)
    return exp.With(expressions=trees, recursive=is_recursive or None), known


def _cte(statement: Statement, node: exp.Expr, query: Query) -> Cte:
    columns = [(output.name, output.settled_type) for output in query.outputs]
    return Cte(statement.new_alias(), renamed(statement, node, columns))


def renamed(
    statement: Statement, node: exp.Expr, columns: list[tuple[str, PgType]]
) -> tuple[tuple[str, PgType], ...]:
    """Return the columns of a query in WITH by the names that its alias gives them."""
    names = [column.name for column in node.args["alias"].args.get("columns") or ()]
    if len(names) > len(columns):
        raise InvalidColumnReference(
            f'WITH query "{node.alias}" has {len(columns)} columns available but '
            f"{len(names)} columns specified",
            position=statement.position(node.args["alias"]),
        )
    return tuple(
        (names[i] if i < len(names) else name, pg_type) for i, (name, pg_type) in enumerate(columns)
    )


def _recursive(
    statement: Statement,
    node: exp.Expr,
    outer: Scope | None,
    known: dict[str, Cte],
    bind_subquery: BindSubquery,
) -> tuple[exp.Expr, Cte]:
    """Bind a query that names itself: a first part, UNION [ALL], a part over what came so far.

    Raises:
        InvalidRecursion: It has another shape.
        DatatypeMismatch: The second part gives other types than the first.
    """
    union, name = node.this, node.alias
    position = statement.position(node.args["alias"])
    check_recursion(statement, union, name, position)
    scope = outer or Scope()
    first = bind_subquery(union.this, scope, known)
    cte = _cte(statement, node, first)
    # Of rows that are equal one stays, so none keeps its own scale.
    cte = replace(cte, columns=tuple((name_, plain_type(kind)) for name_, kind in cte.columns))
    types = [pg_type for _, pg_type in cte.columns]
    running = replace(cte, is_running=True)
    second = bind_subquery(union.expression, scope, {**known, name: running})
    for i, (output, have) in enumerate(zip(second.outputs, types, strict=False), 1):
        found = output.settled_type
        if not output.value.is_unknown and not found.same_base(have):
            raise DatatypeMismatch(
                f'recursive query "{name}" column {i} has type {have.display()} in non-recursive '
                f"term but type {found.display()} overall",
                hint="Cast the output of the non-recursive term to the correct type.",
                position=position,
            )
    if len(second.outputs) != len(types):
        raise InvalidRecursion(
            "each UNION query must have the same number of columns", position=position
        )
    parts = [first.finish(types), second.finish(types)]
    asked = search_and_cycle(statement, cte, clauses_of(node), bind_subquery)
    if asked is not None:
        parts = [asked.first(parts[0]), asked.next(parts[1], name, position)]
        cte = asked.whole
    is_distinct = union.args.get("distinct") is not False
    if is_distinct:
        shown = [pg_type for _, pg_type in cte.columns]
        parts = [compared(part, shown, statement.new_alias()) for part in parts]
    left, right = map(set_operand, parts)
    return exp.Union(this=left, expression=right, distinct=is_distinct), cte
