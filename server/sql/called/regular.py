"""Regular expressions (PostgreSQL 15, chapter 9.7)."""
# ruff: noqa: PLR0917 -- as SQL calls them

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from barrier.prelude import PythonFunction
from catalog.errors import InvalidParameterValue
from server.sql.called.python_function import called
from server.value.bounded_regex import RegexMatch
from server.value.regex import OPTION_LETTERS, python_regex
from server.value.similar import similar_to_regex

_REPLACEMENT: Final = re.compile(r"\\([1-9&\\])")


def _options(flags: str, name: str = "") -> tuple[str, bool]:
    """Return the letters of options and whether all matches are meant.

    ``name`` is that of a function which does not know what all matches are.
    """
    for flag in flags:
        if flag != "g" and flag not in OPTION_LETTERS:
            raise InvalidParameterValue(f'invalid regular expression option: "{flag}"')
    if name and "g" in flags:
        raise InvalidParameterValue(f'{name}() does not support the "global" option')
    return flags.replace("g", ""), "g" in flags


def _check(name: str, value: int, least: int) -> None:
    if value < least:
        raise InvalidParameterValue(f'invalid value for parameter "{name}": {value}')


def _matches(
    text: str, pattern: str, flags: str, start: int, name: str = ""
) -> Iterator[RegexMatch]:
    _check("start", start, 1)
    letters, _ = _options(flags, name)
    found = python_regex(pattern, letters)
    return found.finditer(text, start - 1) if start - 1 <= len(text) else iter(())


def like(text: str, pattern: str, flags: str) -> bool:
    """Return whether there is a match."""
    letters, _ = _options(flags, "regexp_like")
    return python_regex(pattern, letters).search(text) is not None


def matches(text: str, pattern: str, flags: str) -> bool:
    """Return whether there is a match, for the operators."""
    return python_regex(pattern, flags).search(text) is not None


def replace(text: str, pattern: str, replacement: str, start: int, nth: int, flags: str) -> str:
    r"""Return the text with the nth match replaced, 0: all, -1: as the flags say.

    In the replacement ``\1`` is a group and ``\&`` the match.
    """
    _check("n", nth, -1)
    _, is_global = _options(flags)
    if nth < 0:
        nth = 0 if is_global else 1
    pieces: list[str] = []
    end = 0
    for number, match in enumerate(_matches(text, pattern, flags, start), 1):
        if nth in (0, number):
            pieces += (text[end : match.start()], _filled(match, replacement))
            end = match.end()
        if number == nth:
            break
    return "".join((*pieces, text[end:]))


def _filled(match: RegexMatch, replacement: str) -> str:
    def piece(escape: re.Match[str]) -> str:
        if escape[1] == "\\":
            return "\\"
        number = 0 if escape[1] == "&" else int(escape[1])
        return (match[number] or "") if number <= len(match.groups()) else ""

    return _REPLACEMENT.sub(piece, replacement)


def replace_nth(text: str, pattern: str, replacement: str, start: int, nth: int, flags: str) -> str:
    """Return what ``replace`` does for a number that was given, which is not negative."""
    _check("n", nth, 0)
    return replace(text, pattern, replacement, start, nth, flags)


def groups(text: str, pattern: str, flags: str) -> list[list[str | None]]:
    """Return for each match its groups, or the match itself where there are none."""
    _, is_global = _options(flags)
    found: list[list[str | None]] = []
    for match in _matches(text, pattern, flags, 1):
        found.append(list(match.groups()) or [match[0]])
        if not is_global:
            break
    return found


def first_groups(text: str, pattern: str, flags: str) -> list[str | None] | None:
    """Return the groups of the first match, or the match itself where there are none."""
    for match in _matches(text, pattern, flags, 1, "regexp_match"):
        return list(match.groups()) or [match[0]]
    return None


