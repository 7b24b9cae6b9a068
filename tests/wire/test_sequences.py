"""Numbers of sequences: never twice, whatever happens to the server or at the same time."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg
import pytest

from barrier.sequences import Sequences
from catalog.oid import Oid
from catalog.sequence import SequenceGenerator
from tests.support.server import Address, running_server


def test_a_sequence_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, v int)")
        root.execute("INSERT INTO t (v) SELECT generate_series(1, 40)")
        root.execute("CREATE SEQUENCE gone")
        root.execute("SELECT nextval('gone')")
        root.execute("DROP SEQUENCE gone")
        root.execute("COMMENT ON SEQUENCE t_id_seq IS 'counts'")
    with running_server(tmp_path) as server, server.address.connect() as root:
        assert root.execute("INSERT INTO t (v) VALUES (0) RETURNING id").fetchall() == [(41,)]
        told = "SELECT obj_description('t_id_seq'::regclass), pg_get_serial_sequence('t', 'id')"
        assert root.execute(told).fetchall() == [("counts", "public.t_id_seq")]
        with pytest.raises(psycopg.errors.UndefinedTable):
            root.execute("SELECT nextval('gone')")
        root.execute("CREATE SEQUENCE gone")
        assert root.execute("SELECT nextval('gone')").fetchall() == [(1,)]


class Kept:
    """Keeps places as a store does, for a server that is killed at any time."""

    def __init__(self) -> None:
        self.places: dict[Oid, object] = {}

    def put_sequence(self, oid: Oid, place: object) -> None:
        self.places[oid] = place

    def drop_sequence(self, oid: Oid) -> None:
        del self.places[oid]


@pytest.mark.parametrize("increment", [1, -3])
def test_no_number_is_given_out_twice_when_a_server_is_killed(increment: int) -> None:
    sequence = SequenceGenerator(
        oid=Oid(1),
        schema="public",
        name="s",
        owner="root",
        increment=increment,
        minimum=-(10**6),
        maximum=10**6,
    )
    kept = Kept()
    given: list[int] = []
    for life in range(30):
        sequences = Sequences(kept, dict(kept.places), {sequence.oid})  # type: ignore[arg-type]
        given += [sequences.next(sequence) for _ in range(life * 7 % 50)]
        if life % 5 == 0:
            sequences.close()
    assert len(set(given)) == len(given)
    assert given == sorted(given, reverse=increment < 0)


def test_sessions_that_insert_at_once_get_different_numbers(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (id bigserial PRIMARY KEY, v int)")

    def insert() -> None:
        with database.connect() as connection:
            for number in range(20):
                connection.execute("INSERT INTO t (v) VALUES (%s), (%s)", (number, number))

    threads = [threading.Thread(target=insert) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.connect() as connection:
        counted = connection.execute("SELECT count(*), count(DISTINCT id) FROM t").fetchall()
        assert counted == [(160, 160)]


def test_copy_numbers_rows_and_takes_numbers_that_it_is_given(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, v text)")
        with connection.cursor().copy("COPY t (v) FROM STDIN") as copy:
            copy.write("a\nb\n")
        with connection.cursor().copy("COPY t FROM STDIN") as copy:
            copy.write("10\tc\n")
        rows = connection.execute("SELECT id, v FROM t ORDER BY id").fetchall()
        assert rows == [(1, "a"), (2, "b"), (10, "c")]


def test_who_may_insert_needs_a_privilege_for_the_sequence_too(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE USER u")
        root.execute("CREATE TABLE t (id serial, v int)")
        root.execute("GRANT INSERT ON t TO u")
        u = Address(server.address.host, server.address.port, "u", "dev")
        with u.connect() as other:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="sequence t_id_seq"):
                other.execute("INSERT INTO t (v) VALUES (1)")
            root.execute("GRANT USAGE ON SEQUENCE t_id_seq TO u")
            other.execute("INSERT INTO t (v) VALUES (1)")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                other.execute("SELECT setval('t_id_seq', 1)")
        assert root.execute("SELECT id FROM t").fetchall() == [(1,)]
