"""MERGE: which rows meet, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from catalog.acl import NONE, Privilege
from catalog.errors import DuplicateColumn, FeatureNotSupported, SqlSyntaxError
from catalog.relation import Column, MaterializedView, Source, View, kind_name
from server.sql.bind import walker as places
from server.sql.bind.assignment import bind_assignments
from server.sql.bind.bind_query import QueryBinder, binding
from server.sql.bind.context import BindContext
from server.sql.bind.from_item import FromBinder
from server.sql.bind.insert import given_to_generated
from server.sql.bind.query import Cte, aliased
from server.sql.bind.relation import find_relation
from server.sql.bind.result import BoundMerge
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.target import (
    assigned,
    default_value,
    find_column,
    find_target,
    is_default,
    read_target,
    storage_columns,
)
from server.sql.bind.walker import Walker
from server.sql.bind.with_query import bind_with
from server.sql.fragment import cast
from server.sql.merge_statement import (
    Merge,
    MergeDelete,
    MergeInsert,
    MergeNothing,
    MergeUpdate,
    When,
)

#: Whether the stored row goes or becomes another, and whether there is a new one.
CHANGES = "__changes"
ADDS = "__adds"

#: New values by column number.
_Values = dict[int, exp.Expr]


def bind_merge(node: Merge, context: BindContext) -> BoundMerge:
    """Bind a MERGE; what was parsed is left as it is.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, node.text)
    with binding(statement):
        return merge_in(statement, node, {})


def merge_in(statement: Statement, node: Merge, ctes: Mapping[str, Cte]) -> BoundMerge:
    """Bind a MERGE as a part of a statement; ``ctes`` are what it may name beside its own."""
    return _Merge(statement, node, ctes).bind()


#: What each action needs.
_NEEDED: Final[dict[type, Privilege]] = {
    MergeUpdate: Privilege.UPDATE,
    MergeInsert: Privilege.INSERT,
    MergeDelete: Privilege.DELETE,
    MergeNothing: NONE,
}


