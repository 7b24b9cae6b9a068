"""DECLARE, FETCH, MOVE and CLOSE.

A cursor's rows are computed when it is declared and kept in a staging table, so that it reads its
transaction's snapshot, goes both ways and, WITH HOLD, outlives the transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

from barrier.writes import ORDINAL
from catalog.errors import FeatureNotSupported, NoActiveTransaction
from catalog.session_errors import DuplicateCursor, InvalidCursorState, UndefinedCursor
from server.declared import Cursor
from server.execute.binding import Binding
from server.execute.latest import while_outdated
from server.execute.portal_fetch import forward_only
from server.result import Done, EngineRows
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.result import BoundQuery
from server.sql.source import Source


def declare(
    state: SessionState,
    statement: s.DeclareCursor,
    binding: Binding[BoundQuery],
    parameters: Sequence[object],
) -> Done:
    """Do DECLARE; ``binding`` is of the query.

    Raises:
        PgError: The name is taken, there is no transaction, or the query fails.
    """
    # The peer has no transactions that one could be declared in.
    is_peers = state.settings.is_peer and not state.transaction.holds_cursors
    if not statement.is_holdable and not is_peers and not state.transaction.holds_cursors:
        raise NoActiveTransaction("DECLARE CURSOR can only be used in transaction blocks")
    taken = (state.cursors, state.change_cursors, state.portals)
    if any(statement.name in known for known in taken):
        raise DuplicateCursor(f'cursor "{statement.name}" already exists')
    staging = state.manager.allocate_name()

    def compute() -> int:
        binding.ready(state)
        sql, values = binding.text().with_values(parameters)
        reader = state.reader
        with state.interruptible():
            return reader.run(
                f"CREATE TABLE {staging} AS SELECT *, row_number() OVER () AS {ORDINAL} "
                f"FROM ({sql}) AS q",
                values,
            )

    rows = while_outdated(state, compute)
    state.cursors[statement.name] = Cursor(
        binding.bound.columns,
        staging,
        rows,
        is_scrollable=statement.is_scroll is not False,
        is_holdable=statement.is_holdable or is_peers,
        is_binary=statement.is_binary,
        is_settled=not state.transaction.is_open,
        statement=state.query,
        created_ms=state.now_ms(),
    )
    return Done("DECLARE CURSOR")


def find(state: SessionState, name: str) -> Cursor:
    """Return the cursor of that name.

    Raises:
        UndefinedCursor: There is none.
    """
    found = state.cursors.get(name)
    if found is None:
        raise UndefinedCursor(f'cursor "{name}" does not exist')
    return found


def fetch(state: SessionState, statement: s.Fetch) -> EngineRows:
    """Do FETCH.

    Raises:
        PgError: There is no such cursor, or it does not go backwards.
    """
    if statement.options:
        raise FeatureNotSupported(
            "FETCH WITH options is not supported of a cursor over a query",
            position=statement.options[0].position,
        )
    cursor = find(state, statement.cursor)
    first, last, is_backward = _move(cursor, statement.direction, statement.count)
    columns = ", ".join(f"c{number}" for number in range(1, len(cursor.columns) + 1))
    order = "DESC" if is_backward else "ASC"
    query = (
        f"SELECT {columns} FROM {cursor.staging} WHERE {ORDINAL} BETWEEN {first} AND {last} "
        f"ORDER BY {ORDINAL} {order}"
    )
    return EngineRows(state, cursor.columns, (query, ()), command="FETCH")


def fetch_next(state: SessionState, name: str, rows_max: int) -> EngineRows:
    """Return the next rows of a cursor; 0 is all of them."""
    count = rows_max if rows_max > 0 else None
    return fetch(state, s.Fetch(name, count=count, source=Source("", 0)))


def move(state: SessionState, statement: s.Move) -> Done:
    """Do MOVE.

    Raises:
        PgError: There is no such cursor, or it does not go backwards.
    """
    cursor = find(state, statement.cursor)
    first, last, _ = _move(cursor, statement.direction, statement.count)
    return Done(f"MOVE {max(last - first + 1, 0)}")


def close(state: SessionState, name: str | None) -> Done:
    """Do CLOSE of one cursor, or of all.

    Raises:
        UndefinedCursor: There is no such cursor.
        InvalidCursorState: It is the portal that this statement runs in.
    """
    if name is None:
        state.close_cursors()
        state.portals.close_all()
        return Done("CLOSE CURSOR ALL")
    if name in state.change_cursors:
        state.change_cursors.close(name)
        return Done("CLOSE CURSOR")
    if name in state.portals and state.portals.get(name).is_running:
        raise InvalidCursorState(f'cannot drop active portal "{name}"')
    if not state.portals.close(name):
        find(state, name)
        state.close_cursors([name])
    return Done("CLOSE CURSOR")


def _move(cursor: Cursor, direction: s.FetchDirection, count: int | None) -> tuple[int, int, bool]:
    """Move a cursor; return the first and last row it passed over and whether backwards.

    Positions are 0 before the first row, 1 to n on a row and n + 1 behind the last.
    """
    at, end = cursor.position, cursor.rows + 1
    match direction:
        case s.FetchDirection.FORWARD | s.FetchDirection.BACKWARD:
            is_backward = (direction is s.FetchDirection.BACKWARD) != (
                count is not None and count < 0
            )
            steps = end if count is None else abs(count)
            if steps == 0:
                return at, at if 0 < at < end else at - 1, False
            if not is_backward:
                cursor.position = min(at + steps, end)
                return at + 1, min(at + steps, cursor.rows), False
            _require_scroll(cursor)
            cursor.position = max(at - steps, 0)
            return max(at - steps, 1), at - 1, True
        case s.FetchDirection.ABSOLUTE | s.FetchDirection.RELATIVE:
            assert count is not None
            if direction is s.FetchDirection.RELATIVE:
                wanted = at + count
            else:
                wanted = count if count >= 0 else end + count
            if wanted < at:
                _require_scroll(cursor)
            cursor.position = min(max(wanted, 0), end)
            on_row = 0 < wanted < end
            return wanted, wanted if on_row else wanted - 1, False


def _require_scroll(cursor: Cursor) -> None:
    if not cursor.is_scrollable:
        raise forward_only()
