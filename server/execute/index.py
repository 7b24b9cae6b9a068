"""CREATE INDEX, DROP INDEX and ALTER INDEX ... RENAME.

An index is described with the relation that it is of. The engine keeps one for tables where it
finds rows by it; no answer depends on that. What is unique is a matter of ``barrier/keys.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation
from catalog.dependence import describe_constraint
from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateTable,
    FeatureNotSupported,
    Notice,
    UndefinedColumn,
    UndefinedObject,
    UndefinedTable,
    WrongObjectType,
)
from catalog.index import Index, IndexKey
from catalog.oid import Oid
from catalog.relation import Relation, Rowless, Source, Table, View, kind_name
from catalog.relation_name import made_name
from catalog.sqlstate import SqlState
from catalog.state import Catalog, Indexed
from server.execute.alter_constraint import required_by_constraint
from server.execute.column_dependants import with_expressions_anew
from server.execute.compared_column import with_compared
from server.execute.fed_table import refuse_flows
from server.execute.latest import on_latest
from server.execute.names import find_relation, get_relation, schema_of
from server.execute.permission import check_create_in, must_own
from server.execute.storage_parameter import check_index_parameters
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql.bind.column_expression import (
    bind_index_condition,
    bind_index_expression,
    columns_of_row,
)
from server.sql.bind.output_name import index_word
from server.sql.clause import ColumnName, QualifiedName
from server.sql.index_statement import CreateIndex, IndexPart
from server.sql.statement import AlterRename


def create_index(state: SessionState, statement: CreateIndex) -> Done:
    """Describe an index, and have the engine make one where it helps.

    Raises:
        PgError: There is no such relation or column, or the name is taken.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _create(state, catalog, statement))


def _create(state: SessionState, catalog: Catalog, statement: CreateIndex) -> Done:
    tag = Done("CREATE INDEX")
    relation = _indexed(state, catalog, statement)
    if statement.name is not None and catalog.is_taken(relation.schema, statement.name.name):
        taken = f'relation "{statement.name.name}" already exists'
        if not statement.if_not_exists:
            raise DuplicateTable(taken)
        state.notice(Notice(f"{taken}, skipping", sqlstate=SqlState.DUPLICATE_TABLE))
        return tag
    relation, index = described_index(state, catalog, statement)
    check_index_parameters(state, statement.options)
    after = replace(relation, indexes=(*relation.indexes, index))
    refuse_flows(catalog, relation, after)
    values: dict[int, str] = {}
    rewritten: dict[Oid, Relation] = {}
    if isinstance(after, Table) and index.is_unique:
        numbers = index.plain_columns
        after = with_compared(catalog, relation, after, numbers, values=values, rewritten=rewritten)
        context = state.bind_context(catalog, offset=statement.start).context
        for column in relation.columns:
            if column.number in values:
                after = with_expressions_anew(after, column, context)
    readers = frozenset(reader.oid for reader in catalog.dependents(relation.oid))
    others = (AlterRelation(catalog.relations[oid], r) for oid, r in sorted(rewritten.items()))
    altered = AlterRelation(relation, after, readers if values else None, values)
    state.perform(ChangeCatalog((*others, altered)))
    return tag


def _indexed(state: SessionState, catalog: Catalog, statement: CreateIndex) -> Indexed:
    """Return what an index is to be of."""
    relation = get_relation(state, catalog, replace(statement.table, position=None))
    if isinstance(relation, View | Rowless | Source):
        raise WrongObjectType(
            f'cannot create index on relation "{relation.name}"',
            detail=f"This operation is not supported for {kind_name(relation)}s.",
        )
    must_own(state, relation)
    check_create_in(state, catalog.schemas[relation.schema])
    return relation


def described_index(
    state: SessionState, catalog: Catalog, statement: CreateIndex
) -> tuple[Indexed, Index]:
    """Return what an index would be of, and the index.

    Raises:
        PgError: There is no such relation or column, or it can have no indexes.
    """
    relation = _indexed(state, catalog, statement)
    context = state.bind_context(catalog, offset=statement.start).context
    keys: list[IndexKey] = []
    for part in statement.parts:
        if part.column is not None:
            number = _number(relation, part.column)
            keys.append(
                IndexKey(
                    number,
                    is_descending=part.is_descending,
                    has_nulls_first=part.has_nulls_first,
                )
            )
            continue
        assert part.expression is not None, part
        if not isinstance(relation, Table):
            raise FeatureNotSupported(
                "expressions in indexes of materialized views are not supported"
            )
        sql = bind_index_expression(part.expression, relation, context)
        columns = tuple(sorted(columns_of_row(sql)))
        keys.append(IndexKey(0, part.text, columns, part.is_descending, part.has_nulls_first, sql))
    include = tuple(_number(relation, named) for named in statement.include)
    named = statement.name
    name = named.name if named is not None else _free_name(catalog, relation, statement)
    index = Index(
        state.manager.allocate_oid(),
        name,
        tuple(keys),
        include,
        statement.text,
        is_unique=statement.is_unique,
        are_nulls_equal=statement.are_nulls_equal,
        config=state.settings.job_config,
    )
    if not isinstance(relation, Table):
        if statement.is_unique or statement.where is not None:
            what = "unique" if statement.is_unique else "partial"
            raise FeatureNotSupported(f"{what} indexes of materialized views are not supported")
        return relation, index
    if statement.where is not None:
        condition = bind_index_condition(statement.where, relation, context)
        read = tuple(sorted(columns_of_row(condition)))
        source = statement.where_text
        index = replace(index, condition=condition, condition_source=source, condition_columns=read)
    return relation, index


