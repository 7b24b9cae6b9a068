"""The values of DateStyle: how dates are shown, and which of two numbers is the month."""

from __future__ import annotations

from typing import Final

from catalog.errors import InvalidParameterValue

#: By the beginning of a word.
_OUTPUTS: Final = {"iso": "ISO", "sql": "SQL", "postgres": "Postgres", "german": "German"}


def date_style(text: str, now: str, at_reset: str) -> str:
    """Return a value as SHOW prints it; what the text leaves open stays as it is.

    Args:
        text: What a user wrote, words with commas between them.
        now: The value until now.
        at_reset: What ``DEFAULT`` stands for.

    Raises:
        InvalidParameterValue: It is not a value, or contradicts itself.
    """
    output: str | None = None
    order: str | None = None
    order_given: str | None = None
    for word in (part.strip().strip('"').lower() for part in text.split(",")):
        if word == "default":
            given = at_reset.split(", ")
            output, order = output or given[0], order or given[1]
            continue
        if (found := _output(word)) is not None:
            if output not in (None, found):
                raise _invalid(text, 'Conflicting "datestyle" specifications.')
            output = found
            if found == "German" and order_given is None:
                order = "DMY"
        elif (chosen := _order(word)) is not None:
            if order_given not in (None, chosen):
                raise _invalid(text, 'Conflicting "datestyle" specifications.')
            order = order_given = chosen
        else:
            raise _invalid(text, f'Unrecognized key word: "{word}".')
    before = now.split(", ")
    return f"{output or before[0]}, {order or before[1]}"


def _output(word: str) -> str | None:
    for start, name in _OUTPUTS.items():
        if word.startswith(start):
            return name
    return None


def _order(word: str) -> str | None:
    if word.startswith(("euro", "dmy")):
        return "DMY"
    if word.startswith(("noneuro", "us", "mdy")):
        return "MDY"
    return "YMD" if word.startswith("ymd") else None


def _invalid(text: str, detail: str) -> InvalidParameterValue:
    return InvalidParameterValue(
        f'invalid value for parameter "DateStyle": "{text}"', detail=detail
    )
