"""What clients ask the system catalogs for in vain: logged once, so that it can be added."""

from __future__ import annotations

import logging
import re
from threading import Lock
from typing import Final

from catalog.errors import (
    FeatureNotSupported,
    PgError,
    UndefinedColumn,
    UndefinedFunction,
    UndefinedObject,
    UndefinedTable,
)
from server.sql.redaction import redacted

_log: Final = logging.getLogger(__name__)

_OF_NAMES: Final = (
    *(UndefinedTable, UndefinedColumn, UndefinedFunction, UndefinedObject),
    FeatureNotSupported,
)
#: Words by which a statement, or what is said of it, is known to be about system catalogs.
_SYSTEM: Final = re.compile(r"\b(pg_\w+|information_schema|rw_\w+)\b", re.IGNORECASE)
_LOGGED_MAX: Final = 500
_CHARACTERS_MAX: Final = 1000


class UnknownNames:
    """What was logged already; for any thread. Of a name the first statement is shown."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._logged: set[str] = set()

    def note(self, error: PgError, text: str) -> None:
        """Log a statement that failed over a name of the system's, the first time.

        Args:
            error: Why it failed.
            text: The statement.
        """
        if not isinstance(error, _OF_NAMES) or not _is_of_system(error, text):
            return
        with self._lock:
            if error.message in self._logged or len(self._logged) >= _LOGGED_MAX:
                return
            self._logged.add(error.message)
        shown = " ".join(redacted(text).split())
        if len(shown) > _CHARACTERS_MAX:
            shown = f"{shown[:_CHARACTERS_MAX]} ..."
        _log.warning("a query of system catalogs failed: %s: %s", error.message, shown)


def _is_of_system(error: PgError, text: str) -> bool:
    if isinstance(error, UndefinedTable):
        return _SYSTEM.search(error.message) is not None
    return _SYSTEM.search(text) is not None
