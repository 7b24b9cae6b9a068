"""Sequences as FROM items: a row that tells where one is."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.acl import Privilege
from catalog.errors import FeatureNotSupported
from catalog.sequence import SequenceGenerator
from catalog.types import BOOL, INT8
from server.sql.bind.context import BindContext
from server.sql.bind.relation import may_use
from server.sql.bind.scope import FromItem, ScopeColumn, column_of
from server.sql.bind.statement import Statement
from server.sql.fragment import fragment

_COLUMNS: Final = (("last_value", INT8), ("log_cnt", INT8), ("is_called", BOOL))


def find_sequence(context: BindContext, name: str, schema: str | None) -> SequenceGenerator | None:
    """Return the sequence that a name in a query means, or None."""
    for candidate in (schema,) if schema else context.search_path:
        if may_use(context, candidate):
            found = context.catalog.find_sequence(candidate, name)
            if found is not None:
                return found
    return None


def read_sequence(
    statement: Statement, sequence: SequenceGenerator, alias: str
) -> tuple[exp.Expr, FromItem]:
    """Return a FROM item with the place of a sequence.

    Raises:
        FeatureNotSupported: A view would read it.
    """
    if statement.context.is_streaming:
        raise FeatureNotSupported("materialized views over sequences are not supported")
    statement.needs.add(sequence.oid, Privilege.SELECT)
    oid = exp.Literal.number(str(sequence.oid))
    tree = fragment(
        "(SELECT tg_sequence_last(GETVARIABLE('session'), _0, TRUE) AS c1, CAST(0 AS BIGINT) AS c2,"
        " tg_sequence_called(GETVARIABLE('session'), _0) AS c3)",
        oid,
    )
    assert isinstance(tree, exp.Subquery), tree
    tree.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    columns = tuple(
        ScopeColumn(name, column_of(alias, f"c{i}", pg_type))
        for i, (name, pg_type) in enumerate(_COLUMNS, 1)
    )
    return tree, FromItem(alias, sequence.name, columns)
