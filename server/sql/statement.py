"""Statements as values: one class each, ``Statement`` is any of them.

Names are folded, queries and expressions are sqlglot trees whose names are folded too. Nothing is
resolved: whether a table exists or a type has such a name is for those who bind.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from server.sql.source import Source


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
    """``name = value`` of a WITH clause or a list of options; None when no value is written."""

    name: str
    value: str | None = None
    position: int | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """What all statements have."""

    source: Source

    @property
    def text(self) -> str:
        """The statement as written, blanks instead of comments."""
        return self.source.text

    @property
    def start(self) -> int:
        """Offset in the whole string, in characters from 0."""
        return self.source.start


@dataclass(frozen=True, slots=True)
class Unsupported(_Statement):
    """A statement that is understood and not available."""

    what: str  #: Its name in upper case: ``CREATE INDEX``.


# Queries and data


@dataclass(frozen=True, slots=True)
class Query(_Statement):
    """SELECT, VALUES, TABLE, WITH and set operations."""

    tree: exp.Expr


@dataclass(frozen=True, slots=True)
class Assignment:
    """``column = value`` of SET; several columns take their values from one subquery."""

    columns: tuple[ColumnName, ...]
    value: exp.Expr | None  #: None is DEFAULT.


@dataclass(frozen=True, slots=True)
class OnConflict:
    """``ON CONFLICT``: DO NOTHING when there are no assignments."""

    target: tuple[ColumnName, ...] = ()
    constraint: str | None = None
    assignments: tuple[Assignment, ...] = ()
    where: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Insert(_Statement):
    """INSERT; DEFAULT among VALUES is an ``exp.Var`` of that name."""

    table: QualifiedName
    columns: tuple[ColumnName, ...]  #: Empty when no list is written.
    query: exp.Expr | None  #: None is DEFAULT VALUES.
    alias: str | None = None
    on_conflict: OnConflict | None = None
    returning: tuple[exp.Expr, ...] = ()
    with_: exp.With | None = None  #: Written before INSERT; the query's own is in its tree.


@dataclass(frozen=True, slots=True)
class Update(_Statement):
    """UPDATE."""

    table: QualifiedName
    assignments: tuple[Assignment, ...]
    alias: str | None = None
    from_: exp.Select | None = None  #: ``SELECT * FROM`` the items after FROM.
    where: exp.Expr | None = None
    returning: tuple[exp.Expr, ...] = ()
    with_: exp.With | None = None


@dataclass(frozen=True, slots=True)
class Delete(_Statement):
    """DELETE."""

    table: QualifiedName
    alias: str | None = None
    using: exp.Select | None = None  #: ``SELECT * FROM`` the items after USING.
    where: exp.Expr | None = None
    returning: tuple[exp.Expr, ...] = ()
    with_: exp.With | None = None


class CopyDirection(StrEnum):
    """Which way the data of COPY go."""

    FROM_STDIN = "FROM STDIN"
    TO_STDOUT = "TO STDOUT"


@dataclass(frozen=True, slots=True)
class Copy(_Statement):
    """COPY of a table or, to the client only, of a query."""

    direction: CopyDirection
    table: QualifiedName | None
    columns: tuple[ColumnName, ...] = ()
    query: exp.Expr | None = None
    options: tuple[Option, ...] = ()  #: Names in lower case; lists are joined by commas.


# Definitions


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


@dataclass(frozen=True, slots=True)
class CreateTable(_Statement):
    """CREATE TABLE, with columns or AS a query."""

    name: QualifiedName
    columns: tuple[ColumnDefinition, ...] = ()
    primary_key: tuple[ColumnName, ...] = ()
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()
    column_names: tuple[ColumnName, ...] = ()  #: Names for the columns of the query.
    query: exp.Expr | None = None
    query_text: str | None = None
    with_data: bool = True


@dataclass(frozen=True, slots=True)
class CreateView(_Statement):
    """CREATE VIEW."""

    name: QualifiedName
    columns: tuple[ColumnName, ...]
    query: exp.Expr
    query_text: str
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateMaterializedView(_Statement):
    """CREATE MATERIALIZED VIEW."""

    name: QualifiedName
    columns: tuple[ColumnName, ...]
    query: exp.Expr
    query_text: str
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()  #: Such as ``refresh.interval.sec``.


@dataclass(frozen=True, slots=True)
class CreateSchema(_Statement):
    """CREATE SCHEMA; without a name it is that of the owner."""

    name: str
    if_not_exists: bool = False
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class CreateDatabase(_Statement):
    """CREATE DATABASE; options are ``owner``, ``barrier_interval_ms``, ``checkpoint_frequency``."""

    name: str
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop(_Statement):
    """DROP of one or several objects of one kind."""

    kind: ObjectKind
    names: tuple[QualifiedName, ...]
    if_exists: bool = False
    is_cascade: bool = False
    is_forced: bool = False  #: DROP DATABASE ... WITH (FORCE).


@dataclass(frozen=True, slots=True)
class AlterRename(_Statement):
    """ALTER ... RENAME TO."""

    kind: ObjectKind
    name: QualifiedName
    new_name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSystemSet(_Statement):
    """ALTER SYSTEM SET; None is DEFAULT."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class AlterSystemPause(_Statement):
    """ALTER SYSTEM PAUSE."""


