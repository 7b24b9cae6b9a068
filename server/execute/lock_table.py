"""LOCK TABLE: nobody waits, and nobody's work is lost.

A transaction sees one epoch, so that what a weak lock asks for holds anyway. One that keeps others
from writing is kept by COMMIT: what the transaction writes is refused with 40001 when a table that
it had locked has changed meanwhile. A transaction that only reads is as if at its own epoch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.acl import Kind, Privilege
from catalog.errors import NoActiveTransaction, WrongObjectType
from catalog.relation import KIND_NAMES, Relation, Table, View
from server.execute.names import get_relation, system_relation
from server.read_rights import denied
from server.result import Done
from server.session_state import SessionState
from server.sql.session_statement import LockTable

#: The modes in which others may still write.
_WEAK: Final = frozenset({"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE"})

_WRITES: Final = Privilege.UPDATE | Privilege.DELETE | Privilege.TRUNCATE


def lock_table(state: SessionState, statement: LockTable) -> Done:
    """Have the transaction be as if it alone had the tables.

    Raises:
        NoActiveTransaction: There is no block.
        PgError: There is no such table, or the user may not.
    """
    transaction = state.transaction
    if not transaction.holds_cursors:
        raise NoActiveTransaction("LOCK TABLE can only be used in transaction blocks")
    catalog = state.catalog()
    for name in statement.tables:
        if system_relation(state, name) is not None:
            continue  # They are made from the catalog, which the transaction sees one of.
        relation = get_relation(state, catalog, replace(name, position=None))
        if not isinstance(relation, (Table, View)):
            kind = KIND_NAMES[type(relation)]
            raise WrongObjectType(
                f'cannot lock relation "{relation.name}"',
                detail=f"This operation is not supported for {kind}s.",
            )
        _check(state, relation, statement.mode)
        if statement.mode not in _WEAK:
            transaction.locked |= catalog.foundations([relation.oid])
    return Done("LOCK TABLE")


def _check(state: SessionState, relation: Relation, mode: str) -> None:
    """Refuse a lock to who may do nothing with a table that needs it."""
    wanted = _WRITES
    if mode in {"ACCESS SHARE", "ROW SHARE"}:
        wanted |= Privilege.SELECT | Privilege.INSERT
    elif mode == "ROW EXCLUSIVE":
        wanted |= Privilege.INSERT
    held = relation.acl, Kind.RELATION, relation.owner
    if not any(state.access.has(*held, privilege) for privilege in wanted):
        raise denied(relation)
