"""A session's way to the system catalogs: relations for the binder, answers for functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sqlglot import exp

from barrier.store import Reader
from barrier.worker import BarrierWorker
from catalog.errors import InsufficientPrivilege
from catalog.oid import Oid
from catalog.relation import Column, Mirror
from catalog.state import Catalog
from catalog.system.registry import SECRET_RELATIONS, find_system_relation, is_momentary
from catalog.system.relation import SystemRelation, Value
from catalog.system.snapshot import Snapshot
from server.elsewhere import DistantRows, Elsewhere
from server.past import earlier
from server.settings import Settings
from server.sql.bind.context import BindContext
from server.system.description import Descriptions
from server.system.object_name import ObjectNames
from server.system.view import SystemView, SystemViews

#: Up to so many values are put into a statement's text; more are read where they are.
_VALUES_MAX: Final = 64


class Session(Protocol):
    """What is asked of a session."""

    @property
    def reader(self) -> Reader:
        """Its connection."""
        ...

    @property
    def worker(self) -> BarrierWorker:
        """Its database."""
        ...

    @property
    def settings(self) -> Settings:
        """Its parameters."""
        ...

    @property
    def elsewhere(self) -> Elsewhere:
        """Its way to other databases."""
        ...

    def now_ms(self) -> int:
        """The wall clock, in milliseconds since 1970."""
        ...


class SystemAccess:
    """The system catalogs for one session.

    Args:
        views: What sessions share.
        snapshot: Tells of the server as of now, for a catalog.
        session: Whose it is.
    """

    def __init__(
        self, views: SystemViews, snapshot: Callable[[Catalog], Snapshot], session: Session
    ) -> None:
        self._views = views
        self._snapshot = snapshot
        self.session = session
        self._objects: SystemObjects | None = None
        self._now: tuple[int, Catalog, SystemObjects] | None = None

    def lookup(self, catalog: Catalog, search_path: Sequence[str]) -> SystemLookup:
        """Return what finds system relations for one binding."""
        return SystemLookup(self, lambda: self._snapshot(catalog), tuple(search_path))

    def view_of(self, snapshot: Snapshot) -> SystemView:
        """Return the rows that do not depend on the moment."""
        lasting = Snapshot(
            snapshot.catalog,
            snapshot.user,
            databases=snapshot.databases,
            users=snapshot.users,
            database=snapshot.database,
            roles=snapshot.roles,
            access=snapshot.access,
            temporary_schema=snapshot.temporary_schema,
        )
        return self._views.of(lasting)

    def objects(self, snapshot: Snapshot, search_path: tuple[str, ...]) -> SystemObjects:
        """Return names and descriptions of objects; made anew when they may be others."""
        view = self.view_of(snapshot)
        found = self._objects
        if found is None or found.view is not view or found.search_path != search_path:
            names = ObjectNames(view, search_path)
            descriptions = Descriptions(
                view,
                names,
                self.session.worker.rows_estimated,
                lambda: self.session.settings.is_peer,
            )
            found = self._objects = SystemObjects(view, search_path, names, descriptions)
        return found

    def objects_now(
        self, turn: int, catalog: Catalog, search_path: tuple[str, ...]
    ) -> SystemObjects:
        """Return the same for a statement that runs, which asks for every row.

        Args:
            turn: What the session counts statements by.
            catalog: The catalog that the statement sees.
            search_path: The session's.
        """
        now = self._now
        if now is None or now[0] != turn or now[1] is not catalog:
            objects = self.objects(self._snapshot(catalog), search_path)
            now = self._now = (turn, catalog, objects)
        return now[2]


@dataclass(frozen=True, slots=True)
class SystemObjects:
    """What functions tell of the objects of a catalog."""

    view: SystemView
    search_path: tuple[str, ...]
    names: ObjectNames
    descriptions: Descriptions


class SystemLookup:
    """Finds system relations and objects for one binding.

    Args:
        access: The session's.
        snapshot: Gives what they are made from; asked at most once.
        search_path: The session's.
    """

    def __init__(
        self,
        access: SystemAccess,
        snapshot: Callable[[], Snapshot],
        search_path: tuple[str, ...],
    ) -> None:
        self.access = access
        self._make = snapshot
        self._path = search_path
        self._snapshot: Snapshot | None = None
        #: Whether one was read: what was bound holds its rows and is good once.
        self.has_read = False
        #: Whether a relation of another database was.
        self.has_read_elsewhere = False

    @property
    def snapshot(self) -> Snapshot:
        """What the catalogs are made from."""
        if self._snapshot is None:
            self._snapshot = self._make()
        return self._snapshot

    def objects(self) -> SystemObjects:
        """Return what functions tell of objects."""
        return self.access.objects(self.snapshot, self._path)

    def object_oid(self, kind: str, text: str) -> int:
        """Return the OID of an object.

        Raises:
            PgError: There is none, or there are several.
        """
        return self.objects().names.oid(kind, text)

    def find_elsewhere(
        self, database: str, schema: str, name: str, position: int | None
    ) -> DistantRows:
        """Return a relation of another database; errors as of ``Elsewhere.find``."""
        self.has_read = self.has_read_elsewhere = True
        return self.access.session.elsewhere.find(database, schema, name, position)

    def find_mirror(self, database: str, schema: str, name: str, position: int | None) -> Mirror:
        """Return the mirror of a relation of another database; as of ``Elsewhere.mirror``."""
        elsewhere, catalog = self.access.session.elsewhere, self.snapshot.catalog
        return elsewhere.mirror(catalog, database, schema, name, position)

    def earlier(self, oid: Oid, time: exp.Expr, position: int | None) -> exp.Expr | None:
        """Return the query for the rows of a stored relation as of a time; see ``past.earlier``."""
        self.has_read = True  # Time goes on: it is good once.
        session = self.access.session
        context = BindContext(catalog=self.snapshot.catalog, settings=session.settings.values())
        return earlier(session, context, oid, time, position)

    def find(self, schema: str, name: str) -> SystemRows | None:
        """Return the relation of that name with its rows, or None.

        Raises:
            InsufficientPrivilege: It is for superusers.
        """
        relation = find_system_relation(schema, name)
        if relation is None:
            return None
        self.has_read = True
        if (schema, name) in SECRET_RELATIONS and not self.snapshot.is_superuser:
            kind = "table" if relation.is_table else "view"
            raise InsufficientPrivilege(f"permission denied for {kind} {name}")
        return SystemRows(relation, self)


@dataclass(frozen=True, slots=True)
class SystemRows:
    """A system relation as a session sees it now."""

    relation: SystemRelation
    _lookup: SystemLookup

    @property
    def oid(self) -> Oid:
        """The relation's identifier."""
        return self.relation.oid

    @property
    def name(self) -> str:
        """The relation's name."""
        return self.relation.name

    @property
    def columns(self) -> tuple[Column, ...]:
        """The relation's columns."""
        return self.relation.columns

    def rows(self) -> list[tuple[Value, ...]]:
        """Return the rows, each with a value for every column."""
        names = [column.name for column in self.columns]
        return [tuple(row.get(name) for name in names) for row in self._view().rows(self.relation)]

    @property
    def has_texts(self) -> bool:
        """Whether what is given may be texts of values."""
        return True

    def given(self, used: Sequence[int]) -> str | None:  # noqa: ARG002
        """Return the name under which the session's connection reads the rows; None for few."""
        view = self._view()
        if len(view.rows(self.relation)) * len(self.columns) <= _VALUES_MAX:
            return None
        name = f"sys_{self.oid}"
        self._lookup.access.session.reader.give(name, view.given(self.relation))
        return name

    def _view(self) -> SystemView:
        if is_momentary(self.relation):
            return SystemView(self._lookup.snapshot)
        return self._lookup.access.view_of(self._lookup.snapshot)


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The context of one binding, and what it has looked at."""

    context: BindContext
    _lookup: SystemLookup

    @property
    def has_read_system(self) -> bool:
        """Whether a system relation was read, or one of another database."""
        return self._lookup.has_read

    @property
    def has_read_elsewhere(self) -> bool:
        """Whether a relation of another database was read."""
        return self._lookup.has_read_elsewhere
