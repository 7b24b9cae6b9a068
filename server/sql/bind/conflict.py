"""Which unique keys ON CONFLICT means."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp, parse_one

from catalog.constraint import UniqueKey
from catalog.constraint_errors import deferrable_arbiter
from catalog.errors import (
    InvalidColumnReference,
    UndefinedColumn,
    UndefinedObject,
)
from catalog.relation import ROW, Table
from server.sql.bind.column_expression import bind_index_condition, bind_index_expression
from server.sql.bind.context import BindContext
from server.sql.bind.target import Target, stored_column
from server.sql.statement import OnConflict


def arbiters(node: OnConflict, target: Target, context: BindContext) -> tuple[UniqueKey, ...]:
    """Return the keys whose conflicts are meant: all of the table where none is named.

    Raises:
        UndefinedColumn: A column is named that is not there.
        UndefinedObject: There is no such constraint.
        InvalidColumnReference: There is no such key.
        ObjectNotInPrerequisiteState: One is named that may wait for the transaction's end.
    """
    found = _named(node, target, context)
    if (node.target or node.constraint) and any(key.is_deferrable for key in found):
        raise deferrable_arbiter()
    return found


def _named(node: OnConflict, target: Target, context: BindContext) -> tuple[UniqueKey, ...]:
    table = _as_named(target)
    unique = target.table.unique_keys
    if node.constraint is not None:
        for key in unique:
            if key.name == node.constraint and (key.is_primary or key.constraint):
                return (key,)
        raise UndefinedObject(
            f'constraint "{node.constraint}" for table "{target.relation.name}" does not exist'
        )
    if not node.target:
        return unique
    parts = _parts(node, table, context)
    chosen = None
    if node.target_where is not None:
        chosen = bind_index_condition(node.target_where, table, context)
    found = tuple(
        key for key in unique if set(key.parts) == parts and _implies(chosen, key.condition)
    )
    if not found:
        raise InvalidColumnReference(
            "there is no unique or exclusion constraint matching the ON CONFLICT specification"
        )
    return found


def _as_named(target: Target) -> Table:
    """Return the table with the names that its columns have in what is written."""
    names = {column.number: column.name for column in target.columns}
    columns = tuple(
        replace(column, name=names.get(column.number, "")) for column in target.table.columns
    )
    return replace(target.table, name=target.relation.name, columns=columns)


def _parts(node: OnConflict, table: Table, context: BindContext) -> set[str]:
    """Return the parts of the target as a key has them."""
    # PostgreSQL points at the bracket before them.
    numbers = {column.name: column.number for column in table.columns}
    parts: set[str] = set()
    for part in node.target:
        if part.column is None:
            assert part.expression is not None, part
            parts.add(bind_index_expression(part.expression, table, context))
            continue
        if part.column.name not in numbers:
            raise UndefinedColumn(
                f'column "{part.column.name}" does not exist', position=node.target_position
            )
        parts.add(f"{ROW}.c{numbers[part.column.name]}")
    return parts


def _implies(given: str | None, wanted: str | None) -> bool:
    """Whether rows of which one condition holds are those of an index with the other."""
    if wanted is None or given == wanted:
        return True
    if given is None:
        return False
    has = {_text(part) for part in _conjuncts(given)}
    return has.issuperset(_text(part) for part in _conjuncts(wanted))


def _conjuncts(condition: str) -> list[exp.Expr]:
    tree = parse_one(condition, read="duckdb").unnest()
    parts = tree.flatten() if isinstance(tree, exp.And) else [tree]
    return [part.unnest() for part in parts]


def _text(part: exp.Expr) -> str:
    return part.sql(dialect="duckdb")


def on_key(target: Target, key: UniqueKey, new: str, old: str) -> exp.Expr:
    """Return the condition that rows under two aliases have the same key."""
    conditions: list[exp.Expr] = []
    for part in key.parts:
        left, right = _under(target, new, part), _under(target, old, part)
        kind = exp.NullSafeEQ if key.are_nulls_equal else exp.EQ
        conditions.append(kind(this=left, expression=right))
    if key.condition is not None:
        conditions += [_under(target, alias, key.condition) for alias in (new, old)]
    return exp.and_(*conditions)


def _under(target: Target, alias: str, sql: str) -> exp.Expr:
    """Return an expression over the row as one over a FROM item."""
    tree = parse_one(sql, read="duckdb")
    for column in list(tree.find_all(exp.Column)):
        if column.table == ROW:
            stored = stored_column(target, column.name, alias)
            column.set("table", stored.args["table"])
            column.set("this", stored.this)
    return exp.Paren(this=tree) if not isinstance(tree, exp.Column) else tree
