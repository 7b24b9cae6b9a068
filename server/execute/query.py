"""SELECT, VALUES and their kind: rows that the engine computes as they are fetched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.oid import Oid
from catalog.relation import Table
from catalog.state import Catalog
from server.execute.binding import Binding
from server.execute.row_bound import KeyOf, RowBound
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
    rows = RowBound(state.worker.rows_estimated, _key_of(binding.catalog)).rows_at_most(
        binding.bound.tree
    )
    is_open = state.transaction.is_open
    return EngineRows(
        state,
        binding.bound.columns,
        query,
        again=None if is_open else again,
        catalog_version=binding.catalog.version,
        is_small=rows <= ROWS_SMALL_MAX,
    )


def _key_of(catalog: Catalog) -> KeyOf:
    def key_of(oid: Oid) -> tuple[str, ...]:
        relation = catalog.relations.get(oid)
        return relation.key if isinstance(relation, Table) else ()

    return key_of
