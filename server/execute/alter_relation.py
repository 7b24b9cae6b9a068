"""ALTER TABLE, VIEW and MATERIALIZED VIEW.

All actions of a statement are worked out on the catalog's description; the worker makes the rows
follow in one epoch, or nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation, Change, DropRelations, SwapRelations
from catalog.constraint import ForeignKey
from catalog.definition import definition_of
from catalog.dependence import describe, describe_constraint
from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateColumn,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidTableDefinition,
    Notice,
    UndefinedColumn,
)
from catalog.grant import given
from catalog.oid import Oid
from catalog.relation import (
    Column,
    MaterializedView,
    Relation,
    Source,
    Table,
    View,
)
from catalog.sequence import DropSequences, PutSequence, SequenceGenerator
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.written_numeric import stored_type
from server.execute.alter_action import (
    alters_struct,
    given_sequence,
    is_of_any,
    not_of_tables_only,
    refuse_new_key,
)
from server.execute.alter_constraint import ConstraintChanges, without_column
from server.execute.alter_identity import (
    check_identity_type,
    number_of_row,
    perform_numbered,
    refuse_misfit,
    value_of_row,
    with_identity,
)
from server.execute.column_dependants import (
    generated_from,
    with_checks_anew,
    with_expressions_anew,
    with_new_name,
)
from server.execute.compared_column import keep_type, with_compared
from server.execute.ddl import collation_of, kind_of, made_column
from server.execute.drop import with_dependents
from server.execute.fed_table import refuse_flows
from server.execute.latest import on_latest
from server.execute.names import (
    check_column_name,
    find_relation,
    get_relation,
    is_system_column,
    wrong_kind,
)
from server.execute.numbered_columns import is_numbered, numbered_column, shown_default
from server.execute.other_schema import moved, refuse_temporary
from server.execute.permission import check_type, may_create_in, must_be_member, must_own
from server.execute.replace_query import replace_query
from server.execute.role_name import role_of
from server.execute.sequence import alter_sequence
from server.execute.source import with_column
from server.execute.storage_parameter import changed_parameters
from server.execute.table_keys import refuse_incomparable, with_keys, with_references
from server.execute.table_rules import with_checks, with_generated
from server.execute.transaction import commit_on_the_way
from server.execute.view_option import with_view_options, without_view_options
from server.execute.watermark import altered_watermark
from server.result import Done
from server.session_state import SessionState
from server.sql import alter_statement as a
from server.sql.bind.column_expression import (
    bind_using,
    changed_column,
    converted_column,
    converted_default,
)
from server.sql.bind.context import BindContext
from server.sql.bind.default import bind_default
from server.sql.bind.type_text import type_of_text
from server.sql.column_use import reads_column
from server.sql.role_name import RoleName
from server.sql.statement import ColumnName, ObjectKind, QualifiedName
from server.sql.struct_change import changed_struct


def alter_relation(state: SessionState, statement: a.AlterRelationStatement) -> Done:
    """Make something else of a relation.

    Raises:
        PgError: It does not exist, is of another kind, or cannot be what it is to be.
    """
    kind_of(statement.kind)
    if (sequence := given_sequence(state, statement)) is not None:
        return alter_sequence(state, sequence)
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _alter(state, catalog, statement))


def _alter(state: SessionState, catalog: Catalog, statement: a.AlterRelationStatement) -> Done:
    tag = Done(f"ALTER {statement.kind}")
    if_exists = not isinstance(statement, a.AlterSwap) and statement.if_exists
    if if_exists and find_relation(state, catalog, statement.name) is None:
        state.notice(Notice(f'relation "{statement.name}" does not exist, skipping'))
        return tag
    kind = None if is_of_any(statement) else statement.kind
    relation = _found(state, catalog, kind, statement.name, statement)
    changes: tuple[Change, ...]
    match statement:
        case a.AlterSchemaOf(schema=schema):
            after = moved(state, catalog, relation, schema)
            changes = (AlterRelation(relation, after),) if after is not relation else ()
        case a.AlterSwap(other=name):
            other = _found(state, catalog, statement.kind, name)
            if other.schema != relation.schema:
                refuse_temporary(relation.schema, other.schema)
            changes = (SwapRelations((relation, other)),) if other.oid != relation.oid else ()
        case a.AlterRelation(actions=(a.SetQuery() as action,)):
            assert isinstance(relation, MaterializedView), relation
            replace_query(state, catalog, relation, statement, action)
            return tag
        case a.AlterRelation():
            alteration = _Alteration(state, catalog, relation, statement)
            changes = alteration.changes()
            if alteration.numbering and isinstance(relation, Table):
                command = ChangeCatalog(changes)
                perform_numbered(state, relation, alteration.numbering, command)
                return tag
    if changes:
        state.perform(ChangeCatalog(changes))
    return tag


def _found(
    state: SessionState,
    catalog: Catalog,
    kind: ObjectKind | None,
    name: QualifiedName,
    statement: a.AlterRelationStatement | None = None,
) -> Relation:
    # PostgreSQL does not say where the name of what it alters stands.
    relation = get_relation(state, catalog, replace(name, position=None))
    if kind is not None and not isinstance(relation, kind_of(kind)):
        if kind is ObjectKind.TABLE and isinstance(statement, a.AlterRelation):
            must_own(state, relation)
            if (refusal := not_of_tables_only(relation, statement)) is not None:
                raise refusal
        raise wrong_kind(relation, kind_of(kind), "ALTER")
    must_own(state, relation)
    return relation


@dataclass
class _Alteration:
    """One ALTER while its actions are worked out.

    Attributes:
        after: What the relation is after the actions so far.
        values: What columns become, as of ``AlterRelation``.
        dropped: What goes with the columns that it reads.
        others: Tables that do not refer to this one any more.
        rewritten: Views that read a column of another type as what it was.
        sequences: Those that its columns get.
        numbering: Those of them that number the rows which are there.
        sequences_gone: Those that its columns lose.
    """

    state: SessionState
    catalog: Catalog
    before: Relation
    statement: a.AlterRelation
    values: dict[int, str] = field(default_factory=dict)
    dropped: set[Oid] = field(default_factory=set)
    others: dict[Oid, Table] = field(default_factory=dict)
    rewritten: dict[Oid, Relation] = field(default_factory=dict)
    sequences: list[SequenceGenerator] = field(default_factory=list)
    numbering: list[SequenceGenerator] = field(default_factory=list)
    sequences_gone: set[Oid] = field(default_factory=set)
    after: Relation = field(init=False)

    def changes(self) -> tuple[Change, ...]:
        """Return what is to be done."""
        self.after = self.before
        for action in self.statement.actions:
            self._apply(action)
        if self.after == self.before and not self.values:
            return ()
        readers = {reader.oid for reader in self.catalog.dependents(self.before.oid)}
        after = self.after
        refuse_flows(self.catalog, self.before, after)
        if isinstance(after, Table):
            after = replace(after, definition=definition_of(after))
        staying = frozenset(readers - self.dropped)
        altered = AlterRelation(self.before, after, staying, dict(self.values))
        others = tuple(
            AlterRelation(self.catalog.relations[oid], replace(t, definition=definition_of(t)))
            for oid, t in sorted(self.others.items())
        )
        rewritten = tuple(
            AlterRelation(self.catalog.relations[oid], reader)
            for oid, reader in sorted(self.rewritten.items())
            if oid not in self.dropped
        )
        gone = (DropRelations(frozenset(self.dropped)),) if self.dropped else ()
        lost = (DropSequences(frozenset(self.sequences_gone)),) if self.sequences_gone else ()
        made = tuple(PutSequence(sequence) for sequence in self.sequences)
        return (*gone, *others, *rewritten, altered, *lost, *made)

    def _apply(self, action: a.TableAction) -> None:
        refuse_misfit(self.after, action)
        match action:
            case a.AddColumn() if isinstance(self.after, Source):
                start = self.statement.start
                self.after = with_column(self.state, self.catalog, self.after, action, start)
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
            case a.SetIdentity():
                self._set_identity(action)
            case a.AddCheck(check):
                self.after = with_checks(self._table(), [check], self._context())
            case a.AlterWatermark(made):
                self.after = altered_watermark(self.catalog, self._table(), made, self._context())
            case a.SetStorage(options, is_reset) if isinstance(self.after, View):
                change = without_view_options if is_reset else with_view_options
                self.after = change(self.after, options)
            case a.SetStorage(options, is_reset):
                table = self._table()
                had = table.storage_parameters
                parameters = changed_parameters(self.state, had, options, is_reset=is_reset)
                self.after = replace(table, storage_parameters=parameters)
            case a.SetOwner(owner):
                self._set_owner(owner)
            case a.SetQuery():
                raise AssertionError(action)  # It stands alone.
            case a.AddKey(key) | a.AddReference(key):
                names = {column.name for column in key.columns}
                numbers = [c.number for c in self.after.columns if c.name in names]
                self.after = with_compared(
                    *(self.catalog, self.before, self._table(), numbers),
                    values=self.values,
                    rewritten=self.rewritten,
                )
                for column in self.before.columns:
                    if column.number in numbers and column.number in self.values:
                        self.after = with_expressions_anew(self._table(), column, self._context())
                self.after = self._constraints().applied(self._table(), action)
            case _:
                self.after = self._constraints().applied(self._table(), action)

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
        if is_numbered(definition):
            taken = {sequence.name for sequence in self.sequences}
            column, sequence = numbered_column(
                self.state, self.catalog, table, column, definition=definition, taken=taken
            )
            self.sequences.append(sequence)
            self.numbering.append(sequence)
            self.values[number] = number_of_row(sequence)
        elif (value := value_of_row(column, definition)) is not None:
            self.values[number] = value
        refuse_new_key(self.state, action)
        added = replace(table, columns=(*table.columns, column), columns_made=number)
        added = with_generated(added, [definition], self._context())
        keyed = with_keys(self.state, self.catalog, added, action.keys)
        checked = with_checks(keyed, action.checks, self._context())
        self.after = with_references(self.state, self.catalog, checked, action.references)

    def _drop(self, action: a.DropColumn) -> None:
        table = self._table()
        name = action.column.name
        if action.if_exists and all(column.name != name for column in table.columns):
            said = f'column "{name}" of relation "{table.name}" does not exist, skipping'
            self.state.notice(Notice(said))
            return
        if is_system_column(name):
            raise FeatureNotSupported(f'cannot drop system column "{name}"')
        column = self._column(action.column)
        if len(table.columns) == 1:
            raise FeatureNotSupported("dropping the only column of a table is not supported")
        readers = self._readers(column)
        computed = generated_from(table, column)
        referring = [
            (owner, key)
            for owner, key in self.catalog.referring(table.oid)
            if column.number in key.target_columns and owner.oid != table.oid
        ]
        if (readers or computed or referring) and not action.is_cascade:
            raise self._still_needed(column, computed, readers, referring)
        if readers:
            gone = with_dependents(self.state, self.catalog, readers, told=())
            self.dropped |= gone
        for also in computed:
            self._drop(a.DropColumn(ColumnName(also.name), is_cascade=True))
        self.values.pop(column.number, None)
        table = self._table()
        self.after = without_column(self._constraints(), table, column)

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
        if isinstance(self.after, Table):
            self.after = with_new_name(self.after, named.name, new_name.name)

    def _set_default(self, action: a.SetDefault) -> None:
        if not isinstance(self.after, View):  # Of which INSERT has it before the table's.
            self._table()
        column = self._column(action.column)
        default = None
        if action.default is not None:
            default = bind_default(action.default, column.type, self._context(), column=column.name)
        self._change(
            action.column,
            lambda c: replace(
                c, default=default, default_source=shown_default(action.default_text)
            ),
        )

    def _set_not_null(self, named: ColumnName, *, is_not_null: bool) -> None:
        table = self._table()
        column = self._column(named)
        if not is_not_null and column.number in table.primary_key:
            raise InvalidTableDefinition(f'column "{column.name}" is in a primary key')
        self._change(named, lambda c: replace(c, is_nullable=not is_not_null))

    def _set_identity(self, action: a.SetIdentity) -> None:
        table, column = self._table(), self._column(action.column)
        column, made, gone = with_identity(self.state, self.catalog, table, column, action)
        self._change(action.column, lambda _: column)
        if made is not None:
            self.sequences.append(made)
        if gone is not None:
            self.sequences_gone.add(gone)

    def _set_type(self, action: a.SetType) -> None:
        table = self._table()
        column = self._column(action.column)
        target = type_of_text(action.type, self._context().find_type, position=action.type_position)
        if target.category in ("P", "X") and not target.is_row:
            raise InvalidTableDefinition(
                f'column "{column.name}" has pseudo-type {target.sql_name}',
            )
        check_type(self.state, self.catalog, target)
        check_identity_type(column, target)
        target = stored_type(target, is_key=column.number in self._table().compared_numbers)
        readers = self._readers(column)
        is_struct = action.using is None and alters_struct(self.state, column, target)
        if readers and not is_struct:
            raise FeatureNotSupported(
                "cannot alter type of a column used by a view or rule",
                detail="\n".join(
                    f'rule _RETURN on {describe(r)} depends on column "{column.name}"'
                    for r in readers
                ),
            )
        if is_struct:
            value = changed_column(column, target)
            # What is taken from a struct is NULL for the views that read it.
            keep_type(
                *(self.catalog, self.before.oid, column, self.rewritten),
                lambda value: changed_struct(value, target, column.type),
            )
        elif action.using is None:
            value = converted_column(column, target)
        else:
            value = bind_using(action.using, table, column, self._context(), target=target)
        self.values[column.number] = value
        default = converted_default(column, target)
        collation = collation_of(action.collation, target) if action.collation is not None else ""
        self._change(
            action.column,
            lambda c: replace(c, type=target, default=default, collation=collation),
        )
        self.after = with_checks_anew(self._table(), column, self._context())
        refuse_incomparable(self.catalog, self.after)

    def _constraints(self) -> ConstraintChanges:
        return ConstraintChanges(self.state, self.catalog, self.others)

    def _set_owner(self, named: RoleName) -> None:
        state = self.state
        owner = role_of(state, named)
        if owner.name == self.after.owner:
            return
        must_be_member(state, owner)
        schema = self.catalog.schemas[self.after.schema]
        access = state.manager.roles.access(owner.oid, state.database)
        if not (state.user.is_superuser or may_create_in(access, schema)):
            raise InsufficientPrivilege(f"permission denied for schema {schema.name}")
        self.after = given(self.after, owner.name)

    # --- what they have in common ----------------------------------------------------------------

    def _context(self) -> BindContext:
        return self.state.bind_context(self.catalog, offset=self.statement.start).context

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
        if is_system_column(named.name):
            raise FeatureNotSupported(f'cannot alter system column "{named.name}"')
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
            for known in self.catalog.dependents(self.before.oid)
            if known.oid not in self.dropped
            for reader in (self.rewritten.get(known.oid, known),)
            if reads_column(reader, self.before.oid, column.number)
        ]

    def _still_needed(
        self,
        column: Column,
        computed: list[Column],
        readers: list[Relation],
        referring: list[tuple[Table, ForeignKey]],
    ) -> DependentObjectsStillExist:
        table = describe(self.before)
        what = f"column {column.name} of {table}"
        lines = [f"column {c.name} of {table} depends on {what}" for c in computed]
        lines += [
            f"{describe_constraint(key.name, owner)} depends on {what}" for owner, key in referring
        ]
        for c in computed:
            also = f"column {c.name} of {table}"
            lines += [f"{describe(reader)} depends on {also}" for reader in self._readers(c)]
        lines += [f"{describe(reader)} depends on {what}" for reader in readers]
        above = self.catalog.closure(reader.oid for reader in readers)
        for relation in above:
            for reader in self.catalog.dependents(relation.oid):
                lines.append(f"{describe(reader)} depends on {describe(relation)}")
        return DependentObjectsStillExist(
            f"cannot drop {what} because other objects depend on it",
            detail="\n".join(lines),
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
