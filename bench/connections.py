"""What a thousand idle connections cost: memory, and how long it takes to connect."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable

import click

from tests.support.rawwire import RawWire
from tests.support.resources import Resources
from tests.support.server import running_server


@click.command()
@click.option("--connections", default=990, show_default=True, help="How many are opened.")
def main(connections: int) -> None:
    """Open connections one after the other and let them be."""
    with running_server() as server, contextlib.ExitStack() as stack:
        with RawWire(server.address) as first:
            first.query("CREATE TABLE seen (a int); INSERT INTO seen VALUES (1)")
            first.until_ready()
        before = Resources.of(server.process.pid)
        wires: list[RawWire] = []
        connecting = _timed(
            connections,
            lambda _: wires.append(stack.enter_context(RawWire(server.address, timeout_s=60))),
        )
        idle = Resources.of(server.process.pid)
        asking = _timed(connections, lambda number: _ask(wires[number]))
        used = Resources.of(server.process.pid)
        _tell("connect", connecting)
        _tell("first query", asking)
        for what, after in (("idle", idle), ("after a query of each", used)):
            more = after.memory_mb - before.memory_mb
            print(f"{what}: {more:.0f} MB more, {more * 1024 / connections:.0f} KB for each")


def _ask(wire: RawWire) -> None:
    wire.query("SELECT a FROM seen")
    wire.until_ready()


def _timed(count: int, call: Callable[[int], object]) -> list[float]:
    taken = []
    for number in range(count):
        began = time.perf_counter()
        call(number)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def _tell(what: str, taken: list[float]) -> None:
    median, p95 = statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]
    print(f"{what}: median {median:.2f} ms, 95 % {p95:.2f} ms")


if __name__ == "__main__":
    main()
