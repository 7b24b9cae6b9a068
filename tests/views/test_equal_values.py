"""Values that are equal and not the same: what becomes of one is stored, and shown by every view."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

import pytest

from tests.support.server import Connection

#: By column, the texts of values of which some are equal to others.
VALUES = {
    "i": ("1 mon", "30 days", "29 days 24:00:00", "720:00:00", "1 mon 1 day", "31 days"),
    "f": ("0", "-0", "1.5", "NaN"),
    "l": ("{0,1}", "{-0,1}", "{2}"),
    "n": ("1.5", "1.50", "1.500", "2"),
}
Row: TypeAlias = tuple[str, ...]
TABLE = "(k int PRIMARY KEY, i interval, f double precision, l real[], n numeric)"
SHOWN = "k, i::text AS i, f::text AS f, l::text AS l, n::text AS n"


def drawn(random: Random) -> Row:
    return tuple(random.choice(values) for values in VALUES.values())


def stored(connection: Connection, relation: str) -> dict[int, Row]:
    found = connection.execute(f"SELECT {SHOWN} FROM {relation}".encode()).fetchall()
    return {row[0]: row[1:] for row in found}


def changed(random: Random, rows: dict[int, Row]) -> str:
    """Draw a statement, and do to ``rows`` what it does to the table."""
    low = random.randint(1, 6)
    high = low if random.random() < 0.6 else 6
    if random.random() < 0.3:
        new = {k: drawn(random) for k in range(low, high + 1)}
        rows.update(new)
        listed = ", ".join(str((k, *row)) for k, row in new.items())
        return f"INSERT INTO t VALUES {listed}"
    place = random.randrange(len(VALUES))
    value = random.choice(list(VALUES.values())[place])
    for k in [k for k in rows if low <= k <= high]:
        rows[k] = (*rows[k][:place], value, *rows[k][place + 1 :])
    return f"UPDATE t SET {list(VALUES)[place]} = '{value}' WHERE k BETWEEN {low} AND {high}"


@pytest.mark.parametrize("seed", range(3))
def test_what_a_value_becomes_is_stored_although_it_equals_what_it_was(
    connection: Connection, seed: int
) -> None:
    random, rows = Random(seed), dict[int, Row]()
    connection.execute(f"CREATE TABLE t {TABLE}".encode())
    for name in ("m", "late", "above"):
        source = "m" if name == "above" else "t"
        shown = "*" if name == "above" else SHOWN
        query = f"CREATE MATERIALIZED VIEW {name} AS SELECT {shown} FROM {source}"
        connection.execute(query.encode())
    for _ in range(4):
        connection.execute("ALTER MATERIALIZED VIEW late PAUSE")
        for _ in range(4):
            if random.random() < 0.4:
                with connection.transaction():
                    for _ in range(2):
                        connection.execute(changed(random, rows).encode())
                        assert stored(connection, "t") == rows
            else:
                connection.execute(changed(random, rows).encode())
            assert stored(connection, "t") == stored(connection, "above") == rows
        connection.execute("ALTER MATERIALIZED VIEW late RESUME")
        connection.execute("FLUSH")
        assert stored(connection, "late") == rows
