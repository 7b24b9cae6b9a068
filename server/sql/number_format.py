"""to_number (PostgreSQL 15, chapter 9.8).

A text is read along its template: each place of a digit takes what stands there, a separator only
itself, and any other character of the template one character of the text, whatever it is.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from catalog.errors import FeatureNotSupported, InvalidTextRepresentation
from catalog.special_numeric import without_digits
from server.value.number_template import NumberTemplate, number_template

#: What ornaments of a template (currency, ordinals, signs that are missing) do not pass over.
_DATA = frozenset("0123456789.,+-")
_DIGITS = frozenset("0123456789")
_SIGNS = {"MI": "-", "PL": "+", "SG": "-+"}


def number_input(text: str, template: str) -> str:
    """Return the number that a text shows under a template, for to_number.

    Raises:
        InvalidTextRepresentation: There is no number in it.
        NumericOutOfRange: It has more digits than the template.
        FeatureNotSupported: It is to have Roman digits or an exponent.
        SqlSyntaxError: The template has what does not go together.
    """
    parsed = number_template(template)
    for code in ("EEEE", "RN"):
        if parsed.has(code):
            raise FeatureNotSupported(f'"{code}" not supported for input')
    reading = _Reading(parsed, text)
    found = reading.run()
    try:
        number = Decimal(found.strip())
    except InvalidOperation:
        raise InvalidTextRepresentation.of("numeric", found) from None
    places = parsed.pre + parsed.multi
    if abs(number) >= Decimal(10) ** places:
        raise without_digits(places + reading.scale, reading.scale)
    return format(number.scaleb(-parsed.multi), "f")


class _Reading:
    """A text on its way along a template."""

    def __init__(self, template: NumberTemplate, text: str) -> None:
        self.template = template
        self.text = text
        #: In text.
        self.at = 0
        self.sign = " "
        self.digits = ""
        #: Digits behind the point, once there is one.
        self.post: int | None = None

    def run(self) -> str:
        """Return the sign, or a blank, and the digits."""
        for code, literal in self.template.tokens:
            for _ in literal if not code else " ":
                if self.at >= len(self.text):
                    break
                self._read(code)
        return self.sign + self.digits.removesuffix(".")

    @property
    def scale(self) -> int:
        """How many digits there are behind the point."""
        return self.post or 0

    @property
    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _read(self, code: str) -> None:
        match code:
            case "":
                self.at += 1
            case "9" | "0" | "." | "D":
                self._read_place(is_digit=code in _DIGITS)
                self.at += 1
            case "," | "G":
                if not self.template.has("FM"):
                    self.at += self._next == ","
            case "L":
                self._pass_over(1)
            case "TH":
                if not self.template.has("decimal"):
                    self._pass_over(2)
            case "MI" | "PL" | "SG":
                if self._next in _SIGNS[code]:
                    self.sign = self._next
                    self.at += 1
                else:
                    self._pass_over(1)
            case _:
                pass

    def _pass_over(self, count: int) -> None:
        for _ in range(count):
            if self._next and self._next not in _DATA:
                self.at += 1

    def _read_place(self, *, is_digit: bool) -> None:
        """Read a digit or point, and a sign beside the number; stays on the last that is read."""
        if self._next == " ":
            self.at += 1
        if is_digit and self.sign == " " and not self.digits.strip("."):
            self._read_sign_before()
        is_read = False
        if self._next in _DIGITS:
            if self.post == self.template.post:
                return
            self.digits += self._next
            self.post = None if self.post is None else self.post + 1
            is_read = True
        elif self._next == "." and self.post is None and self.template.has("decimal"):
            self.digits += "."
            self.post = 0
            is_read = True
        if self._next and self.sign == " " and self.digits.strip("."):
            self._read_sign_after(is_read=is_read)

    def _read_sign_before(self) -> None:
        if self._next and self._next in ("-+<" if self.template.has("PR") else "-+"):
            self.sign = "+" if self._next == "+" else "-"
            self.at += 1

    def _read_sign_after(self, *, is_read: bool) -> None:
        if self.template.sign:
            after = self.text[self.at + 1 : self.at + 2]
            if is_read and after and after in "-+":
                self.sign = after
                self.at += 1
        elif not is_read and self.template.has("PL", "MI") and self._next in "-+":
            self.sign = self._next
