"""A session's transaction: none, a block that the client opened, or an implicit one.

The first statement in it pins a snapshot with the session's reader. What it writes stays in staging
tables inside the reader's transaction until COMMIT hands all of it to the barrier worker at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from barrier.epoch import Epoch
from barrier.given_rows import GivenRows
from barrier.keys import Content
from barrier.writes import OnKey, TableWrites
from catalog.constraint import ForeignKey, UniqueKey
from catalog.oid import INVALID_OID, Oid
from catalog.relation import ROW_ID, Table
from catalog.state import Catalog
from server.promise import PromiseMark, Promises
from server.settings import SettingsMark

SERIALIZABLE: Final = "serializable"


class Phase(StrEnum):
    """Where the transaction stands; the values are those of ReadyForQuery."""

    IDLE = "I"
    ACTIVE = "T"
    FAILED = "E"


@dataclass(frozen=True, slots=True)
class StagedTable:
    """What a transaction has done to one table so far.

    Attributes:
        table: The table.
        removed: The staging table of rows of the snapshot that are gone or have another row in
            their place, with all storage columns; or None.
        live: The staging table of rows that are new, with all storage columns and ``__ord``; or
            None.
        on_key: The strictest that was asked for when a new row's key is there already.
        next_ord: The first ``__ord`` that no row of ``live`` has.
        keeps_keys: Whether both have rows, with the same keys.
        seen: The epoch that had last changed the table before its snapshot, if known.
    """

    table: Table
    removed: str | None = None
    live: str | None = None
    on_key: OnKey = OnKey.REPLACE
    next_ord: int = 1
    keeps_keys: bool = False
    seen: int | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        """The staging tables."""
        return tuple(name for name in (self.removed, self.live) if name is not None)

    @property
    def content(self) -> Content:
        """The table's rows as the transaction sees them."""
        return Content(self.table, self.tables, self.live)

    def writes(self) -> TableWrites:
        """Return what the worker is to do."""
        # A row that keeps its identity is changed, and then the old one is removed.
        keeps_rows = not self.table.primary_key and self.removed is not None
        return TableWrites(
            self.table.oid,
            old=self.removed,
            new=self.live,
            has_row_id=self.live is not None and keeps_rows,
            on_key=self.on_key,
            keeps_keys=self.keeps_keys,
            ordinals=None if keeps_rows else self.next_ord - 1,
            layout=self.table.layout,
            seen=self.seen,
        )


@dataclass(slots=True)
class GivenTable:
    """New rows of a table that are not staged.

    Attributes:
        parts: Of each statement.
        count: How many rows they have.
    """

    table: Table
    parts: list[GivenRows] = field(default_factory=list)
    count: int = 0

    def add(self, rows: GivenRows) -> None:
        """Add a statement's."""
        self.parts.append(rows)
        self.count += rows.rows

    def rows(self) -> GivenRows:
        """Return all of them."""
        return GivenRows.joined(self.parts)


@dataclass(frozen=True, slots=True)
class SingleWrite:
    """What the only statement that has written to a table did, as long as no other can see it.

    Attributes:
        writes: What the worker is to do if there is no other.
        staging: The staging tables that it is made of.
        settle: Puts it where the transaction's writes are.
    """

    writes: TableWrites
    staging: tuple[str, ...]
    settle: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Savepoint:
    """A place in a block to return to.

    Attributes:
        settings: The session's values as they were, by parameter.
        cursors: The cursors that were open.
    """

    name: str
    staged: dict[Oid, StagedTable]
    promised: PromiseMark
    settings: SettingsMark
    cursors: frozenset[str]


