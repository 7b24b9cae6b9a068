"""Programs that use what Python has for PostgreSQL and RisingWave, each in an environment of its own.

A directory below ``python/`` is an environment: what to install is in its ``requirements.txt``,
and each program in it is given the address of a database and says ``done`` when all held; what
begins with an underscore is imported by programs.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import Address

pytestmark = pytest.mark.clients

_PLACE = Path(__file__).parent / "python"
_PROGRAMS = sorted(_PLACE.glob("*/[!_]*.py"))

#: What only a server that speaks RisingWave's dialect can be asked.
_PEERS: Final = ("risingwave",)
#: The servers of ``address``; Tidegate alone speaks that dialect.
SIDES: Final = ("tidegate", "postgresql")


def _name(program: Path) -> str:
    return f"{program.parent.name}-{program.stem}"


def _environment(requirements: Path) -> Path:
    """Return the Python of an environment, made once for a version of its requirements."""
    wanted = requirements.read_bytes() + sys.version.encode()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "tidegate-clients" / hashlib.sha256(wanted).hexdigest()[:16]
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        venv.create(place, clear=True, with_pip=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--requirement", requirements],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"pip could not install the clients:\n{done.stderr}"
        (place / "complete").touch()
    return python


def _rounds() -> Iterator[object]:
    """Each program on each server that it speaks to."""
    for program in _PROGRAMS:
        is_peers = any(word in _name(program) for word in _PEERS)
        for side in SIDES[:1] if is_peers else SIDES:
            yield pytest.param(program, side, id=f"{_name(program)}-{side}")


@pytest.mark.parametrize(("program", "address"), list(_rounds()), indirect=["address"])
def test_a_program_does_its_work(program: Path, address: Address, tmp_path: Path) -> None:
    python = _environment(program.parent / "requirements.txt")
    done = subprocess.run(
        [python, program, address.url],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    said = done.stdout.splitlines()[-1:]
    assert (done.returncode, said) == (0, ["done"]), f"{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
