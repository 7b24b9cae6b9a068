"""CREATE, DROP and USE DATABASE."""

from __future__ import annotations

from catalog.errors import (
    ActiveTransaction,
    AdminShutdown,
    DuplicateDatabase,
    FeatureNotSupported,
    InsufficientPrivilege,
    Notice,
    ObjectInUse,
    UndefinedDatabase,
)
from catalog.parameters import DATABASE_PARAMETERS, slowness_notice
from catalog.sqlstate import SqlState
from server.execute.pause import database_of_user
from server.execute.permission import must_be_member
from server.execute.role_name import role_called
from server.execute.temporary import drop_all
from server.read_rights import check_connect
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s


def create_database(state: SessionState, statement: s.CreateDatabase) -> Done:
    """Make a database.

    Raises:
        PgError: The name is taken, the user may not, or a parameter may not have its value.
    """
    refuse_in_block(state, "CREATE DATABASE")
    name = statement.name
    if not (state.user.is_superuser or state.user.can_create_database):
        raise InsufficientPrivilege("permission denied to create database")
    if any(database.name == name for database in state.manager.databases()):
        if not statement.if_not_exists:
            raise DuplicateDatabase(f'database "{name}" already exists')
        state.notice(
            Notice(
                f'database "{name}" already exists, skipping', sqlstate=SqlState.DUPLICATE_DATABASE
            )
        )
        return Done("CREATE DATABASE")
    owner = state.user.name
    numbers: dict[str, int | None] = {}
    for option in statement.options:
        value = option.value or ""
        if option.name == "owner":
            owner = value
        elif option.name in DATABASE_PARAMETERS:
            canonical = DATABASE_PARAMETERS[option.name].canonical(option.name, value)
            numbers[option.name] = int(canonical)
            if (notice := slowness_notice(option.name, canonical)) is not None:
                state.notice(notice)
        else:
            raise FeatureNotSupported(
                f'option "{option.name}" of CREATE DATABASE is not supported',
                position=option.position,
            )
    must_be_member(state, role_called(state, owner))
    state.manager.create_database(name, owner, **numbers)
    return Done("CREATE DATABASE")


def drop_database(state: SessionState, name: str, *, if_exists: bool, is_forced: bool) -> Done:
    """Remove a database that nobody is in.

    Raises:
        PgError: It does not exist, somebody is in it, or the user may not.
    """
    refuse_in_block(state, "DROP DATABASE")
    if all(database.name != name for database in state.manager.databases()):
        if not if_exists:
            raise UndefinedDatabase.named(name)
        state.notice(Notice(f'database "{name}" does not exist, skipping'))
        return Done("DROP DATABASE")
    database_of_user(state, name)
    if name == state.database:
        raise ObjectInUse("cannot drop the currently open database")
    with state.manager.mirrors.crossing(state.interrupt):
        _drop_unused(state, name, is_forced=is_forced)
    return Done("DROP DATABASE")


def _drop_unused(state: SessionState, name: str, *, is_forced: bool) -> None:
    """Remove a database if nobody is in it and nothing follows it."""
    state.manager.mirrors.refuse_drop_of(state.manager.worker(name).catalog.database_oid)
    if is_forced:
        state.sessions.end_in(name, AdminShutdown.plain())
    elif others := state.sessions.count_in(name):
        raise ObjectInUse(
            f'database "{name}" is being accessed by other users',
            detail=f"There {_other_sessions(others)} using the database.",
        )
    state.manager.drop_database(name)


def use_database(state: SessionState, name: str) -> Done:
    """Go to another database.

    Raises:
        ActiveTransaction: In a transaction block.
        UndefinedDatabase: There is no such database.
    """
    refuse_in_block(state, "USE")
    if name != state.database:
        check_connect(state.manager, state.user, name)
        drop_all(state)
        state.connect_to(name)
    state.settings.reset("search_path")
    state.notice(Notice(f'You are now connected to database "{name}" as user "{state.user.name}".'))
    return Done("USE")


def refuse_in_block(state: SessionState, statement: str) -> None:
    """Refuse what cannot be undone with a transaction block.

    Raises:
        ActiveTransaction: There is one.
    """
    if state.transaction.is_block:
        raise ActiveTransaction(f"{statement} cannot run inside a transaction block")
    if state.transaction.is_open and state.transaction.has_written:
        raise ActiveTransaction(f"{statement} cannot be executed from a pipeline with writes")
    if state.transaction.is_open:
        state.release_snapshot(is_committed=False)
        state.transaction.forget_work()


def _other_sessions(count: int) -> str:
    return "is 1 other session" if count == 1 else f"are {count} other sessions"
