"""What the engine's CSV reader gives for plain data is what Python reads, row by row."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.execute.copy_sql import from_file
from server.wire.copy_cut import Chunk
from server.wire.copy_format import CopyFormat, CopyKind
from server.wire.copy_plain import plain_data

TEXT_PIECES = [
    "a",
    "1\t2",
    "\t",
    "\n",
    "\\N",
    "\\\\",
    "\\t",
    "\\",
    '"',
    "é",
    " ",
    "x\ty\n",
    "\\N\t\\N\n",
]
CSV_PIECES = ["a", '"', '""', ",", "\n", '"a"', '"\n"', " ", "b,c\n", '"x","y"\n', ",é\n", "\\N"]


def pieces(of: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(of), min_size=1, max_size=9).map("".join)


def check(text: str, form: CopyFormat, path: Path) -> None:
    data = text.removesuffix("\n")
    chunk = Chunk(form, data.encode(), 1, data.count("\n") + 1, "\n")
    plain = plain_data(chunk)
    if plain is None:
        return
    rows = [list(row.fields) for row in chunk.rows()]
    counts = {len(row) for row in rows}
    if len(counts) > 1 or counts == {1}:
        return
    path.write_bytes(plain.data)
    with duckdb.connect() as engine:
        source = from_file(str(path), form, counts.pop(), plain)
        try:
            found = engine.execute(f"SELECT * EXCLUDE o FROM {source}").fetchall()
        except duckdb.Error:
            return  # What it refuses, Python reads.
    if len(found) == plain.rows:
        assert [list(row) for row in found] == rows


@pytest.mark.parametrize("null", ["\\N", "", "a"])
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=pieces(TEXT_PIECES))
def test_texts(null: str, text: str, tmp_path: Path) -> None:
    check(text, CopyFormat(CopyKind.TEXT, null=null), tmp_path / "data")


@pytest.mark.parametrize("null", ["\\N", "", "a"])
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=pieces(CSV_PIECES))
def test_csv(null: str, text: str, tmp_path: Path) -> None:
    check(text, CopyFormat(CopyKind.CSV, delimiter=",", null=null), tmp_path / "data")
