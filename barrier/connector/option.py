"""Values of options, checked when a source is created."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from catalog.connector import Connector
from catalog.errors import InvalidParameterValue

#: Milliseconds of each unit of a span of time.
_UNITS: Final = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1000),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
    **dict.fromkeys(("w", "week", "weeks"), 7 * 86_400_000),
}
_SPAN: Final = re.compile(r"\s*(\d+)\s*([a-z]*)")


def whole(
    connector: Connector, name: str, default: int, *, least: int = 0, most: int = 2**63 - 1
) -> int:
    """Return a whole number.

    Raises:
        InvalidParameterValue: It is none, or outside the bounds.
    """
    text = connector.option(name).strip()
    if not text:
        return default
    number = int(text) if re.fullmatch(r"[+-]?\d{1,30}", text) else None
    if number is None or not least <= number <= most:
        raise InvalidParameterValue(
            f'option "{name}" must be a whole number from {least} to {most}, but got: {text}'
        )
    return number


def number(connector: Connector, name: str, default: int) -> Decimal:
    """Return a number.

    Raises:
        InvalidParameterValue: It is none.
    """
    text = connector.option(name).strip() or str(default)
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or abs(value) >= Decimal(10) ** 38:
        raise InvalidParameterValue(f'option "{name}" must be a number, but got: {text}')
    return value


def span_ms(connector: Connector, name: str, default: int) -> int:
    """Return a span of time such as ``2h 37min`` in milliseconds; a bare number is of seconds.

    Raises:
        InvalidParameterValue: It is none.
    """
    text = connector.option(name).strip().lower()
    if not text:
        return default
    total = at = 0
    while at < len(text):
        found = _SPAN.match(text, at)
        unit = None if found is None else _UNITS.get(found[2] or "s")
        if found is None or unit is None or len(found[1]) > 12:
            raise InvalidParameterValue(
                f'option "{name}" must be a span of time such as "2h 37min", but got: {text}'
            )
        total += int(found[1]) * unit
        at = found.end()
    return total


def moment_ms(connector: Connector, name: str, default: int) -> int:
    """Return a time, written as RFC 3339 says, in milliseconds since 1970.

    Raises:
        InvalidParameterValue: It is none.
    """
    text = connector.option(name).strip()
    if not text:
        return default
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidParameterValue(
            f'option "{name}" must be a time such as "2024-01-31T12:00:00Z", but got: {text}'
        )
    return round(moment.timestamp() * 1000)


def choice(connector: Connector, name: str, known: tuple[str, ...]) -> str:
    """Return one of some words, the first where nothing is said.

    Raises:
        InvalidParameterValue: It is none of them.
    """
    text = connector.option(name).strip().lower() or known[0]
    if text not in known:
        listed = ", ".join(f'"{word}"' for word in sorted(known))
        raise InvalidParameterValue(f'option "{name}" must be one of {listed}, but got: {text}')
    return text
