"""Filling one view beside the barriers.

The job's change logs begin at the barrier of its CREATE. From then on it works on a connection of
its own, a piece at a time:

1. *Fill*: on a snapshot, make the view's tables. Pieces are rows of the inputs that are let in one
   after the other, as if they were inserted: the plan's own programs follow them. What is let in
   stands in the way of the inputs' names, as temporary views of this connection. A plan that would
   have to compute all anew for each piece is filled by one statement for each of its tables.
2. *Catch up*: on a later snapshot, replay what the logs hold in between and step the view to it.
   Each round has less to do than the one before, until little is left.
3. The rest is replayed at a barrier (``run.merge``), which alone makes the view known.

Each round is a transaction; nobody else knows the tables. What is left of a job that ended on the
way is dropped by its next start.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Final

from barrier import change_log
from barrier.clock import Clock
from barrier.epoch import Epoch
from barrier.job import Contents
from barrier.knowledge import Knowledge
from barrier.remains import tables_of
from barrier.store import Reader
from barrier.stream.plan import ChangeSize
from barrier.tolerance import tolerant_form
from barrier.writes import WEIGHT
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import StreamingJob, storage_name

#: The fewest rows of a piece. A job can be stopped between two, and others get on with theirs.
PIECE_ROWS: Final = 65_536

#: The most pieces that a view is filled in: each of them looks at what is there already.
_PIECES_MAX: Final = 24

#: How much more reading in pieces may cost than reading at once.
_PIECES_FACTOR: Final = 4

#: Fewer logged changes than this are replayed at the barrier.
MERGE_ROWS: Final = 5_000

#: So often the changes of a round may be no fewer than those of the one before: they come faster
#: than they are replayed, and only the barrier can end that.
_ROUNDS_IN_VAIN: Final = 3


@dataclass
class Progress:
    """How far a backfill is; written by its thread, read by all."""

    rows: int = 0
    total: int = 0
    behind: int | None = None  #: The changes that are to be replayed, once it catches up.

    def __str__(self) -> str:
        if self.behind is not None:
            return f"100% ({self.total}/{self.total}), {self.behind} changes behind"
        share = min(self.rows / self.total, 0.9999) if self.total else 0.0
        return f"{share:.2%} ({self.rows}/{self.total})"


class Backfill:
    """The work of one job."""

    def __init__(
        self,
        view: StreamingJob,
        known: Knowledge,
        open_reader: Callable[[], Reader],
        clock: Clock,
        twins: Mapping[str, str],
    ) -> None:
        """Take a job on.

        Args:
            view: What is to be filled.
            known: The database at an epoch in which the job's change logs are there already.
            open_reader: Opens the job's own connection.
            clock: Gives ``now()`` in views.
            twins: For the tolerant form of the query.
        """
        self.view = view
        #: The most rows that are to be read in a second; others may change it at any time.
        self.rate_limit = view.backfill_rate_limit
        self.progress = Progress()
        self._known = known
        self._inputs = known.graph.inputs[view.oid]
        self._columns = {oid: known.columns(oid) for oid in self._inputs}
        self._reader = open_reader()
        self._reader.set_time_zone(view.time_zone)
        self._clock = clock
        self._twins = twins
        self._tolerated: PgError | None = None
        self._epoch = Epoch(0)
        self._plan = known.plan(view)

    def work(self) -> Generator[int, None, None]:
        """Do the work; yields after each piece how many rows of the snapshot it has read.

        Raises:
            PgError: The view cannot be filled.
        """
        while True:
            try:
                yield from self._fill()
                break
            except PgError as e:
                self._reader.rollback()
                looser = tolerant_form(self.view, e, self._twins)
                if looser is None or self._tolerated is not None:
                    raise
                self._tolerated = e
                self.view = looser
                self._plan = self._known.plan(looser)
        yield from self._catch_up()

    @property
    def contents(self) -> Contents:
        """What the work has come to."""
        return Contents(self.view.query, self._plan, self._epoch, self._tolerated)

    def interrupt(self) -> None:
        """End the piece that is being worked on; callable from any thread."""
        self._reader.interrupt()

    def give_up(self) -> None:
        """Leave nothing."""
        self._reader.rollback()
        drop_tables(self._reader, self.view.oid)

    def close(self) -> None:
        """Let go of the connection."""
        self._reader.rollback()
        self._reader.close()

    # --- the first contents ---------------------------------------------------------------------

    def _fill(self) -> Generator[int, None, None]:
        drop_tables(self._reader, self.view.oid)
        self._epoch = self._reader.begin()
        self._reader.set_time(self._clock.now_ms())
        counts = {oid: self._count(f"r{oid}") for oid in self._inputs}
        self.progress.rows, self.progress.total = 0, sum(counts.values())
        if self._fills_in_pieces(counts):
            yield from self._fill_in_pieces(counts)
        else:
            yield from self._fill_at_once()
        self._reader.commit()

    def _fills_in_pieces(self, counts: Mapping[Oid, int]) -> bool:
        if self.rate_limit is not None:
            return True
        in_pieces = anew = 0
        for oid, count in counts.items():
            # As it would be for the last of its pieces.
            rows = self._piece_rows(count)
            cost, anew = self._plan.costs({oid: ChangeSize(min(count, rows), 0)}, counts)
            in_pieces += cost * (count // rows + 1)
        return in_pieces <= _PIECES_FACTOR * anew

    def _fill_at_once(self) -> Generator[int, None, None]:
        statements = self._plan.create()
        for number, statement in enumerate(statements, start=1):
            self._reader.run(statement)
            read = self.progress.total * number // len(statements) - self.progress.rows
            self.progress.rows += read
            yield read

    def _fill_in_pieces(self, counts: Mapping[Oid, int]) -> Generator[int, None, None]:
        ((name,),) = self._reader.rows("SELECT current_database()")
        ends = {oid: self._end(oid) for oid in self._inputs}
        for oid in self._inputs:
            self._let_in(str(name), oid, 0)
        for statement in self._plan.create():
            self._reader.run(statement)
        sizes = dict.fromkeys(self._inputs, 0)
        # The small ones first: what is joined with the large one is complete then.
        for oid in sorted(counts, key=lambda oid: (counts[oid], oid)):
            limit = self.rate_limit
            start, step, first_ms = 0, self._piece_rows(ends[oid]), 0
            while start < ends[oid]:
                if limit != self.rate_limit:
                    limit, step, first_ms = self.rate_limit, self._piece_rows(ends[oid]), 0
                began_ms = self._clock.monotonic_ms()
                rows = self._let_in(str(name), oid, start + step, start)
                if rows:
                    self._step({oid: ChangeSize(rows, 0)}, sizes)
                sizes[oid] += rows
                start += step
                took_ms = self._clock.monotonic_ms() - began_ms
                first_ms = first_ms or took_ms
                if took_ms > 2 * first_ms and limit is None:
                    # What is there already takes longer than what comes: fewer pieces, then.
                    step, first_ms = 2 * step, 2 * first_ms
                self.progress.rows += rows
                yield rows
        for oid in self._inputs:
            self._reader.run(f"DROP VIEW temp.{storage_name(oid)}")

    def _piece_rows(self, count: int) -> int:
        """Return how many rows of an input with so many go into a piece."""
        rows = max(PIECE_ROWS, count // _PIECES_MAX)
        limit = self.rate_limit
        return rows if limit is None else max(min(limit, rows), 1)

    def _let_in(self, database: str, oid: Oid, end: int, start: int | None = None) -> int:
        """Let the rows of an input before an end in; those from a start are its delta.

        Returns:
            How many rows the delta has.
        """
        name = storage_name(oid)
        names = ", ".join(self._columns[oid])
        source = f'"{database}".main.{name}'
        self._reader.run(
            f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {names} FROM {source} "
            f"WHERE rowid < {end}"
        )
        if start is None:
            return 0
        self._reader.run(
            f"CREATE OR REPLACE TEMP TABLE d{oid} AS SELECT {names}, 1::BIGINT AS {WEIGHT} "
            f"FROM {source} WHERE rowid >= {start} AND rowid < {end}"
        )
        return self._count(f"d{oid}")

    def _end(self, oid: Oid) -> int:
        ((last,),) = self._reader.rows(f"SELECT max(rowid) FROM {storage_name(oid)}")
        return 0 if last is None else int(str(last)) + 1

    # --- what happened meanwhile ----------------------------------------------------------------

    def _catch_up(self) -> Generator[int, None, None]:
        waited_before: int | None = None
        rounds_in_vain = 0
        while True:
            epoch = self._reader.begin()
            waiting = sum(
                self._value(change_log.count_after(oid, self._epoch)) for oid in self._inputs
            )
            self.progress.behind = waiting
            if waited_before is not None and waiting >= waited_before:
                rounds_in_vain += 1
            if waiting <= MERGE_ROWS or rounds_in_vain >= _ROUNDS_IN_VAIN:
                self._reader.rollback()
                return
            waited_before = waiting
            changes = {oid: self._replay(oid, epoch) for oid in self._inputs}
            self._reader.set_time(self._clock.now_ms())
            self._step(changes, {oid: self._count(f"r{oid}") for oid in self._inputs})
            self._reader.commit()
            self._epoch = epoch
            yield 0

    def _replay(self, oid: Oid, epoch: Epoch) -> ChangeSize:
        self._reader.run(change_log.replay(oid, self._columns[oid], self._epoch, epoch))
        inserted = self._count(f"d{oid} WHERE {WEIGHT} > 0")
        return ChangeSize(inserted, self._count(f"d{oid}") - inserted)

    def _step(self, changes: Mapping[Oid, ChangeSize], sizes: Mapping[Oid, int]) -> None:
        known = {**sizes, self.view.oid: self._count(f"r{self.view.oid}")}
        for statement in self._plan.step(changes, known, needs_delta=False):
            self._reader.run(statement.sql)

    def _count(self, source: str) -> int:
        return self._value(f"SELECT count(*) FROM {source}")

    def _value(self, query: str) -> int:
        ((number,),) = self._reader.rows(query)
        return int(str(number))


def drop_tables(reader: Reader, oid: Oid) -> None:
    """Drop what a backfill of a view has left."""
    for name in tables_of(reader, {oid}):
        reader.run(f"DROP TABLE IF EXISTS {name}")
