"""SELECT, VALUES and their kind: rows that the engine computes as they are fetched."""

from __future__ import annotations

from collections.abc import Sequence

from server.execute.binding import Binding
from server.result import EngineRows, Query
from server.session_state import SessionState
from server.sql.bind.result import BoundQuery


def execute_query(
    state: SessionState, binding: Binding[BoundQuery], parameters: Sequence[object]
) -> EngineRows:
    """Return a query's rows; nothing runs before the first is asked for."""

    def again() -> Query:
        binding.current(state)
        return binding.text().with_values(parameters)

    query = again()
    is_open = state.transaction.is_open
    return EngineRows(
        state,
        binding.bound.columns,
        query,
        again=None if is_open else again,
        catalog_version=binding.catalog.version,
    )
