"""A query restricted to what the watermarks have closed.

A group is closed when the watermark has passed its key: no row of it can come any more. So is a
group of equal rows, and a row of UNION that is there once. A query with window functions is
restricted by ``frames``; a query without either shows the rows whose time has passed, if its rows
only come. What is restricted once is restricted for all that reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import sqlglot
from sqlglot import exp

from barrier.stream.aliases import WATERMARK
from catalog.errors import FeatureNotSupported
from catalog.oid import Oid
from catalog.relation import Source, Table, storage_name
from catalog.state import Catalog
from catalog.watermark import watermark_name
from server.sql.bind.result import BoundQuery
from server.sql.closing.derived import (
    Derivation,
    functions_of_time,
    has_aggregates,
    items_of,
    reads_beside_from,
    windows_of,
)
from server.sql.closing.frames import Frames
from server.sql.closing.growth import grows
from server.sql.closing.monotone import NOW, Marks, through

_NO_KEY: Final = "Emit-On-Window-Close mode requires a watermark column in GROUP BY."
_NO_MODE: Final = "The query cannot be executed in Emit-On-Window-Close mode."


def emitted_on_close(bound: BoundQuery, catalog: Catalog) -> BoundQuery:
    """Return a query as a view shows it that is emitted on window close.

    Raises:
        FeatureNotSupported: Nothing tells when its rows are final.
    """
    emission = Emission(catalog)
    tree = emission.of(bound.tree)
    return replace(bound, tree=tree, depends_on=bound.depends_on | emission.watermarks)


@dataclass
class Emission:
    """Restricts the queries of one statement.

    Attributes:
        catalog: What there is.
        watermarks: The tables whose watermarks are read.
        is_restricted: Whether anything has been restricted.
    """

    catalog: Catalog
    watermarks: set[Oid] = field(default_factory=set)
    is_restricted: bool = False
    _names: int = 0

    def __post_init__(self) -> None:
        self._derivation = Derivation(self.catalog)

    def of(self, query: exp.Expr) -> exp.Expr:
        """Return a bound query as a view shows it that is emitted on window close.

        Raises:
            FeatureNotSupported: Nothing tells when its rows are final.
        """
        restricted = self._within(query.copy())
        if self.is_restricted:
            return restricted
        assert isinstance(restricted, exp.Query), restricted
        if not grows(restricted, self.catalog):
            raise refusal("its rows can change or go")
        marked = self._derivation.of(restricted)
        name = next((n for n in restricted.named_selects if marked.get(n)), None)
        if name is None:
            raise refusal("no column of it has a watermark")
        return self.closed(restricted, name, marked[name])

    def closed(
        self,
        query: exp.Query,
        key: str,
        marks: Marks,
        shown: Sequence[str] | None = None,
        also: exp.Expr | None = None,
    ) -> exp.Select:
        """Return the rows of a query whose key is below its marks.

        Args:
            query: A query.
            key: The column.
            marks: Its marks.
            shown: The columns to return; None is all.
            also: Another condition, over the query's columns.
        """
        self.is_restricted = True
        joins: list[exp.Join] = []
        conditions = [] if also is None else [also]
        for mark in marks:
            name = self.name(WATERMARK)
            joins.append(exp.Join(this=self._watermark(mark.oid, name), kind="CROSS"))
            now = exp.column("c1", table=name)
            bound = mark.value.transform(lambda node, now=now: now.copy() if node == NOW else node)
            conditions.append(exp.LT(this=exp.column(key), expression=bound))
        where = conditions[0]
        for condition in conditions[1:]:
            where = exp.And(this=where, expression=condition)
        select = self.filtered(query, shown or query.named_selects, where)
        select.set("joins", joins)
        return select

    def filtered(self, query: exp.Expr, shown: Sequence[str], condition: exp.Expr) -> exp.Select:
        """Return columns of the rows of a query for which a condition over them holds."""
        alias = self.name("closed")

        def placed(node: exp.Expr) -> exp.Expr:
            is_own = isinstance(node, exp.Column) and not node.table
            return exp.column(node.name, table=alias) if is_own else node

        shown_as = [
            exp.alias_(exp.column(name, table=alias), f"c{i}") for i, name in enumerate(shown, 1)
        ]
        item = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))
        return exp.Select(
            expressions=shown_as,
            from_=exp.From(this=item),
            where=exp.Where(this=condition.transform(placed)),
        )

    def primary_key(self, table: str) -> list[str]:
        """Return the columns of the primary key of a stored table, by its storage name."""
        oid = Oid(int(table[1:])) if table[1:].isdigit() else None
        relation = None if oid is None else self.catalog.relations.get(oid)
        return [f"c{n}" for n in relation.primary_key] if isinstance(relation, Table) else []

    def name(self, beginning: str) -> str:
        """Return an alias that is used nowhere else."""
        self._names += 1
        return f"{beginning}{self._names}"

    def _watermark(self, oid: Oid, alias: str) -> exp.Subquery:
        """Return the one row that tells how far time has come in a table, as an item of FROM."""
        self.watermarks.add(oid)
        table = self.catalog.relations[oid]
        assert isinstance(table, Table | Source), oid
        watermark = table.watermark
        assert watermark is not None, oid
        # Aliases are unique in a bound query.
        row = f"{alias}_row"
        value = watermark.expression.replace("this_row.", f"{row}.")
        query = (
            f"SELECT GREATEST(MAX({value}), (SELECT floor FROM {watermark_name(oid)})) AS c1 "
            f"FROM {storage_name(oid)} AS {row}"
        )
        tree = sqlglot.parse_one(query, read="duckdb")
        return exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier(alias)))

    def _within(self, query: exp.Expr) -> exp.Expr:
        """Return a query in which all that puts rows together is restricted."""
        if isinstance(query, exp.Subquery):
            query.set("this", self._within(query.this))
            return query
        clause = query.args.get("with_")
        for cte in () if clause is None else clause.expressions:
            cte.set("this", self._within(cte.this))
        self._derivation.note_common(query)
        if isinstance(query, exp.SetOperation):
            return self._set_operation(query)
        if not isinstance(query, exp.Select) or query.args.get("limit"):
            raise refusal("it has a LIMIT")
        query.set("order", None)  # It means nothing in a view.
        if functions_of_time(query):
            raise refusal("its rows go as time passes")
        if reads_beside_from(query):
            raise refusal("a subquery of it can give other rows")
        for item, _ in items_of(query):
            if isinstance(item, exp.Subquery | exp.Lateral) and isinstance(
                item.this, exp.Query | exp.Subquery
            ):
                item.set("this", self._within(item.this))
        windows = windows_of(query)
        distinct, group = query.args.get("distinct"), query.args.get("group")
        is_grouped = group is not None or bool(query.args.get("having")) or has_aggregates(query)
        if windows:
            if is_grouped or distinct is not None:
                raise refusal("window functions and groups are in one SELECT")
            return Frames(self, query, windows, *self._derivation.of_from(query)).emitted()
        if is_grouped:
            return self._groups(query, [] if group is None else group.expressions)
        if distinct is not None:
            if distinct.args.get("on") is not None:
                raise refusal("DISTINCT ON takes one of several rows")
            return self._equal_rows(query)
        return query

    def _groups(self, query: exp.Select, keys: Sequence[exp.Expr]) -> exp.Select:
        marks, largest = self._derivation.of_from(query)
        for key in keys:
            found = through(key, marks, largest)
            if found:
                shown = query.named_selects
                name = f"c{len(shown) + 1}"
                query.append("expressions", exp.alias_(key.copy(), name))
                return self._with_common(query, name, found, shown)
        raise FeatureNotSupported(
            _NO_KEY, hint="Group by a column that has a watermark, or by a window of it."
        )

    def _equal_rows(self, query: exp.Query) -> exp.Select:
        marked = self._derivation.of(query)
        name = next((n for n in query.named_selects if marked.get(n)), None)
        if name is None:
            raise FeatureNotSupported(
                _NO_KEY, hint="Show a column that has a watermark, or a window of it."
            )
        return self._with_common(query, name, marked[name], query.named_selects)

    def _with_common(
        self, query: exp.Query, key: str, marks: Marks, shown: Sequence[str]
    ) -> exp.Select:
        """Restrict a query whose common table expressions are read by what is around it too."""
        clause = query.args.get("with_")
        query.set("with_", None)
        select = self.closed(query, key, marks, shown)
        select.set("with_", clause)
        return select

    def _set_operation(self, query: exp.SetOperation) -> exp.Expr:
        query.set("this", self._within(query.this))
        query.set("expression", self._within(query.expression))
        if isinstance(query, exp.Union) and not query.args.get("distinct"):
            return query
        return self._equal_rows(query)


def refusal(reason: str) -> FeatureNotSupported:
    """Return the error for a query of which nothing tells when its rows are final."""
    return FeatureNotSupported(
        _NO_MODE,
        detail=f"It cannot be known when rows are final: {reason}.",
        hint="Try grouping by, or selecting, a column that has a watermark.",
    )
