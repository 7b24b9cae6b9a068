"""TRUNCATE: all rows of some tables go at once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from barrier.writes import WriteSet
from catalog.errors import (
    FeatureNotSupported,
    Notice,
    PgError,
    ReadOnlyTransaction,
    WrongObjectType,
)
from catalog.oid import Oid
from catalog.relation import Table
from catalog.state import Catalog
from server.execute.binding import Binding, bind
from server.execute.dml import again_if_outdated, bound_text, until_it_wins, write_in_block
from server.execute.evaluate import Evaluated, Evaluation
from server.execute.names import get_relation
from server.execute.sequence_uses import restart
from server.execute.transaction import write
from server.result import Done
from server.session_state import SessionState
from server.sql.alter_statement import Truncate
from server.sql.bind.delete import bind_delete
from server.sql.bind.result import BoundDelete
from server.sql.statement import Delete, QualifiedName

_TAG = "TRUNCATE TABLE"


def truncate(state: SessionState, statement: Truncate) -> Done:
    """Take all rows of some tables away, of all or of none.

    Raises:
        PgError: One is no table, or the wait was ended; then nothing has gone.
    """
    if state.is_read_only:
        raise ReadOnlyTransaction(f"cannot execute {_TAG} in a read-only transaction")
    # A table that is named twice is emptied once.
    catalog = state.catalog()
    names = {_table(state, catalog, name).oid: name for name in statement.tables}
    names |= _referring(state, catalog, set(names), is_cascade=statement.is_cascade)
    bindings = [_bound(state, statement, name) for name in names.values()]
    for binding in bindings:
        binding.check(state)
    if state.transaction.is_open:
        for binding in bindings:
            write_in_block(state, binding, (), is_followed=False)
        if statement.restarts:
            restart(state, list(names))
        return Done(_TAG)
    state.wait_until_running()
    state.await_queued_writes()
    until_it_wins(state, lambda: _once(state, bindings))
    if statement.restarts:
        restart(state, list(names))
    return Done(_TAG)


def _referring(
    state: SessionState, catalog: Catalog, oids: set[Oid], *, is_cascade: bool
) -> dict[Oid, QualifiedName]:
    """Return the tables that refer to some, and are not among them, when they are to go too.

    Raises:
        FeatureNotSupported: They are not.
    """
    found = dict[Oid, QualifiedName]()
    pending = sorted(oids)
    while pending:
        target = catalog.table(pending.pop(0))
        for owner, _ in catalog.referring(target.oid):
            if owner.oid in oids or owner.oid in found:
                continue
            if not is_cascade:
                raise FeatureNotSupported(
                    "cannot truncate a table referenced in a foreign key constraint",
                    detail=f'Table "{owner.name}" references "{target.name}".',
                    hint=f'Truncate table "{owner.name}" at the same time, or use TRUNCATE ... '
                    "CASCADE.",
                )
            state.notice(Notice(f'truncate cascades to table "{owner.name}"'))
            found[owner.oid] = QualifiedName(owner.name, owner.schema)
            pending.append(owner.oid)
    return found


def _table(state: SessionState, catalog: Catalog, name: QualifiedName) -> Table:
    relation = get_relation(state, catalog, replace(name, position=None))
    if not isinstance(relation, Table):
        raise WrongObjectType(f'"{relation.name}" is not a table')
    return relation


def _bound(state: SessionState, statement: Truncate, name: QualifiedName) -> Binding[BoundDelete]:
    delete = Delete(name, source=statement.source)
    return bind(
        state, lambda c: bind_delete(delete, c, "truncate"), offset=statement.start, hints=()
    )


def _once(state: SessionState, bindings: list[Binding[BoundDelete]]) -> None:
    evaluated: list[Evaluated] = []
    for binding in bindings:
        bound = binding.ready(state)
        evaluation = Evaluation(state, bound.table, (), partial(bound_text, binding, ()))
        try:
            with again_if_outdated(state, binding):
                evaluated.append(evaluation.delete(bound))
        except BaseException:
            evaluation.abandon()
            _abandon(state, evaluated)
            raise
    parts = [e.write_set() for e in evaluated if e.rows]
    if parts:
        tables = tuple(table for part in parts for table in part.tables)
        staging = tuple(name for part in parts for name in part.staging)
        try:
            write(state, WriteSet(tables, staging=staging))
        except PgError:
            _abandon(state, evaluated)
            raise
    _abandon(state, [e for e in evaluated if not e.rows])


def _abandon(state: SessionState, evaluated: list[Evaluated]) -> None:
    state.drop_staging([name for e in evaluated for name in e.staging])
