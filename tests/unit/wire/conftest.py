"""A listener whose sessions know a few statements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.listener import Listener
from tests.support.fake_session import FakeSessions
from tests.support.wire_client import WireClient


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


@pytest.fixture
def listener(sessions: FakeSessions) -> Iterator[Listener]:
    listener = Listener("127.0.0.1", 0, sessions.open)
    listener.start()
    yield listener
    listener.stop()


@pytest.fixture
def client(listener: Listener) -> Iterator[WireClient]:
    with WireClient(listener.address) as client:
        yield client
