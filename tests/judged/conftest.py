"""A database of a real PostgreSQL for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.server import Address


@pytest.fixture
def judge(postgresql: Address) -> Iterator[Address]:
    """A database of PostgreSQL's for one test."""
    with postgresql.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS judged")
        connection.execute("CREATE DATABASE judged")
    yield postgresql.of_database("judged")
    with postgresql.connect() as connection:
        connection.execute("DROP DATABASE judged WITH (FORCE)")
