"""What the tests of facts share: two sessions of a database of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.facts.session import Session
from tests.support.server import Address


@pytest.fixture
def one(database: Address) -> Iterator[Session]:
    with closing(Session(database)) as session:
        yield session


@pytest.fixture
def two(database: Address) -> Iterator[Session]:
    with closing(Session(database)) as session:
        yield session


@pytest.fixture(autouse=True)
def flowing(server: Address) -> Iterator[None]:
    """Whatever a test does to the system, the next finds it flowing."""
    yield
    with closing(Session(server)) as session:
        session.run("ALTER SYSTEM RESUME")
