"""GRANT and REVOKE of membership in roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from catalog.errors import InsufficientPrivilege, Notice
from catalog.relation import User
from catalog.role_errors import InvalidGrant
from catalog.roles import DATABASE_OWNER, Membership, Roles
from catalog.sqlstate import SqlState
from server.execute.role_name import role_called, role_of
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql.privilege_statement import GrantRoles


def grant_roles(state: SessionState, statement: GrantRoles) -> Done:
    """Let roles into others, or out of them.

    Raises:
        PgError: A role does not exist, the user may not, or a role would be in itself.
    """
    commit_on_the_way(state)
    grantor = state.user if statement.grantor is None else role_of(state, statement.grantor)
    members = [role_of(state, named) for named in statement.grantees]
    for name in statement.roles:
        role = role_called(state, name)
        if statement.is_grant:
            let_in(state, role, members, grantor=grantor, is_admin=statement.has_option)
        else:
            _let_out(state, role, members, is_admin_alone=statement.has_option)
    return Done(statement.tag or ("GRANT ROLE" if statement.is_grant else "REVOKE ROLE"))


def let_in(
    state: SessionState,
    role: User,
    members: Sequence[User],
    *,
    grantor: User | None = None,
    is_admin: bool = False,
) -> None:
    """Let roles into another.

    Args:
        state: The session, whose user must be allowed to.
        role: Which one.
        members: Whom.
        grantor: In whose name; None is the user's.
        is_admin: Whether they may let others in.

    Raises:
        PgError: The user may not, or a role would be in itself.
    """
    if not members:
        return
    by = state.user if grantor is None else grantor
    check_may_open(state, role, by)
    if by.oid != state.user.oid and not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to set grantor")

    def change(held: tuple[Membership, ...]) -> tuple[Membership, ...]:
        for member in members:
            held = _with(state, held, role, member, by=by, is_admin=is_admin)
        return held

    state.manager.change_memberships(change)


def _with(
    state: SessionState,
    held: tuple[Membership, ...],
    role: User,
    member: User,
    *,
    by: User,
    is_admin: bool,
) -> tuple[Membership, ...]:
    if DATABASE_OWNER in (role.name, member.name):
        if role.name == DATABASE_OWNER:
            raise InvalidGrant(f'role "{DATABASE_OWNER}" cannot have explicit members')
        raise InvalidGrant(f'role "{DATABASE_OWNER}" cannot be a member of any role')
    roles = Roles({user.name: user for user in state.manager.users()}, held)
    if roles.is_in(role, member):
        raise InvalidGrant(f'role "{role.name}" is a member of role "{member.name}"')
    before = next((m for m in held if (m.role, m.member) == (role.oid, member.oid)), None)
    if before is not None and (before.is_admin or not is_admin):
        state.notice(Notice(f'role "{member.name}" is already a member of role "{role.name}"'))
        return held
    added = Membership(role.oid, member.oid, by.oid, is_admin)
    return (*(m for m in held if m is not before), added)


def _let_out(
    state: SessionState, role: User, members: Iterable[User], *, is_admin_alone: bool
) -> None:
    check_may_open(state, role)

    def change(held: tuple[Membership, ...]) -> tuple[Membership, ...]:
        for member in members:
            before = next((m for m in held if (m.role, m.member) == (role.oid, member.oid)), None)
            if before is None:
                state.notice(
                    Notice(
                        f'role "{member.name}" is not a member of role "{role.name}"',
                        severity="WARNING",
                        sqlstate=SqlState.WARNING,
                    )
                )
                continue
            kept = (replace(before, is_admin=False),) if is_admin_alone else ()
            held = (*(m for m in held if m is not before), *kept)
        return held

    state.manager.change_memberships(change)


def check_may_open(state: SessionState, role: User, grantor: User | None = None) -> None:
    """Refuse to let anybody into a role that is not the user's to open.

    Args:
        state: The session.
        role: Which one.
        grantor: In whose name; None is the user's.

    Raises:
        InsufficientPrivilege: It is not.
    """
    user = state.user
    if role.is_superuser:
        if not user.is_superuser:
            raise InsufficientPrivilege("must be superuser to alter superusers")
    elif not user.can_create_user and not state.manager.roles.is_admin(grantor or user, role):
        raise InsufficientPrivilege(f'must have admin option on role "{role.name}"')
