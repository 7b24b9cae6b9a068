"""The barrier worker's decisions, event by event."""

from __future__ import annotations

from dataclasses import replace

import pytest

from barrier import epoch as epochs
from barrier.command import (
    ChangeCatalog,
    CreateStreamingJob,
    Flush,
    FollowSystem,
    Pause,
    PauseInfo,
    PauseScope,
    Resume,
    Step,
)
from barrier.epoch import Epoch
from barrier.message import (
    Aborted,
    BatchRefresh,
    Beat,
    Committed,
    Effect,
    Event,
    Held,
    InjectCommand,
    InjectRefresh,
    InjectWrites,
    JobsChanged,
    Refreshed,
    Reject,
    Requested,
    Returned,
    Stepped,
    Submitted,
    Withdrawn,
    Work,
    Written,
)
from barrier.state import BarrierState, advance, has_work
from barrier.writes import WriteSet
from catalog.oid import Oid
from catalog.relation import MaterializedView

NOW = 1_796_000_000_000
BEAT = Beat(NOW, is_tick=False)
TICK = Beat(NOW, is_tick=True)
PAUSED = BarrierState("dev", own_pause=PauseInfo(PauseScope.DATABASE, "root", NOW))
SYSTEM_PAUSE = PauseInfo(PauseScope.SYSTEM, "root", NOW)


def view(*, refresh_interval_s: int | None = None) -> MaterializedView:
    return MaterializedView(
        oid=Oid(20000),
        schema="public",
        name="m",
        owner="root",
        columns=(),
        query="SELECT 1 AS c1",
        depends_on=frozenset({Oid(16384)}),
        refresh_interval_s=refresh_interval_s,
    )


def write(ticket: int, holder: int | None = None) -> Written:
    return Written(ticket, WriteSet(()), holder)


def run(state: BarrierState, *events: Event | Work) -> tuple[BarrierState, list[Effect]]:
    """Feed events, commit every epoch at once, return all effects."""
    effects: list[Effect] = []
    for event in events:
        if isinstance(event, Requested | Written):
            event = Submitted(event)  # noqa: PLW2901
        state, made = advance(state, event)
        effects.extend(made)
        if state.in_flight is not None:
            state, _ = advance(state, Committed(state.in_flight))
    return state, effects


def test_writes_that_wait_together_share_an_epoch() -> None:
    _, effects = run(BarrierState("dev"), write(1), write(2), Requested(3, Flush()), BEAT)
    assert len(effects) == 1
    (only,) = effects
    assert isinstance(only, InjectWrites)
    assert [w.ticket for w in only.writes] == [1, 2]
    assert only.flushes == (3,)


def test_a_command_parts_the_writes_before_it_from_those_after() -> None:
    _, effects = run(
        BarrierState("dev"), write(1), Requested(2, ChangeCatalog(())), write(3), BEAT, BEAT, BEAT
    )
    assert [type(e) for e in effects] == [InjectWrites, InjectCommand, InjectWrites]


def test_epochs_grow_though_the_clock_steps_back() -> None:
    state, effects = run(BarrierState("dev"), TICK, Beat(NOW - 60_000, is_tick=True), TICK)
    seen = [e.epoch for e in effects if isinstance(e, InjectWrites)]
    assert seen == sorted(set(seen))
    assert state.committed == seen[-1]


def test_nothing_is_injected_while_an_epoch_is_out() -> None:
    state, effects = advance(BarrierState("dev", queue=(write(1),)), BEAT)
    assert effects
    after, none = advance(replace(state, queue=(write(2),)), BEAT)
    assert none == ()
    assert after.in_flight == state.in_flight


@pytest.mark.parametrize("interval", [None, 5])
def test_creating_a_job_that_needs_a_snapshot_is_rejected_while_paused(
    interval: int | None,
) -> None:
    before = replace(PAUSED, committed=Epoch(1 << 16))
    command = CreateStreamingJob(view(refresh_interval_s=interval))
    after, effects = run(before, Requested(7, command), BEAT)
    (only,) = effects
    assert isinstance(only, Reject)
    expected = (
        "cannot create streaming job with snapshot backfill when paused"
        if interval is None
        else "cannot create batch refresh job while database barrier is paused"
    )
    assert only.error.message == expected
    assert only.error.sqlstate == "55000"
    assert only.error.hint is not None
    assert "ALTER DATABASE dev RESUME" in only.error.hint
    assert after == before, "a rejected command changes nothing and costs no epoch"


def test_without_snapshot_backfill_a_job_is_accepted_while_paused() -> None:
    command = CreateStreamingJob(view(), uses_snapshot_backfill=False)
    _, effects = run(PAUSED, Requested(7, command), BEAT)
    (only,) = effects
    assert isinstance(only, InjectCommand)
    assert not only.is_flowing


