"""CHECK MATERIALIZED VIEW finds what is wrong, and nothing else; the ledger tells of each epoch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from barrier.manager import BarrierManager
from catalog.errors import (
    ActiveTransaction,
    FeatureNotSupported,
    SqlSyntaxError,
    UndefinedTable,
    WrongObjectType,
)
from tests.support.session_client import Client


@pytest.fixture
def damage(manager: BarrierManager, client: Client) -> Callable[[str, str], None]:
    """Changes a view's stored rows behind the server's back; ``{r}`` is where they are."""

    def run(view: str, sql: str) -> None:
        ((oid,),) = client.run(f"SELECT '{view}'::regclass::oid")
        store = manager.worker("dev")._store
        store._root.execute(sql.format(r=f"r{oid}"))  # type: ignore[attr-defined]

    return run


@pytest.fixture
def views(client: Client) -> Client:
    for statement in (
        "CREATE TABLE t (k int PRIMARY KEY, g int, v float8, i interval)",
        "INSERT INTO t SELECT n, n % 5, n * 0.1, '30 days' FROM generate_series(1, 100) AS s(n)",
        "CREATE MATERIALIZED VIEW sums AS SELECT g, count(*) AS n, sum(v) AS s FROM t GROUP BY g",
        "CREATE MATERIALIZED VIEW spans AS SELECT k, i FROM t",
        "CREATE MATERIALIZED VIEW late WITH (refresh.interval.sec = 1000) AS SELECT g, max(k) AS k FROM t GROUP BY g",
        "CREATE MATERIALIZED VIEW recent AS SELECT k FROM t WHERE now() > '2020-01-01'::timestamptz",
    ):
        client.run(statement)
    return client


ALL = ("sums", "spans", "late", "recent")


@pytest.mark.parametrize("view", ALL)
def test_a_sound_view_differs_in_nothing(views: Client, view: str) -> None:
    for change in (
        "UPDATE t SET v = v * 1e15, g = g + 1 WHERE k % 3 = 0",
        "DELETE FROM t WHERE k % 3 = 0",
        "INSERT INTO t VALUES (1000, NULL, 'NaN', NULL), (1001, NULL, 'Infinity', '1 month')",
    ):
        views.run(change)
        assert views.run(f"CHECK MATERIALIZED VIEW {view}") == []


def test_a_row_that_is_wrong_is_told_from_both_sides(
    views: Client, damage: Callable[[str, str], None]
) -> None:
    damage("sums", "UPDATE {r} SET c2 = c2 + 1 WHERE c1 = 3")
    found = views.run("CHECK MATERIALIZED VIEW sums")
    assert sorted(row[:4] for row in found) == [("query", "1", "3", "20"), ("view", "1", "3", "21")]


def test_rows_too_few_and_too_many_are_told(
    views: Client, damage: Callable[[str, str], None]
) -> None:
    damage("recent", "DELETE FROM {r} WHERE c1 = 7")
    damage("recent", "INSERT INTO {r} SELECT * FROM {r} WHERE c1 = 8")
    found = views.run("CHECK MATERIALIZED VIEW recent")
    assert sorted(found) == [("query", "1", "7"), ("view", "1", "8")]


def test_equal_values_that_print_differently_differ(
    views: Client, damage: Callable[[str, str], None]
) -> None:
    damage("spans", "DELETE FROM {r} WHERE c1 = 9")
    damage("spans", "INSERT INTO {r} (c1, c2) VALUES (9, INTERVAL '1 month')")
    found = views.run("CHECK MATERIALIZED VIEW spans")
    assert sorted(found) == [("query", "1", "9", "30 days"), ("view", "1", "9", "1 mon")]


@pytest.mark.parametrize(
    ("change", "differing"), [("1 + 1e-13", 0), ("1 + 1e-6", 2)], ids=["a", "b"]
)
def test_sums_may_differ_by_the_order_of_addition(
    views: Client, damage: Callable[[str, str], None], change: str, differing: int
) -> None:
    damage("sums", f"UPDATE {{r}} SET c3 = c3 * ({change}) WHERE c1 = 2")
    assert len(views.run("CHECK MATERIALIZED VIEW sums")) == differing


def test_a_batch_refresh_job_is_compared_as_of_its_last_run(
    views: Client, damage: Callable[[str, str], None]
) -> None:
    views.run("DELETE FROM t WHERE k > 50")
    assert views.run("SELECT max(k) FROM late") == [("100",)]
    assert views.run("CHECK MATERIALIZED VIEW late") == []
    damage("late", "UPDATE {r} SET c2 = 50 WHERE c2 = 100")
    assert len(views.run("CHECK MATERIALIZED VIEW late")) == 2


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("CHECK MATERIALIZED VIEW nothing", UndefinedTable),
        ("CHECK MATERIALIZED VIEW t", WrongObjectType),
        ("EXPLAIN MATERIALIZED VIEW t", WrongObjectType),
        ("CHECK VIEW sums", SqlSyntaxError),
        ("CHECK MATERIALIZED VIEW sums now", SqlSyntaxError),
    ],
    ids=range(5),
)
def test_what_cannot_be_checked_is_refused(
    views: Client, statement: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        views.run(statement)


def test_a_view_is_not_checked_in_a_transaction_block(views: Client) -> None:
    views.run("BEGIN")
    with pytest.raises(ActiveTransaction):
        views.run("CHECK MATERIALIZED VIEW sums")
    views.run("ROLLBACK")


def test_a_view_that_is_there_is_explained_as_it_was_before_it_was(views: Client) -> None:
    query = "SELECT g, count(*) AS n, sum(v) AS s FROM t GROUP BY g"
    before = views.run(f"EXPLAIN (VERBOSE) CREATE MATERIALIZED VIEW other AS {query}")
    now = views.run("EXPLAIN (VERBOSE) MATERIALIZED VIEW sums")
    shapes = [[str(line).split(" ")[0] for (line,) in plan] for plan in (before, now)]
    assert shapes[0] == shapes[1]


def test_the_ledger_tells_what_each_epoch_did_to_each_view(views: Client) -> None:
    views.run("INSERT INTO t VALUES (500, 77, 1, NULL), (501, 77, 2, NULL)")
    entries = views.run(
        "SELECT relation, rows_in, rows_out, strategy FROM rw_catalog.rw_epochs"
        " WHERE relation_id = 'sums'::regclass::oid ORDER BY epoch"
    )
    assert entries == [("sums", "100", "5", "fill"), ("sums", "2", "1", "delta")]


@pytest.mark.parametrize(
    "value",
    ["random()", "gen_random_uuid()", "clock_timestamp()", "'now'::timestamp", "'today'::date"],
    ids=range(5),
)
def test_a_query_that_no_rows_could_equal_is_no_view(client: Client, value: str) -> None:
    client.run("CREATE TABLE t (k int)")
    with pytest.raises(FeatureNotSupported, match="cannot be used in a materialized view"):
        client.run(f"CREATE MATERIALIZED VIEW m AS SELECT k, {value} AS x FROM t")
    client.run(f"CREATE VIEW m AS SELECT k, {value} AS x FROM t")
