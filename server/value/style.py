"""What a session has set about how values are read and shown (PostgreSQL 15, chapter 20.11)."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from server.value.fixed_zone import named_offset

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _no_clock() -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Style:
    """A session's choices.

    Attributes:
        date_output: ISO, SQL, Postgres or German.
        date_order: MDY, DMY or YMD.
        interval_output: postgres, postgres_verbose, sql_standard or iso_8601.
        bytea_output: hex or escape.
        float_digits: From 1 on floats are shown by the shortest text that gives them again.
        is_peer: Whether times have three or six digits of a fraction, and zones their minutes, as
            RisingWave shows them.
        zone_name: The session's time zone.
        now_us: The present in microseconds since 1970, for ``now``, ``today`` and zones of times.
    """

    date_output: str = "ISO"
    date_order: str = "MDY"
    interval_output: str = "postgres"
    bytea_output: str = "hex"
    float_digits: int = 1
    is_peer: bool = False
    zone_name: str = "UTC"
    now_us: Callable[[], int] = field(default=_no_clock, compare=False, repr=False)

    @property
    def zone(self) -> tzinfo:
        """The session's time zone."""
        return zone_of(self.zone_name) or UTC

    def now(self) -> datetime:
        """Return the present as the session's zone has it."""
        return (_EPOCH + timedelta(microseconds=self.now_us())).astimezone(self.zone)

    @property
    def key(self) -> str:
        """The style as a text, as it stands in statements; the clock is not part of it."""
        return (
            f"{self.date_output} {self.date_order} {self.interval_output} {self.bytea_output}"
            f" {self.float_digits} {int(self.is_peer)} {self.zone_name}"
        )


def style_of(key: str, now_us: Callable[[], int] = _no_clock) -> Style:
    """Return the style of a key."""
    date, order, interval, bytea, digits, is_peer, zone = key.split(" ", 6)
    return Style(date, order, interval, bytea, int(digits), is_peer == "1", zone, now_us)


DEFAULT_STYLE: Final = Style()

_style: ContextVar[Style] = ContextVar("style", default=DEFAULT_STYLE)


def current_style() -> Style:
    """Return the style of the session that this thread works for."""
    return _style.get()


def use_style(style: Style) -> None:
    """Let what this thread reads and shows from now on be in that style."""
    _style.set(style)


def zone_of(name: str) -> tzinfo | None:
    """Return the zone of a name in the engine's spelling; None where the machine has no rules."""
    if name in {"UTC", "Etc/UTC", "GMT"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return named_offset(name)


def fixed_zone(offset: int) -> tzinfo:
    """Return the zone that is always so many seconds east of Greenwich."""
    return timezone(timedelta(seconds=offset))
