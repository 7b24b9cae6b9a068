"""All databases of a server: opens them, makes and removes them, pauses the system."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from barrier.appointment import Appointment
from barrier.clock import Clock
from barrier.cluster import Cluster, Database, DataDirectory
from barrier.command import ChangeCatalog, FollowSystem, PauseInfo, PauseScope
from barrier.epoch import Epoch
from barrier.events import Event, EventLog
from barrier.interrupt import Interrupt
from barrier.mirrors import Mirrors
from barrier.online_backup import back_up_running
from barrier.opening import open_store
from barrier.ownership import refuse_needed
from barrier.prelude import Prelude
from barrier.server_defaults import ServerDefaults
from barrier.state import TIMER, BarrierState
from barrier.ticket import Ticket
from barrier.worker import BarrierWorker
from catalog.errors import AdminShutdown, UndefinedDatabase, UndefinedObject
from catalog.grant import RenameOwner
from catalog.oid import Oid
from catalog.parameters import SYSTEM_PARAMETERS, canonical_value
from catalog.relation import User
from catalog.roles import Membership, Roles

_log = logging.getLogger(__name__)

#: Identifiers are given out from a range that was made durable first, so that none comes twice.
_OIDS_RESERVED: Final = 1000


class BarrierManager:
    """The server's databases, each with its barrier worker."""

    def __init__(
        self,
        directory: DataDirectory,
        clock: Clock,
        prelude: Prelude,
        settings: Mapping[str, str],
    ) -> None:
        self._directory, self._clock = directory, clock
        self._prelude, self._settings = prelude, dict(settings)
        self._lock = threading.RLock()
        self._users_lock = threading.Lock()  #: Taken before the other.
        self._events = EventLog(clock)
        self._cluster = directory.load()
        self._roles, self._next_oid = self._cluster.roles(), self._cluster.next_oid
        self._workers: dict[str, BarrierWorker] = {}
        self._staging_numbers = itertools.count(1)
        self.defaults = ServerDefaults(self._lock, lambda: self._cluster, self._save)
        #: What follows relations of other databases.
        self.mirrors = Mirrors(self.workers, clock, self.allocate_name, self.record)
        self._end = Appointment(clock, self._end_pause)
        self._is_closed = False
        #: When the server was started, since 1970.
        self.started_ms = clock.now_ms()
        #: Below this directory SQL may put backups; None is nowhere.
        self.backup_root: Path | None = None

    @classmethod
    def open(
        cls,
        data_dir: Path | None,
        clock: Clock,
        prelude: Prelude,
        *,
        parameters: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> BarrierManager:
        """Open a data directory and set all of its databases going.

        Args:
            data_dir: Where everything is kept; None keeps it in memory.
            clock: For epochs and ticks.
            prelude: The functions that translated queries may call.
            parameters: System parameters for a server that has none of its own yet.
            settings: The engine's settings, such as memory_limit and threads.

        Raises:
            ObjectInUse: Another server has the directory.
        """
        directory = DataDirectory(data_dir)
        try:
            manager = cls(directory, clock, prelude, settings or {})
            manager._bootstrap(parameters or {})
        except BaseException:
            directory.close()
            raise
        return manager

    # --- databases ------------------------------------------------------------------------------

    def databases(self) -> list[Database]:
        """Return the databases by name."""
        return sorted(self._cluster.databases.values(), key=lambda database: database.name)

    def database(self, name: str) -> Database | None:
        """Return the database of that name, or None."""
        return self._cluster.databases.get(name)

    def worker(self, name: str) -> BarrierWorker:
        """Return a database's worker.

        Raises:
            UndefinedDatabase: There is no such database.
        """
        if (worker := self._workers.get(name)) is None:
            raise UndefinedDatabase.named(name)
        return worker

    def workers(self) -> list[BarrierWorker]:
        """Return the workers of all databases."""
        return list(self._workers.values())

    def is_paused(self, name: str) -> bool:
        """Whether a database is paused; one that is being made or dropped is not."""
        worker = self._workers.get(name)
        return worker is not None and worker.pause is not None

    def create_database(
        self,
        name: str,
        owner: str,
        *,
        barrier_interval_ms: int | None = None,
        checkpoint_frequency: int | None = None,
    ) -> None:
        """Make a database; under a paused system it is paused.

        Raises:
            DuplicateDatabase: The name is taken.
        """
        with self._lock:
            oid = self.allocate_oid()
            database = Database(oid, name, owner, barrier_interval_ms, checkpoint_frequency)
            cluster = self._cluster.with_database(database)
            try:
                self._workers[name] = self._open(database)
                self._save(cluster)
            except BaseException:
                if (worker := self._workers.pop(name, None)) is not None:
                    worker.stop()
                self._directory.remove_database(oid)
                raise

    def drop_database(self, name: str) -> None:
        """Remove a database and all that is in it.

        Raises:
            UndefinedDatabase: There is no such database.
        """
        with self._lock:
            database = self._cluster.databases.get(name)
            self._save(self._cluster.without_database(name))
            assert database is not None, name
            worker = self._workers.pop(name)
        self.mirrors.forget(database.oid)
        # Without the lock: an epoch that is out is waited for.
        try:
            worker.stop()
        finally:
            self._directory.remove_database(database.oid)

    def change_database(self, name: str, change: Callable[[Database], Database]) -> None:
        """Put another value in the place of a database as it is now.

        Raises:
            UndefinedDatabase: There is no such database.
        """
        with self._lock:
            if (database := self._cluster.databases.get(name)) is None:
                raise UndefinedDatabase.named(name)
            self._save(self._cluster.with_changed(change(database)))

    # --- users and parameters -------------------------------------------------------------------

    def user(self, name: str) -> User | None:
        """Return the user of that name, or None."""
        return self._cluster.users.get(name)

    def users(self) -> list[User]:
        """Return all users by OID."""
        return sorted(self._cluster.users.values(), key=lambda user: user.oid)

    @property
    def cluster(self) -> Cluster:
        """What there is beside the databases."""
        return self._cluster

    def create_user(self, user: User) -> None:
        """Add a user.

        Raises:
            DuplicateObject: The name is taken.
        """
        with self._users_lock, self._lock:
            self._save(self._cluster.with_user(user))

    def alter_user(self, name: str, change: Callable[[User], User]) -> None:
        """Put another value in the place of a user as he is now.

        Raises:
            UndefinedObject: There is no such user.
        """
        with self._users_lock, self._lock:
            user = self._cluster.users.get(name)
            if user is None:
                raise UndefinedObject(f'role "{name}" does not exist')
            self._save(self._cluster.with_changed_user(change(user)))

    @property
    def roles(self) -> Roles:
        """Who has whose privileges; another value whenever anything of it changes."""
        return self._roles

    def change_memberships(
        self, change: Callable[[tuple[Membership, ...]], tuple[Membership, ...]]
    ) -> None:
        """Let roles in and out."""
        with self._users_lock, self._lock:
            memberships = change(self._cluster.memberships)
            self._save(replace(self._cluster, memberships=memberships))

    @contextmanager
    def naming_users(self) -> Iterator[None]:
        """While the block runs no user is dropped or renamed: a database is told of some."""
        with self._users_lock:
            yield

    def drop_users(self, names: Collection[str], database: str) -> None:
        """Take users away, all or none.

        Args:
            names: Theirs.
            database: Whose objects an error names; of others it tells how many there are.

        Raises:
            UndefinedObject: One of them does not exist.
            DependentObjectsStillExist: Something depends on one of them.
        """
        with self._users_lock, self._lock:
            cluster = self._cluster.without_users(names)
            for name in names:
                catalogs = [worker.catalog for worker in self.workers()]
                refuse_needed(name, self._cluster, catalogs, database)
            self._save(cluster)

    def rename_user(self, name: str, new_name: str) -> None:
        """Give a user another name; returns when everything of his knows it.

        Raises:
            UndefinedObject: There is no such user.
            DuplicateObject: The new name is taken.
        """
        # A name that is free must not be another's before the last database has passed it on.
        with self._users_lock:
            with self._lock:
                self._save(self._cluster.with_renamed_user(name, new_name))
            self._pass_on_renames()

    def _pass_on_renames(self) -> None:
        with self._lock:
            changes = tuple(RenameOwner(*names) for names in self._cluster.renames)
            if not changes:
                return
            tickets = [worker.submit(ChangeCatalog(changes)) for worker in self.workers()]
        _await(tickets, Interrupt(self._clock))
        with self._lock:
            self._save(replace(self._cluster, renames=()))

    def parameters(self) -> Mapping[str, str]:
        """Return the value of every system parameter."""
        defaults = {p.name: p.default for p in SYSTEM_PARAMETERS.values()}
        return {**defaults, **self._cluster.parameters}

    def set_parameter(self, name: str, value: str | None) -> None:
        """Set a system parameter for good; None is its default.

        Raises:
            UndefinedObject: There is no such parameter.
            InvalidParameterValue: It may not have that value.
            CannotChangeParameter: It is immutable.
        """
        with self._lock:
            chosen = {k: v for k, v in self._cluster.parameters.items() if k != name}
            known = SYSTEM_PARAMETERS.get(name)
            default = "" if known is None else known.default
            checked = canonical_value(name, default if value is None else value)
            if value is not None:
                chosen[name] = checked
            self._save(replace(self._cluster, parameters=chosen))

    # --- the system's pause ---------------------------------------------------------------------

    @property
    def system_pause(self) -> PauseInfo | None:
        """The system's pause."""
        return self._cluster.pause

    def pause_system(self, user: str, interrupt: Interrupt, *, for_ms: int | None = None) -> None:
        """Pause every database; returns when each has passed its barrier.

        Args:
            user: Who pauses it.
            interrupt: What may end the wait.
            for_ms: When it goes on by itself, in milliseconds from now; None is at RESUME.

        Raises:
            PgError: The wait was ended. The system is paused all the same.
        """
        with self._lock:
            now_ms = self._clock.now_ms()
            until_ms = None if for_ms is None else now_ms + for_ms
            fresh = PauseInfo(PauseScope.SYSTEM, user, now_ms, until_ms)
            pause = PauseInfo.renewed(self._cluster.pause, fresh)
            if pause != self._cluster.pause:
                self._save(replace(self._cluster, pause=pause))
                self._await_end()
            tickets = self._tell_workers()
        self._events.record("PAUSE", scope=PauseScope.SYSTEM, user=user)
        _await(tickets, interrupt)

    def resume_system(self, user: str, interrupt: Interrupt) -> None:
        """Let every database flow again that is not paused itself.

        Raises:
            PgError: The wait was ended. The system is resumed all the same.
        """
        with self._lock:
            if self._cluster.pause is not None:
                self._save(replace(self._cluster, pause=None))
                self._await_end()
            tickets = self._tell_workers()
        self._events.record("RESUME", scope=PauseScope.SYSTEM, user=user)
        _await(tickets, interrupt)

    def _await_end(self) -> None:
        """Have the system's pause end when its time has passed."""
        pause = self._cluster.pause
        self._end.at(None if pause is None else pause.until_ms)

    def _end_pause(self) -> None:
        with self._lock:
            pause = self._cluster.pause
            if self._is_closed or pause is None:
                return
            if not pause.is_over(self._clock.now_ms()):
                self._await_end()
                return
            self._save(replace(self._cluster, pause=None))
            self._tell_workers()
        self._events.record("RESUME", scope=PauseScope.SYSTEM, user=TIMER)

    def back_up(self, target: Path, user: str, interrupt: Interrupt) -> Mapping[str, Epoch]:
        """Copy the whole server to a new directory while it goes on.

        Returns:
            The epoch of each database's copy.

        Raises:
            PgError: It was interrupted, or the directory cannot be written; nothing is left of it.
        """
        # Owners in the databases and users in the cluster's file are of one time.
        with self._users_lock:
            epochs = back_up_running(
                target,
                self.databases(),
                lambda name, file: self.worker(name).back_up(file, interrupt),
                lambda: self._cluster,
                self._clock.now_ms(),
            )
        self._events.record("BACKUP", user=user, directory=str(target), epochs=epochs)
        return epochs

    def allocate_oid(self) -> Oid:
        """Return an identifier that was never given out."""
        with self._lock:
            if self._next_oid >= self._cluster.next_oid:
                reserved = Oid(self._next_oid + _OIDS_RESERVED)
                self._save(replace(self._cluster, next_oid=reserved))
            oid = self._next_oid
            self._next_oid = Oid(oid + 1)
            return oid

    def allocate_name(self) -> str:
        """Return the name of a staging table that nobody has."""
        return f"staging.w{next(self._staging_numbers)}"

    def record(self, event_type: str, **info: object) -> None:
        """Add an event to the log."""
        self._events.record(event_type, **info)

    def events(self) -> list[Event]:
        """Return the event log, oldest first."""
        return self._events.events()

    def tell_address(self, address: str) -> None:
        """Leave word in the data directory of where the server listens."""
        self._directory.tell_address(address)

    def close(self) -> None:
        """Finish the epochs that are out and let go of all files."""
        with self._lock:
            self._is_closed = True
            self._end.at(None)
            self.mirrors.stop()
            for worker in self._workers.values():
                worker.stop()
            self._workers.clear()
            self._directory.close()

    def _bootstrap(self, parameters: Mapping[str, str]) -> None:
        if not self._cluster.parameters:
            chosen = {name: canonical_value(name, value) for name, value in parameters.items()}
            self._cluster = replace(self._cluster, parameters=chosen)
        if self.parameters()["pause_on_next_bootstrap"] == "true":
            pause = PauseInfo(PauseScope.SYSTEM, "pause_on_next_bootstrap", self._clock.now_ms())
            kept = {
                k: v for k, v in self._cluster.parameters.items() if k != "pause_on_next_bootstrap"
            }
            self._cluster = replace(
                self._cluster, pause=self._cluster.pause or pause, parameters=kept
            )
        if self._cluster.pause is not None and self._cluster.pause.is_over(self._clock.now_ms()):
            self._cluster = replace(self._cluster, pause=None)
            self._events.record("RESUME", scope=PauseScope.SYSTEM, user=TIMER)
        self._save(self._cluster)
        self._await_end()
        self._directory.remove_strangers(self._cluster)
        for database in self.databases():
            self._workers[database.name] = self._open(database)
        self._pass_on_renames()
        self.mirrors.start()

    def _open(self, database: Database) -> BarrierWorker:
        """Open a database's storage at its last committed epoch and start its worker.

        Raises:
            ObjectInUse: Another process has it.
            IoError: It cannot be read.
        """
        name, path = database.name, self._directory.database_path(database.oid)
        store, recovered = open_store(name, path, self._prelude, self._settings, self._clock)
        state = BarrierState(
            name,
            committed=recovered.epoch,
            own_pause=recovered.pause,
            system_pause=self._cluster.pause,
        )
        worker = BarrierWorker(
            store,
            state,
            recovered.catalog(name, database.oid, self._cluster.seal),
            clock=self._clock,
            events=self._events,
            interval_ms=lambda: self._interval_ms(name),
            backfills_max=lambda: int(self.parameters()["max_concurrent_creating_streaming_jobs"]),
            queued=recovered.queued,
            sequence_places=recovered.sequence_places,
        )
        worker.changes.keep_for(lambda source: self.mirrors.pinned(database.oid, source))
        worker.start()
        return worker

    def _interval_ms(self, name: str) -> int:
        known = self._cluster.databases.get(name)
        own = None if known is None else known.barrier_interval_ms
        return int(self.parameters()["barrier_interval_ms"]) if own is None else own

    def _tell_workers(self) -> list[Ticket]:
        """Let every database pass a barrier with the system's pause, all at the same time."""
        pause = self._cluster.pause
        return [worker.submit(FollowSystem(pause)) for worker in self._workers.values()]

    def _save(self, cluster: Cluster) -> None:
        self._directory.save(cluster)
        if not cluster.has_roles_of(self._cluster):
            self._roles = cluster.roles()
        self._cluster = cluster


def _await(tickets: list[Ticket], interrupt: Interrupt) -> None:
    """Wait until databases have followed the system; a database that is dropped need not."""
    for ticket in tickets:
        try:
            ticket.wait(interrupt, takes_back=False)
        except AdminShutdown:
            interrupt.check()
