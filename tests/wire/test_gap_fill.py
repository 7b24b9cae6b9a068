"""GAP_FILL, against the rows that a few lines of Python give for the same table."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from itertools import pairwise

from tests.support.server import Address

_MINUTE = timedelta(minutes=1)
_Row = tuple[int, datetime, int | None, int | None, int | None]


def _filled(rows: list[_Row]) -> list[_Row]:
    """Return rows (partition, time, LOCF, INTERPOLATE, KEEPNULL) with those between them."""
    found = list(rows)
    for partition in {row[0] for row in rows}:
        held = sorted((row for row in rows if row[0] == partition), key=lambda row: row[1])
        for before, after in pairwise(held):
            times = [before[1]]
            while times[-1] + _MINUTE < after[1]:
                times.append(times[-1] + _MINUTE)
            for done, time in enumerate(times[1:], 1):
                ends = before[3], after[3]
                between = None
                if ends[0] is not None and ends[1] is not None:
                    between = ends[0] + (ends[1] - ends[0]) // len(times) * done
                found.append((partition, time, before[2], between, None))
    return sorted(found, key=lambda row: row[:2])


def test_a_view_has_what_is_missing_whatever_comes_and_goes(database: Address) -> None:
    chance = random.Random(7)
    start = datetime(2024, 5, 21)
    rows: dict[tuple[int, datetime], _Row] = {}
    with database.connect() as connection:
        connection.execute(
            "CREATE TABLE g (k int, ts timestamp, a int, b int, c int, PRIMARY KEY (k, ts))"
        )
        call = (
            "SELECT * FROM gap_fill(g, ts, INTERVAL '1' MINUTE, LOCF(a), INTERPOLATE(b), "
            "PARTITION_BY(k))"
        )
        connection.execute(f"CREATE MATERIALIZED VIEW m AS {call}".encode())
        for _ in range(12):
            for _ in range(chance.randint(1, 4)):
                seconds = chance.choice((60, 60, 45)) * chance.randint(0, 20)
                key = chance.randint(1, 3), start + timedelta(seconds=seconds)
                if key in rows and chance.random() < 0.6:
                    del rows[key]
                    connection.execute("DELETE FROM g WHERE k = %s AND ts = %s", key)
                    continue
                a, b, c = (chance.choice((None, *range(-9, 10))) for _ in range(3))
                rows[key] = (*key, a, b, c)
                connection.execute("INSERT INTO g VALUES (%s, %s, %s, %s, %s)", rows[key])
            expected = _filled([*rows.values()])
            for query in ("SELECT * FROM m ORDER BY k, ts", f"{call} ORDER BY k, ts"):
                assert connection.execute(query.encode()).fetchall() == expected
