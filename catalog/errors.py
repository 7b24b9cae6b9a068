"""One exception tree: a class fixes its SQLSTATE, an instance adds detail, hint and position.

Wording follows PostgreSQL's error style guide: the primary message is lower case without a full
stop; detail and hint are sentences. Anything that is not a ``PgError`` is a bug of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from catalog.sqlstate import SqlState


@dataclass(frozen=True, slots=True)
class Place:
    """What an error is about, for clients that want to know it apart from the message."""

    schema: str
    table: str
    column: str | None = None
    constraint: str | None = None


class PgError(Exception):
    """What a client is told when its statement fails.

    Attributes:
        message: The primary message.
        detail: A sentence with the particulars, or None.
        hint: A sentence with what to do, or None.
        position: Where in the statement, in characters from 1, or None.
        severity: ERROR, or FATAL when the connection ends with it.
        context: Where in the client's data, or None.
        place: What it is about, or None.
        expression: The outermost expression that it was met in while this was bound, or None; a
            tree, which is none of this package's.
    """

    sqlstate: ClassVar[SqlState] = SqlState.INTERNAL_ERROR

    def __init_subclass__(cls, *, sqlstate: SqlState | None = None) -> None:
        super().__init_subclass__()
        if sqlstate is not None:
            cls.sqlstate = sqlstate

    def __init__(
        self,
        message: str,
        *,
        detail: str | None = None,
        hint: str | None = None,
        position: int | None = None,
        severity: str = "ERROR",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
        self.severity = severity
        self.context: str | None = None
        self.place: Place | None = None
        self.expression: object = None


class Notice:
    """What a client is told beside its result: a NOTICE, a WARNING, an INFO that it asked for."""

    __slots__ = ("detail", "hint", "message", "severity", "sqlstate")

    def __init__(
        self,
        message: str,
        *,
        severity: str = "NOTICE",
        sqlstate: SqlState = SqlState.SUCCESSFUL_COMPLETION,
        detail: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.severity = severity
        self.sqlstate = sqlstate
        self.detail = detail
        self.hint = hint


class InternalError(PgError, sqlstate=SqlState.INTERNAL_ERROR):
    """Something that must not happen did."""


class ProtocolViolation(PgError, sqlstate=SqlState.PROTOCOL_VIOLATION):
    """The client broke the wire protocol."""


class FeatureNotSupported(PgError, sqlstate=SqlState.FEATURE_NOT_SUPPORTED):
    """The statement is understood and not available."""


class CardinalityViolation(PgError, sqlstate=SqlState.CARDINALITY_VIOLATION):
    """A subquery gave more rows than it may."""


class DataException(PgError, sqlstate=SqlState.DATA_EXCEPTION):
    """A value could not be computed."""


class StringTooLong(PgError, sqlstate=SqlState.STRING_DATA_RIGHT_TRUNCATION):
    """A string does not fit its column."""


class NumericOutOfRange(PgError, sqlstate=SqlState.NUMERIC_VALUE_OUT_OF_RANGE):
    """A number does not fit its type."""


class InvalidDatetimeFormat(PgError, sqlstate=SqlState.INVALID_DATETIME_FORMAT):
    """A text is not a date or time."""


class DatetimeFieldOverflow(PgError, sqlstate=SqlState.DATETIME_FIELD_OVERFLOW):
    """A date or time names a moment that does not exist."""


class InvalidTimeZoneDisplacement(PgError, sqlstate=SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE):
    """A zone is further from Greenwich than any."""


class IntervalFieldOverflow(PgError, sqlstate=SqlState.INTERVAL_FIELD_OVERFLOW):
    """A part of an interval is too large."""


class UntranslatableCharacter(PgError, sqlstate=SqlState.UNTRANSLATABLE_CHARACTER):
    """A character has no counterpart in an encoding."""


class DivisionByZero(PgError, sqlstate=SqlState.DIVISION_BY_ZERO):
    """Something was divided by zero."""

    @classmethod
    def plain(cls) -> DivisionByZero:
        """Build the error with PostgreSQL's own wording."""
        return cls("division by zero")


