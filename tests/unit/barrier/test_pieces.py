"""Pieces of bulk data in files: gone when they are read, and all that the engine may open."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier.duckdb_store import DuckdbStore
from barrier.prelude import Prelude
from catalog.errors import PgError

CSV = "SELECT * FROM read_csv('{}', columns = {{'a': 'VARCHAR'}}, header = false)"


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_piece_is_read_once_and_gone(is_stored: bool, tmp_path: Path) -> None:
    store = DuckdbStore(tmp_path / "1.duckdb" if is_stored else None, Prelude())
    with store.file(b"x\ny\n") as path:
        assert store.reader().rows(CSV.format(path)) == [("x",), ("y",)]
        assert Path(path).stat().st_mode & 0o77 == 0 or Path(path).parent.stat().st_mode & 0o77 == 0
    assert not Path(path).parent.exists()
    store.close()


def test_what_a_killed_server_has_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "1.duckdb.pieces"
    left.mkdir()
    (left / "7").write_text("half")
    store = DuckdbStore(tmp_path / "1.duckdb", Prelude())
    assert not left.exists()
    store.close()


def test_the_engine_opens_no_other_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("password\n")
    store = DuckdbStore(tmp_path / "1.duckdb", Prelude())
    with store.file(b"x\n") as path:
        for name in (secret, f"{Path(path).parent}/../secret", f"{Path(path).parent}.pieces"):
            with pytest.raises(PgError):
                store.reader().rows(CSV.format(name))
    store.close()
