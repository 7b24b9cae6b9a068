"""Constraints between rows hold although others write at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from barrier.knowledge import Knowledge
from barrier.manager import BarrierManager
from barrier.run import Run
from barrier.writes import WriteSet
from catalog.constraint_errors import ForeignKeyViolation
from catalog.errors import ObjectInUse, PgError, SerializationFailure, UniqueViolation
from server.execute.evaluate import Evaluation
from tests.support.background import Background
from tests.support.session_client import Client

Connect = Callable[[], Client]


@pytest.fixture
def rival(client: Client, connect: Connect) -> Client:
    """Another session, with the same names."""
    made = connect()
    ((path,),) = client.run("SHOW search_path")
    made.run(f"SET search_path TO {path}")
    return made


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], object]]]:
    """What is to be done, once, when a statement has been evaluated and not handed in."""
    pending: list[Callable[[], object]] = []
    for name in ("insert", "update", "delete"):
        original = getattr(Evaluation, name)

        def evaluate(
            self: Evaluation, *arguments: object, original: Callable[..., object] = original
        ) -> object:
            evaluated = original(self, *arguments)
            if pending:
                pending.pop()()
            return evaluated

        monkeypatch.setattr(Evaluation, name, evaluate)
    yield pending
    assert not pending


def test_a_key_that_came_in_between_is_refused(
    client: Client, rival: Client, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, a int UNIQUE)")
    between.append(lambda: rival.run("INSERT INTO t VALUES (1, 5)"))
    with pytest.raises(UniqueViolation) as caught:
        client.run("INSERT INTO t VALUES (2, 5)")
    assert caught.value.detail == "Key (a)=(5) already exists."
    assert caught.value.place is not None
    assert caught.value.place.constraint == "t_a_key"
    assert client.run("SELECT * FROM t") == [("1", "5")]


def test_on_conflict_heeds_a_key_that_came_in_between(
    client: Client, rival: Client, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE t (a int UNIQUE, n int)")
    between.append(lambda: rival.run("INSERT INTO t VALUES (5, 1)"))
    client.run("INSERT INTO t VALUES (5, 9) ON CONFLICT DO NOTHING")
    assert client.tags == ["INSERT 0 0"]
    between.append(lambda: rival.run("INSERT INTO t VALUES (6, 1)"))
    client.run("INSERT INTO t VALUES (6, 9) ON CONFLICT (a) DO UPDATE SET n = t.n + excluded.n")
    assert client.run("SELECT * FROM t ORDER BY a") == [("5", "1"), ("6", "10")]


def test_of_two_blocks_with_one_key_the_second_is_refused(client: Client, rival: Client) -> None:
    client.run("CREATE TABLE t (a int UNIQUE, b int)")
    client.run("BEGIN; INSERT INTO t VALUES (1, 1)")
    rival.run("BEGIN; INSERT INTO t VALUES (1, 2), (2, 2)")
    client.run("COMMIT")
    with pytest.raises(UniqueViolation) as caught:
        rival.run("COMMIT")
    assert caught.value.detail == "Key (a)=(1) already exists."
    assert rival.run("SELECT * FROM t") == [("1", "1")]


def test_a_row_whose_target_went_in_between_is_refused(
    client: Client, rival: Client, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p)")
    client.run("INSERT INTO p VALUES (1)")
    between.append(lambda: rival.run("DELETE FROM p"))
    with pytest.raises(ForeignKeyViolation) as caught:
        client.run("INSERT INTO c VALUES (1)")
    assert caught.value.detail == 'Key (p)=(1) is not present in table "p".'
    assert client.run("SELECT * FROM c") == []


def test_a_row_that_came_in_between_follows_too(
    client: Client, rival: Client, between: list[Callable[[], object]]
) -> None:
    client.run("CREATE TABLE p (id int PRIMARY KEY)")
    client.run("CREATE TABLE c (n int, p int REFERENCES p ON DELETE CASCADE)")
    client.run("INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1), (2, 2)")
    between.append(lambda: rival.run("INSERT INTO c VALUES (3, 1)"))
    client.run("DELETE FROM p WHERE id = 1")
    assert client.run("SELECT * FROM c") == [("2", "2")]


@pytest.mark.parametrize(
    ("action", "error"), [("NO ACTION", ForeignKeyViolation), ("CASCADE", SerializationFailure)]
)
def test_a_block_whose_row_is_wanted_fails(
    client: Client, rival: Client, action: str, error: type[PgError]
) -> None:
    client.run("CREATE TABLE p (id int PRIMARY KEY)")
    client.run(f"CREATE TABLE c (p int REFERENCES p ON DELETE {action})")
    client.run("INSERT INTO p VALUES (1)")
    client.run("BEGIN; DELETE FROM p")
    rival.run("INSERT INTO c VALUES (1)")
    with pytest.raises(error):
        client.run("COMMIT")
    assert client.run("SELECT p.id FROM p JOIN c ON c.p = p.id") == [("1",)]


def test_a_key_is_given_once_however_many_want_it(client: Client, connect: Connect) -> None:
    client.run("CREATE TABLE t (a int UNIQUE, b text, UNIQUE (b))")
    ((path,),) = client.run("SHOW search_path")

    def insert(others: Client) -> int:
        given = 0
        for n in range(15):
            try:
                others.run(f"INSERT INTO t VALUES ({n}, 'x{n // 2}')")
            except UniqueViolation:
                continue
            given += 1
        return given

    clients = [connect() for _ in range(3)]
    for other in clients:
        other.run(f"SET search_path TO {path}")
    running = [Background(partial(insert, other)) for other in clients]
    total = sum(each.result(60) for each in running)
    rows = client.run("SELECT a, b FROM t")
    assert total == len(rows)
    assert len({a for a, _ in rows}) == len({b for _, b in rows}) == len(rows)


def test_what_follows_is_of_the_same_epoch(client: Client, manager: BarrierManager) -> None:
    client.run("CREATE TABLE p (id int PRIMARY KEY)")
    client.run("CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE)")
    client.run("CREATE TABLE g (c int REFERENCES c ON DELETE SET NULL)")
    client.run("INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1); INSERT INTO g VALUES (1)")
    client.run("DELETE FROM p")
    worker = manager.worker("dev")
    oids = [r.oid for r in worker.catalog.relations.values() if r.name in {"p", "c", "g"}][-3:]
    changed = worker.changed_at(oids)
    assert changed is not None
    assert len(set(changed)) == 1


def test_what_is_refused_changes_nothing(client: Client, manager: BarrierManager) -> None:
    client.run("CREATE TABLE p (id int PRIMARY KEY)")
    client.run("CREATE TABLE c (p int REFERENCES p)")
    client.run("INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1)")
    before = manager.worker("dev").catalog.version
    for sql in (
        "DELETE FROM p",
        "INSERT INTO c VALUES (2), (3)",
        "ALTER TABLE c ADD UNIQUE (p), ADD CONSTRAINT x FOREIGN KEY (p) REFERENCES c (p), ADD x",
        "ALTER TABLE c ADD y int, ADD CHECK (p > 1)",
        "DROP TABLE p",
    ):
        with pytest.raises(PgError):
            client.run(sql)
    assert manager.worker("dev").catalog.version == before
    assert client.run("SELECT * FROM p ORDER BY id") == [("1",), ("2",)]
    assert client.run("SELECT * FROM c") == [("1",)]


def test_a_constraint_waits_for_rows_that_were_acknowledged_before(
    client: Client, rival: Client
) -> None:
    client.run("CREATE TABLE t (a int, b int)")
    client.run("ALTER DATABASE dev PAUSE")
    client.run("SET paused_dml = 'queue'")
    client.run("INSERT INTO t VALUES (1, 1), (1, 2)")
    with pytest.raises(ObjectInUse):
        rival.run("ALTER TABLE t ADD UNIQUE (a)")
    rival.run("ALTER DATABASE dev RESUME")
    rival.run("FLUSH")
    with pytest.raises(UniqueViolation) as caught:
        rival.run("ALTER TABLE t ADD UNIQUE (a)")
    assert caught.value.detail == "Key (a)=(1) is duplicated."
    rival.run("ALTER TABLE t ADD UNIQUE (b)")


def test_rows_of_a_table_with_constraints_are_not_acknowledged_before_their_epoch(
    client: Client, manager: BarrierManager
) -> None:
    client.run("CREATE TABLE t (a int UNIQUE)")
    client.run("SET implicit_flush = off")
    client.run("INSERT INTO t VALUES (1)")
    assert not manager.worker("dev").backlog().queued_sets
    with pytest.raises(UniqueViolation):
        client.run("INSERT INTO t VALUES (1)")


@pytest.mark.parametrize(
    ("definition", "sqlstate"),
    [
        ("ALTER TABLE t ADD UNIQUE (a)", "23505"),
        ("ALTER TABLE t ADD CHECK (a > 1)", "23514"),
        ("ALTER TABLE t ALTER b SET NOT NULL", "23502"),
        ("DROP TABLE t", "42P01"),
    ],
    ids=["unique", "check", "null", "drop"],
)
@pytest.mark.parametrize("is_before", [False, True], ids=["during", "before"])
def test_a_late_row_is_not_acknowledged(  # noqa: PLR0917
    client: Client,
    rival: Client,
    monkeypatch: pytest.MonkeyPatch,
    manager: BarrierManager,
    definition: str,
    sqlstate: str,
    is_before: bool,  # a parameter of the test
) -> None:
    """A row comes into the queue after a definition has looked there, or after its end."""
    client.run("CREATE TABLE t (a int, b int)")
    client.run("INSERT INTO t VALUES (1, 1)" if "UNIQUE" in definition else "SELECT 1")
    client.run("ALTER DATABASE dev PAUSE")
    rival.run("SET paused_dml = 'queue'")
    store = manager.worker("dev")._store
    queue, commit = store.queue, Run.commit
    inserts: list[Background[object]] = []
    has_queued = threading.Event()

    def queued(write_set: WriteSet) -> WriteSet:
        if is_before and not has_queued.is_set():
            client.run(definition)
        found = queue(write_set)
        has_queued.set()
        return found

    def committed(run: Run) -> Knowledge:
        if not is_before and not inserts:
            inserts.append(Background(lambda: rival.run("INSERT INTO t VALUES (1, NULL)")))
            assert has_queued.wait(10)
        return commit(run)

    monkeypatch.setattr(store, "queue", queued)
    monkeypatch.setattr(Run, "commit", committed)
    if is_before:
        inserts.append(Background(lambda: rival.run("INSERT INTO t VALUES (1, NULL)")))
    else:
        client.run(definition)
    with pytest.raises(PgError) as caught:
        inserts[0].result(10)
    assert caught.value.sqlstate == sqlstate
    client.run("ALTER DATABASE dev RESUME")
    assert not manager.worker("dev").backlog().queued_sets
