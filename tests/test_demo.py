"""The guided tour from end to end, as a build would run it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.server import REPOSITORY


@pytest.mark.slow
def test_the_tour_ends_well() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "server", "demo", "--exit", "--port", "0"],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 of 8 views equal their queries" in done.stdout
