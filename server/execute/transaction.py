"""Beginning and ending transactions, and what DDL does inside one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from barrier.pause import queued_notice, refuse_write
from barrier.ticket import Ticket
from barrier.writes import WriteSet
from catalog.errors import (
    ActiveTransaction,
    InvalidSavepoint,
    NoActiveTransaction,
    Notice,
    PgError,
    SerializationFailure,
)
from catalog.oid import Oid
from catalog.sqlstate import SqlState
from server.execute.put_off import check_put_off
from server.execute.unsettled import given_writes, settle
from server.result import Done
from server.session_state import SessionState
from server.transaction import Phase

_PEER_BEGIN: Final = (
    "Read-write transaction is not supported yet."
    " Please specify `READ ONLY` to start a read-only transaction.\n"
    "For compatibility, this statement will still succeed but no transaction is actually started."
)
_COMMITTED_ON_THE_WAY: Final = (
    "the statement takes effect at once: what the transaction did so far is committed"
)


def begin(
    state: SessionState, tag: str, *, is_read_only: bool | None, isolation: str | None = None
) -> Done:
    """Do BEGIN; the rest of an implicit transaction becomes the block's beginning.

    As RisingWave has it, a block that might write is none: its clients leave without COMMIT.
    """
    transaction = state.transaction
    if state.settings.is_peer and not is_read_only:
        state.notice(Notice(_PEER_BEGIN))
        return Done(tag)
    if transaction.is_block:
        state.notice(
            Notice(
                "there is already a transaction in progress",
                severity="WARNING",
                sqlstate=SqlState.ACTIVE_SQL_TRANSACTION,
            )
        )
        set_modes(state, is_read_only=is_read_only, isolation=isolation)
        return Done(tag)
    if is_read_only is None:
        is_read_only = state.settings.is_on("default_transaction_read_only")
    if transaction.is_open:
        transaction.is_implicit = False
        transaction.is_read_only = is_read_only
    else:
        state.begin(is_implicit=False, is_read_only=is_read_only)
    if isolation is not None:
        isolate(state, isolation)
    state.settings.set("transaction_read_only", "on" if is_read_only else "off", is_local=True)
    return Done(tag)


def set_modes(state: SessionState, *, is_read_only: bool | None, isolation: str | None) -> None:
    """Let the transaction that is going on be of other modes, those that are given.

    Raises:
        ActiveTransaction: It comes too late.
    """
    transaction = state.transaction
    if isolation is not None:
        isolate(state, isolation)
    if is_read_only is None:
        return
    if transaction.is_read_only and not is_read_only and transaction.snapshot:
        raise ActiveTransaction("transaction read-write mode must be set before any query")
    transaction.is_read_only = is_read_only
    state.settings.set("transaction_read_only", "on" if is_read_only else "off", is_local=True)


def isolate(state: SessionState, level: str) -> None:
    """Let the transaction be of a level of isolation; what it has read before counts too."""
    state.transaction.isolation = level
    state.settings.set("transaction_isolation", level, is_local=True)


def commit(state: SessionState) -> Done:
    """Do COMMIT; of a failed transaction it is a ROLLBACK, and says so."""
    transaction = state.transaction
    if transaction.phase is Phase.FAILED:
        undo(state)
        return Done("ROLLBACK")
    if not transaction.is_block:
        _warn_of_no_transaction(state)
    if transaction.is_open:
        finish(state)
    return Done("COMMIT")


def rollback(state: SessionState) -> Done:
    """Do ROLLBACK."""
    if not state.transaction.is_block:
        _warn_of_no_transaction(state)
    if state.transaction.is_open:
        undo(state)
    return Done("ROLLBACK")


def end_and_begin(state: SessionState, *, is_commit: bool) -> Done:
    """Do COMMIT or ROLLBACK with AND CHAIN: the next block has the modes of the one that ends.

    Raises:
        NoActiveTransaction: There is no block to end.
        PgError: The work could not be committed; there is no next block then.
    """
    transaction = state.transaction
    if not transaction.is_block:
        verb = "COMMIT" if is_commit else "ROLLBACK"
        raise NoActiveTransaction(f"{verb} AND CHAIN can only be used in transaction blocks")
    is_read_only, isolation = transaction.is_read_only, transaction.isolation or None
    done = commit(state) if is_commit else rollback(state)
    begin(state, "BEGIN", is_read_only=is_read_only, isolation=isolation)
    return done


def finish(state: SessionState) -> None:
    """Commit what the transaction did and end it; an error leaves nothing of it.

    Raises:
        PgError: The writes lost a race, or the wait for the barrier was ended.
    """
    try:
        hand_in(state)
    except PgError:
        undo(state)
        raise
    state.leave(is_committed=True)


def undo(state: SessionState) -> None:
    """End the transaction and leave nothing of it."""
    copies = state.transaction.copies
    state.release_snapshot(is_committed=False)
    state.drop_staging(sorted(copies - _in_use(state)))
    state.leave(is_committed=False)


def hand_in(state: SessionState) -> None:
    """Commit the transaction's work; it goes on with nothing done and no snapshot.

    Raises:
        PgError: The writes lost a race, or the wait for the barrier was ended; the work is gone.
    """
    transaction = state.transaction
    if transaction.put_off:
        settle(state)
    settle(state, transaction.staged)
    check_put_off(state)
    staged = list(transaction.staged.values())
    given = [given_writes(waiting.table, waiting.rows()) for waiting in transaction.given.values()]
    single = transaction.single.values()
    written = [table.writes() for table in staged if table.removed or table.live]
    write_set = WriteSet(
        (*written, *(one.writes for one in single), *given),
        staging=(
            *(name for table in staged for name in table.tables),
            *(name for one in single for name in one.staging),
        ),
        obeyed=_constraints(state),
        obeyed_at=transaction.looked_at,
    )
    write_set = guarded(state, write_set)
    if write_set.tables:
        state.wait_until_running(may_queue=write_set.is_plain_insert)
    state.release_snapshot(is_committed=True)
    made = state.transaction.made | state.transaction.copies
    state.drop_staging(sorted(made - set(write_set.staging) - _in_use(state)))
    state.transaction.forget_work()
    if write_set.tables:
        write(state, write_set)


def _constraints(state: SessionState) -> frozenset[Oid]:
    """Return the constraints between rows that the transaction's writes were seen to obey."""
    found: set[Oid] = set()
    for staged in state.transaction.staged.values():
        found.update(key.oid for key in staged.table.unique_keys if not key.is_primary)
        found.update(key.oid for key in staged.table.foreign_keys)
        referring = state.catalog().referring(staged.table.oid)
        found.update(key.oid for _, key in referring)
    return frozenset(found)


