"""From a bound query to a tree of operators.

Each operator's file has a rule; the first that takes a query makes its node. A query that no rule
takes is computed anew, and only it: what reads it goes on from its changes. A new operator is a new
file and a line in ``RULES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from barrier.stream.operator import NotIncrementalError, Operator, Rule, SourceRule
from barrier.stream.operators import (
    closing,
    constant,
    distinct_on,
    grouping,
    grouping_sets,
    over_groups,
    recompute,
    scan,
    select,
    set_operation,
    top_n,
    union_all,
    window,
)
from barrier.stream.operators.semi_join import aliases
from barrier.stream.plan import Plan
from barrier.stream.relations import InputRelation
from catalog.oid import Oid
from catalog.relation import storage_name

RULES: Final[tuple[Rule, ...]] = (
    closing.rule,
    top_n.rule,
    union_all.rule,
    set_operation.rule,
    distinct_on.rule,
    over_groups.rule,
    grouping_sets.rule,
    grouping.distinct_rule,
    grouping.rule,
    window.rule,
    select.rule,
)
#: Each has some ten more steps than the one before; beyond, computing anew costs less.
_FULL_JOINS_MAX: Final = 7
SOURCE_RULES: Final[tuple[SourceRule, ...]] = (scan.source, constant.source)


def compile_view(oid: Oid, query: exp.Expr, inputs: Mapping[Oid, InputRelation]) -> Plan:
    """Return the plan of a view.

    Args:
        oid: The view.
        query: Its bound query: storage names only, columns ``c1``, ``c2``, ...
        inputs: What it reads.
    """
    return Plan(oid, _QueryBuilder(oid, inputs).build(query.copy(), is_root=True))


def _refuse_foreign_aggregates(query: exp.Expr) -> None:
    """Refuse a query whose subqueries hold aggregates over its own rows.

    Raises:
        NotIncrementalError: One does.
    """
    for call in query.find_all(exp.AggFunc):
        at = call.parent_select
        if at is None or at is query or isinstance(call.parent, exp.Window):
            continue
        read = {column.table for column in call.find_all(exp.Column)}
        if read and read.isdisjoint(aliases(at)):
            raise NotIncrementalError("aggregate of an outer query in a subquery")


def _refuse_many_full_joins(query: exp.Expr) -> None:
    """Refuse a query whose program would have hundreds of steps because of its FULL JOINs.

    Raises:
        NotIncrementalError: It has too many.
    """
    count = sum(join.side == "FULL" for join in query.find_all(exp.Join))
    if count > _FULL_JOINS_MAX:
        raise NotIncrementalError(f"more than {_FULL_JOINS_MAX} FULL JOINs")


class _QueryBuilder:
    """Builds the operators of one view.

    State tables are numbered in the order in which nodes are made, which depends on the query
    alone: the same text gives the same tables after a restart.
    """

    def __init__(self, oid: Oid, inputs: Mapping[Oid, InputRelation]) -> None:
        """Begin a plan for the view ``oid`` over relations."""
        self._oid = oid
        self._relations = {storage_name(relation.oid): relation for relation in inputs.values()}
        self._common_tables: dict[str, exp.CTE] = {}
        self._common_nodes: dict[str, Operator] = {}
        self._states = 0

    def build(self, query: exp.Expr, *, is_root: bool = False) -> Operator:
        """Return the operator of a query; one that recomputes if no rule takes it."""
        inner = query.unnest() if isinstance(query, exp.Subquery) else query
        reason = f"{inner.key} has no operator"
        try:
            _refuse_foreign_aggregates(inner)
            _refuse_many_full_joins(inner)
            self._register_common_tables(inner)
            for rule in RULES:
                node = rule(inner, self, is_root=is_root)
                if node is not None:
                    return node
        except NotIncrementalError as error:
            reason = str(error)
        return recompute.recompute(inner, self, reason, is_root=is_root)

    def source(self, item: exp.Expr) -> tuple[str, Operator]:
        """Return alias and operator of an item of FROM.

        Raises:
            NotIncrementalError: No rule takes it.
        """
        alias = item.alias
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
            if _reads_siblings(item):
                raise NotIncrementalError("lateral query")
            extras = {name for name, value in item.args.items() if value} - {"this", "alias"}
            node = self.build(item.this)
            if not extras and not _renames(item, node):
                return alias, node
        elif isinstance(item, exp.Table) and item.name in self._common_tables:
            return alias or item.name, self._common_node(item.name)
        else:
            for rule in SOURCE_RULES:
                found = rule(item, self)
                if found is not None:
                    return alias or item.alias_or_name, found
        raise NotIncrementalError(f"{item.key.lower()} in FROM")

    def state_table(self, *, is_root: bool) -> str:
        """Name a new state table; the root of a view stores its state as the view's rows."""
        if is_root:
            return storage_name(self._oid)
        self._states += 1
        return f"s{self._oid}_{self._states}"

    def relation(self, table: str) -> InputRelation | None:
        """Return what is stored under a name."""
        return self._relations.get(table)

    def common_tables(self) -> Mapping[str, exp.CTE]:
        """Return all common table expressions met so far, in order."""
        return self._common_tables

    def _register_common_tables(self, query: exp.Expr) -> None:
        clause = query.args.get("with_")
        if clause is None:
            return
        for cte in clause.expressions:
            self._common_tables[cte.alias] = cte

    def _common_node(self, name: str) -> Operator:
        """Return the one node of a common table, however often it is read."""
        if name not in self._common_nodes:
            cte = self._common_tables[name]
            if any(table.name == name for table in cte.this.find_all(exp.Table)):
                raise NotIncrementalError("recursive query")
            node = self.build(cte.this)
            if _renames(cte, node):
                raise NotIncrementalError("renamed columns")
            self._common_nodes[name] = node
        return self._common_nodes[name]


def _renames(item: exp.Expr, node: Operator) -> bool:
    """Whether an alias gives columns other names than c1, c2, ..."""
    alias = item.args.get("alias")
    names = [] if alias is None else [column.name for column in alias.args.get("columns") or ()]
    return bool(names) and names != list(node.columns[: len(names)])


def _reads_siblings(item: exp.Subquery) -> bool:
    """Whether a query in FROM names an item outside of itself; aliases are unique."""
    named = {column.table for column in item.find_all(exp.Column) if column.table}
    inside = {alias.name for alias in item.this.find_all(exp.TableAlias)}
    inside.update(table.name for table in item.this.find_all(exp.Table))
    return not named <= inside
