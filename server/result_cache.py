"""Results that are asked for again: their messages, for as long as the rows they read are the same.

An entry is good while no epoch has changed a relation that its query read; nothing expires by
time, and nothing is ever served that running the query again would not give.

A large result that was asked for once is on probation: it takes the place of others that are, and
never that of what has been asked for twice. (Segmented LRU: Karedla, Love, Wherry, Caching
Strategies to Improve Disk System Performance, IEEE Computer 27(3), 1994.)
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from barrier.epoch import Epoch
from server.wire.session_contract import RowBatch

#: The epochs that last changed the relations which a query reads, None while one is changing.
Versions: TypeAlias = tuple[Epoch, ...] | None

#: A larger result is on probation until it is asked for a second time.
_SMALL_BYTES_MAX: Final = 256 * 1024

#: A single result may take up to this part of the whole, and so may those that are being read.
_SHARE_MAX: Final = 0.5

#: What a result takes beside its rows, about.
_RESULT_BYTES: Final = 1024

#: Longer questions are not remembered.
_KEY_BYTES_MAX: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Kept:
    versions: Versions
    batches: Sequence[RowBatch]
    size: int


@dataclass(frozen=True, slots=True)
class Question:
    """What a result answers, for a cache that may know the answer.

    Attributes:
        cache: The server's.
        key: What the messages depend on, beside the formats and the rows that are read.
        versions: Tells of what versions the relations are that the query reads.
    """

    cache: ResultCache
    key: Hashable
    versions: Callable[[], Versions]

    def batches(
        self, formats: Sequence[int], run: Callable[[], Iterator[RowBatch]]
    ) -> Iterator[RowBatch]:
        """Yield the rows in the given formats, kept ones or, from ``run``, fresh ones."""
        return self.cache.batches((self.key, tuple(formats)), self.versions, run)


class ResultCache:
    """The results of one server, the least recently used go first; safe to use from any thread.

    What is on probation goes before all others.

    Args:
        bytes_max: How much memory their messages may take; 0 keeps none.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._on_probation: OrderedDict[Hashable, _Kept] = OrderedDict()
        #: What the kept results take, and those that are being read by somebody for the first time.
        self._size = 0
        self._coming = 0

    def batches(
        self,
        key: Hashable,
        versions: Callable[[], Versions],
        run: Callable[[], Iterator[RowBatch]],
    ) -> Iterator[RowBatch]:
        """Yield a query's rows, kept ones or fresh ones.

        Args:
            key: What the messages depend on, beside the rows that are read.
            versions: Tells of what versions the relations are that the query reads.
            run: Runs the query.
        """
        before = versions()
        if before is None or not self._bytes_max:
            yield from run()
            return
        if (found := self._find(key, before)) is not None:
            yield from found
            return
        size = _RESULT_BYTES + _weight(key)
        if size > _KEY_BYTES_MAX:
            yield from run()
            return
        limit = self._bytes_max * _SHARE_MAX
        coming = 0
        kept: list[RowBatch] | None = []
        try:
            for batch in run():
                if kept is not None:
                    more = batch.memory
                    if coming + more <= limit and self._reserve(more):
                        coming += more
                        kept.append(batch.kept())
                    else:
                        kept = None
                        self._release(coming)
                        coming = 0
                yield batch
                del batch  # One may be large: it goes before the next is computed.
        finally:
            self._release(coming)
        # Equal versions before and after are those that the query has read.
        if versions() == before and kept is not None:
            self._keep(key, _Kept(before, kept, size + coming))

    def _reserve(self, size: int) -> bool:
        """Count what is about to be kept, unless others keep so much already."""
        with self._lock:
            if self._coming + size > self._bytes_max * _SHARE_MAX:
                return False
            self._coming += size
            return True

    def _release(self, size: int) -> None:
        with self._lock:
            self._coming -= size

    def _find(self, key: Hashable, versions: Versions) -> Sequence[RowBatch] | None:
        with self._lock:
            kept = self._forget(key)
            if kept is None or kept.versions != versions:
                return None
            # Asked for again: it stays, as the one that was used last.
            self._kept[key] = kept
            self._size += kept.size
            return kept.batches

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        with self._lock:
            self._forget(key)
            place = self._kept if kept.size <= _SMALL_BYTES_MAX else self._on_probation
            place[key] = kept
            self._size += kept.size
            while self._size > self._bytes_max:
                first = self._on_probation or self._kept
                self._size -= first.popitem(last=False)[1].size

    def _forget(self, key: Hashable) -> _Kept | None:
        kept = self._kept.pop(key, None) or self._on_probation.pop(key, None)
        if kept is not None:
            self._size -= kept.size
        return kept


def _weight(key: Hashable) -> int:
    """Return about how many bytes a key takes."""
    own = sys.getsizeof(key)
    return own + sum(map(_weight, key)) if isinstance(key, tuple) else own
