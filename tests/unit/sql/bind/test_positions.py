"""Errors as PostgreSQL 15 gave them, each with its message and where it points.

``positions.tsv`` holds its answers: statement, SQLSTATE, position (empty for none) and message,
asked with ``t (k int PRIMARY KEY, s varchar)`` and ``u (k int PRIMARY KEY, w varchar)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from barrier.clock import SystemClock
from barrier.manager import BarrierManager
from barrier.prelude import Prelude
from catalog.errors import PgError
from server.session_opener import session_opener
from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.wire.startup import StartupParameters
from tests.support.session_client import Client

_ANSWERS = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "positions.tsv").read_text().splitlines()
]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    manager = BarrierManager.open(
        None, SystemClock(), Prelude(MACROS, PYTHON_FUNCTIONS), settings={"threads": "1"}
    )
    opened = session_opener(manager, SystemClock())
    made = Client(opened(StartupParameters("root", "dev", {}, 1, "127.0.0.1")))
    made.run("CREATE TABLE t (k int PRIMARY KEY, s varchar)")
    made.run("CREATE TABLE u (k int PRIMARY KEY, w varchar)")
    yield made
    made.session.close()
    manager.close()


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position", "message"), _ANSWERS, ids=[answer[0] for answer in _ANSWERS]
)
def test_points_where_postgresql_does(
    client: Client, sql: str, sqlstate: str, position: str, message: str
) -> None:
    with pytest.raises(PgError) as caught:
        client.run(sql)
    error = caught.value
    found = "" if error.position is None else str(error.position)
    assert (str(error.sqlstate), found, error.message) == (sqlstate, position, message)
