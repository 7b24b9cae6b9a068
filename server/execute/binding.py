"""What was bound for a statement, and for how long it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from catalog.errors import ObjectNotInPrerequisiteState
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, View
from catalog.state import Catalog
from catalog.types import PgType
from server.session_state import SessionContext, SessionState
from server.sql.bind.context import BindContext
from server.sql.bind.result import BoundDelete, BoundInsert, BoundQuery, BoundUpdate

BoundT = TypeVar("BoundT", BoundQuery, BoundInsert, BoundUpdate, BoundDelete)

#: Types of parameters as the client declared them; None leaves one open.
Hints = tuple[PgType | None, ...]

#: What a bound statement depends on beside its text.
Basis = tuple[object, ...]

#: The basis of what holds for one execution only.
ONCE: Final[Basis] = ()


@dataclass(slots=True)
class Binding(Generic[BoundT]):
    """A bound statement that is bound again when what it stands on has changed.

    Attributes:
        bound: The result.
        catalog: What names were looked up in.
        basis: For what it holds.
    """

    bound: BoundT
    catalog: Catalog
    basis: Basis
    _bind: Callable[[BindContext], BoundT]
    _offset: int
    _hints: Hints

    def current(self, state: SessionState) -> BoundT:
        """Return the statement bound to what there is now.

        Raises:
            PgError: What it names is not there any more, or does not fit.
        """
        if not self.basis or self.basis != current_basis(state):
            fresh = bind(state, self._bind, offset=self._offset, hints=self._hints)
            self.bound, self.catalog, self.basis = fresh.bound, fresh.catalog, fresh.basis
        return self.bound


def bind(
    state: SessionState,
    bind_statement: Callable[[BindContext], BoundT],
    *,
    offset: int,
    hints: Hints,
) -> Binding[BoundT]:
    """Bind a statement for the session as it is now.

    Raises:
        PgError: It does not make sense.
    """
    catalog = state.catalog()
    context: SessionContext = state.bind_context(catalog, offset=offset, hints=hints)
    bound = bind_statement(context.context)
    check_readable(catalog, bound.depends_on)
    is_once = context.has_read_system or bound.is_volatile or bool(state.transaction.staged)
    stands_on = ONCE if is_once else current_basis(state)
    return Binding(bound, catalog, stands_on, bind_statement, offset, hints)


def current_basis(state: SessionState) -> Basis:
    """Return what statements stand on that are bound now."""
    if state.transaction.staged:
        return ONCE
    return (state.database, state.catalog().version, state.settings.version)


def check_readable(catalog: Catalog, oids: frozenset[Oid]) -> None:
    """Refuse views that have no rows to read.

    Raises:
        ObjectNotInPrerequisiteState: One is not filled yet, or has failed.
    """
    for oid in oids:
        relation = catalog.relations[oid]
        match relation:
            case View():
                check_readable(catalog, relation.depends_on)
            case MaterializedView(status=JobStatus.CREATING):
                raise ObjectNotInPrerequisiteState(
                    f'materialized view "{relation.name}" is still being created',
                    hint="SHOW JOBS tells how far it is.",
                )
            case MaterializedView(status=JobStatus.FAILED):
                raise ObjectNotInPrerequisiteState(
                    f'materialized view "{relation.name}" has failed',
                    detail=relation.error,
                    hint="Drop it and create it again.",
                )
            case _:
                pass
