"""Sessions without a network, over a server in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from barrier.clock import SystemClock
from barrier.manager import BarrierManager
from barrier.prelude import Prelude
from server.session import Session
from server.session_opener import session_opener
from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.wire.startup import StartupParameters
from tests.support.session_client import Client


@pytest.fixture(scope="module")
def manager() -> Iterator[BarrierManager]:
    opened = BarrierManager.open(
        None, SystemClock(), Prelude(MACROS, PYTHON_FUNCTIONS), settings={"threads": "1"}
    )
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def open_session(manager: BarrierManager) -> Callable[[StartupParameters], Session]:
    return session_opener(manager, SystemClock())


@pytest.fixture
def connect(open_session: Callable[[StartupParameters], Session]) -> Iterator[Callable[[], Client]]:
    clients: list[Client] = []

    def make() -> Client:
        startup = StartupParameters("root", "dev", {}, len(clients) + 1, "127.0.0.1")
        clients.append(Client(open_session(startup)))
        return clients[-1]

    yield make
    for client in clients:
        client.session.close()


@pytest.fixture
def client(connect: Callable[[], Client], request: pytest.FixtureRequest) -> Client:
    """A client in a schema of its own."""
    made = connect()
    schema = request.node.name.replace("[", "_").replace("]", "_").lower()[:50]
    made.run(f'CREATE SCHEMA "{schema}"')
    made.run(f'SET search_path TO "{schema}"')
    made.notices.clear()
    return made
