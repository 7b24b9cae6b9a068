"""The judge, for those tests that want one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgresql import programs, running_postgresql
from tests.support.server import Address


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Address]:
    """A PostgreSQL; where there is none, its tests are skipped."""
    found = programs()
    if found is None:
        pytest.skip("no PostgreSQL on this machine")
    with running_postgresql(found) as address:
        yield address
