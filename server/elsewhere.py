"""Relations of other databases, as queries read them.

Every database is a file with an engine of its own, so what a query wants of another is read there,
at the newest epoch, and comes into a temporary table of the session's connection: of each relation
the columns that are wanted, and all of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from sqlglot import exp

from barrier.follower import mirrors_in
from barrier.interrupt import Interrupt
from barrier.manager import BarrierManager
from barrier.store import GIVEN, Reader
from barrier.worker import BarrierWorker
from catalog.errors import FeatureNotSupported, ObjectNotInPrerequisiteState, PgError
from catalog.oid import Oid
from catalog.relation import (
    Column,
    MaterializedView,
    Mirror,
    Relation,
    Subscription,
    Table,
    User,
    View,
)
from catalog.state import Catalog
from catalog.types import PgType
from server.execute.engine_sql import engine_text
from server.read_rights import check_connect, check_select
from server.settings import Settings
from server.sql.bind.bind_query import bind_query
from server.sql.bind.context import BindContext
from server.sql.bind.relation import find_relation
from server.sql.bind.result import BoundQuery


class Session(Protocol):
    """What is asked of a session."""

    manager: BarrierManager
    interrupt: Interrupt
    settings: Settings
    turn: int

    @property
    def reader(self) -> Reader:
        """Its connection."""
        ...

    @property
    def user(self) -> User:
        """Whose privileges are used."""
        ...


class NotMirrored(FeatureNotSupported):
    """A materialized view is to follow a relation of another database that has no mirror yet."""

    def __init__(self, database: Oid, relation: Table | MaterializedView) -> None:
        super().__init__(f'relation "{relation.name}" of another database is not followed yet')
        self.database = database
        self.relation = relation


@dataclass(slots=True)
class _Place:
    """A connection to another database; the catalog is that of its snapshot, if it has one."""

    worker: BarrierWorker
    reader: Reader
    catalog: Catalog | None = None


class Elsewhere:
    """A session's way to other databases."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._places: dict[str, _Place] = {}
        self._turn = -1
        #: The temporary tables that hold rows, by the connection that they are of.
        self._held: dict[str, Reader] = {}

    def mirror(
        self, catalog: Catalog, database: str, schema: str, name: str, position: int | None
    ) -> Mirror:
        """Return the mirror of a relation of another database, called as that is.

        Args:
            catalog: The session's database.
            database: The other database.
            schema: The relation's schema there.
            name: The relation's name.
            position: Where the statement names it.

        Raises:
            NotMirrored: There is none yet.
            ObjectNotInPrerequisiteState: Nobody has subscribed to the relation.
            PgError: As of ``find``.
        """
        found = self.find(database, schema, name, position)
        relation, there = found.relation, self._session.manager.worker(database).catalog
        if isinstance(relation, View):
            raise FeatureNotSupported(
                f'view "{name}" of another database cannot be followed',
                hint="Name what it reads.",
                position=position,
            )
        known = there.relations.values()
        if not any(isinstance(s, Subscription) and s.source == relation.oid for s in known):
            raise ObjectNotInPrerequisiteState(
                "Some upstream tables are not subscribed",
                hint=f"In database {database}: CREATE SUBSCRIPTION ... FROM {schema}.{name} "
                "WITH (retention = '1D').",
                position=position,
            )
        for mirror in mirrors_in(catalog):
            if (mirror.source_database, mirror.source) == (there.database_oid, relation.oid):
                if {c.number for c in relation.columns} - {c.number for c in mirror.columns}:
                    raise FeatureNotSupported(
                        f'relation "{database}.{schema}.{name}" has got columns since views of '
                        "this database began to follow it",
                        hint="Views that follow all of them can be made once the others are gone.",
                        position=position,
                    )
                return replace(mirror, schema=schema, name=name)
        assert isinstance(relation, Table | MaterializedView), relation
        raise NotMirrored(there.database_oid, relation)

    def find(
        self, database: str, schema: str, name: str, position: int | None = None
    ) -> DistantRows:
        """Return a relation of another database.

        Raises:
            UndefinedDatabase: There is no such database.
            InsufficientPrivilege: The user may not connect to it, or not read the relation.
            UndefinedTable: There is no such relation.
            FeatureNotSupported: A column is of a type that only its database knows.
        """
        session, manager = self._session, self._session.manager
        if self._turn != session.turn:  # Another statement.
            self.rest()
            self._forget()
            self._turn = session.turn
        worker = manager.worker(database)
        check_connect(manager, session.user, database)
        place = self._place(database, worker)
        if place.catalog is None:
            place.catalog = worker.pin(place.reader)
        user, access = session.user, manager.roles.access(session.user.oid, database)
        context = BindContext(
            catalog=place.catalog,
            user=user.name,
            session_user=user.name,
            access=access,
            settings=session.settings.values(),
        )
        relation = find_relation(context, name, schema, position=position)
        if not isinstance(relation, Table | View | MaterializedView):
            raise FeatureNotSupported(
                f'SOURCE "{name}" is not allowed for cross-db access', position=position
            )
        check_select(manager, place.catalog, access, relation)
        tree = exp.select("*").from_(
            exp.table_(exp.to_identifier(name, quoted=True), exp.to_identifier(schema, quoted=True))
        )
        bound = bind_query(tree, context)
        refuse_own_types(relation, (column.type for column in bound.columns), position)
        return DistantRows(relation, bound, self, place.reader)

    def rest(self) -> None:
        """Let go of the snapshots: the statement is over."""
        for place in self._places.values():
            if place.catalog is not None:
                place.catalog = None
                place.reader.rollback()

    def close(self) -> None:
        """Let go of everything."""
        self._held.clear()
        for place in self._places.values():
            with suppress(PgError):
                place.reader.close()
        self._places.clear()

    def bring(self, rows: DistantRows, used: Sequence[int]) -> str:
        """Copy columns of a relation to the session's connection; returns the name of the table."""
        session, name = self._session, f"distant_{len(self._held)}"
        query, parameters = engine_text(rows.bound.tree).with_values(())
        assert not parameters, query
        # Arrow's intervals count nanoseconds and have no room for 300 years of them.
        types = {f"c{n}": rows.bound.columns[n - 1].type.duckdb for n in used}
        sent = (f"{c}::{t.replace('INTERVAL', 'VARCHAR')} AS {c}" for c, t in types.items())
        taken = (f"{c}::{t} AS {c}" for c, t in types.items())
        reader = session.reader
        with session.interrupt.on_set(rows.reader.interrupt):
            reader.run_after(
                f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {', '.join(taken)} FROM {GIVEN}",
                rows.reader,
                f"SELECT {', '.join(sent)} FROM ({query}) AS q",
            )
        self._held[name] = reader
        return name

    def _place(self, database: str, worker: BarrierWorker) -> _Place:
        place = self._places.get(database)
        if place is None or place.worker is not worker:
            if place is not None:
                with suppress(PgError):
                    place.reader.close()
            place = self._places[database] = _Place(worker, worker.reader())
        return place

    def _forget(self) -> None:
        """Drop the rows that earlier statements have read."""
        reader = self._session.reader
        for name, holder in self._held.items():
            if holder is reader:
                reader.run(f"DROP TABLE IF EXISTS temp.{name}")
        self._held.clear()


