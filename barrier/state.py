"""The barrier worker's decisions, without its actions.

``advance`` takes the state of one database and an event and returns the next state and what the
shell must do to get there. The state knows who waits, what is paused and which epoch is out; it
never sees a row. Everything a database promises about order is here:

* work is taken in the order it came (FIFO); a CREATE before PAUSE succeeds, one after it does not;
* writes that came together are committed together (group commit);
* while paused, writes stay parked and barriers go on;
* a rejected command costs no epoch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from barrier.command import (
    Command,
    CreateStreamingJob,
    Flush,
    FollowSystem,
    Pause,
    PauseInfo,
    PauseScope,
    Resume,
    RetryWrites,
    Step,
)
from barrier.connector.flow import Flows
from barrier.epoch import ZERO, Epoch, following
from barrier.job import Backfilled
from barrier.message import (
    NOBODY,
    Aborted,
    BackfillEnded,
    BatchRefresh,
    Beat,
    Committed,
    Effect,
    Event,
    Held,
    InjectBackfill,
    InjectCatchUp,
    InjectCommand,
    InjectMerge,
    InjectRefresh,
    InjectWrites,
    JobsChanged,
    Merged,
    Refreshed,
    Reject,
    Requested,
    Returned,
    Seen,
    Stepped,
    Submitted,
    ViewPause,
    Withdrawn,
    Work,
    Written,
)
from barrier.pause import (
    refuse_batch_refresh,
    refuse_snapshot_backfill,
    refuse_step,
    refuse_write,
)
from barrier.refreshing import due_jobs, seen_at
from catalog.errors import PgError
from catalog.oid import Oid

#: The most write sets that one epoch takes, so that its work is bounded.
WRITE_SETS_MAX: Final = 1000

#: The rows after which an epoch takes no more write sets; a single one may have more.
WRITE_ROWS_MAX: Final = 1_000_000

#: Who resumes when the time of a pause has passed.
TIMER: Final = "the end of PAUSE FOR"


@dataclass(frozen=True, slots=True)
class Stepping:
    """Epochs that a paused database is to make."""

    ticket: int
    left: int
    done: int = 0


@dataclass(frozen=True, slots=True)
class BarrierState:
    """Where a database stands.

    Invariants: ``committed`` only grows; at most one epoch is out and it is later than
    ``committed``; ``parked`` is empty unless the database is paused.

    Attributes:
        database: Its name, for messages.
        committed: The last committed epoch.
        in_flight: The epoch that is out, or None.
        queue: Work in the order it came.
        parked: Writes that wait for RESUME.
        own_pause: The database's own pause.
        system_pause: The system's.
        undo_pause: What ``own_pause`` and ``system_pause`` are if the command that is out fails.
        creating: Jobs that were accepted and are to be filled in a barrier.
        backfilled: What came of backfills and waits for its barrier.
        refreshes: Batch refresh jobs and when they last ran.
        seen: The same by the time that has passed, as far as this process has seen it.
        passed_ms: The time that had passed at the latest beat.
        holder: Whose writes alone may go on; None is everybody's.
        is_stalled: Whether acknowledged writes could not be applied; until the next tick nothing
            but commands is injected, so that a full disk is not tried again without end, and can be
            cleared.
        is_resting: Whether work of the worker's own (backfills, batch refreshes) failed; it waits
            for the next tick.
        stepping: How far it goes on although it is paused, or None.
        catching_up: Views that were paused and may go on.
        held: Views that stand still, and why.
        is_others_turn: Whether what sessions want comes before the next piece of catching up.
        flows: What brings rows by itself.
    """

    database: str
    committed: Epoch = ZERO
    in_flight: Epoch | None = None
    queue: tuple[Work, ...] = ()
    parked: tuple[Written, ...] = ()
    own_pause: PauseInfo | None = None
    system_pause: PauseInfo | None = None
    undo_pause: tuple[PauseInfo | None, PauseInfo | None] | None = None
    creating: frozenset[Oid] = frozenset()
    backfilled: tuple[Backfilled, ...] = ()
    refreshes: Mapping[Oid, BatchRefresh] = field(default_factory=dict)
    seen: Mapping[Oid, Seen] = field(default_factory=dict)
    passed_ms: int = 0
    holder: int | None = None
    is_stalled: bool = False
    is_resting: bool = False
    stepping: Stepping | None = None
    catching_up: frozenset[Oid] = frozenset()
    held: Mapping[Oid, ViewPause] = field(default_factory=dict)
    is_others_turn: bool = True
    flows: Flows = field(default_factory=Flows)

    def __post_init__(self) -> None:
        assert self.in_flight is None or self.in_flight > self.committed
        assert not self.parked or self.pause is not None

    @property
    def pause(self) -> PauseInfo | None:
        """The pause that holds the database, the system's before its own."""
        return self.system_pause or self.own_pause


