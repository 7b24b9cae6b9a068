"""Statements that are decided by what there is now, while others change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateObject,
    DuplicateSchema,
    DuplicateTable,
    InternalError,
    PgError,
    SerializationFailure,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
)
from catalog.state import Catalog
from server.session_state import SessionState

ResultT = TypeVar("ResultT")

#: So often a statement is begun whose relations are replaced again and again.
_TRIES: Final = 20

#: How a statement fails that looked at a catalog which has been replaced since.
_OUTDATED: Final[tuple[type[PgError], ...]] = (
    DependentObjectsStillExist,
    DuplicateObject,
    DuplicateSchema,
    DuplicateTable,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
)


class OutdatedError(Exception):  # never leaves ``while_outdated``
    """What a statement was decided by is another when it reads its rows."""


def while_outdated(state: SessionState, perform: Callable[[], ResultT]) -> ResultT:
    """Do what looks relations up and reads them then; again when they were replaced in between.

    Outside of transactions nothing holds a relation between the two, and the engine misses it.

    Raises:
        PgError: It cannot be done.
    """
    for _ in range(_TRIES):
        version = state.worker.catalog.version
        try:
            return perform()
        except OutdatedError:
            state.interrupt.check()
        except InternalError:
            if state.transaction.is_open or state.newest_catalog().version == version:
                raise
    raise SerializationFailure("could not serialize access due to concurrent update")


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
