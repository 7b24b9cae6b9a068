"""SET and RESET, transactions, prepared statements, notifications and jobs."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import InvalidParameterValue
from server.sql.parser.column_type import column_type
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import parameter_name, parameter_value, shown_name
from server.sql.parser.query import expression_tree
from server.sql.session_statement import SetConstraints
from server.sql.statement import (
    Begin,
    CancelJobs,
    Commit,
    Deallocate,
    DeallocateAll,
    Discard,
    ExecuteStatement,
    Listen,
    Notify,
    QualifiedName,
    ReleaseSavepoint,
    Reset,
    Rollback,
    RollbackTo,
    Savepoint,
    Set,
    SetScope,
    SetTransaction,
    Statement,
    TransactionModes,
    Unlisten,
    Unsupported,
    Use,
)
from server.value.interval import HOUR, parse_interval


def parse_use(cursor: Cursor) -> Use:
    """Parse USE."""
    cursor.expect("USE")
    database = cursor.name()
    cursor.expect_end()
    return Use(database, source=cursor.source)


def parse_set(cursor: Cursor) -> Statement:
    """Parse SET of a parameter or of a transaction's modes."""
    cursor.expect("SET")
    if cursor.accept("SESSION", "CHARACTERISTICS", "AS", "TRANSACTION"):
        return SetTransaction(
            _modes(cursor, is_required=True), is_session=True, source=cursor.source
        )
    if cursor.accept("TRANSACTION"):
        if cursor.word == "SNAPSHOT":
            return Unsupported("SET TRANSACTION SNAPSHOT", source=cursor.source)
        return SetTransaction(_modes(cursor, is_required=True), source=cursor.source)
    if cursor.accept("CONSTRAINTS"):
        names: list[QualifiedName] = []
        if not cursor.accept("ALL"):
            names.append(cursor.qualified())
            while cursor.accept(","):
                names.append(cursor.qualified())
        is_deferred = cursor.expect_any("DEFERRED", "IMMEDIATE") == "DEFERRED"
        cursor.expect_end()
        return SetConstraints(tuple(names), is_deferred, source=cursor.source)
    if cursor.accept("SESSION", "AUTHORIZATION"):
        return _set(cursor, "session_authorization", SetScope.SESSION)
    scope = SetScope.SESSION
    if cursor.word_at(cursor.index + 1) not in {"=", "TO"}:
        scope = SetScope(cursor.accept_any("SESSION", "LOCAL") or "SESSION")
    if cursor.accept("SESSION", "AUTHORIZATION"):
        return _set(cursor, "session_authorization", scope)
    if cursor.accept("TIME", "ZONE"):
        return _time_zone(cursor, scope)
    if cursor.accept("NAMES"):
        return _names(cursor, scope)
    is_named = cursor.word_at(cursor.index + 1) in {"=", "TO"}
    if not is_named and cursor.accept("ROLE"):
        if cursor.word == "DEFAULT":
            raise cursor.error()
        return _set(cursor, "role", scope)
    if cursor.accept("SCHEMA"):
        return _set(cursor, "search_path", scope)
    name = parameter_name(cursor)
    cursor.expect_any("=", "TO")
    if name == "database":
        return _database(cursor)
    return _set(cursor, name, scope)


def _database(cursor: Cursor) -> Use:
    """Take the database of the peer's SET database, which is its USE."""
    database = parameter_value(cursor)
    cursor.expect_end()
    return Use(database, source=cursor.source)


def _set(cursor: Cursor, name: str, scope: SetScope) -> Set:
    values: tuple[str, ...] | None = None
    if not cursor.accept("DEFAULT"):
        given = [parameter_value(cursor, name)]
        while cursor.accept(","):
            given.append(parameter_value(cursor))
        values = tuple(given)
    cursor.expect_end()
    return Set(name, values, scope, source=cursor.source)


def _time_zone(cursor: Cursor, scope: SetScope) -> Set:
    if cursor.accept_any("LOCAL", "DEFAULT"):
        values = None
    else:
        values = (_zone_interval(cursor) if cursor.accept("INTERVAL") else parameter_value(cursor),)
    cursor.expect_end()
    return Set("timezone", values, scope, source=cursor.source)


