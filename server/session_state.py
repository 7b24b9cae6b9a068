"""What a session is made of; every statement's execution works on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, Protocol

import sqlglot
from sqlglot import exp

from barrier import pause
from barrier.clock import Clock
from barrier.command import Command, Flush
from barrier.interrupt import Interrupt
from barrier.manager import BarrierManager
from barrier.store import Reader
from barrier.worker import BarrierWorker
from catalog.errors import Notice, PgError, QueryCanceled
from catalog.oid import Oid
from catalog.relation import Table, User, temporary_schema
from catalog.roles import Access
from catalog.state import Catalog
from catalog.system.snapshot import SessionState as ListedSession
from catalog.types import PgType
from server.advisory_lock import Owner
from server.declared import Cursor, settled
from server.declared_changes import ChangeCursors
from server.elsewhere import Elsewhere
from server.identity import Identity
from server.notifications import Mailbox
from server.promise import Promises
from server.promise_keeper import PromiseKeeper
from server.search_path import searched
from server.sessions import Sessions
from server.settings import Settings
from server.sql.bind.context import BindContext
from server.sql.redaction import redacted
from server.sql.session_calls import VARIABLE
from server.system.access import SessionContext, SystemAccess, SystemObjects
from server.system_snapshot import system_snapshot
from server.time_zones import TimeZones
from server.transaction import SERIALIZABLE, Phase, Transaction, started
from server.version import VERSION_TEXT
from server.wire.state import Portals, PreparedStatements

#: Severities by client_min_messages; a message is sent when its own comes no earlier.
_SEVERITIES: Final = ("debug", "log", "notice", "warning", "error")


class Streaming(Protocol):
    """A result that still reads from the session's reader."""

    def settle(self) -> None:
        """Take the rest into memory: the reader is wanted for something else."""
        ...


