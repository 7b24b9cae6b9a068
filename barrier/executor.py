"""Performing an epoch: one transaction of the store, from the writes to the last view.

The executor holds what is needed for that (catalog, compiled plans, row counts) and changes it only
when an epoch is committed. A view whose step fails is marked failed with its error, and the epoch
is tried again without it; so is a write set that breaks the transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

import sqlglot

from barrier import change_log
from barrier.application import Application, RowIds, WriteFailed
from barrier.command import (
    CancelJobs,
    ChangeCatalog,
    Command,
    CreateStreamingJob,
    Flush,
    FollowSystem,
    Pause,
    Resume,
)
from barrier.epoch import Epoch
from barrier.state import (
    InjectBackfill,
    InjectCommand,
    Injection,
    InjectRefresh,
    InjectWrites,
    Written,
)
from barrier.store import Attempt, Store
from barrier.stream.build import compile_view
from barrier.stream.plan import ChangeSize, InputRelation, Plan
from barrier.writes import TableProgram
from catalog.errors import ObjectNotInPrerequisiteState, PgError
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, Relation, Table, View
from catalog.state import (
    Catalog,
    CreateRelation,
    CreateSchema,
    DropRelations,
    DropSchema,
    RenameRelation,
    ReplaceRelation,
    apply,
    streaming_jobs,
)

#: Later than every epoch: when a relation was last logged is not known.
_UNKNOWN: Final = Epoch(1 << 63)


class JobFailed(Exception):  # never leaves the executor
    """A view's step broke the transaction."""

    def __init__(self, oid: Oid, error: PgError) -> None:
        super().__init__(str(error))
        self.oid = oid
        self.error = error


@dataclass
class Outcome:
    """What became of an epoch.

    Attributes:
        failures: Errors by ticket: their work was left out.
        failed_jobs: Jobs that are no longer maintained, with why.
        refreshed: Batch refresh jobs that are now of this epoch.
        released: Staging tables that are done with.
        is_catalog_changed: Whether the catalog is another.
        rows_in: Rows that clients inserted and deleted.
        views: How many views were stepped.
    """

    failures: dict[int, PgError] = field(default_factory=dict)
    failed_jobs: dict[Oid, PgError] = field(default_factory=dict)
    refreshed: frozenset[Oid] = frozenset()
    released: tuple[str, ...] = ()
    is_catalog_changed: bool = False
    rows_in: int = 0
    views: int = 0


