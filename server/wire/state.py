"""What a connection remembers between messages: its phase, prepared statements and portals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, Generic

from catalog.errors import (
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    ProtocolViolation,
)
from catalog.session_errors import (
    DuplicateCursor,
    DuplicatePreparedStatement,
    UndefinedCursor,
    UndefinedPreparedStatement,
)
from server.wire import messages as m
from server.wire.session_contract import PreparedT, Result, RowBatch


class Phase(StrEnum):
    """Where the conversation stands."""

    READY = "ready"
    SKIPPING = "skipping"  #: After an error in the extended protocol, up to Sync.
    CLOSED = "closed"


#: Messages that are answered by ReadyForQuery even when they fail.
_ANSWERED_BY_READY: Final = frozenset((b"Q", b"F", b"S"))


def is_skipped(phase: Phase, kind: bytes) -> bool:
    """Whether a message of that type is thrown away unread."""
    match phase:
        case Phase.READY:
            return kind in (b"d", b"c", b"f")  # What is left of a COPY that failed.
        case Phase.SKIPPING:
            return kind not in (b"S", b"X")
        case Phase.CLOSED:
            return True


def after_error(kind: bytes, severity: str) -> Phase:
    """The phase after a message of that type has failed."""
    if severity != "ERROR":
        return Phase.CLOSED
    return Phase.READY if kind in _ANSWERED_BY_READY else Phase.SKIPPING


class PreparedStatements(Generic[PreparedT]):
    """Prepared statements by name; they live until they are closed."""

    def __init__(self) -> None:
        self._by_name: dict[str, PreparedT] = {}

    def check_free(self, name: str) -> None:
        """Make room for a new statement; the unnamed one gives way.

        Raises:
            DuplicatePreparedStatement: The name is taken.
        """
        if not name:
            self.close(name)
        elif name in self._by_name:
            raise DuplicatePreparedStatement(f'prepared statement "{name}" already exists')

    def add(self, name: str, prepared: PreparedT) -> None:
        """Keep a statement under a name that ``check_free`` has allowed."""
        self._by_name[name] = prepared

    def find(self, name: str) -> PreparedT | None:
        """Return the statement of that name, or None."""
        return self._by_name.get(name)

    def get(self, name: str) -> PreparedT:
        """Return the statement of that name.

        Raises:
            UndefinedPreparedStatement: There is none.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise UndefinedPreparedStatement.named(name) from None

    def close(self, name: str) -> None:
        """Forget the statement of that name, if there is one."""
        self._by_name.pop(name, None)

    def items(self) -> list[tuple[str, PreparedT]]:
        """Return the statements there are and their names."""
        return list(self._by_name.items())

    def deallocate(self, name: str | None) -> None:
        """Forget the statement of that name, or all.

        Raises:
            UndefinedPreparedStatement: There is none.
        """
        if name is None:
            self._by_name.clear()
        elif self._by_name.pop(name, None) is None:
            raise UndefinedPreparedStatement.named(name)


class RowCursor:
    """A place in the rows of a result."""

    def __init__(self, batches: Iterator[RowBatch]) -> None:
        self._batches = batches
        self._batch: RowBatch | None = None
        self._at = 0
        self.is_exhausted = False
        self.rows_taken = 0  #: By the last ``take``.
        self.rows_passed = 0  #: By all of them.

    @property
    def is_at_start(self) -> bool:
        """Whether no row was asked for yet."""
        return not self.rows_passed and not self.is_exhausted

    @property
    def is_on_row(self) -> bool:
        """Whether the row that was taken last is the current one."""
        return self.rows_passed > 0 and not self.is_exhausted

    def take(self, rows_max: int) -> Iterator[bytes | memoryview]:
        """Give the next rows, piece by piece; 0 is all of them.

        As in PostgreSQL the end is noticed only by asking for a row beyond it: a limit that falls
        on the last row leaves the cursor not exhausted.
        """
        self.rows_taken = 0
        while not self.is_exhausted and (rows_max <= 0 or self.rows_taken < rows_max):
            if self._batch is None or self._at == self._batch.rows:
                # Let go of a batch before the next is computed: one may be large.
                self._batch = None
                self._batch = next(self._batches, None)
                self._at = 0
            if self._batch is None:
                self.is_exhausted = True
                return
            left = self._batch.rows - self._at
            count = left if rows_max <= 0 else min(left, rows_max - self.rows_taken)
            if count == 0:
                continue
            piece = self._batch.data(self._at, self._at + count)
            self._at += count
            self.rows_taken += count
            self.rows_passed += count
            yield piece