class InvalidRegularExpression(PgError, sqlstate=SqlState.INVALID_REGULAR_EXPRESSION):
    """A regular expression does not parse."""


class InvalidLimit(PgError, sqlstate=SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE):
    """LIMIT is negative."""


class InvalidOffset(PgError, sqlstate=SqlState.INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE):
    """OFFSET is negative."""


class CharacterNotInRepertoire(PgError, sqlstate=SqlState.CHARACTER_NOT_IN_REPERTOIRE):
    """Bytes are not valid in the encoding."""


class InvalidParameterValue(PgError, sqlstate=SqlState.INVALID_PARAMETER_VALUE):
    """An argument or a parameter has a value it may not have."""


class ArraySubscriptError(PgError, sqlstate=SqlState.ARRAY_SUBSCRIPT_ERROR):
    """An array has the wrong shape."""


class InvalidEscapeSequence(PgError, sqlstate=SqlState.INVALID_ESCAPE_SEQUENCE):
    """An escape in a string is malformed."""


class InvalidTextRepresentation(PgError, sqlstate=SqlState.INVALID_TEXT_REPRESENTATION):
    """A text is not a value of the type."""

    @classmethod
    def of(
        cls, type_name: str, text: str, *, position: int | None = None
    ) -> InvalidTextRepresentation:
        """Build the error with PostgreSQL's own wording."""
        return cls(f'invalid input syntax for type {type_name}: "{text}"', position=position)


class InvalidBinaryRepresentation(PgError, sqlstate=SqlState.INVALID_BINARY_REPRESENTATION):
    """Bytes are not a value of the type."""


class BadCopyFormat(PgError, sqlstate=SqlState.BAD_COPY_FILE_FORMAT):
    """The data of a COPY do not follow its format."""


class NullValueNotAllowed(PgError, sqlstate=SqlState.NULL_VALUE_NOT_ALLOWED):
    """An argument is NULL that may not be."""


class NotNullViolation(PgError, sqlstate=SqlState.NOT_NULL_VIOLATION):
    """A column that may not be NULL would be."""

    @classmethod
    def of(
        cls, schema: str, table: str, column: str, *, detail: str | None = None
    ) -> NotNullViolation:
        """Build the error with PostgreSQL's own wording."""
        error = cls(
            f'null value in column "{column}" of relation "{table}" violates not-null constraint',
            detail=detail,
        )
        error.place = Place(schema, table, column=column)
        return error


class UniqueViolation(PgError, sqlstate=SqlState.UNIQUE_VIOLATION):
    """A key would stand twice."""


class ActiveTransaction(PgError, sqlstate=SqlState.ACTIVE_SQL_TRANSACTION):
    """The statement cannot run inside a transaction block."""


class ReadOnlyTransaction(PgError, sqlstate=SqlState.READ_ONLY_SQL_TRANSACTION):
    """A write in a read-only transaction."""


class NoActiveTransaction(PgError, sqlstate=SqlState.NO_ACTIVE_SQL_TRANSACTION):
    """The statement needs a transaction block."""


class InFailedTransaction(PgError, sqlstate=SqlState.IN_FAILED_SQL_TRANSACTION):
    """The transaction has failed; only its end is accepted."""

    @classmethod
    def plain(cls) -> InFailedTransaction:
        """Build the error with PostgreSQL's own wording."""
        return cls(
            "current transaction is aborted, commands ignored until end of transaction block"
        )


class InvalidAuthorization(PgError, sqlstate=SqlState.INVALID_AUTHORIZATION_SPECIFICATION):
    """Nobody of that name may connect."""


class InvalidPassword(PgError, sqlstate=SqlState.INVALID_PASSWORD):
    """Somebody could not prove who it is."""


class DependentObjectsStillExist(PgError, sqlstate=SqlState.DEPENDENT_OBJECTS_STILL_EXIST):
    """Something still stands on what is to be dropped."""


