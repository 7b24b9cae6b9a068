"""What simulations share: real time decides nothing, so that a seed always does the same."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, what is little is filled in the barrier of its CREATE."""
    monkeypatch.setattr("barrier.executor._MS_IN_BARRIER", 600_000)
