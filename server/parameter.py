"""What a session parameter is."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.parameter_kind import Kind


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a session.

    Attributes:
        name: As SHOW titles it.
        default: As shown.
        kind: Its values.
        description: A sentence for SHOW ALL and pg_settings.
        is_reported: Whether a client is told of every change (ParameterStatus).
        is_list: Whether SET takes several values.
        is_confidential: Whether only pg_read_all_settings may look.
        implied: Another Boolean parameter that is on as well once this one is set on.
    """

    name: str
    default: str
    kind: Kind
    description: str
    is_reported: bool = False
    is_list: bool = False
    is_confidential: bool = False
    implied: str = ""
