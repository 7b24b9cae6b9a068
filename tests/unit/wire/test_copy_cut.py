"""However the data of COPY are divided, the same rows come out."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import BadCopyFormat
from server.wire import copy_binary, copy_cut
from server.wire.copy_binary import BinaryCutter
from server.wire.copy_csv import csv_line
from server.wire.copy_cut import Chunk, Cutter
from server.wire.copy_format import CopyFormat, CopyKind
from server.wire.copy_text import text_line

NAMES = ("a", "b", "c")
FORMS = (
    CopyFormat(),
    CopyFormat(delimiter=",", null=""),
    CopyFormat(CopyKind.CSV, delimiter=",", null=""),
    CopyFormat(CopyKind.CSV, delimiter=";", null="NULL", quote="'", escape="\\"),
    CopyFormat(CopyKind.CSV, delimiter="\t", null="\\N", escape="\\"),
)
VALUES = st.one_of(
    st.text(st.sampled_from("ab\\,;\t\n\r\"' .N0x\b\v\x01é"), max_size=6),
    st.sampled_from(["", "\\N", "\\.", "NULL", '""', "\\\\", "\\\n"]),
)
TABLES = st.lists(st.lists(VALUES, min_size=3, max_size=3), max_size=8)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_cut, "CHUNK_BYTES", 8)
    monkeypatch.setattr(copy_binary, "CHUNK_BYTES", 8)


def pieces(data: bytes, cuts: Sequence[int]) -> Iterator[bytes]:
    at = 0
    for cut in cuts:
        yield data[at : at + cut]
        at += cut
    yield data[at:]


def chunks(form: CopyFormat, data: bytes, cuts: Sequence[int]) -> list[Chunk]:
    cutter = Cutter(form, NAMES)
    found = [chunk for piece in pieces(data, cuts) for chunk in cutter.feed(piece)]
    return [*found, *cutter.finish()]


def readable(value: str, form: CopyFormat) -> str:
    """An empty text cannot be told from NULL where both look the same in the text format."""
    return "x" if form.kind is CopyKind.TEXT and value == form.null == "" else value


@pytest.mark.parametrize("form", FORMS, ids=str)
@given(table=TABLES, cuts=st.lists(st.integers(0, 9), max_size=30), has_end=st.booleans())
def test_rows_come_out_as_they_went_in(
    form: CopyFormat, table: list[list[str]], cuts: list[int], has_end: bool
) -> None:
    table = [[readable(value, form) for value in row] for row in table]
    write = csv_line if form.kind is CopyKind.CSV else text_line
    text = "".join(write(row, form) for row in table)
    data = (text if has_end else text.removesuffix("\n")).encode()
    found = chunks(form, data, cuts)
    assert [list(row.fields) for chunk in found for row in chunk.rows()] == table
    by_column = [chunk.columns(3) for chunk in found]
    assert [list(row) for columns in by_column for row in zip(*columns or [], strict=True)] == table
    lines = [row.line for chunk in found for row in chunk.rows()]
    assert lines == sorted(set(lines))
    if lines and form.kind is CopyKind.CSV:
        # PostgreSQL counts newlines in quotes only once it knows that they end lines.
        first, *others = table
        inner = sum(value.count("\n") for row in others for value in row)
        early = sum(value.count("\r") for value in first)
        assert lines[-1] == len(table) + inner + early


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@given(cuts=st.lists(st.integers(0, 5), max_size=30))
def test_every_end_of_line_is_known(end: str, cuts: list[int]) -> None:
    for form in FORMS[:3]:
        rows = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
        data = "".join(form.delimiter.join(row) + end for row in rows).encode()
        found = chunks(form, data, cuts)
        assert [row.fields for chunk in found for row in chunk.rows()] == rows
        assert "\n".join(chunk.plain_lines() or "" for chunk in found).count("\n") == 2


@pytest.mark.parametrize("form", FORMS[2:], ids=str)
def test_a_quote_that_stays_open_costs_nothing(form: CopyFormat) -> None:
    data = form.quote.encode() + b"abc def\n" * 20_000
    with pytest.raises(BadCopyFormat, match="unterminated CSV quoted field"):
        chunks(form, data, [1000] * 20)
    with pytest.raises(BadCopyFormat, match="unterminated CSV quoted field"):
        list(Chunk(form, data, 1, data.count(b"\n") + 1, "\n").rows())
    assert Chunk(form, data, 1, data.count(b"\n") + 1, "\n").columns(3) is None
    opened = form.quote.encode() + (form.escape + form.quote).encode() * 50_000
    with pytest.raises(BadCopyFormat, match="unterminated CSV quoted field"):
        chunks(form, opened, [])


@given(
    table=st.lists(st.lists(st.none() | st.binary(max_size=5), min_size=2, max_size=2), max_size=8),
    cuts=st.lists(st.integers(0, 9), max_size=30),
)
def test_binary_rows_come_out_as_they_went_in(
    table: list[list[bytes | None]], cuts: list[int]
) -> None:
    data = b"PGCOPY\n\xff\r\n\0" + bytes(8)
    for row in table:
        data += struct.pack("!h", len(row))
        for value in row:
            data += struct.pack("!i", -1 if value is None else len(value)) + (value or b"")
    cutter = BinaryCutter(["a", "b"], [None, None])
    found = [c for piece in pieces(data + b"\xff\xff", cuts) for c in cutter.feed(piece)]
    found += cutter.finish()
    rows = [row for c in found for row in zip(c.images(0), c.images(1), strict=True)]
    assert rows == [tuple(row) for row in table]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PGCOPY\n\xff\r\n\0" + bytes(8) + b"\0\2", "unexpected EOF in COPY data"),
        (b"PGCOPY\n\xff\r\n\0" + bytes(8) + b"\0\3", "row field count is 3, expected 2"),
        (b"PGCOPY", "COPY file signature not recognized"),
        (
            b"PGCOPY\n\xff\r\n\0" + bytes(8) + b"\xff\xff\0",
            "received copy data after EOF marker",
        ),
    ],
)
def test_wrong_binary_data_are_refused(data: bytes, message: str) -> None:
    cutter = BinaryCutter(["a", "b"], [None, None])
    with pytest.raises(BadCopyFormat) as caught:
        list(cutter.feed(data)) + list(cutter.finish())
    assert caught.value.message == message
