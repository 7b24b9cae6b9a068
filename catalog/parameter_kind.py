"""What values a parameter may have, and how each is shown (PostgreSQL 15, chapter 20.1).

``canonical`` takes what the user wrote and returns what SHOW prints; the messages are PostgreSQL's
own. ``parse_*`` read a canonical value back where the program wants a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Protocol

from catalog.errors import CannotChangeParameter, FeatureNotSupported, InvalidParameterValue

INT4_MAX: Final = 2**31 - 1

_NUMBER: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*([A-Za-z]*)\s*\Z")
_UNITS_MS: Final = {
    "us": Decimal("0.001"),
    "ms": Decimal(1),
    "s": Decimal(1000),
    "min": Decimal(60_000),
    "h": Decimal(3_600_000),
    "d": Decimal(86_400_000),
}
_UNITS_KB: Final = {
    "B": Decimal(1) / 1024,
    "kB": Decimal(1),
    "MB": Decimal(1024),
    "GB": Decimal(1024**2),
    "TB": Decimal(1024**3),
}
_TRUE: Final = ("true", "yes", "on", "1")
_FALSE: Final = ("false", "no", "off", "0")


class Kind(Protocol):
    """The values of one parameter."""

    def canonical(self, name: str, text: str) -> str:
        """Return the value as SHOW prints it.

        Raises:
            InvalidParameterValue: It is not a value of this parameter.
            FeatureNotSupported: PostgreSQL has the value, this server does not.
            CannotChangeParameter: The parameter has one value.
        """
        ...


@dataclass(frozen=True, slots=True)
class Boolean:
    """On or off, in all of PostgreSQL's spellings and their unique beginnings."""

    #: How true and false are shown; system parameters print as the peer does.
    shown: tuple[str, str] = ("on", "off")

    def canonical(self, name: str, text: str) -> str:
        wanted = text.strip().lower()
        if wanted and wanted != "o":
            if any(word.startswith(wanted) for word in _TRUE):
                return self.shown[0]
            if any(word.startswith(wanted) for word in _FALSE):
                return self.shown[1]
        raise InvalidParameterValue(f'parameter "{name}" requires a Boolean value')


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number between two bounds; of milliseconds where it is a time, in any unit then."""

    least: int = 0
    most: int = INT4_MAX
    is_ms: bool = False

    def canonical(self, name: str, text: str) -> str:
        match = _NUMBER.match(text)
        if match is None or (match[2] and not self.is_ms):
            raise _invalid(name, text)
        number = Decimal(match[1]) * _factor_ms(name, text, match[2])
        if number != number.to_integral_value():
            raise _invalid(name, text)
        if not self.least <= number <= self.most:
            unit = " ms" if self.is_ms else ""
            raise InvalidParameterValue(
                f'{int(number)}{unit} is outside the valid range for parameter "{name}" '
                f"({self.least} .. {self.most})"
            )
        return str(int(number))


@dataclass(frozen=True, slots=True)
class Duration:
    """A time; a bare number is milliseconds. Shown in the largest unit that divides it."""

    def canonical(self, name: str, text: str) -> str:
        match = _NUMBER.match(text)
        if match is None:
            raise _invalid(name, text)
        ms = int((Decimal(match[1]) * _factor_ms(name, text, match[2])).to_integral_value())
        if not 0 <= ms <= INT4_MAX:
            raise InvalidParameterValue(
                f'{ms} ms is outside the valid range for parameter "{name}" (0 .. {INT4_MAX})'
            )
        return show_duration(ms)


@dataclass(frozen=True, slots=True)
class Real:
    """A number between two bounds."""

    least: float
    most: float

    def canonical(self, name: str, text: str) -> str:
        try:
            number = float(text)
        except ValueError:
            raise _invalid(name, text) from None
        if not self.least <= number <= self.most:
            raise InvalidParameterValue(
                f'{number:g} is outside the valid range for parameter "{name}" '
                f"({self.least:g} .. {self.most:g})"
            )
        return f"{number:g}"


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of memory, in blocks of so many kilobytes; shown in the largest unit that fits."""

    least: int
    most: int
    block_kb: int = 1

    def canonical(self, name: str, text: str) -> str:
        match = _NUMBER.match(text)
        if match is None:
            raise _invalid(name, text)
        number = Decimal(match[1])
        if match[2]:
            if match[2] not in _UNITS_KB:
                raise InvalidParameterValue(
                    f'invalid value for parameter "{name}": "{text}"',
                    hint='Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".',
                )
            number = number * _UNITS_KB[match[2]] / self.block_kb
        blocks = int(number.to_integral_value())
        if not self.least <= blocks <= self.most:
            unit = "kB" if self.block_kb == 1 else f"{self.block_kb}kB"
            raise InvalidParameterValue(
                f'{blocks} {unit} is outside the valid range for parameter "{name}" '
                f"({self.least} .. {self.most})"
            )
        return self._shown(blocks)

    def _shown(self, blocks: int) -> str:
        if blocks == 0:
            return "0"
        kb = blocks * self.block_kb
        unit = next(u for u in ("TB", "GB", "MB", "kB") if kb % int(_UNITS_KB[u]) == 0)
        return f"{kb // int(_UNITS_KB[unit])}{unit}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words."""

    values: tuple[str, ...]
    #: Words that mean one of ``values``.
    aliases: Mapping[str, str] = field(default_factory=dict)

    def canonical(self, name: str, text: str) -> str:
        word = text.strip().lower()
        word = self.aliases.get(word, word)
        if word in self.values:
            return word
        raise InvalidParameterValue(
            f'invalid value for parameter "{name}": "{text}"',
            hint=f"Available values: {', '.join(self.values)}.",
        )


