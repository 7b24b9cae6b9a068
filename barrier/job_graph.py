"""Which streaming jobs there are and what feeds them: derived from a catalog, once for each.

An epoch asks for this again and again; asking the catalog each time would cost the square of the
number of views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from barrier import change_log
from catalog.oid import Oid
from catalog.relation import JobStatus, Relation, Sink, StreamingJob, Subscription
from catalog.state import Catalog, streaming_jobs


@dataclass(frozen=True, slots=True)
class JobGraph:
    """The streaming jobs of a catalog.

    Attributes:
        maintained: Views that every epoch keeps equal to their query, each after what it reads.
        inputs: The stored relations that each view reads, through plain views.
        upstream: The same, and those whose changelogs it reads.
        change_readers: Relations whose changelogs jobs read, with what keeps these.
        read: Stored relations that some view reads, or whose changes somebody has subscribed to.
        log_readers: Relations that need a change log, with the jobs that read it: those of batch
            refresh, those that stand still, and those that are being filled from a snapshot.
        subscriptions: Relations whose changes are kept for a while, with who wants that.
        fed: The tables into which maintained sinks write, with these.
        held: Views that stand still or will not be filled, with a paused one that is the reason:
            themselves or what they read.
        catching_up: Views that may go on once they have caught up.
        backfilling: Views that jobs of their own fill from snapshots.
    """

    maintained: tuple[StreamingJob, ...]
    inputs: Mapping[Oid, frozenset[Oid]]
    upstream: Mapping[Oid, frozenset[Oid]]
    change_readers: Mapping[Oid, tuple[Oid, ...]]
    read: frozenset[Oid]
    log_readers: Mapping[Oid, tuple[StreamingJob, ...]]
    subscriptions: Mapping[Oid, tuple[Subscription, ...]]
    fed: Mapping[Oid, tuple[Sink, ...]]
    held: Mapping[Oid, StreamingJob]
    catching_up: tuple[StreamingJob, ...]
    backfilling: tuple[StreamingJob, ...]

    @classmethod
    def of(cls, catalog: Catalog) -> JobGraph:
        """Derive the graph of a catalog."""
        jobs = streaming_jobs(catalog)
        inputs = {job.oid: catalog.base_tables(job.oid) for job in jobs}
        upstream, change_readers = dict(inputs), dict[Oid, tuple[Oid, ...]]()
        for job in jobs:
            for reader in job.readers:
                if reader.is_of_changes:
                    upstream[job.oid] |= {reader.source}
                    others = change_readers.get(reader.source, ())
                    change_readers[reader.source] = (*others, reader.oid)
        log_readers: dict[Oid, tuple[StreamingJob, ...]] = {}
        for job in jobs:
            if reads_logs(job):
                for oid in inputs[job.oid]:
                    log_readers[oid] = (*log_readers.get(oid, ()), job)
        held = _held(jobs, upstream)
        sinks = {job.oid for job in jobs if isinstance(job, Sink)}
        fed: dict[Oid, tuple[Sink, ...]] = {}
        for job in jobs:
            if isinstance(job, Sink) and is_maintained(job):
                fed[job.target] = (*fed.get(job.target, ()), job)
        subscriptions: dict[Oid, tuple[Subscription, ...]] = {}
        for relation in catalog.relations.values():
            if isinstance(relation, Subscription):
                known = subscriptions.get(relation.source, ())
                subscriptions[relation.source] = (*known, relation)
        return cls(
            maintained=tuple(job for job in jobs if is_maintained(job)),
            inputs=inputs,
            upstream=upstream,
            change_readers=change_readers,
            read=frozenset[Oid]().union(*upstream.values(), subscriptions, sinks),
            log_readers=log_readers,
            subscriptions=subscriptions,
            fed=fed,
            held=held,
            catching_up=tuple(
                job
                for job in jobs
                if job.is_standing and job.status is JobStatus.CREATED and job.oid not in held
            ),
            backfilling=tuple(job for job in jobs if is_backfilling(job)),
        )

    def has_log(self, oid: Oid) -> bool:
        """Whether a relation has a change log."""
        return oid in self.log_readers or oid in self.subscriptions

    @property
    def logged(self) -> frozenset[Oid]:
        """The relations that have a change log."""
        return frozenset(self.log_readers.keys() | self.subscriptions.keys())

    @property
    def logs(self) -> frozenset[str]:
        """The tables of all change logs, those of earlier columns among them."""
        past = {
            change_log.past(oid, layout.upto)
            for oid, subscriptions in self.subscriptions.items()
            for subscription in subscriptions
            for layout in subscription.layouts
        }
        return frozenset(past | {change_log.name(oid) for oid in self.logged})

    def waits_for_upstream(self, oid: Oid, catalog: Catalog) -> bool:
        """Whether a view cannot be filled or refreshed yet: what it reads stands still."""
        return oid in self.held or any(
            stands_still(catalog.stored(upstream)) for upstream in self.upstream[oid]
        )


def _held(
    jobs: Iterable[StreamingJob], upstream: Mapping[Oid, frozenset[Oid]]
) -> dict[Oid, StreamingJob]:
    held: dict[Oid, StreamingJob] = {}
    for job in jobs:
        if job.paused_by is not None:
            held[job.oid] = job
        elif reasons := held.keys() & upstream[job.oid]:
            held[job.oid] = held[min(reasons)]
    return held


def stands_still(relation: Relation) -> bool:
    """Whether epochs pass a relation by."""
    return isinstance(relation, StreamingJob) and relation.is_standing


def reads_logs(job: StreamingJob) -> bool:
    """Whether a job is brought up to date from change logs."""
    is_behind = job.refresh_interval_s is not None or job.is_standing
    return is_backfilling(job) or (is_behind and job.status is JobStatus.CREATED)


def is_filled(relation: Relation) -> TypeGuard[StreamingJob]:
    """Whether a relation is a job whose result is there."""
    return (
        isinstance(relation, StreamingJob)
        and relation.is_kept
        and relation.status is JobStatus.CREATED
    )


def is_creating(relation: Relation | None) -> bool:
    """Whether a relation is a view that is not filled yet."""
    return isinstance(relation, StreamingJob) and relation.status is JobStatus.CREATING


def is_backfilling(relation: Relation | None) -> bool:
    """Whether a relation is a view that a job of its own fills from a snapshot."""
    return is_creating(relation) and isinstance(relation, StreamingJob) and relation.uses_snapshot


def is_maintained(relation: Relation) -> bool:
    """Whether a relation is a view that every epoch keeps equal to its query."""
    return is_filled(relation) and relation.refresh_interval_s is None and not relation.is_standing
