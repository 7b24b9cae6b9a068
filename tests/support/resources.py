"""What a process holds, as the system counts it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Resources:
    """Threads, open files and memory of a process."""

    threads: int
    descriptors: int
    memory_mb: float

    @classmethod
    def of(cls, process_id: int) -> Self:
        process = Path("/proc") / str(process_id)
        (memory,) = (
            line.split()[1]
            for line in (process / "status").read_text().splitlines()
            if line.startswith("VmRSS:")
        )
        return cls(
            len(list((process / "task").iterdir())),
            len(list((process / "fd").iterdir())),
            int(memory) / 1024,
        )

    def has_no_more_than(self, other: Resources) -> bool:
        """Whether no thread and no open file has come since."""
        return self.threads <= other.threads and self.descriptors <= other.descriptors
