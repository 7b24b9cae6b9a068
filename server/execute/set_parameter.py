"""SET, RESET, DISCARD and SET TRANSACTION."""

from __future__ import annotations

from typing import Final

from catalog.errors import (
    ActiveTransaction,
    Notice,
)
from catalog.sqlstate import SqlState
from server.execute import temporary
from server.execute.transaction import commit_on_the_way, finish, set_modes
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s

#: As only RisingWave's scripts spell it.
_PEER_SPELLING: Final = "rw_implicit_flush"


def set_parameter(state: SessionState, statement: s.Set) -> Done:
    """Do SET.

    Raises:
        PgError: The parameter is not known, cannot be set, or not to that.
    """
    is_local = statement.scope is s.SetScope.LOCAL
    if is_local and not state.transaction.is_open:
        state.notice(
            Notice(
                "SET LOCAL can only be used in transaction blocks",
                severity="WARNING",
                sqlstate=SqlState.NO_ACTIVE_SQL_TRANSACTION,
            )
        )
    # The modes of a transaction are over with it, however they were set.
    is_local |= statement.name.lower().startswith("transaction")
    state.settings.assign(statement.name, statement.values, is_local=is_local)
    if statement.name.lower() == _PEER_SPELLING and not state.settings.is_peer:
        state.settings.set("compatibility", "risingwave", is_local=is_local)
        state.notice(
            Notice(
                'the session follows RisingWave\'s habits from now on ("compatibility")',
                detail="Texts of times, command tags and BEGIN are RisingWave's.",
                hint="SET compatibility = 'postgres' goes back to PostgreSQL's;"
                ' "implicit_flush" is the parameter\'s own name.',
            )
        )
        if not is_local and state.transaction.is_block and not state.transaction.is_read_only:
            # Drivers have said BEGIN before; to the peer it was none, so no COMMIT will come.
            finish(state)
    if statement.name.lower() == "transaction_read_only" and state.transaction.is_open:
        state.transaction.is_read_only = state.settings.is_on("transaction_read_only")
    state.apply_time_zone()
    return Done("SET")


def reset_parameter(state: SessionState, name: str) -> Done:
    """Do RESET of one parameter, or of all.

    Raises:
        PgError: The parameter is not known or cannot be set.
    """
    if name == "all":
        state.settings.reset_all()
    else:
        state.settings.reset(name)
    state.apply_time_zone()
    return Done("RESET")


def discard(state: SessionState, what: str) -> Done:
    """Do DISCARD: forget what a pooled connection may have left behind.

    Raises:
        ActiveTransaction: In a transaction block DISCARD ALL cannot run.
    """
    if what == "all":
        if state.transaction.is_open:
            raise ActiveTransaction("DISCARD ALL cannot run inside a transaction block")
        state.statements.deallocate(None)
        state.close_cursors()
        state.portals.close_all()
        state.others.leave(state.worker)
        temporary.drop_all(state)
        state.numbers.clear()
        state.settings.reset("session_authorization")
        state.settings.reset_all()
        state.apply_time_zone()
    elif what == "sequences":
        state.numbers.clear()
    elif what == "temp":
        commit_on_the_way(state)
        temporary.drop_all(state)
    return Done(f"DISCARD {what.upper()}")


def set_transaction(state: SessionState, statement: s.SetTransaction) -> Done:
    """Do SET TRANSACTION, or set the defaults of the session's transactions.

    Raises:
        ActiveTransaction: It comes too late.
    """
    modes = statement.modes
    if statement.is_session:
        if modes.is_read_only is not None:
            value = "on" if modes.is_read_only else "off"
            state.settings.set("default_transaction_read_only", value)
        if modes.isolation is not None:
            state.settings.set("default_transaction_isolation", modes.isolation)
        return Done("SET")
    if not state.transaction.is_open:
        state.notice(
            Notice(
                "SET TRANSACTION can only be used in transaction blocks",
                severity="WARNING",
                sqlstate=SqlState.NO_ACTIVE_SQL_TRANSACTION,
            )
        )
        return Done("SET")
    set_modes(state, is_read_only=modes.is_read_only, isolation=modes.isolation)
    return Done("SET")
