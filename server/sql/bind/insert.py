"""INSERT: target columns, defaults, assignment, ON CONFLICT and RETURNING."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from catalog.acl import Privilege
from catalog.constraint import UniqueKey
from catalog.constraint_errors import GeneratedAlways
from catalog.errors import (
    DuplicateColumn,
    FeatureNotSupported,
    SqlSyntaxError,
)
from catalog.relation import Column
from catalog.types import PgType
from server.sql.bind import walker as places
from server.sql.bind.assignment import bind_assignments, old_and_new
from server.sql.bind.bind_query import QueryBinder, binding
from server.sql.bind.conflict import arbiters, on_key
from server.sql.bind.constant_column import (
    EngineValues,
    engine_values,
    is_plain,
    parameter_list,
)
from server.sql.bind.context import BindContext
from server.sql.bind.query import Cte, Query, ValuesQuery, aliased, subquery
from server.sql.bind.result import CONSTANTS_FIRST, BoundConflict, BoundInsert, ParameterList
from server.sql.bind.scope import Scope
from server.sql.bind.set_operation import check_lengths, output_nodes, row_values
from server.sql.bind.statement import Statement
from server.sql.bind.target import (
    assigned,
    bind_returning,
    default_value,
    find_column,
    find_target,
    finish_returning,
    is_default,
    mismatch,
    not_in_place,
    read_target,
    rows_of,
)
from server.sql.bind.walker import Walker
from server.sql.bind.with_query import bind_with
from server.sql.bind.written_view import not_a_column, view_checks, visibility
from server.sql.casts import fitted
from server.sql.coercion import Coercion, can_coerce
from server.sql.constant_rows import ConstantRows
from server.sql.fragment import fragment
from server.sql.functions.registry import is_table_function
from server.sql.parse import parse
from server.sql.parser.constant_rows import only_rows
from server.sql.query_tree import function_name
from server.sql.statement import Insert, OnConflict
from server.sql.statement import Query as ParsedQuery
from server.sql.typed import Typed

#: The FROM item of ON CONFLICT DO UPDATE that the executor puts its rows in the place of.
EXCLUDED = "excluded"


def bind_insert(node: Insert, context: BindContext) -> BoundInsert:
    """Bind an INSERT; what was parsed is left as it is.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, node.text)
    with binding(statement):
        return insert_in(statement, node, {})


def insert_in(statement: Statement, node: Insert, ctes: Mapping[str, Cte]) -> BoundInsert:
    """Bind an INSERT as a part of a statement; ``ctes`` are what it may name beside its own."""
    return _Insert(statement, node, ctes).bind()


