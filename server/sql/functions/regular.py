"""Functions of regular expressions (PostgreSQL 15, chapter 9.7.3).

Matches that give texts go through Python, whose expressions know back references and laziness;
those that only say whether there is a match are DuckDB's own.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.types import BOOL
from server.sql.fragment import fragment, string
from server.sql.overload import Overload, rule, table
from server.sql.pattern import regex
from server.sql.typed import Typed

_TABLE: Final = r"""
regexp_replace(text, text, text) text = tg_regexp_replace(_0, _1, _2, '')
regexp_replace(text, text, text, text) text = tg_regexp_replace(_0, _1, _2, _3)
regexp_match(text, text) text[] = tg_regexp_groups(_0, _1, '')[1]
regexp_match(text, text, text) text[] = tg_regexp_groups(_0, _1, _2)[1]
regexp_count(text, text) int4 = CAST(LENGTH(tg_regexp_groups(_0, _1, 'g')) AS INTEGER)
regexp_count(text, text, int4) int4 = CAST(LENGTH(tg_regexp_groups(SUBSTRING(_0, _2), _1, 'g')) AS INTEGER)
regexp_substr(text, text) text = tg_regexp_groups(_0, '(' || _1 || ')', '')[1][1]
regexp_split_to_array(text, text) text[] = tg_regexp_split(_0, _1, '')
regexp_split_to_array(text, text, text) text[] = tg_regexp_split(_0, _1, _2)
"""


def _is_like(arguments: Sequence[Typed]) -> Typed:
    text, pattern, *flags = arguments
    given = flags[0].constant_text if flags else ""
    options = string("is" if given is not None and "i" in given else "s")
    tree = fragment("REGEXP_MATCHES(_0, _1, _2)", text.tree, regex(pattern), options)
    return Typed(tree, BOOL)


REGULAR_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *table(_TABLE),
    rule("regexp_like(text, text)", _is_like),
    rule("regexp_like(text, text, text)", _is_like),
)
