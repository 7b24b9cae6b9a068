"""SEARCH and CYCLE of a recursive query: columns that tell where a row was found, or found again.

As PostgreSQL has it (PostgreSQL 15, chapter 7.8.2): depth-first each row has the array of the rows
that led to it, breadth-first how many there are and itself; of cycles the array ends when a row is
in it already, which is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from catalog.errors import DuplicateColumn, FeatureNotSupported, SqlSyntaxError
from catalog.types import INT8, PgType, array_of, record
from server.sql.bind.query import Cte, aliased
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.walker import BindSubquery, Walker
from server.sql.coercion import Coercion, coerce
from server.sql.common_type import common_type
from server.sql.fragment import cast, fragment
from server.sql.parse import parse_expression
from server.sql.parser.search_cycle import CycleClause, SearchClause


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that a clause adds.

    Attributes:
        first: What rows of the first part have in it, as DuckDB SQL over ``_0``, ``_1``, ...: their
            columns.
        next: What others have, over the same and, behind them, the columns that the clauses added
            to the row before.
    """

    name: str
    type: PgType
    first: str
    next: str


@dataclass(frozen=True, slots=True)
class _Mark:
    """What tells rows that were found again: the values of both kinds of rows."""

    value: exp.Expr
    default: exp.Expr
    type: PgType


@dataclass(frozen=True, slots=True)
class SearchAndCycle:
    """The clauses of one query.

    Attributes:
        cte: The query with the columns of its own alone, as its second part sees it.
        columns: Those that are added.
        mark: The place of the mark among them, and the value that ends a path; or None.
    """

    cte: Cte
    columns: tuple[_Column, ...]
    mark: tuple[int, exp.Expr] | None

    @property
    def whole(self) -> Cte:
        """The query as all others see it."""
        added = tuple((column.name, column.type) for column in self.columns)
        return replace(self.cte, columns=self.cte.columns + added)

    def first(self, tree: exp.Expr) -> exp.Expr:
        """Return the first part with the columns that are added."""
        return self._wrapped(tree, [column.first for column in self.columns])

    def next(self, tree: exp.Expr, name: str, position: int | None) -> exp.Expr:
        """Return the second part with the columns that are added; the name is the query's.

        Raises:
            FeatureNotSupported: It is no SELECT that names the query where it says FROM.
        """
        if not isinstance(tree, exp.Select):
            raise FeatureNotSupported(
                "with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT",
                position=position,
            )
        items = [tree.args["from_"].this] if tree.args.get("from_") is not None else []
        items += [join.this for join in tree.args.get("joins") or ()]
        named = [i for i in items if isinstance(i, exp.Table) and i.name == self.cte.alias]
        grouped = any(tree.args.get(key) for key in ("group", "having"))
        if len(named) != 1 or grouped:
            raise FeatureNotSupported(
                "with a SEARCH or CYCLE clause, the recursive reference to WITH query"
                f' "{name}" must be at the top level of its right-hand SELECT',
                position=position,
            )
        count = len(self.cte.columns)
        alias = named[0].alias
        for place in range(count + 1, count + len(self.columns) + 1):
            tree.append("expressions", aliased(exp.column(f"c{place}", table=alias), f"c{place}"))
        if self.mark is not None:
            place, value = self.mark
            mark = exp.column(f"c{count + 1 + place}", table=alias)
            tree.where(fragment("_0 <> _1", mark, value), copy=False)
        return self._wrapped(tree, [column.next for column in self.columns])

    def _wrapped(self, tree: exp.Expr, added: Sequence[str]) -> exp.Expr:
        alias = self.cte.alias + "w"
        count = len(self.cte.columns)
        names = [f"c{place}" for place in range(1, count + len(self.columns) + 1)]
        holes = [exp.column(name, table=alias) for name in names]
        shown = [
            aliased(hole.copy(), name) for hole, name in zip(holes[:count], names, strict=False)
        ]
        for place, value in enumerate(added):
            filled = fragment(value, *holes)
            typed = cast(filled, self.columns[place].type.duckdb)
            shown.append(aliased(typed, names[count + place]))
        select = exp.Select(expressions=shown)
        item = exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier(alias)))
        select.set("from_", exp.From(this=item))
        return select


