"""Random blocks of writes, reads, errors and savepoints, beside a real PostgreSQL."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

TABLES = """
CREATE TABLE keyed (k int PRIMARY KEY, a int, b text DEFAULT 'none');
CREATE TABLE plain (a int NOT NULL, b text);
"""

VIEWS = {
    "joined": "SELECT k.a, count(*) AS n, max(p.b) AS b "
    "FROM keyed AS k LEFT JOIN plain AS p USING (a) GROUP BY 1",
    "grouped": "SELECT a, count(*) AS n, sum(k) AS s FROM keyed GROUP BY a",
    "computed": "SELECT a % 3 AS g, b, count(*) AS n FROM plain GROUP BY a % 3, b",
    "filtered": "SELECT k, a, b FROM keyed WHERE a > 3",
}


class Blocks:
    """Statements of which each is likely to meet what those before it have written."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.keys = itertools.count(1)
        self.savepoints: list[str] = []

    def script(self) -> str:
        return (
            TABLES
            + ";\n".join(statement for _ in range(12) for statement in self._block())
            + ";\nSELECT * FROM keyed ORDER BY k;\nSELECT * FROM plain ORDER BY a, b;\n"
        )

    def _block(self) -> Iterator[str]:
        self.savepoints = []
        is_block = self.chance.random() < 0.85
        if is_block:
            yield "BEGIN"
        for _ in range(self.chance.choice([1, 1, 2, 4, 7])):
            kinds = [self._insert, self._insert, self._insert, self._change, self._look]
            if is_block:
                kinds += [self._save, self._return]
            yield self.chance.choice(kinds)()
        if is_block:
            yield self.chance.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"])

    def _insert(self) -> str:
        small = self.chance.randint(1, 9)
        k = next(self.keys)
        return self.chance.choice(
            [
                f"INSERT INTO keyed VALUES ({k}, {small}, 'x{small}')",
                f"INSERT INTO keyed (k, a) VALUES ({k}, {small})",
                f"INSERT INTO keyed (a, k, b) VALUES ({small}, {k}, NULL)",
                f"INSERT INTO plain VALUES ({small}, 'it''s'), ({small + 1}, NULL)",
                f"INSERT INTO plain (b, a) VALUES ('y', {small})",
                f"INSERT INTO plain VALUES ({small} + 1, upper('z')) RETURNING *",
                "INSERT INTO plain VALUES (NULL, 'no')",
                f"INSERT INTO plain SELECT a, b FROM keyed WHERE k % 7 = {small}",
                f"INSERT INTO keyed SELECT {k} + 1000000, count(*) FROM plain",
                f"INSERT INTO keyed VALUES ({k}, {small}) ON CONFLICT (k) DO NOTHING",
            ]
        )

    def _change(self) -> str:
        small = self.chance.randint(0, 4)
        return self.chance.choice(
            [
                f"UPDATE keyed SET a = a + 1 WHERE k % 5 = {small}",
                f"UPDATE keyed SET a = {small}, b = 'one' WHERE k = {small * 7}",
                f"UPDATE plain SET b = b || '!' WHERE a % 5 = {small}",
                f"UPDATE keyed SET k = k + 2000000 WHERE k = {small} AND k < 1000000",
                f"DELETE FROM keyed WHERE k % 9 = {small} RETURNING k",
                f"DELETE FROM plain WHERE a = {small}",
                f"DELETE FROM keyed WHERE k = {small * 7 + 3}",
                "UPDATE plain SET a = NULL WHERE a = 3",
            ]
        )

    def _look(self) -> str:
        return self.chance.choice(
            [
                "SELECT count(*), sum(a) FROM keyed",
                "SELECT a, b FROM plain ORDER BY a, b",
                "SELECT 1 / (count(*) - count(*)) FROM plain",
                "SELECT k.k, p.b FROM keyed AS k JOIN plain AS p ON p.a = k.a ORDER BY 1, 2",
            ]
        )

    def _save(self) -> str:
        self.savepoints.append(self.chance.choice("st"))
        return f"SAVEPOINT {self.savepoints[-1]}"

    def _return(self) -> str:
        verb = self.chance.choice(["ROLLBACK TO", "ROLLBACK TO", "RELEASE"])
        return f"{verb} {self.chance.choice(self.savepoints or ['s'])}"


def check(seed: int, judge: Address, database: Address) -> None:
    """A script does the same on both sides, and views follow what it writes."""
    assert_equal(judge, database, TABLES)
    with database.connect() as connection:
        for name, query in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    assert_equal(judge, database, Blocks(seed).script())
    with database.connect() as connection:
        for name, query in VIEWS.items():
            wanted = connection.execute(f"{query} ORDER BY 1, 2".encode()).fetchall()
            found = connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2".encode()).fetchall()
            assert found == wanted, name


@pytest.mark.parametrize("seed", range(6))
def test_blocks_are_postgresqls(seed: int, judge: Address, database: Address) -> None:
    check(seed, judge, database)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 60))
def test_more_blocks_are_postgresqls(seed: int, judge: Address, database: Address) -> None:
    check(seed, judge, database)