class Executor:
    """Brings epochs about, one at a time, on the worker's thread."""

    def __init__(self, store: Store, catalog: Catalog, epoch: Epoch) -> None:
        self._store = store
        #: What there is, and the epoch that the store has written it at.
        self.published = (catalog, epoch)
        self._plans: dict[Oid, Plan] = {}
        self._sizes: dict[Oid, int] = {}
        self._row_ids = RowIds()
        #: The epoch of each change log's last entry, as far as it was written by this process.
        self._logged: dict[Oid, Epoch] = {}
        for relation in catalog.in_order():
            self._learn(relation)

    @property
    def catalog(self) -> Catalog:
        """What there is as of the last committed epoch."""
        return self.published[0]

    def plan(self, view: MaterializedView, catalog: Catalog) -> Plan:
        """Compile a view's query to its plan, as it is or would be maintained."""
        inputs = {oid: self._input(catalog.relations[oid]) for oid in catalog_inputs(catalog, view)}
        return compile_view(view.oid, sqlglot.parse_one(view.query, read="duckdb"), inputs)

    def rows_estimated(self, oid: Oid) -> int:
        """Return about how many rows a stored relation has; callable from any thread."""
        return self._sizes.get(oid, 0)

    def perform(self, injection: Injection, now_ms: int) -> Outcome:
        """Bring an epoch about.

        Raises:
            PgError: It could not be; nothing of it is left.
        """
        match injection:
            case InjectWrites():
                return self._write(injection, now_ms)
            case InjectCommand():
                return self._command(injection, now_ms)
            case InjectBackfill(epoch, oids):
                return self._backfill(epoch, oids, now_ms)
            case InjectRefresh(epoch, oids):
                return self._refresh(epoch, oids, now_ms)

    # --- writes ---------------------------------------------------------------------------------

    def _write(self, injection: InjectWrites, now_ms: int) -> Outcome:
        if not injection.writes and not self._moves_with_time(injection):
            return Outcome()
        outcome = Outcome()
        together = True
        while True:
            try:
                with self._run(outcome, injection.epoch, now_ms) as run:
                    run.write(injection.writes, together=together, is_moving=injection.is_moving)
            except WriteFailed as e:
                if len(e.tickets) == 1:
                    outcome.failures |= dict.fromkeys(e.tickets, e.error)
                together = False
            except JobFailed as e:
                outcome.failed_jobs[e.oid] = e.error
            else:
                outcome.released = tuple(
                    name
                    for w in injection.writes
                    if w.write_set.queue_number is None
                    for name in w.write_set.staging
                )
                return outcome

    def _moves_with_time(self, injection: InjectWrites) -> bool:
        return injection.is_moving and any(
            plan.runs_every_epoch
            for oid, plan in self._plans.items()
            if _is_maintained(self.catalog.relations[oid])
        )

    # --- commands -------------------------------------------------------------------------------

    def _command(self, injection: InjectCommand, now_ms: int) -> Outcome:
        outcome = Outcome()
        try:
            with self._run(outcome, injection.epoch, now_ms) as run:
                self._perform(run, injection)
        except JobFailed as e:
            raise e.error from e
        return outcome

    def _perform(self, run: _Run, injection: InjectCommand) -> None:
        command: Command = injection.command
        match command:
            case ChangeCatalog(changes):
                for change in changes:
                    run.change(change)
            case CreateStreamingJob(view):
                is_filled = injection.is_flowing or not command.reads_tables
                status = JobStatus.CREATED if is_filled else JobStatus.CREATING
                epoch = injection.epoch if is_filled else 0
                run.change(CreateRelation(replace(view, status=status, refreshed_epoch=epoch)))
                if is_filled:
                    run.fill(view.oid)
            case CancelJobs(oids):
                known = frozenset(
                    oid for oid in oids if _is_creating(self.catalog.relations.get(oid))
                )
                run.change(DropRelations(known))
            case Pause() | Resume() | FollowSystem():
                run.attempt.put_pause(injection.pause)
            case Flush():
                pass

    # --- jobs -----------------------------------------------------------------------------------

    def _backfill(self, epoch: Epoch, oids: frozenset[Oid], now_ms: int) -> Outcome:
        outcome = Outcome()
        for oid in sorted(oids):
            view = self.catalog.relations[oid]
            assert isinstance(view, MaterializedView), oid
            filled = replace(view, status=JobStatus.CREATED, refreshed_epoch=epoch)
            try:
                with self._run(outcome, epoch, now_ms) as run:
                    run.change(ReplaceRelation(filled))
                    run.fill(oid)
            except PgError as e:
                outcome.failed_jobs[oid] = e
                gone = frozenset(relation.oid for relation in self.catalog.closure([oid]))
                with self._run(outcome, epoch, now_ms) as run:
                    run.change(DropRelations(gone))
        return outcome

    def _refresh(self, epoch: Epoch, oids: frozenset[Oid], now_ms: int) -> Outcome:
        outcome = Outcome(refreshed=oids)
        behind = [oid for oid in sorted(oids) if self._is_behind(oid)]
        while behind or outcome.failed_jobs:
            try:
                with self._run(outcome, epoch, now_ms) as run:
                    for oid in behind:
                        run.refresh(oid)
                    run.prune_logs()
            except JobFailed as e:
                outcome.failed_jobs[e.oid] = e.error
                behind.remove(e.oid)
            else:
                break
        return outcome

    def _is_behind(self, oid: Oid) -> bool:
        """Whether a batch refresh job has anything to do; unknown after a restart."""
        view = self.catalog.relations[oid]
        assert isinstance(view, MaterializedView), oid
        return self._plans[oid].runs_every_epoch or any(
            self._logged.get(upstream, _UNKNOWN) > view.refreshed_epoch
            for upstream in catalog_inputs(self.catalog, view)
        )

    @contextmanager
    def _run(self, outcome: Outcome, epoch: Epoch, now_ms: int) -> Iterator[_Run]:
        """Try to bring an epoch about: commit at the end of the block, or leave nothing."""
        run = _Run(self, outcome, epoch, now_ms)
        try:
            run.leave_out(outcome.failed_jobs)
            yield run
            run.commit()
        except BaseException:
            run.rollback()
            raise

    # --- what is known --------------------------------------------------------------------------

    def _learn(self, relation: Relation) -> None:
        """Take in a relation that was recovered."""
        if isinstance(relation, View):
            return
        if isinstance(relation, MaterializedView):
            if relation.status is JobStatus.CREATING:
                return
            self._plans[relation.oid] = self.plan(relation, self.catalog)
        elif not relation.primary_key:
            reader = self._store.reader()
            ((highest,),) = reader.rows(f"SELECT max(_row_id) FROM r{relation.oid}")
            reader.close()
            self._row_ids.next[relation.oid] = 0 if highest is None else int(str(highest)) + 1
        self._sizes[relation.oid] = self._store.rows_estimated(f"r{relation.oid}")

    def _input(self, relation: Relation) -> InputRelation:
        if isinstance(relation, Table):
            return InputRelation.of_table(relation)
        return self._plans[relation.oid].as_input()


