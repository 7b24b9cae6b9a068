"""Single values of the configuration: each is checked where it stands, and refused by its name."""

from __future__ import annotations

from catalog.errors import PgError
from catalog.parameter_kind import Duration, parse_duration_ms


class ConfigError(Exception):
    """The configuration cannot be used; the message names the key and where it stands."""


def text(key: str, value: object, origin: str) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{origin}: {key} must be a text that is not empty")
    return value


def number(key: str, value: object, origin: str, *, low: int, high: int) -> int:
    """Return a whole number within bounds."""
    found: int | None = None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        found = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        found = value
    if found is None or not low <= found <= high:
        raise ConfigError(f"{origin}: {key} must be a whole number from {low} to {high}")
    return found


def boolean(key: str, value: object, origin: str) -> bool:
    """Return true or false."""
    match value:
        case bool():
            return value
        case str() if value.lower() in ("1", "on", "true", "yes"):
            return True
        case str() if value.lower() in ("0", "off", "false", "no"):
            return False
        case _:
            raise ConfigError(f"{origin}: {key} must be true or false")


def duration_ms(key: str, value: object, origin: str, *, unit: str = "ms") -> int:
    """Return a time in milliseconds; a bare number is in ``unit``."""
    written = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if written.isascii() and written.isdigit():
        written += unit
    try:
        return parse_duration_ms(Duration().canonical(key, written))
    except PgError as e:
        raise ConfigError(
            f'{origin}: {key} must be a time such as "30s" or "5min", not {value!r}'
        ) from e
