"""``WITH c AS CHANGELOG FROM t``: a row for each row of a relation that comes or goes."""

from __future__ import annotations

from sqlglot import exp

from catalog.change_reader import OP, ROW_NUMBER, changes_name, columns_of
from catalog.errors import DuplicateColumn, FeatureNotSupported
from catalog.relation import (
    ROW_ID,
    MaterializedView,
    Mirror,
    Source,
    Table,
    View,
    kind_name,
)
from catalog.types import INT8
from server.sql.bind.query import Cte
from server.sql.bind.relation import find_with_schema, read_relation
from server.sql.bind.scope import column_of
from server.sql.bind.statement import Statement


def bind_changelog(statement: Statement, node: exp.Expr) -> tuple[exp.Expr, Cte]:
    """Return the query for what a relation goes through, and its columns, of which one is hidden.

    Raises:
        FeatureNotSupported: The query is not maintained, or nothing keeps the relation's rows.
        DuplicateColumn: The relation has a column with the name of one that is added.
        PgError: There is no such relation.
    """
    context = statement.context
    table = node.this.args["from_"].this
    position = statement.position(table)
    if not context.reads_sources or context.names_views:
        raise FeatureNotSupported(
            "With changelog cte only support with create mv/sink",
            hint="A subscription keeps what a table goes through, and cursors read it.",
            position=position,
        )
    schema, database = table.text("db") or None, table.text("catalog") or None
    _, found = find_with_schema(context, table.name, schema, database, position=position)
    if isinstance(found, Mirror) or not isinstance(found, Table | MaterializedView):
        what = kind_name(found) if isinstance(found, View | Source) else "relation"
        raise FeatureNotSupported(
            f'the changelog of {what} "{table.name}" is not supported',
            hint="Create a materialized view over it, and take the changelog of that.",
            position=position,
        )
    taken = {column.name for column in found.columns} & {OP, ROW_NUMBER}
    if taken:
        raise DuplicateColumn(
            f"The source table of changelog cannot have `{min(taken)}`, please rename it first",
            position=position,
        )
    alias = statement.new_alias()
    read_relation(statement, found, alias)
    columns = columns_of(found)
    stored = [*(column.storage_name for column in columns), ROW_ID]
    tree = exp.select(
        *(
            exp.alias_(column_of(alias, name, INT8).tree, f"c{place}")
            for place, name in enumerate(stored, 1)
        )
    ).from_(
        exp.Table(
            this=exp.to_identifier(changes_name(found.oid)),
            alias=exp.TableAlias(this=exp.to_identifier(alias)),
        )
    )
    shown = tuple((column.name, column.type) for column in columns)
    return tree, Cte(statement.new_alias(), (*shown, (ROW_NUMBER, INT8)), hidden=1)