class InvalidSavepoint(PgError, sqlstate=SqlState.INVALID_SAVEPOINT_SPECIFICATION):
    """A savepoint was named that cannot be returned to."""


class UndefinedDatabase(PgError, sqlstate=SqlState.INVALID_CATALOG_NAME):
    """A database was named that does not exist."""

    @classmethod
    def named(cls, name: str, *, severity: str = "ERROR") -> UndefinedDatabase:
        """Build the error with PostgreSQL's own wording."""
        return cls(f'database "{name}" does not exist', severity=severity)


class UndefinedSchema(PgError, sqlstate=SqlState.INVALID_SCHEMA_NAME):
    """A schema was named that does not exist."""

    @classmethod
    def named(cls, name: str, *, position: int | None = None) -> UndefinedSchema:
        """Build the error with PostgreSQL's own wording."""
        return cls(f'schema "{name}" does not exist', position=position)


class SerializationFailure(PgError, sqlstate=SqlState.SERIALIZATION_FAILURE):
    """A concurrent transaction changed the same row first."""

    @classmethod
    def plain(cls) -> SerializationFailure:
        """Build the error with PostgreSQL's own wording."""
        return cls("could not serialize access due to concurrent update")


class InsufficientPrivilege(PgError, sqlstate=SqlState.INSUFFICIENT_PRIVILEGE):
    """The user may not do that."""


class SqlSyntaxError(PgError, sqlstate=SqlState.SYNTAX_ERROR):
    """The statement does not parse."""

    @classmethod
    def near(cls, token: str | None, *, position: int | None = None) -> SqlSyntaxError:
        """Build the error with PostgreSQL's own wording; None stands for the end of the input."""
        if token is None:
            return cls("syntax error at end of input", position=position)
        return cls(f'syntax error at or near "{token}"', position=position)


class InvalidName(PgError, sqlstate=SqlState.INVALID_NAME):
    """A name is not well formed."""


class ReservedName(PgError, sqlstate=SqlState.RESERVED_NAME):
    """A name is kept for the system."""


class DuplicateColumn(PgError, sqlstate=SqlState.DUPLICATE_COLUMN):
    """A column is named twice."""


class AmbiguousColumn(PgError, sqlstate=SqlState.AMBIGUOUS_COLUMN):
    """A column's name fits more than one."""


class UndefinedColumn(PgError, sqlstate=SqlState.UNDEFINED_COLUMN):
    """A column was named that does not exist."""


class UndefinedObject(PgError, sqlstate=SqlState.UNDEFINED_OBJECT):
    """A type, parameter, user or the like was named that does not exist."""


class DuplicateObject(PgError, sqlstate=SqlState.DUPLICATE_OBJECT):
    """An object of that name exists."""


class DuplicateAlias(PgError, sqlstate=SqlState.DUPLICATE_ALIAS):
    """Two FROM items have one name."""


class AmbiguousFunction(PgError, sqlstate=SqlState.AMBIGUOUS_FUNCTION):
    """A function's name and arguments fit more than one."""


class GroupingError(PgError, sqlstate=SqlState.GROUPING_ERROR):
    """A column is neither grouped nor aggregated, or an aggregate stands where it may not."""


class DatatypeMismatch(PgError, sqlstate=SqlState.DATATYPE_MISMATCH):
    """An expression has a type that does not fit its place."""


class WrongObjectType(PgError, sqlstate=SqlState.WRONG_OBJECT_TYPE):
    """An object is of another kind than the statement wants."""


class CannotCoerce(PgError, sqlstate=SqlState.CANNOT_COERCE):
    """There is no cast between the types."""


class UndefinedFunction(PgError, sqlstate=SqlState.UNDEFINED_FUNCTION):
    """No function or operator of that name takes such arguments."""


class UndefinedTable(PgError, sqlstate=SqlState.UNDEFINED_TABLE):
    """A relation was named that does not exist."""

    @classmethod
    def named(cls, name: str, *, position: int | None = None) -> UndefinedTable:
        """Build the error with PostgreSQL's own wording."""
        return cls(f'relation "{name}" does not exist', position=position)