class _Run:
    """One attempt at an epoch: what it would change, kept apart until it is committed."""

    def __init__(self, executor: Executor, outcome: Outcome, epoch: Epoch, now_ms: int) -> None:
        self._executor = executor
        self._epoch = epoch
        self._now_ms = now_ms
        self._outcome = outcome
        self.attempt: Attempt = executor._store.attempt()  # noqa: SLF001
        self._catalog = executor.catalog
        self._plans = dict(executor._plans)  # noqa: SLF001
        self._sizes = dict(executor._sizes)  # noqa: SLF001
        self._row_ids = RowIds(dict(executor._row_ids.next))  # noqa: SLF001
        self._logged = dict(executor._logged)  # noqa: SLF001
        self._changes: dict[Oid, ChangeSize] = {}
        self._stepped = 0
        self._rows_in = 0

    def leave_out(self, failed_jobs: Mapping[Oid, PgError]) -> None:
        """Stop maintaining views that failed, and what stands on them.

        They would no longer equal their queries.
        """
        before = self._catalog
        for oid, error in failed_jobs.items():
            for relation in self._catalog.closure([oid]):
                if isinstance(relation, MaterializedView) and relation.status is JobStatus.CREATED:
                    failed = replace(relation, status=JobStatus.FAILED, error=error.message)
                    self.change(ReplaceRelation(failed))
        self._drop_unread_logs(before)

    def write(self, writes: Iterable[Written], *, together: bool, is_moving: bool) -> None:
        """Apply write sets and maintain every view above what changed."""
        application = Application(
            self.attempt, self._catalog, self._row_ids, failures=self._outcome.failures
        )
        application.apply(writes, together=together)
        application.consolidate()
        for oid in application.changed:
            inserted = application.inserted.get(oid, 0)
            deleted = application.deleted.get(oid, 0)
            self._note_change(oid, ChangeSize(inserted, deleted))
            self._rows_in += inserted + deleted
        for view in streaming_jobs(self._catalog):
            if _is_maintained(view):
                self._step(view, is_moving=is_moving)

    def change(self, change: object) -> None:
        """Change the catalog, its rows and the storage that goes with it."""
        before = self._catalog
        match change:
            case CreateSchema(schema):
                self._catalog = apply(before, change)
                self.attempt.put_schema(schema)
            case DropSchema(name):
                self._catalog = apply(before, change)
                self.attempt.drop_schema(name)
            case CreateRelation(relation):
                self._catalog = apply(before, change)
                self.attempt.put_relation(relation)
                if isinstance(relation, Table):
                    self._run_all(TableProgram(relation).create())
                    self._row_ids.next[relation.oid] = 0
                    self._sizes[relation.oid] = 0
            case ReplaceRelation(relation):
                self._catalog = apply(before, change)
                self.attempt.put_relation(relation)
            case RenameRelation(oid):
                self._catalog = apply(before, change)
                self.attempt.put_relation(self._catalog.relations[oid])
            case DropRelations(oids):
                self._catalog = apply(before, change)
                for oid in sorted(oids, reverse=True):
                    self._drop(before.relations[oid])
                self._drop_unread_logs(before)
            case _:
                raise AssertionError(change)
        self._outcome.is_catalog_changed = True

    def fill(self, oid: Oid) -> None:
        """Make a view's state tables and fill them from what is there now."""
        view = self._catalog.relations[oid]
        assert isinstance(view, MaterializedView), oid
        for upstream in catalog_inputs(self._catalog, view):
            _check_maintained(self._catalog.relations[upstream])
        plan = self._executor.plan(view, self._catalog)
        self.attempt.set_time(self._now_ms)
        self._run_all(plan.create())
        self._plans[oid] = plan
        self._sizes[oid] = self.attempt.value(f"SELECT count(*) FROM r{oid}")
        if view.refresh_interval_s is not None:
            for upstream in catalog_inputs(self._catalog, view):
                columns = self._columns(upstream)
                self._run_all([change_log.create(upstream, columns)])
                self._logged.setdefault(upstream, self._epoch)

    def refresh(self, oid: Oid) -> None:
        """Bring a batch refresh job up to now by replaying what its upstreams logged."""
        view = self._catalog.relations[oid]
        assert isinstance(view, MaterializedView), oid
        since = Epoch(view.refreshed_epoch)
        self._changes = {}
        for upstream in catalog_inputs(self._catalog, view):
            self._run_all([change_log.replay(upstream, self._columns(upstream), since)])
            self._note_change(upstream, self._measure(upstream), is_logged=False)
            self._logged.setdefault(upstream, self._epoch)
        self._step(view, is_moving=True)
        self.change(ReplaceRelation(replace(view, refreshed_epoch=self._epoch)))

    def prune_logs(self) -> None:
        """Forget what no batch refresh job will ask for again."""
        for upstream, readers in change_log.readers(self._catalog).items():
            oldest = Epoch(min(view.refreshed_epoch for view in readers))
            self._run_all([change_log.prune(upstream, oldest)])

    def commit(self) -> None:
        """Commit, and only then let the executor know."""
        self.attempt.commit(self._epoch)
        executor = self._executor
        executor.published = (self._catalog, self._epoch)
        executor._plans = self._plans  # noqa: SLF001
        executor._sizes = self._sizes  # noqa: SLF001
        executor._row_ids = self._row_ids  # noqa: SLF001
        executor._logged = self._logged  # noqa: SLF001
        self._outcome.views += self._stepped
        self._outcome.rows_in += self._rows_in

    def rollback(self) -> None:
        """Leave nothing."""
        self.attempt.rollback()

    def _step(self, view: MaterializedView, *, is_moving: bool) -> None:
        plan = self._plans[view.oid]
        relevant = {
            oid: self._changes[oid]
            for oid in catalog_inputs(self._catalog, view)
            if oid in self._changes
        }
        if not relevant and not (is_moving and plan.runs_every_epoch):
            return
        is_read = self._is_read(view.oid)
        with _blame(view.oid):
            statements = plan.step(relevant, self._sizes, needs_delta=is_read)
            if plan.runs_every_epoch:
                self.attempt.set_time(self._now_ms)
            for statement in statements:
                self.attempt.run(statement.sql)
        self._stepped += 1
        if statements and is_read:
            self._note_change(view.oid, self._measure(view.oid))

    def _is_read(self, oid: Oid) -> bool:
        return any(
            oid in catalog_inputs(self._catalog, job) for job in streaming_jobs(self._catalog)
        )

    def _measure(self, oid: Oid) -> ChangeSize:
        inserted = self.attempt.value(f"SELECT count(*) FROM d{oid} WHERE __weight > 0")
        deleted = self.attempt.value(f"SELECT count(*) FROM d{oid} WHERE __weight < 0")
        return ChangeSize(inserted, deleted)

    def _note_change(self, oid: Oid, size: ChangeSize, *, is_logged: bool = True) -> None:
        if not size.inserted and not size.deleted:
            return
        self._changes[oid] = size
        if not is_logged:
            return
        self._sizes[oid] = max(self._sizes.get(oid, 0) + size.inserted - size.deleted, 0)
        if oid in change_log.readers(self._catalog):
            self._run_all([change_log.append(oid, self._columns(oid), self._epoch)])
            self._logged[oid] = self._epoch

    def _columns(self, oid: Oid) -> tuple[str, ...]:
        relation = self._catalog.relations[oid]
        if isinstance(relation, Table):
            return TableProgram(relation).columns
        return self._plans[oid].as_input().columns

    def _drop(self, relation: Relation) -> None:
        self.attempt.drop_relation(relation)
        if isinstance(relation, Table):
            self._run_all(TableProgram(relation).drop())
        elif relation.oid in self._plans:
            self._run_all(self._plans.pop(relation.oid).drop())
        self._sizes.pop(relation.oid, None)
        self._row_ids.next.pop(relation.oid, None)

    def _drop_unread_logs(self, before: Catalog) -> None:
        still = change_log.readers(self._catalog)
        for oid in change_log.readers(before):
            if oid not in still:
                self._run_all([change_log.drop(oid)])
                self._logged.pop(oid, None)

    def _run_all(self, statements: Iterable[str]) -> None:
        for statement in statements:
            self.attempt.run(statement)


