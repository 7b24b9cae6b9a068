"""FROM: relations, subqueries, functions, joins and what each of them can see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from sqlglot import exp

from catalog.errors import (
    FeatureNotSupported,
    GroupingError,
    InvalidColumnReference,
    SqlSyntaxError,
    UndefinedTable,
)
from catalog.types import PgType
from server.sql.bind import walker as places
from server.sql.bind.asof import without_asof
from server.sql.bind.join_using import merged_by, shared_names
from server.sql.bind.query import Cte, Query, ValuesQuery, subquery
from server.sql.bind.relation import find_index, find_with_schema, read_index, read_relation
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.sequence import find_sequence, read_sequence
from server.sql.bind.statement import Statement
from server.sql.bind.table_function import bind_rows_from, bind_table_function
from server.sql.bind.temporal_join import (
    check_temporal_join,
    is_of_now,
    temporal_alias,
)
from server.sql.bind.time_travel import read_earlier
from server.sql.bind.walker import BindSubquery, Walker
from server.sql.parse import parse_expression
from server.sql.parser.join_alias import JOIN_ALIAS
from server.sql.typed import Typed

#: What the parser may hang joins on.
_HOLDERS = (exp.Table, exp.Subquery)


@dataclass(slots=True)
class _Joined:
    """FROM items that are joined already: the first one, the joins, and what can be named."""

    first: exp.Expr
    joins: list[exp.Join] = field(default_factory=list)
    scope: Scope = field(default_factory=Scope)

    def as_item(self) -> exp.Expr:
        """Return all of it as one FROM item."""
        if not self.joins:
            return self.first
        self.first.set("joins", self.joins)
        return exp.Subquery(this=self.first)

    @property
    def is_flat(self) -> bool:
        """Whether its joins mean the same when something stands before the first item."""
        return not any(join.side in ("RIGHT", "FULL") for join in self.joins)


@dataclass(slots=True)
class _FromOwner:
    """Stands for a level whose FROM is being bound."""

    level: int

    def allow_aggregate(self, position: int | None) -> None:
        raise GroupingError(
            "aggregate functions are not allowed in FROM clause of their own query level",
            position=position,
        )


@dataclass(slots=True)
class FromBinder:
    """Binds the FROM clause of one query level."""

    statement: Statement
    outer: Scope | None
    ctes: Mapping[str, Cte]
    bind_subquery: BindSubquery
    level: int

    def bind(
        self, first: exp.Expr, joins: list[exp.Expr]
    ) -> tuple[exp.From, list[exp.Join], Scope]:
        """Return FROM, the joins after it and the scope that they open."""
        joined = self._joined(first, joins, Scope())
        joined.scope.outer = self.outer
        return exp.From(this=joined.first), joined.joins, joined.scope

    def _joined(self, first: exp.Expr, joins: list[exp.Expr], before: Scope) -> _Joined:
        """Bind items separated by commas, each of them items joined with each other."""
        groups: list[tuple[exp.Expr, list[exp.Expr]]] = [(first, [])]
        pending = [*self._own_joins(first), *joins]
        while pending:
            join = pending.pop(0)
            if _is_comma(join):
                groups.append((join.this, []))
            else:
                groups[-1][1].append(join)
            pending[:0] = self._own_joins(join.this)
        whole: _Joined | None = None
        for head, inner in groups:
            seen = Scope(list(before.items), list(before.visible))
            if whole is not None:
                seen.items += whole.scope.items
                seen.visible += whole.scope.visible
            group = self._group(head, inner, seen)
            whole = group if whole is None else self._crossed(whole, group)
        assert whole is not None
        return whole

    @staticmethod
    def _own_joins(item: exp.Expr) -> list[exp.Expr]:
        """Return the joins that the parser hung on an item: DELETE ... USING a, b."""
        return list(item.args.get("joins") or ()) if isinstance(item, _HOLDERS) else []

    @staticmethod
    def _crossed(whole: _Joined, group: _Joined) -> _Joined:
        if group.is_flat:
            whole.joins.append(exp.Join(this=group.first, kind="CROSS"))
            whole.joins += group.joins
        else:
            whole.joins.append(exp.Join(this=group.as_item(), kind="CROSS"))
        whole.scope.merge(group.scope)
        return whole

    def _group(self, head: exp.Expr, joins: list[exp.Expr], before: Scope) -> _Joined:
        joined = self._item(head, before)
        if is_of_now(head) and not before.items:
            check_temporal_join(self.statement, head, None)
        for join in joins:
            if str(join.args.get("side") or "").upper() in {"RIGHT", "FULL"}:
                seen = Scope([*before.items], [*before.visible], barred=[*joined.scope.items])
            else:
                seen = Scope(
                    [*before.items, *joined.scope.items], [*before.visible, *joined.scope.visible]
                )
            meant = join
            if str(join.args.get("method") or "").upper() == "ASOF":
                meant = without_asof(join, self.statement.position(join.this))
            right = self._item(meant.this, seen)
            self._join(joined, right, meant, before)
            if is_of_now(meant.this):
                check_temporal_join(self.statement, meant.this, joined.joins[-1])
            if meant is not join:  # Its condition sees both sides at the same level.
                self._walker(joined.scope, before).condition(join.args["on"], "JOIN/ON")
        return joined

    def _join(self, left: _Joined, right: _Joined, join: exp.Expr, before: Scope) -> None:
        side = str(join.args.get("side") or "").upper()
        position = self.statement.position(join.this)
        using = [identifier.name for identifier in join.args.get("using") or ()]
        alias = ""
        if using and using[-1].startswith(JOIN_ALIAS):
            alias = using.pop().removeprefix(JOIN_ALIAS)
        method = str(join.args.get("method") or "").upper()
        if method == "NATURAL":
            using = shared_names(left.scope, right.scope)
        kind = str(join.args.get("kind") or "").upper()
        if kind in ("SEMI", "ANTI", "STRAIGHT"):
            raise FeatureNotSupported(f"{kind} JOIN is not supported", position=position)
        on = join.args.get("on")
        missing = _may_be_missing(left.scope, right.scope, side)
        built = exp.Join(this=right.as_item())
        if side:
            built.set("side", side)
        if using:
            built.set("on", merged_by(left.scope, right.scope, using, side))
            if alias:
                merged = FromItem("", alias, tuple(left.scope.visible[: len(using)]))
                left.scope.check_name(merged)
                left.scope.items.append(merged)
        else:
            left.scope.merge(right.scope)
            if on is not None:
                built.set("on", self._walker(left.scope, before).condition(on, "JOIN/ON"))
            elif side:
                if not _is_natural(join):
                    raise SqlSyntaxError.near(None, position=position)
                built.set("on", exp.true())
            else:
                built.set("kind", "CROSS")
        left.scope.items = [
            replace(item, is_nullable=True) if item.alias in missing else item
            for item in left.scope.items
        ]
        left.joins.append(built)

    def _walker(self, scope: Scope, before: Scope) -> Walker:
        seen = Scope(scope.items, scope.visible, self.outer, unreachable=list(before.items))
        return Walker(self.statement, seen, self.bind_subquery, self.ctes, self.level, places.JOIN)

    def _item(self, node: exp.Expr, seen: Scope) -> _Joined:
        """Bind one FROM item; ``seen`` is what stands before it, for LATERAL."""
        if _is_parenthesized(node):
            return self._parenthesized(node, seen)
        tree, item = self._single(node, seen)
        scope = Scope()
        scope.add(replace(item, tree=tree))
        return _Joined(tree, [], scope)

    def _parenthesized(self, node: exp.Expr, seen: Scope) -> _Joined:
        """Bind ``(a JOIN b ON ...)``; an alias hides the names inside."""
        joined = self._joined(node.this, [], seen)
        alias = node.args.get("alias")
        if alias is None:
            return joined
        columns = tuple(joined.scope.visible)
        item = _aliased(FromItem("", alias.name, columns), alias)
        joined.scope = Scope([item], list(item.columns))
        return joined

    def _lateral(self, seen: Scope) -> Scope:
        """Return what something LATERAL sees: the items before it, which it cannot aggregate."""
        owner = _FromOwner(self.level)
        return Scope(seen.items, seen.visible, self.outer, barred=seen.barred, owner=owner)

    def _single(self, node: exp.Expr, seen: Scope) -> tuple[exp.Expr, FromItem]:
        position = self.statement.position(node)
        if node.args.get("sample") is not None:
            raise FeatureNotSupported("TABLESAMPLE is not supported", position=position)
        if is_of_now(node) and isinstance(node, exp.Table):
            return self._relation(node, position, temporal_alias(self.statement, node))
        if node.args.get("version") is not None and isinstance(node, exp.Table):
            read = partial(self._relation, position=position)
            return read_earlier(self.statement, node, position, read)
        if isinstance(node, exp.Lateral):
            inner = node.this
            scope = self._lateral(seen)
            if isinstance(inner, exp.Subquery):
                return self._subquery(inner.this, node.args.get("alias"), scope, is_lateral=True)
            return self._function(node, inner, scope)
        if isinstance(node, exp.Unnest):
            scope = self._lateral(seen)
            return self._function(node, node, scope)
        if isinstance(node, exp.Table):
            if node.args.get("rows_from"):
                return self._rows_from(node, self._lateral(seen))
            if isinstance(node.this, (exp.Identifier, str)):
                return self._relation(node, position)
            scope = self._lateral(seen)
            schema, call = node.args.get("db"), node.this
            if schema is not None:
                call = exp.Dot(this=schema.copy(), expression=call.copy())
            return self._function(node, call, scope)
        scope = self.outer or Scope()
        if seen.items:
            scope = Scope([], [], self.outer, unreachable=list(seen.items))
        if isinstance(node, exp.Subquery):
            return self._subquery(node, node.args.get("alias"), scope, is_lateral=False)
        if isinstance(node, exp.Values):
            return self._subquery(node, node.args.get("alias"), scope, is_lateral=False)
        raise SqlSyntaxError.near(node.sql(dialect="postgres"), position=position)

    def _relation(
        self, node: exp.Table, position: int | None, temporal: str = ""
    ) -> tuple[exp.Expr, FromItem]:
        alias = temporal or self.statement.new_alias()
        cte = None if node.args.get("db") else self.ctes.get(node.name)
        if cte is not None:
            if temporal:
                raise FeatureNotSupported(
                    "Right table of a temporal join should not be a CTE. It should be a table,"
                    " index, or materialized view",
                    position=position,
                )
            if cte.is_silent:
                raise FeatureNotSupported(
                    f'WITH query "{node.name}" does not have a RETURNING clause', position=position
                )
            tree: exp.Expr = exp.Table(
                this=exp.to_identifier(cte.alias),
                alias=exp.TableAlias(this=exp.to_identifier(alias)),
            )
            item = _item_of(alias, node.name, list(cte.columns))
            shown = len(cte.columns) - cte.hidden
            item = replace(item, columns=item.columns[:shown], system=item.columns[shown:])
            item = replace(item, is_running=cte.is_running)
        else:
            if node.this.args.get("quoted") is None:
                raise SqlSyntaxError.near(node.name, position=position)
            tree, item = self._stored(node, alias, position)
        return tree, _aliased(item, node.args.get("alias"))

    def _stored(
        self, node: exp.Table, alias: str, position: int | None
    ) -> tuple[exp.Expr, FromItem]:
        """Return what reads a relation; an index is read as what its key and INCLUDE name."""
        context = self.statement.context
        schema, name = node.text("db") or None, node.name
        try:
            schema, relation = find_with_schema(
                context, name, schema, node.text("catalog") or None, position=position
            )
        except UndefinedTable:
            sequence = find_sequence(context, name, schema)
            if sequence is not None:
                return read_sequence(self.statement, sequence, alias)
            found = find_index(context, name, schema)
            if found is None and not schema and any(name in n for n in self.statement.later):
                raise _too_early(name, position) from None
            if found is None:
                raise
            return read_index(self.statement, *found, alias, self._index_key)
        return read_relation(self.statement, relation, alias, schema)

    def _index_key(self, source: str, item: FromItem) -> Typed:
        """Return an expression of an index's key over the rows of what it is of."""
        scope = Scope([item], list(item.columns))
        return self._walker(scope, Scope()).bind(parse_expression(source))

    def _subquery(
        self, node: exp.Expr, alias: exp.Expr | None, scope: Scope, *, is_lateral: bool
    ) -> tuple[exp.Expr, FromItem]:
        if isinstance(node, exp.Subquery) and node.args.get("alias") is alias:
            bare = node.copy() if _has_modifiers(node) else node.this
            if isinstance(bare, exp.Subquery):
                bare.set("alias", None)
            node = bare
        elif isinstance(node, exp.Values):
            node = exp.Values(expressions=node.expressions)
        query = self.bind_subquery(node, scope, self.ctes)
        name = self.statement.new_alias()
        item = FromItem(
            name,
            "",
            tuple(
                ScopeColumn(
                    output.name,
                    column_of(name, f"c{i}", output.settled_type),
                    output.relation_oid,
                    output.number,
                )
                for i, output in enumerate(query.outputs, 1)
            ),
        )
        tree = _values_item(query, name)
        if tree is None:
            finished = subquery(query.finish(), name)
            tree = (
                exp.Lateral(this=exp.Subquery(this=finished.this), alias=finished.args["alias"])
                if is_lateral
                else finished
            )
        return tree, _aliased(item, alias)

    def _function(self, node: exp.Expr, call: exp.Expr, scope: Scope) -> tuple[exp.Expr, FromItem]:
        walker = Walker(
            self.statement, scope, self.bind_subquery, self.ctes, self.level, places.FROM_FUNCTION
        )
        definition = _definition(node.args.get("alias"))
        bound = bind_table_function(
            walker, call, has_ordinality=_has_ordinality(node), definition=definition
        )
        return self._aliased_function(node, *bound)

    def _rows_from(self, node: exp.Table, scope: Scope) -> tuple[exp.Expr, FromItem]:
        """Return ROWS FROM (...): the functions' rows side by side."""
        walker = Walker(
            self.statement, scope, self.bind_subquery, self.ctes, self.level, places.FROM_FUNCTION
        )
        calls: list[tuple[exp.Expr, list[exp.ColumnDef]]] = []
        for call in node.args["rows_from"]:
            definition = _definition(call.args.get("alias"))
            calls.append((call.this if isinstance(call, exp.Table) else call, definition))
        tree, item = bind_rows_from(walker, calls, has_ordinality=_has_ordinality(node))
        return tree, _aliased(item, node.args.get("alias"))

    def _aliased_function(
        self, node: exp.Expr, name: str, tree: exp.Expr, item: FromItem
    ) -> tuple[exp.Expr, FromItem]:
        """A function whose one column has no name of its own calls it by the item's alias."""
        alias = node.args.get("alias")
        named = alias.name if alias is not None and alias.name else name
        is_single = len(item.columns) - _has_ordinality(node) == 1
        if is_single and alias is not None and item.columns[0].name == name:
            first = replace(item.columns[0], name=named)
            item = replace(item, columns=(first, *item.columns[1:]))
        item = replace(item, name=named)
        if alias is not None:
            names = [column.name for column in alias.args.get("columns") or ()]
            offset = node.args.get("offset")
            if isinstance(offset, exp.Identifier):
                names.append(offset.name)
            item = _with_names(item, names, self.statement.position(alias))
        return tree, item


