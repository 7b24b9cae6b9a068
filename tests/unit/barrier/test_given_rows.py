"""What is told of given rows without asking the engine never promises too much."""

from __future__ import annotations

from random import Random

import duckdb
import pytest

from barrier.given_rows import GivenRows, GivenValue

#: Values of which some are equal but not the same, or the other way round.
VALUES: dict[str, tuple[GivenValue, ...]] = {
    "DOUBLE": (0.0, -0.0, 1.5, float("nan"), float("inf"), None),
    "BIGINT": (0, 1, -1, None),
    "VARCHAR": ("", "a", "A", "NULL", None),
    "BOOLEAN": (True, False, None),
}


def drawn(random: Random) -> GivenRows:
    count = random.randint(1, 6)
    types = tuple(random.choice(list(VALUES)) for _ in range(random.randint(1, 3)))
    columns = tuple([random.choice(VALUES[type_]) for _ in range(count)] for type_ in types)
    names = tuple(f"c{i}" for i in range(len(types)))
    weights = [random.choice((-1, 1)) for _ in range(count)]
    return GivenRows(names, types, columns).with_values("w", "BIGINT", weights)


@pytest.mark.parametrize("seed", range(40))
def test_groups_and_losses_are_no_fewer_than_the_engine_finds(seed: int) -> None:
    random = Random(seed)
    rows = drawn(random)
    names = [name for name in rows.names if name != "w" and random.random() < 0.7]
    # As an expression over the columns may see them: the two zeros are two texts.
    texts = [f"{name}::VARCHAR" for name in names]
    query = f"SELECT {', '.join([*texts, 'sum(w)'])} FROM ({rows.query()}) GROUP BY ALL"
    groups = duckdb.execute(query, rows.parameters()).fetchall()
    assert rows.groups(names) >= len(groups)
    if any(group[-1] < 0 for group in groups):
        assert rows.loses(names, "w")


def test_a_row_that_changes_where_nobody_looks_is_no_loss() -> None:
    rows = GivenRows(("c1", "c2", "w"), ("INTEGER",) * 3, ([7, 7], [1, 2], [-1, 1]))
    assert not rows.loses(["c1"], "w")
    assert rows.groups(["c1"]) == 1
    assert rows.loses(["c2"], "w")
    assert not rows.only(["c1", "c2"]).loses(["c2"], "w")
