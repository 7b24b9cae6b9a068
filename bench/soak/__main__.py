"""Everything at once for half an hour: writes, views that come and go, pauses, backups, kill -9.

Every client remembers what the server has acknowledged. After each kill, and at the end, all of it
must be there, every view must equal its query, and nothing may hang or be left behind.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Final

import click

from bench.soak.checks import check, check_backup, check_nothing_is_left
from bench.soak.client import Client, Soak
from bench.soak.contents import prepare
from bench.soak.flows import Alterer, Follower, Payer, Reporter, TickReader
from bench.soak.operators import Creator, Keeper, Operator, Reader
from bench.soak.other import Neighbour
from bench.soak.writers import QUEUERS, WRITERS, Queuer, Writer
from server.backup_client import restore
from tests.support.resources import Resources
from tests.support.server import ServerProcess

#: On a machine that does much else.
READY_SECONDS: Final = 180

#: So many of the last backups are restored at the end.
RESTORED: Final = 3


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
        prepare(soak.address)
        clients: list[Client] = [
            *(Writer(soak, number) for number in range(WRITERS)),
            *(Queuer(soak, number) for number in range(QUEUERS)),
            *(Reader(soak, f"reader {number}") for number in range(2)),
            *(Creator(soak, f"creator {number}") for number in range(2)),
            Operator(soak, "operator 0"),
            Keeper(soak, "keeper 0"),
            TickReader(soak, "ticks 0"),
            Follower(soak, "follower 0"),
            Alterer(soak, "alterer 0"),
            Payer(soak, "payer 0"),
            Reporter(soak, "reporter 0"),
            Neighbour(soak, "neighbour 0"),
        ]
        soak.log = server.log
        soak.is_up.set()
        for client in clients:
            client.thread.start()
        try:
            memory = _live(soak, server, clients, kill_every)
            for client in clients:
                if isinstance(client, Keeper):
                    _restore(soak, place, client.taken[-RESTORED:])
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


def _restore(soak: Soak, place: Path, backups: list[tuple[str, int, int]]) -> None:
    """Start a server on what each backup holds, and look whether all of it is there."""
    for name, least, most in backups:
        again = place / f"{name}-again"
        restore(place / name, again)
        server = ServerProcess(again, ready_seconds=READY_SECONDS)
        try:
            with server.start().connect() as connection:
                check_backup(soak, connection, least, most)
        finally:
            server.kill()


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
