"""What is asked again and again is always of now: nothing that was acknowledged is missing."""

from __future__ import annotations

import random
import threading
import time
from functools import partial
from typing import Final

from tests.support.background import Background
from tests.support.server import Address, Connection

READERS: Final = 6
SECONDS: Final = 5
WRITES_MIN: Final = 50
KEYS: Final = 40

#: Each gives the counter of a key by another way: a row near others, an aggregate, a view.
QUESTIONS: Final = (
    "SELECT n FROM counter WHERE id = {key}",
    "SELECT sum(n)::bigint FROM counter WHERE id = {key} AND id >= 0",
    "SELECT n FROM by_id WHERE id = {key}",
)


class Counters:
    """How far each key has been counted: begun before the statement, acknowledged after it."""

    def __init__(self) -> None:
        self.begun = [0] * KEYS
        self.acknowledged = [0] * KEYS


def count_up(address: Address, counters: Counters, keys: range, stop: threading.Event) -> int:
    chance = random.Random(keys.start)
    with address.connect() as connection:
        while not stop.is_set():
            key = chance.choice(keys)
            counters.begun[key] += 1
            connection.execute("UPDATE counter SET n = n + 1 WHERE id = %s", (key,))
            counters.acknowledged[key] += 1
            # Longer than a reader takes: some answers are given twice, some are new.
            time.sleep(chance.choice((0, 0.02)))
    return sum(counters.acknowledged[key] for key in keys)


def read(address: Address, counters: Counters, number: int, stop: threading.Event) -> int:
    chance = random.Random(number)
    last = [0] * KEYS
    reads = 0
    with address.connect() as connection:
        while not stop.is_set():
            key = chance.randrange(KEYS)
            question = chance.choice(QUESTIONS)
            least = max(counters.acknowledged[key], last[key])
            if chance.random() < 0.5:
                row = connection.execute(question.format(key="%s"), (key,)).fetchone()
            else:
                row = connection.execute(question.format(key=key)).fetchone()
            assert row is not None
            most = counters.begun[key]
            assert least <= row[0] <= most, (question, key, least, row[0], most)
            last[key] = row[0]
            reads += 1
    return reads


def test_repeated_questions_never_miss_what_was_acknowledged(
    connection: Connection, database: Address
) -> None:
    connection.execute("CREATE TABLE counter (id int PRIMARY KEY, n bigint)")
    connection.execute(f"INSERT INTO counter SELECT i, 0 FROM generate_series(0, {KEYS - 1}) t(i)")
    connection.execute("CREATE MATERIALIZED VIEW by_id AS SELECT id, n FROM counter")
    counters, stop = Counters(), threading.Event()
    half = KEYS // 2
    writers = [
        Background(partial(count_up, database, counters, keys, stop))
        for keys in (range(half), range(half, KEYS))
    ]
    readers = [
        Background(partial(read, database, counters, number, stop)) for number in range(READERS)
    ]
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends or sum(counters.acknowledged) <= WRITES_MIN:
        assert time.monotonic() < ends + 60
        time.sleep(0.1)
    stop.set()
    written = sum(writer.result(60) for writer in writers)
    reads = sum(reader.result(60) for reader in readers)
    assert written > WRITES_MIN
    assert reads > written
