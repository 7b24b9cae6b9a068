"""What sessions read of the changes that subscriptions keep.

A reader goes from epoch to epoch. What it is given lies between the epoch that it has come to and
one that it may go to, and is of the columns that the relation had there; what comes after the
relation got others is given only when it has come so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from barrier import change_log
from barrier.epoch import EPOCH_ORIGIN_MS, ZERO, Epoch, at
from barrier.executor import Executor
from barrier.interrupt import Interrupt
from barrier.kept_changes import as_of
from barrier.knowledge import Knowledge
from barrier.pinning import pin
from barrier.store import Reader
from barrier.watchers import Watchers
from barrier.writes import WEIGHT
from catalog.errors import ObjectNotInPrerequisiteState, UndefinedObject
from catalog.oid import Oid
from catalog.relation import Column, Relation, Rowless, Subscription, View

#: What the rows of changes have beside the columns of the relation.
OP: Final = "op"
TIMESTAMP: Final = "rw_timestamp"

#: The most changes that are read at once, unless a single epoch has more.
_ROWS_MAX: Final = 10_000

_MS: Final = f"((__epoch >> 16) + {EPOCH_ORIGIN_MS})"


@dataclass(frozen=True, slots=True)
class Layout:
    """What changes are made of at an epoch.

    Attributes:
        columns: The columns that users see.
        key: The storage columns that identify a row.
        stored: All storage columns.
        log: The table of the changes.
        upto: Up to which epoch they are like this, as far as is known.
        is_past: Whether the relation has others now.
    """

    columns: tuple[Column, ...]
    key: tuple[str, ...]
    stored: tuple[str, ...]
    log: str
    upto: Epoch
    is_past: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A subscription as of one epoch.

    Attributes:
        subscription: Itself.
        source: The relation that it is of.
        since: The epoch after which it keeps changes.
        now: The epoch that the rows of the relation are of.
    """

    subscription: Subscription
    source: Relation
    since: Epoch
    now: Epoch
    _known: Knowledge

    def earliest(self, now_ms: int) -> Epoch:
        """Return the epoch after which all changes are kept, at a time in ms since 1970."""
        forgotten = self._known.forgotten.get(self.source.oid, ZERO)
        return max(self.since, at(now_ms - self.subscription.retention_ms), forgotten)

    def layout(self, position: Epoch) -> Layout:
        """Return what the changes after an epoch are made of."""
        for past in self.subscription.layouts:
            if past.upto > position:
                visible = (column.storage_name for column in past.columns)
                stored = tuple(dict.fromkeys((*visible, *past.key)))
                log = change_log.past(self.source.oid, past.upto)
                return Layout(past.columns, past.key, stored, log, Epoch(past.upto), is_past=True)
        oid = self.source.oid
        stored, key = self._known.columns(oid), self._known.key(oid)
        log = change_log.name(oid)
        return Layout(self.source.columns, key, stored, log, self.now, is_past=False)

    def check_kept(self, position: Epoch) -> None:
        """Refuse to go on where changes have been forgotten.

        Raises:
            ObjectNotInPrerequisiteState: They have.
        """
        if position < self._known.forgotten.get(self.source.oid, ZERO):
            raise ObjectNotInPrerequisiteState(
                "the cursor has exceeded its maximum lifetime, please recreate it "
                "(close then declare cursor)",
                detail="Changes that it has not fetched are older than the subscription keeps.",
            )

    def snapshot(self) -> str:
        """Return the query for the rows of now in the shape of ``changes``, in their order."""
        layout = self.layout(self.now)
        order = ", ".join(layout.key) or "1"
        return (
            f"SELECT {_visible(layout)}, 'Insert' AS {OP}, NULL::BIGINT AS {TIMESTAMP}, "
            f"row_number() OVER (ORDER BY {order}) AS n FROM r{self.source.oid}"
        )

    def piece(self, layout: Layout, position: Epoch) -> str:
        """Return the query for the epoch up to which one reads on at once; 0: nothing is there."""
        return (
            f"SELECT coalesce(max(e) FILTER (total <= {_ROWS_MAX}), min(e), 0) FROM ("
            "SELECT __epoch AS e, sum(count(*)) OVER (ORDER BY __epoch) AS total "
            f"FROM {layout.log} WHERE __epoch > {position} AND __epoch <= {layout.upto} "
            "GROUP BY __epoch)"
        )


