"""Views over more data than the engine may hold in memory: it spills, and they are right all the same."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support.server import ServerProcess

MEMORY_LIMIT = "96MiB"

#: With 160 characters that do not compress in each they are as much as the limit, and two of the
#: views as well.
ROWS = 600_000

VIEWS = {
    "sums": "SELECT g, count(*) AS c, sum(k) AS s, max(k) AS m FROM t GROUP BY g",
    "numbered": "SELECT k, row_number() OVER (PARTITION BY g ORDER BY k) AS r, s FROM t",
    "pairs": "SELECT a.k, b.s FROM t AS a JOIN t AS b ON a.k = b.k + 1",
}


@pytest.mark.slow
def test_what_does_not_fit_into_memory_is_maintained(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'memory_limit = "{MEMORY_LIMIT}"\n')
    process = ServerProcess(tmp_path / "data", ("--config", str(config)))
    address = process.start()
    try:
        with address.connect() as session:
            session.execute("CREATE TABLE t (k bigint, g bigint, s varchar)")
            session.execute(
                "INSERT INTO t SELECT i, i % 100003, repeat(md5(i::varchar), 5) "
                f"FROM generate_series(1, {ROWS}) AS g(i)"
            )
            for name, query in VIEWS.items():
                session.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")
            session.execute("UPDATE t SET s = s || 'x', k = k + 1 WHERE k % 3 = 0")
            session.execute("DELETE FROM t WHERE k % 5 = 0")
            for name in VIEWS:
                assert session.execute(f"CHECK MATERIALIZED VIEW {name}").fetchall() == []
    except psycopg.errors.OutOfMemory as e:
        pytest.fail(f"{e}: {''.join(process.log)}")
    finally:
        process.kill()
