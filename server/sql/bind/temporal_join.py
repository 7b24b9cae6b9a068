"""FOR SYSTEM_TIME AS OF PROCTIME(): the right side of a temporal join.

It is bound as any relation is, under an alias that says so (``barrier.stream.aliases``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from barrier.stream.aliases import PROCTIME
from catalog.errors import FeatureNotSupported
from catalog.oid import INVALID_OID, Oid
from catalog.relation import MaterializedView, Table
from server.sql.bind.statement import Statement

_NO_KEY: Final = (
    "Temporal join requires the equivalence join condition includes the key columns that form the"
    " distribution key of the lookup table"
)


def is_of_now(node: exp.Expr) -> bool:
    """Whether an item of FROM is a relation FOR SYSTEM_TIME AS OF PROCTIME()."""
    version = node.args.get("version")
    time = None if version is None else version.args.get("expression")
    return isinstance(time, exp.Anonymous) and time.name.lower() == "proctime"


def temporal_alias(statement: Statement, node: exp.Expr) -> str:
    """Return the alias of the right side of a temporal join.

    Raises:
        FeatureNotSupported: The query is not maintained.
    """
    if not statement.context.is_streaming:
        raise FeatureNotSupported(
            "do not support temporal join for batch queries",
            hint="please use temporal join in streaming queries",
            position=statement.position(node),
        )
    return statement.new_alias() + PROCTIME


def check_temporal_join(statement: Statement, item: exp.Expr, join: exp.Join | None) -> None:
    """Refuse a join in which a temporal side cannot be looked up.

    Args:
        statement: What is bound.
        item: The right side as it was parsed.
        join: The join as it is bound; None: it stands first in FROM.

    Raises:
        FeatureNotSupported: It is an outer join of the wrong side, or does not give the key.
    """
    position = statement.position(item)
    if join is None or str(join.args.get("side") or "") in ("RIGHT", "FULL"):
        raise FeatureNotSupported(
            "exist dangling temporal scan",
            hint="please check your temporal join syntax e.g. consider removing the right outer"
            " join if it is being used.",
            position=position,
        )
    alias = join.alias_or_name
    equal = set(_looked_up(join.args.get("on"), alias))
    if not equal and not join.args.get("side"):
        return  # All of the right side is looked through.
    name = join.this.name
    oid = Oid(int(name[1:])) if name[1:].isdigit() else INVALID_OID
    relation = statement.context.catalog.relations.get(oid)
    keys: list[set[int]] = []
    if isinstance(relation, Table) and relation.primary_key:
        keys.append(set(relation.primary_key))
    if isinstance(relation, Table | MaterializedView):
        keys += [{index.keys[0].column} for index in relation.indexes if index.keys[0].column]
        # What is not a table has the key that its query gives it.
        if isinstance(relation, MaterializedView) and equal:
            keys.append(set())
    if not any(key <= equal for key in keys):
        raise FeatureNotSupported(
            _NO_KEY,
            hint="Use DESCRIBE <table_name> to view the table's key information.\nYou can create an"
            " index on the lookup table to facilitate the temporal join if necessary.",
            position=position,
        )


def _looked_up(condition: exp.Expr | None, alias: str) -> Iterator[int]:
    """Yield the columns of the right side that are equal to something of the left one."""
    if condition is None:
        return
    if isinstance(condition, exp.Paren):
        yield from _looked_up(condition.this, alias)
    elif isinstance(condition, exp.And):
        yield from _looked_up(condition.left, alias)
        yield from _looked_up(condition.right, alias)
    elif isinstance(condition, exp.EQ):
        pairs = ((condition.left, condition.right), (condition.right, condition.left))
        for side, other in pairs:
            own = side
            while isinstance(own, exp.Cast | exp.Paren):
                own = own.this
            is_own = isinstance(own, exp.Column) and own.table == alias
            if is_own and all(c.table != alias for c in other.find_all(exp.Column)):
                yield int(own.name.removeprefix("c"))
