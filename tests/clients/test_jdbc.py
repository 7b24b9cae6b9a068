"""pgJDBC in each of its ways to ask."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.server import Address

pytestmark = pytest.mark.clients

_DRIVER = Path("/usr/share/java/postgresql.jar")
_PROGRAM = Path(__file__).parent / "jdbc" / "Client.java"


def test_the_driver_does_its_work(address: Address) -> None:
    assert shutil.which("java"), "Java is missing: run `make test-clients`"
    assert _DRIVER.exists(), f"{_DRIVER} is missing: run `make test-clients`"
    url = f"jdbc:postgresql://{address.host}:{address.port}/{address.database}?user={address.user}"
    done = subprocess.run(
        ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", _DRIVER, _PROGRAM, url],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
