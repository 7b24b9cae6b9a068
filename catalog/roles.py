"""Who has whose privileges: roles, their memberships, and what follows from them.

A role has its own privileges and, unless it is NOINHERIT, those of the roles that it is a member
of (PostgreSQL 15, chapter 22.3). ``Roles`` is a value: when anything of it changes there is a new
one, and what was found out by the old one is found out anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog.acl import ON_COLUMN, ON_RELATION, Acl, Kind, Privilege, default_acl, privileges_of
from catalog.oid import Oid
from catalog.relation import Relation, Schema, User

#: Whoever owns the database that is asked in is a member of it.
DATABASE_OWNER: Final = "pg_database_owner"
READ_ALL_DATA: Final = "pg_read_all_data"
WRITE_ALL_DATA: Final = "pg_write_all_data"
READ_ALL_SETTINGS: Final = "pg_read_all_settings"
READ_ALL_STATS: Final = "pg_read_all_stats"
SIGNAL_BACKEND: Final = "pg_signal_backend"
CHECKPOINT: Final = "pg_checkpoint"

_PREDEFINED_OIDS: Final = {
    DATABASE_OWNER: 6171,
    READ_ALL_DATA: 6181,
    WRITE_ALL_DATA: 6182,
    "pg_monitor": 3373,
    READ_ALL_SETTINGS: 3374,
    READ_ALL_STATS: 3375,
    SIGNAL_BACKEND: 4200,
    CHECKPOINT: 4544,
}
_BOOTSTRAP: Final = Oid(10)

#: Roles that every server has from the start, for what a role may do beside owning things.
PREDEFINED: Final = tuple(
    User(Oid(oid), name, can_login=False) for name, oid in _PREDEFINED_OIDS.items()
)


def is_predefined(user: User) -> bool:
    """Whether a role is there from the start and stays."""
    return user.name in _PREDEFINED_OIDS


@dataclass(frozen=True, slots=True)
class Membership:
    """A role is a member of another.

    Attributes:
        is_admin: Whether the member may let others in.
    """

    role: Oid
    member: Oid
    grantor: Oid
    is_admin: bool = False


#: What ``pg_monitor`` is made of.
PREDEFINED_MEMBERSHIPS: Final = tuple(
    Membership(Oid(_PREDEFINED_OIDS[role]), Oid(_PREDEFINED_OIDS["pg_monitor"]), _BOOTSTRAP)
    for role in (READ_ALL_SETTINGS, READ_ALL_STATS)
)


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """What a role may do in a database; equal to nothing but itself.

    Attributes:
        is_superuser: Whether it may do everything.
        roles: Whose privileges it has, its own among them.
    """

    is_superuser: bool
    roles: frozenset[str]

    def owns(self, owner: str) -> bool:
        """Whether what belongs to somebody may be changed."""
        return self.is_superuser or owner in self.roles

    def has(self, acl: Acl | None, kind: Kind, owner: str, wanted: Privilege) -> bool:
        """Whether at least one of the wanted privileges is there."""
        if self.is_superuser:
            return True
        if acl is None and owner in self.roles:
            return True  # An owner has everything as long as nobody has said otherwise.
        held = default_acl(kind, owner) if acl is None else acl
        if privileges_of(held, self.roles) & wanted:
            return True
        return self._has_all_data(kind, wanted)

    def _has_all_data(self, kind: Kind, wanted: Privilege) -> bool:
        if kind not in (Kind.RELATION, Kind.SCHEMA):
            return False
        read = Privilege.SELECT if kind is Kind.RELATION else Privilege.USAGE
        written = read
        if kind is Kind.RELATION:
            written = Privilege.INSERT | Privilege.UPDATE | Privilege.DELETE
        return bool(
            (wanted & read and READ_ALL_DATA in self.roles)
            or (wanted & written and WRITE_ALL_DATA in self.roles)
        )


def may_use(access: Access, schema: Schema) -> bool:
    """Whether somebody may look into a schema."""
    return access.has(schema.acl, Kind.SCHEMA, schema.owner, Privilege.USAGE)


def may_see(access: Access, relation: Relation) -> bool:
    """Whether a relation is listed to somebody who may do something with it or its columns."""
    if access.owns(relation.owner):
        return True
    if access.has(relation.acl, Kind.RELATION, relation.owner, ON_RELATION):
        return True
    return any(privileges_of(c.acl, access.roles) & ON_COLUMN for c in relation.columns)


@dataclass(frozen=True, eq=False)
class Roles:
    """All roles of a server and who is in which.

    Attributes:
        users: By name.
        memberships: Who is in which role.
        database_owners: The owner of each database by its name.
        renames: Old and new names that databases may not have passed on yet.
    """

    users: Mapping[str, User]
    memberships: tuple[Membership, ...] = ()
    database_owners: Mapping[str, str] = field(default_factory=dict)
    renames: tuple[tuple[str, str], ...] = ()
    _by_oid: dict[Oid, User] = field(init=False, repr=False, default_factory=dict)
    _accesses: dict[tuple[Oid, str], Access] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_oid.update((user.oid, user) for user in self.users.values())

    def find(self, name: str) -> User | None:
        """Return the role of that name, or None."""
        return self.users.get(name)

    def by_oid(self, oid: Oid) -> User | None:
        """Return a role, whatever it is called now, or None."""
        return self._by_oid.get(oid)

    def access(self, oid: Oid, database: str) -> Access:
        """Return what a role may do in a database; one that is gone, what everybody may."""
        key = oid, database
        found = self._accesses.get(key)
        if found is None:
            user = self._by_oid.get(oid)
            roles = frozenset[str]()
            if user is not None:
                owner = self.database_owners.get(database, "")
                roles = frozenset(self._closure(user, owner, is_inherited=True))
            found = Access(user is not None and user.is_superuser, self._with_old_names(roles))
            # Another thread may have been first; all must have the same one.
            found = self._accesses.setdefault(key, found)
        return found

    def access_of(self, name: str, database: str) -> Access:
        """As ``access``, of a role by its name, which may be an old one."""
        user = self.users.get(name) or self.users.get(dict(self.renames).get(name, ""))
        return (
            Access(is_superuser=False, roles=frozenset())
            if user is None
            else self.access(user.oid, database)
        )

    def is_member(self, member: User, role: User, database: str = "") -> bool:
        """Whether a role may become another, as SET ROLE asks; superusers may become anybody."""
        if member.is_superuser or member.oid == role.oid:
            return True
        owner = self.database_owners.get(database, "")
        return role.name in self._closure(member, owner, is_inherited=False)

    def is_in(self, member: User, role: User) -> bool:
        """Whether a role is in another, directly or not; superusers are asked like others."""
        if member.oid == role.oid:
            return True
        return role.name in self._closure(member, "", is_inherited=False)

    def is_admin(self, member: User, role: User) -> bool:
        """Whether a role may let others into another."""
        if member.is_superuser:
            return True
        return any(
            m.role == role.oid and m.is_admin and self._is_in_by_oid(member, m.member)
            for m in self.memberships
        )

    def groups(self, member: Oid) -> Iterator[User]:
        """Yield the roles that a role is directly in."""
        for membership in self.memberships:
            if membership.member == member and (found := self._by_oid.get(membership.role)):
                yield found

    def _is_in_by_oid(self, member: User, oid: Oid) -> bool:
        other = self._by_oid.get(oid)
        return other is not None and self.is_in(member, other)

    def _closure(self, user: User, database_owner: str, *, is_inherited: bool) -> Iterable[str]:
        found = {user.name}
        pending = [user]
        while pending:
            member = pending.pop()
            if is_inherited and not member.inherits:
                continue
            groups = list(self.groups(member.oid))
            if member.name == database_owner:
                groups.append(self.users[DATABASE_OWNER])
            for group in groups:
                if group.name not in found:
                    found.add(group.name)
                    pending.append(group)
        return found

    def _with_old_names(self, names: frozenset[str]) -> frozenset[str]:
        """Add the names under which databases may still know somebody."""
        return names.union(old for old, new in self.renames if new in names)
