"""Access control lists: who may do what with an object, and who said so.

A list is what PostgreSQL keeps as ``aclitem[]`` (PostgreSQL 15, chapter 5.7): each item holds what
one role got from another. An object without a list has its kind's default. Roles are named; the
name of PUBLIC, which is everybody, is empty.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import Flag, StrEnum
from typing import Final, TypeAlias

from catalog.errors import DependentObjectsStillExist
from catalog.role_errors import InvalidGrant

#: Everybody, as a grantee.
PUBLIC: Final = ""


class Privilege(Flag):
    """What may be done; in the order in which lists show them."""

    INSERT = 1 << 0
    SELECT = 1 << 1
    UPDATE = 1 << 2
    DELETE = 1 << 3
    TRUNCATE = 1 << 4
    REFERENCES = 1 << 5
    TRIGGER = 1 << 6
    EXECUTE = 1 << 7
    USAGE = 1 << 8
    CREATE = 1 << 9
    TEMPORARY = 1 << 10
    CONNECT = 1 << 11


NONE: Final = Privilege(0)
ON_RELATION: Final = (
    Privilege.INSERT | Privilege.SELECT | Privilege.UPDATE | Privilege.DELETE | Privilege.TRUNCATE
) | (Privilege.REFERENCES | Privilege.TRIGGER)
ON_COLUMN: Final = Privilege.INSERT | Privilege.SELECT | Privilege.UPDATE | Privilege.REFERENCES
ON_SEQUENCE: Final = Privilege.SELECT | Privilege.UPDATE | Privilege.USAGE
ON_SCHEMA: Final = Privilege.USAGE | Privilege.CREATE
ON_DATABASE: Final = Privilege.CREATE | Privilege.TEMPORARY | Privilege.CONNECT

_LETTERS: Final = dict(zip(Privilege, "arwdDxtXUCTc", strict=True))
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_\x80-\U0010ffff]+\Z")


class Kind(StrEnum):
    """What has a list, by the letter of PostgreSQL's ``acldefault``."""

    RELATION = "r"
    SEQUENCE = "s"
    DATABASE = "d"
    FUNCTION = "f"
    SCHEMA = "n"
    TYPE = "T"
    SECRET = "k"  # noqa: S105 - RisingWave's; PostgreSQL has no such letter


#: What there is to grant by kind.
ALL: Final[dict[Kind, Privilege]] = {
    Kind.RELATION: ON_RELATION,
    Kind.SEQUENCE: ON_SEQUENCE,
    Kind.DATABASE: ON_DATABASE,
    Kind.FUNCTION: Privilege.EXECUTE,
    Kind.SCHEMA: ON_SCHEMA,
    Kind.TYPE: Privilege.USAGE,
    Kind.SECRET: Privilege.USAGE,
}
#: What everybody has where nobody has said otherwise.
_FOR_ALL: Final[dict[Kind, Privilege]] = {
    Kind.RELATION: NONE,
    Kind.SEQUENCE: NONE,
    Kind.DATABASE: Privilege.TEMPORARY | Privilege.CONNECT,
    Kind.FUNCTION: Privilege.EXECUTE,
    Kind.SCHEMA: NONE,
    Kind.TYPE: Privilege.USAGE,
    Kind.SECRET: NONE,
}


@dataclass(frozen=True, slots=True)
class AclItem:
    """What a role has from another.

    Invariant: who may pass a privilege on has it.

    Attributes:
        options: The privileges that it may pass on.
    """

    grantee: str
    grantor: str
    privileges: Privilege
    options: Privilege = NONE

    def __str__(self) -> str:
        shown = "".join(
            letter + "*" * (privilege in self.options)
            for privilege, letter in _LETTERS.items()
            if privilege in self.privileges
        )
        return f"{_quoted(self.grantee)}={shown}/{_quoted(self.grantor)}"


Acl: TypeAlias = tuple[AclItem, ...]


@dataclass(frozen=True, slots=True)
class AclUpdate:
    """What GRANT or REVOKE does to a list.

    Attributes:
        is_grant: Whether it gives.
        grantor: In whose name.
        grantees: To whom or from whom.
        privileges: What.
        has_option: Whether it may be passed on; of REVOKE, whether only that is taken.
        is_cascade: Whether what was passed on is taken as well, instead of being an error.
    """

    is_grant: bool
    grantor: str
    grantees: tuple[str, ...]
    privileges: Privilege
    has_option: bool = False
    is_cascade: bool = False


def default_acl(kind: Kind, owner: str) -> Acl:
    """Return what holds for an object without a list."""
    items = [AclItem(owner, owner, ALL[kind])]
    if _FOR_ALL[kind]:
        items.insert(0, AclItem(PUBLIC, owner, _FOR_ALL[kind]))
    return tuple(items)


def privileges_of(acl: Acl, roles: Collection[str]) -> Privilege:
    """Return what those have of a list who have the privileges of some roles."""
    found = NONE
    for item in acl:
        if item.grantee == PUBLIC or item.grantee in roles:
            found |= item.privileges
    return found


def options_of(acl: Acl, roles: Collection[str]) -> Privilege:
    """Return what those may pass on who have the privileges of some roles, owners apart."""
    found = NONE
    for item in acl:
        if item.grantee != PUBLIC and item.grantee in roles:
            found |= item.options
    return found


