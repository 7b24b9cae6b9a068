"""What tests share: one server in memory for a worker, and a fresh database for whoever asks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.postgresql import programs, running_postgresql
from tests.support.server import Address, Connection, ServerProcess, running_server

#: Starts a server on a data directory, or in memory without one.
Launch = Callable[[Path | None], ServerProcess]

_numbers = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--server-url", help="use this server (PostgreSQL, say) instead of starting one"
    )
    parser.addoption("--all", action="store_true", help="run slow tests and other clients too")
    parser.addoption("--clients", action="store_true", help="run clients of other languages too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only some runs have, and say so in pytest's own count."""
    if config.getoption("--all"):
        return
    left_out = ["slow"] if config.getoption("--clients") else ["slow", "clients"]
    others = [i for i in items if any(i.get_closest_marker(marker) for marker in left_out)]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[Address]:
    """A server that the tests of a worker share; whoever pauses it resumes it."""
    url = request.config.getoption("--server-url")
    if url:
        yield Address.of(url)
        return
    with running_server() as process:
        yield process.address


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Address]:
    """A PostgreSQL as the judge; ``make test`` installs one where it may."""
    found = programs()
    if found is None:
        pytest.fail("these tests ask a PostgreSQL server: install one (initdb was not found)")
    with running_postgresql(found) as address:
        yield address


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Start servers of the test's own; those that it leaves running are killed."""
    launched: list[ServerProcess] = []

    def start(data_dir: Path | None) -> ServerProcess:
        launched.append(ServerProcess(data_dir))
        launched[-1].start()
        return launched[-1]

    yield start
    for process in launched:
        if process.is_running:
            process.kill()


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
