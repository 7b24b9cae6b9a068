"""ALTER SYSTEM and ALTER DATABASE d with PAUSE, RESUME, STEP, and what could not be applied."""

from __future__ import annotations

from typing import Final

from barrier.cluster import Database
from barrier.command import DiscardWrites, Pause, PauseScope, Resume, RetryWrites, Step
from catalog.errors import (
    InsufficientPrivilege,
    InvalidParameterValue,
    Notice,
    UndefinedDatabase,
)
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.value.interval import parse_interval

#: The longest pause that ends by itself, and the most steps at once.
_PAUSE_DAYS_MAX: Final = 3650
STEPS_MAX: Final = 10_000

_DAY_MS: Final = 86_400_000


def move_system(state: SessionState, statement: s.AlterSystemPause | s.AlterSystemResume) -> Done:
    """Stop the flow in every database, or let those go on that are not paused themselves.

    Raises:
        InsufficientPrivilege: The user is no superuser.
        InvalidParameterValue: A pause cannot be that long.
    """
    must_be_superuser(state)
    if isinstance(statement, s.AlterSystemResume):
        state.manager.resume_system(state.user.name, state.interrupt)
        _tell_of_paused_databases(state)
    else:
        for_ms = _pause_ms(statement.time)
        state.manager.pause_system(state.user.name, state.interrupt, for_ms=for_ms)
    return Done("ALTER SYSTEM")


def move_database(
    state: SessionState,
    statement: s.AlterDatabasePause | s.AlterDatabaseResume | s.AlterDatabaseStep,
) -> Done:
    """Stop the flow in one database, let it go on, or let it go on for some epochs.

    Raises:
        UndefinedDatabase: There is no such database.
        InsufficientPrivilege: The user is neither its owner nor a superuser.
        InvalidParameterValue: A pause cannot be that long, or there cannot be so many steps.
        ObjectNotInPrerequisiteState: It is to make steps and is not paused.
    """
    name = statement.database
    database_of_user(state, name)
    worker = state.manager.worker(name)
    user = state.user.name
    match statement:
        case s.AlterDatabasePause(time=time):
            worker.submit(Pause(user, _pause_ms(time))).wait(state.interrupt)
        case s.AlterDatabaseStep():
            count = _steps(statement)
            under = worker.pause
            if under is not None and under.scope is PauseScope.SYSTEM:
                must_be_superuser(state)
            if under is not None:
                worker.gate.let_in(state.interrupt)
            worker.submit(Step(user, count)).wait(state.interrupt)
        case s.AlterDatabaseResume():
            worker.submit(Resume(user)).wait(state.interrupt)
            left = worker.pause
            if left is not None and left.scope is PauseScope.SYSTEM:
                state.notice(
                    Notice(
                        f'database "{name}" stays paused because the system is paused',
                        hint="Run ALTER SYSTEM RESUME to let it flow again.",
                    )
                )
    return Done("ALTER DATABASE")


def settle_writes(state: SessionState, statement: s.AlterDatabaseWrites) -> Done:
    """Apply acknowledged writes that could not be applied before, or throw them away.

    Raises:
        UndefinedDatabase: There is no such database.
        InsufficientPrivilege: The user is neither its owner nor a superuser.
        UndefinedObject: There is no such write.
        ObjectNotInPrerequisiteState: They cannot be applied while it is paused.
        PgError: They still cannot be applied.
    """
    database_of_user(state, statement.database)
    command = RetryWrites if statement.is_retry else DiscardWrites
    worker = state.manager.worker(statement.database)
    worker.submit(command(state.user.name, statement.number)).wait(state.interrupt)
    return Done("ALTER DATABASE")


def _tell_of_paused_databases(state: SessionState) -> None:
    """Name the databases that stay paused though the system flows."""
    for database in state.manager.databases():
        if state.manager.is_paused(database.name):
            state.notice(
                Notice(
                    f'database "{database.name}" stays paused because it is paused itself',
                    hint=f"Run ALTER DATABASE {database.name} RESUME to let it flow again.",
                )
            )


def _pause_ms(time: s.PauseTime | None) -> int | None:
    """Return how long a pause lasts, in milliseconds; None is until RESUME."""
    if time is None:
        return None
    interval = parse_interval(time.text, time.field)
    days = interval.months * 30 + interval.days
    length_ms = days * _DAY_MS + interval.microseconds // 1000
    if length_ms <= 0:
        raise InvalidParameterValue("the time of a pause must be positive", position=time.position)
    if length_ms > _PAUSE_DAYS_MAX * _DAY_MS:
        raise InvalidParameterValue(
            f"the time of a pause must not exceed {_PAUSE_DAYS_MAX} days",
            hint="A pause without FOR lasts until RESUME.",
            position=time.position,
        )
    return length_ms


def _steps(statement: s.AlterDatabaseStep) -> int:
    if not statement.count.isdecimal() or not 1 <= int(statement.count) <= STEPS_MAX:
        raise InvalidParameterValue(
            f"the number of steps must be between 1 and {STEPS_MAX}",
            position=statement.position,
        )
    return int(statement.count)


def must_be_superuser(state: SessionState) -> None:
    """Refuse ALTER SYSTEM to others.

    Raises:
        InsufficientPrivilege: The user is no superuser.
    """
    if not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to execute ALTER SYSTEM command")


def database_of_user(state: SessionState, name: str) -> Database:
    """Return a database that the user may change.

    Raises:
        UndefinedDatabase: There is no such database.
        InsufficientPrivilege: The user is neither its owner nor a superuser.
    """
    found = next((d for d in state.manager.databases() if d.name == name), None)
    if found is None:
        raise UndefinedDatabase.named(name)
    if not state.access.owns(found.owner):
        raise InsufficientPrivilege(f"must be owner of database {name}")
    return found
