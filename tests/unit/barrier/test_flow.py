"""How many rows are due of what flows in by itself: decided from rates and times alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from barrier.connector.flow import Flow, Flows
from catalog.oid import Oid

A = Oid(1)

steps = st.lists(st.tuples(st.integers(0, 5_000), st.booleans(), st.booleans()), max_size=60)


@given(st.integers(1, 100_000), steps)
def test_rows_come_as_fast_as_was_asked_for_while_they_may_move(
    rate: int, steps: list[tuple[int, bool, bool]]
) -> None:
    flows = Flows().following({A: rate}).at(0, is_moving=True)
    passed = moving = came = 0
    for past, is_moving, is_tick in steps:
        passed += past
        flows = flows.at(passed, is_moving=is_moving)
        moving += past if is_moving else 0
        if is_moving:
            pulls = flows.due(is_tick=is_tick)
            came += pulls.get(A, 0)
            flows = flows.pulled(pulls)
    due = rate * (moving + 1000) / 1000  # A second's worth comes at once.
    assert came + flows.flows[A].due <= due + 1
    is_capped = rate * moving / 1000 > 900_000 or moving > 50_000
    # Each pull may leave a part of a row to the next.
    assert is_capped or came + flows.flows[A].due >= due - len(steps) - 1


def test_a_pause_owes_nothing() -> None:
    flows = Flows().following({A: 10}).at(0, is_moving=True).at(1_000, is_moving=True)
    flows = flows.pulled(flows.due(is_tick=True))
    flows = flows.at(3_600_000, is_moving=False)
    assert flows.due(is_tick=True) == {}
    assert flows.at(3_601_000, is_moving=True).due(is_tick=True) == {A: 10}


def test_an_hour_in_which_nothing_ran_is_not_made_up_for_all_at_once() -> None:
    flows = Flows().following({A: 10}).at(0, is_moving=True).at(3_600_000, is_moving=True)
    assert flows.due(is_tick=True) == {A: 600}


def test_what_a_clock_says_at_the_start_owes_nothing() -> None:
    flows = Flows().following({A: 10}).at(3_600_000, is_moving=True)
    assert flows.due(is_tick=True) == {A: 10}  # A second's worth comes at once.


def test_rows_come_with_other_work_only_when_they_have_waited_for_long() -> None:
    flows = Flows().following({A: 1000}).at(0, is_moving=True)
    flows = flows.at(1_500, is_moving=True)
    flows = flows.pulled(flows.due(is_tick=False))
    assert flows.at(1_900, is_moving=True).due(is_tick=False) == {}
    assert flows.at(2_500, is_moving=True).due(is_tick=False) == {A: 1000}


def test_a_step_of_a_paused_database_is_worth_a_second() -> None:
    flows = Flows({A: Flow(7, 0)}, seen_ms=5_000)
    assert flows.stepped().due(is_tick=True) == {A: 7}


def test_a_changed_rate_goes_on_from_where_the_flow_is_and_zero_ends_it() -> None:
    flows = Flows().following({A: 10}).at(0, is_moving=True).at(2_000, is_moving=True)
    assert flows.following({A: 100}).due(is_tick=True) == {A: 300}
    assert flows.following({A: 0}).due(is_tick=True) == {}
    assert flows.following({}).flows == {}


def test_the_time_before_the_first_flow_owes_nothing() -> None:
    flows = Flows().following({A: 10}).at(0, is_moving=True).following({})
    flows = flows.at(1_000_000, is_moving=True).following({A: 10}).at(2_000_000, is_moving=True)
    assert flows.due(is_tick=True) == {A: 10}
