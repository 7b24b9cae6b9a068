"""FOR UPDATE and FOR SHARE: what they may stand behind and name. They lock nothing.

A transaction reads one snapshot, and whoever changes a row that another has changed meanwhile fails
at COMMIT; nobody waits.
"""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import FeatureNotSupported, UndefinedTable
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement


def check_locking(
    statement: Statement, node: exp.Expr, scope: Scope, *, has_aggregates: bool
) -> None:
    """Refuse locking clauses where PostgreSQL refuses them.

    Raises:
        FeatureNotSupported: The rows of the result are no rows of a table.
        UndefinedTable: It names what FROM does not.
    """
    for lock in node.args.get("locks") or ():
        clause = "FOR UPDATE" if lock.args.get("update") else "FOR SHARE"
        for what, is_there in (
            ("DISTINCT clause", node.args.get("distinct") is not None),
            ("GROUP BY clause", node.args.get("group") is not None),
            ("HAVING clause", node.args.get("having") is not None),
            ("aggregate functions", has_aggregates),
        ):
            if is_there:
                raise FeatureNotSupported(f"{clause} is not allowed with {what}")
        for table in lock.expressions:
            if all(item.name != table.name for item in scope.items):
                raise UndefinedTable(
                    f'relation "{table.name}" in {clause} clause not found in FROM clause',
                    position=statement.position(table),
                )