@contextmanager
def own_block(state: SessionState) -> Iterator[None]:
    """Have what is done in the block be one transaction, outside of any other.

    Raises:
        PgError: The writes lost a race, or the wait was ended; nothing of it is left.
    """
    state.begin(is_implicit=True)
    try:
        yield
    except BaseException:
        undo(state)
        raise
    finish(state)


def guarded(state: SessionState, write_set: WriteSet) -> WriteSet:
    """Return a write set that is refused when what was read for it has changed meanwhile.

    It is, where the transaction is to be SERIALIZABLE or has locked tables: so it is as if it had
    done everything at the epoch of its writes, and those that write nothing as if at that of their
    snapshot.
    """
    if not write_set.tables:
        return write_set
    snapshot = state.transaction.snapshot or state.worker.catalog
    read = state.transaction.locked
    if state.is_serializable:
        read |= snapshot.foundations(state.transaction.read)
    if not read:
        return write_set
    return replace(write_set, read=read, read_at=state.reader.epoch)


def _in_use(state: SessionState) -> set[str]:
    """Return the staging tables of cursors."""
    return {cursor.staging for cursor in state.cursors.values()}


def write(state: SessionState, write_set: WriteSet) -> None:
    """Hand a write set to the worker and wait as long as ``implicit_flush`` wants.

    Raises:
        PgError: It lost a race, or the wait was ended and the writes were taken back.
    """
    is_queued = write_set.is_plain_insert and (
        not state.settings.is_on("implicit_flush") or _is_for_later(state)
    )
    try:
        ticket = state.worker.write(write_set, is_queued=is_queued)
        if not is_queued:
            is_queued = _heed_pause(state, ticket, write_set)
        elif _is_for_later(state):
            state.notice(Notice(queued_notice(state.database)))
        if not is_queued:
            ticket.wait(state.interrupt)
    except PgError:
        state.worker.discard(write_set)
        raise
    state.has_queued_writes |= is_queued


def _is_for_later(state: SessionState) -> bool:
    """Whether rows are to be kept until RESUME."""
    return state.worker.pause is not None and state.settings.show("paused_dml") == "queue"


def _heed_pause(state: SessionState, ticket: Ticket, write_set: WriteSet) -> bool:
    """What was handed in may wait, if a pause came after the statement had begun.

    Returns:
        Whether it was queued instead.

    Raises:
        ObjectNotInPrerequisiteState: The session does not want to wait; it was taken back.
    """
    stopped = state.worker.pause
    if stopped is None or ticket.is_done:
        return False
    manner = state.settings.show("paused_dml")
    if manner == "wait" or (manner == "queue" and not write_set.is_plain_insert):
        state.tell_of_waiting()
        return False
    if not ticket.take_back():
        return False
    if manner == "error":
        raise refuse_write(state.database, stopped)
    state.worker.write(write_set, is_queued=True)
    state.notice(Notice(queued_notice(state.database)))
    return True


