"""Columns and relations: what FROM can name.

Every relation has an OID that never changes. Storage speaks of it by that: a relation's rows are
in ``r<oid>`` with columns ``c<number>``, so that renaming touches nothing and names that differ
only in case do not meet in DuckDB, which does not tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from catalog.acl import Acl, Kind
from catalog.connector import Connector
from catalog.constraint import ForeignKey, UniqueKey
from catalog.index import Index
from catalog.job_config import JobConfig
from catalog.oid import Oid
from catalog.queried import JobStatus, MaterializedView, Sink, SourceReader, StreamingJob, View
from catalog.subscription import PastLayout, Subscription
from catalog.types import PgType
from catalog.watermark import Watermark

__all__ = [
    "JobStatus",
    "MaterializedView",
    "PastLayout",
    "Sink",
    "SourceReader",
    "StreamingJob",
    "Subscription",
    "View",
]

#: What stands for the row in expressions over its columns.
ROW: Final = "this_row"

#: The hidden key of a table without primary key, and of nothing else.
ROW_ID: Final = "_row_id"

#: What the names of schemas begin with that hold the relations of one session; no other's does.
_TEMPORARY_PREFIX: Final = "pg_temp_"


def temporary_schema(process_id: int) -> str:
    """Return the name of the schema of a session's temporary relations."""
    return f"{_TEMPORARY_PREFIX}{process_id}"


def is_temporary(schema: str) -> bool:
    """Whether what is in a schema goes with the session that made it."""
    return schema.startswith(_TEMPORARY_PREFIX)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation.

    Attributes:
        name: As users see it.
        type: Its type.
        number: Its attnum, from 1, never used twice in a relation.
        is_nullable: Whether NULL may stand in it.
        default: The default as DuckDB SQL without references, or None.
        default_source: The same as the user wrote it.
        generated: Of a generated column, what it holds: DuckDB SQL over the row's other columns
            under the alias ``ROW``; or None.
        generated_source: The same as the user wrote it.
        acl: What is granted of it beside what is of the whole relation.
        identity: Of an identity column, as pg_attribute.attidentity: ``a`` always, ``d`` by
            default; or empty. Its default is its sequence's next number.
        collation: The name of the collation that it was declared with; empty is its type's.
    """

    name: str
    type: PgType
    number: int
    is_nullable: bool = True
    default: str | None = None
    default_source: str | None = None
    generated: str | None = None
    generated_source: str | None = None
    comment: str | None = None
    acl: Acl = ()
    identity: str = ""
    collation: str = ""

    @property
    def storage_name(self) -> str:
        """The column's name in storage."""
        return f"c{self.number}"


def storage_name(oid: Oid) -> str:
    """Return the name of the stored rows of a relation."""
    return f"r{oid}"