class UndefinedClass(UndefinedTable):
    """A value names a relation that does not exist, as of type regclass."""


class UndefinedParameter(PgError, sqlstate=SqlState.UNDEFINED_PARAMETER):
    """A parameter ``$n`` was used that was not given."""


class DuplicateDatabase(PgError, sqlstate=SqlState.DUPLICATE_DATABASE):
    """A database of that name exists."""


class DuplicateSchema(PgError, sqlstate=SqlState.DUPLICATE_SCHEMA):
    """A schema of that name exists."""


class DuplicateTable(PgError, sqlstate=SqlState.DUPLICATE_TABLE):
    """A relation of that name exists."""

    @classmethod
    def named(cls, name: str) -> DuplicateTable:
        """Build the error with PostgreSQL's own wording."""
        return cls(f'relation "{name}" already exists')


class AmbiguousParameter(PgError, sqlstate=SqlState.AMBIGUOUS_PARAMETER):
    """A parameter would need two types at once."""


class InvalidColumnReference(PgError, sqlstate=SqlState.INVALID_COLUMN_REFERENCE):
    """ORDER BY, GROUP BY or DISTINCT ON refers to what is not there."""


class InvalidTableDefinition(PgError, sqlstate=SqlState.INVALID_TABLE_DEFINITION):
    """A table cannot be made that way."""


class IndeterminateDatatype(PgError, sqlstate=SqlState.INDETERMINATE_DATATYPE):
    """The type of a parameter cannot be told."""


class InvalidRecursion(PgError, sqlstate=SqlState.INVALID_RECURSION):
    """A recursive query has a shape that is not allowed."""


class InvalidFrameSize(PgError, sqlstate=SqlState.INVALID_PRECEDING_OR_FOLLOWING_SIZE):
    """The frame of a window reaches a negative distance."""


class WindowingError(PgError, sqlstate=SqlState.WINDOWING_ERROR):
    """A window function stands where it may not."""


class DiskFull(PgError, sqlstate=SqlState.DISK_FULL):
    """There is no room left on the disk."""


class OutOfMemory(PgError, sqlstate=SqlState.OUT_OF_MEMORY):
    """There is no memory left."""


class TooManyConnections(PgError, sqlstate=SqlState.TOO_MANY_CONNECTIONS):
    """No more clients are taken."""


class ProgramLimitExceeded(PgError, sqlstate=SqlState.PROGRAM_LIMIT_EXCEEDED):
    """Something is larger than it may be."""


class StatementTooComplex(PgError, sqlstate=SqlState.STATEMENT_TOO_COMPLEX):
    """A statement is nested deeper than it may be."""


class ObjectNotInPrerequisiteState(PgError, sqlstate=SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE):
    """Not now: the database is paused, or an object is not ready."""


class ObjectInUse(PgError, sqlstate=SqlState.OBJECT_IN_USE):
    """Somebody still uses the object."""


class CannotChangeParameter(PgError, sqlstate=SqlState.CANT_CHANGE_RUNTIME_PARAM):
    """A parameter tells something and cannot be set."""


class QueryCanceled(PgError, sqlstate=SqlState.QUERY_CANCELED):
    """The statement was stopped by its client or by a time limit."""

    @classmethod
    def by_user(cls) -> QueryCanceled:
        """Build the error with PostgreSQL's own wording."""
        return cls("canceling statement due to user request")

    @classmethod
    def by_timeout(cls) -> QueryCanceled:
        """Build the error with PostgreSQL's own wording."""
        return cls("canceling statement due to statement timeout")


class AdminShutdown(PgError, sqlstate=SqlState.ADMIN_SHUTDOWN):
    """The server stops."""

    @classmethod
    def plain(cls) -> AdminShutdown:
        """Build the error with PostgreSQL's own wording."""
        return cls("terminating connection due to administrator command", severity="FATAL")


class IoError(PgError, sqlstate=SqlState.IO_ERROR):
    """A file could not be read or written."""
