"""A session that says what it was answered in one word."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.support.background import Background
from tests.support.server import Address

#: How long something may take that should happen soon.
SOON_SECONDS = 15.0


class Session:
    """A connection with short methods."""

    def __init__(self, address: Address) -> None:
        self.database = address.database
        self.connection = address.connect()
        self.notices: list[str] = []
        self.connection.add_notice_handler(lambda n: self.notices.append(n.message_primary or ""))

    def run(self, *statements: str) -> str:
        """Run statements; the tag of the last."""
        tag = ""
        for statement in statements:
            tag = self.connection.execute(statement.encode()).statusmessage or ""
        return tag

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode()).fetchall()

    def value(self, query: str) -> Any:
        ((value,),) = self.rows(query)
        return value

    def fails(
        self,
        statement: str,
        error: type[psycopg.Error],
        message: str = "",
        *,
        has_hint: bool = False,
    ) -> None:
        """The statement fails with the error, whose message holds these words."""
        with pytest.raises(error) as refused:
            self.run(statement)
        assert message in str(refused.value)
        assert refused.value.diag.message_hint or not has_hint

    def waits(self, statement: str, seconds: float = 0.3) -> Background[str]:
        """The statement does not return soon."""
        waiting = Background(lambda: self.run(statement))
        waiting.assert_waits(seconds)
        return waiting

    def pause(self) -> None:
        self.run(f"ALTER DATABASE {self.database} PAUSE")

    def resume(self) -> None:
        self.run(f"ALTER DATABASE {self.database} RESUME")

    def close(self) -> None:
        self.connection.close()


def soon(condition: Callable[[], bool]) -> None:
    """The condition holds before long."""
    end = time.monotonic() + SOON_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
