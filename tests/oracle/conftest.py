"""Hypothesis profiles: ``ci`` fits into `make test`, ``nightly`` looks for what is rare."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_COMMON = settings(
    deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, database=None
)
settings.register_profile("ci", _COMMON, max_examples=40, derandomize=True)
settings.register_profile("nightly", _COMMON, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