class _Insert:
    """One INSERT while it is bound."""

    def __init__(self, statement: Statement, node: Insert, ctes: Mapping[str, Cte]) -> None:
        self._statement = statement
        self._node = node
        self._binder = QueryBinder(statement)
        self._ctes = ctes
        self._constants: list[EngineValues | ParameterList] = []
        self._plain: tuple[int | None, ...] | None = None
        self._target = find_target(statement, node.table, "insert into")
        self._table = self._target.table
        written = self._target.written
        self._checks = () if written is None else view_checks(statement, written)

    def bind(self) -> BoundInsert:
        statement, node = self._statement, self._node
        if not self._table.columns:
            raise FeatureNotSupported("rows of tables without columns are not supported")
        bound_with: exp.With | None = None
        if node.with_ is not None:
            bound_with, self._ctes = bind_with(
                statement, node.with_, None, self._ctes, self._binder.bind
            )
        columns = self._columns()
        self._target.need(statement, Privilege.INSERT, (c.number for c in columns))
        tree = self._tree(columns)
        if bound_with is not None:
            tree.set("with_", bound_with)
        conflict = self._conflict()
        if bound_with is not None and conflict is not None and conflict.update is not None:
            conflict.update.set("with_", bound_with.copy())
        returning = bind_returning(
            statement, self._binder, self._target, node.returning, self._ctes, name=node.alias
        )
        finished = statement.finish(tree)
        if conflict is not None and conflict.update is not None:
            statement.finish(conflict.update)
        return BoundInsert(
            self._table,
            finished,
            conflict,
            tuple(self._constants),
            self._plain,
            finish_returning(statement, returning),
            statement.parameter_types(),
            frozenset(statement.depends_on),
            statement.needs,
            self._checks,
        )

    def _tree(self, columns: list[Column]) -> exp.Expr:
        """Return the query for the rows."""
        node = self._node
        source = node.query
        if node.rows is not None:
            constants = self._read_constants(columns, node.rows)
            if constants is not None:
                self._constants = constants
                self._plain = self._places(columns, constants)
                return self._from_constants(columns, len(constants))
            source = _values_of(node, node.rows)
        if source is None:
            return exp.Select(expressions=self._stored([], []))
        if isinstance(source, exp.Values) and not _has_modifiers(source):
            if len(source.expressions) == 1 and _holds_sets(source):
                # One row of VALUES is a SELECT to PostgreSQL, which may have sets.
                values = [value.copy() for value in row_values(source.expressions[0])]
                return self._from_query(columns, exp.Select(expressions=values))
            return self._from_rows(columns, source)
        return self._from_query(columns, source)

    def _check_twice(self, columns: Sequence[Column]) -> None:
        """Refuse a view's columns that show the same one of the table.

        Raises:
            SqlSyntaxError: There are two.
        """
        names = {column.number: column.name for column in self._table.columns}
        seen: set[int] = set()
        for column in columns:
            if column.number in seen and column.number:
                raise SqlSyntaxError(
                    f'multiple assignments to same column "{names[column.number]}"'
                )
            seen.add(column.number)

    def _columns(self) -> list[Column]:
        """Return the columns that values are given for; all of them where none are named."""
        columns: list[Column] = []
        for named in self._node.columns:
            column = find_column(self._target, named.name, position=named.position)
            if column in columns:
                raise DuplicateColumn(
                    f'column "{column.name}" specified more than once', position=named.position
                )
            columns.append(column)
        for column in self._target.columns if columns else ():
            if not column.number and column.default is not None and column not in columns:
                self._check_given(column)  # Its default would be.
        return columns or list(self._target.columns)

    def _check_width(self, width: int, columns: Sequence[Column], nodes: list[exp.Expr]) -> None:
        """Compare the number of values with that of columns; ``nodes`` are the values' trees."""
        count = len(columns)
        if width > count:
            node = nodes[count] if len(nodes) == width else nodes[0]  # A star stands for several.
            raise SqlSyntaxError(
                "INSERT has more expressions than target columns",
                position=self._statement.position(node),
            )
        if width < count and self._node.columns:
            raise SqlSyntaxError(
                "INSERT has more target columns than expressions",
                position=self._node.columns[width].position,
            )

    def _stored(self, columns: Sequence[Column], values: Sequence[exp.Expr]) -> list[exp.Expr]:
        """Return all columns of the table in order, those without a value by their default."""
        given = {
            column.number: value
            for column, value in zip(columns, values, strict=False)
            if not self._is_passed_over(column)
        }
        return [
            aliased(given.get(column.number) or default_value(column).tree, column.storage_name)
            for column in self._target.stored_columns
        ]

    def _read_constants(
        self, columns: Sequence[Column], rows: ConstantRows
    ) -> list[EngineValues | ParameterList] | None:
        """Return the values for the engine by column; None if a column is not that plain."""
        width = len(rows.columns)
        if any(self._is_settled(column) for column in columns[:width]):
            return None
        if len({column.number for column in columns[:width]}) < width:
            return None  # Columns of a view that show the same one.
        if width > len(columns) or (width < len(columns) and self._node.columns):
            return None
        found: list[EngineValues | ParameterList] = []
        types: dict[int, PgType] = {}
        for column, literals in zip(columns, rows.columns, strict=False):
            values: EngineValues | ParameterList | None
            if literals[0][0] == "$":
                values = parameter_list(literals, column.type, self._statement.parameters, types)
            else:
                values = engine_values(literals, column.type)
            if values is None:
                return None
            found.append(values)
        for number, pg_type in types.items():
            self._statement.set_parameter(number, pg_type)
        return found

    def _places(
        self, columns: Sequence[Column], constants: Sequence[EngineValues | ParameterList]
    ) -> tuple[int | None, ...] | None:
        """Return what of the constants is in each column; None if there is more to be done."""
        if self._node.on_conflict is not None or self._node.returning or self._checks:
            return None
        given = dict(
            zip((column.number for column in columns), range(len(constants)), strict=False)
        )
        places: list[int | None] = []
        for column in self._target.stored_columns:
            place = given.get(column.number)
            if column.type.domain is not None or column.generated is not None:
                return None
            if place is None and column.default is not None:
                return None
            if place is not None and not is_plain(constants[place], column.type):
                return None
            places.append(place)
        return tuple(places)

    def _from_constants(self, columns: Sequence[Column], width: int) -> exp.Expr:
        """Return the query that makes rows of one list for each column."""
        alias = self._statement.new_alias()
        lists = exp.Select()
        reads: list[exp.Expr] = []
        for i, column in enumerate(columns[:width]):
            number = exp.Parameter(this=exp.Literal.number(str(CONSTANTS_FIRST + i)))
            unnested = fragment(f"UNNEST(CAST(_0 AS {column.type.duckdb}[]))", number)
            lists.append("expressions", aliased(unnested, f"c{i + 1}"))
            read = exp.column(f"c{i + 1}", table=alias)
            reads.append(fitted(read, column.type, is_explicit=False))
        select = exp.Select(expressions=self._stored(columns[:width], reads))
        select.set("from_", exp.From(this=subquery(lists, alias)))
        return select

    def _from_rows(self, columns: list[Column], source: exp.Values) -> exp.Expr:
        """Bind VALUES, each value by the column that it is for."""
        rows = [row_values(row) for row in source.expressions]
        width = len(rows[0])
        check_lengths(self._statement, source)
        self._check_width(width, columns, rows[0])
        columns = columns[:width]
        walker = self._walker(Scope())
        for column, *nodes in zip(columns, *rows, strict=True):
            if not column.number or not all(is_default(node) for node in nodes):
                self._check_given(column)
        self._check_twice(columns)
        bound = [self._row(walker, row, columns) for row in rows]
        if len(bound) == 1:
            return exp.Select(expressions=self._stored(columns, bound[0]))
        alias = self._statement.new_alias()
        names = [f"c{i}" for i in range(1, width + 1)]
        values = exp.Values(
            expressions=[exp.Tuple(expressions=row) for row in bound],
            alias=exp.TableAlias(
                this=exp.to_identifier(alias), columns=[exp.to_identifier(n) for n in names]
            ),
        )
        reads = [exp.column(name, table=alias) for name in names]
        select = exp.Select(expressions=self._stored(columns, reads))
        select.set("from_", exp.From(this=values))
        return select

    def _walker(self, scope: Scope) -> Walker:
        return Walker(
            self._statement,
            scope,
            self._binder.bind,
            self._ctes,
            self._statement.new_level(),
            places.VALUES,
        )

    @staticmethod
    def _row(
        walker: Walker, nodes: Sequence[exp.Expr], columns: Sequence[Column]
    ) -> list[exp.Expr]:
        """Return a row's values; all are read before the first takes its column's type."""
        values = [None if is_default(node) else walker.bind(node) for node in nodes]
        return [
            default_value(column).tree
            if value is None
            else assigned(value, column, walker.position(node))
            for value, node, column in zip(values, nodes, columns, strict=True)
        ]

    def _from_query(self, columns: list[Column], source: exp.Expr) -> exp.Expr:
        query = self._binder.bind(source, None, self._ctes)
        width = len(query.outputs)
        self._check_width(width, columns, output_nodes(source))
        columns = columns[:width]
        for column in columns:
            self._check_given(column)
        self._check_twice(columns)
        self._check_types(query, columns, source)
        types = [column.type for column in columns]
        tree = query.finish(types, Coercion.ASSIGNMENT)
        alias = self._statement.new_alias()
        reads: list[exp.Expr] = [exp.column(f"c{i}", table=alias) for i in range(1, width + 1)]
        select = exp.Select(expressions=self._stored(columns, reads))
        select.set("from_", exp.From(this=subquery(tree, alias)))
        return select

    def _is_settled(self, column: Column) -> bool:
        """Whether what is given for a column is refused or passed over."""
        if not column.number:
            return True
        if column.identity and self._node.overriding == "USER":
            return True
        is_always = column.identity == "a" and self._node.overriding != "SYSTEM"
        return column.generated is not None or is_always

    def _check_given(self, column: Column) -> None:
        """Refuse a value for a column that takes none.

        Raises:
            GeneratedAlways: It is one.
            FeatureNotSupported: It is a view's that shows none of the table's.
        """
        if not column.number and self._target.written is not None:
            raise not_a_column(self._target.written.view, column.name, "insert into")
        if self._is_settled(column) and not self._is_passed_over(column):
            raise given_to_generated(column)

    def _is_passed_over(self, column: Column) -> bool:
        return bool(column.identity) and self._node.overriding == "USER"

    def _check_types(self, query: Query, columns: Sequence[Column], source: exp.Expr) -> None:
        nodes = output_nodes(source)
        for i, (output, column) in enumerate(zip(query.outputs, columns, strict=True)):
            value = output.value
            if isinstance(query, ValuesQuery) or not value.is_unknown:
                shown = Typed(value.tree, output.settled_type)
                if not can_coerce(shown.type, column.type, Coercion.ASSIGNMENT):
                    node = nodes[i] if len(nodes) == len(columns) else nodes[0]
                    raise mismatch(shown, column, self._statement.position(node))

    def _conflict(self) -> BoundConflict | None:
        node = self._node.on_conflict
        if node is None:
            return None
        if self._table.is_append_only and node.assignments:
            raise FeatureNotSupported("append-only table does not support update or delete")
        found = arbiters(node, self._target, self._statement.context)
        if node.target:
            key = frozenset(number for arbiter in found for number in arbiter.columns)
            self._target.need(self._statement, Privilege.SELECT, key)
        oids = tuple(key.oid for key in found) if node.target or node.constraint else ()
        update = self._conflict_update(node, found[0]) if node.assignments else None
        written = self._target.written
        shown = () if update is None or written is None else visibility(self._statement, written)
        return BoundConflict(oids, update, shown)

    def _conflict_update(self, node: OnConflict, key: UniqueKey) -> exp.Select:
        """Return the query that pairs the rows to insert with those that are there."""
        statement, target = self._statement, self._target
        new, old = statement.new_alias(), statement.new_alias()
        tree, item = read_target(statement, target, old, self._node.alias, is_filtered=False)
        excluded = exp.Table(this=exp.to_identifier(EXCLUDED))
        rows, added = rows_of(statement, target, excluded, new, EXCLUDED)
        scope = Scope()
        scope.add(item)
        scope.add(not_in_place(added))
        walker = self._walker(scope)
        walker.place = places.UPDATE
        assignments = bind_assignments(walker, target, node.assignments, old)
        select = exp.Select(expressions=old_and_new(target, old, assignments))
        select.set("from_", exp.From(this=rows))
        select.set("joins", [exp.Join(this=tree, on=on_key(target, key, new, old))])
        if node.where is not None:
            with walker.within(places.WHERE):
                select.set("where", exp.Where(this=walker.condition(node.where, "WHERE")))
        return select


def given_to_generated(column: Column) -> GeneratedAlways:
    """Build the error for a value that is given for a column which takes none."""
    message = f'cannot insert a non-DEFAULT value into column "{column.name}"'
    if column.identity:
        return GeneratedAlways(
            message,
            detail=f'Column "{column.name}" is an identity column defined as GENERATED ALWAYS.',
            hint="Use OVERRIDING SYSTEM VALUE to override.",
        )
    return GeneratedAlways(message, detail=f'Column "{column.name}" is a generated column.')


def _values_of(node: Insert, rows: ConstantRows) -> exp.Expr:
    """Return the tree of the rows, with positions as in the whole statement."""
    query = parse(only_rows(node.source, rows))
    assert isinstance(query, ParsedQuery)
    return query.tree


def _holds_sets(node: exp.Expr) -> bool:
    """Whether set-returning functions are called in values, none of which is left to DEFAULT."""
    if any(is_default(value) for value in row_values(node.expressions[0])):
        return False
    return any(
        not isinstance(call, exp.Anonymous) or is_table_function(function_name(call))
        for call in node.find_all(exp.Anonymous, exp.Explode, exp.Unnest)
    )


def _has_modifiers(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("order", "limit", "offset", "with_"))
