"""A session: one client's statements, prepared and executed in order.

The connection drives it (``server.wire.session_contract``); the work is done by
``server.execute`` on a ``SessionState``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NoReturn, TypeAlias

from catalog.errors import (
    FeatureNotSupported,
    InFailedTransaction,
    Notice,
    PgError,
    SqlSyntaxError,
    StatementTooComplex,
    UndefinedObject,
    UndefinedParameter,
)
from catalog.oid import INVALID_OID, Oid
from catalog.session_errors import IdleInTransactionTimeout, IdleSessionTimeout
from catalog.types import UNKNOWN, PgType
from server.execute import cursor, portal_fetch, temporary
from server.execute.binding import Hints
from server.execute.call_function import call_of
from server.execute.constant_parts import check_constant_parts
from server.execute.describe import Described, describe
from server.execute.dispatch import ends_transaction, execute
from server.execute.plain_changes import PlainChanges
from server.execute.plain_inserts import PlainInserts
from server.execute.point_queries import PointQueries
from server.execute.query import execute_point_query
from server.execute.transaction import finish, goes_on, undo
from server.notifications import Notification
from server.peer_errors import in_peers_words
from server.prepared_statement import Prepared
from server.result import EngineRows, Result
from server.session_state import SessionState
from server.sql.bind.result import OutputColumn
from server.sql.parse import parse
from server.sql.session_calls import leave
from server.sql.source import Source, first_parameter, split
from server.sql.statement import Fetch, Move, Query, Statement
from server.transaction import Phase
from server.value.style import DEFAULT_STYLE, Style, use_style
from server.wire.messages import TEXT_FORMAT
from server.wire.session_contract import CopyInResult, CopyOutResult
from server.wire.state import Portals, PreparedStatements

#: How many statements of a session are kept parsed and bound, by their text.
_STATEMENTS_KEPT: Final = 256

_Key: TypeAlias = tuple[str, int, Hints]


class Session:
    """One client's session."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self.now_ms = state.now_ms
        self._cache: OrderedDict[_Key, tuple[Statement, Described]] = OrderedDict()
        self._point_queries = PointQueries()
        self._plain_inserts = PlainInserts()
        self._plain_changes = PlainChanges()
        #: The statements of the string that is being executed.
        self._parsed: dict[Source, Statement] = {}
        self._has_reported = False
        #: Whether a string of statements is being run, which is what others see then.
        self._is_simple = False
        #: Whether what comes is one transaction, until told otherwise.
        self._is_implicit = False
        self._is_pipeline = False
        self._style: tuple[int, Style] = (-1, DEFAULT_STYLE)

    @property
    def notices(self) -> Callable[[Notice], None]:
        """Tells the client something at once; set by the connection."""
        return self._state.notices

    @notices.setter
    def notices(self, tell: Callable[[Notice], None]) -> None:
        self._state.notices = tell

    @property
    def statements(self) -> PreparedStatements[Prepared]:
        """Prepared statements by name, the protocol's and those of PREPARE."""
        return self._state.statements

    @property
    def portals(self) -> Portals[Prepared]:
        """The protocol's portals by name; cursors have names of the same kind."""
        return self._state.portals

    @property
    def terminate(self) -> Callable[[PgError], None]:
        """Ends the session with a FATAL error; set by the connection."""
        return self._state.terminate

    @terminate.setter
    def terminate(self, end: Callable[[PgError], None]) -> None:
        self._state.terminate = end

    @property
    def wake(self) -> Callable[[], None]:
        """Lets the connection look for notifications; set by the connection."""
        return self._state.wake

    @wake.setter
    def wake(self, look: Callable[[], None]) -> None:
        self._state.wake = look

    @property
    def is_listening(self) -> bool:
        """Whether notifications may come."""
        return bool(self._state.others.channels)

    def notifications(self) -> Sequence[Notification]:
        """Take what others have sent; nothing while a transaction is open."""
        self._state.settle()
        return () if self._state.transaction.is_open else self._state.others.mailbox.take()

    def patience(self) -> tuple[int, PgError] | None:
        """Return for how long the client may say nothing now, and what it is told then."""
        settings = self._state.settings
        if self._state.transaction.is_open:
            limit_ms = settings.milliseconds("idle_in_transaction_session_timeout")
            return (limit_ms, IdleInTransactionTimeout.plain()) if limit_ms else None
        limit_ms = settings.milliseconds("idle_session_timeout")
        return (limit_ms, IdleSessionTimeout.plain()) if limit_ms else None

    @property
    def transaction_status(self) -> bytes:
        """What ReadyForQuery says."""
        return self._state.transaction.status

    @property
    def client_encoding(self) -> str:
        """The encoding of all texts that the client sends and gets."""
        return self._state.settings.show("client_encoding")

    def parameter_changes(self) -> list[tuple[str, str]]:
        """Return the reported parameters that changed since the last call; at first all."""
        self._state.be_idle()
        self._adopt_style()
        changes = self._state.settings.take_changes()
        if self._has_reported:
            return changes
        self._has_reported = True
        return self._state.settings.reported()

    def split(self, sql: str) -> Sequence[Source]:
        """Return the statements of a string.

        Raises:
            SqlSyntaxError: One of them is malformed; the others are not to be run either.
        """
        self._state.see(sql)
        self._is_simple = True
        sources = split(sql)
        self._parsed.clear()
        if len(sources) > 1:
            for source in sources:
                # What is merely not supported is told when its turn comes.
                with suppress(FeatureNotSupported, StatementTooComplex):
                    self._parsed[source] = parse(source)
        return sources

    def prepare(self, source: Source | str, parameter_oids: Sequence[Oid] = ()) -> Prepared:
        """Parse and bind a statement.

        Raises:
            PgError: It does not make sense, or cannot be run in a failed transaction.
        """
        self._adopt_style()
        is_simple = isinstance(source, Source)
        if isinstance(source, str):
            self._state.see(source)
            self._is_simple = False
            sources = split(source)
            if len(sources) > 1:
                raise SqlSyntaxError("cannot insert multiple commands into a prepared statement")
            if not sources:
                return Prepared(None, Described(), (), None)
            source = sources[0]
        hints = tuple(_hint(o, self._state) for o in parameter_oids)
        if not hints and (source.text, source.start, hints) not in self._cache:
            known = self._point_queries.find(source, self._state)
            if known is not None:
                query, described, value = known
                self._refuse_in_failed(query)
                return self._prepared(query, described, asked=value)
            if (changing := self._plain_change(source)) is not None:
                return changing
        statement, described = self._described(source, hints)
        if is_simple and described.parameter_types:
            _refuse_parameters(source)
        return self._prepared(statement, described, described.parameter_types)

    def _prepared(
        self,
        statement: Statement,
        described: Described,
        types: tuple[PgType, ...] = (),
        *,
        asked: int | None = None,
        constants: tuple[object, ...] = (),
    ) -> Prepared:
        state, columns = self._state, described.columns
        return Prepared(
            *(statement, described, types, columns, asked, state.query),
            created_ms=state.query_ms,
            constants=constants,
        )

    def _plain_change(self, source: Source) -> Prepared | None:
        """Return an UPDATE or DELETE that resembles an earlier one, or None."""
        if (taken := self._plain_changes.find(source)) is None:
            return None
        try:
            statement, described = self._described(taken.source, taken.types)
        except InFailedTransaction:
            raise
        except PgError:
            self._plain_changes.forget(taken)
            return None  # What is wrong is told of the text as it is.
        constants = taken.parsed(described.parameter_types)
        if constants is None:
            return None
        written = replace(statement, source=source)
        return self._prepared(written, described, constants=constants)

    def prepare_call(self, function_oid: Oid) -> Prepared:
        """Bind a call of a function, whose arguments are parameters.

        Raises:
            PgError: There is none, or it cannot be called so.
        """
        query, types = call_of(self._state, function_oid)
        return self.prepare(query, types)

    def plan(self, prepared: Prepared) -> None:
        """As ``revalidate``, and let a query fail by what is constant in it.

        Raises:
            PgError: The relations have changed, or a constant cannot be computed.
        """
        self.revalidate(prepared)
        self._check_constants(prepared)

    def _adopt_style(self) -> None:
        """Let this thread read and show values as the session wants it."""
        settings = self._state.settings
        if self._style[0] != settings.version:
            style = replace(settings.style, now_us=lambda: self._state.now_ms() * 1000)
            self._style = (settings.version, style)
        use_style(self._style[1])

    def revalidate(self, prepared: Prepared) -> None:
        """Refuse a result of another shape than the client was told.

        Raises:
            PgError: The relations have changed since the statement was prepared.
        """
        _check_columns(self._state, prepared)

    def _check_constants(self, prepared: Prepared) -> None:
        """Let a query fail by what is constant in it before its rows are begun."""
        query = prepared.described.query
        if prepared.asked is None and query is not None and isinstance(prepared.statement, Query):
            check_constant_parts(self._state, query)

    def execute(self, prepared: Prepared, parameters: Sequence[object | None]) -> Result:
        """Run a statement.

        Raises:
            PgError: It failed; nothing of it is left.
        """
        assert prepared.statement is not None
        self._refuse_in_failed(prepared.statement)
        if self._is_implicit:
            # A block may have ended in between: the rest is a transaction of its own.
            self.begin_implicit(is_pipeline=self._is_pipeline)
        statement = prepared.statement
        if isinstance(statement, Fetch | Move) and statement.cursor in self._state.portals:
            return self._go_over(statement, prepared)

        def run() -> Result:
            self.plan(prepared)
            return self._execute(statement, prepared, prepared.constants or parameters)

        return self._run(statement.text, run)

    def _go_over(self, statement: Fetch | Move, prepared: Prepared) -> Result:
        """Do FETCH or MOVE over a portal, which may have to run its own statement first."""
        state, name = self._state, statement.cursor
        state.arm()
        try:
            self.plan(prepared)
            self._adopt_style()
            if isinstance(statement, Fetch):
                return portal_fetch.fetch(state, name, statement, self.execute)
            return portal_fetch.move(state, name, statement, self.execute)
        finally:
            state.rest()

    def _run(self, text: str, run: Callable[[], Result]) -> Result:
        """Do the work of a statement, as one that may be ended."""
        state = self._state
        state.settle()
        state.heed_settings()
        if text and not self._is_simple:
            state.see(text)
        state.arm()
        try:
            state.interrupt.check()
            self._adopt_style()
            result = run()
            self._adopt_style()
        except BaseException:
            state.rest()
            raise
        if not isinstance(result, EngineRows | CopyInResult | CopyOutResult):
            self._heed_on_commit()
            state.rest()
            state.settle()
        return result

    def _heed_on_commit(self) -> None:
        """A transaction may be over: temporary tables may have asked for something then."""
        if self._state.on_commit and not self._state.transaction.is_open:
            temporary.end_transaction(self._state)

    def cursor_columns(self, name: str) -> Sequence[OutputColumn] | None:
        """Return the columns of a cursor that SQL has declared, or None."""
        found = self._state.cursors.get(name)
        return None if found is None else found.columns

    def format_code(self, prepared: Prepared) -> int:
        """Return the format of a statement's rows where the client does not say."""
        found = None
        if isinstance(prepared.statement, Fetch):
            found = self._state.cursors.get(prepared.statement.cursor)
        return TEXT_FORMAT if found is None else found.format_code

    def go_on(self) -> None:
        """More rows of a statement are asked for, with a time of their own."""
        self._state.arm()

    def fetch_cursor(self, name: str, rows_max: int) -> Result:
        """Fetch rows of a cursor that SQL has declared; 0 is all of them."""
        return self._run("", lambda: cursor.fetch_next(self._state, name, rows_max))

    def close_cursor(self, name: str) -> None:
        """Close a cursor that SQL has declared, if there is one of that name."""
        if name in self._state.cursors:
            cursor.close(self._state, name)

    def begin_implicit(self, *, is_pipeline: bool = False) -> None:
        """What comes is one transaction."""
        self._is_implicit = True
        self._is_pipeline = is_pipeline
        if not self._state.transaction.is_open:
            read_only = self._state.settings.is_on("default_transaction_read_only")
            self._state.begin(is_implicit=True, is_read_only=read_only)
        self._state.transaction.is_pipeline = is_pipeline

    def end_implicit(self) -> None:
        """Commit it, unless a block was opened or closed in it meanwhile.

        Raises:
            PgError: It could not be committed; nothing of it is left.
        """
        self._is_implicit = False
        transaction = self._state.transaction
        if not transaction.is_open or not transaction.is_implicit:
            return
        self._state.arm()
        try:
            finish(self._state)
            self._heed_on_commit()
        finally:
            self._state.rest()

    def worded(self, error: PgError, message: bytes) -> PgError:
        """Return an error in the words that the session is told it in.

        Args:
            error: What happened.
            message: The type of the protocol's message that it ends.
        """
        return in_peers_words(error, message) if self._state.settings.is_peer else error

    def fail(self) -> None:
        """A statement failed: an implicit transaction is undone and over, a block is failed."""
        self._is_implicit = False
        transaction = self._state.transaction
        self._state.rest()
        if not transaction.is_open:
            self._state.settle(is_committed=False)
            return
        if transaction.is_implicit:
            undo(self._state)
        elif transaction.phase is Phase.FAILED or not goes_on(self._state):
            transaction.fail()
            # What the block has set since its last savepoint is undone already.
            savepoints = transaction.savepoints
            self._state.settings.return_to(savepoints[-1].settings if savepoints else None)
            self._state.apply_time_zone()

    def cancel(self) -> None:
        """End the running or waiting statement; from any thread."""
        self._state.cancel()

    def close(self) -> None:
        """The client is gone: roll back and free everything."""
        leave(self._state.calls_number)
        self._state.sessions.remove(self._state)
        self._state.close()
        temporary.leave(self._state)

    def _execute(
        self, statement: Statement, prepared: Prepared, parameters: Sequence[object]
    ) -> Result:
        described = prepared.described
        if prepared.asked is not None:
            assert described.query is not None, statement
            found = execute_point_query(self._state, described.query, prepared.asked)
            if found is not None:
                return found
            statement, described = self._described(statement.source, ())
        return execute(self._state, statement, described, parameters)

    def _described(self, source: Source, hints: Hints) -> tuple[Statement, Described]:
        key = (source.text, source.start, hints)
        if (kept := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            statement, described = kept
            self._refuse_in_failed(statement)
            described.refresh(self._state)
            return kept
        if not hints and (known := self._plain_inserts.find(source, self._state)) is not None:
            self._refuse_in_failed(known[0])
            return known
        statement = self._parsed.pop(source, None) or parse(source)
        self._refuse_in_failed(statement)
        try:
            described = describe(self._state, statement, hints)
        except PgError as e:
            self._state.sessions.unknown_names.note(e, source.text)
            raise
        self._cache[key] = (statement, described)
        if not hints:
            self._point_queries.note(source, statement, described)
            self._plain_inserts.note(source, statement, described)
            self._plain_changes.note(source, statement)
        if len(self._cache) > _STATEMENTS_KEPT:
            self._cache.popitem(last=False)
        return statement, described

    def _refuse_in_failed(self, statement: Statement) -> None:
        if self._state.transaction.phase is Phase.FAILED and not ends_transaction(statement):
            raise InFailedTransaction.plain()


def _hint(oid: Oid, state: SessionState) -> PgType | None:
    """Return the type that a client declared for a parameter, or None where it left it open."""
    if oid in (INVALID_OID, UNKNOWN.oid):
        return None
    pg_type = state.catalog().type_by_oid(oid)
    if pg_type is None:
        raise UndefinedObject(f"type with OID {oid} does not exist")
    return pg_type


def _refuse_parameters(source: Source) -> NoReturn:
    """Refuse a statement of the simple protocol, where parameters have no values."""
    number, position = first_parameter(source) or (1, None)
    raise UndefinedParameter(f"there is no parameter ${number}", position=position)


def _check_columns(state: SessionState, prepared: Prepared) -> None:
    """Refuse a result of another shape than the client was told.

    Raises:
        FeatureNotSupported: The relations have changed since the statement was prepared.
    """
    prepared.described.refresh(state)
    told, given = prepared.columns, prepared.described.columns
    if told is None or given is None:
        is_same = told is given
    else:
        is_same = [column.type for column in told] == [column.type for column in given]
    if not is_same:
        raise FeatureNotSupported("cached plan must not change result type")
