"""The server of the tour: a process of its own, so that it is measured from outside."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_READY: Final = re.compile(r"^tidegate \S+ ready: (?P<url>postgresql://\S+)$")
_STOP_SECONDS: Final = 10


class ServerDidNotStartError(Exception):
    """The message is what the server said last."""


@contextmanager
def running_server(port: int) -> Iterator[str]:
    """Run a server in memory for a ``with`` block and give its address.

    Raises:
        ServerDidNotStartError: It ended instead of becoming ready.
    """
    command = [sys.executable, "-P", "-m", "server", "serve", "--ephemeral"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(  # noqa: S603  # every word of it is ours
            [*command, "--port", str(port), "--log-level", "warning"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        try:
            ready = _READY.match(process.stdout.readline().rstrip("\n"))
            if ready is None:
                process.wait(_STOP_SECONDS)
                log.seek(0)
                raise ServerDidNotStartError(log.read().strip() or "the server said nothing")
            yield ready["url"]
        finally:
            _stop(process)
            process.stdout.close()


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
