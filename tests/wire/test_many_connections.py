"""A thousand clients at once."""

from __future__ import annotations

import contextlib

from tests.conftest import Launch
from tests.support.rawwire import RawWire, sqlstates
from tests.support.resources import Resources
from tests.support.wire_client import eventually

CONNECTIONS = 1000
#: How much the server may grow by them.
MEMORY_MB_MAX = 300


def test_a_thousand_connections_are_open_and_all_answer(launch: Launch) -> None:
    server = launch(None)
    with RawWire(server.address) as first:
        first.query("CREATE TABLE seen (a int); INSERT INTO seen VALUES (1)")
        first.until_ready()
    before = Resources.of(server.process.pid)
    with contextlib.ExitStack() as stack:
        wires = [
            stack.enter_context(RawWire(server.address, timeout_s=60)) for _ in range(CONNECTIONS)
        ]
        full = Resources.of(server.process.pid)
        assert full.memory_mb - before.memory_mb < MEMORY_MB_MAX
        with RawWire(server.address, starts=False) as late:
            late.start()
            assert sqlstates(late.until_closed()) == ["53300"]
        for number, wire in enumerate(wires):
            wire.query(f"SELECT a + {number} FROM seen")
        for number, wire in enumerate(wires):
            row = next(m for m in wire.until_ready() if m.kind == "D")
            assert row.body.endswith(str(number + 1).encode())
    assert eventually(lambda: Resources.of(server.process.pid).has_no_more_than(before), 10)
