"""How many rows are due of what flows in by itself, decided without a look at any of them.

A flow is one source's to one view, or a connector's to its table; it is known by the OID of what
keeps its rows. Time counts only while rows may move: a pause owes nothing, and neither does the
time in which the server was down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from barrier.connector.generator import generator_of
from barrier.job_graph import stands_still
from catalog.connector import Connector
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, Sink, Source, StreamingJob, Table
from catalog.secret import with_values
from catalog.state import Catalog

#: What a flow is given to begin with.
_START_US: Final = 1_000_000

#: The longest time for which rows are made up; after an epoch that took longer they come later.
_OWED_US_MAX: Final = 60_000_000

#: How long rows wait at most while writes follow each other so closely that no tick comes.
_WAIT_MS_MAX: Final = 1_000

#: The most rows of one flow in one epoch.
ROWS_MAX: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow, and for how long it owes rows.

    Attributes:
        rate: Rows in a second; above 0.
        owed_us: Microseconds for which no rows have come yet.
    """

    rate: int
    owed_us: int = _START_US

    @property
    def due(self) -> int:
        """How many rows should have come by now."""
        return min(self.rate * self.owed_us // 1_000_000, ROWS_MAX)


@dataclass(frozen=True, slots=True)
class Flows:
    """All flows of a database.

    Attributes:
        flows: By what keeps their rows.
        seen_ms: The time that had passed when they were last looked at; None is never.
        pulled_ms: The same when rows of them last came.
    """

    flows: Mapping[Oid, Flow] = field(default_factory=dict)
    seen_ms: int | None = None
    pulled_ms: int = 0

    def at(self, passed_ms: int, *, is_moving: bool) -> Flows:
        """Return them at a later time, of which nothing counts while no rows move."""
        if not self.flows:
            return self
        past_us = 0 if self.seen_ms is None else (passed_ms - self.seen_ms) * 1000
        if not past_us or not is_moving:
            return replace(self, seen_ms=passed_ms)
        flows = {
            oid: replace(flow, owed_us=min(flow.owed_us + past_us, _OWED_US_MAX))
            for oid, flow in self.flows.items()
        }
        return replace(self, flows=flows, seen_ms=passed_ms)

    def stepped(self) -> Flows:
        """Return them as if a second had passed: what one step of a paused database is worth."""
        return self.at((self.seen_ms or 0) + 1000, is_moving=True)

    def following(self, rates: Mapping[Oid, int]) -> Flows:
        """Return them after flows have come, gone or changed their rates."""
        flows = {
            oid: replace(self.flows[oid], rate=rate) if oid in self.flows else Flow(rate)
            for oid, rate in rates.items()
            if rate > 0
        }
        # Nobody has looked at the time while there were none.
        return replace(self, flows=flows, seen_ms=self.seen_ms if self.flows else None)

    def due(self, *, is_tick: bool) -> Mapping[Oid, int]:
        """Return how many rows of each should come now.

        Args:
            is_tick: Whether the time for them is there in any case; if not, they come with other
                work when they have waited for long.
        """
        if not is_tick and (self.seen_ms or 0) - self.pulled_ms < _WAIT_MS_MAX:
            return {}
        return {oid: flow.due for oid, flow in self.flows.items() if flow.due}

    def pulled(self, pulls: Mapping[Oid, int]) -> Flows:
        """Return them after rows have come."""
        if not pulls:
            return self
        flows = {
            oid: replace(flow, owed_us=flow.owed_us - pulls.get(oid, 0) * 1_000_000 // flow.rate)
            for oid, flow in self.flows.items()
        }
        return replace(self, flows=flows, pulled_ms=self.seen_ms or 0)


def rates_of(catalog: Catalog) -> dict[Oid, int]:
    """Return the rows in a second of each flow of a catalog, by what keeps its rows."""
    found: dict[Oid, int] = {}
    for relation in catalog.relations.values():
        match relation:
            case Table(connector=Connector() as connector):
                found[relation.oid] = _rate(catalog, connector, relation)
            case MaterializedView() | Sink() if _flows(relation):
                for reader in relation.readers:
                    held = catalog.relations[reader.source]
                    if isinstance(held, Source):
                        found[reader.oid] = _rate(catalog, held.connector, held)
            case _:
                pass
    return found


def _flows(job: StreamingJob) -> bool:
    """Whether rows come to a job."""
    return job.status is JobStatus.CREATED and not stands_still(job)


def _rate(catalog: Catalog, connector: Connector, held: Table | Source) -> int:
    try:
        made = generator_of(with_values(connector, catalog.secrets), held.columns, held.created_ms)
    except PgError:
        if not connector.secrets:
            raise
        return 0  # A secret is sealed with another key, or has been altered meanwhile.
    limit = connector.rate_limit
    return made.rows_per_second if limit is None else min(made.rows_per_second, limit)
