"""What names mean to a session: the catalog, its search path and its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from sqlglot import exp

from catalog.errors import FeatureNotSupported, UndefinedTable
from catalog.oid import Oid
from catalog.relation import Column, Relation
from catalog.roles import Access
from catalog.state import Catalog
from catalog.types import PgType, array_of
from catalog.user_type import pg_type


class SystemRelation(Protocol):
    """A relation of the system catalogs, with its rows as of now."""

    @property
    def oid(self) -> Oid:
        """The relation's identifier."""
        ...

    @property
    def name(self) -> str:
        """The relation's name."""
        ...

    @property
    def columns(self) -> tuple[Column, ...]:
        """The relation's columns."""
        ...

    def rows(self) -> Sequence[Sequence[object]]:
        """Return the rows, each with a value for every column."""
        ...

    def given(self, used: Sequence[int]) -> str | None:
        """Return the name of a table of the rows, with columns c1, c2, ...; None when they are few.

        Args:
            used: The numbers of the columns that are read; there need be no others.
        """
        ...

    @property
    def has_texts(self) -> bool:
        """Whether columns of that table may be texts of values; those of arrays are JSON."""
        ...


#: Of somebody who may do everything.
_EVERYTHING: Final = Access(is_superuser=True, roles=frozenset())


def no_system_relations(schema: str, name: str) -> SystemRelation | None:  # noqa: ARG001
    """Know no system relation."""
    return None


def no_objects(kind: str, text: str) -> int:  # noqa: ARG001
    """Know no objects."""
    raise UndefinedTable.named(text)


def no_other_databases(
    database: str, schema: str, name: str, position: int | None
) -> Relation | SystemRelation:
    """Know no other database."""
    raise FeatureNotSupported(
        f'cross-database references are not implemented: "{database}.{schema}.{name}"',
        position=position,
    )


def no_past(oid: Oid, time: exp.Expr, position: int | None) -> exp.Expr | None:  # noqa: ARG001
    """Know of no earlier time."""
    raise FeatureNotSupported("FOR SYSTEM_TIME is not supported", position=position)


@dataclass(frozen=True, slots=True, kw_only=True)
class BindContext:
    """What a statement is bound against.

    Attributes:
        catalog: The database.
        search_path: Existing schemas in order, without the implicit pg_catalog and rw_catalog.
        user: Whose privileges are used.
        session_user: Whose session it is.
        access: What the user may do; which schemas he may look into is asked while names are
            looked up, everything else when the statement runs.
        settings: For current_setting and what the types' texts depend on.
        parameter_hints: Types of $1, $2, ... as the client gave them; None is left open.
        names_views: Whether views are named in what is bound, and not put in.
        is_streaming: Whether the query will be maintained, so that ``now()`` is the epoch's.
        reads_sources: Whether sources may be named, which no query can read that is run.
        system: Finds a system relation by schema and name.
        elsewhere: Finds a relation of another database, by that, its schema and name.
        earlier: Gives the query for the rows of a stored relation as of a time, which is as it was
            parsed; None: they are those of now.
        object_oid: Returns the OID of an object, by the name of a type such as regclass and a text.
        overlay: By OID, a query to read instead of the stored rows.
        backend_pid: What pg_backend_pid() says.
        version: What version() says.
        cluster: What rw_cluster_id() says.
        offset: Where the tree's text begins in the client's string, in characters.
        wanted: Is given the numbers of parameters whose values must be known to bind for a run.
    """

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    user: str = "root"
    session_user: str = "root"
    access: Access = _EVERYTHING
    settings: Mapping[str, str] = field(default_factory=dict)
    parameter_hints: tuple[PgType | None, ...] = ()
    is_streaming: bool = False
    names_views: bool = False
    reads_sources: bool = False
    system: Callable[[str, str], SystemRelation | None] = no_system_relations
    elsewhere: Callable[[str, str, str, int | None], Relation | SystemRelation] = no_other_databases
    earlier: Callable[[Oid, exp.Expr, int | None], exp.Expr | None] = no_past
    object_oid: Callable[[str, str], int] = no_objects
    overlay: Mapping[Oid, exp.Expr] = field(default_factory=dict)
    backend_pid: int = 0
    version: str = "PostgreSQL 15.0"
    cluster: str = ""
    offset: int = 0
    wanted: set[int] = field(default_factory=set)

    def find_type(self, schema: str | None, name: str) -> PgType | None:
        """Return the type of that name that a user has made, or its array's; None without one."""
        for held_in in self.search_path if schema is None else (schema,):
            if (made := self.catalog.find_type(held_in, name)) is not None:
                return pg_type(made)
            if name.startswith("_"):
                made = self.catalog.find_type(held_in, name[1:])
                if made is not None:
                    return array_of(pg_type(made))
        return None
