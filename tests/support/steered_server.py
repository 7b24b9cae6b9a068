"""``tidegate`` whose wall clock a test sets: ``python -m tests.support.steered_server FILE serve ...``.

The file holds how many milliseconds the clock is ahead (or behind, when negative); it is read whenever
the clock is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from barrier.clock import SystemClock
from server.cli import main


def steer(file: Path) -> None:
    """Have every clock of the process show what the file says."""
    true_ms = SystemClock.now_ms

    def now_ms(clock: SystemClock) -> int:
        return true_ms(clock) + int(file.read_text())

    SystemClock.now_ms = now_ms  # type: ignore[method-assign, assignment]  # it is to be another


if __name__ == "__main__":
    steer(Path(sys.argv.pop(1)))
    main()
