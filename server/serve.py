"""A running server: from its configuration to the ready line, and down again in order."""

from __future__ import annotations

import gc
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Final

from barrier.clock import SystemClock
from barrier.manager import BarrierManager
from barrier.prelude import Prelude, PythonFunction
from catalog.errors import PgError
from server.config import Config
from server.listener import Listener
from server.reception import Limits
from server.session import session_opener
from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.version import VERSION

USER: Final = "root"
DATABASE: Final = "dev"
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

#: How many more objects are made than freed before the collector looks.
_YOUNG_OBJECTS_MAX: Final = 50_000

_log = logging.getLogger(__name__)


class ServeError(Exception):
    """The server could not start; the message is one line for the person who started it."""


def serve_until_signal(config: Config) -> None:
    """Run a server in this process until SIGTERM or SIGINT; only the main thread may.

    Raises:
        ServeError: The data directory or the address cannot be used.
    """
    _configure_logging(config.log_level)
    _spare_the_collector()
    where = "memory" if config.data_dir is None else config.data_dir.resolve()
    _log.info("tidegate %s, data in %s", VERSION, where)
    stop = Event()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        _log.info("received %s", signal.Signals(number).name)
        stop.set()

    for number in STOP_SIGNALS:
        signal.signal(number, on_signal)
    with _running(config) as url:
        sys.stdout.write(f"tidegate {VERSION} ready: {url}\n")
        sys.stdout.flush()
        stop.wait()


@contextmanager
def _running(config: Config) -> Iterator[str]:
    """Give the address while the server runs; open sessions get 57P01 at the end."""
    manager = _open_manager(config)
    try:
        listener = _open_listener(config, manager)
        listener.start()
        try:
            yield f"postgresql://{USER}@{_url_host(config.host)}:{listener.port}/{DATABASE}"
        finally:
            listener.stop()
    finally:
        manager.close()
        _log.info("stopped")


def _open_manager(config: Config) -> BarrierManager:
    functions = tuple(PythonFunction(*function) for function in PYTHON_FUNCTIONS)
    settings = {"memory_limit": config.memory_limit, "threads": config.threads}
    try:
        return BarrierManager.open(
            config.data_dir,
            SystemClock(),
            Prelude(MACROS, functions),
            parameters=config.parameters,
            settings={name: str(value) for name, value in settings.items() if value is not None},
        )
    except PgError as e:
        raise ServeError(_one_line(e)) from e
    except OSError as e:
        raise ServeError(f"{config.data_dir}: {e.strerror or e}") from e


def _one_line(error: PgError) -> str:
    """Return an error for a person at a terminal: the message as a sentence, then the others."""
    sentences = (error.message + ".", error.detail, error.hint)
    return " ".join(" ".join(filter(None, sentences)).split())


def _open_listener(config: Config, manager: BarrierManager) -> Listener:
    clock = SystemClock()
    limits = Limits(connections_max=config.max_connections)
    try:
        return Listener(
            config.host, config.port, session_opener(manager, clock), limits=limits, clock=clock
        )
    except OSError as e:
        raise ServeError(f"{config.host}:{config.port}: {e.strerror or e}") from e


def _configure_logging(level: str) -> None:
    logging.basicConfig(
        stream=sys.stderr,
        level=level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    # It tells of every array index that it shifts.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)


def _spare_the_collector() -> None:
    """Let garbage collection pass over what was imported, and come less often.

    Parsing makes tens of thousands of nodes that refer to each other and are gone with their
    statement; looking at all of them again and again took a third of the time of a long INSERT.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS_MAX, 20, 20)


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