@dataclass(frozen=True, slots=True)
class AlterSystemResume(_Statement):
    """ALTER SYSTEM RESUME."""


@dataclass(frozen=True, slots=True)
class AlterDatabaseSet(_Statement):
    """ALTER DATABASE ... SET; None is DEFAULT."""

    database: str
    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class AlterDatabasePause(_Statement):
    """ALTER DATABASE ... PAUSE."""

    database: str


@dataclass(frozen=True, slots=True)
class AlterDatabaseResume(_Statement):
    """ALTER DATABASE ... RESUME."""

    database: str


# What exists


@dataclass(frozen=True, slots=True)
class Show(_Statement):
    """SHOW of a parameter; ``all`` shows every one."""

    name: str


@dataclass(frozen=True, slots=True)
class ShowObjects(_Statement):
    """SHOW TABLES and the like."""

    kind: str  #: In upper case: ``MATERIALIZED VIEWS``.
    schema: str | None = None
    pattern: str | None = None
    is_case_insensitive: bool = False


@dataclass(frozen=True, slots=True)
class ShowColumns(_Statement):
    """SHOW COLUMNS FROM."""

    relation: QualifiedName


@dataclass(frozen=True, slots=True)
class ShowIndexes(_Statement):
    """SHOW INDEXES FROM."""

    relation: QualifiedName


@dataclass(frozen=True, slots=True)
class ShowCreate(_Statement):
    """SHOW CREATE TABLE and the like."""

    kind: ObjectKind
    name: QualifiedName


@dataclass(frozen=True, slots=True)
class Describe(_Statement):
    """DESCRIBE."""

    relation: QualifiedName


@dataclass(frozen=True, slots=True)
class Explain(_Statement):
    """EXPLAIN of another statement."""

    statement: Statement
    is_analyze: bool = False
    is_verbose: bool = False
    format: str = "text"  #: In lower case.
    options: tuple[Option, ...] = ()  #: The others, names in lower case.


# Streaming


@dataclass(frozen=True, slots=True)
class Flush(_Statement):
    """FLUSH."""


@dataclass(frozen=True, slots=True)
class Wait(_Statement):
    """WAIT until the jobs that are being created are."""


@dataclass(frozen=True, slots=True)
class CancelJobs(_Statement):
    """CANCEL JOBS."""

    ids: tuple[int, ...]


# The session


@dataclass(frozen=True, slots=True)
class Use(_Statement):
    """USE a database."""

    database: str


class SetScope(StrEnum):
    """How long a SET lasts: until the session or the transaction ends."""

    SESSION = "SESSION"
    LOCAL = "LOCAL"


@dataclass(frozen=True, slots=True)
class Set(_Statement):
    """SET of a parameter; None is DEFAULT."""

    name: str
    values: tuple[str, ...] | None
    scope: SetScope = SetScope.SESSION


@dataclass(frozen=True, slots=True)
class Reset(_Statement):
    """RESET of a parameter; ``all`` resets every one."""

    name: str


@dataclass(frozen=True, slots=True)
class Discard(_Statement):
    """DISCARD."""

    what: str  #: ``all``, ``plans``, ``sequences`` or ``temp``.


@dataclass(frozen=True, slots=True)
class TransactionModes:
    """What BEGIN and SET TRANSACTION may say; None where nothing is said."""

    is_read_only: bool | None = None
    isolation: str | None = None  #: In lower case: ``repeatable read``.
    is_deferrable: bool | None = None


