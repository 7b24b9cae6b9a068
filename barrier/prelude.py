"""What a database instance must know before it can run translated queries.

The dialect belongs to the layer above; it hands its functions down as data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A scalar function that the engine calls back.

    Attributes:
        name: As queries call it.
        call: Takes and returns Python values, one row at a time.
        argument_types: The engine's type names.
        return_type: The engine's type name.
        takes_null: Whether it is called for rows with NULL; without, these give NULL.
        has_effects: Whether it must be called as often as it is evaluated.
    """

    name: str
    call: Callable[..., object]
    argument_types: tuple[str, ...]
    return_type: str
    takes_null: bool = False
    has_effects: bool = False


@dataclass(frozen=True, slots=True)
class Prelude:
    """Statements that are run, and functions that are registered, when an instance is opened."""

    statements: tuple[str, ...] = ()
    functions: tuple[PythonFunction, ...] = ()
