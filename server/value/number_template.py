"""to_char of numbers (PostgreSQL 15, chapter 9.8, table 9.29).

A template is read once into what it asks for (``NumberTemplate``); a number becomes digits with as
many places as the template has; then the two are walked side by side (``_Writing``).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import lru_cache
from typing import Final

from catalog.errors import FeatureNotSupported, NumericOutOfRange, SqlSyntaxError

_TOKEN: Final = re.compile(
    r'"(?P<quoted>(?:\\.|[^"\\])*)"?|\\(?P<escaped>")'
    r"|(?P<code>[09]|[.,]|EEEE|FM|MI|PL|PR|RN|SG|SP|TH|[BCDGLSV]|eeee|fm|mi|pl|pr|rn|sg|sp|th|[bcdglsv])"
    r"|(?P<plain>.)",
    re.DOTALL,
)
_ROMAN: Final = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")),
    *((40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_ROMAN_MAX: Final = 3999
_ROMAN_WIDTH: Final = 15
_INTEGERS: Final = {"int4": ("integer", 2**31), "int8": ("bigint", 2**63)}
#: How many digits a float has for sure.
_FLOAT_DIGITS: Final = {"float4": 6, "float8": 15}
#: How much longer a number in scientific notation is than its digits.
_SCIENTIFIC_EXTRA: Final = 6
_ORDINALS: Final = {"1": "st", "2": "nd", "3": "rd"}


@dataclass(frozen=True, slots=True)
class NumberTemplate:
    """What a template asks for.

    Attributes:
        tokens: Codes in upper case, or literal text after a blank code.
        pre: Digits before the point.
        post: Digits after it.
        multi: Digits after V.
        sign: Where S stands: pre, post or nowhere.
        sign_place: How many digits stand before S.
        zero_start: The place from which there are zeros, from 1; 0 is none.
        zero_end: The place up to which there are zeros.
        flags: Names of what else there is.
    """

    tokens: tuple[tuple[str, str], ...] = ()
    pre: int = 0
    post: int = 0
    multi: int = 0
    sign: str = ""
    sign_place: int = 0
    zero_start: int = 0
    zero_end: int = 0
    flags: frozenset[str] = frozenset()

    def has(self, *flags: str) -> bool:
        """Whether there is any of these."""
        return not self.flags.isdisjoint(flags)


def _fault(message: str, detail: str | None = None) -> SqlSyntaxError:
    return SqlSyntaxError(message, detail=detail)


@lru_cache(maxsize=256)
def number_template(template: str) -> NumberTemplate:
    """Return what a template asks for.

    Raises:
        SqlSyntaxError: It has what does not go together.
    """
    found = NumberTemplate()
    tokens: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(template):
        code = match["code"]
        if code is None:
            quoted = match["quoted"]
            text = match["escaped"] or match["plain"] or ""
            tokens.append(("", text if quoted is None else re.sub(r"\\(.)", r"\1", quoted)))
            continue
        if found.has("EEEE") and code.upper() != "EEEE":
            raise _fault('"EEEE" must be the last pattern used')
        found = _with(found, code.upper())
        tokens.append((code.upper(), code))
    return replace(found, tokens=tuple(tokens))


def _with(found: NumberTemplate, code: str) -> NumberTemplate:
    """Return what a template asks for with another code."""
    flags = found.flags
    match code:
        case "9" | "0":
            return _with_digit(found, code)
        case "B":
            is_first = not found.pre and not found.post and not found.has("zero")
            return replace(found, flags=flags | {"blank"}) if is_first else found
        case "D" | ".":
            if found.has("decimal"):
                raise _fault("multiple decimal points")
            if found.has("V"):
                raise _fault('cannot use "V" and decimal point together')
            return replace(found, flags=flags | {"decimal"})
        case "S":
            return _with_sign(found)
        case "MI" | "PL" | "SG":
            if found.sign:
                raise _fault(f'cannot use "S" and "{code}" together')
            added = {"MI", "PL"} if code == "SG" else {code}
            return replace(found, flags=flags | added)
        case "PR":
            if found.sign or found.has("PL", "MI"):
                raise _fault('cannot use "PR" and "S"/"PL"/"MI"/"SG" together')
            return replace(found, flags=flags | {"PR"})
        case "V":
            if found.has("decimal"):
                raise _fault('cannot use "V" and decimal point together')
            return replace(found, flags=flags | {"V"})
        case "EEEE":
            if found.has("EEEE"):
                raise _fault('cannot use "EEEE" twice')
            if found.sign or found.has("blank", "FM", "PR", "MI", "PL", "RN", "V"):
                raise _fault(
                    '"EEEE" is incompatible with other formats',
                    '"EEEE" may only be used together with digit and decimal point patterns.',
                )
            return replace(found, flags=flags | {"EEEE"})
        case "FM" | "RN":
            return replace(found, flags=flags | {code})
        case _:
            return found


def _with_digit(found: NumberTemplate, code: str) -> NumberTemplate:
    if found.has("PR"):
        raise _fault(f'"{code}" must be ahead of "PR"')
    if code == "9" and found.has("V"):
        return replace(found, multi=found.multi + 1)
    if code == "0" and not found.has("zero", "decimal"):
        found = replace(found, flags=found.flags | {"zero"}, zero_start=found.pre + 1)
    if found.has("decimal"):
        found = replace(found, post=found.post + 1)
    else:
        found = replace(found, pre=found.pre + 1)
    return replace(found, zero_end=found.pre + found.post) if code == "0" else found


def _with_sign(found: NumberTemplate) -> NumberTemplate:
    if found.sign:
        raise _fault('cannot use "S" twice')
    if found.has("PL", "MI", "PR"):
        raise _fault('cannot use "S" and "PL"/"MI"/"SG"/"PR" together')
    if found.has("decimal"):
        return replace(found, sign="post")
    return replace(found, sign="pre", sign_place=found.pre)


def number_template_text(number: str, template: str, kind: str) -> str:
    """Return a number as a template shows it.

    Args:
        number: Its text.
        template: The template.
        kind: The name of its type, which says how it is rounded.

    Raises:
        SqlSyntaxError: The template has what does not go together.
        NumericOutOfRange: The number is too large for the template's Roman digits or ``V``.
    """
    if not template:
        return ""
    parsed = number_template(template)
    if parsed.has("RN"):
        return _Writing(_without_places(parsed), _roman(number, kind), "", 0).run()
    if parsed.has("EEEE"):
        return _scientific(number, parsed, kind)
    if parsed.has("V"):
        number = _multiplied(number, parsed.multi, kind)
        parsed = replace(parsed, pre=parsed.pre + parsed.multi)
    digits, parsed = _digits(number, parsed, kind)
    sign = "-" if digits.startswith("-") else "+"
    digits = digits.removeprefix("-")
    before = len(digits.partition(".")[0])
    if before > parsed.pre:
        digits = "#" * parsed.pre + "." + "#" * parsed.post
    return _Writing(parsed, digits, sign, max(parsed.pre - before, 0)).run()


def _without_places(parsed: NumberTemplate) -> NumberTemplate:
    kept = parsed.flags & {"FM", "RN"}
    return replace(parsed, pre=0, post=0, sign="", sign_place=0, flags=kept)


def _roman(number: str, kind: str) -> str:
    value = Decimal(number)
    if kind in _FLOAT_DIGITS:
        whole = round(value) if value.is_finite() else 0
    elif not value.is_finite():
        word = "NaN" if value.is_nan() else "infinity"
        raise FeatureNotSupported(f"cannot convert {word} to integer")
    else:
        whole = int(value.to_integral_value(ROUND_HALF_UP))
        if not -(2**31) <= whole < 2**31:
            raise NumericOutOfRange("integer out of range")
    if not 1 <= whole <= _ROMAN_MAX:
        return "#" * _ROMAN_WIDTH
    text = ""
    for unit, letters in _ROMAN:
        count, whole = divmod(whole, unit)
        text += letters * count
    return text


def _scientific(number: str, parsed: NumberTemplate, kind: str) -> str:
    value = Decimal(number)
    if not value.is_finite():
        width = parsed.pre + parsed.post + _SCIENTIFIC_EXTRA
        filled = list(" " + "#" * (width - 1))
        filled[parsed.pre + 1] = "."
        return "".join(filled)
    if kind in _FLOAT_DIGITS or kind == "int4":
        text = f"{_as_float(number, kind):.{parsed.post}e}"
    else:
        with localcontext() as context:
            context.rounding = ROUND_HALF_UP
            text = f"{value:.{parsed.post}e}" if value else f"{0.0:.{parsed.post}e}"
    mantissa, _, exponent = text.partition("e")
    text = f"{mantissa}e{int(exponent):+03d}"
    return text if text.startswith("-") else f" {text}"


def _as_float(number: str, kind: str) -> float:
    value = float(number)
    if kind != "float4" or value in {float("inf"), float("-inf")}:
        return value
    (single,) = struct.unpack("f", struct.pack("f", value))
    assert isinstance(single, float)
    return single


def _multiplied(number: str, places: int, kind: str) -> str:
    if kind in _FLOAT_DIGITS:
        return repr(float(number) * 10.0**places)
    with localcontext() as context:
        context.prec = 2000
        value = Decimal(number).scaleb(places) if Decimal(number).is_finite() else Decimal(number)
    name, limit = _INTEGERS.get(kind, ("", 0))
    if limit and not -limit <= value < limit:
        raise NumericOutOfRange(f"{name} out of range")
    return format(value, "f")


def _digits(number: str, parsed: NumberTemplate, kind: str) -> tuple[str, NumberTemplate]:
    """Return a number with the template's places after the point, and with how many it has."""
    if kind in _FLOAT_DIGITS:
        value = _as_float(number, kind)
        before = len(_plain(abs(value), 0))
        most = _FLOAT_DIGITS[kind]
        post = 0 if before >= most else min(parsed.post, most - before)
        return _plain(value, post), replace(parsed, post=post)
    exact = Decimal(number)
    if not exact.is_finite():
        word = "NaN" if exact.is_nan() else "Infinity"
        return ("-" if exact < 0 else "") + word if not exact.is_nan() else word, parsed
    with localcontext() as context:
        context.prec = 2000
        rounded = exact.quantize(Decimal(1).scaleb(-parsed.post), ROUND_HALF_UP)
    text = format(rounded, "f")
    return text if rounded else text.removeprefix("-"), parsed


