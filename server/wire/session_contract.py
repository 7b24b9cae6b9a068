"""What a connection needs of a session; ``server.session`` fulfils it.

The connection calls a session from one thread; only ``cancel`` comes from others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NoReturn, Protocol, TypeVar

from catalog.errors import Notice, PgError
from catalog.oid import Oid
from catalog.types import PgType

if TYPE_CHECKING:
    from server.wire.state import Portals, PreparedStatements


class OutputColumn(Protocol):
    """One column of a result."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> PgType: ...
    @property
    def relation_oid(self) -> Oid:
        """The table that the column comes from, or 0."""
        ...

    @property
    def number(self) -> int:
        """The column's attnum there, or 0."""
        ...


class Prepared(Protocol):
    """A statement that was parsed and bound."""

    @property
    def parameter_types(self) -> Sequence[PgType]: ...
    @property
    def columns(self) -> Sequence[OutputColumn] | None:
        """The result's columns; None when it has no rows (NoData)."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether there is no statement, only blanks and comments."""
        ...

    @property
    def ends_transaction(self) -> bool:
        """Whether the transaction is over when it has run, be it a block or not."""
        ...

    @property
    def is_accepted_when_failed(self) -> bool:
        """Whether it may run in a failed transaction block: it ends the block, or the failure."""
        ...


class Notification(Protocol):
    """What somebody has sent to a channel that the session listens to."""

    @property
    def process_id(self) -> int: ...
    @property
    def channel(self) -> str: ...
    @property
    def payload(self) -> str: ...


class RowBatch(Protocol):
    """Some rows, encoded."""

    @property
    def rows(self) -> int: ...
    def data(self, start: int, stop: int) -> bytes | memoryview:
        """The DataRow messages of rows ``start`` to ``stop``, one after the other."""
        ...

    @property
    def memory(self) -> int:
        """How many bytes of memory the rows take when they are kept, about."""
        ...

    def kept(self) -> RowBatch:
        """The same rows, taking no more memory than they need to."""
        ...


class Result(Protocol):
    """What executing a statement gave."""

    @property
    def columns(self) -> Sequence[OutputColumn] | None:
        """As ``Prepared.columns``."""
        ...

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Its rows in the given formats, one code per column; asked once, if there are columns."""
        ...

    def tag(self, rows: int) -> str:
        """The command tag, given how many rows this Execute has sent."""
        ...

    def close(self) -> None:
        """Free what the result holds; may be called more than once."""
        ...


class CopyInResult(ABC):
    """A ``Result`` that wants data before it is done."""

    @property
    def columns(self) -> None:
        """There are none."""
        return

    @property
    @abstractmethod
    def copy_formats(self) -> Sequence[int]:
        """A format code for each column of the data."""

    @abstractmethod
    def interruptible(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """While the block waits for data, call ``wake``, from any thread, when it has to end.

        Raises:
            PgError: It has to end already.
        """

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Take data, however divided."""

    @abstractmethod
    def catch_up(self) -> None:
        """Look at all rows that have arrived: an error in them comes before what comes next."""

    @abstractmethod
    def finish(self) -> None:
        """The data are complete: returns when its rows are committed, or part of the block."""

    @abstractmethod
    def fail(self, reason: str) -> NoReturn:
        """The client gives up."""

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Never asked for."""
        raise AssertionError(formats)

    @abstractmethod
    def tag(self, rows: int) -> str:
        """The command tag, once it is finished."""

    @abstractmethod
    def close(self) -> None:
        """Free what it holds; unless it is finished, nothing of it is left."""


class CopyOutResult(ABC):
    """A ``Result`` whose rows come as data; the messages of its batches are CopyData."""

    @property
    def columns(self) -> None:
        """There are none that a client is told of."""
        return

    @property
    @abstractmethod
    def copied(self) -> Sequence[OutputColumn]:
        """The columns of the data."""

    @property
    @abstractmethod
    def copy_formats(self) -> Sequence[int]:
        """A format code for each column of the data."""

    @property
    @abstractmethod
    def encoding(self) -> str:
        """What the data are to be encoded in; nothing is the client's encoding."""

    @property
    @abstractmethod
    def head(self) -> bytes:
        """A message before the rows, if there is one."""

    @property
    @abstractmethod
    def tail(self) -> bytes:
        """A message after the rows, if there is one; asked for when these are sent."""

    @abstractmethod
    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """As of every result."""

    @abstractmethod
    def tag(self, rows: int) -> str:
        """As of every result."""

    @abstractmethod
    def close(self) -> None:
        """As of every result."""


