"""CREATE, ALTER, DROP and COMMENT ON SEQUENCE, and the sequences of serial and identity columns."""

from __future__ import annotations

from dataclasses import replace

from barrier.command import ChangeCatalog
from barrier.sequences import SequencePlace
from catalog.change import AlterRelation, Change
from catalog.errors import (
    DuplicateTable,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidParameterValue,
    Notice,
    ObjectNotInPrerequisiteState,
    SqlSyntaxError,
    UndefinedColumn,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from catalog.grant import GiveSequence
from catalog.relation import Table
from catalog.sequence import PutSequence, SequenceGenerator
from catalog.state import Catalog
from server.execute.ddl import is_there_already
from server.execute.latest import on_latest
from server.execute.names import find_relation, get_relation, new_name, schema_of
from server.execute.numbered_columns import default_source, with_options
from server.execute.permission import check_create_in, must_be_member
from server.execute.role_name import role_of
from server.execute.sequence_uses import without_uses
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import sequence_statement as q
from server.sql.clause import QualifiedName, SequenceOptions
from server.sql.sequence_default import next_number


def change(state: SessionState, statement: object) -> Done | None:
    """Run a statement about sequences; None is another one."""
    match statement:
        case q.CreateSequence():
            return create_sequence(state, statement)
        case q.AlterSequence():
            return alter_sequence(state, statement)
        case q.DropSequence():
            return drop_sequences(state, statement)
        case q.CommentOnSequence():
            return comment_on_sequence(state, statement)
        case _:
            return None


def create_sequence(state: SessionState, statement: q.CreateSequence) -> Done:
    """Make a sequence.

    Raises:
        PgError: Its name is taken, or what is said of it does not fit together.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        schema, name = new_name(state, catalog, statement.name)
        tag = Done("CREATE SEQUENCE")
        if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
            return tag
        bare = SequenceGenerator(
            oid=state.manager.allocate_oid(), schema=schema, name=name, owner=state.user.name
        )
        made = _owned(state, catalog, with_options(bare, statement.options), statement.options)
        state.perform(ChangeCatalog((PutSequence(made),)))
        return tag

    return on_latest(state, perform)


def _owned(
    state: SessionState, catalog: Catalog, held: SequenceGenerator, options: SequenceOptions
) -> SequenceGenerator:
    """Return a sequence that goes with the column of OWNED BY."""
    if options.owned_by is None:
        return held
    if not options.owned_by:
        return replace(held, owned_by=None)
    *table_parts, column_name = options.owned_by
    if not table_parts:
        raise SqlSyntaxError(
            "invalid OWNED BY option", hint="Specify OWNED BY table.column or OWNED BY NONE."
        )
    schema = table_parts[-2] if len(table_parts) > 1 else None
    table = get_relation(state, catalog, QualifiedName(table_parts[-1], schema))
    if not isinstance(table, Table):
        raise WrongObjectType(f'sequence cannot be owned by relation "{table.name}"')
    if table.owner != held.owner:
        raise ObjectNotInPrerequisiteState("sequence must have same owner as table it is linked to")
    if table.schema != held.schema:
        raise ObjectNotInPrerequisiteState(
            "sequence must be in same schema as table it is linked to"
        )
    column = next((c for c in table.columns if c.name == column_name), None)
    if column is None:
        raise UndefinedColumn(f'column "{column_name}" of relation "{table.name}" does not exist')
    return replace(held, owned_by=(table.oid, column.number))


def find_sequence(
    state: SessionState, catalog: Catalog, name: QualifiedName
) -> SequenceGenerator | None:
    """Return the sequence that a name means, or None.

    Raises:
        WrongObjectType: It means a relation.
    """
    schema = schema_of(state, name)
    for searched in state.search_path(catalog) if schema is None else (schema,):
        found = catalog.find_sequence(searched, name.name)
        if found is not None:
            return found
    relation = find_relation(state, catalog, name)
    if relation is not None:
        raise WrongObjectType(f'"{relation.name}" is not a sequence')
    return None


def _found(
    state: SessionState, catalog: Catalog, name: QualifiedName, *, what: str, if_exists: bool
) -> SequenceGenerator | None:
    found = find_sequence(state, catalog, name)
    if found is None:
        if name.schema is not None and name.schema not in catalog.schemas and not if_exists:
            raise UndefinedSchema.named(name.schema)
        if not if_exists:
            shown = name.name if what == "sequence" else name
            raise UndefinedTable(f'{what} "{shown}" does not exist')
        state.notice(Notice(f'{what} "{name.name}" does not exist, skipping'))
        return None
    if not state.access.owns(found.owner):
        raise InsufficientPrivilege(f"must be owner of sequence {found.name}")
    return found


def alter_sequence(state: SessionState, statement: q.AlterSequence) -> Done:
    """Make something else of a sequence, or let it go on from somewhere else.

    Raises:
        PgError: It does not exist, belongs to somebody else, or would not fit together.
    """
    commit_on_the_way(state)
    tag = Done("ALTER SEQUENCE")
    with state.manager.naming_users():

        def perform(catalog: Catalog) -> Done:
            held = _found(
                *(state, catalog, statement.name),
                what="relation",
                if_exists=statement.if_exists,
            )
            if held is not None:
                _alter(state, catalog, held, statement)
            return tag

        return on_latest(state, perform)


def _alter(
    state: SessionState,
    catalog: Catalog,
    held: SequenceGenerator,
    statement: q.AlterSequence,
) -> None:
    if statement.owner is not None:
        _refuse_owned(catalog, held, "change owner of sequence")
        owner = role_of(state, statement.owner)
        must_be_member(state, owner)
        state.perform(ChangeCatalog((GiveSequence(held.oid, owner.name),)))
        return
    if statement.options is None:
        if statement.schema is not None:
            _refuse_owned(catalog, held, "move an owned sequence into another schema")
        moved = replace(
            held,
            name=statement.new_name or held.name,
            schema=statement.schema or held.schema,
        )
        if moved.schema not in catalog.schemas:
            raise UndefinedSchema.named(moved.schema)
        check_create_in(state, catalog.schemas[moved.schema])
        if catalog.is_taken(moved.schema, moved.name) and moved != held:
            raise DuplicateTable.named(moved.name)
        state.perform(ChangeCatalog((PutSequence(moved), *_shown_anew(catalog, moved))))
        return
    options = statement.options
    if options.owned_by is not None and held.is_identity:
        raise FeatureNotSupported("cannot change ownership of identity sequence")
    changed = with_options(held, options, is_new=False)
    place = state.worker.sequences.place(held)
    if options.restarts:
        restart = changed.start if options.restart is None else options.restart
        place = SequencePlace(restart, is_called=False)
    for word, bound, is_out in (
        ("MINVALUE", changed.minimum, place.value < changed.minimum),
        ("MAXVALUE", changed.maximum, place.value > changed.maximum),
    ):
        if is_out:
            side = "less" if word == "MINVALUE" else "greater"
            raise InvalidParameterValue(
                f"RESTART value ({place.value}) cannot be {side} than {word} ({bound})"
            )
    state.perform(ChangeCatalog((PutSequence(_owned(state, catalog, changed, options)),)))
    # Before the first number the place is the start, which may be another now.
    if place.is_called or options.restarts:
        state.worker.sequences.move(changed, place)


def _refuse_owned(catalog: Catalog, held: SequenceGenerator, what: str) -> None:
    if held.owned_by is not None:
        table = catalog.relations[held.owned_by[0]]
        raise FeatureNotSupported(
            f'cannot {what} "{held.name}"' if what.endswith("sequence") else f"cannot {what}",
            detail=f'Sequence "{held.name}" is linked to table "{table.name}".',
        )


def drop_sequences(state: SessionState, statement: q.DropSequence) -> Done:
    """Take sequences away, all that are named or none; with CASCADE the defaults that use them.

    Raises:
        PgError: One does not exist, belongs to somebody else, or is used by a default.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        found = [
            held
            for name in statement.names
            if (
                held := _found(state, catalog, name, what="sequence", if_exists=statement.if_exists)
            )
            is not None
        ]
        changes: list[Change] = []
        for held in found:
            changes += without_uses(state, catalog, held, (), is_cascade=statement.is_cascade)
        if changes:
            state.perform(ChangeCatalog(tuple(changes)))
        return Done("DROP SEQUENCE")

    return on_latest(state, perform)


def comment_on_sequence(state: SessionState, statement: q.CommentOnSequence) -> Done:
    """Say something about a sequence, or nothing more.

    Raises:
        PgError: It does not exist, or belongs to somebody else.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        held = _found(state, catalog, statement.name, what="relation", if_exists=False)
        assert held is not None
        state.perform(ChangeCatalog((PutSequence(replace(held, comment=statement.text_of)),)))
        return Done("COMMENT")

    return on_latest(state, perform)


def _shown_anew(catalog: Catalog, moved: SequenceGenerator) -> list[Change]:
    """Return what has the defaults that use a sequence show its name."""
    changes: list[Change] = []
    for table in catalog.relations.values():
        if not isinstance(table, Table):
            continue
        columns = tuple(
            replace(c, default_source=default_source(moved))
            if c.default == next_number(moved.oid, c.type) and not c.identity
            else c
            for c in table.columns
        )
        if columns != table.columns:
            changes.append(AlterRelation(table, replace(table, columns=columns)))
    return changes