def _plain(value: float, post: int) -> str:
    text = f"{value:.{post}f}"
    return text.replace("inf", "Infinity").replace("nan", "NaN")


class _Writing:
    """A number on its way into a template."""

    def __init__(self, template: NumberTemplate, number: str, sign: str, spaces: int) -> None:
        self.template = template
        self.number = number
        self.sign = sign
        #: Places before the first digit.
        self.spaces = spaces
        self.is_filled = not template.has("FM")
        #: In number.
        self.at = 0
        #: In the template's places.
        self.place = 0
        self.is_in_number = False
        self.found: list[str] = []
        self.sign_position = template.sign
        self.has_brackets = template.has("PR")
        self.zero_start = max(template.zero_start - 1, 0)
        self.is_sign_written = self._needs_no_sign()
        self.last_relevant = self._last_relevant()
        self.count = template.post + template.pre - 1
        if not self.is_sign_written and not spaces:
            self.count += 1

    def _needs_no_sign(self) -> bool:
        template = self.template
        if template.has("PL", "MI"):
            return template.has("MI")
        if self.sign != "-" and not self.is_filled:
            self.has_brackets = False
        if template.sign == "pre" and template.pre == template.sign_place:
            self.sign_position = "post"
        return self.sign == "+" and not self.is_filled and not template.sign

    def _last_relevant(self) -> int | None:
        """Return the place in the number behind which digits are left out."""
        point = self.number.find(".")
        if self.is_filled or not self.template.has("decimal") or point < 0:
            return None
        last = max(point, len(self.number.rstrip("0")) - 1)
        if self.template.zero_end > self.spaces:
            last = max(last, min(len(self.number) - 1, self.template.zero_end - self.spaces))
        return last

    @property
    def _digit(self) -> str:
        return self.number[self.at : self.at + 1]

    @property
    def _has_bare_point(self) -> bool:
        return self.last_relevant is not None and self.number[self.last_relevant] == "."

    @property
    def _is_space_before_point(self) -> bool:
        """Whether this is the zero before the point, which is shown as a blank."""
        return (
            not self.template.has("zero")
            and self.at == 0
            and self.number.startswith("0")
            and self.template.post != 0
        )

    def run(self) -> str:
        """Return the whole text."""
        for code, text in self.template.tokens:
            self._write(code, text)
        return "".join(self.found)

    def _write(self, code: str, text: str) -> None:
        blank = " " if self.is_filled else ""
        match code:
            case "":
                self.found.append(text)
            case "9" | "0" | "." | "D":
                if not self.template.has("RN"):
                    self._write_place(code)
            case "," | "G":
                self.found.append("," if self.is_in_number else blank)
            case "L":
                self.found.append(" ")
            case "RN":
                roman = self.number.lower() if text == "rn" else self.number
                self.found.append(roman.rjust(_ROMAN_WIDTH) if self.is_filled else roman)
            case "TH":
                self._write_ordinal(text)
            case "MI":
                self.found.append("-" if self.sign == "-" else blank)
            case "PL":
                self.found.append("+" if self.sign == "+" else blank)
            case "SG":
                self.found.append(self.sign)
            case _:
                pass

    def _write_ordinal(self, text: str) -> None:
        template = self.template
        if template.has("RN", "decimal") or self.number[:1] == "#" or self.sign == "-":
            return
        ending = "th"
        if self.number[-2:-1] != "1":
            ending = _ORDINALS.get(self.number[-1:], "th")
        self.found.append(ending if text == "th" else ending.upper())

    def _write_place(self, code: str) -> None:
        self.is_in_number = False
        has_zeros = self.template.has("zero")
        begins = self.place >= self.spaces or (has_zeros and self.zero_start == self.place)
        if (
            not self.is_sign_written
            and begins
            and (not self._is_space_before_point or self._has_bare_point)
        ):
            self._write_sign_before()
        if self.place < self.spaces and (self.zero_start > self.place or not has_zeros):
            self.found.append(" " if self.is_filled else "")
        elif has_zeros and self.place < self.spaces:
            self.found.append("0")
            self.is_in_number = True
        else:
            self._write_digit(code)
            self.at += self.at < len(self.number)
        end = self.count + (self.spaces > 0) + self.template.has("decimal")
        if self.last_relevant is not None and self.last_relevant == self.at:
            end = self.place
        if self.place + 1 == end:
            self._write_sign_after()
        self.place += 1

    def _write_digit(self, code: str) -> None:
        if self._digit == ".":
            self.found.append(".")
        elif self.last_relevant is not None and self.at > self.last_relevant and code != "0":
            pass
        elif self._is_space_before_point:
            if self.is_filled:
                self.found.append(" ")
            elif self._has_bare_point:
                self.found.append("0")
        else:
            self.found.append(self._digit)
            self.is_in_number = True

    def _write_sign_before(self) -> None:
        if self.template.sign:
            if self.sign_position == "pre":
                self.found.append(self.sign)
                self.is_sign_written = True
            return
        if self.has_brackets:
            self.found.append(" " if self.sign == "+" else "<")
        elif self.sign == "+":
            self.found.append(" " if self.is_filled else "")
        else:
            self.found.append("-")
        self.is_sign_written = True

    def _write_sign_after(self) -> None:
        if self.is_sign_written and self.has_brackets:
            self.found.append(" " if self.sign == "+" else ">")
        elif self.template.sign and self.sign_position == "post":
            self.found.append(self.sign)
