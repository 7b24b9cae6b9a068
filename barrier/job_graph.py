"""Which streaming jobs there are and what feeds them: derived from a catalog, once for each.

An epoch asks for this again and again; asking the catalog each time would cost the square of the
number of views.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        log_readers: Relations that need a change log, with the batch refresh jobs that read it.
    """

    maintained: tuple[MaterializedView, ...]
    inputs: Mapping[Oid, frozenset[Oid]]
    read: frozenset[Oid]
    log_readers: Mapping[Oid, tuple[MaterializedView, ...]]

    @classmethod
    def of(cls, catalog: Catalog) -> JobGraph:
        """Derive the graph of a catalog."""
        jobs = streaming_jobs(catalog)
        inputs = {job.oid: catalog.base_tables(job.oid) for job in jobs}
        log_readers: dict[Oid, tuple[MaterializedView, ...]] = {}
        for job in jobs:
            if job.refresh_interval_s is not None and job.status is JobStatus.CREATED:
                for oid in inputs[job.oid]:
                    log_readers[oid] = (*log_readers.get(oid, ()), job)
        return cls(
            maintained=tuple(job for job in jobs if is_maintained(job)),
            inputs=inputs,
            read=frozenset[Oid]().union(*inputs.values()),
            log_readers=log_readers,
        )


def is_maintained(relation: Relation) -> bool:
    """Whether a relation is a view that every epoch keeps equal to its query."""
    return (
        isinstance(relation, MaterializedView)
        and relation.status is JobStatus.CREATED
        and relation.refresh_interval_s is None
    )
