"""What comes in between while a statement is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from barrier.clock import SystemClock
from barrier.interrupt import Interrupt
from barrier.manager import BarrierManager
from catalog.errors import ObjectNotInPrerequisiteState, QueryCanceled, UndefinedTable
from server.execute import dml, unsettled
from server.execute.binding import Binding
from server.execute.evaluate import Evaluated, Evaluation
from server.session_state import SessionState
from server.sql.bind.result import BoundDelete
from tests.support.background import Background
from tests.support.session_client import Client

Connect = Callable[[], Client]

#: One is evaluated by the engine, the other is not.
INSERTIONS = pytest.mark.parametrize(
    "insertion", ["INSERT INTO t VALUES (1)", "INSERT INTO t SELECT 1"], ids=["given", "made"]
)


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], object]]]:
    """What is to be done, once, when a statement has looked at its rows for the first time."""
    pending: list[Callable[[], object]] = []
    original = Evaluation._changed

    def changed(self: Evaluation, *arguments: object, **named: object) -> object:
        # Passed on as they came.
        evaluated = original(self, *arguments, **named)  # type: ignore[arg-type]
        if pending:
            pending.pop()()
        return evaluated

    monkeypatch.setattr(Evaluation, "_changed", changed)
    yield pending
    assert not pending


def other(connect: Connect, client: Client) -> Client:
    made = connect()
    ((path,),) = client.run("SHOW search_path")
    made.run(f"SET search_path TO {path}")
    return made


def test_an_upsert_is_not_lost_when_its_row_comes_in_between(
    client: Client, connect: Connect, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, n int)")
    rival = other(connect, client)
    upsert = "INSERT INTO t VALUES (1, 1) ON CONFLICT (k) DO UPDATE SET n = t.n + 1"
    between.append(lambda: rival.run("INSERT INTO t VALUES (1, 10)"))
    client.run(upsert)
    assert client.run("SELECT n FROM t") == [("11",)]


def test_an_upsert_is_not_lost_when_its_row_goes_in_between(
    client: Client, connect: Connect, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, n int)")
    client.run("INSERT INTO t VALUES (1, 10)")
    rival = other(connect, client)
    between.append(lambda: rival.run("DELETE FROM t"))
    client.run("INSERT INTO t VALUES (1, 1) ON CONFLICT (k) DO UPDATE SET n = t.n + 1")
    assert client.run("SELECT n FROM t") == [("1",)]


def test_an_update_of_keys_whose_row_moved_in_between_is_evaluated_again(
    client: Client, connect: Connect, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, n int)")
    client.run("INSERT INTO t VALUES (1, 10)")
    rival = other(connect, client)
    between.append(lambda: rival.run("UPDATE t SET k = 2"))
    client.run("UPDATE t SET k = k + 1 WHERE k = 1")
    assert client.tags == ["UPDATE 0"]
    assert client.run("SELECT k FROM t") == [("2",)]


@pytest.fixture
def paused_between(
    monkeypatch: pytest.MonkeyPatch, client: Client, connect: Connect
) -> Iterator[Callable[[str], None]]:
    """Pause the database once a statement is evaluated; the other session resumes it after all."""
    operator = connect()
    originals = Evaluation.insert, unsettled.given_rows

    def insert(self: Evaluation, *arguments: object) -> object:
        evaluated = originals[0](self, *arguments)  # type: ignore[arg-type]  # as they came
        operator.run("ALTER DATABASE dev PAUSE")
        return evaluated

    def given_rows(*arguments: object) -> object:
        given = originals[1](*arguments)  # type: ignore[arg-type]  # passed on as they came
        if given is not None:
            operator.run("ALTER DATABASE dev PAUSE")
        return given

    def run(sql: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Evaluation, "insert", insert)
            patched.setattr(dml, "given_rows", given_rows)
            client.run(sql)

    yield run
    operator.run("ALTER DATABASE dev RESUME")


@INSERTIONS
def test_a_pause_in_between_is_told(
    client: Client, paused_between: Callable[[str], None], insertion: str
) -> None:
    client.run("CREATE TABLE t (a int)")
    client.notices.clear()
    client.run("SET statement_timeout = '1s'")
    with pytest.raises(QueryCanceled):
        paused_between(insertion)
    client.run("SET statement_timeout = 0")
    assert [n.message for n in client.notices] == ['database "dev" is paused; waiting for RESUME']
    assert client.run("SELECT count(*) FROM t") == [("0",)]


@INSERTIONS
def test_a_pause_in_between_can_be_an_error(
    client: Client, paused_between: Callable[[str], None], insertion: str
) -> None:
    client.run("CREATE TABLE t (a int)")
    client.run("SET paused_dml = 'error'")
    with pytest.raises(ObjectNotInPrerequisiteState):
        paused_between(insertion)


def test_the_wait_for_ones_turn_can_be_cancelled(client: Client, manager: BarrierManager) -> None:
    worker = manager.worker("dev")
    client.run("CREATE TABLE t (a int)")
    interrupt = Interrupt(SystemClock())
    with worker.exclusive(interrupt):
        waiting = Interrupt(SystemClock())
        waiting.arm(100)

        def take() -> None:
            with worker.exclusive(waiting):
                raise AssertionError

        with pytest.raises(QueryCanceled):
            Background(take).result(5)
    client.run("INSERT INTO t VALUES (1)")


def test_a_table_that_is_dropped_and_made_again_while_it_is_emptied_is_looked_up_again(
    client: Client, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.run("CREATE TABLE t (a int); CREATE TABLE u (a int); INSERT INTO u VALUES (1)")
    rival, original = other(connect, client), Evaluation.delete
    pending = ["DROP TABLE t; CREATE TABLE t (a int); INSERT INTO t VALUES (1)", "DROP TABLE t"]

    def delete(self: Evaluation, bound: BoundDelete) -> Evaluated:
        if pending:
            rival.run(pending.pop(0))
        return original(self, bound)

    monkeypatch.setattr(Evaluation, "delete", delete)
    with pytest.raises(UndefinedTable, match='"t" does not exist'):
        client.run("TRUNCATE t, u")
    assert client.run("SELECT * FROM u") == [("1",)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a FROM t",
        "EXPLAIN SELECT a FROM t",
        "DECLARE c CURSOR WITH HOLD FOR SELECT a FROM t",
        "CREATE TABLE u AS SELECT * FROM t",
        "EXPLAIN DELETE FROM t",
    ],
    ids=range(5),
)
@pytest.mark.parametrize(
    "change",
    ["DROP TABLE t; CREATE TABLE t (a int); INSERT INTO t VALUES (2)", "ALTER TABLE t ADD b int"],
    ids=["d", "a"],
)
def test_a_replaced_table_is_looked_up_again(
    client: Client,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
    change: str,
) -> None:
    client.run("CREATE TABLE t (a int); INSERT INTO t VALUES (2)")
    rival, original, pending = other(connect, client), Binding.check, [change]

    def check(self: Binding[Any], state: SessionState) -> None:
        original(self, state)
        if pending:
            rival.run(pending.pop())

    monkeypatch.setattr(Binding, "check", check)
    client.run(statement)
    assert not pending
    if "CURSOR" in statement:
        assert client.run("FETCH ALL FROM c") == [("2",)]
        client.run("CLOSE c")
    if statement.startswith("CREATE"):
        made = client.run("SELECT * FROM u")
        assert made == client.run("SELECT * FROM t") == [("2", None)[: len(made[0])]]


@pytest.mark.parametrize("column", ["a int PRIMARY KEY", "a int"], ids=["key", "none"])
def test_an_index_is_made_beside_readers(client: Client, connect: Connect, column: str) -> None:
    client.run(f"CREATE TABLE t ({column}, b int)")
    client.run("INSERT INTO t SELECT g, g FROM generate_series(1, 50) AS g")
    client.run("CREATE MATERIALIZED VIEW m AS SELECT b % 2 AS k, sum(a) AS s FROM t GROUP BY 1")
    reader = other(connect, client)
    reader.run("BEGIN")
    before = reader.run("SELECT * FROM t ORDER BY a")
    client.run("UPDATE t SET b = 100 WHERE a = 3")
    client.run("CREATE INDEX i ON t (b)")
    assert reader.run("SELECT * FROM t ORDER BY a") == before
    client.run("INSERT INTO t VALUES (51, 100)")
    client.run("DELETE FROM t WHERE a = 3")
    assert client.run("SELECT a FROM t WHERE b = 100") == [("51",)]
    assert client.run("SELECT count(*) FROM t") == [("50",)]
    assert client.run("CHECK MATERIALIZED VIEW m") == []
    reader.run("COMMIT")