def commit_on_the_way(state: SessionState) -> None:
    """Commit the work so far before a statement that takes effect at once.

    The client is told once a block. The block goes on with a fresh snapshot.

    Raises:
        PgError: The writes lost a race; the block has failed.
    """
    transaction = state.transaction
    if not transaction.is_open:
        return
    hand_in(state)
    state.keep_word()
    if transaction.is_block and not transaction.has_committed_on_the_way:
        transaction.has_committed_on_the_way = True
        state.notice(
            Notice(
                _COMMITTED_ON_THE_WAY,
                detail="The transaction block goes on; ROLLBACK undoes what comes after.",
            )
        )


def savepoint(state: SessionState, name: str) -> Done:
    """Do SAVEPOINT."""
    _require_block(state, "SAVEPOINT")
    state.catalog()
    transaction = state.transaction
    written = [table for staged in transaction.staged.values() for table in staged.tables]
    # A copy that fails, or is cancelled, leaves no savepoint behind.
    for table in (*written, *(cursor.staging for cursor in state.cursors.values())):
        _keep_copy(state, table)
    transaction.save(name, state.settings.mark(), state.cursors)
    return Done("SAVEPOINT")


def _keep_copy(state: SessionState, table: str) -> None:
    """Copy a staging table out of the engine's transaction, which dies with a failing statement."""
    kept = state.transaction.kept
    if table not in kept:
        name = state.manager.allocate_name()
        reader = state.reader
        with state.interruptible():
            reader.keep(table, name)
        kept[table] = name


def release(state: SessionState, name: str) -> Done:
    """Do RELEASE SAVEPOINT; one from before a DDL statement is gone already, which is fine."""
    _require_block(state, "RELEASE SAVEPOINT")
    transaction = state.transaction
    index = transaction.find_savepoint(name)
    if index is not None:
        del transaction.savepoints[index:]
    elif name in transaction.lost_savepoints:
        transaction.lost_savepoints.discard(name)
    else:
        raise _no_savepoint(name)
    return Done("RELEASE")


def rollback_to(state: SessionState, name: str) -> Done:
    """Do ROLLBACK TO SAVEPOINT.

    Raises:
        InvalidSavepoint: There is none of that name, or no way back to it.
    """
    _require_block(state, "ROLLBACK TO SAVEPOINT")
    transaction = state.transaction
    index = transaction.find_savepoint(name)
    if index is None:
        if name in transaction.lost_savepoints:
            raise InvalidSavepoint(
                f'cannot roll back to savepoint "{name}"',
                detail="A statement after it took effect at once and committed what came before.",
            )
        raise _no_savepoint(name)
    is_dead = transaction.phase is Phase.FAILED and not _is_alive(state)
    saved = transaction.return_to(index)
    if is_dead:
        _revive(state)
    for tag, hold in transaction.promises.return_to(saved.promised):
        state.sessions.locks.release(state.others.owner, tag, hold)
    state.close_cursors(state.cursors.keys() - saved.cursors)
    state.settings.return_to(saved.settings)
    state.apply_time_zone()
    return Done("ROLLBACK")


def goes_on(state: SessionState) -> bool:
    """Whether a block goes on although a statement of it failed: RisingWave's do, which only read.

    It cannot where it must see one snapshot and the engine has given that up.
    """
    if not state.settings.is_peer or not state.transaction.is_read_only:
        return False
    try:
        if not _is_alive(state):
            _revive(state)
    except SerializationFailure:
        return False
    return True


def _is_alive(state: SessionState) -> bool:
    """Whether the engine's transaction has survived the statement that failed."""
    try:
        state.reader.rows("SELECT 1")
    except PgError:
        return False
    return True


def _revive(state: SessionState) -> None:
    """Go on with a new transaction of the engine, on the newest epoch, and what was copied.

    What the block has written is compared with the rows as they are when it is committed, so that
    the newer snapshot loses nobody's update.

    Raises:
        SerializationFailure: The client has asked for one snapshot and there is a newer one, or a
            table that was written to is another now.
    """
    transaction = state.transaction
    epoch = state.reader.epoch
    state.reader.rollback()
    state.pin_snapshot()
    fresh = transaction.snapshot
    assert fresh is not None
    is_other = any(fresh.relations.get(oid) != s.table for oid, s in transaction.staged.items())
    if is_other or (transaction.is_repeatable and state.reader.epoch != epoch):
        raise SerializationFailure.plain()
    for cursor in state.cursors.values():
        cursor.staging = transaction.kept.get(cursor.staging, cursor.staging)
    transaction.revive()


def _require_block(state: SessionState, statement: str) -> None:
    if not state.transaction.is_block:
        raise NoActiveTransaction(f"{statement} can only be used in transaction blocks")


def _no_savepoint(name: str) -> InvalidSavepoint:
    return InvalidSavepoint(f'savepoint "{name}" does not exist')


def _warn_of_no_transaction(state: SessionState) -> None:
    state.notice(
        Notice(
            "there is no transaction in progress",
            severity="WARNING",
            sqlstate=SqlState.NO_ACTIVE_SQL_TRANSACTION,
        )
    )