def _zone_interval(cursor: Cursor) -> str:
    """Take how far a zone is east of Greenwich and return it in hours."""
    text = cursor.string()
    fields = ""
    if cursor.accept("HOUR"):
        fields = "hour"
        if cursor.accept("TO"):
            cursor.expect("MINUTE")
            fields = "hour to minute"
    away = parse_interval(text, fields)
    for unit, count in (("months", away.months), ("days", away.days)):
        if count:
            raise InvalidParameterValue(
                f'invalid value for parameter "TimeZone": "INTERVAL \'{text}\'"',
                detail=f"Cannot specify {unit} in time zone interval.",
            )
    return f"{away.microseconds / HOUR:g}"


def _names(cursor: Cursor, scope: SetScope) -> Set:
    values = (cursor.string(),) if cursor.is_at_string else None
    if values is None:
        cursor.accept("DEFAULT")
    cursor.expect_end()
    return Set("client_encoding", values, scope, source=cursor.source)


def parse_reset(cursor: Cursor) -> Reset:
    """Parse RESET."""
    cursor.expect("RESET")
    name = shown_name(cursor)
    cursor.expect_end()
    return Reset(name, source=cursor.source)


def parse_discard(cursor: Cursor) -> Discard:
    """Parse DISCARD."""
    cursor.expect("DISCARD")
    what = cursor.expect_any("ALL", "PLANS", "SEQUENCES", "TEMP", "TEMPORARY").lower()
    cursor.expect_end()
    return Discard("temp" if what == "temporary" else what, source=cursor.source)


# Transactions


def parse_begin(cursor: Cursor) -> Begin:
    """Parse BEGIN and START TRANSACTION."""
    if cursor.expect_any("BEGIN", "START") == "START":
        cursor.expect("TRANSACTION")
    else:
        cursor.accept_any("WORK", "TRANSACTION")
    return Begin(_modes(cursor), source=cursor.source)


_ISOLATION: Final = (
    *(("SERIALIZABLE",), ("REPEATABLE", "READ"), ("READ", "COMMITTED"), ("READ", "UNCOMMITTED")),
)


def _modes(cursor: Cursor, *, is_required: bool = False) -> TransactionModes:
    """Take transaction modes, with or without commas, up to the end."""
    is_read_only: bool | None = None
    isolation: str | None = None
    is_deferrable: bool | None = None
    if is_required and cursor.is_at_end:
        raise cursor.error()
    while not cursor.is_at_end:
        if cursor.accept("ISOLATION"):
            cursor.expect("LEVEL")
            isolation = _isolation(cursor)
        elif cursor.accept("READ"):
            is_read_only = cursor.expect_any("ONLY", "WRITE") == "ONLY"
        elif cursor.accept("NOT"):
            cursor.expect("DEFERRABLE")
            is_deferrable = False
        else:
            cursor.expect("DEFERRABLE")
            is_deferrable = True
        if cursor.accept(",") and cursor.is_at_end:
            raise cursor.error()
    return TransactionModes(is_read_only, isolation, is_deferrable)


def _isolation(cursor: Cursor) -> str:
    for level in _ISOLATION:
        if cursor.accept(*level):
            return " ".join(level).lower()
    raise cursor.error()


def parse_commit(cursor: Cursor) -> Statement:
    """Parse COMMIT and END."""
    cursor.expect_any("COMMIT", "END")
    if cursor.accept("PREPARED"):
        return Unsupported("COMMIT PREPARED", source=cursor.source)
    return Commit(_chain(cursor), source=cursor.source)


def parse_rollback(cursor: Cursor) -> Statement:
    """Parse ROLLBACK, ROLLBACK TO SAVEPOINT and ABORT."""
    verb = cursor.expect_any("ROLLBACK", "ABORT")
    if verb == "ROLLBACK" and cursor.accept("PREPARED"):
        return Unsupported("ROLLBACK PREPARED", source=cursor.source)
    start = cursor.index
    cursor.accept_any("WORK", "TRANSACTION")
    if verb == "ROLLBACK" and cursor.accept("TO"):
        cursor.accept("SAVEPOINT")
        name = cursor.name()
        cursor.expect_end()
        return RollbackTo(name, source=cursor.source)
    cursor.index = start
    return Rollback(_chain(cursor), source=cursor.source)


