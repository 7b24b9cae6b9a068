"""LIKE of CREATE TABLE: columns as another relation has them, and what stands on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog.acl import Privilege
from catalog.index import Index, IndexKey
from catalog.relation import Column, Relation, Table
from catalog.state import Catalog
from server.execute.constraint_name import free_index_name
from server.execute.names import get_relation
from server.execute.permission import check
from server.session_state import SessionState
from server.sql.bind.column_expression import (
    bind_index_condition,
    bind_index_expression,
    columns_of_row,
)
from server.sql.bind.context import BindContext
from server.sql.bind.needs import Needs
from server.sql.bind.output_name import index_word
from server.sql.clause import (
    CheckDefinition,
    ColumnDefinition,
    ColumnName,
    Deferral,
    KeyDefinition,
    LikeClause,
    SequenceOptions,
)
from server.sql.parse import parse_expression
from server.sql.statement import CreateTable


@dataclass(frozen=True, slots=True)
class Likeness:
    """A statement with what it copies written out.

    Attributes:
        statement: CREATE TABLE without LIKE.
        indexes: Those to be made like others, with what these are of.
        comments: Of columns, by their names.
    """

    statement: CreateTable
    indexes: tuple[tuple[Table, Index], ...] = ()
    comments: dict[str, str] | None = None

    @property
    def has_more(self) -> bool:
        """Whether there is more to copy than the statement says."""
        return bool(self.indexes or self.comments)


def written_out(state: SessionState, catalog: Catalog, statement: CreateTable) -> Likeness:
    """Return a statement with the columns and constraints of its LIKE clauses written out.

    Raises:
        PgError: There is no such relation, or the user may not read it.
    """
    columns, checks = list(statement.columns), list(statement.checks)
    keys = list(statement.keys)
    indexes: list[tuple[Table, Index]] = []
    comments: dict[str, str] = {}
    shift = 0
    for like in statement.likes:
        source = get_relation(state, catalog, like.source)
        needs = Needs()
        needs.add(source.oid, Privilege.SELECT)
        check(state, needs)
        copied = [_column(catalog, source, column, like) for column in source.columns]
        place = like.place + shift
        columns[place:place] = copied
        shift += len(copied)
        if "COMMENTS" in like.including:
            comments |= {c.name: c.comment for c in source.columns if c.comment is not None}
        if not isinstance(source, Table):
            continue
        if "CONSTRAINTS" in like.including:
            checks += [
                CheckDefinition(parse_expression(c.source), c.source, c.name) for c in source.checks
            ]
        if "INDEXES" in like.including:
            keys += _keys(source)
            indexes += [(source, index) for index in source.indexes if not index.constraint]
    changed = replace(
        statement,
        columns=tuple(columns),
        checks=tuple(checks),
        keys=tuple(keys),
        likes=(),
    )
    return Likeness(changed, tuple(indexes), comments)


def _column(
    catalog: Catalog, source: Relation, column: Column, like: LikeClause
) -> ColumnDefinition:
    is_key = isinstance(source, Table) and column.number in source.primary_key
    definition = ColumnDefinition(
        column.name,
        column.type.sql_name,
        is_not_null=is_key or not column.is_nullable,
        copied=column,
    )
    if column.generated_source is not None and "GENERATED" in like.including:
        tree = parse_expression(column.generated_source)
        definition = replace(definition, generated=tree, generated_text=column.generated_source)
    if column.default_source is not None and "DEFAULTS" in like.including:
        tree = parse_expression(column.default_source)
        definition = replace(definition, default=tree, default_text=column.default_source)
    if column.identity and "IDENTITY" in like.including:
        options = _options(catalog, source, column)
        definition = replace(definition, identity=column.identity, sequence=options)
    return definition


def _options(catalog: Catalog, source: Relation, column: Column) -> SequenceOptions:
    """Return what is said of the sequence of an identity column."""
    owned = (source.oid, column.number)
    held = next(s for s in catalog.sequences.values() if s.owned_by == owned)
    return SequenceOptions(
        increment=held.increment,
        minimum=held.minimum,
        maximum=held.maximum,
        start=held.start,
        cache=held.cache,
        cycles=held.cycles,
    )


def _keys(source: Table) -> list[KeyDefinition]:
    names = {column.number: ColumnName(column.name) for column in source.columns}
    found = []
    if source.primary_key:
        key = tuple(names[number] for number in source.primary_key)
        found.append(KeyDefinition(key, is_primary=True))
    for index in source.indexes:
        if index.constraint:
            found.append(
                KeyDefinition(
                    tuple(names[part.column] for part in index.keys),
                    are_nulls_equal=index.are_nulls_equal,
                    include=tuple(names[number] for number in index.include),
                    deferral=Deferral(index.is_deferrable, index.is_deferred),
                )
            )
    return found


def finished(
    state: SessionState, catalog: Catalog, table: Table, likeness: Likeness, context: BindContext
) -> Table:
    """Return a table with the indexes and comments that are copied.

    Raises:
        PgError: An expression makes no sense for the table.
    """
    comments = likeness.comments or {}
    columns = tuple(replace(c, comment=comments.get(c.name)) for c in table.columns)
    table = replace(table, columns=columns)
    for source, index in likeness.indexes:
        names = {column.number: column.name for column in source.columns}
        numbers = {column.name: column.number for column in table.columns}
        placed = {number: numbers[name] for number, name in names.items() if name in numbers}
        keys = tuple(_key(key, table, placed, context) for key in index.keys)
        condition, read = None, tuple[int, ...]()
        if index.condition_source is not None:
            tree = parse_expression(index.condition_source)
            condition = bind_index_condition(tree, table, context)
            read = tuple(sorted(columns_of_row(condition)))
        words = [
            names[key.column] if key.column else index_word(parse_expression(str(key.source)))
            for key in index.keys
        ]
        words += [names[number] for number in index.include]
        name = free_index_name(catalog, table, None, words, "idx")
        copy = replace(
            index,
            oid=state.manager.allocate_oid(),
            name=name,
            keys=keys,
            include=tuple(placed[number] for number in index.include),
            definition="",
            condition=condition,
            condition_columns=read,
        )
        table = replace(table, indexes=(*table.indexes, copy))
    return table


def _key(key: IndexKey, table: Table, placed: dict[int, int], context: BindContext) -> IndexKey:
    if key.column:
        return replace(key, column=placed[key.column])
    assert key.source is not None, key
    sql = bind_index_expression(parse_expression(key.source), table, context)
    return replace(key, columns=tuple(sorted(columns_of_row(sql))), expression=sql)
