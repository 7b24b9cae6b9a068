"""Backups of running and of stopped servers: what comes back is one epoch, whole, and goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from shutil import copy, copytree

import psycopg
import pytest

from barrier.backup import new_directory
from barrier.cluster import Cluster, Database
from barrier.epoch import Epoch
from barrier.online_backup import back_up_running
from catalog.errors import DuplicateObject, IoError
from catalog.oid import Oid
from tests.support.server import REPOSITORY, Address, Connection, ServerProcess, running_server

VIEWS = {
    "per_group": "SELECT g, count(*) AS n, sum(v) AS s, max(k) AS hi FROM entry GROUP BY g",
    "groups": "SELECT count(*) AS groups, sum(n) AS n FROM per_group",
    "named": "SELECT e.k, n.name FROM entry e JOIN name n ON n.g = e.g WHERE e.v > 5",
    "batch": "SELECT g, count(*) AS n FROM per_group GROUP BY g",
}


class _CutShort(Exception):
    """What ends a backup on its way."""


def tidegate(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def fill(connection: Connection) -> None:
    connection.execute("CREATE TABLE entry (k int PRIMARY KEY, g int, v int)")
    connection.execute("CREATE TABLE name (g int, name text)")
    connection.execute("INSERT INTO name SELECT i, 'n' || i FROM generate_series(0, 6) AS i")
    for name, query in VIEWS.items():
        refresh = "WITH (refresh.interval.sec = 1)" if name == "batch" else ""
        connection.execute(f"CREATE MATERIALIZED VIEW {name} {refresh} AS {query}")
    connection.execute(
        "INSERT INTO entry SELECT i, i % 7, i % 11 FROM generate_series(1, 20000) AS i"
    )


def assert_whole(connection: Connection) -> None:
    """Every view equals its query, and the pairs that were written together are together."""
    for name in VIEWS:
        assert connection.execute(f"CHECK MATERIALIZED VIEW {name}").fetchall() == [], name
    alone = "SELECT count(*) FROM entry WHERE k >= 100000 GROUP BY k / 10 HAVING count(*) <> 10"
    assert connection.execute(alone).fetchall() == []


def write_on(address: Address, stop: threading.Event) -> None:
    """Write groups of ten rows, each in a statement, and take some away again."""
    with address.connect() as connection:
        at = 100_000
        while not stop.is_set():
            connection.execute(
                "INSERT INTO entry SELECT i, i %% 7, i %% 11 FROM generate_series(%s::int, %s::int) i",
                (at, at + 9),
            )
            if at % 30 == 0:
                connection.execute("DELETE FROM entry WHERE k / 10 = %s", (at // 10,))
            at += 10


def test_a_backup_under_writes_is_of_one_epoch_and_the_restored_server_goes_on(
    tmp_path: Path,
) -> None:
    granted = tmp_path / "granted"
    granted.mkdir()
    data_dir = tmp_path / "data"
    with (
        running_server(data_dir, "--backup-root", str(granted)) as server,
        server.address.connect() as connection,
    ):
        connection.execute("CREATE DATABASE other")
        fill(connection)
        stop = threading.Event()
        writer = threading.Thread(target=write_on, args=(server.address, stop))
        writer.start()
        try:
            connection.execute("BACKUP TO 'sql'")
            done = tidegate("backup", "--data-dir", str(data_dir), "--to", str(granted / "cli"))
            assert done.returncode == 0, done.stderr
        finally:
            stop.set()
            writer.join()
        events = "SELECT count(*) FROM rw_catalog.rw_event_logs WHERE event_type = 'BACKUP'"
        assert connection.execute(events).fetchall() == [(2,)]
        ((last,),) = connection.execute("SELECT max(k) FROM entry").fetchall()
        assert last > 100_000
        assert_whole(connection)
    for name in ("sql", "cli"):
        restored = tmp_path / f"restored-{name}"
        done = tidegate("restore", "--from", str(granted / name), "--data-dir", str(restored))
        assert done.returncode == 0, done.stderr
        with running_server(restored) as server, server.address.connect() as connection:
            assert_whole(connection)
            connection.execute("INSERT INTO entry VALUES (-1, 3, 7)")
            connection.execute("CREATE MATERIALIZED VIEW later AS SELECT count(*) AS n FROM entry")
            assert_whole(connection)
            with server.address.of_database("other").connect() as other:
                other.execute("CREATE TABLE t (a int)")


def test_a_backup_has_queued_rows_and_the_pause_that_keeps_them(tmp_path: Path) -> None:
    with (
        running_server(tmp_path / "data", "--backup-root", str(tmp_path)) as server,
        server.address.connect() as connection,
    ):
        fill(connection)
        connection.execute("ALTER MATERIALIZED VIEW per_group PAUSE")
        connection.execute("INSERT INTO entry VALUES (-5, 1, 1)")
        connection.execute("ALTER SYSTEM PAUSE")
        connection.execute("SET paused_dml = 'queue'")
        connection.execute("INSERT INTO entry VALUES (-6, 1, 1)")
        connection.execute("BACKUP TO 'b'")
    assert (
        tidegate("restore", "--from", f"{tmp_path}/b", "--data-dir", f"{tmp_path}/r").returncode
        == 0
    )
    with running_server(tmp_path / "r") as server, server.address.connect() as connection:
        assert connection.execute("SELECT count(*) FROM entry WHERE k < 0").fetchall() == [(1,)]
        connection.execute("ALTER SYSTEM RESUME")
        connection.execute("FLUSH")
        assert connection.execute("SELECT count(*) FROM entry WHERE k < 0").fetchall() == [(2,)]
        connection.execute("ALTER MATERIALIZED VIEW per_group RESUME")
        assert_whole(connection)


def test_a_stopped_server_is_backed_up_from_its_files(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    killed = ServerProcess(data_dir)
    with killed.start().connect() as connection:
        fill(connection)
    killed.kill()
    done = tidegate("backup", "--data-dir", str(data_dir), "--to", str(tmp_path / "b"))
    assert done.returncode == 0, done.stderr
    again = tidegate("backup", "--data-dir", str(data_dir), "--to", str(tmp_path / "b"))
    assert again.returncode == 1
    assert "exists already" in again.stderr
    done = tidegate("restore", "--from", str(tmp_path / "b"), "--data-dir", str(tmp_path / "r"))
    assert done.returncode == 0, done.stderr
    with running_server(tmp_path / "r") as server, server.address.connect() as connection:
        assert_whole(connection)
    taken = tidegate("restore", "--from", str(tmp_path / "b"), "--data-dir", str(tmp_path / "r"))
    assert taken.returncode == 1
    assert "is not empty" in taken.stderr


@pytest.mark.parametrize("harm", ["change", "remove", "manifest", "stranger"])
def test_a_damaged_backup_is_not_restored(tmp_path: Path, harm: str) -> None:
    data_dir, backup = tmp_path / "data", tmp_path / "b"
    with running_server(data_dir) as server, server.address.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
    assert tidegate("backup", "--data-dir", str(data_dir), "--to", str(backup)).returncode == 0
    match harm:
        case "change":
            content = bytearray((backup / "1.duckdb").read_bytes())
            content[5000] ^= 1
            (backup / "1.duckdb").write_bytes(content)
        case "remove":
            (backup / "1.duckdb").unlink()
        case "manifest":
            (backup / "backup.json").write_text("{")
        case _:
            manifest = json.loads((backup / "backup.json").read_text())
            manifest["files"]["../data/cluster.json"] = manifest["files"]["cluster.json"]
            (backup / "backup.json").write_text(json.dumps(manifest))
    done = tidegate("restore", "--from", str(backup), "--data-dir", str(tmp_path / "r"))
    assert done.returncode == 1
    assert "is damaged" in done.stderr
    assert not (tmp_path / "r").exists()


def test_the_next_backup_removes_what_was_cut_short_and_nothing_else(tmp_path: Path) -> None:
    cut_short, written, strange = (tmp_path / f"{n}.partial" for n in ("b", "written", "strange"))
    with suppress(_CutShort), new_directory(tmp_path / "b"):
        copytree(cut_short, tmp_path / "kept")
        raise _CutShort
    assert not cut_short.exists()
    (tmp_path / "kept").rename(cut_short)
    strange.mkdir()
    (strange / "precious").touch()
    with new_directory(tmp_path / "written") as directory:
        assert directory == written
        with new_directory(tmp_path / "c"):
            assert not cut_short.exists()
            assert written.exists()
        with pytest.raises(DuplicateObject), new_directory(tmp_path / "written"):
            pass
        assert written.exists()
    assert (strange / "precious").exists()
    assert list((tmp_path / "written").iterdir()) == list((tmp_path / "c").iterdir()) == []


def test_a_database_that_is_dropped_meanwhile_is_left_out_and_no_other(tmp_path: Path) -> None:
    cluster = Cluster.initial()
    there, gone = cluster.databases["dev"], Database(Oid(77), "gone", "root")

    def copy(name: str, file: Path) -> Epoch:
        file.write_text(name)
        if name == broken:
            raise FileNotFoundError(file)  # What it was copied to is gone with the database.
        return Epoch(5)

    broken = "gone"
    epochs = back_up_running(tmp_path / "b", (gone, there), copy, lambda: cluster, 0)
    assert epochs == {"dev": Epoch(5)}
    assert {path.name for path in (tmp_path / "b").iterdir()} == {
        *("1.duckdb", "cluster.json", "backup.json")
    }
    broken = "dev"
    with pytest.raises(IoError):
        back_up_running(tmp_path / "c", (gone, there), copy, lambda: cluster, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_sql_writes_nowhere_but_below_what_was_granted(tmp_path: Path) -> None:
    granted = tmp_path / "granted"
    granted.mkdir()
    (granted / "away").symlink_to(tmp_path)
    with running_server(tmp_path / "data", "--backup-root", str(granted)) as server:
        with server.address.connect() as connection:
            for target in ("../out", "/etc/out", "away/out", ".", "x/../.."):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(f"BACKUP TO '{target}'")
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                connection.execute("BACKUP TO ' '")
            connection.execute("BEGIN")
            with pytest.raises(psycopg.errors.ActiveSqlTransaction):
                connection.execute("BACKUP TO 'in_block'")
            connection.execute("ROLLBACK")
            connection.execute("CREATE USER somebody")
        somebody = Address(server.address.host, server.address.port, "somebody", "dev")
        with (
            somebody.connect() as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute("BACKUP TO 'mine'")
    assert [path.name for path in granted.iterdir()] == ["away"]
    with (
        running_server(tmp_path / "data") as server,
        server.address.connect() as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="no directory is granted"),
    ):
        connection.execute("BACKUP TO 'b'")


def test_the_command_line_proves_its_password(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("sëcret\n")
    rules = '[[hba]]\ntype = "host"\ndatabase = "all"\nuser = "all"\naddress = "all"\nmethod = "scram-sha-256"\n'
    (tmp_path / "config.toml").write_text(rules)
    arguments = ("--backup-root", str(tmp_path), "--password-file", str(tmp_path / "password"))
    with running_server(tmp_path / "data", *arguments, "--config", str(tmp_path / "config.toml")):
        call = ("backup", "--data-dir", str(tmp_path / "data"), "--to", str(tmp_path / "b"))
        assert "needs a password" in tidegate(*call).stderr
        assert "password authentication failed" in tidegate(*call, TIDEGATE_PASSWORD="x").stderr
        done = tidegate(*call, TIDEGATE_PASSWORD="sëcret")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "b" / "backup.json").exists()


@pytest.mark.slow
def test_what_follows_another_database_goes_on_from_a_backup_of_both(tmp_path: Path) -> None:
    rows = "SELECT v, count(*) FROM {} GROUP BY v ORDER BY v"
    with running_server(tmp_path / "data", "--backup-root", str(tmp_path)) as server:
        # The one that follows is copied after what it follows, so it may be ahead.
        there, here = server.address, server.address.of_database("follower")
        with there.connect() as connection:
            connection.execute("CREATE DATABASE follower")
            connection.execute("CREATE TABLE t (v int)")
            connection.execute("CREATE SUBSCRIPTION s FROM t WITH (retention = '1D')")
            connection.execute("INSERT INTO t SELECT g % 7 FROM generate_series(1, 50000) g")
        with here.connect() as connection:
            connection.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM dev.public.t")
        stop = threading.Event()

        def write() -> None:
            with there.connect() as writing:
                while not stop.is_set():
                    writing.execute("INSERT INTO t VALUES (1), (NULL)")
                    writing.execute("DELETE FROM t WHERE v = 2")
                    writing.execute("INSERT INTO t SELECT 2 FROM t WHERE v = 3 LIMIT 50")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            with there.connect() as connection:
                connection.execute("BACKUP TO 'b'")
        finally:
            stop.set()
            writer.join()
    done = tidegate("restore", "--from", f"{tmp_path}/b", "--data-dir", f"{tmp_path}/r")
    assert done.returncode == 0, done.stderr
    with running_server(tmp_path / "r") as server:
        follower = server.address.of_database("follower")
        with server.address.connect() as source, follower.connect() as target:
            source.execute("DECLARE c SUBSCRIPTION CURSOR FOR s SINCE begin()")
            assert source.execute("FETCH 1 FROM c").fetchall()
            source.execute("INSERT INTO t VALUES (8)")
            wanted = source.execute(rows.format("t").encode()).fetchall()
            end = time.monotonic() + 20
            while target.execute(rows.format("m").encode()).fetchall() != wanted:
                assert time.monotonic() < end
                time.sleep(0.1)


def test_a_mirror_that_is_ahead_of_what_it_follows_is_brought_back(tmp_path: Path) -> None:
    """As after a backup that copied the one after the other; here it has gone on before it is seen."""
    data, kept = tmp_path / "data", tmp_path / "kept"
    query = b"SELECT v, count(*) FROM %s GROUP BY v ORDER BY v"

    def follow(address: Address, statement: bytes) -> None:
        with address.connect() as source, address.of_database("f").connect() as target:
            source.execute(statement)
            wanted = source.execute(query % b"t").fetchall()
            end = time.monotonic() + 20
            while (found := target.execute(query % b"m").fetchall()) != wanted:
                assert time.monotonic() < end, (found, wanted)
                time.sleep(0.1)

    with running_server(data) as server:
        with server.address.connect() as connection:
            connection.execute("CREATE DATABASE f")
            connection.execute("CREATE TABLE t (v int)")
            connection.execute("CREATE SUBSCRIPTION s FROM t WITH (retention = '1D')")
        with server.address.of_database("f").connect() as connection:
            connection.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM dev.public.t")
        follow(server.address, b"INSERT INTO t VALUES (1), (2), (3)")
    copytree(data, kept)
    with running_server(data) as server:
        follow(server.address, b"INSERT INTO t VALUES (1), (4)")
        follow(server.address, b"DELETE FROM t WHERE v = 2")
    copy(kept / "1.duckdb", data / "1.duckdb")
    with running_server(data) as server:
        follow(server.address, b"INSERT INTO t VALUES (5)")
        follow(server.address, b"DELETE FROM t WHERE v = 3")
