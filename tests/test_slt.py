"""Every script under slt/, by each way that statements and results can travel."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.support.server import Address
from tests.support.slt import Mode, Runner

SCRIPTS: Final = sorted((Path(__file__).parent / "slt").rglob("*.slt"))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_gets_its_answers(
    script: Path, mode: Mode, database: Address, request: pytest.FixtureRequest
) -> None:
    is_foreign = request.config.getoption("--server-url") is not None
    done = Runner(database, mode, frozenset({"postgresql" if is_foreign else "tidegate"})).run(
        script
    )
    assert done > 0 or is_foreign
