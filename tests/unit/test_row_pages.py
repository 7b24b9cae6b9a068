"""Rows near the one that was asked for are given only while they are the relation's rows."""

from __future__ import annotations

import random
import weakref
from collections.abc import Sequence

from barrier.epoch import Epoch
from server.result_cache import Versions
from server.row_pages import Row, RowPages
from server.wire.rows import EncodedRows
from server.wire.session_contract import RowBatch

MEBIBYTE = 1 << 20


class Relation:
    """Rows (name, value) of which a page reads those in a range of values."""

    def __init__(self, pages: RowPages, rows: Sequence[tuple[str, int]]) -> None:
        self.pages = pages
        self.rows = list(rows)
        self.epoch = 1
        self.reads = 0
        self.is_changing = False
        self.changes_while_read = False

    def versions(self) -> Versions:
        return None if self.is_changing else (Epoch(self.epoch),)

    def read(self, first: int, last: int, rows_max: int) -> Sequence[Row]:
        self.reads += 1
        found = [row for row in self.rows if first <= row[1] <= last][:rows_max]
        if self.changes_while_read:
            self.epoch += 1
        return found

    def find(self, value: int) -> list[str] | None:
        near = self.pages.find("relation", value, self.versions, self.read)
        return None if near is None else [str(name) for (name,) in near.rows]


def relation(count: int, bytes_max: int = 64 * MEBIBYTE) -> Relation:
    return Relation(
        RowPages(bytes_max, seconds=lambda: 0.0), [(f"row {n}", n) for n in range(count)]
    )


def test_neighbours_are_read_together() -> None:
    rows = relation(1000)
    assert rows.find(100) == ["row 100"]
    assert rows.find(101) == ["row 101"]
    assert rows.reads == 1


def test_a_value_that_no_row_has_gives_none_of_its_neighbours() -> None:
    assert relation(10).find(11) == []


def test_negative_values_are_found() -> None:
    rows = Relation(RowPages(MEBIBYTE, seconds=lambda: 0.0), [("below", -1), ("zero", 0)])
    assert (rows.find(-1), rows.find(0), rows.find(-300)) == (["below"], ["zero"], [])


def test_every_row_with_the_value_is_given() -> None:
    rows = Relation(RowPages(MEBIBYTE, seconds=lambda: 0.0), [("a", 5), ("b", 6), ("c", 5)])
    assert rows.find(5) == ["a", "c"]


def test_a_change_is_seen_at_once() -> None:
    rows = relation(10)
    rows.find(3)
    rows.rows[3] = ("changed", 3)
    rows.epoch += 1
    assert rows.find(3) == ["changed"]


def test_the_engine_is_asked_while_the_relation_is_changing() -> None:
    rows = relation(10)
    rows.find(3)
    rows.is_changing = True
    assert rows.find(3) is None


def test_rows_that_changed_while_they_were_read_are_not_given() -> None:
    rows = relation(10)
    rows.changes_while_read = True
    assert rows.find(3) is None
    rows.changes_while_read = False
    assert rows.find(3) == ["row 3"]


def test_a_value_of_too_many_rows_is_left_to_the_engine() -> None:
    rows = Relation(RowPages(MEBIBYTE, seconds=lambda: 0.0), [("same", 7)] * 5000)
    assert rows.find(7) is None
    assert rows.find(7) is None
    assert rows.reads == 1


def test_memory_is_bounded_and_what_was_dropped_is_read_again() -> None:
    rows = relation(20_000, bytes_max=MEBIBYTE)
    chance = random.Random(1)
    for _ in range(2000):
        value = chance.randrange(20_000)
        assert rows.find(value) == [f"row {value}"]
    assert rows.reads > 20_000 // 256


def test_without_memory_the_engine_is_asked() -> None:
    assert relation(10, bytes_max=0).find(3) is None


def test_empty_pages_take_room_too() -> None:
    rows = Relation(RowPages(8 * 1024), [("only", 0)])
    for number in range(300):
        rows.find(number * 256)
    assert len(rows.pages._order) < 100


def test_rows_too_large_to_be_read_together_are_left_to_the_engine() -> None:
    pages = RowPages(MEBIBYTE, seconds=lambda: 0.0)
    reads = 0

    def read(_first: int, _last: int, _rows_max: int) -> None:
        nonlocal reads
        reads += 1

    for _ in range(3):
        assert pages.find("large", 7, lambda: (Epoch(1),), read) is None
    assert reads == 1


def test_long_lists_are_counted_as_what_they_take() -> None:
    pages = RowPages(MEBIBYTE, seconds=lambda: 0.0)
    row: Row = (list(range(100_000)), 7)
    reads = 0

    def read(_first: int, _last: int, _rows_max: int) -> Sequence[Row]:
        nonlocal reads
        reads += 1
        return [row]

    for _ in range(3):
        found = pages.find("lists", 7, lambda: (Epoch(1),), read)
        assert found is not None
    assert reads == 3


def test_messages_are_kept_in_few_combinations_of_formats() -> None:
    rows = relation(10)

    def ask(number: int) -> weakref.ref[RowBatch]:
        near = rows.pages.find("relation", 3, rows.versions, rows.read)
        assert near is not None
        return weakref.ref(near.batch((number,), lambda found: EncodedRows([], [], found[:0])))

    kept = [ask(number) for number in range(100)]
    assert sum(reference() is not None for reference in kept) <= 2


def test_messages_that_were_asked_for_are_made_once() -> None:
    rows = relation(10)
    made: list[RowBatch] = []
    for _ in range(3):
        near = rows.pages.find("relation", 3, rows.versions, rows.read)
        assert near is not None
        made.append(near.batch((0,), lambda found: EncodedRows([], [], found[:0])))
    assert made[0] is made[1] is made[2]
