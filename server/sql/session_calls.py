"""Functions by which a query acts on its session: the engine calls them for each row.

A session joins when it begins and lets its engine connection know its number (``VARIABLE``); the
functions get the number back and so find the session. What a query does by them it does exactly as
often, and for the rows, as the engine evaluates it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import wraps
from typing import Final, Protocol

from catalog.errors import (
    AmbiguousFunction,
    FeatureNotSupported,
    PgError,
    UndefinedFunction,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
)
from server.sql.engine_signal import EngineSignal

#: The engine's variable in which a connection has the number of its session.
VARIABLE: Final = "session"

#: A key of an advisory lock: one number, or two.
LockKey = tuple[int, ...]


class SessionCalls(Protocol):
    """What a session does for its queries; called on the engine's threads, one at a time."""

    def sleep(self, seconds: float) -> None:
        """Let the time pass, unless the statement is to end."""
        ...

    def sleep_until(self, unix_seconds: float) -> None:
        """Let the time pass up to a moment of the wall clock."""
        ...

    def query_ms(self) -> int:
        """Return when the statement came, in milliseconds since 1970."""
        ...

    def query(self) -> str:
        """Return the text that the client sent."""
        ...

    def notify(self, channel: str, payload: str) -> None:
        """Send a notification when the transaction is committed."""
        ...

    def channels(self) -> list[str]:
        """Return the channels that are listened to."""
        ...

    def queue_usage(self) -> float:
        """Return how full the fullest queue of notifications is, from 0 to 1."""
        ...

    def cancel_backend(self, process_id: int) -> bool:
        """End another session's statement; False when there is no such session."""
        ...

    def terminate_backend(self, process_id: int, wait_ms: int) -> bool:
        """End another session; False when there is no such session, or it lives on too long."""
        ...

    def lock(self, key: LockKey, *, is_shared: bool, is_session: bool) -> None:
        """Take an advisory lock, waiting for it."""
        ...

    def try_lock(self, key: LockKey, *, is_shared: bool, is_session: bool) -> bool:
        """Take an advisory lock if it is free."""
        ...

    def unlock(self, key: LockKey, *, is_shared: bool) -> bool:
        """Give an advisory lock back; False when the session has none to give."""
        ...

    def unlock_all(self) -> None:
        """Give all of the session's advisory locks back."""
        ...

    def next_value(self, sequence: int) -> int:
        """Return a sequence's next number."""
        ...

    def current_value(self, sequence: int) -> int:
        """Return the number that the session got from a sequence last."""
        ...

    def last_value(self) -> int:
        """Return the number that the session got last."""
        ...

    def set_value(self, sequence: int, value: int, *, is_called: bool) -> int:
        """Let a sequence go on from a number."""
        ...

    def sequence_last(self, sequence: int, *, is_first_shown: bool) -> int | None:
        """Return a sequence's last number; before the first None, or that."""
        ...

    def sequence_called(self, sequence: int) -> bool:
        """Return whether a sequence has given a number."""
        ...

    def set_config(self, name: str | None, value: str | None, *, is_local: bool) -> str:
        """Set a parameter and return its value."""
        ...

    def setting(self, name: str, *, is_missing_ok: bool) -> str | None:
        """Return a parameter's value."""
        ...

    def object_text(self, kind: str, oid: int) -> str:
        """Return what an OID of a type such as regclass is shown as."""
        ...

    def object_oid(self, kind: str, text: str) -> int:
        """Return the OID that a text means for a type such as regclass."""
        ...

    def told(self, function: str, oid: int, number: int, text: str) -> str | int | bool | None:
        """Return what a function tells of an object."""
        ...

    def epoch(self) -> int:
        """Return the epoch that the session reads."""
        ...

    def started(self) -> str:
        """Return when the server was started."""
        ...

    def has_privilege(self, what: str, user: str, named: str, asked: str) -> bool | None:
        """Return whether somebody may do something; see ``server.privilege_functions``."""
        ...

    def has_column_privilege(self, user: str, named: str, column: str, asked: str) -> bool | None:
        """Return whether somebody may do something with a column."""
        ...

    def acl_default(self, kind: str, oid: int) -> list[str]:
        """Return what a role and everybody may do with what it makes, by a letter for its kind."""
        ...

    def has_role(self, user: str, role: str, asked: str) -> bool:
        """Return whether somebody has a role's privileges."""
        ...

    def failed(self, error: PgError) -> None:
        """Keep the error with which a call ends: the engine passes its text only."""
        ...


_numbers: Final = itertools.count(1)
_sessions: Final[dict[int, SessionCalls]] = {}


def join(session: SessionCalls) -> int:
    """Return the number by which calls find the session from now on."""
    number = next(_numbers)
    _sessions[number] = session
    return number


