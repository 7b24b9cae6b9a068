"""What PostgreSQL does to names: folding, their greatest length, and the reserved words."""

from __future__ import annotations

from typing import Final

#: The greatest length of a name in bytes (``NAMEDATALEN - 1``); longer ones are cut.
NAME_BYTES_MAX: Final = 63

#: Words that name a column or relation only in quotes (PostgreSQL 15, appendix C).
RESERVED: Final = frozenset(
    """
    all analyse analyze and any array as asc asymmetric authorization binary both case cast check
    collate collation column concurrently constraint create cross current_catalog current_date
    current_role current_schema current_time current_timestamp current_user default deferrable desc
    distinct do else end except false fetch for foreign freeze from full grant group having ilike
    in initially inner intersect into is isnull join lateral leading left like limit localtime
    localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
    references returning right select session_user similar some symmetric table tablesample then to
    trailing true union unique user using variadic verbose when where window with
    """.split()  # noqa: SIM905 - a list of words reads better than ninety quoted ones
)

_ASCII_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str, *, is_quoted: bool) -> str:
    """Return the name that is meant: unquoted ASCII letters become small, long names are cut."""
    if not is_quoted:
        name = name.lower() if name.isascii() else name.translate(_ASCII_LOWER)
    if len(name) * 4 > NAME_BYTES_MAX:
        encoded = name.encode("utf-8", "surrogatepass")
        if len(encoded) > NAME_BYTES_MAX:
            return encoded[:NAME_BYTES_MAX].decode("utf-8", "ignore")
    return name
