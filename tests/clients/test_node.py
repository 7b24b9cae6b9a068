"""The drivers of Node.js: node-postgres with its streams, and postgres.js."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.server import Address

pytestmark = pytest.mark.clients

_PROGRAMS = Path(__file__).parent / "node"


@pytest.fixture(scope="session")
def modules() -> Path:
    """The drivers, installed once for a version of ``package.json`` and kept outside the tree."""
    wanted = (_PROGRAMS / "package.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "tidegate-clients" / hashlib.sha256(wanted).hexdigest()[:16]
    if not (place / "complete").exists():
        npm = shutil.which("npm")
        assert npm is not None, "npm is missing: run `make test-clients`"
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_bytes(wanted)
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--no-package-lock"],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"npm could not install the drivers:\n{done.stderr}"
        (place / "complete").touch()
    return place


@pytest.mark.parametrize("program", sorted(_PROGRAMS.glob("*.mjs")), ids=lambda path: path.stem)
def test_a_driver_does_its_work(program: Path, modules: Path, address: Address) -> None:
    # Modules are looked for beside the program.
    copy = modules / f"{os.getpid()}-{program.name}"
    copy.write_bytes(program.read_bytes())
    try:
        done = subprocess.run(
            ["node", copy, address.url], capture_output=True, text=True, timeout=60, check=False
        )
    finally:
        copy.unlink()
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
