"""What a session does when one of its queries calls a function that acts on it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Final

from barrier.sequences import SequencePlace
from catalog.acl import Kind, Privilege
from catalog.errors import (
    AdminShutdown,
    InsufficientPrivilege,
    InvalidParameterValue,
    Notice,
    NullValueNotAllowed,
    NumericOutOfRange,
    ObjectNotInPrerequisiteState,
    PgError,
    ReadOnlyTransaction,
    WrongObjectType,
)
from catalog.oid import Oid
from catalog.roles import SIGNAL_BACKEND
from catalog.sequence import SequenceGenerator
from catalog.sqlstate import SqlState
from server import notifications, privilege_functions
from server.advisory_lock import Hold, LockTag
from server.session_state import SessionState
from server.sessions import Member
from server.sql.session_calls import LockKey

#: Nobody sleeps longer: it is as good as for ever.
_SLEEP_MS_MAX: Final = 2**53

_TERMINATION_POLL_MS: Final = 20


class SessionFunctions:
    """One session's; called on threads of the engine while the session waits for it.

    The lock is there for a query that the engine evaluates on several threads at once.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._lock = threading.Lock()

    def failed(self, error: PgError) -> None:
        self._state.call_error = error

    # Time.

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._state.interrupt.sleep(int(min(seconds * 1000, _SLEEP_MS_MAX)))

    def sleep_until(self, unix_seconds: float) -> None:
        self.sleep(unix_seconds - self._state.now_ms() / 1000)

    def query_ms(self) -> int:
        return self._state.query_ms

    def query(self) -> str:
        return self._state.query

    # Objects.

    def object_text(self, kind: str, oid: int) -> str:
        return self._state.objects.names.text(kind, oid)

    def object_oid(self, kind: str, text: str) -> int:
        return self._state.objects.names.oid(kind, text)

    def told(self, function: str, oid: int, number: int, text: str) -> str | int | bool | None:
        return self._state.objects.descriptions.answer(function, oid, number, text)

    def epoch(self) -> int:
        return int(self._state.worker.committed_epoch)

    def started(self) -> str:
        return datetime.fromtimestamp(self._state.manager.started_ms / 1000, UTC).isoformat()

    # Notifications.

    def notify(self, channel: str, payload: str) -> None:
        notifications.check(channel, payload)
        with self._lock:
            self._state.transaction.promises.notifications[channel, payload] = None

    def channels(self) -> list[str]:
        return list(self._state.others.channels)

    def queue_usage(self) -> float:
        return self._state.sessions.notifications.usage()

    # Other sessions.

    def cancel_backend(self, process_id: int) -> bool:
        found = self._state.sessions.find(process_id)
        if found is None:
            self._warn(f"PID {process_id} is not a PostgreSQL backend process")
            return False
        self._check_signal(found, "cancel", "query", "query is being canceled")
        found.cancel()
        return True

    def terminate_backend(self, process_id: int, wait_ms: int) -> bool:
        if wait_ms < 0:
            raise InvalidParameterValue('"timeout" must not be negative')
        sessions = self._state.sessions
        found = sessions.find(process_id)
        if found is None:
            self._warn(f"PID {process_id} is not a PostgreSQL backend process")
            return False
        self._check_signal(found, "terminate", "process", "process is being terminated")
        found.end(AdminShutdown.plain())
        for _ in range(0, wait_ms, _TERMINATION_POLL_MS):
            if sessions.find(process_id) is None:
                return True
            self._state.interrupt.sleep(_TERMINATION_POLL_MS)
        if wait_ms and sessions.find(process_id) is not None:
            self._warn(
                f"backend with PID {process_id} did not terminate within {wait_ms} milliseconds"
            )
            return False
        return True

    def _check_signal(self, other: Member, verb: str, noun: str, what: str) -> None:
        """Refuse to end what another does whose privileges the user has not.

        Raises:
            InsufficientPrivilege: He may not.
        """
        access, user = self._state.access, self._state.manager.user(other.login)
        if user is not None and user.is_superuser and not access.is_superuser:
            raise InsufficientPrivilege(f"must be a superuser to {verb} superuser {noun}")
        if not (access.owns(other.login) or access.owns(SIGNAL_BACKEND)):
            raise InsufficientPrivilege(
                f"must be a member of the role whose {what} or member of {SIGNAL_BACKEND}"
            )

    # Privileges.

    def has_privilege(self, what: str, user: str, named: str, asked: str) -> bool | None:
        return privilege_functions.has_privilege(self._state, what, user, named, asked)

    def has_column_privilege(self, user: str, named: str, column: str, asked: str) -> bool | None:
        return privilege_functions.has_column_privilege(self._state, user, named, column, asked)

    def acl_default(self, kind: str, oid: int) -> list[str]:
        return privilege_functions.acl_default(self._state, kind, oid)

    def has_role(self, user: str, role: str, asked: str) -> bool:
        return privilege_functions.has_role(self._state, user, role, asked)

    # Advisory locks.

    def lock(self, key: LockKey, *, is_shared: bool, is_session: bool) -> None:
        tag, hold = self._tag(key), Hold(is_shared, is_session)
        timeout_ms = self._state.settings.milliseconds("lock_timeout")
        self._state.sessions.locks.acquire(
            self._state.others.owner, tag, hold, timeout_ms=timeout_ms
        )
        self._remember(tag, hold)

    def try_lock(self, key: LockKey, *, is_shared: bool, is_session: bool) -> bool:
        tag, hold = self._tag(key), Hold(is_shared, is_session)
        if not self._state.sessions.locks.try_acquire(self._state.others.owner, tag, hold):
            return False
        self._remember(tag, hold)
        return True

    def unlock(self, key: LockKey, *, is_shared: bool) -> bool:
        hold = Hold(is_shared, is_session=True)
        if self._state.sessions.locks.release(self._state.others.owner, self._tag(key), hold):
            return True
        self._warn(f"you don't own a lock of type {hold.mode}")
        return False

    def unlock_all(self) -> None:
        self._state.sessions.locks.release_all(self._state.others.owner)

    def _tag(self, key: LockKey) -> LockTag:
        return LockTag(self._state.worker.catalog.database_oid, key)

    def _remember(self, tag: LockTag, hold: Hold) -> None:
        if not hold.is_session:
            with self._lock:
                self._state.transaction.promises.locks.append((tag, hold))

    # Sequences.

    def next_value(self, sequence: int) -> int:
        held = self._sequence(sequence, Privilege.USAGE | Privilege.UPDATE)
        if self._state.is_read_only:
            raise ReadOnlyTransaction("cannot execute nextval() in a read-only transaction")
        value = self._state.worker.sequences.next(held)
        with self._lock:
            numbers = self._state.numbers
            numbers.pop(held.oid, None)  # The last one is at the end.
            numbers[held.oid] = value
        return value

    def current_value(self, sequence: int) -> int:
        held = self._sequence(sequence, Privilege.USAGE | Privilege.SELECT)
        if held.oid not in self._state.numbers:
            raise ObjectNotInPrerequisiteState(
                f'currval of sequence "{held.name}" is not yet defined in this session'
            )
        return self._state.numbers[held.oid]

    def last_value(self) -> int:
        known = self._state.catalog().sequences
        for oid in reversed(self._state.numbers):
            if oid in known:
                return self._state.numbers[oid]
            break
        raise ObjectNotInPrerequisiteState("lastval is not yet defined in this session")

    def set_value(self, sequence: int, value: int, *, is_called: bool) -> int:
        held = self._sequence(sequence, Privilege.UPDATE)
        if self._state.is_read_only:
            raise ReadOnlyTransaction("cannot execute setval() in a read-only transaction")
        if not held.minimum <= value <= held.maximum:
            raise NumericOutOfRange(
                f'setval: value {value} is out of bounds for sequence "{held.name}"'
                f" ({held.minimum}..{held.maximum})"
            )
        self._state.worker.sequences.move(held, SequencePlace(value, is_called))
        if is_called:
            with self._lock:
                self._state.numbers.pop(held.oid, None)
                self._state.numbers[held.oid] = value
        return value

    def sequence_last(self, sequence: int, *, is_first_shown: bool) -> int | None:
        held = self._state.catalog().sequences.get(Oid(sequence))
        if held is None:
            return None
        place = self._state.worker.sequences.place(held)
        return place.value if place.is_called or is_first_shown else None

    def sequence_called(self, sequence: int) -> bool:
        held = self._state.catalog().sequences.get(Oid(sequence))
        return held is not None and self._state.worker.sequences.place(held).is_called

    def _sequence(self, oid: int, needed: Privilege) -> SequenceGenerator:
        """Return a sequence with which the user may do one of some things.

        Raises:
            WrongObjectType: It is none.
            InsufficientPrivilege: He may not.
        """
        held = self._state.catalog().sequences.get(Oid(oid))
        if held is None:
            name = self._state.objects.names.text("regclass", oid)
            raise WrongObjectType(f'"{name}" is not a sequence')
        access = self._state.access
        if not any(access.has(held.acl, Kind.SEQUENCE, held.owner, one) for one in needed):
            raise InsufficientPrivilege(f"permission denied for sequence {held.name}")
        return held

    # Parameters.

    def set_config(self, name: str | None, value: str | None, *, is_local: bool) -> str:
        if name is None:
            raise NullValueNotAllowed("SET requires parameter name")
        with self._lock:
            settings = self._state.settings
            if value is None:
                settings.reset(name, is_local=is_local)
                return settings.show(name)
            return settings.set(name, value, is_local=is_local)

    def setting(self, name: str, *, is_missing_ok: bool) -> str | None:
        try:
            return self._state.settings.show(name)
        except PgError:
            # pg_settings lists the system's parameters too.
            if (value := self._state.manager.parameters().get(name.lower())) is not None:
                return value
            if is_missing_ok:
                return None
            raise

    def _warn(self, message: str) -> None:
        self._state.notice(Notice(message, severity="WARNING", sqlstate=SqlState.WARNING))
