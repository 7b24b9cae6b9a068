"""Mirrors of relations of other databases, made for the materialized views that follow them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from barrier import pause
from barrier.command import ChangeCatalog
from barrier.follower import unread_mirrors
from catalog.change import CreateRelation, DropRelations
from catalog.errors import UndefinedTable
from catalog.relation import Column, Mirror, Subscription, Table
from server.elsewhere import NotMirrored
from server.session_state import SessionState

ResultT = TypeVar("ResultT")


def with_mirrors(state: SessionState, name: str, create: Callable[[], ResultT]) -> ResultT:
    """Create a view with the mirrors that it wants; those that nobody reads are dropped again.

    Args:
        state: The session.
        name: The view's.
        create: Raises NotMirrored for what has no mirror yet.

    Raises:
        PgError: The view, or a mirror, cannot be made.
    """
    try:
        return create()
    except NotMirrored as e:
        wanted = e
    # Nobody drops a mirror that has no view yet while others make theirs.
    with state.manager.mirrors.crossing(state.interrupt):
        try:
            while True:
                _make(state, name, wanted)
                try:
                    return create()
                except NotMirrored as another:
                    wanted = another
        finally:
            _drop_unread(state)


def _make(state: SessionState, name: str, wanted: NotMirrored) -> None:
    """Make the mirror of a relation and fill it.

    Raises:
        PgError: It cannot be filled, or the relation has gone meanwhile.
    """
    if (stopped := state.worker.pause) is not None:
        raise pause.refuse_snapshot_backfill(name, stopped)
    source = wanted.relation
    there = next(w for w in state.manager.workers() if w.catalog.database_oid == wanted.database)
    known = there.catalog.relations
    if known.get(source.oid) != source or not any(
        isinstance(s, Subscription) and s.source == source.oid for s in known.values()
    ):
        raise UndefinedTable(f'relation "{source.name}" was changed meanwhile')
    mirror = Mirror(
        oid=state.manager.allocate_oid(),
        schema="",
        name=f"{wanted.database}.{source.oid}",
        owner="root",
        columns=tuple(
            Column(c.name, c.type, c.number, is_nullable=c.is_nullable, collation=c.collation)
            for c in source.columns
        ),
        primary_key=source.primary_key if isinstance(source, Table) else (),
        created_ms=state.now_ms(),
        source_database=wanted.database,
        source=source.oid,
    )
    state.worker.submit(ChangeCatalog((CreateRelation(mirror),))).wait(state.interrupt)
    state.manager.mirrors.fill(state.worker, state.interrupt)


def _drop_unread(state: SessionState) -> None:
    """Drop the mirrors that no view reads."""
    if unread := unread_mirrors(state.worker.catalog):
        state.worker.submit(ChangeCatalog((DropRelations(unread),))).settle()
