"""One attempt at an epoch: what it would change, kept apart until it is committed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from barrier import (
    change_log,
    change_reading,
    kept_changes,
    mirror_place,
    retention,
    watermark,
    writing,
)
from barrier.altering import alter_table
from barrier.catalog_record import record
from barrier.domain_check import check_domain
from barrier.epoch import Epoch
from barrier.given_rows import GivenRows
from barrier.job_graph import JobGraph, is_filled
from barrier.kept_plans import Planning
from barrier.knowledge import Knowledge
from barrier.ledger import Entry
from barrier.outcome import JobFailed, Outcome, Tolerated
from barrier.stepping import Stepping, run_plainly
from barrier.store import Attempt
from barrier.stream.plan import ChangeSize, Plan
from barrier.stream.program import Statement, delta_name
from barrier.table_program import TableProgram
from catalog.change import (
    AlterRelation,
    Change,
    ChangeSchema,
    CreateRelation,
    CreateSchema,
    DropRelations,
    DropSchema,
    RenameRelation,
    ReplaceRelation,
)
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import (
    JobStatus,
    MaterializedView,
    Relation,
    Sink,
    StreamingJob,
    Subscription,
    Table,
)
from catalog.state import Catalog, apply
from catalog.type_change import AlterType
from catalog.user_type import DomainType

#: More rows than a delta can have.
_COUNT_BASE: Final = 1 << 31

#: After these all tables that there were have the columns and the rows that they had.
_LEAVES_TABLES: Final = (CreateSchema, ChangeSchema, CreateRelation, RenameRelation)

#: The names of stored relations in a statement.
_STORED: Final = re.compile(r"\br(\d+)\b")


class Run:
    """One attempt at an epoch: what it would change, kept apart until it is committed."""

    def __init__(
        self,
        attempt: Attempt,
        known: Knowledge,
        outcome: Outcome,
        now_ms: int,
        twins: Mapping[str, str],
    ) -> None:
        """Begin.

        Args:
            attempt: The store's transaction.
            known: A draft that is this attempt's own.
            outcome: Where to tell what became of it.
            now_ms: What ``now()`` is in views.
            twins: Macros that give NULL where others fail, by the others' names.
        """
        self.attempt = attempt
        self._twins = twins
        self._known = known
        self.outcome = outcome
        self._now_ms = now_ms
        self.changes: dict[Oid, ChangeSize] = {}
        self.told: Mapping[Oid, GivenRows] = {}
        self._entries: list[Entry] = []
        self.rows_in = 0
        # Views whose queries were changed by what alters a table that they read.
        self.rewritten: set[Oid] = set()
        # The epoch that is being replayed, when that is not this one.
        self._as_of: Epoch | None = None

    @property
    def now_ms(self) -> int:
        """The time of the epoch, in milliseconds since 1970."""
        return self._now_ms

    @property
    def known(self) -> Knowledge:
        """What is known if the attempt is committed now."""
        return self._known

    def leave_out(self, failed_jobs: Mapping[Oid, PgError]) -> None:
        """Stop maintaining views that failed, and what stands on them.

        They would no longer equal their queries.
        """
        before = self._known.graph
        for oid, error in failed_jobs.items():
            for relation in self._known.catalog.closure([oid]):
                if is_filled(relation):
                    failed = replace(
                        relation,
                        status=JobStatus.FAILED,
                        error=error.message,
                        is_standing=False,  # It has nothing to catch up with: it is filled anew.
                    )
                    self.change(ReplaceRelation(failed))
        self.drop_unread_logs(before)

    def change(self, change: Change) -> None:
        """Change the catalog, its rows and the storage that goes with it."""
        before, jobs_before = self._known.catalog, self._known.graph
        if isinstance(change, CreateRelation) and isinstance(change.relation, Subscription):
            change = kept_changes.begun(self._known, change)
        self._known.change_catalog(apply(before, change))
        if not isinstance(change, _LEAVES_TABLES):
            self.attempt.forget_temporaries()
            self._known.gauge.clear()
        match change:
            case DropSchema(name):
                self.attempt.drop_schema(name)
            case CreateRelation(Table() as table):
                self.run_all(TableProgram(table).create())
                self.run_all(TableProgram(table).create_indexes())
                self.run_all([*watermark.create(table), *retention.create(table)])
                self.run_all(mirror_place.create(table))
                self._known.row_ids.next[table.oid] = 0
                self._known.sizes[table.oid] = 0
            case CreateRelation(Subscription() as subscription):
                self.keep_log(subscription.source)
            case CreateRelation(MaterializedView() | Sink() as created):
                self._create_readers(created)
            case AlterRelation(Table() as altered, Table() as after, values=values):
                alter_table(self, altered, after, values)
            case AlterRelation(
                MaterializedView() | Sink() as was, MaterializedView() | Sink() as view
            ):
                if was.query != view.query:  # It is filled by what alters the table it reads.
                    self.rewritten.add(view.oid)
            case AlterType(DomainType() as was, DomainType() as domain):
                check_domain(self.attempt, self._known.catalog, was, domain)
            case DropRelations():
                gone = before.relations.keys() - self._known.catalog.relations.keys()
                for oid in sorted(gone, reverse=True):
                    self._drop(before.relations[oid], before)
                self.drop_unread_logs(jobs_before)
                self._discard_orphans()
            case _:
                pass
        record(self.attempt, before, self._known.catalog, self._twins)
        self.outcome.is_catalog_changed = True

    def _create_readers(self, view: StreamingJob) -> None:
        """Make what keeps the rows that sources and changelogs bring to a view, from now on."""
        for reader in view.readers:
            table = self._known.catalog.table(reader.oid)
            self.run_all([*TableProgram(table).create(), *watermark.create(table)])
            self._known.row_ids.next[table.oid] = self._known.sizes[table.oid] = 0
            if reader.is_of_changes:
                change_reading.begin(self, reader)

    def discard(self, numbers: Iterable[int]) -> None:
        """Throw acknowledged writes away that stand aside."""
        for number in numbers:
            self.attempt.take_queued(self._known.set_aside.pop(number).write_set)

    @property
    def touched(self) -> frozenset[Oid]:
        """The stored relations whose rows may be others after this epoch."""
        epoch = self._known.epoch
        return frozenset(oid for oid, changed in self._known.changed.items() if changed == epoch)

    def fill(self, oid: Oid) -> None:
        """Make a view's state tables, anew if need be, and fill them from what is there now."""
        view = self._known.catalog.relations[oid]
        assert isinstance(view, StreamingJob), oid
        for upstream in self._known.graph.upstream[view.oid]:
            self._known.check_maintained(self._known.catalog.stored(upstream))
        if (before := self._known.plans.get(oid)) is not None:
            self._known.gauge.forget(before.tables)
        plan = self._known.plans[oid] = self._known.plan(view)
        self.attempt.set_time(self._now_ms)
        began = time.perf_counter()
        kept = f"x{oid}_kept" if isinstance(view, Sink) and before is not None else None
        if kept is not None:
            self.attempt.run(f"CREATE OR REPLACE TEMP TABLE {kept} AS FROM r{oid}")
        told = kept_changes.filled_anew(self, view, before)
        followed = change_reading.filled_anew(self, view, before)
        with self.computing(view), told, followed:
            self.run_all([*(before.drop() if before is not None else ()), *plan.create()])
        self._note_time(plan)
        self._known.changed[oid] = self._known.epoch
        size = self._known.sizes[oid] = self.attempt.value(f"SELECT count(*) FROM r{oid}")
        rows_in = sum(self._known.sizes.get(o, 0) for o in self._known.graph.inputs[oid])
        self.enter(view, "fill", rows_in, size, began)
        if isinstance(view, Sink) and (before is not None or not view.skips_snapshot):
            writing.deliver(self, view, kept)
        if view.refresh_interval_s is not None:
            self.log_inputs(view)

    def log_inputs(self, view: StreamingJob) -> None:
        """Have what a view reads keep change logs from now on."""
        for upstream in self._known.graph.inputs[view.oid]:
            self.keep_log(upstream)

    def keep_log(self, oid: Oid) -> None:
        """Have a stored relation keep a change log from now on."""
        self.run_all([change_log.create(oid, self._columns(oid))])
        self._known.logged.setdefault(oid, self._known.epoch)

    def replay(self, oid: Oid, upto: Epoch | None = None) -> None:
        """Bring a view that epochs pass by up to date by replaying what its upstreams logged.

        Args:
            oid: The view; what it reads and catches up too must have been replayed before.
            upto: The epoch to bring it to; None is now.
        """
        view = self._known.catalog.relations[oid]
        assert isinstance(view, StreamingJob), oid
        since, self._as_of = Epoch(view.refreshed_epoch), upto
        end = upto or self._known.epoch
        self.changes = {}
        for upstream in self._known.graph.inputs[view.oid]:
            self.run_all([change_log.replay(upstream, self._columns(upstream), since, end)])
            self.note_change(upstream, self._measure(upstream), is_logged=False)
            self._known.logged.setdefault(upstream, self._known.epoch)
        self.step(view, is_moving=True)
        self._as_of = None
        if isinstance(view, Sink) and view.is_standing and view.oid in self.changes:
            writing.bring(self, view)
        view = self._known.catalog.relations[oid]
        assert isinstance(view, StreamingJob), oid
        is_standing = view.is_standing and upto is not None
        moved = replace(view, refreshed_epoch=end, is_standing=is_standing)
        self.change(ReplaceRelation(moved))

    def commit(self) -> Knowledge:
        """Commit and return what is known from now on."""
        self.attempt.commit(self._known.epoch)
        self.outcome.entries += self._entries
        self.outcome.rows_in += self.rows_in
        return self._known

    def rollback(self) -> None:
        """Leave nothing."""
        self.attempt.rollback()

    def step(self, view: StreamingJob, *, is_moving: bool) -> None:
        plan = self._known.plans[view.oid]
        if view.oid in self.outcome.tolerant:
            self._refill(plan, self.outcome.tolerant[view.oid])
            return
        relevant = {
            oid: self.changes[oid]
            for oid in self._known.graph.inputs[view.oid]
            if oid in self.changes
        }
        if not relevant and not (is_moving and plan.runs_every_epoch):
            return
        is_read = view.oid in self._known.graph.read
        began = time.perf_counter()
        way = plan.strategy(relevant, self._known.sizes)
        with self.computing(view):
            if plan.runs_every_epoch:
                self.attempt.set_time(self._now_ms)
            if self._as_of is None:
                stepping = self._stepping(relevant)
                is_light = stepping.is_light(plan, sum(c.total for c in relevant.values()))
                statements = plan.step(
                    relevant, self._known.sizes, needs_delta=is_read, is_light=is_light
                )
                rows_out = stepping.run(plan, statements)
            else:
                statements = plan.step(relevant, self._known.sizes, needs_delta=is_read)
                with self._in_the_past(view, statements):
                    rows_out = run_plainly(self.attempt, plan, statements)
        self._note_time(plan)
        rows_in = sum(change.total for change in relevant.values())
        self.enter(view, way, rows_in, rows_out, began)
        if statements:
            self._known.changed[view.oid] = self._known.epoch
        if statements and is_read:
            self.note_change(view.oid, self._measure(view.oid))

    def _stepping(self, changes: Mapping[Oid, ChangeSize]) -> Stepping:
        deltas = {delta_name(oid): change.total for oid, change in changes.items()}
        told = {delta_name(oid): rows for oid, rows in self.told.items()}
        return Stepping(self.attempt, self._known.gauge, self._table_rows, deltas, told)

    def _table_rows(self, name: str) -> int | None:
        """Return about how many rows a table of the database has; None for one of a view."""
        if not name[1:].isdigit():
            return None
        oid, catalog = Oid(int(name[1:])), self._known.catalog
        is_table = oid in catalog.readers or isinstance(catalog.relations.get(oid), Table)
        return self._known.sizes.get(oid) if is_table else None

    @contextmanager
    def _in_the_past(self, view: StreamingJob, statements: Iterable[Statement]) -> Iterator[None]:
        """Show what a view reads as it was at the epoch that is being replayed."""
        if self._as_of is None:
            yield
            return
        named = set(_STORED.findall(" ".join(statement.sql for statement in statements)))
        shadowed = [oid for oid in self._known.graph.inputs[view.oid] if str(oid) in named]
        self.run_all(change_log.shadow(oid, self._columns(oid), self._as_of) for oid in shadowed)
        yield
        self.run_all(change_log.unshadow(oid) for oid in shadowed)

    def _refill(self, before: Plan, tolerated: Tolerated) -> None:
        """Put the tolerant form of a view in its place; who reads the view goes on from there."""
        view = tolerated.view
        refreshed = self._known.catalog.relations[view.oid]
        assert isinstance(refreshed, StreamingJob), view.oid
        self.change(ReplaceRelation(replace(refreshed, query=view.query)))
        plan = self._known.plan(view)
        was, is_now = before.as_input(), plan.as_input()
        if (was.columns, was.key) != (is_now.columns, is_now.key):
            raise JobFailed(view.oid, tolerated.error)
        is_read = view.oid in self._known.graph.read
        self.attempt.set_time(self._now_ms)
        began = time.perf_counter()
        with self.computing(view):
            self.run_all(s.sql for s in plan.refill(before, needs_delta=is_read))
        self._note_time(plan)
        self._known.plans[view.oid] = plan
        self._known.changed[view.oid] = self._known.epoch
        size = self.attempt.value(f"SELECT count(*) FROM r{view.oid}")
        rows_in = sum(self._known.sizes.get(o, 0) for o in self._known.graph.inputs[view.oid])
        self.enter(view, "refill", rows_in, size, began)
        if is_read:
            self.note_change(view.oid, self._measure(view.oid))

    def enter(
        self, view: StreamingJob, strategy: str, rows_in: int, rows_out: int, began: float
    ) -> None:
        """Note what was done to a view, for the ledger."""
        duration_us = round((time.perf_counter() - began) * 1_000_000)
        self._entries.append(
            Entry(self._known.epoch, view.oid, view.name, rows_in, rows_out, strategy, duration_us)
        )

    def _note_time(self, plan: Plan) -> None:
        if plan.runs_every_epoch:
            self._known.times[plan.oid] = self._now_ms

    def _measure(self, oid: Oid) -> ChangeSize:
        # One number for two counts, so that one statement tells both.
        counts = self.attempt.value(
            f"SELECT count(*) FILTER (__weight > 0) * {_COUNT_BASE}::BIGINT"
            f" + count(*) FILTER (__weight < 0) FROM d{oid}"
        )
        return ChangeSize(*divmod(counts, _COUNT_BASE))

    def note_change(self, oid: Oid, size: ChangeSize, *, is_logged: bool = True) -> None:
        if not size.inserted and not size.deleted:
            return
        self.changes[oid] = size
        if not is_logged:
            return
        self._known.sizes[oid] = max(
            self._known.sizes.get(oid, 0) + size.inserted - size.deleted, 0
        )
        if self._known.graph.has_log(oid):
            logged_at = self._as_of or self._known.epoch
            logging = change_log.append(oid, self._columns(oid))
            self.attempt.run(logging, planning=Planning.KEPT, parameters=(logged_at,))
            self._known.logged[oid] = logged_at
            self._known.oldest.setdefault(oid, logged_at)
        change_reading.follow(self, oid)

    def _columns(self, oid: Oid) -> tuple[str, ...]:
        return self._known.columns(oid)

    def _drop(self, relation: Relation, before: Catalog) -> None:
        self.attempt.drop_relation(relation)
        gone = [relation.oid]
        if isinstance(relation, Table):
            self.run_all(TableProgram(relation).drop())
            self.run_all([*watermark.drop(relation), *retention.drop(relation)])
            self.run_all(mirror_place.drop(relation))
        elif relation.oid in self._known.plans:
            self.run_all(self._known.plans.pop(relation.oid).drop())
        if isinstance(relation, StreamingJob):
            for made in relation.readers:
                reader = before.readers[made.oid]
                self.run_all([*TableProgram(reader).drop(), *watermark.drop(reader)])
                gone.append(made.oid)
        known = self._known
        for oid in gone:
            if known.places.pop(oid, None) is not None:
                self.attempt.put_place(oid, None)
            for held in (known.sizes, known.changed, known.times, known.ages, known.row_ids.next):
                held.pop(oid, None)

    def _discard_orphans(self) -> None:
        """Throw writes away that stand aside and whose tables are all gone."""
        there = self._known.catalog.relations
        self.discard(
            number
            for number, failed in [*self._known.set_aside.items()]
            if not any(writes.table in there for writes in failed.write_set.tables)
        )

    def drop_unread_logs(self, before: JobGraph) -> None:
        """Take away the logs that somebody read before and nobody reads any more."""
        self.run_all(change_log.drop(log) for log in before.logs - self._known.graph.logs)
        for oid in before.logged - self._known.graph.logged:
            self._known.logged.pop(oid, None)
            self._known.oldest.pop(oid, None)

    @contextmanager
    def computing(self, view: StreamingJob) -> Iterator[None]:
        """Be in a view's time zone, and turn an error of the engine into JobFailed for it."""
        self.attempt.set_time_zone(view.time_zone)
        try:
            yield
        except PgError as e:
            raise JobFailed(view.oid, e) from e

    def run_all(self, statements: Iterable[str]) -> None:
        """Run statements."""
        for statement in statements:
            self.attempt.run(statement)
