"""FETCH and MOVE over a portal that the protocol's Bind has made.

Such a portal is a cursor without SCROLL: it goes forward only (as PostgreSQL's DoPortalRunFetch).
Its rows are encoded as Bind asked for; FETCH shows them as its own client wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from catalog.errors import ObjectNotInPrerequisiteState
from server.kept_rows import KeptRows
from server.portal_rows import PortalRows, RowPiece
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.wire.session_contract import Result
from server.wire.state import Portal, RowCursor

#: Runs what a portal stands for.
Execute = Callable[[Any, Sequence[object | None]], Result]


def fetch(state: SessionState, name: str, statement: s.Fetch, execute: Execute) -> PortalRows:
    """Do FETCH.

    Args:
        state: The session.
        name: The portal, which is there.
        statement: The statement.
        execute: Runs what the portal stands for, if it has not run yet.

    Raises:
        PgError: It is to go backwards, or what it stands for fails.
    """
    portal, rows = _begun(state, name, execute)
    count = _advance(rows, statement.direction, statement.count, is_shown=True)
    taken = KeptRows(state.worker.file)
    if count != 0:
        for piece in rows.take(count or 0):
            taken.add(RowPiece(bytes(piece)))
    columns = portal.prepared.columns
    assert columns is not None
    return PortalRows(tuple(columns), portal.result_formats, taken)


def move(state: SessionState, name: str, statement: s.Move, execute: Execute) -> Done:
    """Do MOVE; as ``fetch``."""
    _, rows = _begun(state, name, execute)
    if statement.count == 0 and statement.direction is not s.FetchDirection.ABSOLUTE:
        # It tells whether FETCH 0 would give a row.
        return Done(f"MOVE {int(rows.is_on_row)}")
    count = _advance(rows, statement.direction, statement.count, is_shown=False)
    if count == 0:
        return Done("MOVE 0")
    return Done(f"MOVE {_pass(rows, count or 0)}")


def _begun(state: SessionState, name: str, execute: Execute) -> tuple[Portal[Any], RowCursor]:
    """Return a portal and its rows; it is run if it has not been.

    Raises:
        ObjectNotInPrerequisiteState: It has no rows, or is being run.
        PgError: What it stands for fails.
    """
    portal = state.portals.get(name)
    portal.check_runnable()
    if portal.prepared.columns is None:
        raise ObjectNotInPrerequisiteState(f'portal "{name}" has no rows')
    if portal.result is None:
        portal.has_begun = True
        portal.start(execute(portal.prepared, portal.parameters))
    assert portal.cursor is not None
    return portal, portal.cursor


def _advance(
    rows: RowCursor, direction: s.FetchDirection, count: int | None, *, is_shown: bool
) -> int | None:
    """Pass over the rows before those that are wanted; return how many these are, None for all.

    Raises:
        ObjectNotInPrerequisiteState: They are not ahead.
    """
    at, steps = rows.rows_passed, count or 0
    match direction:
        case s.FetchDirection.FORWARD | s.FetchDirection.BACKWARD:
            is_backward = (direction is s.FetchDirection.BACKWARD) != (
                count is not None and count < 0
            )
            if count == 0 and direction is s.FetchDirection.FORWARD:
                return _again(rows)
            if count == 0:
                raise forward_only()
            if is_backward and not (count is None and not is_shown and rows.is_at_start):
                raise forward_only()
            return 0 if is_backward else None if count is None else abs(count)
        case s.FetchDirection.RELATIVE:
            if steps == 0:
                return _again(rows)
        case s.FetchDirection.ABSOLUTE:
            if steps == 0 and rows.is_at_start:
                return 0
            # What is less than halfway back is looked for from the start.
            if not rows.is_at_start and steps - 1 <= at // 2:
                raise forward_only()
            steps -= at + rows.is_exhausted
    if steps <= 0:
        raise forward_only()
    if steps > 1:
        _pass(rows, steps - 1)
    return 1


def _again(rows: RowCursor) -> int:
    """Return how many rows the current one is; to show it again, one has to go back."""
    if rows.is_on_row:
        raise forward_only()
    return 0


def _pass(rows: RowCursor, count: int) -> int:
    """Pass over some rows, 0 is all; return how many there were."""
    for _ in rows.take(count):
        pass
    return rows.rows_taken


def forward_only() -> ObjectNotInPrerequisiteState:
    """Build the error for going backwards without SCROLL, with PostgreSQL's own wording."""
    return ObjectNotInPrerequisiteState(
        "cursor can only scan forward",
        hint="Declare it with SCROLL option to enable backward scan.",
    )