def changes(layout: Layout, since: Epoch, upto: Epoch) -> str:
    """Return the query for the changes after an epoch and up to another.

    Its columns are those of the relation as c1, c2, ..., what happened, when in milliseconds since
    1970, and their order as n. Both halves of an update stand together, the old row first.
    """
    net = change_log.changes(layout.log, layout.stored, since, upto)
    row = ", ".join(("__epoch", *layout.key))
    changed = f"bool_or({WEIGHT} > 0) OVER w AND bool_or({WEIGHT} < 0) OVER w"
    op = (
        f"CASE WHEN {WEIGHT} > 0 THEN CASE WHEN is_update THEN 'UpdateInsert' ELSE 'Insert' END "
        "WHEN is_update THEN 'UpdateDelete' ELSE 'Delete' END"
    )
    return (
        f"SELECT {_visible(layout)}, {op} AS {OP}, {_MS} AS {TIMESTAMP}, "
        f"row_number() OVER (ORDER BY {row}, {WEIGHT}) AS n FROM ("
        f"SELECT *, {changed} AS is_update, unnest(range(abs({WEIGHT}))) FROM ({net}) "
        f"WINDOW w AS (PARTITION BY {row}))"
    )


def _visible(layout: Layout) -> str:
    numbered = enumerate(layout.columns, 1)
    return ", ".join(f"{column.storage_name} AS v{number}" for number, column in numbered)


class Changes:
    """A database's changes, for its sessions."""

    def __init__(
        self,
        executor: Executor,
        wait: Callable[[Interrupt, Callable[[], bool], int], bool],
        watchers: Watchers,
    ) -> None:
        """Begin.

        Args:
            executor: What knows them.
            wait: Waits for something, no longer than some milliseconds; tells whether it is so.
            watchers: Are told of every epoch.
        """
        self.follow, self.unfollow = watchers.follow, watchers.unfollow
        self._executor = executor
        self._wait = wait

    def pin(self, reader: Reader, oid: Oid) -> Seen:
        """Pin a reader's snapshot and return a subscription as of exactly its epoch.

        Raises:
            UndefinedObject: It was dropped.
            ObjectNotInPrerequisiteState: What it is of is no longer maintained.
        """
        try:
            return _seen(pin(self._executor, reader), oid)
        except BaseException:
            reader.rollback()
            raise

    def pin_all(self, reader: Reader) -> Knowledge:
        """Pin a reader's snapshot and return what is known as of exactly its epoch."""
        return pin(self._executor, reader)

    def keep_for(self, pinned: Callable[[Oid], Epoch | None]) -> None:
        """Keep what others want: of a relation all changes after an epoch; None is none."""
        self._executor.pinned = pinned

    def earlier(self, oid: Oid, then_ms: int, now_ms: int) -> str:
        """Return the query for the rows of a relation as of a time, in milliseconds since 1970.

        It holds for any snapshot from now on that is taken before long.

        Raises:
            ObjectNotInPrerequisiteState: What has changed since then is not kept.
        """
        known, then = self._executor.known, at(then_ms)
        found = [
            s
            for s in known.graph.subscriptions.get(oid, ())
            if Seen(s, known.catalog.relations[oid], Epoch(s.since_epoch), then, known).earliest(
                now_ms
            )
            <= then
            and all(past.upto <= then for past in s.layouts)
        ]
        if not found:
            raise ObjectNotInPrerequisiteState(
                f"Time-travel version expired: table {oid}, epoch {then}",
                detail="Changes since then are not kept, or the relation had other columns then.",
                hint="CREATE SUBSCRIPTION ... WITH (retention = '1D') keeps changes from then on.",
            )
        return change_log.rewound(oid, known.columns(oid), then)

    def wait(self, interrupt: Interrupt, oid: Oid, position: Epoch, limit_ms: int) -> bool:
        """Wait for something after an epoch.

        Args:
            interrupt: What may end the wait.
            oid: The subscription.
            position: The epoch.
            limit_ms: How long, in milliseconds.

        Returns:
            Whether there is anything new, which may be that nothing will come any more.

        Raises:
            PgError: The interrupt's reason.
        """
        return self._wait(interrupt, lambda: self._has_news(oid, position), limit_ms)

    def _has_news(self, oid: Oid, position: Epoch) -> bool:
        known = self._executor.known
        try:
            seen = _seen(known, oid)
        except (UndefinedObject, ObjectNotInPrerequisiteState):
            return True
        has_others = any(past.upto > position for past in seen.subscription.layouts)
        return has_others or known.logged.get(seen.source.oid, ZERO) > position


def _seen(known: Knowledge, oid: Oid) -> Seen:
    subscription = known.catalog.relations.get(oid)
    if not isinstance(subscription, Subscription):
        raise UndefinedObject("the subscription of the cursor was dropped")
    source = known.catalog.relations[subscription.source]
    assert not isinstance(source, View | Rowless), source
    known.check_maintained(source)
    now = as_of(source, known.epoch)
    return Seen(subscription, source, Epoch(subscription.since_epoch), now, known)
