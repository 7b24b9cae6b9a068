"""Temporary tables and views: relations in a schema of the session's own, gone when it is.

They are kept as all relations are, so that whatever can be done with a table can be done with
them; what a server that was killed has left of them is dropped at its next start.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from barrier.command import ChangeCatalog
from barrier.interrupt import Interrupt
from barrier.manager import BarrierManager
from catalog.acl import PUBLIC, AclItem, Kind, Privilege, default_acl
from catalog.change import Change, CreateRelation, CreateSchema, DropRelations, DropSchema
from catalog.errors import (
    DependentObjectsStillExist,
    FeatureNotSupported,
    Notice,
    PgError,
    UndefinedTable,
)
from catalog.oid import Oid
from catalog.relation import Relation, Schema, is_temporary
from catalog.sequence import PutSequence, SequenceGenerator
from catalog.state import Catalog
from server.execute.truncate import truncate
from server.session_state import SessionState
from server.sql.alter_statement import Truncate
from server.sql.source import Source
from server.sql.statement import CreateTable, QualifiedName

_log: Final = logging.getLogger(__name__)

_OWNER: Final = "root"


def creation(
    state: SessionState,
    catalog: Catalog,
    relation: Relation,
    based_on: Iterable[Relation] = (),
    sequences: Iterable[SequenceGenerator] = (),
) -> ChangeCatalog:
    """Return the command that makes a relation, and its schema where that is the session's own.

    The sequences of its columns are made with it.
    """
    changes: tuple[Change, ...] = (
        CreateRelation(relation, tuple(based_on)),
        *(PutSequence(sequence) for sequence in sequences),
    )
    if relation.schema == state.temporary_schema and relation.schema not in catalog.schemas:
        everybody = AclItem(PUBLIC, _OWNER, Privilege.USAGE | Privilege.CREATE)
        acl = (*default_acl(Kind.SCHEMA, _OWNER), everybody)
        schema = Schema(state.manager.allocate_oid(), relation.schema, _OWNER, acl=acl)
        changes = (CreateSchema(schema), *changes)
    return ChangeCatalog(changes)


def note_on_commit(state: SessionState, statement: CreateTable, table: Relation) -> None:
    """Remember what becomes of a temporary table when the transaction ends."""
    if statement.on_commit not in ("", "PRESERVE ROWS"):
        state.on_commit[table.oid] = statement.on_commit


def reads_temporary(catalog: Catalog, oids: Iterable[Oid]) -> bool:
    """Whether any of these relations is a temporary one."""
    return any(is_temporary(catalog.relations[oid].schema) for oid in oids)


def refuse_in_job(catalog: Catalog, oids: Iterable[Oid]) -> None:
    """Refuse a materialized view over what goes with a session.

    Raises:
        FeatureNotSupported: One of the relations is temporary.
    """
    if reads_temporary(catalog, oids):
        raise FeatureNotSupported("materialized views must not use temporary tables or views")


def tell_of_view(state: SessionState, name: str) -> None:
    """Tell that a view is temporary because it reads what is."""
    state.notice(Notice(f'view "{name}" will be a temporary view'))


def end_transaction(state: SessionState) -> None:
    """Do what tables have asked for with ON COMMIT; what rolls back has left nothing either way.

    Raises:
        PgError: The wait was ended.
    """
    held = state.worker.catalog.relations
    dropped = frozenset(oid for oid, what in state.on_commit.items() if what == "DROP")
    for oid in dropped:
        del state.on_commit[oid]
    if gone := dropped & held.keys():
        state.perform(ChangeCatalog((DropRelations(gone),)))
    for oid in list(state.on_commit):
        if (table := held.get(oid)) is None:
            del state.on_commit[oid]
            continue
        name = QualifiedName(table.name, table.schema)
        truncate(state, Truncate((name,), source=Source("TRUNCATE", 0)))


def drop_all(state: SessionState) -> None:
    """Drop the session's temporary relations; those that read them are temporary too.

    Raises:
        PgError: The wait was ended.
    """
    state.on_commit.clear()
    while state.peer_views:
        with suppress(DependentObjectsStillExist, UndefinedTable):  # Built upon, or gone.
            state.perform(ChangeCatalog((DropRelations(frozenset({state.peer_views.pop()})),)))
    if changes := _without(state.worker.catalog, [state.temporary_schema]):
        state.perform(ChangeCatalog(changes))


def leave(state: SessionState) -> None:
    """The session is over: have its temporary relations dropped, without waiting for that."""
    changes = [_without(state.worker.catalog, [state.temporary_schema])]
    # Those that somebody else has built upon stay.
    changes += [(DropRelations(frozenset({oid})),) for oid in reversed(state.peer_views)]
    with suppress(PgError):  # The database may be gone.
        for change in filter(None, changes):
            state.worker.submit(ChangeCatalog(change))


def drop_remains(manager: BarrierManager, interrupt: Interrupt) -> None:
    """Drop the temporary relations of sessions that ended with the server before this one."""
    for database in manager.databases():
        worker = manager.worker(database.name)
        schemas = [name for name in worker.catalog.schemas if is_temporary(name)]
        if not schemas:
            continue
        try:
            worker.submit(ChangeCatalog(_without(worker.catalog, schemas))).wait(interrupt)
        except PgError as e:
            _log.warning("temporary relations of %s are left over: %s", database.name, e.message)


def _without(catalog: Catalog, schemas: Iterable[str]) -> tuple[Change, ...]:
    """Return the changes that take schemas away with all that is in them."""
    present = [name for name in schemas if name in catalog.schemas]
    oids = frozenset(r.oid for name in present for r in catalog.in_schema(name))
    relations: tuple[Change, ...] = (DropRelations(oids),) if oids else ()
    return (*relations, *(DropSchema(name) for name in present))
