"""Intervals as texts, in each of the four styles (PostgreSQL 15, chapter 8.5.5)."""

from __future__ import annotations

from server.value.interval import SECOND, Interval, interval_parts


def interval_text(interval: Interval, style: str = "postgres") -> str:
    """Return PostgreSQL's text of an interval in an IntervalStyle."""
    match style:
        case "postgres_verbose":
            return _verbose(interval)
        case "sql_standard":
            return _sql_standard(interval)
        case "iso_8601":
            return _iso_8601(interval)
        case _:
            return _postgres(interval)


def _postgres(interval: Interval) -> str:
    """A part after a negative one shows its sign."""
    years, months, days, *_ = interval_parts(interval)
    parts: list[str] = []
    is_after_negative = False
    for number, unit in ((years, "year"), (months, "mon"), (days, "day")):
        if number:
            plus = "+" if is_after_negative and number > 0 else ""
            parts.append(f"{plus}{number} {unit}{'' if number == 1 else 's'}")
            is_after_negative = number < 0
    if interval.microseconds or not parts:
        sign = "-" if interval.microseconds < 0 else "+" if is_after_negative else ""
        seconds, fraction = divmod(abs(interval.microseconds), SECOND)
        text = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        parts.append(text + _fraction(fraction))
    return " ".join(parts)


def _fraction(microseconds: int) -> str:
    return f".{microseconds:06d}".rstrip("0") if microseconds else ""


def _verbose(interval: Interval) -> str:
    *numbers, seconds, fraction = interval_parts(interval)
    text = "@"
    is_zero, is_before = True, False
    for number, unit in zip(numbers, ("year", "mon", "day", "hour", "min"), strict=True):
        if not number:
            continue
        if is_zero:
            is_before = number < 0
            shown = abs(number)
        else:
            shown = -number if is_before else number
        text += f" {shown} {unit}{'' if shown == 1 else 's'}"
        is_zero = False
    if seconds or fraction:
        text += " "
        if seconds < 0 or fraction < 0:
            if is_zero:
                is_before = True
            elif not is_before:
                text += "-"
        elif is_before:
            text += "-"
        text += f"{abs(seconds)}{_fraction(abs(fraction))}"
        text += f" sec{'' if abs(seconds) == 1 and not fraction else 's'}"
        is_zero = False
    return text + (" 0" if is_zero else "") + (" ago" if is_before else "")


def _sql_standard(interval: Interval) -> str:
    parts = interval_parts(interval)
    has_negative, has_positive = any(p < 0 for p in parts), any(p > 0 for p in parts)
    has_months, has_rest = any(parts[:2]), any(parts[2:])
    years, months, days, hours, minutes, seconds, fraction = (abs(part) for part in parts)
    clock = f"{hours}:{minutes:02d}:{seconds:02d}{_fraction(fraction)}"
    if not has_negative and not has_positive:
        return "0"
    if (has_negative and has_positive) or (has_months and has_rest):
        signs = ["-" if min(part) < 0 else "+" for part in (parts[:2], parts[2:3], parts[3:])]
        return f"{signs[0]}{years}-{months} {signs[1]}{days} {signs[2]}{clock}"
    sign = "-" if has_negative else ""
    if has_months:
        return f"{sign}{years}-{months}"
    return f"{sign}{days} {clock}" if days else f"{sign}{clock}"


def _iso_8601(interval: Interval) -> str:
    years, months, days, hours, minutes, seconds, fraction = interval_parts(interval)
    date = "".join(
        f"{number}{unit}" for number, unit in ((years, "Y"), (months, "M"), (days, "D")) if number
    )
    time = "".join(f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M")) if number)
    if seconds or fraction:
        minus = "-" if seconds < 0 or fraction < 0 else ""
        time += f"{minus}{abs(seconds)}{_fraction(abs(fraction))}S"
    if not date and not time:
        return "PT0S"
    return f"P{date}{'T' if time else ''}{time}"