@dataclass(frozen=True, slots=True)
class SetTransaction(_Statement):
    """SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION."""

    modes: TransactionModes
    is_session: bool = False


@dataclass(frozen=True, slots=True)
class Begin(_Statement):
    """BEGIN or START TRANSACTION."""

    modes: TransactionModes = TransactionModes()


@dataclass(frozen=True, slots=True)
class Commit(_Statement):
    """COMMIT or END."""

    is_chained: bool = False


@dataclass(frozen=True, slots=True)
class Rollback(_Statement):
    """ROLLBACK or ABORT."""

    is_chained: bool = False


@dataclass(frozen=True, slots=True)
class Savepoint(_Statement):
    """SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True)
class RollbackTo(_Statement):
    """ROLLBACK TO SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True)
class ReleaseSavepoint(_Statement):
    """RELEASE SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True)
class Prepare(_Statement):
    """PREPARE."""

    name: str
    types: tuple[str, ...]
    statement: Statement


@dataclass(frozen=True, slots=True)
class ExecuteStatement(_Statement):
    """EXECUTE."""

    name: str
    arguments: tuple[exp.Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate(_Statement):
    """DEALLOCATE one prepared statement."""

    name: str


@dataclass(frozen=True, slots=True)
class DeallocateAll(_Statement):
    """DEALLOCATE ALL."""


@dataclass(frozen=True, slots=True)
class DeclareCursor(_Statement):
    """DECLARE ... CURSOR."""

    name: str
    query: exp.Expr
    query_source: Source
    is_binary: bool = False
    is_scroll: bool | None = None  #: None when neither SCROLL nor NO SCROLL is said.
    is_holdable: bool = False


class FetchDirection(StrEnum):
    """How FETCH counts; PRIOR is BACKWARD 1, FIRST is ABSOLUTE 1, LAST is ABSOLUTE -1."""

    FORWARD = "FORWARD"
    BACKWARD = "BACKWARD"
    ABSOLUTE = "ABSOLUTE"
    RELATIVE = "RELATIVE"


@dataclass(frozen=True, slots=True)
class Fetch(_Statement):
    """FETCH from a cursor."""

    cursor: str
    direction: FetchDirection = FetchDirection.FORWARD
    count: int | None = 1  #: None is ALL.


@dataclass(frozen=True, slots=True)
class Move(_Statement):
    """MOVE: FETCH that gives no rows."""

    cursor: str
    direction: FetchDirection = FetchDirection.FORWARD
    count: int | None = 1


@dataclass(frozen=True, slots=True)
class CloseCursor(_Statement):
    """CLOSE; None is ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Listen(_Statement):
    """LISTEN."""

    channel: str


@dataclass(frozen=True, slots=True)
class Unlisten(_Statement):
    """UNLISTEN; None is every channel."""

    channel: str | None


@dataclass(frozen=True, slots=True)
class Notify(_Statement):
    """NOTIFY."""

    channel: str
    payload: str = ""


AlterStatement: TypeAlias = (
    AlterRename
    | AlterSystemSet
    | AlterSystemPause
    | AlterSystemResume
    | AlterDatabaseSet
    | AlterDatabasePause
    | AlterDatabaseResume
)
CreateStatement: TypeAlias = (
    CreateTable | CreateView | CreateMaterializedView | CreateSchema | CreateDatabase
)
DataStatement: TypeAlias = Query | Insert | Update | Delete | Copy
ShowStatement: TypeAlias = Show | ShowObjects | ShowColumns | ShowIndexes | ShowCreate | Describe
TransactionStatement: TypeAlias = (
    Begin | Commit | Rollback | Savepoint | RollbackTo | ReleaseSavepoint | SetTransaction
)
CursorStatement: TypeAlias = DeclareCursor | Fetch | Move | CloseCursor
PreparedStatement: TypeAlias = Prepare | ExecuteStatement | Deallocate | DeallocateAll
SessionStatement: TypeAlias = (
    Use | Set | Reset | Discard | Listen | Unlisten | Notify | PreparedStatement
)
StreamingStatement: TypeAlias = Flush | Wait | CancelJobs

Statement: TypeAlias = (
    DataStatement
    | CreateStatement
    | AlterStatement
    | Drop
    | ShowStatement
    | Explain
    | StreamingStatement
    | TransactionStatement
    | CursorStatement
    | SessionStatement
    | Unsupported
)