def leave(number: int) -> None:
    """Let no call find the session any more."""
    _sessions.pop(number, None)


def _called(call: Callable[..., object]) -> Callable[..., object]:
    """Return a function for the engine: the session's number comes before the arguments."""

    @wraps(call)  # The engine counts the parameters.
    def dispatch(number: int | None, *arguments: object) -> object:
        session = None if number is None else _sessions.get(number)
        if session is None:
            error: PgError = FeatureNotSupported("the function needs a session")
            raise EngineSignal.of(error)
        try:
            result = call(session, *arguments)
        except PgError as e:
            session.failed(e)
            raise EngineSignal.of(e) from e
        return "" if result is None and call not in _MAY_BE_NULL else result

    return dispatch


def _sleep(session: SessionCalls, seconds: float) -> None:
    session.sleep(seconds)


def _sleep_until(session: SessionCalls, unix_seconds: float) -> None:
    session.sleep_until(unix_seconds)


def _query_ms(session: SessionCalls) -> int:
    return session.query_ms()


def _query(session: SessionCalls) -> str:
    return session.query()


def _notify(session: SessionCalls, channel: str | None, payload: str | None) -> None:
    session.notify(channel or "", payload or "")


def _channels(session: SessionCalls) -> list[str]:
    return session.channels()


def _queue_usage(session: SessionCalls) -> float:
    return session.queue_usage()


def _cancel(session: SessionCalls, process_id: int) -> bool:
    return session.cancel_backend(process_id)


def _terminate(session: SessionCalls, process_id: int, wait_ms: int) -> bool:
    return session.terminate_backend(process_id, wait_ms)


def _lock(
    session: SessionCalls,
    key: list[int],
    is_shared: bool,  # noqa: FBT001
    is_session: bool,  # noqa: FBT001
) -> None:
    session.lock(tuple(key), is_shared=is_shared, is_session=is_session)


def _try_lock(
    session: SessionCalls,
    key: list[int],
    is_shared: bool,  # noqa: FBT001
    is_session: bool,  # noqa: FBT001
) -> bool:
    return session.try_lock(tuple(key), is_shared=is_shared, is_session=is_session)


def _unlock(session: SessionCalls, key: list[int], is_shared: bool) -> bool:  # noqa: FBT001
    return session.unlock(tuple(key), is_shared=is_shared)


def _unlock_all(session: SessionCalls) -> None:
    session.unlock_all()


def _next_value(session: SessionCalls, sequence: int) -> int:
    return session.next_value(sequence)


def _current_value(session: SessionCalls, sequence: int) -> int:
    return session.current_value(sequence)


def _last_value(session: SessionCalls) -> int:
    return session.last_value()


def _set_value(session: SessionCalls, sequence: int, value: int, is_called: bool) -> int:  # noqa: FBT001
    return session.set_value(sequence, value, is_called=is_called)


def _sequence_last(
    session: SessionCalls,
    sequence: int | None,
    is_first_shown: bool,  # noqa: FBT001
) -> int | None:
    if sequence is None:
        return None
    return session.sequence_last(sequence, is_first_shown=is_first_shown)


def _sequence_called(session: SessionCalls, sequence: int) -> bool:
    return session.sequence_called(sequence)


def _set_config(
    session: SessionCalls,
    name: str | None,
    value: str | None,
    is_local: bool | None,  # noqa: FBT001
) -> str:
    return session.set_config(name, value, is_local=bool(is_local))


def _setting(
    session: SessionCalls,
    name: str | None,
    is_missing_ok: bool | None,  # noqa: FBT001
) -> str | None:
    if name is None or is_missing_ok is None:
        return None
    return session.setting(name, is_missing_ok=is_missing_ok)


def _has_privilege(
    session: SessionCalls, what: str, user: str | None, named: str | None, asked: str | None
) -> bool | None:
    if user is None or named is None or asked is None:
        return None
    return session.has_privilege(what, user, named, asked)


def _has_column(
    session: SessionCalls,
    user: str | None,
    named: str | None,
    column: str | None,
    asked: str | None,
) -> bool | None:
    if user is None or named is None or column is None or asked is None:
        return None
    return session.has_column_privilege(user, named, column, asked)


def _acl_default(session: SessionCalls, kind: str | None, oid: int | None) -> list[str] | None:
    return None if kind is None or oid is None else session.acl_default(kind, oid)


def _has_role(
    session: SessionCalls, user: str | None, role: str | None, asked: str | None
) -> bool | None:
    if user is None or role is None or asked is None:
        return None
    return session.has_role(user, role, asked)


def _object_text(session: SessionCalls, kind: str, oid: int | None) -> str | None:
    return None if oid is None else session.object_text(kind, oid)


def _object_oid(session: SessionCalls, kind: str, text: str | None) -> int | None:
    return None if text is None else session.object_oid(kind, text)


