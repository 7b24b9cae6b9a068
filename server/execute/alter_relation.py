"""ALTER TABLE, VIEW and MATERIALIZED VIEW.

All actions of a statement are worked out on the catalog's description; the worker makes the rows
follow in one epoch, or nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from barrier.command import ChangeCatalog
from barrier.writes import WAS
from catalog.definition import definition_of
from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateColumn,
    DuplicateTable,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidTableDefinition,
    Notice,
    UndefinedColumn,
    UndefinedObject,
    UndefinedSchema,
)
from catalog.oid import Oid
from catalog.relation import Column, Relation, Table
from catalog.sqlstate import SqlState
from catalog.state import (
    SYSTEM_SCHEMAS,
    AlterRelation,
    Catalog,
    Change,
    DropRelations,
    SwapRelations,
    describe,
)
from server.execute.ddl import column_type, kind_of, made_column
from server.execute.drop import with_dependents
from server.execute.latest import on_latest
from server.execute.names import (
    check_column_name,
    find_relation,
    get_relation,
    must_own,
    wrong_kind,
)
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import alter_statement as a
from server.sql.bind.column_expression import bind_using, converted_column, converted_default
from server.sql.bind.default import bind_default
from server.sql.column_use import columns_read
from server.sql.statement import ColumnName, ObjectKind, QualifiedName


def alter_relation(state: SessionState, statement: a.AlterRelationStatement) -> Done:
    """Make something else of a relation.

    Raises:
        PgError: It does not exist, is of another kind, or cannot be what it is to be.
    """
    kind_of(statement.kind)
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _alter(state, catalog, statement))


def _alter(state: SessionState, catalog: Catalog, statement: a.AlterRelationStatement) -> Done:
    tag = Done(f"ALTER {statement.kind}")
    if_exists = not isinstance(statement, a.AlterSwap) and statement.if_exists
    if if_exists and find_relation(state, catalog, statement.name) is None:
        state.notice(Notice(f'relation "{statement.name}" does not exist, skipping'))
        return tag
    relation = _found(state, catalog, statement.kind, statement.name)
    changes: tuple[Change, ...]
    match statement:
        case a.AlterSchemaOf(schema=schema):
            moved = _moved(catalog, relation, schema)
            changes = (AlterRelation(relation, moved),) if moved is not relation else ()
        case a.AlterSwap(other=name):
            other = _found(state, catalog, statement.kind, name)
            changes = (SwapRelations((relation, other)),) if other.oid != relation.oid else ()
        case a.AlterRelation():
            changes = _Alteration(state, catalog, relation, statement).changes()
    if changes:
        state.perform(ChangeCatalog(changes))
    return tag


def _found(
    state: SessionState, catalog: Catalog, kind: ObjectKind, name: QualifiedName
) -> Relation:
    # PostgreSQL does not say where the name of what it alters stands.
    relation = get_relation(state, catalog, replace(name, position=None))
    if not isinstance(relation, kind_of(kind)):
        raise wrong_kind(relation, kind_of(kind), "ALTER")
    must_own(state, relation)
    return relation


def _moved(catalog: Catalog, relation: Relation, schema: str) -> Relation:
    if schema not in catalog.schemas:
        raise UndefinedSchema.named(schema)
    if schema in SYSTEM_SCHEMAS:
        raise InsufficientPrivilege(
            f'permission denied to create "{schema}.{relation.name}"',
            detail="System catalog modifications are currently disallowed.",
        )
    if schema == relation.schema:
        return relation
    if catalog.find(schema, relation.name) is not None:
        raise DuplicateTable(f'relation "{relation.name}" already exists in schema "{schema}"')
    return replace(relation, schema=schema)


@dataclass
class _Alteration:
    """One ALTER while its actions are worked out.

    Attributes:
        after: What the relation is after the actions so far.
        values: What columns become, as of ``AlterRelation``.
        dropped: What goes with the columns that it reads.
    """

    state: SessionState
    catalog: Catalog
    before: Relation
    statement: a.AlterRelation
    values: dict[int, str] = field(default_factory=dict)
    dropped: set[Oid] = field(default_factory=set)
    after: Relation = field(init=False)

    def changes(self) -> tuple[Change, ...]:
        """Return what is to be done."""
        self.after = self.before
        for action in self.statement.actions:
            self._apply(action)
        if self.after == self.before:
            return ()
        readers = {reader.oid for reader in self.catalog.dependents(self.before.oid)}
        after = self.after
        if isinstance(after, Table):
            after = replace(after, definition=definition_of(after))
        altered = AlterRelation(
            self.before, after, frozenset(readers - self.dropped), dict(self.values)
        )
        if not self.dropped:
            return (altered,)
        return (DropRelations(frozenset(self.dropped)), altered)

    def _apply(self, action: a.TableAction) -> None:
        match action:
            case a.AddColumn():
                self._add(action)
            case a.DropColumn():
                self._drop(action)
            case a.RenameColumn(named, new_name):
                self._rename(named, new_name)
            case a.SetDefault():
                self._set_default(action)
            case a.SetNotNull(named, is_not_null):
                self._set_not_null(named, is_not_null=is_not_null)
            case a.SetType():
                self._set_type(action)
            case a.SetOwner(owner):
                self._set_owner(owner)

    # --- columns --------------------------------------------------------------------------------

    def _add(self, action: a.AddColumn) -> None:
        table, definition = self._table(), action.definition
        if any(column.name == definition.name for column in table.columns):
            said = f'column "{definition.name}" of relation "{table.name}" already exists'
            if not action.if_not_exists:
                raise DuplicateColumn(said)
            self.state.notice(Notice(f"{said}, skipping", sqlstate=SqlState.DUPLICATE_COLUMN))
            return
        check_column_name(definition.name, position=definition.position)
        number = table.next_number
        column = made_column(
            self.state, self.catalog, definition, number, offset=self.statement.start
        )
        if column.default is not None:
            self.values[number] = column.default
        self.after = replace(table, columns=(*table.columns, column), columns_made=number)

    def _drop(self, action: a.DropColumn) -> None:
        table = self._table()
        name = action.column.name
        if action.if_exists and all(column.name != name for column in table.columns):
            said = f'column "{name}" of relation "{table.name}" does not exist, skipping'
            self.state.notice(Notice(said))
            return
        column = self._column(action.column)
        if column.number in table.primary_key:
            raise FeatureNotSupported(
                f'dropping column "{name}" of the primary key is not supported'
            )
        if len(table.columns) == 1:
            raise FeatureNotSupported("dropping the only column of a table is not supported")
        readers = self._readers(column)
        if readers and not action.is_cascade:
            raise self._still_needed(column, readers)
        if readers:
            gone = with_dependents(self.state, self.catalog, readers, told=())
            self.dropped |= gone
        self.values.pop(column.number, None)
        kept = tuple(c for c in table.columns if c.number != column.number)
        self.after = replace(table, columns=kept, columns_made=table.next_number - 1)

    def _rename(self, named: ColumnName, new_name: ColumnName) -> None:
        relation = self.after
        if all(column.name != named.name for column in relation.columns):
            raise UndefinedColumn(f'column "{named.name}" does not exist')
        check_column_name(new_name.name, position=new_name.position)
        if any(column.name == new_name.name for column in relation.columns):
            raise DuplicateColumn(
                f'column "{new_name.name}" of relation "{relation.name}" already exists'
            )
        self._change(named, lambda column: replace(column, name=new_name.name))

    def _set_default(self, action: a.SetDefault) -> None:
        self._table()
        column = self._column(action.column)
        default = None
        if action.default is not None:
            context = self.state.bind_context(self.catalog, offset=self.statement.start).context
            default = bind_default(action.default, column.type, context, column=column.name)
        self._change(
            action.column,
            lambda c: replace(c, default=default, default_source=action.default_text),
        )

    def _set_not_null(self, named: ColumnName, *, is_not_null: bool) -> None:
        table = self._table()
        column = self._column(named)
        if not is_not_null and column.number in table.primary_key:
            raise InvalidTableDefinition(f'column "{column.name}" is in a primary key')
        self._change(named, lambda c: replace(c, is_nullable=not is_not_null))

    def _set_type(self, action: a.SetType) -> None:
        table = self._table()
        column = self._column(action.column)
        target = column_type(action.type, position=action.type_position)
        if target.category in ("P", "X") and not target.members:
            raise InvalidTableDefinition(
                f'column "{column.name}" has pseudo-type {target.sql_name}',
            )
        readers = self._readers(column)
        if readers:
            raise FeatureNotSupported(
                "cannot alter type of a column used by a view or rule",
                detail="\n".join(
                    f'rule _RETURN on {describe(r)} depends on column "{column.name}"'
                    for r in readers
                ),
            )
        if action.using is None:
            value = converted_column(column, target, WAS)
        else:
            context = self.state.bind_context(self.catalog, offset=self.statement.start).context
            value = bind_using(action.using, table, column, context, target=target, row=WAS)
        self.values[column.number] = value
        default = converted_default(column, target)
        self._change(action.column, lambda c: replace(c, type=target, default=default))

    def _set_owner(self, named: str | None) -> None:
        state = self.state
        owner = named or state.user.name
        if state.manager.user(owner) is None:
            raise UndefinedObject(f'role "{owner}" does not exist')
        if owner != state.user.name and not state.user.is_superuser:
            raise InsufficientPrivilege(f'must be member of role "{owner}"')
        self.after = replace(self.after, owner=owner)

    # --- what they have in common ----------------------------------------------------------------

    def _table(self) -> Table:
        if not isinstance(self.after, Table):
            raise FeatureNotSupported(
                f"ALTER {self.statement.kind} can change names, schema and owner only"
            )
        return self.after

    def _column(self, named: ColumnName) -> Column:
        for column in self.after.columns:
            if column.name == named.name:
                return column
        raise UndefinedColumn(
            f'column "{named.name}" of relation "{self.after.name}" does not exist'
        )

    def _change(self, named: ColumnName, change: Callable[[Column], Column]) -> None:
        columns = tuple(change(c) if c.name == named.name else c for c in self.after.columns)
        self.after = replace(self.after, columns=columns)

    def _readers(self, column: Column) -> list[Relation]:
        """Return the views that read a column, those left out that go with another."""
        return [
            reader
            for reader in self.catalog.dependents(self.before.oid)
            if reader.oid not in self.dropped
            and not isinstance(reader, Table)
            and column.number in columns_read(reader.query, self.before.oid)
        ]

    def _still_needed(self, column: Column, readers: list[Relation]) -> DependentObjectsStillExist:
        what = f"column {column.name} of {describe(self.before)}"
        lines = [f"{describe(reader)} depends on {what}" for reader in readers]
        above = self.catalog.closure(reader.oid for reader in readers)
        for relation in above:
            for reader in self.catalog.dependents(relation.oid):
                lines.append(f"{describe(reader)} depends on {describe(relation)}")
        return DependentObjectsStillExist(
            f"cannot drop {what} because other objects depend on it",
            detail="\n".join(lines),
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
