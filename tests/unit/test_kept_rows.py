"""Rows that are kept come back whole and in order, from memory and from files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from barrier.pieces import Pieces
from catalog.errors import IoError
from server.kept_rows import KeptRows
from server.wire.blank_messages import FilledBatch
from server.wire.session_contract import RowBatch


@pytest.fixture
def pieces(tmp_path: Path) -> Pieces:
    return Pieces(tmp_path / "database")


def batch_of(rows: list[bytes]) -> FilledBatch:
    offsets = np.cumsum([0, *map(len, rows)])
    return FilledBatch(np.frombuffer(b"".join(rows), np.uint8), offsets)


def rows_of(batch: RowBatch) -> list[bytes]:
    return [bytes(batch.data(i, i + 1)) for i in range(batch.rows)]


def taken(kept: KeptRows) -> Iterator[bytes]:
    while (batch := kept.take()) is not None:
        yield from rows_of(batch)


@pytest.mark.parametrize("bytes_max", [1, 100, 10_000_000])
def test_rows_come_back_as_they_were_kept(pieces: Pieces, bytes_max: int) -> None:
    draw = random.Random(bytes_max)
    batches = [
        [draw.randbytes(draw.randrange(30)) for _ in range(draw.randrange(1, 40))]
        for _ in range(50)
    ]
    kept = KeptRows(pieces.file, bytes_max)
    for rows in batches:
        kept.add(batch_of(rows))
    assert list(taken(kept)) == [row for rows in batches for row in rows]
    assert not pieces.directory.exists()


def test_rows_that_are_kept_while_others_wait_come_after_them(pieces: Pieces) -> None:
    kept = KeptRows(pieces.file, 50)
    kept.add(batch_of([b"a" * 60]))
    kept.add(batch_of([b"b"]))
    first = kept.take()
    assert first is not None
    kept.add(batch_of([b"c" * 60]))
    assert rows_of(first) == [b"a" * 60]
    assert list(taken(kept)) == [b"b", b"c" * 60]


def test_more_than_memory_may_hold_is_in_files_until_it_is_read(pieces: Pieces) -> None:
    kept = KeptRows(pieces.file, 1000)
    for number in range(100):
        kept.add(batch_of([bytes([number]) * 200]))
    files = list(pieces.directory.iterdir())
    assert sum(file.stat().st_size for file in files) >= 100 * 200 - 1000
    assert kept.take() is not None
    assert len(list(pieces.directory.iterdir())) == len(files) - 1
    kept.clear()


def test_what_is_not_wanted_any_more_leaves_no_file(pieces: Pieces) -> None:
    kept = KeptRows(pieces.file, 1)
    kept.add(batch_of([b"row"]))
    assert pieces.directory.exists()
    kept.clear()
    assert not pieces.directory.exists()
    assert kept.take() is None


def test_rows_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = KeptRows(Pieces(tmp_path / "file" / "database").file, 1)
    with pytest.raises(IoError, match="could not write to file"):
        kept.add(batch_of([b"row"]))
