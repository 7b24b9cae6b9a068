"""Templates of moments that are read, taken apart (PostgreSQL 15, table 9.27)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from catalog.errors import InvalidDatetimeFormat

DIGITS: Final = {
    "CC": 2, "DDD": 3, "DD": 2, "D": 1, "FF1": 1, "FF2": 2, "FF3": 3, "FF4": 4, "FF5": 5,
    "FF6": 6, "HH24": 2, "HH12": 2, "HH": 2, "IDDD": 3, "ID": 1, "IW": 2, "IYYY": 4, "IYY": 3,
    "IY": 2, "I": 1, "J": 7, "MI": 2, "MM": 2, "MS": 3, "Q": 1, "SSSSS": 5, "SSSS": 5, "SS": 2,
    "US": 6, "WW": 2, "W": 1, "Y,YYY": 5, "YYYY": 4, "YYY": 3, "YY": 2, "Y": 1,
}  # fmt: skip
_WORDS: Final = (
    *("A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "DAY", "DY", "FX", "MONTH", "MON", "OF", "P.M."),
    *("PM", "RM", "TZH", "TZM", "TZ"),
)
ONLY_WRITTEN: Final = frozenset({"OF", "TZ"})
_UPPER: Final = (*DIGITS, *_WORDS)
_CODES: Final = {
    **{code.lower(): code for code in _UPPER},
    **{code: code for code in _UPPER},
    **{word.title(): word for word in ("DAY", "DY", "MONTH", "MON")},
}
#: What a number is followed by may be its last digit, unless it is known to begin with none.
IS_DIGIT: Final = frozenset(DIGITS) | {"TZM"}
ISO: Final = frozenset({"IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I"})
GREGORIAN: Final = frozenset(
    {"CC", "DDD", "DD", "D", "DAY", "DY", "MM", "MON", "MONTH", "RM", "WW", "W", "Y,YYY", "YYYY"}
) | {"YYY", "YY", "Y", "AD", "BC", "A.D.", "B.C."}

_OF_TIME: Final = frozenset(
    {"HH24", "HH12", "HH", "MI", "SS", "MS", "US", "SSSS", "SSSSS", "AM", "PM", "A.M.", "P.M."}
) | {f"FF{digits}" for digits in range(1, 7)}
_OF_ZONE: Final = frozenset({"TZH", "TZM", "TZ", "OF"})
#: What stands between the fields of a template of the standard, and nothing.
_SEPARATORS: Final = frozenset("-./,':; ") | {""}

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_DAYS: Final = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_ROMAN: Final = ("xii", "xi", "x", "ix", "viii", "vii", "vi", "v", "iv", "iii", "ii", "i")
NAMES: Final = {
    "MONTH": _MONTHS, "MON": tuple(name[:3] for name in _MONTHS), "DAY": _DAYS,
    "DY": tuple(name[:3] for name in _DAYS), "RM": _ROMAN,
    **dict.fromkeys(("AM", "PM"), ("am", "pm")),
    **dict.fromkeys(("A.M.", "P.M."), ("a.m.", "p.m.")),
    **dict.fromkeys(("AD", "BC"), ("ad", "bc")),
    **dict.fromkeys(("A.D.", "B.C."), ("a.d.", "b.c.")),
}  # fmt: skip
HALVES: Final = frozenset({"AM", "PM", "A.M.", "P.M."})
ERAS: Final = frozenset({"AD", "BC", "A.D.", "B.C."})

_NODE: Final = re.compile(
    r'"(?P<quoted>(?:\\.|[^"\\])*)"?|\\(?P<escaped>")'
    r"|(?P<prefix>FM|fm|TM|tm)?(?P<code>"
    + "|".join(re.escape(code) for code in sorted(_CODES, key=len, reverse=True))
    + r")(?P<suffix>TH|th|SP|sp)?|(?P<plain>.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a template: a code, or one character that stands for itself."""

    #: As PostgreSQL lists it, and as it was written; of quoted text a quote.
    code: str = ""
    shown: str = ""
    is_filled: bool = False
    is_ordinal: bool = False
    character: str = ""

    @property
    def is_separator(self) -> bool:
        """Whether it is no letter or digit, such as a blank."""
        is_quoted = bool(self.shown)
        return not is_quoted and (self.character.isspace() or separates(self.character))


def separates(character: str) -> bool:
    """Whether a character is one of those of ASCII that are no letters and digits."""
    return character != "" and "!" <= character <= "~" and not character.isalnum()


@lru_cache(maxsize=256)
def nodes_of(template: str) -> tuple[Node, ...]:
    """Return the pieces of a template."""
    found: list[Node] = []
    for match in _NODE.finditer(template):
        if match["code"]:
            suffix = (match["suffix"] or "").upper()
            found.append(
                Node(
                    _CODES[match["code"]],
                    match["code"],
                    is_filled=(match["prefix"] or "").upper() == "FM",
                    is_ordinal=suffix == "TH",
                )
            )
        elif match["quoted"] is not None:
            text = re.sub(r"\\(.)", r"\1", match["quoted"])
            # What is quoted is text, be it a blank.
            found += [Node(character=c, shown='"') for c in text]
        else:
            found.append(Node(character=match["escaped"] or match["plain"]))
    return tuple(found)


def parts_of(template: str) -> tuple[bool, bool, bool]:
    """Return whether a template of the standard has a date, a time, and a zone.

    Raises:
        InvalidDatetimeFormat: It has a character that separates nothing in the standard.
    """
    for match in _NODE.finditer(template):
        plain = "\\" if match["escaped"] else match["plain"] or ""
        if plain not in _SEPARATORS:
            raise InvalidDatetimeFormat(f'invalid datetime format separator: "{plain}"')
    codes = {node.code for node in nodes_of(template) if node.code} - {"FX"}
    return bool(codes - _OF_TIME - _OF_ZONE), bool(codes & _OF_TIME), bool(codes & _OF_ZONE)
