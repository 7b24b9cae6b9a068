"""Relations that are queries: views, and the streaming jobs that keep the results of queries.

They are part of ``catalog.relation``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from catalog.acl import Acl
from catalog.index import Index
from catalog.job_config import JobConfig
from catalog.oid import INVALID_OID, Oid

if TYPE_CHECKING:
    from catalog.relation import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A query under a name, put in wherever the name is used.

    Attributes:
        query: The query as DuckDB SQL over storage names; its columns are c1, c2, ... Other views
            in it are named, so that they can be replaced.
        depends_on: The relations that the query names.
        functions: The users' functions that it calls, which are put into the query.
        created_by: What version() said then.
        base: The table or view whose rows its rows stand for, so that it can be written; or 0.
        origins: The number of each column's counterpart there, or 0.
        obstacle: Why it cannot be written, as messages say it; empty where it can.
        check_option: Which new rows it lets through: ``local`` and ``cascaded`` only its own;
            empty is all.
        is_invoker: Whether what it reads is asked of its user and not of its owner.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    columns: tuple[Column, ...]
    query: str
    depends_on: frozenset[Oid]
    definition: str = ""
    created_ms: int = 0
    created_by: str = ""
    comment: str | None = None
    acl: Acl | None = None
    functions: frozenset[Oid] = frozenset()
    base: Oid = INVALID_OID
    origins: tuple[int, ...] = ()
    obstacle: str = ""
    check_option: str = ""
    is_invoker: bool = False


class SourceReader(NamedTuple):
    """What keeps the rows that a source, or the changelog of a relation, brings to one job.

    Attributes:
        source: The source, or the relation.
        oid: Its own.
        last: The number of the last column of the source that it has: those that it had then.
        is_of_changes: Whether it keeps a changelog.
        is_beside: Whether the job reads the relation itself as well.
    """

    source: Oid
    oid: Oid
    last: int
    is_of_changes: bool = False
    is_beside: bool = False


class JobStatus(StrEnum):
    """Where a streaming job stands."""

    #: Accepted; is being filled, or waits for RESUME to be. Not readable yet.
    CREATING = "CREATING"
    #: Filled and maintained.
    CREATED = "CREATED"
    #: Its last epoch failed; it is no longer maintained and reading it is an error.
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptQuery:
    """A query whose result is kept equal to it.

    Attributes:
        query, created_by: As for a view.
        refresh_interval_s: Seconds between batch refreshes; None is maintained in every epoch.
        refreshed_epoch: For batch refresh, and while it stands still: the epoch at which its
            contents equal its query.
        is_standing: Whether epochs pass it by, because it or something that it reads is paused, or
            was and has not caught up yet.
        paused_by: Who paused it, or None; others that stand still do so because they read it.
        paused_ms: Since when, in milliseconds since 1970.
        is_background: Whether it was created with ``background_ddl``.
        is_strict: Whether it fails when an expression fails for a row, which is NULL otherwise.
        time_zone: In which zone its query reads and shows times, which is who created it had then.
        uses_snapshot: Whether a job of its own fills it from a snapshot while barriers go on.
        backfill_rate_limit: How many rows that job reads in a second at most; None is no limit.
        error: Why it failed.
        readers: What keeps the rows that each source that it reads has brought, and each changelog.
        config: What ALTER ... SET CONFIG has set.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    columns: tuple[Column, ...]
    query: str
    depends_on: frozenset[Oid]
    definition: str = ""
    created_ms: int = 0
    created_by: str = ""
    comment: str | None = None
    acl: Acl | None = None
    status: JobStatus = JobStatus.CREATED
    refresh_interval_s: int | None = None
    refreshed_epoch: int = 0
    is_background: bool = False
    is_strict: bool = False
    time_zone: str = "UTC"
    uses_snapshot: bool = False
    backfill_rate_limit: int | None = None
    error: str | None = None
    indexes: tuple[Index, ...] = ()
    is_standing: bool = False
    paused_by: str | None = None
    paused_ms: int = 0
    functions: frozenset[Oid] = frozenset()
    readers: tuple[SourceReader, ...] = ()
    config: JobConfig = ()

    @property
    def is_kept(self) -> bool:
        """Whether its result is stored and maintained, which of a sink to nowhere it is not."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterializedView(KeptQuery):
    """A streaming job whose result users read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink(KeptQuery):
    """A streaming job whose changes go to a table, or to where nothing comes back from.

    Nobody reads it. The result of one into a table is kept, so that it is known what goes.

    Attributes:
        connector: What its changes go to; ``table`` is a table.
        sink_type: What kind of changes: ``append-only``, ``upsert`` and the like; or empty.
        properties: All that WITH says, as pairs.
        target: The table that they go into, or 0.
        target_columns: The numbers of the table's columns that its own are for.
        is_appending: Whether only rows that come go there, and none is taken away or replaced.
        ignores_delete: Whether rows that go stay there.
        skips_snapshot: Whether what its query gives when it is created does not go there.
    """

    connector: str = ""
    sink_type: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    target: Oid = INVALID_OID
    target_columns: tuple[int, ...] = ()
    is_appending: bool = False
    ignores_delete: bool = False
    skips_snapshot: bool = False

    @property
    def is_kept(self) -> bool:
        return self.target != INVALID_OID


#: What is brought up to date in every epoch, or from time to time.
StreamingJob: TypeAlias = MaterializedView | Sink