def test_a_batch_refresh_job_is_rejected_while_paused_whatever_the_backfill() -> None:
    command = CreateStreamingJob(view(refresh_interval_s=5), uses_snapshot_backfill=False)
    _, effects = run(PAUSED, Requested(7, command), BEAT)
    assert isinstance(effects[0], Reject)


def test_create_before_pause_succeeds_and_after_it_is_refused() -> None:
    create = CreateStreamingJob(view())
    queue = (Requested(1, create), Requested(2, Pause("root")), Requested(3, create))
    _, effects = run(BarrierState("dev"), *queue, BEAT, BEAT, BEAT)
    assert [type(e) for e in effects] == [InjectCommand, InjectCommand, Reject]


def test_writes_wait_while_paused_and_keep_their_order() -> None:
    state, effects = run(PAUSED, write(1), write(2), BEAT, TICK)
    assert [e for e in effects if isinstance(e, InjectWrites) and e.writes] == []
    assert not has_work(state)
    _, effects = run(state, write(3), Requested(4, Resume("root")), BEAT, BEAT)
    applied = [w.ticket for e in effects if isinstance(e, InjectWrites) for w in e.writes]
    assert applied == [1, 2, 3]


def test_flush_and_ticks_go_on_while_paused() -> None:
    state, effects = run(PAUSED, write(1), Requested(2, Flush()), BEAT, TICK)
    flushed = [e for e in effects if isinstance(e, InjectWrites) and e.flushes]
    assert len(flushed) == 1
    assert all(not e.is_moving for e in effects if isinstance(e, InjectWrites))
    assert state.committed > PAUSED.committed


def test_a_parked_write_can_be_taken_back() -> None:
    state, _ = run(PAUSED, write(1), write(2), BEAT)
    state, effects = run(state, Withdrawn(1))
    assert effects == [Returned(1)]
    _, effects = run(state, Requested(3, Resume("root")), BEAT, BEAT)
    applied = [w.ticket for e in effects if isinstance(e, InjectWrites) for w in e.writes]
    assert applied == [2]


def test_work_that_has_begun_cannot_be_taken_back() -> None:
    state, _ = advance(BarrierState("dev", queue=(write(1),)), BEAT)
    assert advance(state, Withdrawn(1)) == (state, ())


def test_a_database_flows_only_when_neither_it_nor_the_system_is_paused() -> None:
    state, _ = run(PAUSED, Requested(1, FollowSystem(SYSTEM_PAUSE)), BEAT)
    assert state.pause == SYSTEM_PAUSE, "the system's pause is told before the database's own"
    state, _ = run(state, write(2), Requested(3, Resume("root")), BEAT, BEAT)
    assert state.pause == SYSTEM_PAUSE
    assert [w.ticket for w in state.parked] == [2]
    state, _ = run(state, Requested(4, FollowSystem(None)), BEAT)
    assert state.pause is None


def test_pauses_do_not_count() -> None:
    twice = (Requested(1, Pause("a")), Requested(2, Pause("b")))
    state, _ = run(BarrierState("dev"), *twice, BEAT, BEAT)
    assert state.own_pause is not None
    assert state.own_pause.user == "a", "the first pause stays the one that is told"
    state, _ = run(state, Requested(3, Resume("root")), BEAT)
    assert state.pause is None


def test_a_pause_that_could_not_be_made_durable_is_no_pause() -> None:
    state, _ = advance(BarrierState("dev", queue=(Requested(1, Pause("root")),)), BEAT)
    assert state.pause is not None
    assert state.in_flight is not None
    state, _ = advance(state, Aborted(state.in_flight))
    assert state.pause is None
    assert state.committed == epochs.ZERO


def test_a_resume_that_could_not_be_made_durable_keeps_writes_parked() -> None:
    state, _ = run(PAUSED, write(1), BEAT)
    state, _ = advance(state, Submitted(Requested(2, Resume("root"))))
    state, _ = advance(state, BEAT)
    assert state.in_flight is not None
    state, _ = advance(state, Aborted(state.in_flight))
    assert state.pause is not None
    state, effects = run(state, BEAT)
    assert effects == []
    assert [w.ticket for w in state.parked] == [1]


def test_batch_refresh_runs_once_an_interval_and_once_after_a_pause() -> None:
    oid = Oid(20000)
    start = epochs.at(NOW)
    jobs = JobsChanged(frozenset(), {oid: BatchRefresh(2000, start)})
    state, _ = advance(replace(PAUSED, committed=start), jobs)
    for second in range(1, 8):
        state, effects = run(state, Beat(NOW + second * 1000, is_tick=True))
        assert not any(isinstance(e, InjectRefresh) for e in effects), "no trigger while paused"
    state, effects = run(state, Requested(1, Resume("root")), Beat(NOW + 8000, is_tick=True))
    state, effects = run(state, Beat(NOW + 8001, is_tick=True))
    assert [type(e) for e in effects] == [InjectRefresh]


