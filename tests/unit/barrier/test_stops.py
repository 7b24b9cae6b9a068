"""An epoch that is stopped is whole or not there at all, and what follows it is not hurt."""

from __future__ import annotations

import random
import threading
import time

from barrier.duckdb_store import DuckdbStore
from barrier.epoch import Epoch
from barrier.prelude import Prelude
from catalog.errors import QueryCanceled

EPOCHS = 60


def test_what_is_told_to_have_been_stopped_is_not_committed() -> None:
    store = DuckdbStore(None, Prelude(), settings={"threads": "1"})
    attempt = store.attempt()
    attempt.run("CREATE TABLE r1 AS SELECT 0 AS a")
    attempt.commit(Epoch(1))
    is_over = threading.Event()

    def stop_now_and_then() -> None:
        rng = random.Random(1)
        while not is_over.is_set():
            time.sleep(rng.random() * 0.002)
            store.interrupt()

    stopper = threading.Thread(target=stop_now_and_then)
    stopper.start()
    reader = store.reader()
    committed, stopped = 1, 0
    try:
        for number in range(2, EPOCHS):
            attempt = store.attempt()
            try:
                attempt.run(f"INSERT INTO r1 SELECT {number} FROM range(5000)")
                attempt.commit(Epoch(number))
                committed = number
            except QueryCanceled:
                stopped += 1
                attempt.rollback()
            assert reader.rows("SELECT epoch FROM meta.state") == [(committed,)]
            assert reader.rows("SELECT max(a) FROM r1") == [(committed if committed > 1 else 0,)]
    finally:
        is_over.set()
        stopper.join()
    reader.close()
    store.close()
    assert 0 < stopped < EPOCHS - 2
