"""Everything at once for half an hour: writes, views that come and go, pauses, backups, kill -9.

Every client remembers what the server has acknowledged. After each kill, and at the end, all of it
must be there, every view must equal its query, and nothing may hang or be left behind.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click
import psycopg

from tests.support.resources import Resources
from tests.support.server import Address, Connection, ServerProcess

WRITERS: Final = 3
QUEUERS: Final = 2
BACKFILLED_ROWS: Final = 200_000
#: On a machine that does much else.
READY_SECONDS: Final = 180

#: Views that are there all the time.
STANDING: Final = {
    "per_writer": "SELECT writer, count(*) AS n, sum(amount) AS s, max(number) AS last "
    "FROM entry GROUP BY writer",
    "total": "SELECT sum(n) AS n, sum(s) AS s FROM per_writer",
    "named": "SELECT e.writer, e.number, w.name FROM entry AS e "
    "LEFT JOIN writer AS w ON w.id = e.writer WHERE e.amount > 90",
    "amounts": "SELECT DISTINCT amount FROM entry",
    "queued_total": "SELECT count(*) AS n FROM queued",
}

#: Views that come and go; ``big`` is filled by a job of its own.
PASSING: Final = (
    "SELECT amount, count(*) AS n FROM entry GROUP BY amount",
    "SELECT v, count(*) AS n, sum(k) AS s FROM big GROUP BY v",
    "SELECT b.k, w.name FROM big AS b JOIN writer AS w ON w.id = b.v % 4",
    "SELECT v, max(k) AS top FROM big WHERE k % 3 = 0 GROUP BY v",
)

#: What a statement may meet here without anything being wrong.
EXPECTED: Final = (
    psycopg.errors.ObjectNotInPrerequisiteState,
    psycopg.errors.UndefinedTable,
    psycopg.errors.DuplicateTable,
    psycopg.errors.QueryCanceled,
    psycopg.errors.SerializationFailure,
    psycopg.errors.DependentObjectsStillExist,
)


@dataclass
class Soak:
    """What the clients share."""

    seed: int
    address: Address
    end: float
    is_over: threading.Event = field(default_factory=threading.Event)
    #: Set while the server is up.
    is_up: threading.Event = field(default_factory=threading.Event)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    #: What the server logs, for who looks into a problem.
    log: Sequence[str] = ()

    def note(self, what: str) -> None:
        self.counts[what] += 1

    def problem(self, what: str) -> None:
        self.problems.append(what)
        click.echo(f"PROBLEM: {what}", err=True)
        click.echo("".join(list(self.log)[-80:]), err=True)


class Client:
    """Does something again and again, on a new connection after each kill."""

    def __init__(self, soak: Soak, name: str) -> None:
        self.soak = soak
        self.name = name
        self.chance = random.Random(f"{soak.seed} {name}")
        self.last_seen = time.monotonic()
        self.thread = threading.Thread(target=self._live, name=name, daemon=True)

    def act(self, connection: Connection) -> None:
        """Do it once."""
        raise AssertionError(connection)

    def prepare(self, connection: Connection) -> None:
        connection.execute("SET statement_timeout = '120s'")

    def _live(self) -> None:
        while not self.soak.is_over.is_set():
            if not self.soak.is_up.wait(1):
                continue
            try:
                # A view that is made anew has other columns: nothing is prepared.
                with self.soak.address.connect(prepare_threshold=None) as connection:
                    self.prepare(connection)
                    self._work(connection)
            except psycopg.OperationalError:
                self.soak.note("lost connections")
                time.sleep(0.2)
            except Exception as e:  # noqa: BLE001  # told at the end
                self.soak.problem(f"{self.name}: {type(e).__name__}: {e}")

    def _work(self, connection: Connection) -> None:
        while not self.soak.is_over.is_set() and self.soak.is_up.is_set():
            self.last_seen = time.monotonic()
            try:
                self.act(connection)
            except EXPECTED as e:
                self.soak.note(f"{self.name.split()[0]}: {type(e).__name__}")
                time.sleep(0.05)


class Writer(Client):
    """Inserts, updates and deletes rows of its own, and remembers what was acknowledged."""

    def __init__(self, soak: Soak, number: int) -> None:
        super().__init__(soak, f"writer {number}")
        self.number = number
        self.acknowledged: dict[int, int] = {}
        self.unsure: dict[int, int] = {}
        self.doubtful: set[int] = set()
        self.next = 1

    def act(self, connection: Connection) -> None:
        if self.chance.random() < 0.25 and self.acknowledged:
            self._change(connection)
        else:
            self._insert(connection)
        time.sleep(self.chance.uniform(0, 0.02))

    def _insert(self, connection: Connection) -> None:
        count = self.chance.choice([1, 1, 1, 5, 50])
        rows = {self.next + i: self.chance.randrange(100) for i in range(count)}
        self.next += count
        self.unsure |= rows
        if self.chance.random() < 0.2:
            with connection.cursor().copy("COPY entry FROM STDIN") as copy:
                for number, amount in rows.items():
                    copy.write_row((self.number, number, amount))
        elif self.chance.random() < 0.2:
            with connection.transaction():
                for number, amount in rows.items():
                    self._insert_one(connection, number, amount)
        else:
            values = ", ".join(f"({self.number}, {n}, {a})" for n, a in rows.items())
            connection.execute(f"INSERT INTO entry VALUES {values}".encode())
        self.acknowledged |= rows
        self.unsure.clear()
        self.soak.note("rows written")

    def _insert_one(self, connection: Connection, number: int, amount: int) -> None:
        connection.execute("INSERT INTO entry VALUES (%s, %s, %s)", (self.number, number, amount))

    def _change(self, connection: Connection) -> None:
        number = self.chance.choice(list(self.acknowledged)[-500:])
        self.doubtful.add(number)
        mine = f"WHERE writer = {self.number} AND number = {number}"
        if self.chance.random() < 0.5:
            connection.execute(f"DELETE FROM entry {mine}".encode())
            del self.acknowledged[number]
        else:
            connection.execute(f"UPDATE entry SET amount = 77 {mine}".encode())
            self.acknowledged[number] = 77
        self.doubtful.discard(number)
        self.soak.note("rows changed")

    def check(self, stored: dict[int, int]) -> None:
        """Of what was not answered, each statement may have happened whole or not at all."""
        for number in self.doubtful:
            self.acknowledged.pop(number, None)
            if number in stored:
                self.acknowledged[number] = stored[number]
        came_through = dict(self.unsure.items() & stored.items())
        if came_through and came_through != self.unsure:
            self.soak.problem(f"{self.name}: half of a statement was applied")
        self.acknowledged |= came_through
        if stored != self.acknowledged:
            lost = self.acknowledged.items() - stored.items()
            extra = stored.items() - self.acknowledged.items()
            self.soak.problem(f"{self.name}: lost {sorted(lost)[:5]}, not ours {sorted(extra)[:5]}")
            self.acknowledged = dict(stored)
        self.unsure.clear()
        self.doubtful.clear()


class Queuer(Client):
    """Inserts into a table without a key what is acknowledged before it is applied."""

    def __init__(self, soak: Soak, number: int) -> None:
        super().__init__(soak, f"queuer {number}")
        self.number = number
        self.acknowledged: set[int] = set()
        self.tried: set[int] = set()

    def prepare(self, connection: Connection) -> None:
        super().prepare(connection)
        connection.execute("SET implicit_flush = off")
        connection.execute("SET paused_dml = 'queue'")

    def act(self, connection: Connection) -> None:
        value = len(self.tried) * QUEUERS + self.number
        self.tried.add(value)
        connection.execute(f"INSERT INTO queued VALUES ({value})".encode())
        self.acknowledged.add(value)
        self.soak.note("rows queued")
        time.sleep(self.chance.uniform(0, 0.05))


class Reader(Client):
    """Looks at what belongs together, in one snapshot."""

    def act(self, connection: Connection) -> None:
        with connection.transaction():
            held = connection.execute(
                "SELECT bool_or(is_paused) FROM rw_catalog.rw_materialized_views"
            ).fetchone()
            rows = connection.execute("SELECT count(*), coalesce(sum(amount), 0) FROM entry")
            total = connection.execute("SELECT coalesce(n, 0), coalesce(s, 0) FROM total")
            expected, found = rows.fetchone(), total.fetchone()
            catching_up = connection.execute(
                "SELECT count(*) FROM rw_catalog.rw_catch_up WHERE state LIKE 'catching%'"
            ).fetchone()
        if held == (False,) and catching_up == (0,) and expected != found:
            again = connection.execute("CHECK MATERIALIZED VIEW total").fetchall()
            if again:
                self.soak.problem(f"a snapshot has {expected} rows, its view {found}: {again}")
        self.soak.note("snapshots read")
        time.sleep(0.1)


class Creator(Client):
    """Creates views in every way and drops them again."""

    def act(self, connection: Connection) -> None:
        name = f"passing_{self.name.split()[1]}"
        in_background = self.chance.random() < 0.5
        limit = self.chance.choice([-1, -1, 50_000, 300_000])
        connection.execute(f"SET background_ddl = {in_background}".encode())
        connection.execute(f"SET backfill_rate_limit = {limit}".encode())
        connection.execute(
            f"SET paused_ddl = {self.chance.choice(['reject', 'start_paused'])}".encode()
        )
        option = " WITH (refresh.interval.sec = 1)" if self.chance.random() < 0.2 else ""
        query = self.chance.choice(PASSING)
        connection.execute(f"SET statement_timeout = {self.chance.choice([500, 60_000])}".encode())
        try:
            connection.execute(f"CREATE MATERIALIZED VIEW {name}{option} AS {query}".encode())
            self.soak.note("views created")
            self._use(connection, name)
        finally:
            if not connection.closed:
                connection.execute("SET statement_timeout = '120s'")
                connection.execute(f"DROP MATERIALIZED VIEW IF EXISTS {name} CASCADE".encode())

    def _use(self, connection: Connection, name: str) -> None:
        match self.chance.randrange(5):
            case 0:
                jobs = connection.execute("SHOW JOBS").fetchall()
                for job in jobs:
                    connection.execute(f"CANCEL JOBS {job[0]}".encode())
                    self.soak.note("jobs cancelled")
            case 1:
                connection.execute(f"ALTER MATERIALIZED VIEW {name} PAUSE".encode())
                time.sleep(self.chance.uniform(0, 0.5))
                connection.execute(f"ALTER MATERIALIZED VIEW {name} RESUME".encode())
            case _:
                connection.execute("SET statement_timeout = '10s'")
                connection.execute("WAIT")
                found = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
                self.soak.note("views checked")
                if found:
                    self.soak.problem(f"{name} differs from its query: {found[:3]}")


class Operator(Client):
    """Pauses what there is to pause, and lets it go on."""

    def act(self, connection: Connection) -> None:
        time.sleep(self.chance.uniform(0.5, 4))
        rest = self.chance.uniform(0.1, 2)
        match self.chance.randrange(6):
            case 0:
                self._between(connection, "ALTER SYSTEM PAUSE", rest, "ALTER SYSTEM RESUME")
            case 1:
                pause = "ALTER DATABASE dev PAUSE"
                self._between(connection, pause, rest, "ALTER DATABASE dev RESUME")
            case 2:
                name = self.chance.choice(list(STANDING))
                alter = f"ALTER MATERIALIZED VIEW {name}"
                self._between(connection, f"{alter} PAUSE", rest, f"{alter} RESUME")
            case 3:
                connection.execute("ALTER DATABASE dev PAUSE FOR INTERVAL '1 second'")
                time.sleep(1.2)
            case 4:
                connection.execute("ALTER DATABASE dev PAUSE")
                connection.execute("ALTER DATABASE dev STEP 3")
                connection.execute("ALTER DATABASE dev RESUME")
            case _:
                connection.execute("RECOVER")
        self.soak.note("pauses")

    def _between(self, connection: Connection, begin: str, rest: float, end: str) -> None:
        connection.execute(begin.encode())
        time.sleep(rest)
        connection.execute(end.encode())


class Keeper(Client):
    """Takes backups."""

    def act(self, connection: Connection) -> None:
        time.sleep(self.chance.uniform(20, 60))
        connection.execute(f"BACKUP TO 'backup-{time.monotonic_ns()}'".encode())
        self.soak.note("backups")


def prepare(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE entry (writer int, number int, amount int, PRIMARY KEY (writer, number))"
    )
    connection.execute("CREATE TABLE writer (id int PRIMARY KEY, name text)")
    connection.execute("CREATE TABLE queued (a bigint)")
    connection.execute("CREATE TABLE big (k int PRIMARY KEY, v int)")
    connection.execute("INSERT INTO writer VALUES (0, 'a'), (1, 'b'), (2, 'c')")
    series = f"generate_series(1, {BACKFILLED_ROWS}) AS i"
    connection.execute(f"INSERT INTO big SELECT i, i % 100 FROM {series}".encode())
    for name, query in STANDING.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    connection.execute(
        "CREATE MATERIALIZED VIEW refreshed WITH (refresh.interval.sec = 1) AS "
        "SELECT writer, count(*) AS n FROM entry GROUP BY writer"
    )


def check(soak: Soak, connection: Connection, clients: list[Client]) -> None:
    """Compare all that there is with what the clients remember."""
    connection.execute("ALTER SYSTEM RESUME")
    connection.execute("ALTER DATABASE dev RESUME")
    for name in STANDING:
        connection.execute(f"ALTER MATERIALIZED VIEW {name} RESUME".encode())
    connection.execute("RECOVER")
    connection.execute("FLUSH")
    until(soak, connection, "SELECT count(*) = 0 FROM rw_catalog.rw_catch_up")
    for name in STANDING:
        differences = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
        if differences:
            soak.problem(f"{name} differs from its query: {differences[:3]}")
    stored: dict[int, dict[int, int]] = {number: {} for number in range(WRITERS)}
    for writer, number, amount in connection.execute("SELECT * FROM entry").fetchall():
        stored[writer][number] = amount
    held = [value for (value,) in connection.execute("SELECT a FROM queued").fetchall()]
    if len(held) != len(set(held)):
        soak.problem("a queued row was applied twice")
    for client in clients:
        if isinstance(client, Writer):
            client.check(stored[client.number])
        if isinstance(client, Queuer):
            mine = {value for value in held if value % QUEUERS == client.number}
            if not client.acknowledged <= mine <= client.tried:
                soak.problem(f"{client.name}: lost {sorted(client.acknowledged - mine)[:5]}")


def until(soak: Soak, connection: Connection, query: str) -> None:
    end = time.monotonic() + 60
    while connection.execute(query.encode()).fetchone() != (True,):
        if time.monotonic() > end:
            rows = connection.execute("SELECT * FROM rw_catalog.rw_catch_up").fetchall()
            soak.problem(f"not within a minute: {query}; {rows}")
            return
        time.sleep(0.1)


def check_nothing_is_left(soak: Soak, connection: Connection) -> None:
    """Once nobody creates anything no job waits, and refreshed views follow."""
    for job in connection.execute("SHOW JOBS").fetchall():
        connection.execute(f"CANCEL JOBS {job[0]}".encode())
    query = (
        "SELECT (SELECT sum(n) FROM refreshed) IS NOT DISTINCT FROM "
        "(SELECT nullif(count(*), 0) FROM entry)"
    )
    until(soak, connection, query)
    if jobs := connection.execute("SHOW JOBS").fetchall():
        soak.problem(f"jobs are left: {jobs}")


@click.command()
@click.option("--minutes", default=30.0, show_default=True, help="How long.")
@click.option("--kill-every", default=75.0, show_default=True, help="Seconds between two kills.")
@click.option("--seed", default=1, show_default=True, help="Of what the clients do.")
def main(minutes: float, kill_every: float, seed: int) -> None:
    """Let everything happen at once, and check all of it."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        backups = ("--backup-root", str(place))
        server = ServerProcess(place / "data", backups, ready_seconds=READY_SECONDS)
        soak = Soak(seed, server.start(), time.monotonic() + minutes * 60)
        with soak.address.connect() as connection:
            prepare(connection)
        clients: list[Client] = [
            *(Writer(soak, number) for number in range(WRITERS)),
            *(Queuer(soak, number) for number in range(QUEUERS)),
            *(Reader(soak, f"reader {number}") for number in range(2)),
            *(Creator(soak, f"creator {number}") for number in range(2)),
            Operator(soak, "operator 0"),
            Keeper(soak, "keeper 0"),
        ]
        soak.log = server.log
        soak.is_up.set()
        for client in clients:
            client.thread.start()
        try:
            memory = _live(soak, server, clients, kill_every)
        finally:
            soak.is_over.set()
            if server.is_running:
                server.kill()
    click.echo(f"{minutes:g} minutes, seed {seed}, most memory {memory:.0f} MB")
    for what, count in sorted(soak.counts.items()):
        click.echo(f"{count:9,}  {what}")
    click.echo(f"{len(soak.problems)} problems")
    raise SystemExit(bool(soak.problems))