class SessionState:
    """A session: where it is, who it is, what it has set and what transaction it is in.

    Attributes:
        notices: Tells the client something at once; set by the connection.
        statements: Prepared statements by name.
        portals: The protocol's portals by name.
        terminate: Ends the session with a FATAL error; set by the connection.
        wake: Lets the connection look for notifications; set by the connection.
        peer_views: Temporary views that are in schemas of others.
        on_commit: What becomes of temporary tables at the end of each transaction.
        has_queued_writes: Whether writes were acknowledged that may not be applied yet.
        query: The statement that runs, or ran last.
        query_ms: When it came.
        others: What the session has to do with others.
        call_error: The error with which a function ended that the engine had called.
        identity: Whose session it is, and whose privileges it uses.
        turn: Counts statements and answers; what the system catalogs told holds for one.
    """

    def __init__(
        self,
        manager: BarrierManager,
        sessions: Sessions,
        clock: Clock,
        *,
        user: User,
        database: str,
        process_id: int,
        client_address: str | None = None,
    ) -> None:
        self.manager = manager
        self.sessions = sessions
        self.interrupt = Interrupt(clock)
        self._clock = clock
        self.identity = Identity(manager, user, database)
        self.process_id = process_id
        self.notices: Callable[[Notice], None] = lambda _: None
        self.statements: PreparedStatements[Any] = PreparedStatements()
        self.portals: Portals[Any] = Portals()
        self.terminate: Callable[[PgError], None] = self.interrupt.set
        self.wake: Callable[[], None] = lambda: None
        me = Owner(process_id, self.interrupt)
        self.others = PromiseKeeper(sessions, me, Mailbox(self._wake, self.end))
        self.call_error: PgError | None = None
        self.calls_number = 0
        self.transaction = Transaction()
        self.cursors: dict[str, Cursor] = {}
        self.change_cursors, self.elsewhere = ChangeCursors(), Elsewhere(self)
        self.peer_views: list[Oid] = []
        self.on_commit: dict[Oid, str] = {}
        self.has_queued_writes = False
        self.query = ""
        self._client_address, self._is_running = client_address, False
        self._started_ms = self.query_ms = self._changed_ms = clock.now_ms()
        self.turn, self._told_turn = 0, -1
        #: What the session got from each sequence last; the newest at the end.
        self.numbers: dict[Oid, int] = {}
        self.database = database
        self.worker: BarrierWorker = manager.worker(database)
        self._reader: Reader = self.worker.reader()
        self._streaming: Streaming | None = None
        self.settings = Settings(
            {
                **sessions.facts,
                "session_authorization": user.name,
                "is_superuser": "on" if user.is_superuser else "off",
            },
            TimeZones(lambda: self.worker.reader()).find,  # noqa: PLW0108  # after USE another's
            self.identity,
        )
        self.identity.settings = self.settings
        self._applied_zone = ""
        self.apply_time_zone()
        self._system = SystemAccess(sessions.system, partial(system_snapshot, self), self)

    @property
    def login(self) -> str:
        """The name of who has logged in."""
        return self.identity.login.name

    @property
    def user(self) -> User:
        """Whose privileges are used, as he is now."""
        return self.identity.user

    @property
    def access(self) -> Access:
        """What he may do; another value whenever that may have changed."""
        return self.identity.access

    def listed(self) -> ListedSession:
        """Return what pg_stat_activity tells of the session."""
        states = {Phase.IDLE: "idle", Phase.ACTIVE: "idle in transaction"}
        transaction = self.transaction
        idle = states.get(transaction.phase, "idle in transaction (aborted)")
        started_ms = transaction.started_ms or (self.query_ms if self._is_running else 0)
        return ListedSession(
            self.process_id,
            self.login,
            self.database,
            self.settings.show("application_name"),
            "active" if self._is_running else idle,
            redacted(self.query),
            self._client_address,
            self._started_ms,
            started_ms,
            self.query_ms if self.query else 0,
            self._changed_ms,
        )

    def cancel(self) -> None:
        """End the running or waiting statement; from any thread."""
        self.interrupt.set(QueryCanceled.by_user())

    def end(self, error: PgError) -> None:
        """End the session with a FATAL error; from any thread."""
        assert error.severity == "FATAL", error
        self.interrupt.set(error)
        self.terminate(error)

    def _wake(self) -> None:
        self.wake()

    def notice(self, notice: Notice) -> None:
        """Tell the client something at once, unless it does not want to know."""
        if notice.severity == "INFO":  # What it has asked for.
            self.notices(notice)
            return
        wanted = self.settings.show("client_min_messages").rstrip("12345")
        if _SEVERITIES.index(notice.severity.lower()) >= _SEVERITIES.index(wanted):
            self.notices(notice)

    def now_ms(self) -> int:
        """Return the wall clock, in milliseconds since 1970."""
        return self._clock.now_ms()

    @property
    def reader(self) -> Reader:
        """The connection to the database, free for a statement."""
        if self._streaming is not None:
            streaming, self._streaming = self._streaming, None
            streaming.settle()
        return self._reader

    def stream(self, owner: Streaming) -> Reader:
        """Return the connection for a result that reads from it as it is fetched."""
        reader = self.reader
        self._streaming = owner
        return reader

    def finish_stream(self, owner: Streaming) -> None:
        """A result has no more rows, or is not wanted any more."""
        if self._streaming is owner:
            self._streaming = None

    def arm(self) -> None:
        """A statement begins: forget an earlier cancel, start its time."""
        self.interrupt.arm(self.settings.milliseconds("statement_timeout"))

    def see(self, query: str) -> None:
        """Something to do has come; others may look at what it is."""
        self.query = query
        self._is_running = True
        self.query_ms = self._changed_ms = self._clock.now_ms()

    def be_idle(self) -> None:
        """All that has come is done."""
        self.elsewhere.rest()
        self.turn += 1
        if self._is_running:
            self._is_running = False
            self._changed_ms = self._clock.now_ms()

    def rest(self) -> None:
        """The statement is over; a cancel that comes now is too late."""
        self.interrupt.disarm()
        self.worker.gate.arrive()
        self.turn += 1

    @property
    def is_read_only(self) -> bool:
        """Whether the transaction only reads; a statement outside of one is one of its own."""
        if self.transaction.is_open:
            return self.transaction.is_read_only
        return self.settings.is_on("default_transaction_read_only")

    @property
    def is_serializable(self) -> bool:
        """Whether the transaction, or the statement outside of one, must seem to run alone."""
        if self.transaction.is_open:
            return self.transaction.isolation == SERIALIZABLE
        return self.settings.show("default_transaction_isolation") == SERIALIZABLE

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """While the block runs, a cancel or time-out ends what the reader is doing.

        Raises:
            PgError: The reason to end, or the error of a function that the engine had called.
        """
        self.call_error = None
        try:
            with self.interrupt.on_set(self._reader.interrupt):
                yield
        except PgError as e:
            error, self.call_error = self.call_error, None
            # What ended in the middle of a call is told by the call: the engine keeps the text.
            if error is None or error.sqlstate != e.sqlstate:
                raise
            raise error from e

    def catalog(self) -> Catalog:
        """Return the catalog that names are looked up in; inside a transaction its snapshot's."""
        if self.transaction.phase is not Phase.ACTIVE:
            return self.worker.catalog
        if self.transaction.snapshot is None:
            self.pin_snapshot()
        assert self.transaction.snapshot is not None
        return self.transaction.snapshot

    def newest_catalog(self) -> Catalog:
        """Return the catalog of the newest epoch that readers see, however new it is."""
        reader = self.reader
        catalog = self.worker.pin(reader)
        reader.rollback()
        return catalog

    def pin_snapshot(self) -> None:
        """Begin the reader's transaction, on an epoch that has what this session wrote."""
        self.await_queued_writes()
        self.transaction.snapshot = self.worker.pin(self.reader)
        if self.transaction.looked_at is None:
            self.transaction.looked_at = self.reader.epoch

    def release_snapshot(self, *, is_committed: bool) -> None:
        """End the reader's transaction, if there is one; committed staging tables stay."""
        if self.transaction.snapshot is None:
            return
        reader = self.reader
        if is_committed:
            reader.commit()
        else:
            reader.rollback()

    def drop_staging(self, names: Sequence[str]) -> None:
        """Drop staging tables; those that went with a transaction are passed over."""
        if not names:
            return
        reader = self.reader
        with suppress(PgError):
            for name in names:
                reader.run(f"DROP TABLE IF EXISTS {name}")

    def search_path(self, catalog: Catalog) -> tuple[str, ...]:
        """Return the schemas of the search path that exist and may be used, in order."""
        path, own = self.settings.search_path(), self.temporary_schema
        return searched(catalog, self.access, path, user=self.user.name, temporary=own)

    @property
    def temporary_schema(self) -> str:
        """The schema of the session's temporary relations; there may be none yet."""
        return temporary_schema(self.process_id)

    def bind_context(
        self,
        catalog: Catalog,
        *,
        offset: int = 0,
        hints: tuple[PgType | None, ...] = (),
        is_streaming: bool = False,
    ) -> SessionContext:
        """Return what a statement is bound against."""
        lookup = self._system.lookup(catalog, path := self.search_path(catalog))
        context = BindContext(
            catalog=catalog,
            search_path=path,
            user=self.user.name,
            session_user=self.identity.session_user.name,
            access=self.access,
            settings=self.settings.values(),
            parameter_hints=hints,
            is_streaming=is_streaming,
            system=lookup.find,
            elsewhere=lookup.find_mirror if is_streaming else lookup.find_elsewhere,
            earlier=lookup.earlier,
            object_oid=lookup.object_oid,
            overlay={} if is_streaming else self.overlay(),
            backend_pid=self.process_id,
            version=VERSION_TEXT,
            cluster=self.manager.cluster.identity,
            offset=offset,
        )
        return SessionContext(context, lookup)

    def overlay(self) -> dict[Oid, exp.Expr]:
        """Return what to read instead of the stored rows of tables this transaction wrote to."""
        return {
            oid: exp.Subquery(this=sqlglot.parse_one(staged.content.query(), read="duckdb"))
            for oid, staged in self.transaction.staged.items()
        }

    def current_rows(self, table: Table) -> str:
        """Return the query, in parentheses, or the name that gives a table's rows as seen now."""
        return self.transaction.content(table).rows()

    def begin(self, *, is_implicit: bool, is_read_only: bool = False) -> None:
        """Start a transaction."""
        assert not self.transaction.is_open
        self.settle()
        self.transaction = started(
            is_implicit=is_implicit, is_read_only=is_read_only, started_ms=self._clock.now_ms()
        )
        if self.settings.show("default_transaction_isolation") == SERIALIZABLE:
            self.transaction.isolation = SERIALIZABLE
        self.settings.begin()

    def leave(self, *, is_committed: bool) -> None:
        """The transaction is over, whatever became of its work."""
        promises, self.transaction = self.transaction.promises, Transaction()
        self._settle_cursors(is_committed=is_committed)
        self.settings.end(is_committed=is_committed)
        self.apply_time_zone()
        self.others.keep(promises, self.worker, is_committed=is_committed)

    def settle(self, *, is_committed: bool = True) -> None:
        """A statement outside of transactions is over: it was one of its own."""
        if not self.transaction.is_open:
            if self.settings.is_in_block:
                self.settings.end(is_committed=is_committed)
            promises, self.transaction.promises = self.transaction.promises, Promises()
            self.others.keep(promises, self.worker, is_committed=is_committed)

    def keep_word(self) -> None:
        """Do what the transaction has promised to others, although it goes on."""
        promises = self.transaction.promises
        self.others.send(promises, self.worker)
        promises.listenings, promises.notifications = [], {}

    def close_cursors(self, names: Iterable[str] | None = None) -> None:
        """Close some cursors, or every one, those over changes too."""
        if names is None:
            self.change_cursors.close_all()
        closed = list(self.cursors if names is None else names)
        self.drop_staging([self.cursors.pop(name).staging for name in closed])

    def _settle_cursors(self, *, is_committed: bool) -> None:
        """Close the cursors that do not outlive the transaction that is over."""
        closed = settled(self.cursors, is_committed=is_committed)
        self.drop_staging([self.cursors.pop(name).staging for name in closed])

    def apply_time_zone(self) -> None:
        """Let the reader use the zone that is set."""
        zone = self.settings.time_zone
        if zone != self._applied_zone:
            self.reader.set_time_zone(zone)
            self._applied_zone = zone

    def heed_settings(self) -> None:
        """Do what a query before may have set by a function, when the reader was busy with it."""
        if not self.transaction.is_open:
            self.settings.begin()
        if self.transaction.phase is Phase.ACTIVE:
            self.transaction.is_read_only = self.settings.is_on("transaction_read_only")
        if self.transaction.phase is not Phase.FAILED:
            self.apply_time_zone()

    def connect_to(self, database: str) -> None:
        """Go to another database.

        Raises:
            UndefinedDatabase: There is no such database.
        """
        worker = self.manager.worker(database)
        reader = worker.reader()
        reader.set_variable(VARIABLE, self.calls_number)
        self.close_cursors()
        self.others.leave(self.worker)
        before = self.reader
        self.worker, self._reader, self.database = worker, reader, database
        self.identity.database = database
        before.close()
        self.has_queued_writes = False
        self._applied_zone = ""
        self.apply_time_zone()

    def answer_calls(self, number: int) -> None:
        """Let functions that the engine calls find the session by a number."""
        self.calls_number = number
        self._reader.set_variable(VARIABLE, number)

    def perform(self, command: Command) -> None:
        """Hand a command to the barrier worker and wait until its epoch is committed."""
        with self.manager.mirrors.guarding(self.worker, command, self.interrupt):
            self.worker.submit(command).wait(self.interrupt)

    def await_queued_writes(self) -> None:
        """Wait until what this session wrote without waiting is applied."""
        if self.has_queued_writes and self.worker.pause is None:
            self.perform(Flush())
            # A pause that came meanwhile has parked them.
            self.has_queued_writes = self.worker.pause is not None

    def wait_until_running(self, *, may_queue: bool = False) -> None:
        """Return once the database is not paused, or refuse to wait if that was asked for.

        Args:
            may_queue: Whether what is to be written can be queued, so that nobody need wait.
        """
        manner = self.settings.show("paused_dml")
        if (stopped := self.worker.pause) is None or (may_queue and manner == "queue"):
            return
        if manner == "error":
            raise pause.refuse_write(self.database, stopped)
        self.worker.wait_until_running(self.interrupt, self.tell_of_waiting)

    def tell_of_waiting(self) -> None:
        """Tell the client that its write waits; once a statement, in how many places it may be."""
        if self._told_turn != self.turn:
            self._told_turn = self.turn
            self.notice(Notice(pause.waiting_notice(self.database)))

    def close(self) -> None:
        """Roll back and free everything."""
        self.others.keep(self.transaction.promises, self.worker, is_committed=False)
        self.others.leave(self.worker)
        self.transaction.snapshot = None
        self._streaming = None
        self._reader.rollback()
        self.drop_staging(sorted(self.transaction.copies))
        # What rows of cursors are in outlives the transactions.
        self.close_cursors()
        self.elsewhere.close()
        self._reader.close()

    @property
    def objects(self) -> SystemObjects:
        """What functions that a query calls tell of objects."""
        catalog = self.catalog()
        return self._system.objects_now(self.turn, catalog, self.search_path(catalog))
