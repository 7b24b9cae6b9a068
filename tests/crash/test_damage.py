"""A data directory that is damaged, or was left in the middle of something: one clear line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.server import READY_SECONDS, running_server


def refusal(data_dir: Path) -> str:
    """Start a server that must not start; return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "server", "serve", "--port", "0", "--data-dir", str(data_dir)],
        capture_output=True,
        text=True,
        timeout=READY_SECONDS,
        check=False,
    )
    assert done.returncode == 1, done
    (line,) = [line for line in done.stderr.splitlines() if " INFO " not in line]
    return line


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    with running_server(tmp_path) as server, server.address.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("INSERT INTO t VALUES (1)")
    return tmp_path


def test_a_damaged_database_file_is_named(data_dir: Path) -> None:
    (data_dir / "1.duckdb").write_bytes(b"\0" * 8192)
    assert 'database "dev" cannot be opened' in refusal(data_dir)
    assert "1.duckdb" in refusal(data_dir)


def test_a_database_whose_file_is_gone_is_not_made_anew(data_dir: Path) -> None:
    (data_dir / "1.duckdb").unlink()
    assert 'database "dev" has no file' in refusal(data_dir)
    assert "1.duckdb" in refusal(data_dir)


def test_a_first_start_that_was_cut_short_is_made_up_for(tmp_path: Path) -> None:
    with running_server(tmp_path):
        pass
    (tmp_path / "1.duckdb").unlink()
    with running_server(tmp_path) as server, server.address.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")


def test_a_damaged_cluster_file_is_named(data_dir: Path) -> None:
    (data_dir / "cluster.json").write_text('{"format": 1')
    assert 'cluster.json" is damaged' in refusal(data_dir)


def test_a_directory_of_a_newer_version_is_named(data_dir: Path) -> None:
    described = json.loads((data_dir / "cluster.json").read_text())
    described["format"] += 1
    (data_dir / "cluster.json").write_text(json.dumps(described))
    assert "its format is" in refusal(data_dir)


def test_a_directory_that_another_server_has_is_named(data_dir: Path) -> None:
    with running_server(data_dir):
        assert "is in use by another server" in refusal(data_dir)


def test_what_the_engine_spilled_before_a_crash_is_no_hindrance(data_dir: Path) -> None:
    spilled = data_dir / "1.duckdb.tmp"
    spilled.mkdir()
    (spilled / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
    (data_dir / "99.duckdb.tmp").mkdir()
    with running_server(data_dir) as server, server.address.connect() as connection:
        assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
    assert not (data_dir / "99.duckdb.tmp").exists()
