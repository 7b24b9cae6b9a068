"""Constraints that wait for the transaction's end, and SET CONSTRAINTS."""

from __future__ import annotations

from collections.abc import Collection

from barrier import keys
from barrier.keys import Content
from catalog.constraint import ForeignKey, UniqueKey
from catalog.constraint_errors import duplicate_key
from catalog.errors import Notice, UndefinedObject, WrongObjectType
from catalog.oid import INVALID_OID, Oid
from catalog.relation import Table
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from server.execute.key_check import first_row
from server.execute.names import schema_of
from server.execute.references import check_present, check_vanished
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import QualifiedName
from server.sql.session_statement import SetConstraints


def check_put_off(state: SessionState, only: Collection[Oid] | None = None) -> None:
    """Look at constraints that waited; what they bind is all that the transaction has written.

    Args:
        state: The session.
        only: Their OIDs; None is all.

    Raises:
        PgError: One is not obeyed.
    """
    transaction = state.transaction
    waiting = transaction.put_off if only is None else transaction.put_off & set(only)
    if not waiting:
        return
    for table, constraint in _constraints(state.catalog()):
        if constraint.oid not in waiting:
            continue
        if isinstance(constraint, UniqueKey):
            _check_key(state, table, constraint)
        else:
            _check_reference(state, table, constraint)
    transaction.put_off -= waiting


def _constraints(catalog: Catalog) -> list[tuple[Table, UniqueKey | ForeignKey]]:
    """Return the constraints that can wait, in the order of their OIDs."""
    found: list[tuple[Table, UniqueKey | ForeignKey]] = []
    for relation in catalog.relations.values():
        if isinstance(relation, Table) and relation.binds_rows:
            for constraint in constraints_of(relation):
                if constraint.is_deferrable:
                    found.append((relation, constraint))
    return sorted(found, key=lambda pair: pair[1].oid)


def constraints_of(table: Table) -> list[UniqueKey | ForeignKey]:
    """Return the constraints of a table between rows."""
    return [*table.unique_keys, *table.foreign_keys]


def _check_key(state: SessionState, table: Table, key: UniqueKey) -> None:
    staged = state.transaction.staged_table(table)
    if staged.live is None:
        return
    found = first_row(state, keys.doubled(key, staged.live))
    if found is None:
        stored = Content(table, staged.tables)
        found = first_row(state, keys.taken(key, staged.live, stored))
    if found is not None:
        raise duplicate_key(table, key, found)


def _check_reference(state: SessionState, table: Table, key: ForeignKey) -> None:
    live = state.transaction.staged_table(table).live
    if live is not None:
        check_present(state, table, key, live)
    target = state.catalog().table(key.target)
    removed = state.transaction.staged_table(target).removed
    if removed is not None:
        check_vanished(state, table, key, removed)


def set_constraints(state: SessionState, statement: SetConstraints) -> Done:
    """Say when constraints are looked at, up to the transaction's end.

    Raises:
        PgError: There is no such constraint, it cannot wait, or it is not obeyed.
    """
    tag = Done("SET CONSTRAINTS")
    transaction = state.transaction
    if not transaction.is_block:
        state.notice(
            Notice(
                "SET CONSTRAINTS can only be used in transaction blocks",
                severity="WARNING",
                sqlstate=SqlState.NO_ACTIVE_SQL_TRANSACTION,
            )
        )
    if not transaction.is_open:
        _named(state, statement.names)
        return tag
    found = _named(state, statement.names)
    if not statement.names:
        transaction.deferral = {INVALID_OID: statement.is_deferred}
    transaction.deferral |= dict.fromkeys(found, statement.is_deferred)
    if not statement.is_deferred:
        check_put_off(state, found if statement.names else None)
    return tag


def _named(state: SessionState, names: Collection[QualifiedName]) -> set[Oid]:
    catalog = state.catalog()
    everything = [
        (relation, constraint)
        for relation in catalog.relations.values()
        if isinstance(relation, Table)
        for constraint in constraints_of(relation)
    ]
    found: set[Oid] = set()
    for name in names:
        schema = schema_of(state, name)
        schemas = state.search_path(catalog) if schema is None else (schema,)
        called = [
            constraint
            for table, constraint in everything
            if table.schema in schemas and constraint.name == name.name
        ]
        if not called:
            raise UndefinedObject(f'constraint "{name.name}" does not exist')
        if not any(constraint.is_deferrable for constraint in called):
            raise WrongObjectType(f'constraint "{name.name}" is not deferrable')
        found.update(c.oid for c in called if c.is_deferrable)
    return found