def catalog_inputs(catalog: Catalog, view: MaterializedView) -> frozenset[Oid]:
    """Return the stored relations that a view reads, through plain views."""
    return catalog.base_tables(view.oid)


def _is_maintained(relation: Relation) -> bool:
    return (
        isinstance(relation, MaterializedView)
        and relation.status is JobStatus.CREATED
        and relation.refresh_interval_s is None
    )


def _check_maintained(relation: Relation) -> None:
    """Refuse to fill a view from one that does not equal its query.

    Raises:
        ObjectNotInPrerequisiteState: It has failed, or is not filled itself.
    """
    if isinstance(relation, MaterializedView) and relation.status is not JobStatus.CREATED:
        has_failed = relation.status is JobStatus.FAILED
        what = "has failed" if has_failed else "has not been populated"
        raise ObjectNotInPrerequisiteState(
            f'materialized view "{relation.name}" {what}', detail=relation.error
        )


def _is_creating(relation: Relation | None) -> bool:
    return isinstance(relation, MaterializedView) and relation.status is JobStatus.CREATING


@contextmanager
def _blame(oid: Oid) -> Iterator[None]:
    """Turn an error of the engine into JobFailed for the view that was being maintained."""
    try:
        yield
    except PgError as e:
        raise JobFailed(oid, e) from e