PreparedT = TypeVar("PreparedT", bound=Prepared)
SourceT = TypeVar("SourceT")


class Session(Protocol[SourceT, PreparedT]):
    """One client's settings and transaction.

    Every method may raise ``PgError``; anything else is a bug and reaches the client as XX000.
    """

    #: Tells the client something at once. Set by the connection, may be called from any thread.
    notices: Callable[[Notice], None]

    #: Ends the session with a FATAL error. Set by the connection, called from any thread.
    terminate: Callable[[PgError], None]

    #: Lets a connection that waits look for notifications. Set by the connection, called from any
    #: thread; does not wait.
    wake: Callable[[], None]

    @property
    def statements(self) -> PreparedStatements[PreparedT]:
        """Prepared statements by name; SQL has a hand in them too."""
        ...

    @property
    def portals(self) -> Portals[PreparedT]:
        """Portals by name; SQL has a hand in them too."""
        ...

    def now_ms(self) -> int:
        """Return what time it is."""
        ...

    @property
    def client_encoding(self) -> str:
        """The encoding of all texts that the client sends and gets."""
        ...

    @property
    def is_listening(self) -> bool:
        """Whether notifications may come."""
        ...

    def notifications(self) -> Sequence[Notification]:
        """Take what others have sent; nothing while a transaction is open."""
        ...

    def patience(self) -> tuple[int, PgError] | None:
        """For how long, in ms, the client may be silent now, and the FATAL error for longer."""
        ...

    @property
    def transaction_status(self) -> bytes:
        """``I`` idle, ``T`` in a transaction block, ``E`` in a failed one.

        An implicit transaction is no block.
        """
        ...

    def parameter_changes(self) -> list[tuple[str, str]]:
        """The reported parameters that changed since the last call; at first all of them."""
        ...

    def split(self, sql: str) -> Sequence[SourceT]:
        """The statements of a string; empty ones are dropped. One is malformed: none is run."""
        ...

    def prepare(self, source: SourceT | str, parameter_oids: Sequence[Oid] = ()) -> PreparedT:
        """Parse and bind a statement; a string (of Parse) holds at most one."""
        ...

    def prepare_call(self, function_oid: Oid) -> PreparedT:
        """Bind a query that calls a function; its parameters are the arguments."""
        ...

    def plan(self, prepared: PreparedT) -> None:
        """As ``revalidate``, and let a query fail by what is constant in it."""
        ...

    def revalidate(self, prepared: PreparedT) -> None:
        """Refuse a statement that gives other columns by now than it was prepared to give."""
        ...

    def cursor_columns(self, name: str) -> Sequence[OutputColumn] | None:
        """Return the columns of a cursor that SQL has declared, or None."""
        ...

    def format_code(self, prepared: PreparedT) -> int:
        """The format of a statement's rows where the client does not say."""
        ...

    def go_on(self) -> None:
        """More rows of a statement that has run are asked for."""
        ...

    def fetch_cursor(self, name: str, rows_max: int) -> Result:
        """Fetch rows of a cursor that SQL has declared; 0 is all of them."""
        ...

    def close_cursor(self, name: str) -> None:
        """Close a cursor that SQL has declared, if there is one of that name."""
        ...

    def execute(self, prepared: PreparedT, parameters: Sequence[object | None]) -> Result:
        """Run a statement; may wait for the barrier or for RESUME."""
        ...

    def begin_implicit(self, *, is_pipeline: bool) -> None:
        """What comes is one transaction: several statements of a string, or up to Sync.

        As in PostgreSQL cursors can be declared in the former, not in the latter.
        """
        ...

    def end_implicit(self) -> None:
        """Commit it, unless a block was opened or closed in it meanwhile."""
        ...

    def worded(self, error: PgError, message: bytes) -> PgError:
        """Return an error in the words in which the client is told it.

        Args:
            error: What happened.
            message: The type of the message that it ends.
        """
        ...

    def fail(self) -> None:
        """A statement failed: an implicit transaction is undone and over, a block is failed."""
        ...

    def cancel(self) -> None:
        """End the running or waiting statement with 57014; from any thread."""
        ...

    def close(self) -> None:
        """The client is gone: roll back and free everything."""
        ...