@dataclass(frozen=True, slots=True)
class Fixed:
    """A parameter that PostgreSQL lets a user change and that has only one value here."""

    value: str
    #: Other spellings of the value, in lower case.
    aliases: tuple[str, ...] = ()

    def canonical(self, name: str, text: str) -> str:
        word = text.strip().lower()
        if word == self.value.lower() or word in self.aliases:
            return self.value
        raise FeatureNotSupported(
            f'value "{text}" of parameter "{name}" is not supported',
            hint=f'The only value is "{self.value}".',
        )


@dataclass(frozen=True, slots=True)
class Internal:
    """A parameter that tells something and that nobody may change."""

    def canonical(self, name: str, text: str) -> str:  # noqa: ARG002
        raise CannotChangeParameter(f'parameter "{name}" cannot be changed')


@dataclass(frozen=True, slots=True)
class Text:
    """Any text."""

    def canonical(self, name: str, text: str) -> str:  # noqa: ARG002
        return text


@dataclass(frozen=True, slots=True)
class KindDescription:
    """A kind as pg_settings tells of it."""

    vartype: str
    unit: str | None = None
    least: int | None = None
    most: int | None = None
    values: tuple[str, ...] | None = None


def describe_kind(kind: Kind) -> KindDescription:
    """Return what pg_settings tells of a kind."""
    match kind:
        case Boolean():
            return KindDescription("bool")
        case Integer(least, most, is_ms):
            return KindDescription("integer", "ms" if is_ms else None, least, most)
        case Duration():
            return KindDescription("integer", "ms", 0, INT4_MAX)
        case Real():
            return KindDescription("real")
        case Size(least, most, block_kb):
            unit = "kB" if block_kb == 1 else f"{block_kb}kB"
            return KindDescription("integer", unit, least, most)
        case Choice(values):
            return KindDescription("enum", values=values)
        case Fixed(value):
            return KindDescription("enum", values=(value,))
        case _:
            return KindDescription("string")


def setting_text(kind: Kind, shown: str) -> str:
    """Return a value as pg_settings tells it: without its unit, which has its own column."""
    if isinstance(kind, Duration) and shown != "0":
        return str(parse_duration_ms(shown))
    if isinstance(kind, Size) and (match := _NUMBER.match(shown)) is not None and match[2]:
        return str(int(Decimal(match[1]) * _UNITS_KB[match[2]]) // kind.block_kb)
    return shown


def show_duration(ms: int) -> str:
    """Return milliseconds in the largest unit that divides them; zero has none."""
    if ms == 0:
        return "0"
    for unit, factor in reversed(_UNITS_MS.items()):
        if factor >= 1 and ms % int(factor) == 0:
            return f"{ms // int(factor)}{unit}"
    raise AssertionError(ms)


def parse_duration_ms(shown: str) -> int:
    """Return the milliseconds of what ``show_duration`` printed."""
    match = _NUMBER.match(shown)
    assert match is not None, shown
    return int(Decimal(match[1]) * _UNITS_MS[match[2] or "ms"])


def _factor_ms(name: str, text: str, unit: str) -> Decimal:
    """Return how many milliseconds a unit has; none is milliseconds.

    Raises:
        InvalidParameterValue: There is no such unit.
    """
    factor = _UNITS_MS.get(unit or "ms")
    if factor is None:
        raise InvalidParameterValue(
            f'invalid value for parameter "{name}": "{text}"',
            hint='Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".',
        )
    return factor


def _invalid(name: str, text: str) -> InvalidParameterValue:
    return InvalidParameterValue(f'invalid value for parameter "{name}": "{text}"')
