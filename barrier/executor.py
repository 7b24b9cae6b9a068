"""Performing an epoch: one transaction of the store, from the writes to the last view.

The executor holds what is needed for that (catalog, compiled plans, row counts) and changes it only
when an epoch is committed. A view whose step fails is marked failed with its error, and the epoch
is tried again without it; so is a write set that breaks the transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

from barrier import catch_up, kept_changes, retention
from barrier.acknowledged import judge, left_out
from barrier.ahead import Ahead
from barrier.application import WriteFailed
from barrier.command import (
    CancelJobs,
    ChangeCatalog,
    Command,
    CreateStreamingJob,
    DiscardWrites,
    Flush,
    FollowSystem,
    LimitBackfill,
    Pause,
    PauseView,
    Recover,
    ReplaceStreamingJob,
    Resume,
    ResumeView,
    RetryWrites,
    Step,
)
from barrier.connector.pull import pulls_of
from barrier.epoch import Epoch
from barrier.job import Backfilled, Contents
from barrier.job_graph import is_backfilling, is_creating, stands_still
from barrier.knowledge import Knowledge
from barrier.merging import check_inputs, limit_backfill, merge, register
from barrier.message import (
    InjectBackfill,
    InjectCatchUp,
    InjectCommand,
    Injection,
    InjectMerge,
    InjectRefresh,
    InjectWrites,
    Written,
)
from barrier.new_keys import KeysMet, NewKeys
from barrier.outcome import JobFailed, Outcome, RowsInUse, Tolerated
from barrier.recovery import learn
from barrier.remains import drop_remains
from barrier.replacement import replace_job
from barrier.run import Run
from barrier.set_aside import SetAside, numbers_of, still_failing
from barrier.store import Store
from barrier.stored_state import flow_places
from barrier.time_box import TimeBox
from barrier.tolerance import first_form, tolerant_form
from barrier.user_type_macros import statements
from barrier.writing import write
from catalog.change import CreateRelation, DropRelations, ReplaceRelation
from catalog.errors import (
    ObjectNotInPrerequisiteState,
    PgError,
    QueryCanceled,
)
from catalog.oid import Oid
from catalog.relation import JobStatus, Relation, Sink, StreamingJob
from catalog.state import Catalog, streaming_jobs

#: A view that reads no more rows than this is filled in the barrier of its CREATE, if that takes no
#: longer than this. Nobody notices it, and a job of its own takes three barriers.
_ROWS_IN_BARRIER: Final = 100_000
_MS_IN_BARRIER: Final = 250

#: Later than every epoch: when a relation was last logged is not known.
_UNKNOWN: Final = Epoch(1 << 63)


class Executor:
    """Brings epochs about, one at a time, on the worker's thread."""

    def __init__(
        self, store: Store, catalog: Catalog, epoch: Epoch, set_aside: Sequence[SetAside] = ()
    ) -> None:
        self._store = store
        #: Replaced as a whole by every committed epoch, so that any thread may look at it.
        failed = {failed.number: failed for failed in set_aside}
        self.known = Knowledge(catalog, epoch, epoch, set_aside=failed)
        self._new_keys = NewKeys()
        self._ahead = Ahead()
        #: Of which relations somebody outside of this database wants all changes after an epoch.
        self.pinned: Callable[[Oid], Epoch | None] = lambda _: None
        #: Relations whose rows readers may already see changed, though ``known`` does not say so.
        self.in_flux: frozenset[Oid] = frozenset()
        reader = store.reader()
        drop_remains(reader, catalog)
        self.known.places = flow_places(reader)
        # A copy of a database has none of its macros.
        for made in catalog.types.values():
            for statement in statements(made, store.twins):
                reader.run(statement)
        reader.close()
        for relation in (*catalog.readers.values(), *catalog.in_order()):
            learn(self.known, store, relation)

    @property
    def catalog(self) -> Catalog:
        """What there is as of the last committed epoch."""
        return self.known.catalog

    def epoch(self) -> Epoch:
        """Return the last epoch in which anything changed; callable from any thread."""
        return self.known.epoch

    def rows_estimated(self, oid: Oid) -> int:
        """Return about how many rows a stored relation has; callable from any thread."""
        return self.known.sizes.get(oid, 0)

    def changed_at(self, oids: Sequence[Oid]) -> tuple[Epoch, ...] | None:
        """Return the epochs that last changed stored relations; callable from any thread.

        Returns:
            None while an epoch that changes one of them is being committed, and when there is one
            no more. Two equal answers mean that readers saw the same rows of all of them at any
            time in between.
        """
        # In this order: what is in flux is so before its commit and until it is known.
        in_flux = self.in_flux
        known = self.known
        if in_flux and not in_flux.isdisjoint(oids):
            return None
        # Of what was dropped meanwhile nobody knows when it last changed.
        if not all(oid in known.catalog.relations for oid in oids):
            return None
        return tuple(known.changed_at(oid) for oid in oids)

    def prepare_ahead(self) -> bool:
        """Use a moment in which there is nothing to do; returns whether there may be more."""
        return self._ahead.make_one(self.known) or self._store.prepare_ahead()

    def perform(self, injection: Injection, now_ms: int) -> Outcome:
        """Bring an epoch about.

        Raises:
            PgError: It could not be; nothing of it is left.
        """
        match injection:
            case InjectWrites():
                return self._write(injection, now_ms)
            case InjectCommand(command=Recover()):
                return self._recover(injection, now_ms)
            case InjectCommand(command=RetryWrites(number=number)):
                return self._retry(injection, number, now_ms)
            case InjectCommand():
                return self._command(injection, now_ms)
            case InjectBackfill(epoch, oids):
                return self._backfill(epoch, oids, now_ms)
            case InjectMerge(epoch, backfilled):
                return self._merge(epoch, backfilled, now_ms)
            case InjectRefresh(epoch, oids):
                return self._refresh(epoch, oids, now_ms)
            case InjectCatchUp(epoch, oids):
                return self._catch_up(epoch, oids, now_ms)

    # --- writes ---------------------------------------------------------------------------------

    def _write(self, injection: InjectWrites, now_ms: int) -> Outcome:
        overdue = kept_changes.overdue(self.known, now_ms, self.pinned)
        pulls = tuple(pulls_of(self.known, injection.pulls, now_ms))
        is_due = bool(injection.writes or overdue or pulls)
        if not is_due and not self._moves_with_time(injection, now_ms):
            return Outcome()
        writes = (*injection.writes, *(pull.written() for pull in pulls))
        outcome = Outcome()
        together = True
        while True:
            try:
                with self._run(outcome, injection.epoch, now_ms) as run:
                    kept_changes.trim(run, overdue, self.pinned)
                    write(
                        run,
                        injection.writes,
                        self._new_keys,
                        together=together,
                        is_moving=injection.is_moving,
                        pulls=pulls,
                    )
            except KeysMet as e:
                self._new_keys.met(e.table)
            except WriteFailed as e:
                if len(e.tickets) == 1:
                    outcome.failures |= dict.fromkeys(
                        left_out(writes, e, self.known.set_aside), e.error
                    )
                together = False
            except JobFailed as e:
                self._judge(e, outcome)
            else:
                judge(injection, outcome, self.known.set_aside)
                outcome.released = tuple(
                    name
                    for w in injection.writes
                    if w.write_set.queue_number is None
                    for name in w.write_set.staging
                )
                return outcome

    def _moves_with_time(self, injection: InjectWrites, now_ms: int) -> bool:
        views = self.known.graph.maintained
        return injection.is_moving and (
            any(self.known.plans[view.oid].runs_every_epoch for view in views)
            or bool(retention.due(self.known, now_ms))
        )

    def _retry(self, injection: InjectCommand, number: int | None, now_ms: int) -> Outcome:
        """Apply acknowledged writes that stand aside.

        Raises:
            UndefinedObject: There is no such write.
        """
        chosen = [self.known.set_aside[n] for n in numbers_of(self.known.set_aside, number)]
        # No ticket of a session's is negative.
        writes = tuple(Written(-failed.number, failed.write_set) for failed in chosen)
        outcome = self._write(InjectWrites(injection.epoch, writes, (), is_moving=True), now_ms)
        failures = [outcome.failures[w.ticket] for w in writes if w.ticket in outcome.failures]
        if failures:
            outcome.failures[injection.ticket] = still_failing(
                failures[0], len(failures), len(writes)
            )
        return outcome

    # --- commands -------------------------------------------------------------------------------

    def _command(self, injection: InjectCommand, now_ms: int) -> Outcome:
        outcome = Outcome()
        command = injection.command
        box = TimeBox(_MS_IN_BARRIER, self._store.interrupt)
        while True:
            try:
                with self._run(outcome, injection.epoch, now_ms) as run:
                    self._perform(run, injection, command, box)
            except QueryCanceled:
                if not box.is_up:
                    raise
            except RowsInUse:
                if outcome.rewrites:
                    raise
                outcome.rewrites = True
            except JobFailed as e:
                if not isinstance(command, CreateStreamingJob | ReplaceStreamingJob):
                    raise e.error from e
                if box.is_up and isinstance(e.error, QueryCanceled):
                    continue
                is_own = e.oid == command.view.oid
                tolerant = self._tolerant(command.view, e.error) if is_own else None
                if tolerant is None:
                    raise e.error from e
                outcome.tolerant[e.oid] = Tolerated(tolerant, e.error)
                command = replace(command, view=tolerant)
            else:
                return outcome

    def _perform(self, run: Run, injection: InjectCommand, command: Command, box: TimeBox) -> None:
        match command:
            case ChangeCatalog(changes):
                for change in changes:
                    run.change(change)
            case CreateStreamingJob():
                self._create(run, command, box, is_flowing=injection.is_flowing)
            case ReplaceStreamingJob():
                replace_job(run, command)
            case CancelJobs(oids):
                known = frozenset(
                    oid for oid in oids if is_creating(self.catalog.relations.get(oid))
                )
                run.change(DropRelations(known))
            case Pause() | Resume() | FollowSystem():
                run.attempt.put_pause(injection.pause)
            case PauseView(oid, user):
                catch_up.pause_view(run, oid, user)
            case ResumeView(oid):
                catch_up.resume_view(run, oid)
            case LimitBackfill(oid, limit):
                limit_backfill(run, oid, limit)
            case DiscardWrites(number=number):
                run.discard(numbers_of(run.known.set_aside, number))
            case Flush() | Step() | Recover() | RetryWrites():
                pass

    def _create(
        self, run: Run, command: CreateStreamingJob, box: TimeBox, *, is_flowing: bool
    ) -> None:
        view, based_on = first_form(command.view, self._store.twins), command.based_on
        relations = self.catalog.relations
        must_wait = not is_flowing or any(
            stands_still(relations[o]) for o in command.reads if o in relations
        )
        uses_snapshot = command.reads_tables and command.uses_snapshot_backfill
        is_small = not box.is_up and self._is_small(view, command.reads)
        if uses_snapshot and not is_small:
            register(run, view, based_on)  # Its job begins when nothing stands still.
        elif (command.reads_tables or isinstance(view, Sink)) and must_wait:
            run.change(CreateRelation(replace(view, status=JobStatus.CREATING), based_on))
            check_inputs(run, view.oid)
        elif not uses_snapshot:
            _create_filled(run, view, based_on)
        else:
            with box.open():
                _create_filled(run, view, based_on)

    def _is_small(self, view: StreamingJob, reads: frozenset[Oid]) -> bool:
        """Whether a view is filled at once, as far as the rows that it reads tell."""
        if view.backfill_rate_limit is not None:
            return False
        return sum(self.known.sizes.get(oid, 0) for oid in reads) <= _ROWS_IN_BARRIER

    # --- jobs -----------------------------------------------------------------------------------

    def _backfill(self, epoch: Epoch, oids: frozenset[Oid], now_ms: int) -> Outcome:
        outcome = Outcome()
        for oid in sorted(oids):
            view = self.catalog.relations[oid]
            assert isinstance(view, StreamingJob), oid
            filled = replace(view, status=JobStatus.CREATED, refreshed_epoch=epoch)
            try:
                self._fill(filled, outcome, epoch, now_ms)
            except PgError as e:
                self._give_up(oid, e, outcome, epoch, now_ms)
        return outcome

    def _recover(self, injection: InjectCommand, now_ms: int) -> Outcome:
        """Fill views that have failed anew, each after what it reads."""
        outcome = Outcome()
        for view in streaming_jobs(self.catalog) if injection.is_flowing else ():
            if view.status is not JobStatus.FAILED or self.known.graph.waits_for_upstream(
                view.oid, self.catalog
            ):
                continue
            again = replace(
                view, status=JobStatus.CREATED, error=None, refreshed_epoch=injection.epoch
            )
            with suppress(PgError):  # Then it stays as it is.
                self._fill(again, outcome, injection.epoch, now_ms)
        return outcome

    def _merge(self, epoch: Epoch, backfilled: tuple[Backfilled, ...], now_ms: int) -> Outcome:
        outcome = Outcome()
        for job in backfilled:
            if not is_backfilling(self.catalog.relations.get(job.oid)):
                continue  # It was dropped meanwhile.
            if isinstance(job.outcome, PgError):
                self._give_up(job.oid, job.outcome, outcome, epoch, now_ms)
            elif not self.known.graph.waits_for_upstream(job.oid, self.catalog):
                self._merge_one(job.oid, job.outcome, outcome, epoch, now_ms)
        return outcome

    def _merge_one(
        self, oid: Oid, contents: Contents, outcome: Outcome, epoch: Epoch, now_ms: int
    ) -> None:
        while True:
            try:
                with self._run(outcome, epoch, now_ms) as run:
                    merge(run, oid, contents)
            except JobFailed as e:
                self._judge(e, outcome)
                if (error := outcome.failed_jobs.pop(oid, None)) is not None:
                    return self._give_up(oid, error, outcome, epoch, now_ms)
            except ObjectNotInPrerequisiteState as e:
                return self._give_up(oid, e, outcome, epoch, now_ms)
            else:
                if contents.tolerated is not None:
                    view = self.catalog.relations[oid]
                    assert isinstance(view, StreamingJob), oid
                    outcome.tolerant[oid] = Tolerated(view, contents.tolerated)
                return None

    def _give_up(
        self, oid: Oid, error: PgError, outcome: Outcome, epoch: Epoch, now_ms: int
    ) -> None:
        """Take a view away that cannot be filled, with all that stands on it."""
        outcome.failed_jobs[oid] = error
        gone = frozenset(relation.oid for relation in self.catalog.closure([oid]))
        with self._run(outcome, epoch, now_ms) as run:
            run.change(DropRelations(gone))

    def _fill(self, view: StreamingJob, outcome: Outcome, epoch: Epoch, now_ms: int) -> None:
        """Fill a view, in its tolerant form where an expression fails for some row.

        Raises:
            PgError: It could not be filled.
        """
        try:
            with self._run(outcome, epoch, now_ms) as run:
                run.change(ReplaceRelation(view))
                run.fill(view.oid)
        except JobFailed as e:
            tolerant = self._tolerant(view, e.error)
            if tolerant is None:
                raise e.error from e
            outcome.tolerant[view.oid] = Tolerated(tolerant, e.error)
            self._fill(tolerant, outcome, epoch, now_ms)

    def _judge(self, failure: JobFailed, outcome: Outcome) -> None:
        """Have a job go on in its tolerant form, or no more."""
        oid, error = failure.oid, failure.error
        view = self.catalog.relations[oid]
        assert isinstance(view, StreamingJob), oid
        tolerant = None if oid in outcome.tolerant else self._tolerant(view, error)
        if tolerant is not None:
            outcome.tolerant[oid] = Tolerated(tolerant, error)
            return
        outcome.tolerant.pop(oid, None)
        outcome.failed_jobs[oid] = error

    def _tolerant(self, view: StreamingJob, error: PgError) -> StreamingJob | None:
        return tolerant_form(view, error, self._store.twins)

    def _refresh(self, epoch: Epoch, oids: frozenset[Oid], now_ms: int) -> Outcome:
        outcome = Outcome(refreshed=oids)
        behind = [oid for oid in sorted(oids) if self._is_behind(oid)]
        while behind or outcome.failed_jobs:
            try:
                with self._run(outcome, epoch, now_ms) as run:
                    for oid in behind:
                        run.replay(oid)
                    kept_changes.prune(run)
            except JobFailed as e:
                self._judge(e, outcome)
                if e.oid in outcome.failed_jobs:
                    behind.remove(e.oid)
            else:
                break
        return outcome

    def _catch_up(self, epoch: Epoch, oids: frozenset[Oid], now_ms: int) -> Outcome:
        outcome = Outcome()
        while True:
            try:
                with self._run(outcome, epoch, now_ms) as run:
                    catch_up.catch_up(run, oids - outcome.failed_jobs.keys())
            except JobFailed as e:
                self._judge(e, outcome)
            else:
                return outcome

    def _is_behind(self, oid: Oid) -> bool:
        """Whether a batch refresh job has anything to do; unknown after a restart."""
        view = self.catalog.relations[oid]
        assert isinstance(view, StreamingJob), oid
        return self.known.plans[oid].runs_every_epoch or any(
            self.known.logged.get(upstream, _UNKNOWN) > view.refreshed_epoch
            for upstream in self.known.graph.inputs[oid]
        )

    @contextmanager
    def _run(self, outcome: Outcome, epoch: Epoch, now_ms: int) -> Iterator[Run]:
        """Try to bring an epoch about: commit at the end of the block, or leave nothing."""
        run = Run(
            self._store.attempt(), self.known.draft(epoch), outcome, now_ms, self._store.twins
        )
        try:
            run.leave_out(outcome.failed_jobs)
            yield run
            self.in_flux = run.touched
            self.known = run.commit()
        except BaseException:
            run.rollback()
            raise
        finally:
            self.in_flux = frozenset()


def _create_filled(run: Run, view: StreamingJob, based_on: tuple[Relation, ...]) -> None:
    created = replace(view, status=JobStatus.CREATED, refreshed_epoch=run.known.epoch)
    run.change(CreateRelation(created, based_on))
    run.fill(view.oid)
