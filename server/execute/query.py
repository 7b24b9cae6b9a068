"""SELECT, VALUES and their kind: rows that the engine computes as they are fetched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from server.execute.binding import Binding
from server.execute.row_bound import rows_at_most
from server.result import EngineRows, Query
from server.session_state import SessionState
from server.sql.bind.result import BoundQuery

#: Up to so many rows are encoded in Python.
ROWS_SMALL_MAX: Final = 200


def execute_query(
    state: SessionState, binding: Binding[BoundQuery], parameters: Sequence[object]
) -> EngineRows:
    """Return a query's rows; nothing runs before the first is asked for."""

    def again() -> Query:
        binding.current(state)
        return binding.text().with_values(parameters)

    query = again()
    rows = rows_at_most(binding.bound.tree, state.worker.rows_estimated)
    is_open = state.transaction.is_open
    return EngineRows(
        state,
        binding.bound.columns,
        query,
        again=None if is_open else again,
        catalog_version=binding.catalog.version,
        is_small=rows <= ROWS_SMALL_MAX,
    )
