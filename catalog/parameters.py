"""System parameters: what ``ALTER SYSTEM SET`` changes and ``SHOW PARAMETERS`` lists.

A system parameter is the server's, not a session's; a database may have its own value of some.
Bounds are the peer's: a barrier every 50 ms at most, a checkpoint at least every barrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog.errors import CannotChangeParameter, Notice, UndefinedObject
from catalog.parameter_kind import Boolean, Integer, Kind

#: From here on a view is so far behind that the user is told.
SLOW_BARRIER_INTERVAL_MS: Final = 300_000
SLOW_CHECKPOINT_FREQUENCY: Final = 60

_INTERVAL_MS: Final = Integer(50, is_ms=True)
_BOOLEAN: Final = Boolean(shown=("true", "false"))


@dataclass(frozen=True, slots=True)
class SystemParameter:
    """A parameter of the whole server."""

    name: str
    default: str
    kind: Kind
    description: str
    is_mutable: bool = True


SYSTEM_PARAMETERS: Final[dict[str, SystemParameter]] = {
    parameter.name: parameter
    for parameter in (
        SystemParameter(
            "barrier_interval_ms", "1000", _INTERVAL_MS, "Milliseconds between barriers."
        ),
        SystemParameter(
            "checkpoint_frequency", "1", Integer(1), "A checkpoint every so many barriers."
        ),
        SystemParameter(
            "max_concurrent_creating_streaming_jobs",
            "1",
            Integer(0),
            "Streaming jobs of a database that may be created at once; 0 is no limit.",
        ),
        SystemParameter(
            "pause_on_next_bootstrap",
            "false",
            _BOOLEAN,
            "Whether the next start comes up paused; goes back to false by that start.",
        ),
        SystemParameter(
            "per_database_isolation",
            "true",
            _BOOLEAN,
            "Whether a failing database leaves the others running; always so here.",
            is_mutable=False,
        ),
    )
}

#: The parameters of which a database may have its own value, and their kinds there.
DATABASE_PARAMETERS: Final[dict[str, Kind]] = {
    "barrier_interval_ms": _INTERVAL_MS,
    "checkpoint_frequency": Integer(1),
}


def canonical_value(name: str, text: str) -> str:
    """Return the value of a system parameter as it is kept and shown.

    Raises:
        UndefinedObject: There is no such parameter.
        CannotChangeParameter: It is immutable.
        InvalidParameterValue: It may not have that value.
    """
    parameter = SYSTEM_PARAMETERS.get(name)
    if parameter is None:
        raise UndefinedObject(f'unrecognized system parameter "{name}"')
    if not parameter.is_mutable:
        raise CannotChangeParameter(f'parameter "{name}" is immutable')
    return parameter.kind.canonical(name, text)


def slowness_notice(name: str, value: str) -> Notice | None:
    """Return what to tell who makes barriers or checkpoints rare, or None."""
    if name == "barrier_interval_ms" and int(value) >= SLOW_BARRIER_INTERVAL_MS:
        return Notice(
            f"barrier_interval_ms is set to {value}, a barrier only every {int(value) // 1000} s. "
            "This can hurt freshness and potentially cause OOM."
        )
    if name == "checkpoint_frequency" and int(value) >= SLOW_CHECKPOINT_FREQUENCY:
        return Notice(
            f"checkpoint_frequency is set to {value}, so that a checkpoint comes only every "
            f"{value} barriers. This can hurt freshness and potentially cause OOM."
        )
    return None


def parameter_rows(values: Mapping[str, str]) -> list[tuple[str, str, str, bool]]:
    """Return name, value, description and mutability of every system parameter, by name."""
    return [
        (p.name, values.get(p.name, p.default), p.description, p.is_mutable)
        for p in sorted(SYSTEM_PARAMETERS.values(), key=lambda p: p.name)
    ]