def _number(relation: Relation, named: ColumnName) -> int:
    for column in relation.columns:
        if column.name == named.name:
            return column.number
    raise UndefinedColumn(f'column "{named.name}" does not exist')


def _free_name(catalog: Catalog, relation: Relation, statement: CreateIndex) -> str:
    words = [_word(part) for part in statement.parts]
    words += [named.name for named in statement.include]
    return made_name(
        relation.name, words, "idx", lambda name: catalog.is_taken(relation.schema, name)
    )


def _word(part: IndexPart) -> str:
    if part.column is not None:
        return part.column.name
    assert part.expression is not None, part
    return index_word(part.expression)


def drop_indexes(state: SessionState, names: Sequence[QualifiedName], *, if_exists: bool) -> Done:
    """Take indexes away, all that are named or none.

    Raises:
        PgError: One does not exist, is something else, or belongs to somebody else.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        gone: dict[int, tuple[Indexed, set[str]]] = {}
        for name in names:
            found = _found(state, catalog, name, if_exists=if_exists)
            if found is not None:
                relation, index = found
                _refuse_needed(catalog, relation, index)
                gone.setdefault(relation.oid, (relation, set()))[1].add(index.name)
        changes = tuple(
            AlterRelation(
                relation,
                replace(
                    relation, indexes=tuple(i for i in relation.indexes if i.name not in dropped)
                ),
            )
            for relation, dropped in gone.values()
        )
        if changes:
            state.perform(ChangeCatalog(changes))
        return Done("DROP INDEX")

    return on_latest(state, perform)


def _refuse_needed(catalog: Catalog, relation: Indexed, index: Index) -> None:
    """Refuse to drop an index that a constraint stands on.

    Raises:
        DependentObjectsStillExist: One does.
    """
    if index.constraint:
        raise required_by_constraint(relation, index.name)
    for owner, key in catalog.referring(relation.oid):
        if key.key == index.oid:
            raise DependentObjectsStillExist(
                f"cannot drop index {index.name} because other objects depend on it",
                detail=f"{describe_constraint(key.name, owner)} depends on index {index.name}",
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )


def rename_index(state: SessionState, statement: AlterRename) -> Done:
    """Give an index another name.

    Raises:
        PgError: It does not exist, or the name is taken.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        if_exists = statement.if_exists
        if _rename_key(state, catalog, statement):
            return Done("ALTER INDEX")
        found = _found(state, catalog, statement.name, if_exists=if_exists, verb="ALTER")
        if found is not None:
            relation, index = found
            if catalog.is_taken(relation.schema, statement.new_name):
                raise DuplicateTable.named(statement.new_name)
            change_index(state, relation, index, replace(index, name=statement.new_name))
        return Done("ALTER INDEX")

    return on_latest(state, perform)


def _rename_key(state: SessionState, catalog: Catalog, statement: AlterRename) -> bool:
    """Give the index of a primary key, and its constraint, another name; False if it is none."""
    table = keyed(state, catalog, statement.name)
    if table is None:
        return False
    must_own(state, table)
    if catalog.is_taken(table.schema, statement.new_name):
        raise DuplicateTable.named(statement.new_name)
    altered = AlterRelation(table, replace(table, key_name=statement.new_name))
    state.perform(ChangeCatalog((altered,)))
    return True


def keyed(state: SessionState, catalog: Catalog, name: QualifiedName) -> Table | None:
    """Return the table whose primary key has a name, or None."""
    schema = schema_of(state, name)
    schemas = state.search_path(catalog) if schema is None else (schema,)
    return next((t for s in schemas if (t := catalog.find_key(s, name.name)) is not None), None)


def change_index(state: SessionState, relation: Indexed, before: Index, after: Index) -> None:
    """Put an index in the place of another of the same relation."""
    indexes = tuple(after if index == before else index for index in relation.indexes)
    altered = AlterRelation(relation, replace(relation, indexes=indexes))
    state.perform(ChangeCatalog((altered,)))


def find_index(
    state: SessionState, catalog: Catalog, name: QualifiedName
) -> tuple[Indexed, Index] | None:
    """Return the index of that name and what it is of, or None."""
    schema = schema_of(state, name)
    schemas = state.search_path(catalog) if schema is None else (schema,)
    return next((f for s in schemas if (f := catalog.find_index(s, name.name)) is not None), None)


def _found(
    state: SessionState,
    catalog: Catalog,
    name: QualifiedName,
    *,
    if_exists: bool,
    verb: str = "DROP",
) -> tuple[Indexed, Index] | None:
    found = find_index(state, catalog, name)
    if found is not None:
        must_own(state, found[0])
        return found
    keyed_by = keyed(state, catalog, name)
    if keyed_by is not None:
        raise required_by_constraint(keyed_by, name.name)
    relation = find_relation(state, catalog, name)
    if relation is not None:
        kind = kind_name(relation).upper()
        removes = f" to remove a {kind.lower()}" if verb == "DROP" else ""
        raise WrongObjectType(
            f'"{relation.name}" is not an index', hint=f"Use {verb} {kind}{removes}."
        )
    what = "index" if verb == "DROP" else "relation"
    if not if_exists and verb == "DROP":
        raise UndefinedObject(f'index "{name.name}" does not exist')
    if not if_exists:
        raise UndefinedTable.named(name.name)
    state.notice(Notice(f'{what} "{name.name}" does not exist, skipping'))
    return None