def advance(state: BarrierState, event: Event) -> tuple[BarrierState, tuple[Effect, ...]]:
    """Return the next state and what the shell must do to get there."""
    match event:
        case Submitted(work):
            return replace(state, queue=(*state.queue, work)), ()
        case Withdrawn(ticket):
            return _withdraw(state, ticket)
        case Held(holder):
            return replace(state, holder=holder), ()
        case Beat() if state.in_flight is not None:
            return state, ()
        case Beat(is_tick=False) if state.is_stalled:
            return _pass(state, event)
        case Beat():
            state = _look(state, event)
            is_resting = state.is_resting and not event.is_tick
            return _inject(replace(state, is_stalled=False, is_resting=is_resting), event)
        case Committed(epoch, kept):
            assert epoch == state.in_flight, (epoch, state.in_flight)
            state = replace(state, committed=epoch, in_flight=None, undo_pause=None)
            return _count_step(_keep(state, kept))
        case Aborted(epoch):
            assert epoch == state.in_flight, (epoch, state.in_flight)
            return _end_steps(_abort(state, event), event)
        case JobsChanged():
            return _with_jobs(state, event), ()
        case Refreshed(oids, epoch):
            moved = {
                oid: replace(job, refreshed=epoch) if oid in oids else job
                for oid, job in state.refreshes.items()
            }
            return replace(state, refreshes=moved), ()
        case BackfillEnded(backfilled):
            return replace(state, backfilled=(*state.backfilled, backfilled)), ()
        case Merged(done):
            left = tuple(b for b in state.backfilled if b not in done)
            return replace(state, backfilled=left), ()


def has_work(state: BarrierState) -> bool:
    """Whether a barrier should be injected now rather than at the next tick."""
    if state.in_flight is not None:
        return False
    if state.is_stalled:
        return _passing(state) is not None
    if state.stepping is not None:
        return True
    queue = _prefer_holder(_park(state)).queue
    if queue and _is_free(state, queue[0]):
        return True
    if state.is_resting:
        return False
    has_own = bool(state.creating) or bool(state.catching_up)
    return bool(_ripe(state)) or (state.pause is None and has_own)


def ends_at_ms(state: BarrierState) -> float:
    """Return when the database's own pause ends by itself, or infinity."""
    if state.own_pause is None or state.is_resting or state.in_flight is not None:
        return math.inf
    return math.inf if state.own_pause.until_ms is None else state.own_pause.until_ms


def _withdraw(state: BarrierState, ticket: int) -> tuple[BarrierState, tuple[Effect, ...]]:
    if state.stepping is not None and state.stepping.ticket == ticket:
        return replace(state, stepping=None), (Returned(ticket),)
    queue = tuple(work for work in state.queue if work.ticket != ticket)
    parked = tuple(work for work in state.parked if work.ticket != ticket)
    if len(queue) == len(state.queue) and len(parked) == len(state.parked):
        return state, ()
    return replace(state, queue=queue, parked=parked), (Returned(ticket),)


def _look(state: BarrierState, beat: Beat) -> BarrierState:
    """Take note of the time, and of since when batch refresh jobs are as they are."""
    seen = seen_at(state.seen, state.refreshes, beat.passed_ms)
    flows = state.flows.at(beat.passed_ms, is_moving=state.pause is None)
    return replace(state, seen=seen, passed_ms=beat.passed_ms, flows=flows)


def _passing(state: BarrierState) -> Requested | None:
    """Return the command that goes before writes which cannot be applied now.

    One that waits for them, or has them applied, does not.
    """
    commands = (work for work in state.queue if isinstance(work, Requested))
    return next((work for work in commands if not isinstance(work.command, Flush | Step)), None)


def _pass(state: BarrierState, beat: Beat) -> tuple[BarrierState, tuple[Effect, ...]]:
    """Perform the first command although writes that came before it wait."""
    found = _passing(state)
    if found is None:
        return state, ()
    rest = tuple(work for work in state.queue if work is not found)
    return _inject_command(replace(state, queue=(found, *rest)), found, beat.now_ms)


