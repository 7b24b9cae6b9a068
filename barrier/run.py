"""One attempt at an epoch: what it would change, kept apart until it is committed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from barrier import change_log
from barrier.application import Application, RowIds
from barrier.epoch import Epoch
from barrier.state import (
    Written,
)
from barrier.store import Attempt
from barrier.stream.plan import ChangeSize
from barrier.writes import TableProgram
from catalog.errors import ObjectNotInPrerequisiteState, PgError
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, Relation, Table
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

if TYPE_CHECKING:
    from barrier.executor import Executor


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


class Run:
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
            if is_maintained(view):
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


def is_maintained(relation: Relation) -> bool:
    """Whether a relation is a view that every epoch keeps equal to its query."""
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


@contextmanager
def _blame(oid: Oid) -> Iterator[None]:
    """Turn an error of the engine into JobFailed for the view that was being maintained."""
    try:
        yield
    except PgError as e:
        raise JobFailed(oid, e) from e
