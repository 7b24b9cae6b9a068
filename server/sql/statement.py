"""Statements as values: one class each, ``Statement`` is any of them.

Names are folded, queries and expressions are sqlglot trees whose names are folded too. Nothing is
resolved: whether a table exists or a type has such a name is for those who bind.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from server.sql.alter_statement import AlterRelationStatement, Truncate
from server.sql.clause import (
    PLAIN_RULES,
    Assignment,
    CheckDefinition,
    ColumnDefinition,
    ColumnName,
    KeyDefinition,
    LikeClause,
    ObjectKind,
    Option,
    QualifiedName,
    ReferenceDefinition,
    RowRules,
    WatermarkDefinition,
)
from server.sql.comment_statement import CommentStatement
from server.sql.constant_rows import ConstantRows
from server.sql.flow_statement import (
    AlterDatabasePause,
    AlterDatabaseResume,
    AlterDatabaseStep,
    AlterDatabaseWrites,
    AlterSystemPause,
    AlterSystemResume,
    AlterViewPause,
    AlterViewRate,
    AlterViewResume,
    Backup,
    FlowStatement,
    PauseTime,
)
from server.sql.function_statement import FunctionStatement
from server.sql.index_statement import CreateIndex, IndexPart
from server.sql.maintenance_statement import Analyze, Checkpoint, Vacuum
from server.sql.merge_statement import Merge
from server.sql.privilege_statement import PrivilegeStatement
from server.sql.role_name import RoleName
from server.sql.role_statement import RoleStatement
from server.sql.secret_statement import SecretStatement
from server.sql.sequence_statement import SequenceStatement
from server.sql.session_statement import (
    Begin,
    CloseCursor,
    Commit,
    Deallocate,
    DeallocateAll,
    DeclareCursor,
    Discard,
    ExecuteStatement,
    Fetch,
    FetchDirection,
    Listen,
    Move,
    Notify,
    ReleaseSavepoint,
    Reset,
    Rollback,
    RollbackTo,
    Savepoint,
    Set,
    SetScope,
    SetTransaction,
    TransactionModes,
    TransactionStatement,
    Unlisten,
    Use,
)
from server.sql.show_statement import (
    Describe,
    Show,
    ShowColumns,
    ShowCreate,
    ShowIndexes,
    ShowObjects,
    ShowStatement,
)
from server.sql.source import Parsed
from server.sql.streaming_statement import (
    CancelJobs,
    CheckMaterializedView,
    CreateSink,
    ExplainMaterializedView,
    Flush,
    Recover,
    StreamingStatement,
    Wait,
)
from server.sql.subscription_statement import SubscriptionStatement
from server.sql.type_statement import TypeStatement

__all__ = [
    "AlterDatabasePause",
    "AlterDatabaseResume",
    "AlterDatabaseSet",
    "AlterDatabaseStep",
    "AlterDatabaseWrites",
    "AlterRename",
    "AlterStatement",
    "AlterSystemPause",
    "AlterSystemResume",
    "AlterSystemSet",
    "AlterViewPause",
    "AlterViewRate",
    "AlterViewResume",
    "Analyze",
    "Assignment",
    "Backup",
    "Begin",
    "CancelJobs",
    "CheckMaterializedView",
    "Checkpoint",
    "CloseCursor",
    "ColumnDefinition",
    "ColumnName",
    "Commit",
    "Copy",
    "CopyDirection",
    "CreateDatabase",
    "CreateMaterializedView",
    "CreateSchema",
    "CreateSink",
    "CreateStatement",
    "CreateTable",
    "CreateView",
    "CursorStatement",
    "DataStatement",
    "Deallocate",
    "DeallocateAll",
    "DeclareCursor",
    "Delete",
    "Describe",
    "Discard",
    "Drop",
    "ExecuteStatement",
    "Explain",
    "ExplainMaterializedView",
    "Fetch",
    "FetchDirection",
    "FlowStatement",
    "Flush",
    "Insert",
    "Listen",
    "MaintenanceStatement",
    "Move",
    "Notify",
    "ObjectKind",
    "OnConflict",
    "Option",
    "PauseTime",
    "Prepare",
    "PreparedStatement",
    "QualifiedName",
    "Query",
    "Recover",
    "ReleaseSavepoint",
    "Reset",
    "RoleStatement",
    "Rollback",
    "RollbackTo",
    "Savepoint",
    "SessionStatement",
    "Set",
    "SetScope",
    "SetTransaction",
    "Show",
    "ShowColumns",
    "ShowCreate",
    "ShowIndexes",
    "ShowObjects",
    "ShowStatement",
    "Statement",
    "StreamingStatement",
    "TransactionModes",
    "TransactionStatement",
    "Unlisten",
    "Unsupported",
    "Update",
    "Use",
    "Vacuum",
    "Wait",
]


@dataclass(frozen=True, slots=True)
class Unsupported(Parsed):
    """A statement that is understood and not available."""

    what: str  #: Its name in upper case: ``CREATE INDEX``.


# Queries and data


@dataclass(frozen=True, slots=True)
class Query(Parsed):
    """SELECT, VALUES, TABLE, WITH and set operations."""

    tree: exp.Expr


@dataclass(frozen=True, slots=True)
class OnConflict:
    """``ON CONFLICT``: DO NOTHING when there are no assignments."""

    target: tuple[IndexPart, ...] = ()
    constraint: str | None = None
    assignments: tuple[Assignment, ...] = ()
    where: exp.Expr | None = None
    target_where: exp.Expr | None = None  #: Which rows the index of the target is of.
    target_position: int | None = None


@dataclass(frozen=True, slots=True)
class Insert(Parsed):
    """INSERT; DEFAULT among VALUES is an ``exp.Var`` of that name.

    It has a ``query``, or ``rows``, or neither for DEFAULT VALUES.
    """

    table: QualifiedName
    columns: tuple[ColumnName, ...]  #: Empty when no list is written.
    query: exp.Expr | None
    alias: str | None = None
    on_conflict: OnConflict | None = None
    returning: tuple[exp.Expr, ...] = ()
    with_: exp.With | None = None  #: Written before INSERT; the query's own is in its tree.
    rows: ConstantRows | None = None
    overriding: str = ""  #: ``USER`` or ``SYSTEM``, of OVERRIDING.


@dataclass(frozen=True, slots=True)
class Update(Parsed):
    """UPDATE."""

    table: QualifiedName
    assignments: tuple[Assignment, ...]
    alias: str | None = None
    from_: exp.Select | None = None  #: ``SELECT * FROM`` the items after FROM.
    where: exp.Expr | None = None
    returning: tuple[exp.Expr, ...] = ()
    with_: exp.With | None = None


@dataclass(frozen=True, slots=True)
class Delete(Parsed):
    """DELETE."""

    table: QualifiedName
    alias: str | None = None
    using: exp.Select | None = None  #: ``SELECT * FROM`` the items after USING.
    where: exp.Expr | None = None
    returning: tuple[exp.Expr, ...] = ()
    with_: exp.With | None = None


Write: TypeAlias = Insert | Update | Delete | Merge


@dataclass(frozen=True, slots=True)
class WritingWith(Parsed):
    """A statement after WITH that has others in it, which write; ``main`` is without the clause."""

    with_: exp.With
    writes: tuple[Write, ...]
    main: Query | Write


class CopyDirection(StrEnum):
    """Which way the data of COPY go."""

    FROM_STDIN = "FROM STDIN"
    TO_STDOUT = "TO STDOUT"


@dataclass(frozen=True, slots=True)
class Copy(Parsed):
    """COPY of a table or, to the client only, of a query."""

    direction: CopyDirection
    table: QualifiedName | None
    columns: tuple[ColumnName, ...] = ()
    query: exp.Expr | None = None
    options: tuple[Option, ...] = ()  #: Names in lower case; lists are joined by commas.
    where: exp.Expr | None = None


# Definitions


@dataclass(frozen=True, slots=True)
class CreateTable(Parsed):
    """CREATE TABLE, with columns or AS a query."""

    name: QualifiedName
    columns: tuple[ColumnDefinition, ...] = ()
    keys: tuple[KeyDefinition, ...] = ()
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()
    column_names: tuple[ColumnName, ...] = ()  #: Names for the columns of the query.
    query: exp.Expr | None = None
    query_text: str | None = None
    with_data: bool = True
    checks: tuple[CheckDefinition, ...] = ()
    rules: RowRules = PLAIN_RULES
    references: tuple[ReferenceDefinition, ...] = ()
    likes: tuple[LikeClause, ...] = ()
    watermark: WatermarkDefinition | None = None
    is_temporary: bool = False
    format: str = ""  #: Of a connector's rows what FORMAT says, in upper case.
    encode: str = ""
    on_commit: str = ""  #: What becomes of it or its rows then: DROP, DELETE ROWS or PRESERVE ROWS.


@dataclass(frozen=True, slots=True)
class CreateView(Parsed):
    """CREATE VIEW."""

    name: QualifiedName
    columns: tuple[ColumnName, ...]
    query: exp.Expr
    query_text: str
    if_not_exists: bool = False
    is_temporary: bool = False
    replaces: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateMaterializedView(Parsed):
    """CREATE MATERIALIZED VIEW."""

    name: QualifiedName
    columns: tuple[ColumnName, ...]
    query: exp.Expr
    query_text: str
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()  #: Such as ``refresh.interval.sec``.
    with_data: bool = True
    emits_on_close: bool = False  #: EMIT ON WINDOW CLOSE.


@dataclass(frozen=True, slots=True)
class CreateSchema(Parsed):
    """CREATE SCHEMA; without a name it is that of the owner."""

    name: str | None
    if_not_exists: bool = False
    owner: RoleName | None = None


@dataclass(frozen=True, slots=True)
class CreateDatabase(Parsed):
    """CREATE DATABASE; options are ``owner``, ``barrier_interval_ms``, ``checkpoint_frequency``."""

    name: str
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop(Parsed):
    """DROP of one or several objects of one kind."""

    kind: ObjectKind
    names: tuple[QualifiedName, ...]
    if_exists: bool = False
    is_cascade: bool = False
    is_forced: bool = False  #: DROP DATABASE ... WITH (FORCE).


@dataclass(frozen=True, slots=True)
class AlterRename(Parsed):
    """ALTER ... RENAME TO."""

    kind: ObjectKind
    name: QualifiedName
    new_name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSystemSet(Parsed):
    """ALTER SYSTEM SET; None is DEFAULT."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class AlterDatabaseSet(Parsed):
    """ALTER DATABASE ... SET; None is DEFAULT."""

    database: str
    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Explain(Parsed):
    """EXPLAIN of another statement."""

    statement: Statement
    is_analyze: bool = False
    is_verbose: bool = False
    format: str = "text"  #: In lower case.
    options: tuple[Option, ...] = ()  #: The others, names in lower case.


