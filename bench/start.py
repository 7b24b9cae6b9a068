"""How long a server takes to be up on an empty directory, and how much processor time of it."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

import click

from tests.support.server import running_server


@click.command()
@click.option("--starts", default=12, show_default=True, help="How often it is started.")
def main(starts: int) -> None:
    """Start servers one after the other; the first, which may compile modules, does not count."""
    measured = [_start() for _ in range(starts + 1)][1:]
    walls, processors = zip(*measured, strict=True)
    for what, seconds in (("until it is ready", walls), ("processor", processors)):
        print(f"{what}: best {min(seconds):.2f} s, median {statistics.median(seconds):.2f} s")


def _start() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as directory:
        began = time.perf_counter()
        with running_server(Path(directory) / "data") as server:
            return time.perf_counter() - began, _processor_seconds(server.process.pid)


def _processor_seconds(process_id: int) -> float:
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
