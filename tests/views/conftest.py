"""The judge, for those tests that want one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgresql import programs, running_postgresql
from tests.support.server import Address


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Address]:
    """A PostgreSQL; ``make test`` installs one where it may."""
    found = programs()
    if found is None:
        pytest.fail("these tests ask a PostgreSQL server: install one (initdb was not found)")
    with running_postgresql(found) as address:
        yield address