def updated(acl: Acl, owner: str, update: AclUpdate) -> Acl:
    """Return the list after GRANT or REVOKE.

    Raises:
        InvalidGrant: The option is given to everybody, or back to who gave it.
        DependentObjectsStillExist: What was passed on would have to go as well.
    """
    for grantee in update.grantees:
        option = update.privileges if update.has_option else NONE
        if update.is_grant:
            if grantee == PUBLIC and update.has_option:
                raise InvalidGrant("grant options can only be granted to roles")
            if option:
                _refuse_circle(acl, owner, update.grantor, grantee, option)
            acl = _given(acl, AclItem(grantee, update.grantor, update.privileges, option))
        else:
            lost = NONE if update.has_option else update.privileges
            acl = _taken(
                acl, owner, AclItem(grantee, update.grantor, lost, update.privileges), update
            )
    return acl


def with_new_owner(acl: Acl, owner: str, new_owner: str) -> Acl:
    """Return the list of an object that has become another's."""
    after: dict[tuple[str, str], AclItem] = {}
    for item in acl:
        grantee = new_owner if item.grantee == owner else item.grantee
        grantor = new_owner if item.grantor == owner else item.grantor
        before = after.get((grantee, grantor))
        after[grantee, grantor] = AclItem(
            grantee,
            grantor,
            item.privileges | (NONE if before is None else before.privileges),
            item.options | (NONE if before is None else before.options),
        )
    return tuple(after.values())


def merged(acl: Acl, more: Acl) -> Acl:
    """Return the list with another's items beside its own, what everybody has first."""
    for item in more:
        acl = _given(acl, item)
    return tuple(sorted(acl, key=lambda item: item.grantee != PUBLIC))


def without_role(acl: Acl, owner: str, role: str) -> Acl:
    """Return the list without what a role has from others, and what it has passed on."""
    for item in [item for item in acl if item.grantee == role]:
        gone = AclUpdate(
            is_grant=False,
            grantor=item.grantor,
            grantees=(role,),
            privileges=item.privileges,
            is_cascade=True,
        )
        acl = updated(acl, owner, gone)
    return acl


def renamed(acl: Acl | None, name: str, new_name: str) -> Acl | None:
    """Return the list after a role was renamed."""
    if acl is None:
        return None
    return tuple(
        replace(
            item,
            grantee=new_name if item.grantee == name else item.grantee,
            grantor=new_name if item.grantor == name else item.grantor,
        )
        for item in acl
    )


def names_in(acl: Acl | None) -> Iterator[str]:
    """Yield the roles that a list speaks of."""
    for item in acl or ():
        yield from (item.grantee, item.grantor)


def shown(acl: Acl | None) -> tuple[str, ...] | None:
    """Return a list as the system catalogs show it."""
    return None if acl is None else tuple(str(item) for item in acl)


def encode(acl: Acl | None) -> list[list[str | int]] | None:
    """Return a list as JSON can hold it."""
    if acl is None:
        return None
    return [[i.grantee, i.grantor, i.privileges.value, i.options.value] for i in acl]


def decode(described: list[tuple[str, str, int, int]] | None) -> Acl | None:
    """Return the list that ``encode`` described."""
    if described is None:
        return None
    return tuple(
        AclItem(grantee, grantor, Privilege(privileges), Privilege(options))
        for grantee, grantor, privileges, options in described
    )


def _given(acl: Acl, added: AclItem) -> Acl:
    for place, item in enumerate(acl):
        if (item.grantee, item.grantor) == (added.grantee, added.grantor):
            more = replace(
                item,
                privileges=item.privileges | added.privileges,
                options=item.options | added.options,
            )
            return (*acl[:place], more, *acl[place + 1 :])
    return (*acl, added)


def _taken(acl: Acl, owner: str, lost: AclItem, update: AclUpdate) -> Acl:
    """Take privileges and options away, and what was passed on by them."""
    for place, item in enumerate(acl):
        if (item.grantee, item.grantor) != (lost.grantee, lost.grantor):
            continue
        gone = item.options & lost.options
        left = replace(
            item,
            privileges=item.privileges & ~lost.privileges,
            options=item.options & ~lost.options,
        )
        kept = (left,) if left.privileges else ()
        acl = (*acl[:place], *kept, *acl[place + 1 :])
        if gone and lost.grantee != owner:
            return _without_passed_on(acl, owner, lost.grantee, gone, update)
        return acl
    return acl


def _without_passed_on(
    acl: Acl, owner: str, grantor: str, lost: Privilege, update: AclUpdate
) -> Acl:
    """Take away what a role has passed on that may not pass it on any more."""
    lost &= ~options_of(acl, (grantor,))
    while True:
        passed = next((i for i in acl if i.grantor == grantor and i.privileges & lost), None)
        if passed is None:
            return acl
        if not update.is_cascade:
            raise DependentObjectsStillExist(
                "dependent privileges exist", hint="Use CASCADE to revoke them too."
            )
        acl = _taken(acl, owner, AclItem(passed.grantee, grantor, lost, lost), update)


def _refuse_circle(acl: Acl, owner: str, grantor: str, grantee: str, options: Privilege) -> None:
    """Refuse options that would come back to who gives them."""
    if grantor == owner:
        return
    everything = AclUpdate(
        is_grant=False, grantor="", grantees=(), privileges=NONE, is_cascade=True
    )
    without = acl
    while True:
        item = next((i for i in without if i.grantee == grantee and i.options), None)
        if item is None:
            break
        without = _taken(
            without, owner, AclItem(grantee, item.grantor, NONE, item.options), everything
        )
    if options & ~options_of(without, (grantor,)):
        raise InvalidGrant("grant options cannot be granted back to your own grantor")


def _quoted(name: str) -> str:
    """Return a name as it stands in an item's text."""
    if not name or _PLAIN_NAME.match(name):
        return name
    return '"' + name.replace('"', '""') + '"'
