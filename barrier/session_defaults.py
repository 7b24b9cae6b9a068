"""The parameters that sessions begin with: the server's, a database's, a role's, a role's in one.

They are kept with the server, since roles are the server's; of several the most particular wins
(PostgreSQL 15, ALTER ROLE).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from catalog.oid import INVALID_OID, Oid


@dataclass(frozen=True, slots=True)
class SessionDefaults:
    """Values for sessions of a role in a database; no OID stands for all of them."""

    database: Oid
    role: Oid
    values: Mapping[str, str]


def with_value(
    known: Iterable[SessionDefaults], database: Oid, role: Oid, name: str, value: str | None
) -> tuple[SessionDefaults, ...]:
    """Return the defaults with one value put in, or taken away if it is None."""
    others = [d for d in known if (d.database, d.role) != (database, role)]
    before = next((d.values for d in known if (d.database, d.role) == (database, role)), {})
    values = {k: v for k, v in before.items() if k != name}
    if value is not None:
        values[name] = value
    if not values:
        return tuple(others)
    return (*others, SessionDefaults(database, role, values))


def without_scope(
    known: Iterable[SessionDefaults], database: Oid, role: Oid
) -> tuple[SessionDefaults, ...]:
    """Return the defaults without all of exactly that database and role."""
    return tuple(d for d in known if (d.database, d.role) != (database, role))


def without_owners(
    known: Iterable[SessionDefaults], oids: Collection[Oid]
) -> tuple[SessionDefaults, ...]:
    """Return the defaults without those of databases and roles that are gone."""
    return tuple(d for d in known if d.database not in oids and d.role not in oids)


def applying(known: Iterable[SessionDefaults], database: Oid, role: Oid) -> dict[str, str]:
    """Return the values that a session begins with."""
    found: dict[str, str] = {}
    scopes = {(d.database, d.role): d.values for d in known}
    nobody = INVALID_OID
    for scope in ((nobody, nobody), (database, nobody), (nobody, role), (database, role)):
        found |= scopes.get(scope, {})
    return found
