"""ALTER MATERIALIZED VIEW v with PAUSE and RESUME: the third scope of a pause."""

from __future__ import annotations

from barrier.command import PauseView, ResumeView
from catalog.errors import Notice
from catalog.relation import MaterializedView
from catalog.state import Catalog
from server.execute.latest import on_latest
from server.execute.names import (
    find_relation,
    get_materialized_view,
)
from server.execute.permission import must_own
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s

_TAG = "ALTER MATERIALIZED VIEW"


def move_view(state: SessionState, statement: s.AlterViewPause | s.AlterViewResume) -> Done:
    """Stop a materialized view and what reads it, or let them go on.

    Raises:
        UndefinedTable: There is no such relation.
        WrongObjectType: It is something else.
        InsufficientPrivilege: It is somebody else's.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _move(state, catalog, statement))


def _move(
    state: SessionState, catalog: Catalog, statement: s.AlterViewPause | s.AlterViewResume
) -> Done:
    name = statement.view
    if statement.if_exists and find_relation(state, catalog, name) is None:
        state.notice(Notice(f'relation "{name}" does not exist, skipping'))
        return Done(_TAG)
    view = get_materialized_view(state, catalog, name)
    must_own(state, view)
    if isinstance(statement, s.AlterViewPause):
        state.perform(PauseView(view.oid, state.user.name))
        _tell_of_dependants(state, view)
    else:
        state.perform(ResumeView(view.oid, state.user.name))
        _tell_what_holds(state, view)
    return Done(_TAG)


def _tell_of_dependants(state: SessionState, view: MaterializedView) -> None:
    catalog = state.worker.catalog
    if view.oid not in catalog.relations:
        return
    others = [
        f'"{relation.name}"'
        for relation in catalog.closure([view.oid])
        if isinstance(relation, MaterializedView) and relation.oid != view.oid
    ]
    if others:
        state.notice(
            Notice(
                f'what reads materialized view "{view.name}" stands still with it',
                detail=f"These are: {', '.join(others)}.",
            )
        )


def _tell_what_holds(state: SessionState, view: MaterializedView) -> None:
    """Name what keeps a view from going on although it was resumed."""
    by = state.worker.held_by(view.oid)
    if by is not None:
        state.notice(
            Notice(
                f'materialized view "{view.name}" stays paused because "{by}" is paused',
                hint=f"Run ALTER MATERIALIZED VIEW {by} RESUME to let it go on.",
            )
        )
    elif (pause := state.worker.pause) is not None:
        state.notice(
            Notice(f'materialized view "{view.name}" catches up when the {pause.scope} is resumed')
        )
