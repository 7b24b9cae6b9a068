"""Which streaming jobs there are and what feeds them: derived from a catalog, once for each.

An epoch asks for this again and again; asking the catalog each time would cost the square of the
number of views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, Relation
from catalog.state import Catalog, streaming_jobs


@dataclass(frozen=True, slots=True)
class JobGraph:
    """The streaming jobs of a catalog.

    Attributes:
        maintained: Views that every epoch keeps equal to their query, each after what it reads.
        inputs: The stored relations that each view reads, through plain views.
        read: Stored relations that some view reads.
        log_readers: Relations that need a change log, with the jobs that read it: those of batch
            refresh, those that stand still, and those that are being filled from a snapshot.
        held: Views that stand still or will not be filled, with a paused one that is the reason:
            themselves or what they read.
        catching_up: Views that may go on once they have caught up.
        backfilling: Views that jobs of their own fill from snapshots.
    """

    maintained: tuple[MaterializedView, ...]
    inputs: Mapping[Oid, frozenset[Oid]]
    read: frozenset[Oid]
    log_readers: Mapping[Oid, tuple[MaterializedView, ...]]
    held: Mapping[Oid, MaterializedView]
    catching_up: tuple[MaterializedView, ...]
    backfilling: tuple[MaterializedView, ...]

    @classmethod
    def of(cls, catalog: Catalog) -> JobGraph:
        """Derive the graph of a catalog."""
        jobs = streaming_jobs(catalog)
        inputs = {job.oid: catalog.base_tables(job.oid) for job in jobs}
        log_readers: dict[Oid, tuple[MaterializedView, ...]] = {}
        for job in jobs:
            if reads_logs(job):
                for oid in inputs[job.oid]:
                    log_readers[oid] = (*log_readers.get(oid, ()), job)
        held = _held(jobs, inputs)
        return cls(
            maintained=tuple(job for job in jobs if is_maintained(job)),
            inputs=inputs,
            read=frozenset[Oid]().union(*inputs.values()),
            log_readers=log_readers,
            held=held,
            catching_up=tuple(
                job
                for job in jobs
                if job.is_standing and job.status is JobStatus.CREATED and job.oid not in held
            ),
            backfilling=tuple(job for job in jobs if is_backfilling(job)),
        )

    def waits_for_upstream(self, oid: Oid, catalog: Catalog) -> bool:
        """Whether a view cannot be filled or refreshed yet: what it reads stands still."""
        return oid in self.held or any(
            stands_still(catalog.relations[upstream]) for upstream in self.inputs[oid]
        )


def _held(
    jobs: Iterable[MaterializedView], inputs: Mapping[Oid, frozenset[Oid]]
) -> dict[Oid, MaterializedView]:
    held: dict[Oid, MaterializedView] = {}
    for job in jobs:
        if job.paused_by is not None:
            held[job.oid] = job
        elif reasons := held.keys() & inputs[job.oid]:
            held[job.oid] = held[min(reasons)]
    return held


def stands_still(relation: Relation) -> bool:
    """Whether epochs pass a relation by."""
    return isinstance(relation, MaterializedView) and relation.is_standing


def reads_logs(job: MaterializedView) -> bool:
    """Whether a job is brought up to date from change logs."""
    is_behind = job.refresh_interval_s is not None or job.is_standing
    return is_backfilling(job) or (is_behind and job.status is JobStatus.CREATED)


def is_creating(relation: Relation | None) -> bool:
    """Whether a relation is a view that is not filled yet."""
    return isinstance(relation, MaterializedView) and relation.status is JobStatus.CREATING


def is_backfilling(relation: Relation | None) -> bool:
    """Whether a relation is a view that a job of its own fills from a snapshot."""
    return (
        is_creating(relation) and isinstance(relation, MaterializedView) and relation.uses_snapshot
    )


def is_maintained(relation: Relation) -> bool:
    """Whether a relation is a view that every epoch keeps equal to its query."""
    return (
        isinstance(relation, MaterializedView)
        and relation.status is JobStatus.CREATED
        and relation.refresh_interval_s is None
        and not relation.is_standing
    )
