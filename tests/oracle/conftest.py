"""Hypothesis profiles: ``ci`` fits into `make test`, ``nightly`` looks for what is rare."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
}
settings.register_profile("ci", max_examples=120, derandomize=True, **_COMMON)
settings.register_profile("nightly", max_examples=5000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
