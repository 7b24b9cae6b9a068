"""to_number (PostgreSQL 15, chapter 9.8)."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from catalog.errors import FeatureNotSupported, InvalidTextRepresentation


def number_input(text: str, template: str) -> str:
    """Return the number that a text shows under a template, for to_number.

    Raises:
        InvalidTextRepresentation: There is no number in it.
        FeatureNotSupported: It is to have Roman digits.
    """
    if "RN" in template.upper():
        raise FeatureNotSupported('"RN" not supported for input')
    kept = re.sub(r"[^0-9.+\-<>]", "", text)
    sign = "-" if "-" in kept or "<" in kept else ""
    digits = re.sub(r"[^0-9.]", "", kept)
    try:
        return format(Decimal(sign + digits), "f")
    except InvalidOperation:
        raise InvalidTextRepresentation.of("numeric", text) from None
