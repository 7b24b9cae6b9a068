"""The dialogue of one client and its session: what each message makes happen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final, Generic, assert_never

from catalog.errors import (
    InFailedTransaction,
    Notice,
    PgError,
    ProtocolViolation,
)
from catalog.session_errors import DuplicateCursor
from catalog.types import PgType
from server.failure import as_pg_error
from server.speech import Speech
from server.transport import ClientGoneError, Outbox
from server.wire import messages as m
from server.wire.codec import decode, encode, error_response, notice_response, only_value
from server.wire.row_description import row_description
from server.wire.session_contract import (
    CopyInResult,
    CopyOutResult,
    OutputColumn,
    PreparedT,
    Result,
    Session,
    SourceT,
)
from server.wire.state import (
    Phase,
    Portal,
    RowCursor,
    after_error,
    argument_formats,
    check_codes,
    is_skipped,
    parameter_formats,
    result_formats,
)

_LOG: Final = logging.getLogger(__name__)

_IDLE: Final = b"I"
_FAILED: Final = b"E"

#: How many RowDescriptions a connection keeps.
_DESCRIPTIONS_MAX: Final = 256


class Conversation(Generic[SourceT, PreparedT]):
    """Feeds a session with a client's messages and answers them.

    Args:
        session: Whose statements these are.
        outbox: Where answers go.
        next_frame: Waits for the client's next message, for a statement that wants more.
        next_data: Waits for the data of its next CopyData messages; None if another comes next.
        heeding: While its block reads a COPY's data, what ends the statement ends the reading.
        holds_sync: Tells whether Sync has arrived and is what comes next.
        ending: The error with which somebody wants the connection to end, if so.
    """

    def __init__(
        self,
        session: Session[SourceT, PreparedT],
        outbox: Outbox,
        *,
        next_frame: Callable[[], tuple[bytes, bytes]],
        next_data: Callable[[], bytes | None],
        heeding: Callable[[CopyInResult], AbstractContextManager[None]],
        holds_sync: Callable[[], bool],
        ending: Callable[[], PgError | None],
    ) -> None:
        self.phase = Phase.READY
        #: Whether the last thing sent was that queries may come, and nothing has come since.
        self.is_at_rest = False
        self._session = session
        self._outbox = outbox
        self._next_frame = next_frame
        self._next_data = next_data
        self._heeding = heeding
        self._holds_sync = holds_sync
        self._ending = ending
        self._statements = session.statements
        self._portals = session.portals
        self._is_implicit = False
        self._descriptions: dict[
            tuple[int, tuple[int, ...]], tuple[Sequence[OutputColumn], bytes]
        ] = {}
        self._told: dict[str, str] = {}  #: The parameters as the client knows them.
        self._speech = Speech(outbox)
        session.notices = self.notice

    def notice(self, notice: Notice) -> None:
        """Tell the client something at once; a client that is gone is noticed elsewhere."""
        with suppress(ClientGoneError):
            self._send(notice_response(notice))
            self._outbox.flush()

    def greet(self, key: m.BackendKeyData) -> None:
        """Report the parameters, how statements are cancelled, and that queries may come."""
        self._ready(key)

    def receive(self, kind: bytes, body: bytes) -> None:
        """Handle one message.

        Raises:
            ClientGoneError: The client cannot be answered.
        """
        self.is_at_rest = False
        if is_skipped(self.phase, kind):
            return
        try:
            self._handle(decode(kind, self._speech.heard(kind, body)))
        except ClientGoneError:
            raise
        except Exception as e:  # noqa: BLE001  Whatever it was, the client is told and goes on.
            self._fail(kind, as_pg_error(e))

    def deliver(self) -> None:
        """Send the notifications that have come, unless a transaction is open.

        Raises:
            ClientGoneError: The client cannot be told.
        """
        self._tell_notifications()
        self._outbox.flush()

    def close(self) -> None:
        """Free what the portals hold."""
        self._portals.close_all()

    def _handle(self, message: m.FrontendMessage) -> None:
        match message:
            case m.Query():
                self._query(message)
            case m.Parse():
                self._parse(message)
            case m.Bind():
                self._bind(message)
            case m.DescribeStatement(name):
                self._describe_statement(self._statements.get(name))
            case m.DescribePortal(name):
                self._describe_portal(name)
            case m.Execute():
                self._execute(message)
            case m.CloseStatement(name):
                self._statements.close(name)
                self._send(m.CloseComplete())
            case m.ClosePortal(name):
                if not self._portals.close(name):
                    self._session.close_cursor(name)
                self._send(m.CloseComplete())
            case m.Flush():
                self._outbox.flush()
            case m.Sync():
                self._sync()
            case m.Terminate():
                self.phase = Phase.CLOSED
            case m.FunctionCall():
                self._call(message)
            case m.CopyData() | m.CopyDone() | m.CopyFail():
                raise AssertionError(message)  # Skipped before they are decoded.
            case _:
                assert_never(message)

    def _fail(self, kind: bytes, error: PgError) -> None:
        told = self._ending() or error
        self._send(error_response(self._session.worded(told, kind)))
        self._is_implicit = False
        try:
            self._session.fail()
        except PgError:
            _LOG.exception("the transaction could not be ended after an error")
        self.phase = after_error(kind, told.severity)
        match self.phase:
            case Phase.READY:
                self._ready()
            case Phase.CLOSED:
                self._outbox.flush()
            case Phase.SKIPPING:
                # Some clients ask by Flush and send Sync only once they know of the error.
                self._outbox.flush()

    # The simple protocol.

    def _query(self, query: m.Query) -> None:
        self._statements.close("")
        sources = self._session.split(query.text)
        if not sources:
            self._send(m.EmptyQueryResponse())
        if len(sources) > 1:
            self._begin_implicit(is_pipeline=False)
        for source in sources:
            self._run(source)
        self._end_implicit()
        self._ready()

    def _run(self, source: SourceT) -> None:
        prepared = self._session.prepare(source)
        self._portals.close("")
        if prepared.is_empty:
            self._send(m.EmptyQueryResponse())
            return
        result = self._session.execute(prepared, ())
        self._heed_end(prepared)
        self._speech.heed(self._session.client_encoding)
        try:
            rows = self._copy(result)
            if result.columns is not None:
                formats = (self._session.format_code(prepared),) * len(result.columns)
                self._describe(result.columns, formats)
                cursor = RowCursor(result.batches(formats))
                self._speech.rows_are(result.columns, formats)
                self._send_rows(cursor, 0)
                rows = cursor.rows_taken
            self._send(m.CommandComplete(result.tag(rows)))
        finally:
            result.close()

    # The extended protocol.

    def _parse(self, parse: m.Parse) -> None:
        if not parse.statement:
            self._statements.close(parse.statement)
        prepared = self._session.prepare(parse.query, parse.parameter_oids)
        self._statements.check_free(parse.statement)
        self._statements.add(parse.statement, prepared)
        self._send(m.ParseComplete())

    def _bind(self, bind: m.Bind) -> None:
        prepared = self._statements.get(bind.statement)
        types = prepared.parameter_types
        formats = parameter_formats(bind, types)
        if types or not prepared.is_accepted_when_failed:
            self._refuse_in_failed()
        self._portals.check_free(bind.portal)
        if self._session.cursor_columns(bind.portal) is not None:
            raise DuplicateCursor(f'cursor "{bind.portal}" already exists')
        parameters = self._values(types, formats, bind.parameters)
        self._session.plan(prepared)
        wanted = result_formats(bind, prepared.columns)
        now_ms = self._session.now_ms()
        is_of_failed = self._session.transaction_status == _FAILED
        self._portals.add(
            Portal(bind.portal, prepared, parameters, wanted, now_ms, is_of_failed=is_of_failed)
        )
        self._send(m.BindComplete())

    def _describe_portal(self, name: str) -> None:
        """Describe a portal, or the cursor of that name that DECLARE has made."""
        columns = self._session.cursor_columns(name)
        formats: Sequence[int] = ()
        if columns is None:
            portal = self._portals.get(name)
            columns, formats = portal.prepared.columns, portal.result_formats
        if columns is not None:
            self._refuse_in_failed()
        self._describe(columns, formats)

    def _describe_statement(self, prepared: PreparedT) -> None:
        if prepared.columns is not None:
            self._refuse_in_failed()
        self._send(m.ParameterDescription(tuple(t.oid for t in prepared.parameter_types)))
        self._session.revalidate(prepared)
        self._describe(prepared.columns, ())

    def _describe(self, columns: Sequence[OutputColumn] | None, formats: Sequence[int]) -> None:
        if columns is None:
            self._send(m.NoData())
            return
        codes = tuple(formats) or (m.TEXT_FORMAT,) * len(columns)
        # Some drivers ask before each Execute. The columns are kept too, so that theirs stays
        # their identity.
        kept = self._descriptions.get((id(columns), codes))
        if kept is None:
            if len(self._descriptions) >= _DESCRIPTIONS_MAX:
                self._descriptions.clear()
            kept = self._descriptions[id(columns), codes] = columns, row_description(columns, codes)
        self._speech.write(kept[1])

    def _execute(self, execute: m.Execute) -> None:
        if self._session.cursor_columns(execute.portal) is not None:
            self._execute_cursor(execute)
            return
        portal = self._portals.get(execute.portal)
        if portal.prepared.is_empty:
            self._send(m.EmptyQueryResponse())
            return
        if not (portal.prepared.is_accepted_when_failed and portal.is_of_failed):
            self._refuse_in_failed()
        portal.check_runnable()
        if portal.result is None:
            check_codes(portal.result_formats)
            if not self._holds_sync() and not self._is_implicit:
                self._begin_implicit(is_pipeline=True)
            portal.has_begun = True
            portal.start(self._session.execute(portal.prepared, portal.parameters))
            self._heed_end(portal.prepared)
            self._speech.heed(self._session.client_encoding)
        else:
            self._session.go_on()
        result, cursor = portal.result, portal.cursor
        assert result is not None
        if cursor is None:
            try:
                self._send(m.CommandComplete(result.tag(self._copy(result))))
            finally:
                result.close()
            return
        self._speech.rows_are(portal.prepared.columns or (), portal.result_formats)
        self._send_rows(cursor, execute.rows_max)
        if cursor.is_exhausted:
            self._send(m.CommandComplete(result.tag(cursor.rows_taken)))
        else:
            self._send(m.PortalSuspended())

    def _execute_cursor(self, execute: m.Execute) -> None:
        """Fetch from a cursor that SQL has declared: it is a portal, of rows as text."""
        self._refuse_in_failed()
        result = self._session.fetch_cursor(execute.portal, execute.rows_max)
        try:
            columns = result.columns or ()
            formats = (m.TEXT_FORMAT,) * len(columns)
            cursor = RowCursor(result.batches(formats))
            self._speech.rows_are(columns, formats)
            self._send_rows(cursor, 0)
        finally:
            result.close()
        if execute.rows_max > 0 and cursor.rows_taken == execute.rows_max:
            self._send(m.PortalSuspended())
        else:
            self._send(m.CommandComplete(f"SELECT {cursor.rows_taken}"))

    def _sync(self) -> None:
        self.phase = Phase.READY
        self._end_implicit()
        self._ready()

    # Functions by OID.

    def _call(self, call: m.FunctionCall) -> None:
        self._refuse_in_failed()
        prepared = self._session.prepare_call(call.function_oid)
        formats = argument_formats(call, prepared.parameter_types)
        check_codes((call.result_format,))
        arguments = self._values(prepared.parameter_types, formats, call.arguments)
        result = self._session.execute(prepared, arguments)
        self._speech.heed(self._session.client_encoding)
        try:
            (batch,) = result.batches((call.result_format,))
            row = bytes(batch.data(0, 1))
        finally:
            result.close()
        self._speech.rows_are(prepared.columns or (), (call.result_format,))
        self._send(m.FunctionCallResponse(only_value(self._speech.outgoing(row))))
        self._end_implicit()
        self._ready()

    # What both have in common.

    def _values(
        self, types: Sequence[PgType], formats: Sequence[int], images: Sequence[bytes | None]
    ) -> list[object | None]:
        """Return the values of parameters."""
        return [
            None if image is None else self._speech.parameter(pg_type, code, image, number)
            for number, (pg_type, code, image) in enumerate(
                zip(types, formats, images, strict=True), start=1
            )
        ]

    def _refuse_in_failed(self) -> None:
        """Refuse what needs a transaction while the block is failed.

        Raises:
            InFailedTransaction: It is.
        """
        if self._session.transaction_status == _FAILED:
            raise InFailedTransaction.plain()

    def _begin_implicit(self, *, is_pipeline: bool) -> None:
        if self._session.transaction_status == _IDLE:
            self._session.begin_implicit(is_pipeline=is_pipeline)
            self._is_implicit = True

    def _end_implicit(self) -> None:
        if self._is_implicit:
            self._is_implicit = False
            self._session.end_implicit()

    def _heed_end(self, prepared: PreparedT) -> None:
        """Let all portals die with the transaction that a statement has ended, block or not."""
        if prepared.ends_transaction:
            self._portals.close_all()

    def _send_rows(self, cursor: RowCursor, rows_max: int) -> None:
        for piece in cursor.take(rows_max):
            self._speech.write(piece)
            ending = self._ending()
            if ending is not None:
                raise ending

    def _copy(self, result: Result) -> int:
        """Let the data of a COPY pass; return how many rows were sent."""
        match result:
            case CopyInResult():
                self._copy_in(result)
            case CopyOutResult():
                return self._copy_out(result)
            case _:
                pass
        return 0

    def _copy_out(self, copy: CopyOutResult) -> int:
        """Send a COPY's data; return how many rows they are."""
        formats = tuple(copy.copy_formats)
        cursor = RowCursor(copy.batches(formats))
        self._send(m.CopyOutResponse(formats))
        with self._speech.copying(copy.copied, formats, copy.encoding):
            self._send_data(copy.head)
            self._send_rows(cursor, 0)
            self._send_data(copy.tail)
        self._send(m.CopyDone())
        return cursor.rows_taken

    def _send_data(self, data: bytes) -> None:
        if data:
            self._send(m.CopyData(data))

    def _copy_in(self, copy: CopyInResult) -> None:
        """Take a COPY's data up to their end; what is left after an error is skipped later."""
        self._send(m.CopyInResponse(tuple(copy.copy_formats)))
        self._outbox.flush()
        while True:
            with self._heeding(copy):
                data = self._next_data()
                kind, body = (b"d", data) if data is not None else self._next_frame()
            if (ending := self._ending()) is not None:
                raise ending
            match kind:
                case b"d":
                    copy.write(body)
                case b"c":
                    copy.finish()
                    return
                case b"f":
                    message = decode(kind, body)
                    assert isinstance(message, m.CopyFail)
                    copy.fail(message.reason)
                case b"H" | b"S":
                    pass  # Sent ahead by clients that do not know yet that data are wanted.
                case _:
                    copy.catch_up()
                    unexpected = f"unexpected message type 0x{kind[0]:02X} during COPY from stdin"
                    self._send(error_response(ProtocolViolation(unexpected)))
                    raise ProtocolViolation(
                        "terminating connection because protocol synchronization was lost",
                        severity="FATAL",
                    )

    def _ready(self, key: m.BackendKeyData | None = None) -> None:
        status = self._session.transaction_status
        if status == _IDLE:
            self._portals.close_all()
            self._tell_notifications()
        self._speech.heed(self._session.client_encoding)
        for name, value in self._session.parameter_changes():
            # A value may have changed and changed back.
            if self._told.get(name) != value:
                self._told[name] = value
                self._send(m.ParameterStatus(name, value))
        if key is not None:
            self._send(key)
        self._send(m.ReadyForQuery(status))
        self._outbox.flush()
        self.is_at_rest = True

    def _tell_notifications(self) -> None:
        for notification in self._session.notifications():
            self._send(
                m.NotificationResponse(
                    notification.process_id, notification.channel, notification.payload
                )
            )

    def _send(self, message: m.BackendMessage) -> None:
        self._speech.write(encode(message))
