"""The data directory: what is ours, what is somebody's, and what is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier.cluster import Cluster, DataDirectory
from catalog.errors import IoError
from catalog.oid import Oid


def test_files_that_the_engine_keeps_beside_a_database_stay(tmp_path: Path) -> None:
    """After kill -9 in a checkpoint acknowledged rows are in these alone."""
    logs = ("1.duckdb", "1.duckdb.wal", "1.duckdb.wal.checkpoint", "1.duckdb.wal.recovery")
    for name in logs:
        (tmp_path / name).write_bytes(b"rows")
    (tmp_path / "1.duckdb.tmp").mkdir()
    with DataDirectory(tmp_path) as directory:
        directory.remove_strangers(Cluster.initial())
    for name in logs:
        assert (tmp_path / name).exists(), name


def test_what_is_left_of_a_dropped_database_goes_and_other_files_stay(tmp_path: Path) -> None:
    for name in ("7.duckdb", "7.duckdb.wal", "sales.duckdb", "sales.duckdb.wal", "7.csv"):
        (tmp_path / name).write_bytes(b"")
    spilled = tmp_path / "7.duckdb.tmp"
    spilled.mkdir()
    (spilled / "duckdb_temp_storage-0.tmp").write_bytes(b"")
    with DataDirectory(tmp_path) as directory:
        directory.remove_strangers(Cluster.initial())
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "7.csv",
            "lock",
            "sales.duckdb",
            "sales.duckdb.wal",
        ]


def test_removing_a_database_leaves_its_neighbours(tmp_path: Path) -> None:
    for name in ("17.duckdb", "17.duckdb.wal.checkpoint", "117.duckdb", "1.duckdb"):
        (tmp_path / name).write_bytes(b"")
    with DataDirectory(tmp_path) as directory:
        directory.remove_database(Oid(17))
    assert sorted(path.name for path in tmp_path.glob("*.duckdb*")) == ["1.duckdb", "117.duckdb"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 99}', '{"format": 1}', "null"])
def test_a_damaged_cluster_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "cluster.json").write_text(text)
    with DataDirectory(tmp_path) as directory, pytest.raises(IoError, match="is damaged"):
        directory.load()


def test_databases_without_their_cluster_file_are_not_taken_for_a_new_server(
    tmp_path: Path,
) -> None:
    (tmp_path / "1.duckdb").write_bytes(b"")
    with (
        DataDirectory(tmp_path) as directory,
        pytest.raises(IoError, match=r"has databases but no cluster\.json"),
    ):
        directory.load()
