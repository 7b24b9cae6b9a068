"""ALTER SYSTEM PAUSE and RESUME, ALTER DATABASE d PAUSE and RESUME."""

from __future__ import annotations

from barrier.cluster import Database
from barrier.command import Pause, PauseScope, Resume
from catalog.errors import InsufficientPrivilege, Notice, UndefinedDatabase
from server.result import Done
from server.session_state import SessionState


def pause_system(state: SessionState) -> Done:
    """Stop the flow in every database.

    Raises:
        InsufficientPrivilege: The user is no superuser.
    """
    must_be_superuser(state)
    state.manager.pause_system(state.user.name, state.interrupt)
    return Done("ALTER SYSTEM")


def resume_system(state: SessionState) -> Done:
    """Let every database flow again that is not paused itself.

    Raises:
        InsufficientPrivilege: The user is no superuser.
    """
    must_be_superuser(state)
    state.manager.resume_system(state.user.name, state.interrupt)
    return Done("ALTER SYSTEM")


def pause_database(state: SessionState, name: str) -> Done:
    """Stop the flow in one database.

    Raises:
        UndefinedDatabase: There is no such database.
        InsufficientPrivilege: The user is neither its owner nor a superuser.
    """
    database_of_user(state, name)
    state.manager.worker(name).submit(Pause(state.user.name)).wait(state.interrupt)
    return Done("ALTER DATABASE")


def resume_database(state: SessionState, name: str) -> Done:
    """Let one database flow again; under a paused system it stays paused, and the user is told.

    Raises:
        UndefinedDatabase: There is no such database.
        InsufficientPrivilege: The user is neither its owner nor a superuser.
    """
    database_of_user(state, name)
    worker = state.manager.worker(name)
    worker.submit(Resume(state.user.name)).wait(state.interrupt)
    left = worker.pause
    if left is not None and left.scope is PauseScope.SYSTEM:
        state.notice(
            Notice(
                f'database "{name}" stays paused because the system is paused',
                hint="Run ALTER SYSTEM RESUME to let it flow again.",
            )
        )
    return Done("ALTER DATABASE")


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
    if not state.user.is_superuser and found.owner != state.user.name:
        raise InsufficientPrivilege(f"must be owner of database {name}")
    return found
