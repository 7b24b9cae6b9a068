"""A scalar function that DuckDB calls for each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple

from server.sql.engine_signal import signalling


class PythonFunction(NamedTuple):
    """A scalar function that DuckDB calls for each row.

    Attributes:
        name: As expressions call it.
        function: What is called.
        arguments: DuckDB types.
        result: DuckDB type.
        takes_null: Whether it is called for rows with NULL; without, these give NULL.
        has_effects: Whether it must be called as often as it is evaluated.
    """

    name: str
    function: Callable[..., object]
    arguments: tuple[str, ...]
    result: str
    takes_null: bool = False
    has_effects: bool = False


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
    return PythonFunction(name, signalling(function), arguments, result, takes_null)


def _strict(function: Callable[..., object]) -> Callable[..., object]:
    @wraps(function)
    def strict(*arguments: object) -> object:
        return None if None in arguments else function(*arguments)

    return strict
