"""What the clients share, and what each of them does besides its work."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import click
import psycopg

from tests.support.server import Address, Connection

#: How long what is sure to come may take on a machine that does much else.
UNTIL_SECONDS: Final = 60

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

    def check(self, connection: Connection) -> None:
        """Compare what is there with what was acknowledged; nobody acts meanwhile."""

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


def until(soak: Soak, connection: Connection, query: str) -> None:
    end = time.monotonic() + UNTIL_SECONDS
    while connection.execute(query.encode()).fetchone() != (True,):
        if time.monotonic() > end:
            rows = connection.execute("SELECT * FROM rw_catalog.rw_catch_up").fetchall()
            soak.problem(f"not in time: {query}; {rows}")
            return
        time.sleep(0.1)
