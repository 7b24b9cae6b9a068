"""INSERT, UPDATE and DELETE as the trees that are bound.

The parser takes these statements apart; binding wants them as sqlglot would have parsed them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from server.sql.statement import (
    Assignment,
    ColumnName,
    Delete,
    Insert,
    OnConflict,
    QualifiedName,
    Update,
)


def insert_tree(statement: Insert) -> exp.Insert:
    """Return an INSERT as a tree; what it holds is copied."""
    target: exp.Expr = _table(statement.table, statement.alias, statement.start)
    if statement.columns:
        names = [_identifier(column, statement.start) for column in statement.columns]
        target = exp.Schema(this=target, expressions=names)
    query = None if statement.query is None else statement.query.copy()
    tree = exp.Insert(this=target, expression=query, default=query is None)
    if statement.on_conflict is not None:
        tree.set("conflict", _conflict(statement.on_conflict, statement.start))
    _add_rest(tree, statement)
    return tree


def update_tree(statement: Update) -> exp.Update:
    """Return an UPDATE as a tree; what it holds is copied."""
    tree = exp.Update(
        this=_table(statement.table, statement.alias, statement.start),
        expressions=_assignments(statement.assignments, statement.start),
    )
    if statement.from_ is not None:
        others = statement.from_.copy()
        tree.set("from_", others.args["from_"])
        tree.set("joins", others.args.get("joins"))
    _add_where(tree, statement.where)
    _add_rest(tree, statement)
    return tree


def delete_tree(statement: Delete) -> exp.Delete:
    """Return a DELETE as a tree; what it holds is copied."""
    tree = exp.Delete(this=_table(statement.table, statement.alias, statement.start))
    if statement.using is not None:
        others = statement.using.copy()
        joins = others.args.get("joins") or []
        tree.set("using", [others.args["from_"].this, *(join.this for join in joins)])
    _add_where(tree, statement.where)
    _add_rest(tree, statement)
    return tree


def _table(name: QualifiedName, alias: str | None, start: int) -> exp.Table:
    table = exp.Table(
        this=_at(exp.to_identifier(name.name, quoted=True), name.position, start),
        db=None if name.schema is None else exp.to_identifier(name.schema, quoted=True),
        catalog=None if name.database is None else exp.to_identifier(name.database, quoted=True),
    )
    if alias is not None:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return table


def _identifier(column: ColumnName, start: int) -> exp.Identifier:
    identifier = exp.to_identifier(column.name, quoted=True)
    _at(identifier, column.position, start)
    return identifier


def _at(node: exp.Expr, position: int | None, start: int) -> exp.Expr:
    """Note where a node stands, as the parser would."""
    if position is not None:
        node.meta["start"] = position - 1 - start
    return node


def _conflict(conflict: OnConflict, start: int) -> exp.OnConflict:
    action = "DO UPDATE" if conflict.assignments else "DO NOTHING"
    tree = exp.OnConflict(
        conflict_keys=[_identifier(column, start) for column in conflict.target],
        action=exp.Var(this=action),
        expressions=_assignments(conflict.assignments, start),
    )
    if conflict.constraint is not None:
        tree.set("constraint", exp.to_identifier(conflict.constraint, quoted=True))
    _add_where(tree, conflict.where)
    return tree


def _assignments(assignments: Sequence[Assignment], start: int) -> list[exp.Expr]:
    return [_assignment(assignment, start) for assignment in assignments]


def _assignment(assignment: Assignment, start: int) -> exp.Expr:
    columns = [exp.Column(this=_identifier(column, start)) for column in assignment.columns]
    target = columns[0] if len(columns) == 1 else exp.Tuple(expressions=columns)
    value = exp.Var(this="DEFAULT") if assignment.value is None else assignment.value.copy()
    return exp.EQ(this=target, expression=value)


def _add_where(tree: exp.Expr, where: exp.Expr | None) -> None:
    if where is not None:
        tree.set("where", exp.Where(this=where.copy()))


def _add_rest(tree: exp.Expr, statement: Insert | Update | Delete) -> None:
    """Add RETURNING, and WITH before the statement."""
    if statement.returning:
        returned = [expression.copy() for expression in statement.returning]
        tree.set("returning", exp.Returning(expressions=returned))
    if statement.with_ is not None:
        tree.set("with_", statement.with_.copy())
