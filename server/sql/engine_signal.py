"""How an error of a function that the engine calls gets through the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Self

from barrier.engine_errors import DETAIL_MARK, HINT_MARK
from catalog.errors import PgError


class EngineSignal(Exception):
    """An error on its way through DuckDB: its text is ``<SQLSTATE>:<message>``.

    A detail follows after ``DETAIL_MARK``, a hint after ``HINT_MARK``.
    """

    @classmethod
    def of(cls, error: PgError) -> Self:
        """Return what carries the error."""
        detail = f"{DETAIL_MARK}{error.detail}" if error.detail else ""
        hint = f"{HINT_MARK}{error.hint}" if error.hint else ""
        return cls(f"{error.sqlstate.value}:{error.message}{detail}{hint}")


def signalling(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function whose errors get through the engine."""

    @wraps(function)
    def guarded(*arguments: object) -> object:
        try:
            return function(*arguments)
        except PgError as e:
            raise EngineSignal.of(e) from e

    return guarded
