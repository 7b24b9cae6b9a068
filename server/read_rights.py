"""Whether somebody may go into a database and read what is there, whichever it is."""

from __future__ import annotations

from barrier.manager import BarrierManager
from catalog.acl import Kind, Privilege
from catalog.errors import InsufficientPrivilege
from catalog.relation import Relation, User, View, kind_name
from catalog.roles import Access
from catalog.state import Catalog


def check_connect(manager: BarrierManager, user: User, name: str) -> None:
    """Refuse to let somebody into a database.

    Raises:
        InsufficientPrivilege: He may not connect to it.
    """
    database = manager.database(name)
    access = manager.roles.access(user.oid, name)
    if database is not None and not access.has(
        database.acl, Kind.DATABASE, database.owner, Privilege.CONNECT
    ):
        raise InsufficientPrivilege(
            f'permission denied for database "{name}"',
            detail="User does not have CONNECT privilege.",
        )


def check_select(
    manager: BarrierManager, catalog: Catalog, access: Access, relation: Relation
) -> None:
    """Refuse to let somebody read a relation, or the owner of a view what it reads.

    Args:
        manager: Knows the roles.
        catalog: The database that the relation is in.
        access: What he may do there.
        relation: The relation.

    Raises:
        InsufficientPrivilege: He, or the owner, may not.
    """
    _check(access, relation)
    if isinstance(relation, View):
        check_beneath(manager, catalog, relation, access)


def check_beneath(manager: BarrierManager, catalog: Catalog, view: View, user: Access) -> None:
    """Refuse a view whose owner, or user, may not read what it reads.

    Raises:
        InsufficientPrivilege: He may not.
    """
    access = reader_of(manager, catalog.database, view, user)
    for oid in sorted(view.depends_on):
        relation = catalog.relations[oid]
        _check(access, relation)
        if isinstance(relation, View):
            # A view that asks its user asks the session's, whoever reads it in between.
            check_beneath(manager, catalog, relation, user)


def _check(access: Access, relation: Relation) -> None:
    if not access.has(relation.acl, Kind.RELATION, relation.owner, Privilege.SELECT):
        raise denied(relation)


def reader_of(manager: BarrierManager, database: str, view: View, user: Access) -> Access:
    """Return what somebody may do of whom it is asked what a view reads."""
    return user if view.is_invoker else manager.roles.access_of(view.owner, database)


def denied(relation: Relation) -> InsufficientPrivilege:
    """Build the error for a relation with which something may not be done."""
    return InsufficientPrivilege(f"permission denied for {kind_name(relation)} {relation.name}")
