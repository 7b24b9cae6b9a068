"""DECLARE ... SUBSCRIPTION CURSOR, and FETCH from one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from barrier.changes import Seen
from barrier.epoch import EPOCH_ORIGIN_MS, Epoch, at, unix_ms
from barrier.interrupt import Interrupt
from barrier.store import Reader
from catalog.acl import Kind, Privilege
from catalog.errors import (
    InvalidParameterValue,
)
from catalog.relation import Subscription
from catalog.session_errors import DuplicateCursor
from server.declared_changes import ChangeCursor, Found, columns_of
from server.execute.permission import check
from server.execute.portal_fetch import forward_only
from server.execute.subscription import get_subscription
from server.read_rights import denied
from server.result import ChangeRows, Done, PythonRows, text_columns
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.needs import Needs
from server.sql.clause import Option
from server.sql.subscription_statement import CursorStart, DeclareSubscriptionCursor
from server.value.interval import parse_interval

_TIMEOUT: Final = "timeout"
_DAY_MS: Final = 86_400_000


def declare(state: SessionState, statement: DeclareSubscriptionCursor) -> Done:
    """Do DECLARE.

    Raises:
        PgError: The name is taken, there is no such subscription, or it does not go back so far.
    """
    name = statement.name
    if name in state.change_cursors or name in state.cursors or name in state.portals:
        raise DuplicateCursor(f'cursor "{name}" already exists')
    subscription = get_subscription(state, state.worker.catalog, statement.subscription, "DECLARE")
    _check(state, subscription)
    source, reader = state.worker.changes, state.worker.reader()
    try:
        seen = source.pin(reader, subscription.oid)
        position = _start(seen, statement, state.now_ms())
        cursor = ChangeCursor(
            subscription.oid,
            subscription.name,
            columns_of(seen, seen.layout(position)),
            position,
            state.now_ms(),
            reader,
            state.manager.allocate_name(),
        )
        if statement.begins is CursorStart.FULL:
            with _interruptible(state.interrupt, reader):
                cursor.fill(seen.snapshot())
        else:
            reader.rollback()
    except BaseException:
        reader.rollback()
        reader.close()
        raise
    state.change_cursors.add(name, cursor)
    return Done("DECLARE CURSOR")


def _check(state: SessionState, subscription: Subscription) -> None:
    """Refuse to read what the user may not, or the subscription's owner may not any more."""
    needs = Needs()
    needs.add(subscription.oid, Privilege.SELECT)
    check(state, needs)
    source = state.worker.catalog.relations[subscription.source]
    owner = state.manager.roles.access_of(subscription.owner, state.database)
    if not owner.has(source.acl, Kind.RELATION, source.owner, Privilege.SELECT):
        raise denied(source)


def _start(seen: Seen, statement: DeclareSubscriptionCursor, now_ms: int) -> Epoch:
    match statement.begins:
        case CursorStart.FULL | CursorStart.NOW:
            return seen.now
        case CursorStart.BEGIN:
            return min(seen.earliest(now_ms), seen.now)
        case CursorStart.TIME:
            since_ms, earliest_ms = statement.since_ms, unix_ms(seen.earliest(now_ms))
            if since_ms > now_ms:
                raise InvalidParameterValue(
                    "rw_timestamp is too large, need to be less than the current unix_millis",
                    detail=f"It is {since_ms}, and now is {now_ms}.",
                )
            if since_ms < earliest_ms:
                raise InvalidParameterValue(
                    "rw_timestamp is too small, need to be larger than the current unix_millis - "
                    "the subscription's retention time",
                    detail=f"It is {since_ms}, and changes are kept since {earliest_ms}.",
                )
            if since_ms <= EPOCH_ORIGIN_MS:
                return seen.since
            # All changes of that millisecond are among those that are wanted.
            return Epoch(max(at(since_ms) - 1, seen.since))


def fetch(state: SessionState, statement: s.Fetch) -> ChangeRows:
    """Do FETCH.

    Raises:
        PgError: It is to go elsewhere than forward, there will be no more rows, or the wait for
            them was ended.
    """
    cursor = state.change_cursors.find(statement.cursor)
    assert cursor is not None, statement
    count = statement.count
    if statement.direction is not s.FetchDirection.FORWARD or (count is not None and count < 0):
        raise forward_only()
    left_ms = state.interrupt.countdown(_timeout_ms(statement.options))
    cursor.used_ms = state.now_ms()
    changes = state.worker.changes
    while (count is None or cursor.waiting < count) and count != 0:
        with _interruptible(state.interrupt, cursor.reader):
            found = cursor.look(changes)
        if found is Found.OTHER_COLUMNS:
            break
        if found is Found.ROWS:
            if count is None and cursor.waiting:
                break
            continue
        if cursor.waiting or (wait_ms := left_ms()) <= 0:
            break
        changes.wait(state.interrupt, cursor.subscription, cursor.position, wait_ms)
    rows = ChangeRows(state, cursor.columns, cursor.reader, cursor.take(count))
    cursor.turn()
    return rows


def _timeout_ms(options: tuple[Option, ...]) -> int:
    """Return how long FETCH waits for the first row, in milliseconds."""
    timeout_ms = 0
    for option in options:
        if option.name.lower() != _TIMEOUT:
            raise InvalidParameterValue(
                f'unrecognized FETCH option "{option.name}"', position=option.position
            )
        interval = parse_interval(option.value or "")
        days = interval.months * 30 + interval.days
        timeout_ms = days * _DAY_MS + interval.microseconds // 1000
        if timeout_ms < 0:
            raise InvalidParameterValue(
                "the timeout of FETCH must not be negative", position=option.position
            )
    return timeout_ms


CURSOR_COLUMNS: Final = text_columns(
    *("Session", "User", "Host", "Database", "Cursor Name", "Subscription Name", "State"),
    "Idle Duration Ms",
)


def show_cursors(state: SessionState) -> PythonRows:
    """Show the session's cursors over changes."""
    rows = [
        (
            str(state.process_id),
            state.login,
            state.listed().client_address,
            state.database,
            name,
            cursor.subscription_name,
            "WAITING" if cursor.waiting else "ACTIVE",
            str(max(state.now_ms() - cursor.used_ms, 0)),
        )
        for name, cursor in state.change_cursors.listed()
    ]
    return PythonRows(CURSOR_COLUMNS, rows)


@contextmanager
def _interruptible(interrupt: Interrupt, reader: Reader) -> Iterator[None]:
    """While the block runs, a cancel or time-out ends what a reader is doing."""
    with interrupt.on_set(reader.interrupt):
        yield