# The session; the rest of its statements is in ``session_statement``


@dataclass(frozen=True, slots=True)
class Prepare(Parsed):
    """PREPARE."""

    name: str
    types: tuple[str, ...]
    statement: Statement


AlterStatement: TypeAlias = (
    AlterRename | AlterRelationStatement | CommentStatement | AlterSystemSet | AlterDatabaseSet
)
CreateStatement: TypeAlias = (
    CreateTable | CreateView | CreateMaterializedView | CreateSchema | CreateDatabase | CreateIndex
)
DataStatement: TypeAlias = Query | Write | WritingWith | Truncate | Copy
CursorStatement: TypeAlias = DeclareCursor | Fetch | Move | CloseCursor
PreparedStatement: TypeAlias = Prepare | ExecuteStatement | Deallocate | DeallocateAll
SessionStatement: TypeAlias = (
    Use | Set | Reset | Discard | Listen | Unlisten | Notify | PreparedStatement
)
MaintenanceStatement: TypeAlias = Vacuum | Analyze | Checkpoint

Statement: TypeAlias = (
    DataStatement
    | CreateStatement
    | FunctionStatement
    | SequenceStatement
    | SecretStatement
    | AlterStatement
    | FlowStatement
    | Drop
    | TypeStatement
    | RoleStatement
    | PrivilegeStatement
    | ShowStatement
    | Explain
    | StreamingStatement
    | SubscriptionStatement
    | MaintenanceStatement
    | TransactionStatement
    | CursorStatement
    | SessionStatement
    | Unsupported
)
