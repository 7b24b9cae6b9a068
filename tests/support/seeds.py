"""Seeds of random tests: a few for every run, more for the slow one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def seeds(
    quick: int, thorough: int, parameter: Callable[[int], object] = lambda seed: seed
) -> list[Any]:
    """Return parameters made of the seeds from 0 on; those that are not quick are marked as slow.

    Args:
        quick: How many seeds every run has.
        thorough: How many the slow run has.
        parameter: Makes the parameter of a seed; by default it is the seed.
    """
    return [
        pytest.param(
            parameter(seed),
            marks=() if seed < quick else pytest.mark.slow,
            id=f"seed-{seed}",
        )
        for seed in range(thorough)
    ]
