"""What others may read of a statement: all of it but the passwords."""

from __future__ import annotations

import re
from typing import Final

_BLANKS: Final = r"(?:\s|/\*.*?\*/|--[^\n]*\n)*"
_QUOTED: Final = r"(?:[Ee]|[Uu]&)?'(?:[^'\\]|''|\\.)*(?:'|\Z)"
_DOLLARS: Final = r"\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)"
_PASSWORD: Final = re.compile(
    rf"(?P<word>(?<!['\"])\bpassword{_BLANKS})(?:{_QUOTED}|{_DOLLARS})", re.IGNORECASE | re.DOTALL
)


def without_passwords(text: str) -> str:
    """Return a text, well-formed or not, with stars for the string that follows PASSWORD."""
    return _PASSWORD.sub(r"\g<word>'********'", text)