def view_name(oid: Oid) -> str:
    """Return what a view is called in the stored query of another."""
    return f"v{oid}"


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that no row may fail.

    Attributes:
        condition: DuckDB SQL over the row's columns under the alias ``ROW``.
        source: The same as the user wrote it.
        columns: The numbers of the columns that it reads.
    """

    name: str
    condition: str
    source: str
    columns: tuple[int, ...] = ()
    comment: str | None = None


class KeyConflict(StrEnum):
    """What an INSERT does with a row whose key is there, as CREATE TABLE says it."""

    #: The new row takes the old one's place.
    OVERWRITE = "OVERWRITE"
    #: The old row stays.
    DO_NOTHING = "DO NOTHING"
    #: The new row takes the old one's place, but where it is NULL.
    DO_UPDATE_IF_NOT_NULL = "DO UPDATE IF NOT NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows that clients write.

    Attributes:
        primary_key: Column numbers in the key's order; empty without one. Then rows have the
            hidden column ``_row_id``.
        created_by: What version() said then.
        columns_made: The highest number that a column ever had, where that is not one of them.
        checks: What every row fulfils.
        on_conflict: What INSERT does with keys that are there.
        version_columns: The numbers of columns which decide whether a new row is newer than the
            one that is there; a row that is older is passed over.
        is_append_only: Whether rows are only ever added.
        indexes: Those beside the primary key's.
        foreign_keys: What it refers to.
        key_name: What its primary key is called; empty is as PostgreSQL would have called it.
        storage_parameters: ``name=value``, as ``pg_class.reloptions`` has them.
        key_comment, key_index_comment: Of its primary key as a constraint, and as an index.
        watermark: Which rows come too late; None: none do.
        retention_s: For how many seconds a row stays after it was written; None is for good.
        connector: What brings it rows beside those that clients write; or None.
        config: As of a streaming job.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    columns: tuple[Column, ...]
    primary_key: tuple[int, ...] = ()
    definition: str = ""
    created_ms: int = 0
    created_by: str = ""
    comment: str | None = None
    columns_made: int = 0
    checks: tuple[Check, ...] = ()
    on_conflict: KeyConflict = KeyConflict.OVERWRITE
    version_columns: tuple[int, ...] = ()
    is_append_only: bool = False
    indexes: tuple[Index, ...] = ()
    acl: Acl | None = None
    foreign_keys: tuple[ForeignKey, ...] = ()
    key_name: str = ""
    storage_parameters: tuple[str, ...] = ()
    key_comment: str | None = None
    key_index_comment: str | None = None
    watermark: Watermark | None = None
    retention_s: int | None = None
    connector: Connector | None = None
    config: JobConfig = ()

    @property
    def primary_key_name(self) -> str:
        """The name of the primary key's constraint, and of its index."""
        return self.key_name or f"{self.name}_pkey"

    @property
    def unique_keys(self) -> tuple[UniqueKey, ...]:
        """What no two rows have in common: the primary key first."""
        names = {column.number: column.name for column in self.columns}
        macros = self.text_macros
        found = [_unique_key(index, names, macros) for index in self.indexes if index.is_unique]
        if self.primary_key:
            key = UniqueKey(
                self.oid,
                self.primary_key_name,
                tuple(f"{ROW}.c{number}" for number in self.primary_key),
                tuple(names[number] for number in self.primary_key),
                frozenset(self.primary_key),
                self.primary_key,
                is_primary=True,
                macros=tuple(macros.get(number, "") for number in self.primary_key),
            )
            found.insert(0, key)
        return tuple(found)

    @property
    def text_macros(self) -> dict[int, str]:
        """The engine's macros for the texts of columns that are stored as numbers, by theirs."""
        return {c.number: f"ut{c.type.oid}_text" for c in self.columns if c.type.labels}

    @property
    def compared_numbers(self) -> frozenset[int]:
        """The columns that are compared as they are stored: those of keys, and of versions."""
        keys = (
            number for index in self.indexes if index.is_unique for number in index.plain_columns
        )
        references = (number for key in self.foreign_keys for number in key.columns)
        return frozenset((*self.primary_key, *keys, *references, *self.version_columns))

    @property
    def binds_rows(self) -> bool:
        """Whether its rows are bound to others by more than its primary key."""
        return bool(self.foreign_keys) or any(index.is_unique for index in self.indexes)

    @property
    def has_key_rules(self) -> bool:
        """Whether INSERT does otherwise with keys that are there than to replace their rows."""
        is_plain = self.on_conflict is KeyConflict.OVERWRITE and not self.version_columns
        return bool(self.primary_key) and not is_plain

    @property
    def next_number(self) -> int:
        """The number of the next column that is added."""
        return max(self.columns_made, *(column.number for column in self.columns), 0) + 1

    @property
    def layout(self) -> tuple[str, ...]:
        """What a new row must fit: changes with every column and every constraint."""
        rows = (
            described if column.is_nullable else f"{described} NOT NULL"
            for column, described in zip(self.columns, self.storage_columns, strict=True)
        )
        return (
            *rows,
            *(f"{c.storage_name} AS {c.generated}" for c in self.columns if c.generated),
            *(f"CHECK {check.condition}" for check in self.checks),
            *(f"KEY {key.oid} {key.parts}" for key in self.unique_keys),
            *(f"REFERENCES {key.oid}" for key in self.foreign_keys),
        )

    @property
    def storage_columns(self) -> tuple[str, ...]:
        """The stored columns that users see, with their types."""
        return tuple(f"{c.storage_name} {c.type.duckdb}" for c in self.columns)

    @property
    def key(self) -> tuple[str, ...]:
        """The storage columns that identify a row."""
        return tuple(f"c{number}" for number in self.primary_key) or (ROW_ID,)