def _chain(cursor: Cursor) -> bool:
    cursor.accept_any("WORK", "TRANSACTION")
    is_chained = False
    if cursor.accept("AND"):
        is_chained = not cursor.accept("NO")
        cursor.expect("CHAIN")
    cursor.expect_end()
    return is_chained


def parse_savepoint(cursor: Cursor) -> Savepoint:
    """Parse SAVEPOINT."""
    cursor.expect("SAVEPOINT")
    name = cursor.name()
    cursor.expect_end()
    return Savepoint(name, source=cursor.source)


def parse_release(cursor: Cursor) -> ReleaseSavepoint:
    """Parse RELEASE SAVEPOINT."""
    cursor.expect("RELEASE")
    if cursor.index + 1 < len(cursor.tokens):
        cursor.accept("SAVEPOINT")
    name = cursor.name()
    cursor.expect_end()
    return ReleaseSavepoint(name, source=cursor.source)


# Prepared statements; PREPARE itself is in server.sql.parse, since it holds a statement


def prepared_head(cursor: Cursor) -> tuple[str, tuple[str, ...]]:
    """Take ``PREPARE name [(types)] AS`` and return the name and the types."""
    cursor.expect("PREPARE")
    name = cursor.name()
    types: list[str] = []
    if cursor.accept("("):
        types.append(column_type(cursor))
        while cursor.accept(","):
            types.append(column_type(cursor))
        cursor.expect(")")
    cursor.expect("AS")
    return name, tuple(types)


def parse_execute(cursor: Cursor) -> ExecuteStatement:
    """Parse EXECUTE."""
    cursor.expect("EXECUTE")
    name = cursor.name()
    arguments: list[exp.Expr] = []
    if cursor.accept("("):
        arguments.append(expression_tree(cursor, cursor.until(",")))
        while cursor.accept(","):
            arguments.append(expression_tree(cursor, cursor.until(",")))
        cursor.expect(")")
    cursor.expect_end()
    return ExecuteStatement(name, tuple(arguments), source=cursor.source)


def parse_deallocate(cursor: Cursor) -> Deallocate | DeallocateAll:
    """Parse DEALLOCATE."""
    cursor.expect("DEALLOCATE")
    if cursor.index + 1 < len(cursor.tokens):
        cursor.accept("PREPARE")
    if cursor.accept("ALL"):
        cursor.expect_end()
        return DeallocateAll(source=cursor.source)
    name = cursor.name()
    cursor.expect_end()
    return Deallocate(name, source=cursor.source)


# Notifications and jobs


def parse_listen(cursor: Cursor) -> Listen:
    """Parse LISTEN."""
    cursor.expect("LISTEN")
    channel = cursor.name()
    cursor.expect_end()
    return Listen(channel, source=cursor.source)


def parse_unlisten(cursor: Cursor) -> Unlisten:
    """Parse UNLISTEN."""
    cursor.expect("UNLISTEN")
    channel = None if cursor.accept("*") else cursor.name()
    cursor.expect_end()
    return Unlisten(channel, source=cursor.source)


def parse_notify(cursor: Cursor) -> Notify:
    """Parse NOTIFY."""
    cursor.expect("NOTIFY")
    channel = cursor.name()
    payload = cursor.string() if cursor.accept(",") else ""
    cursor.expect_end()
    return Notify(channel, payload, source=cursor.source)


def parse_cancel(cursor: Cursor) -> CancelJobs:
    """Parse CANCEL JOBS."""
    cursor.expect("CANCEL")
    cursor.expect_any("JOBS", "JOB")
    ids = [_job(cursor)]
    while cursor.accept(","):
        ids.append(_job(cursor))
    cursor.expect_end()
    return CancelJobs(tuple(ids), source=cursor.source)


def _job(cursor: Cursor) -> int:
    if not cursor.is_at_number:
        raise cursor.error()
    return cursor.integer()