def split(text: str, pattern: str, flags: str, name: str) -> list[str]:
    """Return what stands between the matches; empty ones at the ends or after another are none."""
    pieces: list[str] = []
    start = end = 0
    for match in _matches(text, pattern, flags, 1, name):
        if match.start() < len(text) and match.end() > end:
            pieces.append(text[start : match.start()])
            start = match.end()
        end = match.end()
    return [*pieces, text[start:]]


def count(text: str, pattern: str, start: int, flags: str) -> int:
    """Return how many matches there are."""
    return sum(1 for _ in _matches(text, pattern, flags, start, "regexp_count"))


def _nth(
    text: str, pattern: str, start: int, nth: int, flags: str, group: int, name: str
) -> RegexMatch | None:
    """Return the nth match, None if there is none or it has no such group."""
    _check("start", start, 1)
    _check("n", nth, 1)
    _check("subexpr", group, 0)
    for number, match in enumerate(_matches(text, pattern, flags, start, name), 1):
        if number == nth:
            if group == 1 and not len(match.groups()):
                return match  # The whole is the only one that there is.
            return match if group <= len(match.groups()) and match[group] is not None else None
    return None


def instr(text: str, pattern: str, start: int, nth: int, end: int, flags: str, group: int) -> int:
    """Return where the nth match or a group of it begins, or what follows it; 0 without any."""
    _check("start", start, 1)
    _check("n", nth, 1)
    if end not in (0, 1):
        raise InvalidParameterValue(f'invalid value for parameter "endoption": {end}')
    match = _nth(text, pattern, start, nth, flags, group, "regexp_instr")
    if match is None:
        return 0
    group = min(group, len(match.groups()))
    return (match.end(group) if end else match.start(group)) + 1


def substr(text: str, pattern: str, start: int, nth: int, flags: str, group: int) -> str | None:
    """Return the nth match, or a group of it."""
    match = _nth(text, pattern, start, nth, flags, group, "regexp_substr")
    return None if match is None else match[min(group, len(match.groups()))]


def substring(text: str, pattern: str) -> str | None:
    """Return the first match, or its first group if it has any."""
    match = python_regex(pattern, "").search(text)
    if match is None:
        return None
    return match[1] if match.groups() else match[0]


def substring_similar(text: str, pattern: str, escape: str) -> str | None:
    """Return the part of a text that a pattern of the SQL standard marks."""
    return substring(text, similar_to_regex(pattern, escape, is_lazy=True))


def similar_escape(pattern: str, escape: str) -> str:
    """Return the regular expression of a pattern of the SQL standard."""
    return similar_to_regex(pattern, escape)


_V: Final = "VARCHAR"
_I: Final = "INTEGER"

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_regexp_like", like, (_V, _V, _V), "BOOLEAN"),
    called("tg_regexp_matches", matches, (_V, _V, _V), "BOOLEAN"),
    called("tg_regexp_replaced", replace, (_V, _V, _V, _I, _I, _V), _V),
    called("tg_regexp_replaced_nth", replace_nth, (_V, _V, _V, _I, _I, _V), _V),
    called("tg_regexp_groups", groups, (_V, _V, _V), "VARCHAR[][]"),
    called("tg_regexp_first", first_groups, (_V, _V, _V), "VARCHAR[]", gives_null=True),
    called("tg_regexp_split", split, (_V, _V, _V, _V), "VARCHAR[]"),
    called("tg_regexp_count", count, (_V, _V, _I, _V), _I),
    called("tg_regexp_instr", instr, (_V, _V, _I, _I, _I, _V, _I), _I),
    called("tg_regexp_substr", substr, (_V, _V, _I, _I, _V, _I), _V, gives_null=True),
    called("tg_substring_regex", substring, (_V, _V), _V, gives_null=True),
    called("tg_substring_similar", substring_similar, (_V, _V, _V), _V, gives_null=True),
    called("tg_similar_escape", similar_escape, (_V, _V), _V),
)