def _inject(state: BarrierState, beat: Beat) -> tuple[BarrierState, tuple[Effect, ...]]:
    state = _prefer_holder(_park(state))
    if state.stepping is not None:
        return _step(state, beat.now_ms)
    is_over = state.own_pause is not None and state.own_pause.is_over(beat.now_ms)
    if is_over and not state.is_resting:
        end = Requested(NOBODY, Resume(TIMER))
        return _inject_command(replace(state, queue=(end, *state.queue)), end, beat.now_ms)
    # Before all that waits: a stream of writes would keep a view from ever being created.
    if (ripe := _ripe(state)) and not state.is_resting:
        epoch = following(state.committed, beat.now_ms)
        return replace(state, in_flight=epoch), (InjectMerge(epoch, ripe),)
    may_move = state.pause is None and not state.is_resting
    if may_move and state.catching_up and not state.is_others_turn:
        return _catch_up(state, beat.now_ms)
    if state.queue and _is_free(state, state.queue[0]):
        state = replace(state, is_others_turn=not state.catching_up)
        first = state.queue[0]
        if isinstance(first, Requested) and not isinstance(first.command, Flush):
            return _inject_command(state, first, beat.now_ms)
        return _inject_writes(state, beat)
    epoch = following(state.committed, beat.now_ms)
    if may_move:
        if state.catching_up:
            return _catch_up(state, beat.now_ms)
        if state.creating:
            return replace(state, in_flight=epoch), (InjectBackfill(epoch, state.creating),)
        if due := _due(state):
            return replace(state, in_flight=epoch), (InjectRefresh(epoch, due),)
    if beat.is_tick:
        return _inject_writes(state, beat)
    return state, ()


def _ripe(state: BarrierState) -> tuple[Backfilled, ...]:
    """Return the backfills whose outcome can be dealt with: while paused no view moves."""
    is_flowing = state.pause is None
    return tuple(b for b in state.backfilled if is_flowing or isinstance(b.outcome, PgError))


def _park(state: BarrierState) -> BarrierState:
    """Set the writes at the queue's head aside while paused."""
    if state.pause is None:
        return state
    queue = list(state.queue)
    parked = list(state.parked)
    while queue and isinstance(queue[0], Written):
        parked.append(queue.pop(0))  # type: ignore[arg-type]  # the loop's condition says Written
    return replace(state, queue=tuple(queue), parked=tuple(parked))


def _is_free(state: BarrierState, work: Work) -> bool:
    """Whether work may go on: while one session holds, only its own writes may."""
    match work:
        case Requested():
            return True
        case Written(holder=holder):
            return state.pause is None and state.holder in (None, holder)


def _prefer_holder(state: BarrierState) -> BarrierState:
    """Put the writes of the session that holds the others back first."""
    if state.holder is None or state.pause is not None:
        return state
    first = tuple(w for w in state.queue if isinstance(w, Written) and w.holder == state.holder)
    rest = tuple(w for w in state.queue if w not in first)
    return replace(state, queue=(*first, *rest))


def _inject_writes(state: BarrierState, beat: Beat) -> tuple[BarrierState, tuple[Effect, ...]]:
    writes: list[Written] = []
    flushes: list[int] = []
    taken = rows = 0
    for work in state.queue:
        match work:
            case Written() if _is_free(state, work) and has_room(len(writes), rows):
                writes.append(work)
                rows += work.write_set.rows
            case Requested(ticket, Flush()):
                flushes.append(ticket)
            case _:
                break
        taken += 1
    epoch = following(state.committed, beat.now_ms)
    is_moving = state.pause is None
    is_awaited = beat.is_tick or bool(flushes)
    pulls = state.flows.due(is_tick=is_awaited) if is_moving else {}
    effect = InjectWrites(epoch, tuple(writes), tuple(flushes), is_moving, pulls)
    state = replace(state, flows=state.flows.pulled(pulls))
    return replace(state, in_flight=epoch, queue=state.queue[taken:]), (effect,)


def _inject_command(
    state: BarrierState, request: Requested, now_ms: int
) -> tuple[BarrierState, tuple[Effect, ...]]:
    state = replace(state, queue=state.queue[1:])
    command = request.command
    if (error := _refusal(state, command)) is not None:
        return state, (Reject(request.ticket, error),)
    undo = (state.own_pause, state.system_pause)
    match command:
        case Step(count=count):
            return _step(replace(state, stepping=Stepping(request.ticket, count)), now_ms)
        case Pause(user, for_ms):
            until_ms = None if for_ms is None else now_ms + for_ms
            own = PauseInfo(PauseScope.DATABASE, user, now_ms, until_ms)
            state = replace(state, own_pause=PauseInfo.renewed(state.own_pause, own))
        case Resume():
            state = _unpark(replace(state, own_pause=None, parked=()), state.parked)
        case FollowSystem(pause):
            # The system has decided and it is durable there: an epoch that fails changes nothing.
            undo = (state.own_pause, pause)
            state = _unpark(replace(state, system_pause=pause, parked=()), state.parked)
        case _:
            pass
    epoch = following(state.committed, now_ms)
    state = replace(state, in_flight=epoch, undo_pause=undo)
    is_flowing = state.pause is None
    return state, (InjectCommand(epoch, request.ticket, command, state.own_pause, is_flowing),)