def _definition(alias: exp.Expr | None) -> list[exp.ColumnDef]:
    """Return the columns that an alias defines with their types."""
    columns = [] if alias is None else alias.args.get("columns") or ()
    return [c for c in columns if isinstance(c, exp.ColumnDef) and c.args.get("kind") is not None]


def _is_parenthesized(node: exp.Expr) -> bool:
    """Whether an item is a join in parentheses, however many."""
    inner = node.this
    if not isinstance(node, exp.Subquery) or not isinstance(inner, _HOLDERS):
        return False
    is_join = isinstance(inner, exp.Table) or bool(inner.args.get("joins"))
    return is_join or _is_parenthesized(inner)


def _is_comma(join: exp.Expr) -> bool:
    return not any(join.args.get(key) for key in ("side", "kind", "on", "using", "method"))


def _is_natural(join: exp.Expr) -> bool:
    return str(join.args.get("method") or "").upper() == "NATURAL"


def _may_be_missing(left: Scope, right: Scope, side: str) -> set[str]:
    """Return the aliases of the items of which an outer join may find no row."""
    found = [*right.items] if side in {"LEFT", "FULL"} else []
    found += left.items if side in {"RIGHT", "FULL"} else []
    return {item.alias for item in found}


def _too_early(name: str, position: int | None) -> UndefinedTable:
    error = UndefinedTable.named(name, position=position)
    error.detail = (
        f'There is a WITH item named "{name}", but it cannot be referenced from this part of the '
        "query."
    )
    error.hint = "Use WITH RECURSIVE, or re-order the WITH items to remove forward references."
    return error


