"""A statement that wants more memory than there is fails; the server goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from server import memory
from tests.support.server import ServerProcess, running

GIBIBYTE = 1 << 30

#: Values that the engine does not count, and what it does count.
GREEDY = (
    "SELECT sum(length(repeat('x', 20000000 + i))) FROM generate_series(1, 2048) g(i)",
    "SELECT length(repeat('0123456789', 30000000) || repeat('y', 1000000000))",
    "SELECT length(replace(repeat('x', 1000000), 'x', repeat('y', 10000)))",
    "SELECT length(string_agg(repeat('x', 1000000), '')) FROM generate_series(1, 10000)",
    (
        "WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r)"
        " SELECT max(length(s)) FROM r"
    ),
    "SELECT cardinality(array_agg(i)) FROM generate_series(1, 1000000000) g(i)",
)


def test_the_container_counts_where_it_has_less_than_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = memory.memory_bytes()
    assert machine is not None
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_CONTAINER_FILES", (limit, tmp_path / "absent"))
    limit.write_text(f"{GIBIBYTE}\n")
    assert memory.memory_bytes() == GIBIBYTE
    limit.write_text("max\n")
    assert (memory.memory_bytes() or 0) >= machine


def test_the_engine_leaves_room_for_the_rest() -> None:
    assert memory.engine_limit(10 * GIBIBYTE) == "6144MiB"
    assert memory.engine_limit(None) is None


def test_the_limit_moves_with_the_stacks() -> None:
    program = (
        "import resource; from server.memory import Room\n"
        "limit = lambda: resource.getrlimit(resource.RLIMIT_DATA)[0]\n"
        "room = Room(10 << 30); first = limit()\n"
        "room.add_stacks(1 << 30); second = limit()\n"
        "room.add_stacks(-(1 << 30)); print(first == 9 << 30, second == 10 << 30, limit() == first)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["True"] * 3


def test_greedy_statements_fail_and_the_server_goes_on() -> None:
    limited = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_DATA, ({2 * GIBIBYTE}, resource.RLIM_INFINITY))\n"
        "from server.cli import main; main()"
    )
    with (
        running(ServerProcess(program=("-c", limited))) as process,
        process.address.connect() as connection,
    ):
        for sql in GREEDY:
            with pytest.raises(psycopg.errors.OutOfMemory):
                connection.execute(sql)
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert "internal error" not in "".join(process.log)
