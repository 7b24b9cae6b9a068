"""INSERT, UPDATE and DELETE.

Alone, a statement is evaluated on the newest snapshot and handed in; when its rows changed
meanwhile it is evaluated again, in the end while others are held back. In a transaction it is added
to what the transaction has written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeAlias, TypeVar

from barrier.given_change import GivenChange
from barrier.writes import WriteConflict, WriteSet
from catalog.errors import InternalError, ReadOnlyTransaction
from server.execute.binding import Binding
from server.execute.block_writes import add_to_block
from server.execute.engine_sql import EngineSql
from server.execute.evaluate import Evaluated, Evaluation, keeps_keys
from server.execute.few_changes import asked_of_rows, change_writes, given_change
from server.execute.references import follow
from server.execute.transaction import guarded, own_block, write
from server.execute.unsettled import (
    add_change,
    add_evaluated,
    add_given,
    given_rows,
    given_writes,
    settle,
    touched,
)
from server.result import Done, EngineRows
from server.session_state import SessionState
from server.sql.bind.result import BoundDelete, BoundInsert, BoundMerge, BoundQuery, BoundUpdate

#: How often a statement may lose the race before others are held back for it.
LOSSES_MAX: Final = 3

ResultT = TypeVar("ResultT")

BoundWrite: TypeAlias = BoundInsert | BoundUpdate | BoundDelete | BoundMerge
WriteBinding: TypeAlias = (
    Binding[BoundInsert] | Binding[BoundUpdate] | Binding[BoundDelete] | Binding[BoundMerge]
)

_VERBS: Final[dict[type, str]] = {
    BoundInsert: "INSERT",
    BoundUpdate: "UPDATE",
    BoundDelete: "DELETE",
    BoundMerge: "MERGE",
}


def execute_write(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object]
) -> Done | EngineRows:
    """Run a statement that writes; returns when its rows are committed, or part of the block.

    Raises:
        PgError: It cannot be done, or its wait was ended; nothing of it is applied.
    """
    transaction = state.transaction
    verb = verb_of(binding.bound)
    if state.is_read_only:
        raise ReadOnlyTransaction(f"cannot execute {verb} in a read-only transaction")
    binding.ready(state)  # Whoever may not is told at once, also while writes wait for RESUME.
    if transaction.is_open:
        return write_in_block(state, binding, parameters)
    return _alone(state, binding, parameters)


def write_in_block(
    state: SessionState,
    binding: WriteBinding,
    parameters: Sequence[object],
    *,
    is_followed: bool = True,
) -> Done | EngineRows:
    """Add what a statement writes to the transaction.

    Args:
        state: The session.
        binding: The statement.
        parameters: Its parameters.
        is_followed: Whether foreign keys have their say.

    Raises:
        PgError: It cannot be done; the transaction has failed.
    """
    may_queue = _may_queue(binding.bound)
    if not state.transaction.has_written or state.settings.show("paused_dml") == "queue":
        state.wait_until_running(may_queue=may_queue)
    bound = binding.ready(state)
    is_linked = _is_followed(state, bound)
    if isinstance(bound, BoundInsert) and not is_linked:
        given = given_rows(state, bound, parameters)
        if given is not None:
            add_given(state, bound.table, given)
            return Done(f"INSERT 0 {given.rows}")
    if state.transaction.unsettled:
        settle(state, None if is_linked else touched(binding))
        bound = binding.ready(state)
    asked = binding.once(asked_of_rows)
    if asked is not None and not is_linked and bound.table.oid not in state.transaction.staged:
        change = given_change(state, bound.table, asked, bound_text(binding, parameters))
        if change is not None:
            add_change(state, bound.table, change)
            return Done(f"{_VERBS[type(bound)]} {change.rows}")
    query = partial(bound_text, binding, parameters)
    evaluation = Evaluation(state, bound.table, parameters, query)
    try:
        evaluated = evaluate(evaluation, bound)
        if is_linked:
            add_to_block(state, evaluated)
            if is_followed:
                follow(state, evaluated)
            state.drop_staging(evaluated.staging)
        else:
            add_evaluated(state, evaluated)
    except BaseException:
        # A savepoint may bring the transaction back, and then what was made would stay.
        evaluation.abandon()
        raise
    return result_of(state, bound, evaluated)


def _alone(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object]
) -> Done | EngineRows:
    state.wait_until_running(may_queue=_may_queue(binding.bound))
    if not isinstance(binding.bound, BoundInsert):
        state.await_queued_writes()
    if _is_followed(state, binding.bound):
        return until_it_wins(state, lambda: _in_own_block(state, binding, parameters))
    return until_it_wins(state, lambda: _once(state, binding, parameters))


def _is_followed(state: SessionState, bound: BoundWrite) -> bool:
    """Whether a foreign key may have something to say."""
    table = bound.table
    is_added = isinstance(bound, BoundInsert) and not table.binds_rows
    return bool(table.foreign_keys or (not is_added and state.catalog().referring(table.oid)))


def _in_own_block(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object]
) -> Done | EngineRows:
    with own_block(state):
        return write_in_block(state, binding, parameters)


def until_it_wins(state: SessionState, perform: Callable[[], ResultT]) -> ResultT:
    """Have writes evaluated and handed in, again while their rows change meanwhile.

    Raises:
        PgError: They cannot be done, or their wait was ended.
    """
    for _ in range(LOSSES_MAX):
        try:
            return perform()
        except WriteConflict:
            continue
    with state.worker.exclusive(state.interrupt):
        while True:
            try:
                return perform()
            except WriteConflict:
                # The epoch that was out when the others were held back has changed the rows.
                state.interrupt.check()


def _may_queue(bound: BoundWrite) -> bool:
    """Whether rows can be kept until RESUME: what is there then changes nothing about them."""
    is_plain = isinstance(bound, BoundInsert) and bound.conflict is None
    return is_plain and not bound.table.binds_rows


def _once(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object]
) -> Done | EngineRows:
    state.transaction.read.clear()
    bound = binding.ready(state)
    if isinstance(bound, BoundInsert) and not state.is_serializable:
        given = given_rows(state, bound, parameters)
        if given is not None:
            write(state, WriteSet((given_writes(bound.table, given),)))
            return Done(f"INSERT 0 {given.rows}")
    changed_at = state.worker.changed_at([bound.table.oid])
    seen = None if changed_at is None else changed_at[0]
    with again_if_outdated(state, binding):
        change = _few_rows(state, binding, parameters)
        if change is None:
            return _evaluated_once(state, binding, parameters, seen)
        if change.rows:
            write_set = WriteSet((change_writes(bound.table, change, seen),))
            write(state, guarded(state, write_set))
    return Done(f"{_VERBS[type(bound)]} {change.rows}")


def _few_rows(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object]
) -> GivenChange | None:
    """Return what a statement changes, if that is few rows that can be handed in as values."""
    bound, asked = binding.bound, binding.once(asked_of_rows)
    if asked is None:
        return None
    with _one_snapshot(state, bound):
        return given_change(state, bound.table, asked, bound_text(binding, parameters))


def _evaluated_once(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object], seen: int | None
) -> Done | EngineRows:
    bound = binding.bound
    query = partial(bound_text, binding, parameters)
    evaluation = Evaluation(state, bound.table, parameters, query)
    try:
        with _one_snapshot(state, bound):
            evaluated = evaluate(evaluation, bound)
        if evaluated.rows:
            obeyed_at = state.reader.epoch if bound.table.binds_rows else None
            write(state, guarded(state, evaluated.write_set(seen, obeyed_at)))
    except BaseException:
        evaluation.abandon()
        raise
    if not evaluated.rows:  # What was handed in is the worker's.
        state.drop_staging(evaluated.staging)
    return result_of(state, bound, evaluated)


@contextmanager
def again_if_outdated(state: SessionState, binding: WriteBinding) -> Iterator[None]:
    """Have a statement evaluated again whose relations were others than when it was bound."""
    try:
        yield
    except InternalError:
        if _is_outdated(state, binding):
            raise WriteConflict.plain() from None
        raise


def bound_text(binding: WriteBinding, parameters: Sequence[object]) -> EngineSql:
    """Return a bound statement's query for the engine; made when it is first asked for."""
    return binding.text().with_values(parameters)