def _item_of(alias: str, name: str, columns: list[tuple[str, PgType]]) -> FromItem:
    return FromItem(
        alias,
        name,
        tuple(
            ScopeColumn(column, column_of(alias, f"c{i}", pg_type))
            for i, (column, pg_type) in enumerate(columns, 1)
        ),
    )


def _aliased(item: FromItem, alias: exp.Expr | None) -> FromItem:
    """Return the item under the name that the user gave it."""
    if alias is None or not alias.name:
        return item
    names = [column.name for column in alias.args.get("columns") or ()]
    named = replace(item, name=alias.name, schema="")
    return _with_names(named, names, None)


def _with_names(item: FromItem, names: list[str], position: int | None) -> FromItem:
    if len(names) > len(item.columns):
        raise InvalidColumnReference(
            f'table "{item.name}" has {len(item.columns)} columns available but '
            f"{len(names)} columns specified",
            position=position,
        )
    columns = tuple(
        replace(column, name=names[i]) if i < len(names) else column
        for i, column in enumerate(item.columns)
    )
    return replace(item, columns=columns)


def _has_ordinality(node: exp.Expr) -> bool:
    return bool(node.args.get("ordinality") or node.args.get("offset"))


def _has_modifiers(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("order", "limit", "offset", "with_"))


def _values_item(query: Query, alias: str) -> exp.Expr | None:
    """Return VALUES as a FROM item of its own where nothing else is around it."""
    if not isinstance(query, ValuesQuery) or query.with_ is not None:
        return None
    query.alias = alias
    return query.values()