def test_batch_refresh_keeps_its_rhythm_while_the_clock_is_behind() -> None:
    oid = Oid(20000)
    start = epochs.at(NOW)
    jobs = JobsChanged(frozenset(), {oid: BatchRefresh(3000, start)})
    state, _ = advance(BarrierState("dev", committed=start), jobs)
    ran = []
    for second in range(1, 11):
        # An hour before what it was.
        beat = Beat(NOW - 3_600_000 + second * 1000, is_tick=True, passed_ms=second * 1000)
        state, effects = run(state, beat)
        for effect in effects:
            if isinstance(effect, InjectRefresh):
                ran.append(second)
                state, _ = advance(state, Refreshed(effect.oids, effect.epoch))
    assert ran == [4, 8], "three seconds after it was first seen, and after each run"


def test_a_hold_lets_only_its_own_writes_pass() -> None:
    state, _ = run(BarrierState("dev"), Held(5), write(1), write(2, holder=5))
    state, effects = run(state, BEAT)
    (only,) = effects
    assert isinstance(only, InjectWrites)
    assert [w.ticket for w in only.writes] == [2]
    assert not has_work(state)
    state, _ = run(state, Held(None))
    assert has_work(state)


def test_a_flush_behind_held_writes_waits_for_them_without_a_busy_loop() -> None:
    state, _ = run(BarrierState("dev"), Held(5), write(1), Requested(2, Flush()))
    assert not has_work(state), "what a beat would not inject is no work"
    state, effects = run(state, BEAT)
    assert effects == []
    state, effects = run(state, Held(None), BEAT)
    (only,) = effects
    assert isinstance(only, InjectWrites)
    assert (only.writes, only.flushes) == ((write(1),), (2,))


def test_the_systems_pause_holds_even_if_its_epoch_fails() -> None:
    """It is durable elsewhere: a database that flowed on would stop at the next start."""
    state, _ = advance(BarrierState("dev", queue=(Requested(1, FollowSystem(SYSTEM_PAUSE)),)), BEAT)
    assert state.in_flight is not None
    state, _ = advance(state, Aborted(state.in_flight))
    assert state.pause == SYSTEM_PAUSE
    state, _ = advance(state, Submitted(Requested(2, FollowSystem(None))))
    state, _ = advance(state, BEAT)
    assert state.in_flight is not None
    state, _ = advance(state, Aborted(state.in_flight))
    assert state.pause is None


def test_acknowledged_writes_of_a_failed_epoch_come_first_at_the_next_tick() -> None:
    state, _ = advance(BarrierState("dev", queue=(write(1), write(2))), BEAT)
    assert state.in_flight is not None
    epoch = state.in_flight
    state, _ = advance(state, Submitted(write(3)))
    state, _ = advance(state, Aborted(epoch, (write(2),)))
    assert not has_work(state)
    state, effects = run(state, BEAT, TICK)
    (only,) = effects
    assert isinstance(only, InjectWrites)
    assert [w.ticket for w in only.writes] == [2, 3]


def test_a_refresh_that_fails_rests_until_the_next_tick_and_holds_nobody_up() -> None:
    oid = Oid(20000)
    start = epochs.at(NOW)
    jobs = JobsChanged(frozenset(), {oid: BatchRefresh(2000, start)})
    state, _ = advance(BarrierState("dev", committed=epochs.at(NOW + 3000)), jobs)
    later = Beat(NOW + 4000, is_tick=False)
    state, (refresh,) = advance(state, later)
    assert isinstance(refresh, InjectRefresh)
    state, _ = advance(state, Aborted(refresh.epoch, is_ours=True))
    state, nothing = advance(state, later)
    assert nothing == ()
    state, effects = run(state, write(1), later)
    assert [type(e) for e in effects] == [InjectWrites]
    state, effects = run(state, Beat(NOW + 5000, is_tick=True))
    assert [type(e) for e in effects] == [InjectRefresh]


def test_steps_wait_where_acknowledged_writes_have_no_room_and_none_is_forgotten() -> None:
    step = Requested(5, Step("root", 3))
    state, _ = run(PAUSED, step, write(1), BEAT)
    state, _ = advance(state, BEAT)
    assert state.in_flight is not None
    assert state.stepping is not None
    state, _ = advance(state, Committed(state.in_flight, (write(1),)))
    assert state.is_stalled
    going_on = state.stepping
    state, effects = run(state, Requested(6, Step("root", 1)), BEAT)
    assert (effects, state.stepping) == ([], going_on)
    told: list[Effect] = []
    for beat in (TICK, *[BEAT] * 8):
        state, made = advance(state, beat)
        told += made
        if state.in_flight is not None:
            state, made = advance(state, Committed(state.in_flight))
            told += made
    stepped = [(effect.ticket, effect.steps) for effect in told if isinstance(effect, Stepped)]
    assert stepped == [(5, 3), (6, 1)]
