"""Statements that are decided by what there is now, while others change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateSchema,
    DuplicateTable,
    PgError,
    UndefinedSchema,
    UndefinedTable,
)
from catalog.state import Catalog
from server.session_state import SessionState

ResultT = TypeVar("ResultT")

#: How a statement fails that looked at a catalog which has been replaced since.
_OUTDATED: Final[tuple[type[PgError], ...]] = (
    DependentObjectsStillExist,
    DuplicateSchema,
    DuplicateTable,
    UndefinedSchema,
    UndefinedTable,
)


def on_latest(state: SessionState, perform: Callable[[Catalog], ResultT]) -> ResultT:
    """Perform what is decided by the newest catalog; again when another session came first.

    So DROP ... IF EXISTS and CREATE ... IF NOT EXISTS never fail over who was first, and all
    others with the error of somebody who came later.

    Args:
        state: The session.
        perform: Looks names up and hands the command in.
    """
    while True:
        catalog = state.worker.catalog
        try:
            return perform(catalog)
        except _OUTDATED:
            if state.worker.catalog.version == catalog.version:
                raise