@dataclass(frozen=True, slots=True)
class DistantRows:
    """A relation of another database as a query of this one reads it."""

    relation: Relation
    bound: BoundQuery
    elsewhere: Elsewhere
    reader: Reader

    @property
    def oid(self) -> Oid:
        """The relation's identifier, which no relation of this database has."""
        return self.relation.oid

    @property
    def name(self) -> str:
        """The relation's name."""
        return self.relation.name

    @property
    def columns(self) -> tuple[Column, ...]:
        """The relation's columns, numbered as they come."""
        numbered = enumerate(self.bound.columns, 1)
        return tuple(Column(column.name, column.type, number) for number, column in numbered)

    @property
    def has_texts(self) -> bool:
        """Whether what is given are texts that are cast."""
        return False

    def rows(self) -> list[Sequence[object]]:
        """Never asked for: all are given."""
        raise AssertionError(self.name)

    def given(self, used: Sequence[int]) -> str:
        """Return the name under which the session's connection reads the columns."""
        return self.elsewhere.bring(self, used)


def refuse_own_types(
    relation: Relation, types: Iterator[PgType] | Sequence[PgType], position: int | None = None
) -> None:
    """Refuse columns whose types only the relation's database knows.

    Raises:
        FeatureNotSupported: There is one.
    """
    if any(map(_is_own, types)):
        raise FeatureNotSupported(
            f"cross-database references to columns of user-defined types are not supported: "
            f'"{relation.name}"',
            hint="A view of that database can show such a column as text.",
            position=position,
        )


def _is_own(pg_type: PgType) -> bool:
    parts = [pg_type.element, *(pg_type.entry or ()), *(member for _, member in pg_type.members)]
    is_own = pg_type.domain is not None or pg_type.is_made
    return is_own or any(_is_own(part) for part in parts if part is not None)
