"""A running server: from its configuration to the ready line, and down again in order."""

from __future__ import annotations

import faulthandler
import gc
import logging
import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from threading import Event, Thread
from types import FrameType
from typing import Final

from barrier.backup import remove_unfinished
from barrier.clock import SystemClock
from barrier.manager import BarrierManager
from barrier.prelude import Prelude
from catalog.errors import PgError
from server.config import Config
from server.descriptors import allow_connections
from server.hba import Method, is_loopback
from server.memory import engine_limit, memory_bytes
from server.serve_error import ServeError
from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.version import VERSION
from server.wire.scram import SALT_BYTES, Verifier

USER: Final = "root"
DATABASE: Final = "dev"

_BY_PASSWORD: Final = (Method.SCRAM, Method.PASSWORD)

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

#: How many more objects are made than freed before the collector looks.
_YOUNG_OBJECTS_MAX: Final = 50_000

_log = logging.getLogger(__name__)


def serve_until_signal(config: Config) -> None:
    """Run a server in this process until SIGTERM or SIGINT; only the main thread may.

    Raises:
        ServeError: The data directory or the address cannot be used.
    """
    _configure_logging(config.log_level)
    faulthandler.enable()  # Should the engine take the process down, the log says where.
    allow_connections(config.connections_max)
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
    with _importing("server.front"):
        manager = _open_manager(config)
    manager.backup_root = config.backup_root
    if config.backup_root is not None:
        remove_unfinished(config.backup_root)
    try:
        _give_first_password(config, manager)
        _tell_of_strangers(config, manager)
        from server.front import open_listener

        _spare_the_collector()
        listener = open_listener(config, manager)
        listener.start()
        manager.tell_address(f"{config.host} {listener.port}")
        try:
            yield f"postgresql://{USER}@{_url_host(config.host)}:{listener.port}/{DATABASE}"
        finally:
            listener.stop()
    finally:
        manager.close()
        _log.info("stopped")


@contextmanager
def _importing(module: str) -> Iterator[None]:
    """Import a module on another thread: the engine opens files without the interpreter."""
    importing = Thread(target=import_module, args=(module,), name="imports")
    importing.start()
    try:
        yield
    finally:
        importing.join()


def _open_manager(config: Config) -> BarrierManager:
    memory_limit = config.memory_limit or engine_limit(memory_bytes())
    settings = {"memory_limit": memory_limit, "threads": config.threads}
    try:
        return BarrierManager.open(
            config.data_dir,
            SystemClock(),
            Prelude(MACROS, PYTHON_FUNCTIONS),
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


def _give_first_password(config: Config, manager: BarrierManager) -> None:
    """Give root the password that was configured, unless somebody gave him one before."""
    password = config.password
    if config.password_file is not None:
        try:
            password = config.password_file.read_text().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as e:
            raise ServeError(f"password_file {config.password_file}: {e}") from e
        if not password:
            raise ServeError(f"password_file {config.password_file} is empty")
    user = manager.user(USER)
    if password is None or user is None:
        return
    if user.verifier is not None:
        _log.info('user "%s" has a password already, the configured one is passed over', USER)
        return
    verifier = str(Verifier.of(password, secrets.token_bytes(SALT_BYTES)))
    manager.alter_user(USER, lambda user: replace(user, verifier=verifier))


def _tell_of_strangers(config: Config, manager: BarrierManager) -> None:
    """Say in one line what a server that others can reach asks of them."""
    if is_loopback(config.host):
        return
    methods = ", ".join(dict.fromkeys(rule.method for rule in config.rules))
    _log.info("others can reach %s; whoever connects must pass: %s", config.host, methods)
    wants_passwords = any(rule.method in _BY_PASSWORD for rule in config.rules)
    if wants_passwords and all(user.verifier is None for user in manager.users()):
        _log.warning(
            "nobody has a password yet: start once with --password-file or TIDEGATE_PASSWORD, "
            "or say ALTER USER %s PASSWORD '...' to a server on a loopback address",
            USER,
        )


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
    gc.enable()
    gc.set_threshold(_YOUNG_OBJECTS_MAX, 20, 20)


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