class _Merge:
    """One MERGE while it is bound."""

    def __init__(self, statement: Statement, node: Merge, ctes: Mapping[str, Cte]) -> None:
        self._statement = statement
        self._node = node
        self._binder = QueryBinder(statement)
        self._ctes = ctes
        _refuse_views(statement, node)
        self._target = find_target(statement, node.table, "merge into")
        self._table = self._target.table

    def bind(self) -> BoundMerge:
        statement, node, table = self._statement, self._node, self._table
        select = exp.Select()
        if node.with_ is not None:
            bound_with, self._ctes = bind_with(
                statement, node.with_, None, self._ctes, self._binder.bind
            )
            select.set("with_", bound_with)
        level = statement.new_level()
        alias = statement.new_alias()
        rows, item = read_target(statement, self._target, alias, node.alias)
        binder = FromBinder(statement, None, self._ctes, self._binder.bind, level)
        joins = list(node.using.args.get("joins") or ())
        from_, more, source = binder.bind(node.using.args["from_"].this, joins)
        both = Scope()
        both.add(item)
        both.merge(source)
        meets = self._walker(both, level, places.JOIN).condition(node.on, "ON")
        select.set("from_", from_)
        select.set("joins", [*more, exp.Join(this=rows, side="LEFT", on=meets)])
        self._matched = exp.Not(
            this=exp.Is(this=exp.column(table.key[0], table=alias), expression=exp.Null())
        )
        source.unreachable.append(item)
        cases = [self._case(when, both, source, level, alias) for when in node.whens]
        select.set("expressions", self._projections(alias, cases))
        return BoundMerge(
            table,
            _acted_upon(statement.finish(select)),
            None,
            statement.parameter_types(),
            frozenset(statement.depends_on),
            statement.needs,
        )

    def _walker(self, scope: Scope, level: int, place: places.Place) -> Walker:
        return Walker(self._statement, scope, self._binder.bind, self._ctes, level, place)

    def _case(
        self, when: When, both: Scope, source: Scope, level: int, old: str
    ) -> tuple[exp.Expr, When, _Values]:
        """Return when a clause is the one, the clause, and the values that it gives."""
        scope = both if when.is_matched else source
        walker = self._walker(scope, level, places.UPDATE)
        applies: exp.Expr = self._matched.copy()
        if not when.is_matched:
            applies = exp.Not(this=applies)
        if when.condition is not None:
            with walker.within(places.MERGE_WHEN):
                condition = walker.condition(when.condition, "WHEN")
            applies = exp.And(this=applies, expression=exp.paren(condition))
        self._statement.needs.add(self._table.oid, _NEEDED[type(when.action)])
        match when.action:
            case MergeUpdate(assignments):
                return applies, when, bind_assignments(walker, self._target, assignments, old)
            case MergeInsert() as insert:
                with walker.within(places.VALUES):
                    return applies, when, self._inserted(walker, insert)
            case MergeDelete() | MergeNothing():
                return applies, when, {}

    def _inserted(self, walker: Walker, insert: MergeInsert) -> _Values:
        columns: list[Column] = []
        for named in insert.columns:
            column = find_column(self._target, named.name, position=named.position)
            if column in columns:
                raise DuplicateColumn(
                    f'column "{column.name}" specified more than once', position=named.position
                )
            columns.append(column)
        columns = columns or [c for c in self._table.columns if c.generated is None]
        self._statement.needs.add(self._table.oid, Privilege.INSERT, (c.number for c in columns))
        values = {c.number: default_value(c).tree for c in self._table.columns}
        if not insert.values:
            return values
        if len(insert.values) > len(columns):
            node = insert.values[len(columns)]
            raise SqlSyntaxError(
                "INSERT has more expressions than target columns", position=walker.position(node)
            )
        if len(insert.values) < len(columns) and insert.columns:
            raise SqlSyntaxError(
                "INSERT has more target columns than expressions",
                position=insert.columns[len(insert.values)].position,
            )
        for column, node in zip(columns, insert.values, strict=False):
            if node is None or is_default(node):
                continue
            if column.generated is not None or column.identity == "a":
                raise given_to_generated(column)
            values[column.number] = assigned(walker.bind(node), column, walker.position(node))
        return values

    def _projections(
        self, alias: str, cases: list[tuple[exp.Expr, When, _Values]]
    ) -> list[exp.Expr]:
        changing, adding = (MergeUpdate, MergeDelete), (MergeUpdate, MergeInsert)
        shown: list[exp.Expr] = [
            aliased(
                _switch(
                    [
                        (a, exp.true() if isinstance(w.action, kinds) else exp.false())
                        for a, w, _ in cases
                    ],
                    exp.false(),
                ),
                name,
            )
            for name, kinds in ((CHANGES, changing), (ADDS, adding))
        ]
        shown += [
            aliased(exp.column(name, table=alias), f"o_{name}")
            for name in storage_columns(self._table)
        ]
        for column in self._table.columns:
            name = column.storage_name
            old = exp.column(name, table=alias)
            values = [(a, v.get(column.number, old).copy()) for a, _, v in cases]
            null = cast(exp.Null(), column.type.duckdb)
            shown.append(aliased(_switch(values, null), f"n_{name}"))
        return shown


def _switch(cases: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr) -> exp.Expr:
    """Return the value of the first case that applies."""
    ifs = [exp.If(this=applies.copy(), true=value) for applies, value in cases]
    return exp.Case(ifs=ifs, default=default)


def _acted_upon(tree: exp.Expr) -> exp.Expr:
    """Return the query for only those rows that something is done about."""
    assert isinstance(tree, exp.Select)
    with_ = tree.args.pop("with_", None)
    outer = exp.Select(expressions=[exp.Star()])
    outer.set(
        "from_",
        exp.From(
            this=exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier("merged")))
        ),
    )
    outer.set(
        "where", exp.Where(this=exp.Or(this=exp.column(CHANGES), expression=exp.column(ADDS)))
    )
    if with_ is not None:
        outer.set("with_", with_)
    return outer


def _refuse_views(statement: Statement, node: Merge) -> None:
    name = node.table
    relation = find_relation(
        statement.context, name.name, name.schema, name.database, position=name.position
    )
    if isinstance(relation, View | MaterializedView | Source):
        raise FeatureNotSupported(
            f'cannot execute MERGE on relation "{relation.name}"',
            detail=f"This operation is not supported for {kind_name(relation)}s.",
        )
