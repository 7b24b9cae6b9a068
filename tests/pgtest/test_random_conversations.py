"""Random conversations go the same way with this server as with a PostgreSQL 15."""

from __future__ import annotations

from typing import Final

import pytest

from tests.support.random_conversation import Generator, Talk
from tests.support.server import Address

BATCHES: Final = 6
SEEDS: Final = 150
SEEDS_SLOW: Final = 5000
#: What longer runs have found: a portal of before the failure, a BEGIN in a block that has modes.
FOUND: Final = (3974, 4203, 5108)


@pytest.fixture(scope="module")
def judge(postgresql: Address) -> Address:
    with postgresql.connect() as connection:
        connection.execute("CREATE DATABASE random_conversations")
    return postgresql.of_database("random_conversations")


def assert_alike(seed: int, address: Address, judge: Address) -> None:
    generator = Generator(seed)
    ours, theirs = Talk(address), Talk(judge)
    try:
        for number in range(BATCHES):
            batch = generator.batch()
            assert ours.answers(batch) == theirs.answers(batch), (
                f"seed {seed}, batch {number}:\n" + "\n".join(str(message) for message in batch)
            )
    finally:
        ours.close()
        theirs.close()


def test_both_servers_answer_alike(database: Address, judge: Address) -> None:
    for seed in (*FOUND, *range(SEEDS)):
        assert_alike(seed, database, judge)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(SEEDS, SEEDS_SLOW, 500))
def test_both_servers_answer_alike_for_long(start: int, database: Address, judge: Address) -> None:
    for seed in range(start, start + 500):
        assert_alike(seed, database, judge)
