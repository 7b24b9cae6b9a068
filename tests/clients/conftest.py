"""Each client runs against a server of ours and against a PostgreSQL, with the same facts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.support.server import Address

_numbers = itertools.count(1)


@pytest.fixture(params=["tidegate", "postgresql"])
def address(request: pytest.FixtureRequest) -> Iterator[Address]:
    """A database of the test's own on either server."""
    server: Address = request.getfixturevalue(
        "server" if request.param == "tidegate" else "postgresql"
    )
    name = f"client_{next(_numbers)}"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield server.of_database(name)
    with server.connect() as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
