"""Reading bytes (PostgreSQL 15, chapter 8.4)."""

from __future__ import annotations

import re
from typing import Final

from catalog.errors import InvalidParameterValue, InvalidTextRepresentation

_BETWEEN_BYTES: Final = re.compile(r"[ \t\n\r]*([0-9a-fA-F]{2})[ \t\n\r]*")


def parse_bytea(text: str) -> bytes:
    r"""Read bytes in the hex form ``\x00ff`` or the escape form ``a\000\\b``.

    Raises:
        InvalidParameterValue: The hex form has something else than bytes.
        InvalidTextRepresentation: The escape form has a backslash that stands for nothing.
    """
    if text.startswith("\\x"):
        # Blanks may stand between bytes, not within one.
        digits = _BETWEEN_BYTES.sub(r"\1", text[2:])
        for digit in digits:
            if digit not in "0123456789abcdefABCDEF":
                raise InvalidParameterValue(f'invalid hexadecimal digit: "{digit}"')
        if len(digits) % 2:
            raise InvalidParameterValue("invalid hexadecimal data: odd number of digits")
        return bytes.fromhex(digits)
    found = bytearray()
    at = 0
    while at < len(text):
        if text[at] != "\\":
            found += text[at].encode()
            at += 1
        elif text.startswith("\\\\", at):
            found += b"\\"
            at += 2
        elif re.fullmatch(r"[0-3][0-7]{2}", text[at + 1 : at + 4]):
            found.append(int(text[at + 1 : at + 4], 8))
            at += 4
        else:
            raise InvalidTextRepresentation("invalid input syntax for type bytea")
    return bytes(found)