def _is_outdated(state: SessionState, binding: WriteBinding) -> bool:
    """Whether relations have changed since the statement was bound; the engine missed one."""
    newest = state.worker.pin(state.reader)
    state.reader.rollback()
    return newest.version != binding.catalog.version


@contextmanager
def _one_snapshot(state: SessionState, bound: BoundWrite) -> Iterator[None]:
    """Let a statement that may look at its table more than once see one epoch.

    Otherwise a row that comes in between is neither there to be updated nor free to be inserted.
    """
    if state.is_serializable or bound.table.binds_rows:
        looks_again = True
    elif isinstance(bound, BoundDelete) or not bound.table.primary_key:
        looks_again = False
    elif isinstance(bound, BoundInsert):
        conflict = bound.conflict
        updates = conflict is not None and conflict.update is not None
        looks_again = updates or (conflict is None and bound.table.has_key_rules)
    elif isinstance(bound, BoundMerge):
        looks_again = True
    else:
        looks_again = not keeps_keys(bound.table, bound.tree)
    if not looks_again:
        yield
        return
    state.reader.begin()
    try:
        yield
    except BaseException:
        state.reader.rollback()
        raise
    state.reader.commit()


def evaluate(evaluation: Evaluation, bound: BoundWrite) -> Evaluated:
    """Evaluate a write."""
    match bound:
        case BoundInsert():
            return evaluation.insert(bound)
        case BoundUpdate():
            return evaluation.update(bound)
        case BoundDelete():
            return evaluation.delete(bound)
        case BoundMerge():
            return evaluation.merge()


def verb_of(bound: BoundWrite) -> str:
    """Return the word that a write begins with."""
    return _VERBS[type(bound)]


def result_of(state: SessionState, bound: BoundWrite, evaluated: Evaluated) -> Done | EngineRows:
    """Return what a client gets of a write: how many rows there were, or those of RETURNING."""
    command = "INSERT 0" if isinstance(bound, BoundInsert) else verb_of(bound)
    if evaluated.returned is None:
        return Done(f"{command} {evaluated.rows}")
    assert isinstance(bound.returning, BoundQuery)
    returned = [evaluated.returned]
    return EngineRows(
        state,
        bound.returning.columns,
        (f"SELECT * FROM {evaluated.returned}", ()),
        command=command,
        on_close=lambda: state.drop_staging(returned),
    )
