"""A view that could not be maintained is never read, by whatever way."""

from __future__ import annotations

import pytest

from catalog.errors import ObjectNotInPrerequisiteState
from tests.support.session_client import Client

READERS = (
    "SELECT * FROM failing",
    "SELECT * FROM above",
    "SELECT * FROM plain",
    "SELECT * FROM plainer",
    "INSERT INTO sink SELECT a FROM failing",
    "CREATE MATERIALIZED VIEW another AS SELECT * FROM failing",
    "CREATE MATERIALIZED VIEW another AS SELECT * FROM plainer",
)


@pytest.fixture
def failed(client: Client) -> Client:
    for statement in (
        "SET streaming_expr_strict_mode = on",
        "CREATE TABLE t (a int PRIMARY KEY, b int)",
        "CREATE TABLE sink (a int)",
        "CREATE MATERIALIZED VIEW failing AS SELECT a, 10 / b AS q FROM t",
        "CREATE MATERIALIZED VIEW above AS SELECT count(*) AS n FROM failing",
        "CREATE VIEW plain AS SELECT * FROM failing",
        "CREATE VIEW plainer AS SELECT q FROM plain",
        "CREATE MATERIALIZED VIEW sound AS SELECT count(*) AS n FROM t",
        "INSERT INTO t VALUES (1, 5)",
        "INSERT INTO t VALUES (2, 0)",
    ):
        client.run(statement)
    return client


@pytest.mark.parametrize("statement", READERS, ids=range(len(READERS)))
def test_readers_are_told_why(failed: Client, statement: str) -> None:
    with pytest.raises(ObjectNotInPrerequisiteState) as caught:
        failed.run(statement)
    assert caught.value.detail == "division by zero"


def test_the_neighbours_of_a_failed_view_go_on_and_it_can_be_dropped(failed: Client) -> None:
    failed.run("INSERT INTO t VALUES (3, 1)")
    assert failed.run("SELECT n FROM sound") == [("3",)]
    failed.run("DROP MATERIALIZED VIEW failing CASCADE")
    failed.run("DELETE FROM t WHERE b = 0")
    failed.run("CREATE MATERIALIZED VIEW failing AS SELECT a, 10 / b AS q FROM t")
    assert failed.run("SELECT q FROM failing ORDER BY a") == [("2",), ("10",)]
