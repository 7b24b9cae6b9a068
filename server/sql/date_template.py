"""Constant templates of to_char, made calls of strftime (PostgreSQL 15, chapter 9.8)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from server.sql.fragment import concatenated, fragment, string

#: Longest first, so that MONTH is not read as MON.
_PATTERNS: Final = (
    *("HH24", "HH12", "HH", "MI", "SSSSS", "SSSS", "SS", "MS", "US", "FF1", "FF2", "FF3", "FF4"),
    *("FF5", "FF6", "A.M.", "P.M.", "a.m.", "p.m.", "AM", "PM", "am", "pm", "Y,YYY", "YYYY"),
    *("IYYY", "YYY", "IYY", "YY", "IY", "Y", "I", "B.C.", "A.D.", "BC", "AD", "MONTH", "Month"),
    *("month", "MON", "Mon", "mon", "MM", "DAY", "Day", "day", "DY", "Dy", "dy", "DDD", "IDDD"),
    *(
        "DD",
        "D",
        "ID",
        "WW",
        "IW",
        "W",
        "CC",
        "J",
        "Q",
        "TZH",
        "TZM",
        "TZ",
        "tz",
        "OF",
        "tzh",
        "tzm",
        "of",
    ),
)
_PATTERN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|(?P<fm>FM)|(?P<ignored>FX|TH|th|SP)|(?P<code>'
    + "|".join(re.escape(p) for p in sorted(_PATTERNS, key=len, reverse=True))
    + r")|(?P<plain>.)",
    re.DOTALL,
)

#: Template code -> strftime code; those of fixed width, whose FM form drops leading zeros.
_STRFTIME: Final = {
    "YYYY": "%Y",
    "IYYY": "%G",
    "YY": "%y",
    "MM": "%m",
    "DD": "%d",
    "DDD": "%j",
    "HH24": "%H",
    "HH12": "%I",
    "HH": "%I",
    "MI": "%M",
    "SS": "%S",
    "MS": "%g",
    "US": "%f",
    "FF3": "%g",
    "FF6": "%f",
    "IW": "%V",
    "ID": "%u",
    "AM": "%p",
    "PM": "%p",
    "Mon": "%b",
    "Dy": "%a",
}
_UNPADDED: Final = frozenset(
    {"YYYY", "IYYY", "YY", "MM", "DD", "DDD", "HH24", "HH12", "HH", "MI", "SS", "IW"}
)

#: Codes that need an expression; ``_0`` is the moment.
_EXPRESSIONS: Final = {
    "MON": "UPPER(STRFTIME(_0, '%b'))",
    "mon": "LOWER(STRFTIME(_0, '%b'))",
    "DY": "UPPER(STRFTIME(_0, '%a'))",
    "dy": "LOWER(STRFTIME(_0, '%a'))",
    "am": "LOWER(STRFTIME(_0, '%p'))",
    "pm": "LOWER(STRFTIME(_0, '%p'))",
    "A.M.": "REPLACE(REPLACE(STRFTIME(_0, '%p'), 'A', 'A.'), 'P', 'P.') || ''",
    "a.m.": "CASE WHEN DATEPART('hour', _0) < 12 THEN 'a.m.' ELSE 'p.m.' END",
    "D": "CAST(DATEPART('dow', _0) + 1 AS TEXT)",
    "Q": "CAST(DATEPART('quarter', _0) AS TEXT)",
    "W": "CAST((DATEPART('day', _0) - 1) // 7 + 1 AS TEXT)",
    "WW": "LPAD(CAST((DATEPART('doy', _0) - 1) // 7 + 1 AS TEXT), 2, '0')",
    "CC": "LPAD(CAST(DATEPART('century', _0) AS TEXT), 2, '0')",
    "J": "CAST(CAST(FLOOR(DATEPART('julian', _0)) AS BIGINT) AS TEXT)",
    "IDDD": "LPAD(CAST((DATEPART('week', _0) - 1) * 7 + DATEPART('isodow', _0) AS TEXT), 3, '0')",
    "Y,YYY": "STRFTIME(_0, '%Y')[1:1] || ',' || STRFTIME(_0, '%Y')[2:4]",
    "YYY": "RIGHT(STRFTIME(_0, '%Y'), 3)",
    "Y": "RIGHT(STRFTIME(_0, '%Y'), 1)",
    "IYY": "RIGHT(STRFTIME(_0, '%G'), 3)",
    "IY": "RIGHT(STRFTIME(_0, '%G'), 2)",
    "I": "RIGHT(STRFTIME(_0, '%G'), 1)",
    "SSSS": "CAST(DATEPART('hour', _0) * 3600 + DATEPART('minute', _0) * 60 + DATEPART('second', _0) AS TEXT)",
    "FF1": "LEFT(STRFTIME(_0, '%f'), 1)",
    "FF2": "LEFT(STRFTIME(_0, '%f'), 2)",
    "FF4": "LEFT(STRFTIME(_0, '%f'), 4)",
    "FF5": "LEFT(STRFTIME(_0, '%f'), 5)",
    "BC": "CASE WHEN DATEPART('year', _0) > 0 THEN 'AD' ELSE 'BC' END",
}
#: Codes of those that are numbers with zeros before them, which their FM form drops.
_FILLED: Final = frozenset({"CC", "WW", "IDDD", "YYY", "Y", "IYY", "IY", "I"})
_EXPRESSIONS_ALIASES: Final = {"P.M.": "A.M.", "p.m.": "a.m.", "AD": "BC", "SSSSS": "SSSS"}
_NAMES: Final = {
    "Month": ("STRFTIME(_0, '%B')", 9),
    "MONTH": ("UPPER(STRFTIME(_0, '%B'))", 9),
    "month": ("LOWER(STRFTIME(_0, '%B'))", 9),
    "Day": ("STRFTIME(_0, '%A')", 9),
    "DAY": ("UPPER(STRFTIME(_0, '%A'))", 9),
    "day": ("LOWER(STRFTIME(_0, '%A'))", 9),
}
#: What is written of zones is not the engine's.
_ZONES: Final = frozenset({"TZH", "TZM", "OF", "TZ", "tz", "tzh", "tzm", "of"})


def _is_common(template: str) -> bool:
    """Whether the engine can write a template: codes as they are listed and no other letters."""
    after_fill = False
    for match in _PATTERN.finditer(template):
        is_other = match["plain"] is not None and (
            match["plain"].isalpha() or match["plain"] in '\\"'
        )
        if match["ignored"] or is_other or (after_fill and match["code"] is None):
            return False
        if match["code"] in _ZONES or (match["quoted"] and "\\" in match["quoted"]):
            return False
        after_fill = match["fm"] is not None
    return bool(template) and not after_fill


def to_char_tree(moment: exp.Expr, template: str) -> exp.Expr | None:
    """Return the text of a TIMESTAMP or TIMESTAMPTZ under a constant template, if that is common."""
    if not _is_common(template):
        return None
    pieces: list[exp.Expr] = []
    directive = ""
    is_filled = True
    for match in _PATTERN.finditer(template):
        if match["fm"]:
            is_filled = False
            continue
        code = match["code"]
        simple = _directive(match, code, is_filled=is_filled)
        if simple is not None:
            directive += simple
            is_filled = True
            continue
        pieces += _strftime(moment, directive)
        directive = ""
        pieces.append(_expression(moment, code, is_filled=is_filled))
        is_filled = True
    pieces += _strftime(moment, directive)
    if len(pieces) == 1:
        return pieces[0]
    return concatenated(pieces)


def _directive(match: re.Match[str], code: str | None, *, is_filled: bool) -> str | None:
    if code is None:
        literal = match["quoted"] if match["quoted"] is not None else match["plain"]
        return (literal or "").replace("%", "%%")
    found = _STRFTIME.get(code)
    if found is None or (not is_filled and code in _UNPADDED):
        return None
    return found


def _strftime(moment: exp.Expr, directive: str) -> list[exp.Expr]:
    if not directive:
        return []
    if "%" not in directive:
        return [string(directive)]
    return [fragment("STRFTIME(_0, _1)", moment, string(directive))]


def _expression(moment: exp.Expr, code: str | None, *, is_filled: bool) -> exp.Expr:
    assert code is not None
    code = _EXPRESSIONS_ALIASES.get(code, code)
    if code in {"B.C.", "A.D."}:
        return fragment("CASE WHEN DATEPART('year', _0) > 0 THEN 'A.D.' ELSE 'B.C.' END", moment)
    if code == "A.M.":
        return fragment("CASE WHEN DATEPART('hour', _0) < 12 THEN 'A.M.' ELSE 'P.M.' END", moment)
    if code in _NAMES:
        sql, width = _NAMES[code]
        text = fragment(sql, moment)
        return fragment(f"RPAD(_0, {width}, ' ')", text) if is_filled else text
    if code in _STRFTIME:
        return _without_zeros(fragment(f"STRFTIME(_0, '{_STRFTIME[code]}')", moment))
    text = fragment(_EXPRESSIONS[code], moment)
    return text if is_filled or code not in _FILLED else _without_zeros(text)


def _without_zeros(text: exp.Expr) -> exp.Expr:
    bare = fragment("LTRIM(_0, '0')", text)
    return fragment("CASE WHEN _0 = '' THEN '0' ELSE _0 END", bare)