def _refusal(state: BarrierState, command: Command) -> PgError | None:
    """Return why a command is refused now, or None; the only place that knows the pause's rules."""
    if isinstance(command, Step) and state.pause is None:
        return refuse_step(state.database)
    if isinstance(command, RetryWrites) and state.pause is not None:
        return refuse_write(state.database, state.pause)
    if not isinstance(command, CreateStreamingJob) or command.starts_paused:
        return None
    held = sorted(state.held.keys() & command.reads)
    if state.pause is not None:
        name, pause = state.database, state.pause
    elif held:
        name, pause = state.held[held[0]].name, state.held[held[0]].pause
    else:
        return None
    if command.view.refresh_interval_s is not None:
        return refuse_batch_refresh(name, pause)
    if command.reads_tables and command.uses_snapshot_backfill:
        return refuse_snapshot_backfill(name, pause)
    return None


def _unpark(state: BarrierState, parked: tuple[Written, ...]) -> BarrierState:
    """Put parked writes back, before all that came later, if the database flows again."""
    if state.pause is not None:
        return replace(state, parked=parked)
    return replace(state, queue=(*parked, *state.queue))


def _catch_up(state: BarrierState, now_ms: int) -> tuple[BarrierState, tuple[Effect, ...]]:
    epoch = following(state.committed, now_ms)
    oids = state.catching_up
    return replace(state, in_flight=epoch, is_others_turn=True), (InjectCatchUp(epoch, oids),)


def _with_jobs(state: BarrierState, event: JobsChanged) -> BarrierState:
    return replace(
        state,
        creating=event.creating,
        refreshes=event.refreshes,
        catching_up=event.catching_up,
        held=event.held,
        flows=state.flows.following(event.rates),
    )


def _step(state: BarrierState, now_ms: int) -> tuple[BarrierState, tuple[Effect, ...]]:
    """Let one epoch move data although the database is paused: what would be next if it flowed."""
    epoch = following(state.committed, now_ms)
    writes: list[Written] = []
    rows = 0
    for written in state.parked:
        if not has_room(len(writes), rows):
            break
        writes.append(written)
        rows += written.write_set.rows
    state = replace(state, in_flight=epoch, parked=state.parked[len(writes) :])
    if not writes and state.catching_up:
        return _catch_up(replace(state, in_flight=None), now_ms)
    if not writes and state.creating:
        return state, (InjectBackfill(epoch, state.creating),)
    if not writes and (due := _due(state)):
        return state, (InjectRefresh(epoch, due),)
    flows = state.flows.stepped()
    pulls = flows.due(is_tick=True)
    state = replace(state, flows=replace(flows.pulled(pulls), seen_ms=state.flows.seen_ms))
    return state, (InjectWrites(epoch, tuple(writes), (), is_moving=True, pulls=pulls),)


def has_room(write_sets: int, rows: int) -> bool:
    """Whether an epoch with so much in it takes another write set."""
    return write_sets < WRITE_SETS_MAX and rows < WRITE_ROWS_MAX


def _count_step(state: BarrierState) -> tuple[BarrierState, tuple[Effect, ...]]:
    stepping = state.stepping
    if stepping is None:
        return state, ()
    if stepping.left == 1:
        return replace(state, stepping=None), (Stepped(stepping.ticket, stepping.done + 1),)
    more = replace(stepping, left=stepping.left - 1, done=stepping.done + 1)
    return replace(state, stepping=more), ()


def _end_steps(state: BarrierState, event: Aborted) -> tuple[BarrierState, tuple[Effect, ...]]:
    stepping = state.stepping
    if stepping is None:
        return state, ()
    state = replace(state, stepping=None)
    return state, (Stepped(stepping.ticket, stepping.done, event.error),)


def _keep(state: BarrierState, kept: tuple[Written, ...]) -> BarrierState:
    """Put acknowledged writes that could not be applied back, before all others."""
    state = replace(state, is_stalled=state.is_stalled or bool(kept))
    if state.pause is not None:
        return replace(state, parked=(*kept, *state.parked))
    return replace(state, queue=(*kept, *state.queue))


def _abort(state: BarrierState, event: Aborted) -> BarrierState:
    state = _keep(replace(state, in_flight=None, is_resting=event.is_ours), event.kept)
    if state.undo_pause is None:
        return state
    own, system = state.undo_pause
    parked = replace(state, own_pause=own, system_pause=system, undo_pause=None, parked=())
    return _unpark(parked, state.parked)


def _due(state: BarrierState) -> frozenset[Oid]:
    return due_jobs(state.refreshes, state.seen, state.creating, state.committed, state.passed_ms)
