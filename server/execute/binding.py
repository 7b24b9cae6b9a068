"""What was bound for a statement, and for how long it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Self, TypeVar, cast

from catalog.acl import Privilege
from catalog.oid import Oid
from catalog.state import Catalog
from catalog.types import PgType
from server.execute.engine_sql import EngineText, engine_text
from server.execute.permission import check
from server.execute.reading import Reading, reading_of
from server.session_state import SessionState
from server.sql.bind.context import BindContext
from server.sql.bind.needs import Needs
from server.sql.bind.result import (
    BoundDelete,
    BoundInsert,
    BoundMerge,
    BoundQuery,
    BoundUpdate,
    BoundWriting,
)
from server.system.access import SessionContext

BoundT = TypeVar(
    "BoundT", BoundQuery, BoundInsert, BoundUpdate, BoundDelete, BoundMerge, BoundWriting
)

FoundT = TypeVar("FoundT")

#: Types of parameters as the client declared them; None leaves one open.
Hints = tuple[PgType | None, ...]

#: What a bound statement depends on beside its text.
Basis = tuple[object, ...]


@dataclass(slots=True)
class Binding(Generic[BoundT]):
    """A bound statement that is bound again when what it stands on has changed.

    Attributes:
        bound: The result.
        catalog: What names were looked up in.
        basis: For what it holds.
        reads_system: Whether it holds rows of system catalogs.
        wanted: Parameters whose values it must be bound with to be run.
        has_sound_constants: Whether what is constant in it is known to be computed without error.
    """

    bound: BoundT
    catalog: Catalog
    basis: Basis
    reads_system: bool
    wanted: frozenset[int]
    _bind: Callable[[BindContext], BoundT]
    _offset: int
    _hints: Hints
    _text: EngineText | None = None
    _shape: str | None = None
    _reading: Reading | None = None
    has_sound_constants: bool = False
    #: By what it was last found that the user may do this.
    _allowed: tuple[object, ...] = ()
    #: What functions have found of ``bound``.
    _found: dict[object, object] = field(default_factory=dict)

    def reading(self) -> Reading:
        """Return what the bound statement reads; found out once."""
        if self._reading is None:
            self._reading = reading_of(self.bound.tree, self.catalog)
        return self._reading

    def shape(self) -> str:
        """Return what tells the types of its columns from others; made once."""
        if self._shape is None:
            assert isinstance(self.bound, BoundQuery)
            self._shape = repr([column.type for column in self.bound.columns])
        return self._shape

    def text(self) -> EngineText:
        """Return the bound statement's query as text; made once."""
        if self._text is None:
            self._text = engine_text(self.bound.tree, _constants(self.bound))
        return self._text

    def once(self, find: Callable[[BoundT], FoundT]) -> FoundT:
        """Return what a function finds of the bound statement; it is asked once."""
        if find not in self._found:
            self._found[find] = find(self.bound)
        return cast("FoundT", self._found[find])

    def current(self, state: SessionState) -> BoundT:
        """Return the statement bound to what there is now.

        Raises:
            PgError: What it names is not there any more, or does not fit.
        """
        if not self.is_current(state):
            fresh = bind(state, self._bind, offset=self._offset, hints=self._hints)
            self.bound, self.catalog, self.basis = fresh.bound, fresh.catalog, fresh.basis
            self.reads_system, self.wanted = fresh.reads_system, fresh.wanted
            self._text = self._reading = self._shape = None
            self.has_sound_constants = False
            self._allowed = ()
            self._found.clear()
        return self.bound

    def is_current(self, state: SessionState) -> bool:
        """Whether nothing has changed that the statement stands on."""
        return self.basis == current_basis(state, reads_system=self.reads_system)

    def like(self, bound: BoundT, bind_statement: Callable[[BindContext], BoundT]) -> Self:
        """Return the binding of a statement that names the same things and needs the same rights.

        Args:
            bound: The statement, bound to what this one is bound to.
            bind_statement: Binds it again.
        """
        return replace(
            self, bound=bound, _bind=bind_statement, _text=None, _reading=None, _found={}
        )

    def ready(self, state: SessionState) -> BoundT:
        """As ``current``, for who is about to run it.

        Raises:
            InsufficientPrivilege: The user may not.
        """
        bound = self.current(state)
        self.check(state)
        return bound

    def check(self, state: SessionState) -> None:
        """Refuse to run it for somebody who may not; asked anew when anything of that has changed.

        Raises:
            InsufficientPrivilege: The user may not.
        """
        if state.transaction.is_open or state.is_serializable:
            state.transaction.read |= _read(self.bound.needs)
        # What views read is asked of their owners, so it depends on the roles of all.
        asked = (state.manager.roles, state.access, state.worker.identity, catalog_version(state))
        if self._allowed != asked:
            check(state, self.bound.needs, self.bound.tree)
            self._allowed = asked


def _read(needs: Needs) -> set[Oid]:
    """Return the relations that a statement reads; one that only gets rows is not."""
    named = {oid for oid, privilege in needs.objects.items() if privilege != Privilege.INSERT}
    return named | {need.oid for need in needs.beneath if need.privilege != Privilege.INSERT}


def _constants(
    bound: BoundQuery | BoundInsert | BoundUpdate | BoundDelete | BoundMerge | BoundWriting,
) -> Sequence[object]:
    return bound.constants if isinstance(bound, BoundInsert) else ()


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
    reads_system, wanted = context.has_read_system, frozenset(context.context.wanted)
    basis = current_basis(state, reads_system=reads_system)
    return Binding(bound, catalog, basis, reads_system, wanted, bind_statement, offset, hints)


def current_basis(state: SessionState, *, reads_system: bool) -> Basis:
    """Return what a statement stands on that is bound now."""
    written = tuple(state.transaction.staged.values())
    turn = state.turn if reads_system else 0
    access = state.access  # Which schemas names are looked up in.
    return (state.database, state.catalog().version, state.settings.version, written, turn, access)


def catalog_version(state: SessionState) -> int:
    """Return the version of the newest catalog, also inside a transaction."""
    return state.worker.catalog.version
