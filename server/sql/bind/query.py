"""Bound queries while their columns' types can still change.

``SELECT 'a'`` has a column without a type until something around it (a set operation, INSERT,
a comparison) gives it one. So a bound query keeps its outputs apart until ``finish`` is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from catalog.oid import INVALID_OID, Oid
from catalog.types import TEXT, PgType
from catalog.written_numeric import WRITTEN_NUMERIC
from server.sql.bind.query_below import (
    choose_rows_below,
    compute_keys_below,
    expand_sets_below,
)
from server.sql.bind.series import move_series_to_from
from server.sql.bind.session_window import number_sessions_below
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import cast
from server.sql.jsonb_equality import equal_form, has_equal_form
from server.sql.typed import Typed
from server.sql.written_numeric import is_stored_with_scale


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a query; relation and number as OutputColumn has them."""

    name: str
    value: Typed
    relation_oid: Oid = INVALID_OID
    number: int = 0

    @property
    def settled_type(self) -> PgType:
        """Its type, text where nothing gave it one."""
        if is_stored_with_scale(self.value):
            return WRITTEN_NUMERIC
        return TEXT if self.value.is_unknown else self.value.type


@dataclass(frozen=True, slots=True)
class Cte:
    """A WITH query.

    Attributes:
        alias: Its name in the bound tree.
        columns: Names and types of its columns, which are c1, c2, ... in the bound tree.
        is_silent: Whether it writes and gives no rows, so that it cannot be read.
        is_running: Whether it is named in its own recursive term.
        hidden: How many of its last columns ``*`` does not stand for.
    """

    alias: str
    columns: tuple[tuple[str, PgType], ...]
    is_silent: bool = False
    is_running: bool = False
    hidden: int = 0


class Query(Protocol):
    """A bound query."""

    @property
    def outputs(self) -> Sequence[Output]:
        """Its columns."""
        ...

    def finish(
        self, types: Sequence[PgType] | None = None, how: Coercion = Coercion.IMPLICIT
    ) -> exp.Expr:
        """Return the tree with columns c1, c2, ..., of the given types if any; call it once."""
        ...

    def add_with(self, with_: exp.With) -> None:
        """Put WITH queries in front."""
        ...


@dataclass(slots=True)
class SelectQuery:
    """A SELECT; ``select`` has everything but its projections.

    Attributes:
        alias: For the case that it must be wrapped.
    """

    select: exp.Select
    outputs: list[Output]
    alias: str

    def finish(
        self, types: Sequence[PgType] | None = None, how: Coercion = Coercion.IMPLICIT
    ) -> exp.Expr:
        """Return the tree; a DISTINCT compares the columns' own types."""
        own = [output.settled_type for output in self.outputs]
        wanted = list(types) if types is not None else own
        is_distinct = self.select.args.get("distinct") is not None
        shown = [
            own[i] if is_distinct and not self.outputs[i].value.is_unknown else target
            for i, target in enumerate(wanted)
        ]
        projections = [
            aliased(_of_type(output.value, target, how), f"c{i}")
            for i, (output, target) in enumerate(zip(self.outputs, shown, strict=True), 1)
        ]
        # DuckDB has no SELECT without columns.
        self.select.set("expressions", projections or [aliased(exp.Literal.number("1"), "c1")])
        move_series_to_from(self.select, self.alias)
        choosing = choose_rows_below(self.select, f"{self.alias}d")
        compute_keys_below(choosing, f"{self.alias}k")
        number_sessions_below(choosing, f"{self.alias}w")
        expand_sets_below(self.select, f"{self.alias}s")
        return recast(self.select, shown, wanted, self.alias, how)

    def add_with(self, with_: exp.With) -> None:
        """Put WITH queries in front."""
        self.select.set("with_", with_)


@dataclass(slots=True)
class SetQuery:
    """UNION, INTERSECT or EXCEPT of two or more queries.

    Attributes:
        kinds: What joins each query to those before it; one less than queries.
    """

    queries: list[Query]
    kinds: list[tuple[type[exp.SetOperation], bool]]
    outputs: list[Output]
    alias: str
    with_: exp.With | None = None

    def finish(
        self, types: Sequence[PgType] | None = None, how: Coercion = Coercion.IMPLICIT
    ) -> exp.Expr:
        """Return the tree; rows are compared in the common types."""
        own = [output.value.type for output in self.outputs]
        trees = [query.finish(own) for query in self.queries]
        if any(is_distinct or kind is not exp.Union for kind, is_distinct in self.kinds):
            trees = [compared(tree, own, self.alias) for tree in trees]
        tree = set_operand(trees[0])
        for (kind, is_distinct), branch in zip(self.kinds, trees[1:], strict=True):
            tree = kind(this=tree, expression=set_operand(branch), distinct=is_distinct)
        if self.with_ is not None:
            tree.set("with_", self.with_)
        return recast(tree, own, list(types) if types is not None else own, self.alias, how)

    def add_with(self, with_: exp.With) -> None:
        """Put WITH queries in front."""
        self.with_ = with_


