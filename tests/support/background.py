"""Statements that wait: run in a thread, looked at from the test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 15.0


class Background(Generic[T]):
    """A call in a thread of its own."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._done = threading.Event()
        self._value: list[T] = []
        self._error: BaseException | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def assert_waits(self, seconds: float = 0.5) -> None:
        """The call must not have ended after so long."""
        if self._done.wait(seconds):
            raise AssertionError(f"it did not wait: {self._error or self._value!r}")

    def result(self, seconds: float = PATIENCE_SECONDS) -> T:
        """Return what the call returned, or raise what it raised."""
        assert self._done.wait(seconds), f"still waiting after {seconds} s"
        if self._error is not None:
            raise self._error
        return self._value[0]

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except BaseException as e:  # noqa: BLE001  # handed to whoever asks for the result
            self._error = e
        finally:
            self._done.set()
