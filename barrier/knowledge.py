"""What the executor knows of a database: its catalog and all that is derived from it or counted.

An attempt at an epoch works on a draft, which takes the place of the old knowledge when the epoch
is committed; an attempt that fails leaves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import sqlglot

from barrier.application import RowIds
from barrier.epoch import Epoch
from barrier.gauge import Gauge
from barrier.job_graph import JobGraph
from barrier.set_aside import SetAside
from barrier.stream.build import compile_view
from barrier.stream.plan import InputRelation, Plan
from barrier.table_program import TableProgram
from catalog.errors import ObjectNotInPrerequisiteState
from catalog.oid import Oid
from catalog.relation import JobStatus, Relation, StreamingJob, Table
from catalog.state import Catalog


@dataclass
class Knowledge:
    """A database as of one epoch.

    Attributes:
        catalog: What there is.
        epoch: The epoch that the store has written it at.
        first: The epoch that this process found.
        plans: How each filled view is maintained.
        sizes: About how many rows each stored relation has.
        row_ids: The next free row identifiers.
        logged: The epoch of each change log's last entry, as far as this process wrote it.
        oldest: The epoch of the first, of logs that subscriptions keep and that have any.
        forgotten: Up to which epoch this process has forgotten the changes in these.
        times: What ``now()`` last was in views that read the clock, in milliseconds since 1970, as
            far as this process stepped them.
        ages: Of tables that keep rows for some time and have some: when the oldest was written, in
            milliseconds since 1970.
        changed: The last epoch that may have changed a stored relation's rows, as far as this
            process wrote it.
        set_aside: Acknowledged writes that could not be applied, by their number.
        places: How many rows each flow has brought, by what keeps its rows.
        gauge: Bounds on the rows of the tables of views; attempts share it.
    """

    catalog: Catalog
    epoch: Epoch
    first: Epoch
    plans: dict[Oid, Plan] = field(default_factory=dict)
    sizes: dict[Oid, int] = field(default_factory=dict)
    row_ids: RowIds = field(default_factory=RowIds)
    logged: dict[Oid, Epoch] = field(default_factory=dict)
    oldest: dict[Oid, Epoch] = field(default_factory=dict)
    forgotten: dict[Oid, Epoch] = field(default_factory=dict)
    changed: dict[Oid, Epoch] = field(default_factory=dict)
    times: dict[Oid, int] = field(default_factory=dict)
    ages: dict[Oid, int] = field(default_factory=dict)
    set_aside: dict[int, SetAside] = field(default_factory=dict)
    places: dict[Oid, int] = field(default_factory=dict)
    gauge: Gauge = field(default_factory=Gauge)

    @cached_property
    def graph(self) -> JobGraph:
        """The streaming jobs; derived when first asked for and kept with the catalog."""
        return JobGraph.of(self.catalog)

    @cached_property
    def observed(self) -> frozenset[Oid]:
        """The tables whose changes are looked at for the time that they tell; as the graph."""
        tables = [t for t in self.catalog.relations.values() if isinstance(t, Table)]
        tables += self.catalog.readers.values()
        return frozenset(
            t.oid for t in tables if t.watermark is not None or t.retention_s is not None
        )

    def draft(self, epoch: Epoch) -> Self:
        """Return a copy that an attempt may change."""
        copy = replace(
            self,
            epoch=epoch,
            plans=dict(self.plans),
            sizes=dict(self.sizes),
            row_ids=RowIds(dict(self.row_ids.next)),
            logged=dict(self.logged),
            oldest=dict(self.oldest),
            forgotten=dict(self.forgotten),
            changed=dict(self.changed),
            times=dict(self.times),
            ages=dict(self.ages),
            set_aside=dict(self.set_aside),
            places=dict(self.places),
        )
        copy.__dict__["graph"] = self.graph  # the same catalog, so the same jobs
        copy.__dict__["observed"] = self.observed
        return copy

    def changed_at(self, oid: Oid) -> Epoch:
        """Return the last epoch that may have changed a stored relation's rows."""
        return self.changed.get(oid, self.first)

    def change_catalog(self, catalog: Catalog) -> None:
        """Put another catalog in the place of this one."""
        self.catalog = catalog
        self.__dict__.pop("graph", None)
        self.__dict__.pop("observed", None)

    def plan(self, view: StreamingJob, catalog: Catalog | None = None) -> Plan:
        """Compile a view's query to its plan, as it is or would be maintained.

        Args:
            view: The view.
            catalog: Where the view and what it reads are, when it is not in this catalog.
        """
        found = catalog or self.catalog
        inputs = {oid: self._input(found.stored(oid)) for oid in found.base_tables(view.oid)}
        return compile_view(view.oid, sqlglot.parse_one(view.query, read="duckdb"), inputs)

    def check_maintained(self, relation: Relation) -> None:
        """Refuse to go by a view that does not equal its query.

        Raises:
            ObjectNotInPrerequisiteState: It has failed, or is not filled itself.
        """
        if isinstance(relation, StreamingJob) and relation.status is not JobStatus.CREATED:
            has_failed = relation.status is JobStatus.FAILED
            what = "has failed" if has_failed else "has not been populated"
            raise ObjectNotInPrerequisiteState(
                f'materialized view "{relation.name}" {what}',
                detail=relation.error,
                hint="RECOVER fills it anew, once the reason is gone." if has_failed else None,
            )

    def columns(self, oid: Oid) -> tuple[str, ...]:
        """Return the storage columns that those who read a stored relation know of."""
        relation = self.catalog.stored(oid)
        if isinstance(relation, Table):
            return TableProgram(relation).columns
        return self.plans[oid].as_input().columns

    def key(self, oid: Oid) -> tuple[str, ...]:
        """Return the storage columns that identify a row of a stored relation."""
        relation = self.catalog.relations[oid]
        return relation.key if isinstance(relation, Table) else self.plans[oid].as_input().key

    def _input(self, relation: Relation) -> InputRelation:
        if isinstance(relation, Table):
            return InputRelation.of_table(relation)
        return self.plans[relation.oid].as_input()
