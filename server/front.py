"""What clients meet: the listener, and all that sessions need.

Importing it is most of a start's work, so it is imported while the engine opens the databases.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from barrier.clock import Clock, SystemClock
from barrier.interrupt import Interrupt
from barrier.manager import BarrierManager
from server.authentication import Gate
from server.channel import Tls
from server.config import Config
from server.execute.temporary import drop_remains
from server.listener import Listener
from server.memory import Room, memory_bytes
from server.reception import Limits
from server.serve_error import ServeError
from server.session_opener import session_opener
from server.sessions import CACHE_BYTES_MAX

#: How many connections are kept for superusers when nothing else is said.
RESERVED: Final = 3


def open_listener(config: Config, manager: BarrierManager) -> Listener:
    """Return a listener that is bound and not yet started.

    Raises:
        ServeError: The address or the certificate cannot be used.
    """
    clock = SystemClock()
    drop_remains(manager, Interrupt(clock))
    try:
        return Listener(
            config.host,
            config.port,
            session_opener(
                manager,
                clock,
                config.session_defaults,
                cache_bytes_max=_cache_bytes(config),
                facts=config.facts,
            ),
            limits=_limits(config),
            clock=clock,
            gate=Gate(config.rules, manager.user, bytes.fromhex(manager.cluster.secret), clock),
            tls=_tls(config, clock),
            room=Room(memory_bytes()),
        )
    except OSError as e:
        raise ServeError(f"{config.host}:{config.port}: {e.strerror or e}") from e


def _cache_bytes(config: Config) -> int:
    if config.cache_bytes_max is not None:
        return config.cache_bytes_max
    machine = memory_bytes()
    return CACHE_BYTES_MAX if machine is None else min(CACHE_BYTES_MAX, machine // 16)


def _limits(config: Config) -> Limits:
    reserved = config.connections_reserved
    if reserved is None:
        reserved = min(RESERVED, config.connections_max - 1)
    return Limits(
        config.connections_max,
        reserved,
        config.authentication_timeout,
        config.message_bytes_max,
    )


def _tls(config: Config, clock: Clock) -> Tls | None:
    if not config.has_tls:
        return None
    # Certificates are read and made by a library that others need not wait for.
    from server.tls import TlsError, from_files, self_signed

    try:
        if config.tls_cert is not None and config.tls_key is not None:
            return from_files(config.tls_cert, config.tls_key)
        now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
        return self_signed(config.data_dir, config.host, now)
    except TlsError as e:
        raise ServeError(str(e)) from e
