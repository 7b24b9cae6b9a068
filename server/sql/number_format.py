"""to_char and to_number with number templates (PostgreSQL 15, table 9.29).

Read: ``9 0 . D , G FM S MI PL SG PR L TH th`` and quoted text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Final

from catalog.errors import InvalidTextRepresentation

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|(?P<code>FM|MI|PL|SG|PR|TH|th|[90.,DGSL])|(?P<plain>.)',
    re.IGNORECASE | re.DOTALL,
)


@dataclass
class _Template:
    """A number template taken apart."""

    tokens: list[tuple[str, str]] = field(default_factory=list)
    is_filled: bool = True
    sign: str = ""
    ordinal: str = ""
    whole: int = 0
    broken: int = 0
    first_zero: int | None = None


def _parsed(template: str) -> _Template:
    found = _Template()
    has_point = False
    for match in _TOKEN.finditer(template):
        code = (match["code"] or "").upper()
        match code:
            case "FM":
                found.is_filled = False
            case "TH":
                found.ordinal = match["code"]
            case "MI" | "PL" | "SG" | "PR" | "S":
                found.sign = code
                found.tokens.append(("sign", code))
            case "9" | "0":
                if has_point:
                    found.broken += 1
                else:
                    if code == "0" and found.first_zero is None:
                        found.first_zero = found.whole
                    found.whole += 1
                found.tokens.append(("broken" if has_point else "whole", code))
            case "." | "D":
                has_point = True
                found.tokens.append(("point", "."))
            case "," | "G":
                found.tokens.append(("group", ","))
            case "L":
                found.tokens.append(("plain", " "))
            case _:
                text = match["quoted"] if match["quoted"] is not None else match["plain"]
                found.tokens.append(("plain", text))
    return found


def number_text(number: str, template: str) -> str:
    """Return ``to_char(number, template)``; the number is given as its text."""
    parsed = _parsed(template)
    value = Decimal(number)
    if not value.is_finite():
        return _special_text(parsed, value)
    is_negative = value < 0
    quantum = Decimal(1).scaleb(-parsed.broken)
    text = format(abs(value).quantize(quantum, rounding=ROUND_HALF_UP), "f")
    if not Decimal(text):
        is_negative = False
    whole, _, broken = text.partition(".")
    whole = "" if whole == "0" else whole
    overflowed = len(whole) > parsed.whole
    digits = whole.rjust(parsed.whole)
    return _written(parsed, digits, broken, is_negative=is_negative, overflowed=overflowed)


def _special_text(parsed: _Template, value: Decimal) -> str:
    """Return NaN or infinity: its letters are digits, and nothing comes after them."""
    word = "NaN" if value.is_nan() else "Infinity"
    is_negative = not value.is_nan() and value < 0
    overflowed = len(word) > parsed.whole
    if overflowed:
        word = "#" * parsed.whole
    elif ("point", ".") in parsed.tokens:
        del parsed.tokens[parsed.tokens.index(("point", ".")) :]
        parsed.broken = 0
    broken = "#" * parsed.broken
    digits = word.rjust(parsed.whole)
    return _written(parsed, digits, broken, is_negative=is_negative, overflowed=overflowed)


def _written(
    parsed: _Template, digits: str, broken: str, *, is_negative: bool, overflowed: bool
) -> str:
    significant = len(digits) - len(digits.lstrip())
    if parsed.first_zero is not None:
        significant = min(significant, parsed.first_zero)
    if parsed.broken == 0 or parsed.whole == 0 or parsed.first_zero is not None:
        shows_zero = parsed.broken == 0
    else:
        shows_zero = False
    if shows_zero and parsed.whole:
        significant = min(significant, parsed.whole - 1)
    pieces: list[str] = []
    place = at = 0
    sign_at: int | None = None
    last = _last_broken(parsed, broken)
    for kind, code in parsed.tokens:
        match kind:
            case "whole":
                if place < significant:
                    pieces.append(" " if parsed.is_filled else "")
                else:
                    sign_at = len(pieces) if sign_at is None else sign_at
                    digit = digits[place]
                    pieces.append("#" if overflowed else (digit if digit != " " else "0"))
                place += 1
            case "group":
                if place > significant or (place == significant and sign_at is not None):
                    pieces.append(",")
                else:
                    pieces.append(" " if parsed.is_filled else "")
            case "point":
                sign_at = len(pieces) if sign_at is None else sign_at
                pieces.append(".")
            case "broken":
                if at < last or parsed.is_filled:
                    pieces.append("#" if overflowed else broken[at])
                at += 1
            case "sign":
                pieces.append("\0" + code)
            case _:
                pieces.append(code)
    return _signed(parsed, pieces, sign_at or 0, is_negative=is_negative)


def _last_broken(parsed: _Template, broken: str) -> int:
    """Return how many digits after the point are always shown: those up to the last ``0``."""
    forced = at = 0
    for kind, code in parsed.tokens:
        if kind == "broken":
            at += 1
            if code == "0":
                forced = at
    return max(forced, len(broken.rstrip("0")))


def _signed(parsed: _Template, pieces: list[str], sign_at: int, *, is_negative: bool) -> str:
    blank = " " if parsed.is_filled else ""
    if not parsed.sign:
        pieces.insert(sign_at, "-" if is_negative else blank)
        return "".join(pieces)
    found: list[str] = []
    for i, piece in enumerate(pieces):
        if parsed.sign == "PR" and i == sign_at:
            found.append("<" if is_negative else blank)
        if parsed.sign == "S" and i == sign_at and pieces[0] == "\0S":
            found.append("-" if is_negative else "+")
        if not piece.startswith("\0"):
            found.append(piece)
            continue
        match piece[1:]:
            case "MI":
                found.append("-" if is_negative else blank)
            case "PL":
                found.append(blank if is_negative else "+")
            case "SG":
                found.append("-" if is_negative else "+")
            case "PR":
                found.append(">" if is_negative else blank)
            case _ if i:
                found.append("-" if is_negative else "+")
            case _:
                pass
    return "".join(found)


def number_input(text: str, template: str) -> str:
    """Return the number that a text shows under a template, for to_number.

    Raises:
        InvalidTextRepresentation: There is no number in it.
    """
    del template
    kept = re.sub(r"[^0-9.+\-<>]", "", text)
    sign = "-" if "-" in kept or "<" in kept else ""
    digits = re.sub(r"[^0-9.]", "", kept)
    try:
        return format(Decimal(sign + digits), "f")
    except InvalidOperation:
        raise InvalidTextRepresentation.of("numeric", text) from None
