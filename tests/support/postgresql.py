"""A PostgreSQL of the tests' own, as the judge of what a query means. Not every machine has one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.server import Address

_PLACES = ("/usr/lib/postgresql", "/usr/local", "/opt/homebrew/opt/postgresql")


def programs() -> Path | None:
    """The newest PostgreSQL's programs, or None."""
    found = [p.parent for place in _PLACES for p in Path(place).glob("**/bin/initdb")]
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).parent)
    return max(found, key=str, default=None)


@contextmanager
def running_postgresql(
    programs: Path,
    *,
    hba: str | None = None,
    files: Mapping[str, bytes] | None = None,
    **settings: str,
) -> Iterator[Address]:
    """A cluster on a free port of loopback, gone at the end.

    ``hba`` and ``files`` are put into its data directory, ``settings`` are those of its own.
    """
    directory = Path(tempfile.mkdtemp(prefix="tidegate-pg-"))
    # PostgreSQL refuses to run as root.
    runner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if runner:
        shutil.chown(directory, "postgres")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [*runner, str(programs / program), "-D", str(directory / "data"), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd="/")

    options = f"-p {port} -k {directory} -c listen_addresses=127.0.0.1 -c fsync=off -c timezone=UTC"
    options += "".join(f" -c {name}={value}" for name, value in settings.items())
    try:
        run(
            "initdb", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "postgres", "--no-sync"
        )
        data = directory / "data"
        for name, content in {
            **(files or {}),
            **({"pg_hba.conf": hba.encode()} if hba else {}),
        }.items():
            (data / name).write_bytes(content)
            (data / name).chmod(0o600)
            if runner:
                shutil.chown(data / name, "postgres")
        run("pg_ctl", "-o", options, "-l", str(directory / "log"), "-w", "start")
        try:
            yield Address("127.0.0.1", port, "postgres", "postgres")
        finally:
            run("pg_ctl", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