@dataclass
class Transaction:
    """The transaction that a session is in.

    Attributes:
        is_implicit: Whether no client opened it: around the statements of one string, or up to
            Sync. It counts as idle for the client.
        is_pipeline: Whether it reaches up to Sync, if it is implicit.
        is_read_only: Whether writes are refused.
        snapshot: The catalog as of the pinned snapshot; None before the first statement.
        staged: What was written, by table.
        given: New rows by table that are not staged: the latest of all that was written.
        single: By table what a statement wrote, while it is the only one and not staged.
        savepoints: Oldest first.
        lost_savepoints: Names of savepoints from before a statement that committed on the way.
        has_committed_on_the_way: Whether a DDL statement did so, and the client was told.
        made: Every staging table that was made for ``staged``, current or not.
        shared: Those of them that a savepoint still needs as they are.
        kept: By staging table of a savepoint, its copy outside the engine's transaction.
        promises: What happens at the end; outside a block, at the statement's.
        started_ms: When it began.
        isolation: The level that the client has asked for, in lower case; empty is whatever.
        read: The relations that its statements have read.
        looked_at: The epoch at which its statements began to look whether what they write obeys
            the constraints; None while there is nothing.
        deferral: Whether constraints wait for the transaction's end, by their OIDs, as SET
            CONSTRAINTS has it; no OID stands for all others.
        locked: The tables that nobody else may change before its end.
        put_off: The constraints that wait and may not be obeyed.
    """

    phase: Phase = Phase.IDLE
    is_implicit: bool = False
    is_pipeline: bool = False
    is_read_only: bool = False
    snapshot: Catalog | None = None
    staged: dict[Oid, StagedTable] = field(default_factory=dict)
    given: dict[Oid, GivenTable] = field(default_factory=dict)
    single: dict[Oid, SingleWrite] = field(default_factory=dict)
    savepoints: list[Savepoint] = field(default_factory=list)
    lost_savepoints: set[str] = field(default_factory=set)
    has_committed_on_the_way: bool = False
    made: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)
    promises: Promises = field(default_factory=Promises)
    started_ms: int = 0
    isolation: str = ""
    read: set[Oid] = field(default_factory=set)
    looked_at: Epoch | None = None
    deferral: dict[Oid, bool] = field(default_factory=dict)
    put_off: set[Oid] = field(default_factory=set)
    locked: frozenset[Oid] = frozenset()

    @property
    def is_repeatable(self) -> bool:
        """Whether the client has asked for one snapshot from beginning to end."""
        return self.isolation in ("repeatable read", SERIALIZABLE)

    @property
    def copies(self) -> set[str]:
        """What staging tables were copied to."""
        return set(self.kept.values())

    @property
    def is_open(self) -> bool:
        """Whether there is one."""
        return self.phase is not Phase.IDLE

    @property
    def has_written(self) -> bool:
        """Whether it has written anything."""
        return bool(self.staged or self.given or self.single)

    @property
    def unsettled(self) -> frozenset[Oid]:
        """The tables to which it has written what is not staged."""
        return frozenset(self.given.keys() | self.single.keys())

    @property
    def holds_cursors(self) -> bool:
        """Whether a cursor can be declared in it: whether it is more than one statement's."""
        return self.is_block or (self.is_open and not self.is_pipeline)

    @property
    def is_block(self) -> bool:
        """Whether the client is in a transaction block."""
        return self.is_open and not self.is_implicit

    @property
    def status(self) -> bytes:
        """What ReadyForQuery says."""
        return self.phase.value.encode() if self.is_block else b"I"

    def staged_table(self, table: Table) -> StagedTable:
        """Return what was done to a table."""
        return self.staged.get(table.oid) or StagedTable(table)

    def content(self, table: Table) -> Content:
        """Return what a table holds for the transaction."""
        staged = self.staged.get(table.oid)
        return Content(table) if staged is None else staged.content

    def puts_off(self, constraint: UniqueKey | ForeignKey) -> bool:
        """Whether a constraint waits for the transaction's end; remembered if it does."""
        if not (self.is_open and constraint.is_deferrable):
            return False
        usual = self.deferral.get(INVALID_OID, constraint.is_deferred)
        is_deferred = self.deferral.get(constraint.oid, usual)
        if is_deferred:
            self.put_off.add(constraint.oid)
        return is_deferred

    def fail(self) -> None:
        """A statement failed: only the end is accepted now."""
        if self.is_open:
            self.phase = Phase.FAILED

    def forget_work(self) -> None:
        """Its work is done with, one way or the other; it goes on with nothing."""
        self.snapshot = None
        self.staged = {}
        self.given, self.single = {}, {}
        self.read = set()
        self.looked_at = None
        self.put_off = set()
        self.made = set()
        self.shared = set()
        self.kept = {}
        self.lost_savepoints |= {savepoint.name for savepoint in self.savepoints}
        self.savepoints = []

    def save(self, name: str, settings: SettingsMark, cursors: Iterable[str]) -> Savepoint:
        """Set a savepoint."""
        saved = Savepoint(
            name, dict(self.staged), self.promises.mark(), settings, frozenset(cursors)
        )
        self.savepoints.append(saved)
        self.keep_staged()
        return saved

    def keep_staged(self) -> None:
        """Have what was written so far stay as it is; what is written from now on is a copy."""
        for staged in self.staged.values():
            self.shared |= set(staged.tables)

    def find_savepoint(self, name: str) -> int | None:
        """Return the place of the latest savepoint of that name, or None."""
        for index in reversed(range(len(self.savepoints))):
            if self.savepoints[index].name == name:
                return index
        return None

    def return_to(self, index: int) -> Savepoint:
        """Undo what was written after a savepoint; the savepoint stays."""
        saved = self.savepoints[index]
        self.staged = dict(saved.staged)
        self.given, self.single = {}, {}
        del self.savepoints[index + 1 :]
        if self.phase is Phase.FAILED:
            self.phase = Phase.ACTIVE
        return saved

    def revive(self) -> None:
        """The engine's transaction is gone and a new one begun: go on with the copies there are."""
        self.staged = {oid: self._copied(staged) for oid, staged in self.staged.items()}
        self.savepoints = [
            replace(saved, staged={oid: self._copied(s) for oid, s in saved.staged.items()})
            for saved in self.savepoints
        ]
        copies = set(self.kept.values())
        self.made, self.shared = set(copies), set(copies)
        self.kept = {name: name for name in copies}

    def _copied(self, staged: StagedTable) -> StagedTable:
        return replace(
            staged,
            removed=None if staged.removed is None else self.kept[staged.removed],
            live=None if staged.live is None else self.kept[staged.live],
        )


def storage_columns(table: Table) -> tuple[str, ...]:
    """Return all storage columns of a table, a hidden key first."""
    visible = tuple(column.storage_name for column in table.columns)
    return visible if table.primary_key else (ROW_ID, *visible)


def stricter(one: OnKey, other: OnKey) -> OnKey:
    """Return the stricter of two ways to treat a key that is there already."""
    order = (OnKey.REPLACE, OnKey.ABSENT, OnKey.ERROR)
    return max(one, other, key=order.index)


def started(*, is_implicit: bool, is_read_only: bool, started_ms: int = 0) -> Transaction:
    """Return a transaction that has just begun."""
    return Transaction(
        Phase.ACTIVE, is_implicit=is_implicit, is_read_only=is_read_only, started_ms=started_ms
    )
