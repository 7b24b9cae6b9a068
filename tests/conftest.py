"""What tests share: one server in memory for a worker, and a fresh database for whoever asks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.support.server import Address, Connection, running_server

_numbers = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--server-url", help="use this server (PostgreSQL, say) instead of starting one"
    )
    parser.addoption("--all", action="store_true", help="run slow tests too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out of the ordinary run, and say so in pytest's own count."""
    if config.getoption("--all"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[Address]:
    """A server that the tests of a worker share; whoever pauses it resumes it."""
    url = request.config.getoption("--server-url")
    if url:
        yield Address.of(url)
        return
    with running_server() as process:
        yield process.address


@pytest.fixture
def database(server: Address) -> Iterator[Address]:
    """A database of the test's own."""
    name = f"test_{next(_numbers)}"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield server.of_database(name)
    with server.connect() as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def connection(database: Address) -> Iterator[Connection]:
    """A session in the test's own database."""
    with database.connect() as connection:
        yield connection
