"""``tidegate`` that kills itself with SIGKILL at a step of a phase, as a power failure would.

``python -m tests.support.dying_server PHASE STEP FLAG serve ...``: once the file FLAG is there, the
process dies before the STEPth statement of that phase. Statements are those that reach the files:
each of an epoch's, its COMMIT and the moment after it, the pieces of a backfill, and so on.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from barrier import backup, cluster, duckdb_store, online_backup
from barrier.command import ChangeCatalog, CreateStreamingJob
from barrier.duckdb_reader import DuckdbReader
from barrier.duckdb_store import DuckdbAttempt, DuckdbStore
from barrier.executor import Executor
from barrier.message import (
    InjectBackfill,
    InjectCatchUp,
    InjectCommand,
    Injection,
    InjectMerge,
    InjectRefresh,
    InjectWrites,
)
from barrier.outcome import Outcome
from server.cli import main

#: What a server can die in.
PHASES = (
    "barrier",
    "queue",
    "definition",
    "creation",
    "backfill",
    "merge",
    "refresh",
    "catch-up",
    "pause",
    "backup",
    "cluster",
)


def phase_of(injection: Injection) -> str:
    """What an epoch is for."""
    match injection:
        case InjectWrites(writes=writes) if writes:
            return "barrier"
        case InjectCommand(command=ChangeCatalog()):
            return "definition"
        case InjectCommand(command=CreateStreamingJob()) | InjectBackfill():
            return "creation"
        case InjectCommand():
            return "pause"
        case InjectMerge():
            return "merge"
        case InjectRefresh():
            return "refresh"
        case InjectCatchUp():
            return "catch-up"
        case _:
            return ""


class Death:
    """Counts the steps that are left."""

    def __init__(self, phase: str, steps: int, flag: Path) -> None:
        self._phase = phase
        self._left = steps
        self._flag = flag
        self._lock = threading.Lock()
        self.epoch = ""

    def step(self, phase: str) -> None:
        if phase != self._phase or not self._flag.exists():
            return
        with self._lock:
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def before(
        self, owner: Any, name: str, phase: Callable[[], str], *, after: bool = False
    ) -> None:
        """Have a function take a step before it is called, and one after it."""
        original = getattr(owner, name)

        def stepping(*arguments: Any, **options: Any) -> Any:
            self.step(phase())
            result = original(*arguments, **options)
            if after:
                self.step(phase())
            return result

        setattr(owner, name, stepping)


def in_thread() -> str:
    """The phase of a reader's statement, by whose thread runs it."""
    name = threading.current_thread().name
    return "backfill" if name.startswith("backfill-") else "backup"


def arm(death: Death) -> None:
    perform = Executor.perform

    def performing(executor: Executor, injection: Injection, now_ms: int) -> Outcome:
        death.epoch = phase_of(injection)
        return perform(executor, injection, now_ms)

    setattr(Executor, "perform", performing)  # noqa: B010  # the type of a method is not a function's
    for name in ("run", "fill", "put_relation", "put_pause", "take_queued"):
        death.before(DuckdbAttempt, name, lambda: death.epoch)
    death.before(DuckdbAttempt, "commit", lambda: death.epoch, after=True)
    death.before(DuckdbReader, "run", in_thread)
    death.before(DuckdbReader, "commit", in_thread, after=True)
    death.before(duckdb_store, "put_queued", lambda: "queue", after=True)
    death.before(DuckdbStore, "queue", lambda: "queue", after=True)
    death.before(online_backup, "write_cluster", lambda: "backup", after=True)
    death.before(backup, "_proof", lambda: "backup")
    death.before(backup, "_sync", lambda: "backup", after=True)
    death.before(cluster, "write_cluster", lambda: "cluster", after=True)


if __name__ == "__main__":
    arm(Death(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
    sys.argv[1:4] = []
    main()
