"""ALTER of streaming jobs with SET CONFIG and RESET CONFIG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation
from catalog.errors import Notice, UndefinedObject, WrongObjectType
from catalog.job_config import ConfigEntry, changed_config
from catalog.relation import Source, StreamingJob, Table, kind_name
from catalog.state import Catalog
from server.execute.ddl import kind_of
from server.execute.index import change_index, find_index
from server.execute.latest import on_latest
from server.execute.names import find_relation, get_relation, wrong_kind
from server.execute.permission import must_own
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import ObjectKind
from server.sql.streaming_statement import AlterJobConfig


def alter_job_config(state: SessionState, statement: AlterJobConfig) -> Done:
    """Change what a streaming job is configured with.

    Raises:
        PgError: It does not exist, is of another kind or somebody else's, or cannot be configured
            so.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _alter(state, catalog, statement))


def _alter(state: SessionState, catalog: Catalog, statement: AlterJobConfig) -> Done:
    tag = Done(f"ALTER {statement.kind}")
    name = replace(statement.name, position=None)
    if statement.kind is ObjectKind.INDEX:
        return _alter_index(state, catalog, statement)
    if statement.if_exists and find_relation(state, catalog, name) is None:
        state.notice(Notice(f'relation "{name}" does not exist, skipping'))
        return tag
    job, kind = get_relation(state, catalog, name), kind_of(statement.kind)
    if not isinstance(job, kind):
        raise wrong_kind(job, kind, "ALTER")
    must_own(state, job)
    if not isinstance(job, Table | StreamingJob | Source):
        raise WrongObjectType(
            f'"{job.name}" is not a streaming job',
            detail=f"A {kind_name(job)} is run where it is read, and has no configuration.",
        )
    after = replace(job, config=changed_config(job.config, statement.entries))
    _tell(state, statement.entries)
    if after != job:
        state.perform(ChangeCatalog((AlterRelation(job, after),)))
    return tag


def _alter_index(state: SessionState, catalog: Catalog, statement: AlterJobConfig) -> Done:
    tag = Done("ALTER INDEX")
    found = find_index(state, catalog, statement.name)
    if found is None:
        name = statement.name.name
        relation = find_relation(state, catalog, statement.name)
        if relation is not None:
            raise WrongObjectType(f'"{relation.name}" is not an index')
        if not statement.if_exists:
            raise UndefinedObject(f'index "{name}" does not exist')
        state.notice(Notice(f'index "{name}" does not exist, skipping'))
        return tag
    relation, index = found
    must_own(state, relation)
    after = replace(index, config=changed_config(index.config, statement.entries))
    _tell(state, statement.entries)
    if after != index:
        change_index(state, relation, index, after)
    return tag


def _tell(state: SessionState, entries: Sequence[ConfigEntry]) -> None:
    """Say what is kept and shown, and does nothing."""
    given = [f'"{entry.key}"' for entry in entries if entry.value is not None]
    if given:
        one = len(given) == 1
        what, verb = ("parameter", "has") if one else ("parameters", "have")
        state.notice(Notice(f"{what} {', '.join(given)} {verb} no effect"))