def _live(soak: Soak, server: ServerProcess, clients: list[Client], kill_every: float) -> float:
    """Kill and start the server until the time is over; returns the most megabytes it took."""
    chance = random.Random(soak.seed)
    memory = 0.0
    while True:
        kill_at = min(time.monotonic() + chance.uniform(0.5, 1.5) * kill_every, soak.end)
        while time.monotonic() < kill_at:
            time.sleep(1)
            if not server.is_running:
                soak.problem(f"the server ended by itself: {''.join(server.log)[-2000:]}")
                break
            memory = max(memory, Resources.of(server.process.pid).memory_mb)
            _look_for_hangs(soak, clients)
        is_last = time.monotonic() >= soak.end
        soak.is_up.clear()
        if is_last:
            soak.is_over.set()
        server.kill()
        soak.note("kills")
        _await_clients(clients, is_last=is_last)
        soak.address = server.start()
        with soak.address.connect() as connection:
            connection.execute("SET statement_timeout = '120s'")
            check(soak, connection, clients)
            if is_last:
                check_nothing_is_left(soak, connection)
        if is_last:
            if (status := server.stop()) != 0:
                soak.problem(f"the server stopped with {status}: {''.join(server.log)[-2000:]}")
            return memory
        soak.is_up.set()


def _await_clients(clients: list[Client], *, is_last: bool) -> None:
    """Wait until every client has met the end of its connection."""
    time.sleep(1.5)
    for client in clients if is_last else ():
        client.thread.join(70)
        if client.thread.is_alive():
            client.soak.problem(f"{client.name} hangs")


def _look_for_hangs(soak: Soak, clients: list[Client]) -> None:
    now = time.monotonic()
    for client in clients:
        if now - client.last_seen > 150 and client.thread.is_alive():
            soak.problem(f"{client.name} has waited for {now - client.last_seen:.0f} s")
            client.last_seen = now


if __name__ == "__main__":
    main()