def search_and_cycle(
    statement: Statement,
    cte: Cte,
    clauses: tuple[SearchClause | None, CycleClause | None],
    bind_subquery: BindSubquery,
) -> SearchAndCycle | None:
    """Return what the clauses of a recursive query ask for; None where there are none.

    Raises:
        PgError: A column is not there, or a name is taken.
    """
    search, cycle = clauses
    if search is None and cycle is None:
        return None
    columns: list[_Column] = []
    mark: tuple[int, exp.Expr] | None = None
    count = len(cte.columns)
    if search is not None:
        _check_columns(statement, cte, "search", search.columns, search.start)
        _check_new(
            statement,
            cte,
            f'search sequence column name "{search.name}"',
            search.name,
            search.start,
        )
        columns.append(_sequence(cte, search))
    if cycle is not None:
        _check_columns(statement, cte, "cycle", cycle.columns, cycle.start)
        for what, name in (("mark", cycle.mark), ("path", cycle.path)):
            _check_new(statement, cte, f'cycle {what} column name "{name}"', name, cycle.start)
        _check_apart(statement, search, cycle)
        values = _mark(statement, cycle, bind_subquery)
        mark = (len(columns), values.value)
        columns += _path(cte, cycle, values, count + len(columns) + 1)
    return SearchAndCycle(cte, tuple(columns), mark)


def _sequence(cte: Cte, search: SearchClause) -> _Column:
    row, row_type = _row(cte, search.columns)
    before = f"_{len(cte.columns)}"
    if not search.is_breadth:
        pg_type = array_of(row_type)
        return _Column(search.name, pg_type, f"[{row}]", f"LIST_APPEND({before}, {row})")
    types = [INT8, *(pg_type for _, pg_type in row_type.members)]
    pg_type = record([(f"f{place}", found) for place, found in enumerate(types, 1)])
    places = [_place(cte, name) for name in search.columns]
    rest = "".join(f", 'f{number}': _{place}" for number, place in enumerate(places, 2))
    return _Column(
        search.name,
        pg_type,
        f"{{'f1': CAST(0 AS BIGINT){rest}}}",
        f"{{'f1': STRUCT_EXTRACT({before}, 'f1') + 1{rest}}}",
    )


def _path(cte: Cte, cycle: CycleClause, mark: _Mark, path_place: int) -> list[_Column]:
    row, row_type = _row(cte, cycle.columns)
    before = f"_{path_place}"
    value, default = (item.sql(dialect="duckdb") for item in (mark.value, mark.default))
    found = f"CASE WHEN LIST_CONTAINS({before}, {row}) THEN {value} ELSE {default} END"
    pg_type = array_of(row_type)
    return [
        _Column(cycle.mark, mark.type, default, found),
        _Column(cycle.path, pg_type, f"[{row}]", f"LIST_APPEND({before}, {row})"),
    ]


def _mark(statement: Statement, cycle: CycleClause, bind_subquery: BindSubquery) -> _Mark:
    walker = Walker(statement, Scope(), bind_subquery, {}, statement.new_level())
    with statement.reading_another_text():
        values = [walker.bind(parse_expression(text)) for text in (cycle.value, cycle.default)]
    pg_type = common_type(values, "CYCLE")
    value, default = (
        cast(coerce(item, pg_type, Coercion.IMPLICIT).tree, pg_type.duckdb) for item in values
    )
    return _Mark(value, default, pg_type)


def _row(cte: Cte, names: Sequence[str]) -> tuple[str, PgType]:
    """Return the row of some columns, as DuckDB SQL over ``_0``, ``_1``, ..., and its type."""
    places = [_place(cte, name) for name in names]
    types = [cte.columns[place][1] for place in places]
    members = ", ".join(f"'f{number}': _{place}" for number, place in enumerate(places, 1))
    pg_type = record([(f"f{number}", found) for number, found in enumerate(types, 1)])
    return f"CAST({{{members}}} AS {pg_type.duckdb})", pg_type


def _place(cte: Cte, name: str) -> int:
    return [column for column, _ in cte.columns].index(name)


def _check_columns(
    statement: Statement, cte: Cte, what: str, names: Sequence[str], start: int
) -> None:
    known = {name for name, _ in cte.columns}
    for place, name in enumerate(names):
        if name not in known:
            raise SqlSyntaxError(
                f'{what} column "{name}" not in WITH query column list',
                position=statement.at(start),
            )
        if name in names[:place]:
            raise DuplicateColumn(
                f'{what} column "{name}" specified more than once', position=statement.at(start)
            )


def _check_new(statement: Statement, cte: Cte, what: str, name: str, start: int) -> None:
    if any(name == known for known, _ in cte.columns):
        raise SqlSyntaxError(
            f"{what} already used in WITH query column list", position=statement.at(start)
        )


def _check_apart(statement: Statement, search: SearchClause | None, cycle: CycleClause) -> None:
    pairs = [("cycle mark", cycle.mark, "cycle path", cycle.path, cycle.start)]
    if search is not None:
        pairs += [
            ("search sequence", search.name, "cycle mark", cycle.mark, search.start),
            ("search sequence", search.name, "cycle path", cycle.path, search.start),
        ]
    for one, name, other, same, start in pairs:
        if name == same:
            raise SqlSyntaxError(
                f"{one} column name and {other} column name are the same",
                position=statement.at(start),
            )
