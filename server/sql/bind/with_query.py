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
from server.sql.bind.query import Cte, Query, compared, set_operand
from server.sql.bind.scope import Scope
from server.sql.bind.search_cycle import search_and_cycle
from server.sql.bind.statement import Statement
from server.sql.bind.walker import BindSubquery
from server.sql.parser.search_cycle import clauses_of


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
    for node in with_.expressions:
        name = node.alias
        if name in own:
            raise DuplicateAlias(
                f'WITH query name "{name}" specified more than once',
                position=statement.position(node.args["alias"]),
            )
        own.add(name)
        if is_recursive and _names_itself(node.this, name):
            tree, cte = _recursive(statement, node, outer, known, bind_subquery)
        elif any(clauses_of(node)):
            raise SqlSyntaxError(
                "WITH query is not recursive", position=statement.position(node.args["alias"])
            )
        else:
            query = bind_subquery(node.this, outer or Scope(), known)
            cte = _cte(statement, node, query)
            tree = query.finish()
        known[name] = cte
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


def _names_itself(query: exp.Expr, name: str) -> bool:
    return any(
        table.name == name and not table.args.get("db") for table in query.find_all(exp.Table)
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
    if not isinstance(union, exp.Union) or _names_itself(union.this, name):
        raise InvalidRecursion(
            f'recursive query "{name}" does not have the form '
            "non-recursive-term UNION [ALL] recursive-term",
            position=position,
        )
    _check_references(statement, union.expression, name)
    scope = outer or Scope()
    first = bind_subquery(union.this, scope, known)
    cte = _cte(statement, node, first)
    # Of rows that are equal one stays, so none keeps its own scale.
    cte = replace(cte, columns=tuple((name_, plain_type(kind)) for name_, kind in cte.columns))
    types = [pg_type for _, pg_type in cte.columns]
    second = bind_subquery(union.expression, scope, {**known, name: cte})
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


def _check_references(statement: Statement, query: exp.Expr, name: str) -> None:
    """Refuse a query to name itself where rows are taken away by what it is.

    Raises:
        InvalidRecursion: It does.
    """
    for table in query.find_all(exp.Table):
        node: exp.Expr = table
        while table.name == name and not table.args.get("db") and node is not query:
            above = node.parent
            assert above is not None
            word = ""
            if isinstance(above, exp.Except) and node.arg_key == "expression":
                word = "EXCEPT"
            elif isinstance(above, exp.Intersect) and above.args.get("distinct") is False:
                word = "INTERSECT"
            if word:
                raise InvalidRecursion(
                    f'recursive reference to query "{name}" must not appear within {word}',
                    position=statement.position(table),
                )
            node = above