@dataclass(slots=True)
class ValuesQuery:
    """VALUES as a query; each column has one type."""

    rows: list[list[Typed]]
    outputs: list[Output]
    alias: str
    with_: exp.With | None = None

    def values(
        self, types: Sequence[PgType] | None = None, how: Coercion = Coercion.IMPLICIT
    ) -> exp.Values:
        """Return the rows as a FROM item."""
        wanted = types if types is not None else [output.value.type for output in self.outputs]
        return exp.Values(
            expressions=[
                exp.Tuple(
                    expressions=[_of_type(v, t, how) for v, t in zip(row, wanted, strict=True)]
                )
                for row in self.rows
            ],
            alias=exp.TableAlias(
                this=exp.to_identifier(self.alias),
                columns=[exp.to_identifier(f"c{i}") for i in range(1, len(wanted) + 1)],
            ),
        )

    def finish(
        self, types: Sequence[PgType] | None = None, how: Coercion = Coercion.IMPLICIT
    ) -> exp.Expr:
        """Return a SELECT from the rows."""
        values = self.values(types, how)
        select = exp.Select(expressions=_reads(self.alias, len(self.outputs)))
        select.set("from_", exp.From(this=values))
        if self.with_ is not None:
            select.set("with_", self.with_)
        return select

    def add_with(self, with_: exp.With) -> None:
        """Put WITH queries in front."""
        self.with_ = with_


def aliased(tree: exp.Expr, name: str) -> exp.Alias:
    """Return ``tree AS name``; the tree is taken as it is."""
    return exp.Alias(this=tree, alias=exp.Identifier(this=name, quoted=False))


def outputs_of(alias: str, outputs: Sequence[Output]) -> list[Output]:
    """Return the outputs as read from a FROM item that holds the query."""
    return [
        Output(
            output.name,
            Typed(exp.column(f"c{i}", table=alias), output.settled_type),
            output.relation_oid,
            output.number,
        )
        for i, output in enumerate(outputs, 1)
    ]


def subquery(tree: exp.Expr, alias: str) -> exp.Subquery:
    """Return a query as a FROM item."""
    return exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier(alias)))


def recast(
    tree: exp.Expr,
    own: Sequence[PgType],
    wanted: Sequence[PgType],
    alias: str,
    how: Coercion = Coercion.IMPLICIT,
) -> exp.Expr:
    """Return the query, wrapped where a column must have another type."""
    if list(own) == list(wanted):
        return tree
    select = exp.Select(
        expressions=[
            aliased(_of_type(_read(alias, i, have), want, how), f"c{i}")
            for i, (have, want) in enumerate(zip(own, wanted, strict=True), 1)
        ]
    )
    select.set("from_", exp.From(this=subquery(tree, alias)))
    return select


def compared(tree: exp.Expr, types: Sequence[PgType], alias: str) -> exp.Expr:
    """Return the query, wrapped where values that are equal are not the same to the engine."""
    columns = [_read(alias, i, pg_type) for i, pg_type in enumerate(types, 1)]
    if not any(map(has_equal_form, columns)):
        return tree
    shown = [aliased(equal_form(column).tree, f"c{i}") for i, column in enumerate(columns, 1)]
    select = exp.Select(expressions=shown)
    select.set("from_", exp.From(this=subquery(tree, alias)))
    return select


def _read(alias: str, number: int, pg_type: PgType) -> Typed:
    return Typed(exp.column(f"c{number}", table=alias), pg_type)


def _of_type(value: Typed, target: PgType, how: Coercion) -> exp.Expr:
    """Return a value of a type; a bare NULL or string is given DuckDB's type by a cast."""
    if value.type == target:
        return value.tree if value.tree.parent is None else value.tree.copy()
    tree = coerce(value, target, how).tree
    if value.is_unknown:
        tree = cast(tree, target.duckdb)
    return tree if tree.parent is None else tree.copy()


def _reads(alias: str, count: int) -> list[exp.Expr]:
    return [aliased(exp.column(f"c{i}", table=alias), f"c{i}") for i in range(1, count + 1)]


def set_operand(tree: exp.Expr) -> exp.Expr:
    """Return a query that can stand beside a set operator."""
    is_plain = isinstance(tree, exp.Select) and not any(
        tree.args.get(clause) for clause in ("order", "limit", "offset", "with_")
    )
    return tree if is_plain else exp.Subquery(this=tree)
