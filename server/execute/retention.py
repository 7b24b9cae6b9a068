"""WITH (retention_seconds = n): a table whose rows stay for so long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.errors import FeatureNotSupported, InvalidParameterValue
from server.session_state import SessionState
from server.sql.clause import Option

RETENTION: Final = "retention_seconds"

#: What lets rows of a table go that others may change.
_UNSAFE: Final = "unsafe_enable_storage_retention_for_non_append_only_tables"

#: Some sixty-eight years.
_SECONDS_MAX: Final = 2**31 - 1


def retention_of(
    state: SessionState, options: Sequence[Option], *, is_append_only: bool
) -> int | None:
    """Return for how many seconds a table keeps its rows, if it says so.

    Raises:
        InvalidParameterValue: It is no number of seconds, or is said twice.
        FeatureNotSupported: Rows of the table may change, and the session does not allow that.
    """
    given = [option for option in options if option.name == RETENTION]
    if not given:
        return None
    if len(given) > 1:
        raise InvalidParameterValue(f'parameter "{RETENTION}" specified more than once')
    text = (given[0].value or "").strip()
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) <= _SECONDS_MAX:
        raise InvalidParameterValue(
            f"`{RETENTION}` must be a positive integer, but got: {text}", position=given[0].position
        )
    if not is_append_only and not state.settings.is_on(_UNSAFE):
        raise FeatureNotSupported(
            "Defining retention seconds on table requires the table to be append only.",
            hint=f"Use the key words `APPEND ONLY`, or SET {_UNSAFE} = on.",
            position=given[0].position,
        )
    return int(text)


def without_retention(options: Sequence[Option]) -> tuple[Option, ...]:
    """Return the other options of a table."""
    return tuple(option for option in options if option.name != RETENTION)