def _find_object(session: SessionCalls, kind: str, text: str | None) -> int | None:
    try:
        return _object_oid(session, kind, text)
    except _NOT_FOUND:
        return None


def _told(
    session: SessionCalls, function: str, oid: int | None, number: int | None, text: str | None
) -> str | None:
    if oid is None or number is None or text is None:
        return None
    found = session.told(function, oid, number, text)
    return None if found is None else str(found)


def _epoch(session: SessionCalls) -> int:
    return session.epoch()


def _started(session: SessionCalls) -> str:
    return session.started()


#: Errors for which ``to_regclass`` and its like give NULL.
_NOT_FOUND: Final = (
    AmbiguousFunction,
    UndefinedFunction,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
)

#: Functions that give NULL where they give nothing; the others give a void's empty text.
_MAY_BE_NULL: Final = frozenset(
    {
        _setting,
        _object_text,
        _object_oid,
        _find_object,
        _told,
        _has_privilege,
        _has_column,
        _has_role,
        _acl_default,
        _sequence_last,
    }
)

#: Name, function, the engine's types of arguments and result, whether NULL comes in or goes out.
_WITH_EFFECTS: Final = tuple(
    (name, _called(call), ("INTEGER", *arguments), result, takes_null, True)
    for name, call, arguments, result, takes_null in (
        ("tg_sleep", _sleep, ("DOUBLE",), "VARCHAR", False),
        ("tg_sleep_until", _sleep_until, ("DOUBLE",), "VARCHAR", False),
        ("tg_notify", _notify, ("VARCHAR", "VARCHAR"), "VARCHAR", True),
        ("tg_channels", _channels, (), "VARCHAR[]", False),
        ("tg_queue_usage", _queue_usage, (), "DOUBLE", False),
        ("tg_cancel_backend", _cancel, ("INTEGER",), "BOOLEAN", False),
        ("tg_terminate_backend", _terminate, ("INTEGER", "BIGINT"), "BOOLEAN", False),
        ("tg_lock", _lock, ("BIGINT[]", "BOOLEAN", "BOOLEAN"), "VARCHAR", False),
        ("tg_try_lock", _try_lock, ("BIGINT[]", "BOOLEAN", "BOOLEAN"), "BOOLEAN", False),
        ("tg_unlock", _unlock, ("BIGINT[]", "BOOLEAN"), "BOOLEAN", False),
        ("tg_unlock_all", _unlock_all, (), "VARCHAR", False),
        ("tg_nextval", _next_value, ("BIGINT",), "BIGINT", False),
        ("tg_currval", _current_value, ("BIGINT",), "BIGINT", False),
        ("tg_lastval", _last_value, (), "BIGINT", False),
        ("tg_setval", _set_value, ("BIGINT", "BIGINT", "BOOLEAN"), "BIGINT", False),
        ("tg_sequence_called", _sequence_called, ("BIGINT",), "BOOLEAN", False),
        ("tg_sequence_last", _sequence_last, ("BIGINT", "BOOLEAN"), "BIGINT", True),
        ("tg_set_config", _set_config, ("VARCHAR", "VARCHAR", "BOOLEAN"), "VARCHAR", True),
        ("tg_setting", _setting, ("VARCHAR", "BOOLEAN"), "VARCHAR", True),
        ("tg_query_ms", _query_ms, (), "BIGINT", False),
        ("tg_query", _query, (), "VARCHAR", False),
    )
)

#: The same of functions that only ask: their calls may be left out, or made once for equal rows.
_WITHOUT_EFFECTS: Final = tuple(
    (name, _called(call), ("INTEGER", *arguments), result, True, False)
    for name, call, arguments, result in (
        ("tg_object_text", _object_text, ("VARCHAR", "BIGINT"), "VARCHAR"),
        ("tg_object_oid", _object_oid, ("VARCHAR", "VARCHAR"), "BIGINT"),
        ("tg_find_object", _find_object, ("VARCHAR", "VARCHAR"), "BIGINT"),
        ("tg_told", _told, ("VARCHAR", "BIGINT", "BIGINT", "VARCHAR"), "VARCHAR"),
        ("tg_has_privilege", _has_privilege, ("VARCHAR",) * 4, "BOOLEAN"),
        ("tg_has_column", _has_column, ("VARCHAR",) * 4, "BOOLEAN"),
        ("tg_acl_default", _acl_default, ("VARCHAR", "BIGINT"), "VARCHAR[]"),
        ("tg_has_role", _has_role, ("VARCHAR",) * 3, "BOOLEAN"),
        ("tg_epoch", _epoch, (), "BIGINT"),
        ("tg_started", _started, (), "VARCHAR"),
    )
)

SESSION_CALLS: Final = (*_WITH_EFFECTS, *_WITHOUT_EFFECTS)
