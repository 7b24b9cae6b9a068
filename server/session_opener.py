"""From what a client asks for at its start to its session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from barrier.clock import Clock
from barrier.manager import BarrierManager
from catalog.errors import (
    InvalidAuthorization,
    PgError,
    TooManyConnections,
    UndefinedDatabase,
)
from server.execute.defaults import begin_with_defaults
from server.read_rights import check_connect
from server.session import Session
from server.session_functions import SessionFunctions
from server.session_state import SessionState
from server.sessions import CACHE_BYTES_MAX, Sessions
from server.sql.session_calls import join, leave
from server.wire.startup import StartupParameters


def session_opener(
    manager: BarrierManager,
    clock: Clock,
    defaults: Mapping[str, str] | None = None,
    *,
    cache_bytes_max: int = CACHE_BYTES_MAX,
    facts: Mapping[str, str] | None = None,
) -> Callable[[StartupParameters], Session]:
    """Return what makes the sessions of one server.

    Args:
        manager: The databases.
        clock: What time-outs are measured by.
        defaults: Parameters of sessions that ask for nothing else.
        cache_bytes_max: How much memory may be taken by what is asked for again.
        facts: The values of internal parameters that tell of this server.
    """
    sessions = Sessions(cache_bytes_max, facts)
    settings = dict(defaults or {})

    def open_session(startup: StartupParameters) -> Session:
        try:
            wanted = replace(startup, settings={**settings, **startup.settings})
            return _open(manager, clock, sessions, wanted)
        except PgError as e:
            e.severity = "FATAL"
            raise

    return open_session


def _open(
    manager: BarrierManager, clock: Clock, sessions: Sessions, startup: StartupParameters
) -> Session:
    user = manager.user(startup.user)
    if user is None:
        raise InvalidAuthorization(f'role "{startup.user}" does not exist')
    if not user.can_login:
        raise InvalidAuthorization(f'role "{startup.user}" is not permitted to log in')
    is_limited = user.connections_max >= 0 and not user.is_superuser
    if is_limited and sessions.count_of(user.name) >= user.connections_max:
        raise TooManyConnections(f'too many connections for role "{user.name}"')
    if all(database.name != startup.database for database in manager.databases()):
        raise UndefinedDatabase.named(startup.database)
    check_connect(manager, user, startup.database)
    state = SessionState(
        manager,
        sessions,
        clock,
        user=user,
        database=startup.database,
        process_id=startup.process_id,
        client_address=startup.peer,
    )
    state.answer_calls(join(SessionFunctions(state)))
    try:
        begin_with_defaults(state)
        for name, value in startup.settings.items():
            state.settings.set(name, value)
        state.settings.become_defaults()
        state.apply_time_zone()
    except PgError:
        leave(state.calls_number)
        state.close()
        raise
    sessions.add(state)
    return Session(state)
