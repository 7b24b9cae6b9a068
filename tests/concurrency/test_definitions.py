"""Definitions and writes mixed from many sessions: every error is one that its statement deserves."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Final

import psycopg

from tests.support.background import Background
from tests.support.server import Address

SESSIONS: Final = 8
SECONDS: Final = 6
DEADLINE_SECONDS: Final = 60

#: Never fail over who was first.
TOLERANT: Final = (
    "CREATE TABLE IF NOT EXISTS {t} (a int PRIMARY KEY)",
    "DROP TABLE IF EXISTS {t} CASCADE",
    "SELECT * FROM rw_catalog.rw_databases",
    "SELECT relname FROM pg_class",
)
#: May find no table, and fail with nothing else.
NEEDY: Final = (
    "INSERT INTO {t} VALUES (1), (2)",
    "INSERT INTO {t} SELECT a + 1 FROM {t}",
    "DELETE FROM {t}",
    "UPDATE {t} SET a = a",
    "SELECT count(*) FROM {t}",
    "SELECT * FROM m{t}",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS m{t} AS SELECT count(*) AS n FROM {t}",
    "BEGIN; SELECT * FROM {t}; INSERT INTO {t} VALUES (7); SELECT count(*) FROM {t}; COMMIT",
)
DROPPED_ON_THE_WAY: Final = "the streaming job was cancelled while it was being created"


def mix(address: Address, number: int) -> Counter[tuple[str, str]]:
    chance = random.Random(number)
    errors: Counter[tuple[str, str]] = Counter()
    end = time.monotonic() + SECONDS
    with address.connect() as session:
        while time.monotonic() < end:
            template = chance.choice(TOLERANT + NEEDY)
            try:
                session.execute(template.format(t=f"t{chance.randrange(2)}"))
            except psycopg.Error as e:
                session.execute("ROLLBACK")
                if template.startswith("CREATE MAT") and str(e) == DROPPED_ON_THE_WAY:
                    continue  # Another session has dropped its table with CASCADE.
                if template in TOLERANT or e.sqlstate != "42P01" or "OID" in str(e):
                    errors[template, str(e)] += 1
    return errors


def test_no_session_is_told_of_another_ones_business(database: Address) -> None:
    def start(number: int) -> Background[Counter[tuple[str, str]]]:
        return Background(lambda: mix(database, number))

    mixed = [start(number) for number in range(SESSIONS)]
    errors: Counter[tuple[str, str]] = Counter()
    for background in mixed:
        errors += background.result(DEADLINE_SECONDS)
    assert not errors
