"""Names and options, the smallest parts that statements are made of.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from catalog.relation import Column


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """``[[database.]schema.]name``."""

    name: str
    schema: str | None = None
    database: str | None = None
    position: int | None = None  #: In characters from 1 in the whole string.

    def __str__(self) -> str:
        return ".".join(part for part in (self.database, self.schema, self.name) if part)


@dataclass(frozen=True, slots=True)
class ColumnName:
    """The name of a column, and where it stands."""

    name: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """``name = value`` of a WITH clause or a list of options; None when no value is written.

    Attributes:
        secret: Of ``name = SECRET s``, the secret; then there is no value either.
    """

    name: str
    value: str | None = None
    position: int | None = None
    secret: QualifiedName | None = None


class ObjectKind(StrEnum):
    """What DROP, ALTER ... RENAME and SHOW CREATE name, as it is written."""

    TABLE = "TABLE"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    VIEW = "VIEW"
    SCHEMA = "SCHEMA"
    DATABASE = "DATABASE"
    INDEX = "INDEX"
    SOURCE = "SOURCE"
    SINK = "SINK"
    SUBSCRIPTION = "SUBSCRIPTION"
    FUNCTION = "FUNCTION"
    TYPE = "TYPE"
    DOMAIN = "DOMAIN"
    SECRET = "SECRET"  # noqa: S105 - a word


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """What is said of a sequence; None is nothing.

    Attributes:
        no_minimum: NO MINVALUE: the type's own bound.
        owned_by: A column with its table's name, or empty for OWNED BY NONE.
        restarts: RESTART, ``restart`` its number if there is one.
        name: SEQUENCE NAME of an identity column, without its schema.
    """

    type: str | None = None
    type_position: int | None = None
    increment: int | None = None
    minimum: int | None = None
    no_minimum: bool = False
    maximum: int | None = None
    no_maximum: bool = False
    start: int | None = None
    cache: int | None = None
    cycles: bool | None = None
    owned_by: tuple[str, ...] | None = None
    restarts: bool = False
    restart: int | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenCollation:
    """COLLATE beside a column, and where the word stands."""

    name: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column of CREATE TABLE."""

    name: str
    type: str  #: As written, with small letters and single blanks: ``numeric(10,2)[]``.
    position: int | None = None
    type_position: int | None = None
    is_not_null: bool = False
    default: exp.Expr | None = None
    default_text: str | None = None
    generated: exp.Expr | None = None
    generated_text: str | None = None
    identity: str = ""  #: As ``Column.identity``.
    sequence: SequenceOptions | None = None  #: Of an identity column.
    collation: WrittenCollation | None = None
    copied: Column | None = None  #: Of LIKE, the column that it is like.


@dataclass(frozen=True, slots=True)
class LikeClause:
    """LIKE among the columns of CREATE TABLE.

    Attributes:
        place: How many columns are written before it.
        including: What is copied beside the columns, in upper case.
    """

    source: QualifiedName
    place: int
    including: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CheckDefinition:
    """A CHECK constraint; ``column`` is the one beside which it was written."""

    condition: exp.Expr
    text: str
    name: str | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class WatermarkDefinition:
    """``WATERMARK FOR column AS expression [WITH TTL]``."""

    column: ColumnName
    expression: exp.Expr
    text: str
    has_ttl: bool
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Deferral:
    """Whether a constraint can wait until the transaction's end, and whether it does."""

    is_deferrable: bool = False
    is_deferred: bool = False


@dataclass(frozen=True, slots=True)
class KeyDefinition:
    """PRIMARY KEY or UNIQUE; ``index`` is that of USING INDEX, which has the columns.

    Attributes:
        options: Storage parameters of the index.
    """

    columns: tuple[ColumnName, ...]
    name: str | None = None
    is_primary: bool = False
    are_nulls_equal: bool = False
    include: tuple[ColumnName, ...] = ()
    index: str | None = None
    deferral: Deferral = Deferral()
    position: int | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceDefinition:
    """FOREIGN KEY or REFERENCES.

    Attributes:
        table: The referenced one.
        target_columns: Its columns; empty is its primary key.
        on_update: In upper case, as written: ``SET NULL``.
        set_columns: Those that ON DELETE SET NULL or SET DEFAULT names.
    """

    columns: tuple[ColumnName, ...]
    table: QualifiedName
    target_columns: tuple[ColumnName, ...] = ()
    name: str | None = None
    is_full: bool = False
    on_update: str = "NO ACTION"
    on_delete: str = "NO ACTION"
    set_columns: tuple[ColumnName, ...] = ()
    deferral: Deferral = Deferral()
    is_valid: bool = True
    position: int | None = None


@dataclass(frozen=True, slots=True)
class RowRules:
    """What a table of CREATE TABLE does with new rows.

    Attributes:
        conflict: The words after ON CONFLICT, in upper case; None without.
        version_columns: Those of WITH VERSION COLUMN.
        is_append_only: APPEND ONLY.
    """

    conflict: str | None = None
    version_columns: tuple[ColumnName, ...] = ()
    is_append_only: bool = False


#: Those of a table of which nothing is said.
PLAIN_RULES = RowRules()


@dataclass(frozen=True, slots=True)
class FieldPart:
    """``.name`` behind a column that is assigned to."""

    name: str
    position: int | None


@dataclass(frozen=True, slots=True)
class SubscriptPart:
    """``[index]`` or ``[index : upper]``, of which a slice may leave out both."""

    index: exp.Expr | None
    upper: exp.Expr | None
    is_slice: bool
    position: int | None


Part: TypeAlias = FieldPart | SubscriptPart


@dataclass(frozen=True, slots=True)
class Assignment:
    """``column = value`` of SET; several columns take their values from one subquery.

    ``parts`` say which part of a single column it is, from the outside in; none is all of it.
    """

    columns: tuple[ColumnName, ...]
    value: exp.Expr | None  #: None is DEFAULT.
    parts: tuple[Part, ...] = ()
