"""CREATE, ALTER and DROP ROLE: who there is, what he may do, and what proves that he is it."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import Any, Final

from barrier.cluster import ROOT_OID
from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateObject,
    FeatureNotSupported,
    InsufficientPrivilege,
    Notice,
    ObjectInUse,
    PgError,
    ReservedName,
)
from catalog.relation import FOREVER_MS, User
from catalog.roles import is_predefined
from catalog.types import TIMESTAMPTZ
from server.execute.membership import check_may_open, let_in
from server.execute.role_name import role_called, role_of
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import role_statement as s
from server.wire.messages import TEXT_FORMAT
from server.wire.scram import SALT_BYTES, Verifier
from server.wire.values import decode_parameter

_MD5: Final = re.compile(r"md5[0-9a-f]{32}\Z")


def create_role(state: SessionState, statement: s.CreateRole) -> Done:
    """Add a role.

    Raises:
        PgError: The user may not, the name is taken, or an option has no such value.
    """
    options = statement.options
    if options.is_superuser and not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to create superusers")
    if not _may_manage(state.user):
        raise InsufficientPrivilege("permission denied to create role")
    if statement.system_id_position is not None:
        state.notice(Notice("SYSID can no longer be specified"))
    if state.manager.user(statement.name) is not None:
        raise DuplicateObject(f'role "{statement.name}" already exists')
    valid_until_ms = _moment(state, options)
    verifier = _verifier(state, options)
    commit_on_the_way(state)
    new = User(state.manager.allocate_oid(), statement.name, can_login=False)
    into = [role_called(state, name) for name in statement.in_roles]
    members = [role_of(state, named) for named in statement.members]
    admins = [role_of(state, named) for named in statement.admins]
    for role in into:
        check_may_open(state, role)
    state.manager.create_user(_changed(new, options, valid_until_ms, verifier))
    for role in into:
        let_in(state, role, [new])
    let_in(state, new, admins, is_admin=True)
    let_in(state, new, members)
    return Done("CREATE ROLE")


def alter_role(state: SessionState, statement: s.AlterRole) -> Done:
    """Change what a role may do, or its password.

    Raises:
        PgError: The user may not, there is no such role, or an option has no such value.
    """
    options = statement.options
    user = state.user
    target = role_called(state, user.name if statement.name is None else statement.name)
    if is_predefined(target):
        raise ReservedName(
            f'role name "{target.name}" is reserved', detail="Cannot alter reserved roles."
        )
    if target.is_superuser or options.is_superuser is not None:
        if not user.is_superuser:
            raise InsufficientPrivilege(
                "must be superuser to alter superuser roles or change superuser attribute"
            )
    elif not _may_manage(user) and not (target.oid == user.oid and options.is_password_alone):
        raise InsufficientPrivilege("permission denied")
    valid_until_ms = _moment(state, options)
    verifier = _verifier(state, options)
    commit_on_the_way(state)
    state.manager.alter_user(
        target.name, lambda now: _changed(now, options, valid_until_ms, verifier)
    )
    return Done("ALTER ROLE")


def rename_role(state: SessionState, statement: s.RenameRole) -> Done:
    """Give a role another name.

    Raises:
        PgError: The user may not, there is no such role, or the new name is taken.
    """
    target = role_called(state, statement.name)
    if target.oid == state.identity.session_user.oid:
        raise FeatureNotSupported("session user cannot be renamed")
    if target.oid == state.user.oid:
        raise FeatureNotSupported("current user cannot be renamed")
    if is_predefined(target):
        raise ReservedName(
            f'role name "{target.name}" is reserved',
            detail='Role names starting with "pg_" are reserved.',
        )
    if state.manager.user(statement.new_name) is not None:
        raise DuplicateObject(f'role "{statement.new_name}" already exists')
    if target.is_superuser and not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to rename superusers")
    if not _may_manage(state.user):
        raise InsufficientPrivilege("permission denied to rename role")
    if target.oid == ROOT_OID:
        raise FeatureNotSupported(
            f'role "{target.name}" cannot be renamed',
            detail="It owns what every database begins with.",
        )
    commit_on_the_way(state)
    state.manager.rename_user(target.name, statement.new_name)
    return Done("ALTER ROLE")


def drop_roles(state: SessionState, statement: s.DropRoles) -> Done:
    """Take roles away, all or none.

    Raises:
        PgError: The user may not, there is no such role, or it owns something.
    """
    if not _may_manage(state.user):
        raise InsufficientPrivilege("permission denied to drop role")
    names: dict[str, None] = {}
    for name in statement.names:
        target = state.manager.user(name)
        if target is None and statement.if_exists:
            state.notice(Notice(f'role "{name}" does not exist, skipping'))
        else:
            names[_dropped(state, name).name] = None
    commit_on_the_way(state)
    state.manager.drop_users(list(names), state.database)
    return Done("DROP ROLE")


def _dropped(state: SessionState, name: str) -> User:
    """Return a role that may be dropped."""
    target = role_called(state, name)
    if target.oid == state.user.oid:
        raise ObjectInUse("current user cannot be dropped")
    if target.oid == state.identity.session_user.oid:
        raise ObjectInUse("session user cannot be dropped")
    if target.is_superuser and not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to drop superusers")
    if target.oid == ROOT_OID or is_predefined(target):
        raise DependentObjectsStillExist(
            f"cannot drop role {name} because it is required by the database system"
        )
    return target


def _may_manage(user: User) -> bool:
    return user.is_superuser or user.can_create_user


def _changed(
    user: User, options: s.RoleOptions, valid_until_ms: int | None, verifier: str | None
) -> User:
    """Return the role after what a statement says of it."""
    said: dict[str, Any] = {
        "is_superuser": options.is_superuser,
        "can_create_database": options.can_create_database,
        "can_create_user": options.can_create_user,
        "can_login": options.can_login,
        "inherits": options.inherits,
        "connections_max": options.connections_max,
    }
    changed = replace(user, **{key: value for key, value in said.items() if value is not None})
    if options.valid_until is not None:
        changed = replace(changed, valid_until_ms=valid_until_ms)
    return replace(changed, verifier=verifier) if options.has_password else changed


def _moment(state: SessionState, options: s.RoleOptions) -> int | None:
    """Return until when a password is valid, in milliseconds since 1970; None is not said."""
    if options.valid_until is None:
        return None
    written = options.valid_until.strip().lower()
    if written.removeprefix("-").removeprefix("+") == "infinity":
        return -FOREVER_MS if written.startswith("-") else FOREVER_MS
    try:
        value = decode_parameter(TIMESTAMPTZ, TEXT_FORMAT, options.valid_until.encode(), 1)
    except PgError as e:
        e.context = None
        e.position = None
        raise
    ((milliseconds,),) = state.reader.rows("SELECT epoch_ms(CAST($1 AS TIMESTAMPTZ))", [value])
    assert isinstance(milliseconds, int)
    return milliseconds


def _verifier(state: SessionState, options: s.RoleOptions) -> str | None:
    """Return what is kept instead of a password; None is no password."""
    password = options.password
    if password is None:
        return None
    if not password:
        state.notice(Notice("empty string is not a valid password, clearing password"))
        return None
    if Verifier.parse(password) is not None:
        return password
    if _MD5.match(password):
        raise FeatureNotSupported(
            "passwords hashed by MD5 are not supported",
            hint="Give the password itself or a SCRAM-SHA-256 verifier.",
        )
    return str(Verifier.of(password, secrets.token_bytes(SALT_BYTES)))