def _unique_key(index: Index, names: dict[int, str], macros: dict[int, str]) -> UniqueKey:
    parts = tuple(f"{ROW}.c{k.column}" if k.column else str(k.expression) for k in index.keys)
    is_plain = all(key.column for key in index.keys)
    return UniqueKey(
        index.oid,
        index.name,
        parts,
        tuple(names[k.column] if k.column else str(k.source) for k in index.keys),
        index.key_columns,
        tuple(key.column for key in index.keys) if is_plain else (),
        index.condition,
        index.are_nulls_equal,
        constraint=index.constraint,
        is_deferrable=index.is_deferrable,
        is_deferred=index.is_deferred,
        macros=tuple(macros.get(key.column, "") for key in index.keys),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Rows that come from a connector, to each materialized view that reads them from its creation.

    It has none itself. What a view has got is kept for it alone, in a table that belongs to the
    view (``MaterializedView.readers``).

    Attributes:
        depends_on, functions: Nothing; as for a view.
        created_by: What version() said then.
        watermark: As of a table.
        config: As of a streaming job.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    columns: tuple[Column, ...]
    connector: Connector
    depends_on: frozenset[Oid] = frozenset()
    definition: str = ""
    created_ms: int = 0
    created_by: str = ""
    comment: str | None = None
    acl: Acl | None = None
    functions: frozenset[Oid] = frozenset()
    watermark: Watermark | None = None
    config: JobConfig = ()

    @property
    def next_number(self) -> int:
        """The number of the next column that is added; none ever goes."""
        return len(self.columns) + 1

    def reader(self, oid: Oid, last: int | None = None) -> Table:
        """Return the table that keeps what one view has got of it.

        Args:
            oid: The table's own.
            last: As of ``SourceReader``; None is all columns.
        """
        return Table(
            oid=oid,
            schema=self.schema,
            name=self.name,
            owner=self.owner,
            columns=tuple(c for c in self.columns if last is None or c.number <= last),
            created_ms=self.created_ms,
            is_append_only=True,
            connector=self.connector,
            watermark=self.watermark,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror(Table):
    """The rows of a relation of another database, for the materialized views of this one.

    It follows the relation's changes and is in no schema, so that no name means it.
    """

    source_database: Oid  #: The other database.
    source: Oid  #: The relation there.


#: What has rows to read.
Readable: TypeAlias = Table | View | MaterializedView | Source
#: What queries cannot name.
Rowless: TypeAlias = Sink | Subscription
Relation: TypeAlias = Readable | Rowless


def query_of(relation: Relation) -> str:
    """Return the query of a relation; empty where it has none."""
    return "" if isinstance(relation, Table | Source | Subscription) else relation.query


#: What PostgreSQL calls each kind in messages.
KIND_NAMES: Final[dict[type, str]] = {
    Table: "table",
    Mirror: "mirror",
    View: "view",
    MaterializedView: "materialized view",
    Sink: "sink",
    Subscription: "subscription",
    Source: "source",
}


def kind_name(relation: Relation) -> str:
    """Return what messages call a relation of this kind."""
    return KIND_NAMES[type(relation)]


@dataclass(frozen=True, slots=True)
class Schema:
    """A namespace of a database."""

    oid: Oid
    name: str
    owner: str
    comment: str | None = None
    acl: Acl | None = None


@dataclass(frozen=True, slots=True)
class DefaultPrivileges:
    """What is granted on objects that a role will make, in a schema or, with None, anywhere.

    Attributes:
        acl: Anywhere, the list that new objects get; in a schema, what is added to it.
        relation: Of relations which they are for, as ``kind_name`` has it; empty is all of them.
    """

    role: str
    schema: str | None
    kind: Kind
    acl: Acl
    relation: str = ""


#: A moment that never comes.
FOREVER_MS: Final = 2**62


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may connect; roles are the server's, not a database's."""

    oid: Oid
    name: str
    is_superuser: bool = False
    can_create_database: bool = False
    can_create_user: bool = False
    can_login: bool = True
    inherits: bool = True
    connections_max: int = -1  #: -1 is no limit.
    valid_until_ms: int | None = None  #: When the password expires, since 1970.
    comment: str | None = None
    #: A SCRAM-SHA-256 verifier as PostgreSQL's pg_authid.rolpassword, or None.
    verifier: str | None = field(default=None, repr=False)
