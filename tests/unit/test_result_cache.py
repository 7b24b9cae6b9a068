"""A result is given again only while the rows it was computed from are the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from barrier.epoch import Epoch
from server.result_cache import ResultCache, Versions
from server.wire.blank_messages import FilledBatch
from server.wire.session_contract import RowBatch

MEBIBYTE = 1 << 20


@dataclass
class Rows:
    content: bytes
    rows: int = 1

    def data(self, start: int, stop: int) -> bytes:
        return self.content if stop > start else b""

    @property
    def memory(self) -> int:
        return len(self.content)

    def kept(self) -> Rows:
        return self


class Query:
    """Counts how often it is run; its rows are of the version at that time."""

    def __init__(self, cache: ResultCache, size: int = 10) -> None:
        self.cache = cache
        self.size = size
        self.version: Versions = (Epoch(1),)
        self.runs = 0

    def versions(self) -> Versions:
        return self.version

    def run(self) -> Iterator[RowBatch]:
        self.runs += 1
        yield Rows(repr(self.version).ljust(self.size).encode())

    def ask(self, key: str = "q") -> bytes:
        batches = self.cache.batches(key, self.versions, self.run)
        return b"".join(bytes(batch.data(0, batch.rows)) for batch in batches).rstrip()


def test_what_is_asked_again_is_not_run_again() -> None:
    query = Query(ResultCache(MEBIBYTE))
    assert query.ask() == query.ask() == b"(1,)"
    assert query.runs == 1


def test_a_new_version_is_run() -> None:
    query = Query(ResultCache(MEBIBYTE))
    query.ask()
    query.version = (Epoch(2),)
    assert query.ask() == b"(2,)"


def test_a_result_is_not_kept_when_its_rows_changed_while_it_ran() -> None:
    query = Query(ResultCache(MEBIBYTE))
    batches = query.cache.batches("q", query.versions, query.run)
    next(batches)
    query.version = (Epoch(2),)
    assert next(batches, None) is None
    assert query.ask() == b"(2,)"


def test_nothing_is_kept_or_given_while_a_relation_is_changing() -> None:
    query = Query(ResultCache(MEBIBYTE))
    query.ask()
    query.version = None
    query.ask()
    query.ask()
    assert query.runs == 3


def test_a_result_that_was_not_read_to_its_end_is_not_kept() -> None:
    query = Query(ResultCache(MEBIBYTE))
    next(query.cache.batches("q", query.versions, query.run))
    query.ask()
    assert query.runs == 2


def test_a_large_result_is_kept() -> None:
    query = Query(ResultCache(8 * MEBIBYTE), size=MEBIBYTE)
    for _ in range(4):
        query.ask()
    assert query.runs == 1


def test_large_results_that_nobody_asks_for_again_take_the_place_of_their_like_only() -> None:
    cache = ResultCache(8 * MEBIBYTE)
    large, small = Query(cache, size=MEBIBYTE), Query(cache)
    small.ask("small")
    large.ask("twice")
    large.ask("twice")
    for number in range(20):
        large.ask(f"once {number}")
    runs = large.runs
    large.ask("twice")
    small.ask("small")
    large.ask("once 19")
    assert (large.runs, small.runs) == (runs, 1)
    large.ask("once 3")
    assert large.runs == runs + 1
    assert cache._size <= 8 * MEBIBYTE


def test_a_result_larger_than_half_of_the_memory_is_never_kept() -> None:
    query = Query(ResultCache(MEBIBYTE), size=MEBIBYTE * 3 // 4)
    for _ in range(4):
        query.ask()
    assert query.runs == 4


def test_the_least_recently_used_result_goes_first() -> None:
    query = Query(ResultCache(MEBIBYTE), size=MEBIBYTE // 5)
    for key in "abcd":
        query.ask(key)
    query.ask("a")
    query.ask("e")
    query.ask("f")
    runs = query.runs
    query.ask("a")
    assert query.runs == runs
    query.ask("b")
    assert query.runs == runs + 1


def test_without_memory_nothing_is_kept() -> None:
    query = Query(ResultCache(0))
    query.ask()
    query.ask()
    assert query.runs == 2


def test_small_results_take_what_their_questions_take() -> None:
    cache = ResultCache(MEBIBYTE)
    query = Query(cache, size=1)
    for number in range(2000):
        query.ask(f"SELECT {number}".ljust(2000))
    assert len(cache._kept) < MEBIBYTE // 3000


def test_a_very_long_question_is_not_remembered() -> None:
    query = Query(ResultCache(8 * MEBIBYTE))
    query.ask("q" * MEBIBYTE)
    query.ask("q" * MEBIBYTE)
    assert query.runs == 2


def test_many_results_that_are_read_at_once_are_not_all_kept() -> None:
    cache = ResultCache(4 * MEBIBYTE)
    query = Query(cache, size=MEBIBYTE)
    keys = [f"q{number}" for number in range(8)]
    for key in keys:
        query.ask(key)
    reading = [cache.batches(key, query.versions, query.run) for key in keys]
    for batches in reading:
        next(batches)
    assert cache._coming <= 2 * MEBIBYTE
    for batches in reading:
        assert next(batches, None) is None
    assert cache._coming == 0


def test_what_messages_of_the_engine_take_is_their_bytes_and_a_number_for_each() -> None:
    messages = np.frombuffer(b"D\0\0\0\4" * 1000, dtype=np.uint8)
    batch = FilledBatch(messages, np.arange(0, 5001, 5))
    assert batch.memory == batch.kept().memory == len(batch.data(0, 1000)) + 1001 * 8
