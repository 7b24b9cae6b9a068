"""What others may read of a statement: all of it but passwords and the values of secrets."""

from __future__ import annotations

import re
from typing import Final

_BLANKS: Final = r"(?:\s|/\*.*?\*/|--[^\n]*\n)*"
_QUOTED: Final = r"(?:[Ee]|[Uu]&)?'(?:[^'\\]|''|\\.)*(?:'|\Z)"
_DOLLARS: Final = r"\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)"
_NAMES: Final = r'"(?:[^"]|"")*(?:"|\Z)'
_PASSWORD: Final = re.compile(
    rf"(?P<word>(?<!['\"])\bpassword{_BLANKS})(?:{_QUOTED}|{_DOLLARS})", re.IGNORECASE | re.DOTALL
)
_COMMENT: Final = r"/\*.*?(?:\*/|\Z)|--[^\n]*"
_PART: Final = rf"{_COMMENT}|(?P<text>{_QUOTED}|{_DOLLARS}|{_NAMES})"
_TEXT: Final = re.compile(_PART, re.DOTALL)
_SECRET: Final = re.compile(
    rf"\b(?:create|alter){_BLANKS}secret\b(?>{_PART}|[^;])*+",
    re.IGNORECASE | re.DOTALL,
)
_STARS: Final = "'********'"


def redacted(text: str) -> str:
    """Return a text, well-formed or not, with stars for what nobody else should read.

    That is the string which follows PASSWORD, and all in quotes behind CREATE or ALTER SECRET.
    """
    text = _SECRET.sub(lambda statement: _TEXT.sub(_starred, statement[0]), text)
    return _PASSWORD.sub(rf"\g<word>{_STARS}", text)


def _starred(part: re.Match[str]) -> str:
    return part[0] if part["text"] is None else _STARS
