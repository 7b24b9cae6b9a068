"""What a client is told about an error, whatever has gone wrong."""

from __future__ import annotations

import logging
from typing import Final

from catalog.errors import InternalError, OutOfMemory, PgError, StatementTooComplex

_LOG: Final = logging.getLogger(__name__)


def as_pg_error(error: Exception) -> PgError:
    """Return what a client is told about any error; those that must not happen are logged."""
    match error:
        case InternalError():
            _LOG.error("internal error", exc_info=error)
            return error
        case PgError():
            return error
        case RecursionError():
            return StatementTooComplex("stack depth limit exceeded")
        case MemoryError():
            return OutOfMemory("out of memory")
        case _:
            _LOG.error("internal error", exc_info=error)
            return InternalError("internal error")
