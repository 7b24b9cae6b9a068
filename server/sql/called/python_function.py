"""Scalar functions of values alone, which DuckDB calls for each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from barrier.prelude import PythonFunction
from server.sql.engine_signal import signalling


def called(
    name: str,
    function: Callable[..., object],
    arguments: tuple[str, ...],
    result: str,
    *,
    takes_null: bool = False,
    gives_null: bool = False,
) -> PythonFunction:
    """Return a function of values alone, whose errors get through the engine.

    ``gives_null`` is of one that is not called with NULL and yet may give it, which the engine
    allows only those that are.
    """
    if gives_null:
        return PythonFunction(
            name, signalling(_strict(function)), arguments, result, takes_null=True
        )
    return PythonFunction(name, signalling(function), arguments, result, takes_null=takes_null)


def _strict(function: Callable[..., object]) -> Callable[..., object]:
    @wraps(function)
    def strict(*arguments: object) -> object:
        return None if None in arguments else function(*arguments)

    return strict