class Portal(Generic[PreparedT]):
    """A prepared statement with its parameters, ready to execute, possibly suspended."""

    def __init__(
        self,
        name: str,
        prepared: PreparedT,
        parameters: Sequence[object | None],
        result_formats: Sequence[int],
        created_ms: int = 0,
        *,
        is_of_failed: bool = False,
    ) -> None:
        #: Whether the transaction had failed when it was made. Those that were there when it did
        #: have lost their statements, which may be of what it has made.
        self.is_of_failed = is_of_failed
        self.name = name
        self.prepared = prepared
        self.parameters = parameters
        self.result_formats = result_formats
        self.created_ms = created_ms
        self.result: Result | None = None
        self.cursor: RowCursor | None = None
        self.has_begun = False  #: Whether its statement was executed, whatever came of it.

    @property
    def is_running(self) -> bool:
        """Whether its statement is at work now."""
        return self.has_begun and self.result is None

    def check_runnable(self) -> None:
        """Refuse to run a statement without rows a second time.

        Raises:
            ObjectNotInPrerequisiteState: It has run.
        """
        if self.has_begun and self.cursor is None:
            raise ObjectNotInPrerequisiteState(f'portal "{self.name}" cannot be run')

    def start(self, result: Result) -> None:
        """Take what executing the statement has given."""
        self.result = result
        if result.columns is not None:
            self.cursor = RowCursor(result.batches(self.result_formats))

    def close(self) -> None:
        """Free the result."""
        if self.result is not None:
            self.result.close()


class Portals(Generic[PreparedT]):
    """Portals by name; they live until their transaction ends."""

    def __init__(self) -> None:
        self._by_name: dict[str, Portal[PreparedT]] = {}

    def check_free(self, name: str) -> None:
        """Make room for a new portal; the unnamed one gives way.

        Raises:
            DuplicateCursor: The name is taken.
        """
        if not name:
            self.close(name)
        elif name in self._by_name:
            raise DuplicateCursor(f'cursor "{name}" already exists')

    def add(self, portal: Portal[PreparedT]) -> None:
        """Keep a portal under a name that ``check_free`` has allowed."""
        self._by_name[portal.name] = portal

    def all(self) -> tuple[Portal[PreparedT], ...]:
        """Return every portal."""
        return tuple(self._by_name.values())

    def get(self, name: str) -> Portal[PreparedT]:
        """Return the portal of that name.

        Raises:
            UndefinedCursor: There is none.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise UndefinedCursor.named(name) from None

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def close(self, name: str) -> bool:
        """Forget the portal of that name, if there is one; return whether there was."""
        portal = self._by_name.pop(name, None)
        if portal is not None:
            portal.close()
        return portal is not None

    def close_all(self) -> None:
        """Forget every portal: their transaction is over."""
        for name in list(self._by_name):
            self.close(name)


def check_codes(formats: Sequence[int]) -> None:
    """Refuse formats that do not exist; of a result this is asked when it begins.

    Raises:
        InvalidParameterValue: A format code is neither text nor binary.
    """
    for code in formats:
        if code not in (m.TEXT_FORMAT, m.BINARY_FORMAT):
            raise InvalidParameterValue(f"unsupported format code: {code}")


def parameter_formats(bind: m.Bind, types: Sequence[object]) -> Sequence[int]:
    """Return one format code for each parameter of a Bind.

    Raises:
        ProtocolViolation: The numbers of parameters or formats do not fit.
        InvalidParameterValue: A format code is neither text nor binary.
    """
    given, wanted = len(bind.parameters), len(types)
    if len(bind.parameter_formats) > 1 and len(bind.parameter_formats) != given:
        raise ProtocolViolation(
            f"bind message has {len(bind.parameter_formats)} parameter formats"
            f" but {given} parameters"
        )
    if given != wanted:
        raise ProtocolViolation(
            f"bind message supplies {given} parameters, but prepared statement"
            f' "{bind.statement}" requires {wanted}'
        )
    check_codes(bind.parameter_formats)
    return _for_each(bind.parameter_formats, given)


def argument_formats(call: m.FunctionCall, types: Sequence[object]) -> Sequence[int]:
    """Return one format code for each argument of a FunctionCall.

    Raises:
        ProtocolViolation: The numbers of arguments or formats do not fit.
        InvalidParameterValue: A format code is neither text nor binary.
    """
    given, wanted = len(call.arguments), len(types)
    if given != wanted:
        raise ProtocolViolation(
            f"function call message contains {given} arguments but function requires {wanted}"
        )
    if len(call.argument_formats) > 1 and len(call.argument_formats) != given:
        raise ProtocolViolation(
            f"function call message contains {len(call.argument_formats)} argument formats"
            f" but {given} arguments"
        )
    check_codes(call.argument_formats)
    return _for_each(call.argument_formats, given)


def result_formats(bind: m.Bind, columns: Sequence[object] | None) -> Sequence[int]:
    """Return one format code for each column of a portal.

    Raises:
        ProtocolViolation: The number of formats does not fit.
    """
    if columns is None:
        return ()
    if len(bind.result_formats) > 1 and len(bind.result_formats) != len(columns):
        raise ProtocolViolation(
            f"bind message has {len(bind.result_formats)} result formats"
            f" but query has {len(columns)} columns"
        )
    return _for_each(bind.result_formats, len(columns))


def _for_each(formats: Sequence[int], count: int) -> Sequence[int]:
    match len(formats):
        case 0:
            return (m.TEXT_FORMAT,) * count
        case 1:
            return (formats[0],) * count
        case _:
            return formats
