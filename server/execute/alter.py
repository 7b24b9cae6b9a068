"""ALTER SYSTEM SET and ALTER DATABASE SET."""

from __future__ import annotations

from dataclasses import replace

from catalog.errors import FeatureNotSupported, Notice
from catalog.parameters import DATABASE_PARAMETERS, SYSTEM_PARAMETERS, slowness_notice
from server.execute.database import refuse_in_block
from server.execute.pause import database_of_user, must_be_superuser
from server.result import Done
from server.session_parameter import PARAMETERS
from server.session_state import SessionState


def set_system_parameter(state: SessionState, name: str, value: str | None) -> Done:
    """Set a system parameter for good; None is its default.

    Raises:
        PgError: The user may not, there is no such parameter, or it may not have that value.
    """
    refuse_in_block(state, "ALTER SYSTEM")
    must_be_superuser(state)
    key = name.lower()
    if key not in SYSTEM_PARAMETERS and key in PARAMETERS:
        raise FeatureNotSupported(
            f'the default of session parameter "{name}" cannot be changed for the whole server'
        )
    state.manager.set_parameter(key, value)
    _tell_of_slowness(state, key, state.manager.parameters()[key])
    return Done("ALTER SYSTEM")


def set_database_parameter(
    state: SessionState, database: str, name: str, value: str | None
) -> Done:
    """Give a database its own value of a system parameter; None is the system's.

    Raises:
        PgError: The user may not, there is no such parameter, or it may not have that value.
    """
    found = database_of_user(state, database)
    key = name.lower()
    if key not in DATABASE_PARAMETERS:
        raise FeatureNotSupported(f'parameter "{name}" cannot be set for a database')
    number = None
    if value is not None:
        canonical = DATABASE_PARAMETERS[key].canonical(key, value)
        _tell_of_slowness(state, key, canonical)
        number = int(canonical)
    if key == "barrier_interval_ms":
        changed = replace(found, barrier_interval_ms=number)
    else:
        changed = replace(found, checkpoint_frequency=number)
    state.manager.change_database(changed)
    return Done("ALTER DATABASE")


def _tell_of_slowness(state: SessionState, name: str, value: str) -> None:
    notice: Notice | None = slowness_notice(name, value)
    if notice is not None:
        state.notice(notice)
