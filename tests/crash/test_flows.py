"""Kill -9 while rows flow in: a sequence has no gap and nothing twice, in tables and in views."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any, Final

from tests.conftest import Launch
from tests.support.server import Address, Connection

ROUNDS: Final = 2
SEED: Final = 20140101

COUNTED: Final = (
    "WITH (connector = 'datagen', fields.v.kind = 'sequence', fields.v.start = '1', "
    "fields.v.end = '100000000', datagen.rows.per.second = '2000')"
)

#: Each follows the sequence from its start.
PLACES: Final = ("stored", "keyed", "followed", "above", "sunk")


def rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql.encode()).fetchall()


def prepare(address: Address) -> None:
    with address.connect() as connection:
        for statement in (
            "ALTER SYSTEM SET barrier_interval_ms TO 50",
            f"CREATE SOURCE s (v bigint, chance int) {COUNTED}",
            f"CREATE TABLE stored (v bigint) {COUNTED}",
            f"CREATE TABLE keyed (v bigint PRIMARY KEY) {COUNTED}",
            "CREATE TABLE sunk (v bigint PRIMARY KEY)",
            "CREATE SINK into_sunk INTO sunk AS SELECT v FROM s",
            "CREATE MATERIALIZED VIEW followed AS SELECT v FROM s",
            "CREATE MATERIALIZED VIEW above AS SELECT v FROM followed",
            "CREATE MATERIALIZED VIEW totals AS SELECT count(*) n, sum(v) s, max(v) m FROM keyed",
        ):
            connection.execute(statement.encode())


def lengths(connection: Connection) -> dict[str, int]:
    """How far each place is; it has every number up to there once."""
    found: dict[str, int] = {}
    for place in PLACES:
        ((count, different, first, last),) = rows(
            connection, f"SELECT count(*), count(DISTINCT v), min(v), max(v) FROM {place}"
        )
        assert count == different, place
        assert count == 0 or (first, last) == (1, count), place
        found[place] = count
    return found


def test_a_killed_server_goes_on_with_the_number_after_the_last_that_came(
    launch: Launch, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    server = launch(tmp_path / "data")
    prepare(server.address)
    before = dict.fromkeys(PLACES, 0)
    for _ in range(ROUNDS):
        with server.address.connect() as connection:
            time.sleep(chance.uniform(0.1, 0.6))
            before = lengths(connection)
        server.kill()
        server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            after = lengths(connection)
            assert all(after[place] >= before[place] for place in PLACES), (before, after)
            ((n, total, last),) = rows(connection, "SELECT n, s, m FROM totals")
            assert total == n * (n + 1) // 2
            assert last == n
            for view in ("followed", "above", "totals"):
                assert rows(connection, f"CHECK MATERIALIZED VIEW {view}") == []
    assert min(before.values()) > 1000, "hardly anything came"
    assert server.stop() == 0
