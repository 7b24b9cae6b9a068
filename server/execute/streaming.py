"""CREATE MATERIALIZED VIEW, FLUSH, WAIT and CANCEL JOBS.

Names, the query and the options are checked here; whether a job may be created now is the barrier's
to decide, which knows of a pause that came first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from barrier.command import CancelJobs, CreateStreamingJob, Flush, LimitBackfill, Recover
from barrier.stream.aliases import is_kept_only
from catalog.errors import (
    AdminShutdown,
    DuplicateTable,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidParameterValue,
    Notice,
    PgError,
    QueryCanceled,
    UndefinedObject,
    WrongObjectType,
)
from catalog.oid import Oid
from catalog.relation import (
    JobStatus,
    MaterializedView,
    Relation,
    Source,
    StreamingJob,
    Table,
    View,
    kind_name,
)
from catalog.state import Catalog, streaming_jobs
from catalog.types import TEXT
from server.execute.ddl import bound_for_view, is_there_already, result_columns
from server.execute.index import find_index
from server.execute.latest import on_latest
from server.execute.mirror import with_mirrors
from server.execute.names import (
    find_relation,
    get_materialized_view,
    get_relation,
    new_name,
)
from server.execute.permission import check, must_own
from server.execute.source_reader import with_readers
from server.execute.temporary import refuse_in_job
from server.execute.transaction import commit_on_the_way
from server.result import Done, PythonRows
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.result import BoundQuery, OutputColumn
from server.sql.closing.emitted import emitted_on_close
from server.sql.statement import QualifiedName
from server.sql.streaming_statement import RefreshView
from server.version import VERSION_TEXT

#: What is said of the first rows, and is no part of what the view is.
_WITH_DATA: Final = re.compile(r"\s+WITH\s+(?:NO\s+)?DATA\s*\Z", re.IGNORECASE)

_TAG: Final = "CREATE MATERIALIZED VIEW"
_INTERVAL: Final = "refresh.interval.sec"
_RATE_LIMIT: Final = "backfill_rate_limit"


def create_materialized_view(state: SessionState, statement: s.CreateMaterializedView) -> Done:
    """Make a view that is stored and maintained; returns when it is filled, or in the background.

    Raises:
        PgError: The name is taken, the query or an option does not make sense, or the barrier
            refuses it now.
    """
    commit_on_the_way(state)
    view = with_mirrors(
        state,
        statement.name.name,
        lambda: on_latest(state, lambda catalog: _hand_in(state, catalog, statement)),
    )
    if view is not None and not statement.with_data:
        state.notice(Notice(f'materialized view "{view.name}" is filled: it is always up to date'))
    if view is not None and not view.is_background:
        wait_until_created(state, view)
    return Done(_TAG)


def _hand_in(
    state: SessionState, catalog: Catalog, statement: s.CreateMaterializedView
) -> MaterializedView | None:
    """Have a view created; None when it is there already and that is fine."""
    schema, name = new_name(state, catalog, statement.name)
    if _is_being_created(catalog, schema, name) and not statement.if_not_exists:
        raise DuplicateTable(
            f'relation "{name}" already exists', detail="It is still being created."
        )
    if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return None
    view = planned_view(state, catalog, statement)
    create_job(state, catalog, view)
    return view


def create_job(
    state: SessionState,
    catalog: Catalog,
    job: StreamingJob,
    *,
    also: tuple[Relation, ...] = (),
    in_barrier: bool = False,
) -> None:
    """Have a streaming job created.

    Args:
        state: The session.
        catalog: What it was bound to.
        job: The job.
        also: What must be as it is beside what it reads.
        in_barrier: Whether it is filled in the barrier of its creation, however much that is.

    Raises:
        PgError: The barrier refuses it now.
    """
    reads = stored_inputs(catalog, job.depends_on)
    uses_snapshot = state.settings.is_on("streaming_use_snapshot_backfill") and not in_barrier
    command = CreateStreamingJob(
        job,
        reads_tables=bool(reads),
        uses_snapshot_backfill=uses_snapshot,
        based_on=(*catalog.beneath(job.depends_on), *also),
        reads=reads,
        starts_paused=state.settings.show("paused_ddl") == "start_paused",
    )
    state.perform(command)


def planned_view(
    state: SessionState, catalog: Catalog, statement: s.CreateMaterializedView
) -> MaterializedView:
    """Return the view that a statement would create.

    Raises:
        PgError: Its query or an option does not make sense.
    """
    schema, name = new_name(state, catalog, statement.name)
    interval_s = _refresh_interval_s(statement.options)
    bound = bound_for_view(state, catalog, statement.query, statement.start, is_streaming=True)
    check(state, bound.needs, bound.tree)
    if statement.emits_on_close:
        bound = emitted_on_close(bound, catalog)
    refuse_in_job(catalog, bound.depends_on)
    refuse_batch_refresh_upstream(catalog, bound.depends_on)
    uses_snapshot = state.settings.is_on("streaming_use_snapshot_backfill")
    if interval_s is not None:
        _check_batch_refresh(catalog, bound, uses_snapshot=uses_snapshot)
    tree, readers = with_readers(state, catalog, bound)
    return MaterializedView(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=result_columns(bound, statement.columns),
        query=tree.sql(dialect="duckdb"),
        depends_on=bound.depends_on,
        functions=bound.functions,
        definition=_WITH_DATA.sub("", statement.text),
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        refresh_interval_s=interval_s,
        is_background=state.settings.is_on("background_ddl"),
        is_strict=state.settings.is_on("streaming_expr_strict_mode"),
        time_zone=state.settings.time_zone,
        backfill_rate_limit=_rate_limit(state),
        readers=readers,
        config=state.settings.job_config,
    )


def refresh(state: SessionState, statement: RefreshView) -> Done:
    """Wait until a view shows what was committed before, which it does by itself.

    Raises:
        FeatureNotSupported: It is brought up to date at times of its own.
        PgError: There is no such view, or the wait was ended.
    """
    view = get_materialized_view(state, state.catalog(), replace(statement.name, position=None))
    must_own(state, view)
    if view.refresh_interval_s is not None:
        raise FeatureNotSupported(
            f'materialized view "{view.name}" is refreshed by itself, every '
            f"{view.refresh_interval_s} seconds"
        )
    flush(state)
    return Done("REFRESH MATERIALIZED VIEW")


def flush(state: SessionState) -> Done:
    """Wait for a barrier: what was handed in before is committed then.

    Raises:
        PgError: The wait was ended.
    """
    if not state.transaction.is_read_only:  # One that is goes on at its snapshot.
        commit_on_the_way(state)
    state.perform(Flush())
    state.has_queued_writes = False
    return Done("FLUSH")


def wait(state: SessionState, statement: s.Wait) -> Done:
    """Wait until no streaming job of the database is being created, or one relation is there.

    Raises:
        PgError: There is no such relation, it is somebody else's, the wait was ended, or a job
            could not be created.
    """
    if statement.name is None:
        awaited = [job.oid for job in state.worker.jobs()]
    else:
        relation = _awaited(state, statement.kind, statement.name)
        must_own(state, relation)
        awaited = [relation.oid]
    for oid in awaited:
        try:
            state.worker.wait_until_created(oid, state.interrupt, lambda _: None)
        except QueryCanceled:
            state.interrupt.check()
            if statement.name is not None:
                raise  # What was awaited will not be there.
    return Done("WAIT")


def _awaited(state: SessionState, kind: str, name: QualifiedName) -> Relation:
    """Return what WAIT is for; of an index, what it is of. Only views are not there at once."""
    catalog = state.worker.catalog
    if kind == "MATERIALIZED VIEW":
        return get_materialized_view(state, catalog, name)
    if kind == "INDEX":
        if (found := find_index(state, catalog, name)) is None:
            raise UndefinedObject(f'index "{name}" does not exist', position=name.position)
        return found[0]
    relation = get_relation(state, catalog, name)
    if not isinstance(relation, Table):
        raise WrongObjectType(f'"{relation.name}" is not a table', position=name.position)
    return relation


def recover(state: SessionState) -> Done:
    """Fill the views of all databases that have failed anew.

    Raises:
        InsufficientPrivilege: The user is no superuser.
        PgError: The wait was ended.
    """
    if not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to execute RECOVER command")
    commit_on_the_way(state)
    workers = [state.manager.worker(database.name) for database in state.manager.databases()]
    for ticket in [worker.submit(Recover()) for worker in workers]:
        ticket.wait(state.interrupt)
    for worker in workers:
        for view in streaming_jobs(worker.catalog):
            if view.status is JobStatus.FAILED:
                message = f'{kind_name(view)} "{view.name}" of database "{worker.database}"'
                state.notice(Notice(f"{message} stays failed", detail=view.error))
    return Done("RECOVER")


def limit_backfill(state: SessionState, statement: s.AlterViewRate) -> Done:
    """Have the job that fills a materialized view read so many rows a second from now on.

    Raises:
        UndefinedTable: There is no such view.
        InsufficientPrivilege: It is somebody else's.
        InvalidParameterValue: That is no limit.
    """
    name, settings = statement.view, state.settings
    given = settings.reset_value(_RATE_LIMIT) if statement.limit is None else statement.limit
    try:
        limit = int(settings.canonical(_RATE_LIMIT, given))
    except InvalidParameterValue as e:
        e.position = statement.position
        raise
    commit_on_the_way(state)

    def hand_in(catalog: Catalog) -> None:
        if statement.if_exists and find_relation(state, catalog, name) is None:
            state.notice(Notice(f'relation "{name}" does not exist, skipping'))
            return
        view = get_materialized_view(state, catalog, name)
        must_own(state, view)
        state.perform(LimitBackfill(view.oid, None if limit < 0 else limit))

    on_latest(state, hand_in)
    return Done("ALTER MATERIALIZED VIEW")


CANCEL_COLUMNS: Final = (OutputColumn("Id", TEXT),)


def cancel_jobs(state: SessionState, statement: s.CancelJobs) -> PythonRows:
    """Take away streaming jobs that are not created yet; returns which.

    Raises:
        InsufficientPrivilege: One is somebody else's.
    """
    wanted = {Oid(number) for number in statement.ids}
    found = [
        view
        for view in streaming_jobs(state.worker.catalog)
        if view.oid in wanted and view.status is JobStatus.CREATING
    ]
    for view in found:
        must_own(state, view)
    if found:
        state.perform(CancelJobs(frozenset(view.oid for view in found)))
    return PythonRows(CANCEL_COLUMNS, [(str(view.oid),) for view in found], "CANCEL JOBS")


def wait_until_created(state: SessionState, view: StreamingJob) -> None:
    """Wait for a foreground job; when the wait is ended the job is cancelled."""
    if state.worker.pause is not None and _is_creating(state, view.oid):
        state.notice(
            Notice(
                f'{kind_name(view)} "{view.name}" will be filled when the database is resumed',
                hint="Cancelling the statement cancels the job.",
            )
        )

    def tell(progress: str) -> None:
        state.notice(Notice(f'creating {kind_name(view)} "{view.name}": {progress}'))

    try:
        state.worker.wait_until_created(view.oid, state.interrupt, tell)
    except PgError:
        if _is_creating(state, view.oid):
            _cancel(state, view.oid)
        raise


def _cancel(state: SessionState, oid: Oid) -> None:
    """Take a job away whose statement is being ended; its name is free at the end of that."""
    with suppress(AdminShutdown):
        state.worker.submit(CancelJobs(frozenset({oid}))).settle()


def _rate_limit(state: SessionState) -> int | None:
    limit = int(state.settings.show(_RATE_LIMIT))
    return None if limit < 0 else limit


def _is_creating(state: SessionState, oid: Oid) -> bool:
    view = state.worker.catalog.relations.get(oid)
    return isinstance(view, StreamingJob) and view.status is JobStatus.CREATING


def _is_being_created(catalog: Catalog, schema: str, name: str) -> bool:
    found = catalog.find(schema, name)
    return isinstance(found, StreamingJob) and found.status is JobStatus.CREATING


def _refresh_interval_s(options: Sequence[s.Option]) -> int | None:
    """Return the seconds between batch refreshes, or None without that option."""
    unknown = [option.name for option in options if option.name != _INTERVAL]
    if unknown:
        listed = ", ".join(f'"{name}"' for name in unknown)
        raise InvalidParameterValue(f"unexpected options in WITH clause: [{listed}]")
    if not options:
        return None
    given = options[-1].value or ""
    digits = given.strip().removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        raise InvalidParameterValue(f"`{_INTERVAL}` must be a positive integer, but got: {given}")
    if int(digits) == 0:
        raise InvalidParameterValue(f"`{_INTERVAL}` must be larger than 0, but got: {given}")
    return int(digits)


def _check_batch_refresh(catalog: Catalog, bound: BoundQuery, *, uses_snapshot: bool) -> None:
    if not uses_snapshot:
        raise FeatureNotSupported(
            "Batch refresh materialized view requires snapshot backfill",
            hint=f"Please enable snapshot backfill or remove `{_INTERVAL}` from the WITH clause.",
        )
    if is_kept_only(bound.tree.sql(dialect="duckdb")):
        raise FeatureNotSupported(
            "Batch refresh materialized view requires snapshot backfill, but snapshot backfill"
            " disabled due to temporal join",
            hint="Please rewrite the query to avoid operators that forbid snapshot backfill.",
        )
    if any(isinstance(r, Source) for r in catalog.beneath(bound.depends_on)):
        raise FeatureNotSupported("batch refresh materialized views must not depend on sources")
    if not stored_inputs(catalog, bound.depends_on):
        raise FeatureNotSupported(
            "batch refresh materialized view must have snapshot backfill upstream"
        )


def stored_inputs(catalog: Catalog, depends_on: frozenset[Oid]) -> frozenset[Oid]:
    """Return the stored relations that are read, through plain views."""
    found: set[Oid] = set()
    for oid in depends_on:
        is_plain = isinstance(catalog.relations[oid], View)
        found |= catalog.base_tables(oid) if is_plain else {oid}
    return frozenset(oid for oid in found if not isinstance(catalog.relations[oid], Source))


def refuse_batch_refresh_upstream(catalog: Catalog, depends_on: frozenset[Oid]) -> None:
    """Refuse a streaming job on a view that is refreshed in batches, also through plain views."""
    for oid in depends_on:
        relation = catalog.relations[oid]
        if isinstance(relation, View):
            refuse_batch_refresh_upstream(catalog, relation.depends_on)
        elif isinstance(relation, MaterializedView) and relation.refresh_interval_s is not None:
            raise FeatureNotSupported(
                "creating streaming jobs on batch refresh materialized views is not supported",
                detail=f'Materialized view "{relation.name}" is refreshed every '
                f"{relation.refresh_interval_s} seconds.",
            )
