"""Functions of regular expressions (PostgreSQL 15, chapter 9.7.3).

Matches that give texts go through Python, whose expressions know back references and laziness;
those that only say whether there is a match are DuckDB's own where it knows the expression.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.types import BOOL
from server.sql.overload import Overload, rule, table
from server.sql.pattern import matched
from server.sql.typed import Typed

_TABLE: Final = r"""
regexp_replace(text, text, text) text = tg_regexp_replaced(_0, _1, _2, 1, 1, '')
regexp_replace(text, text, text, text) text = tg_regexp_replaced(_0, _1, _2, 1, -1, _3)
regexp_replace(text, text, text, int4) text = tg_regexp_replaced(_0, _1, _2, _3, 1, '')
regexp_replace(text, text, text, int4, int4) text = tg_regexp_replaced_nth(_0, _1, _2, _3, _4, '')
regexp_replace(text, text, text, int4, int4, text) text = tg_regexp_replaced_nth(_0, _1, _2, _3, _4, _5)
regexp_match(text, text) text[] = tg_regexp_first(_0, _1, '')
regexp_match(text, text, text) text[] = tg_regexp_first(_0, _1, _2)
regexp_count(text, text) int4 = tg_regexp_count(_0, _1, 1, '')
regexp_count(text, text, int4) int4 = tg_regexp_count(_0, _1, _2, '')
regexp_count(text, text, int4, text) int4 = tg_regexp_count(_0, _1, _2, _3)
regexp_instr(text, text) int4 = tg_regexp_instr(_0, _1, 1, 1, 0, '', 0)
regexp_instr(text, text, int4) int4 = tg_regexp_instr(_0, _1, _2, 1, 0, '', 0)
regexp_instr(text, text, int4, int4) int4 = tg_regexp_instr(_0, _1, _2, _3, 0, '', 0)
regexp_instr(text, text, int4, int4, int4) int4 = tg_regexp_instr(_0, _1, _2, _3, _4, '', 0)
regexp_instr(text, text, int4, int4, int4, text) int4 = tg_regexp_instr(_0, _1, _2, _3, _4, _5, 0)
regexp_instr(text, text, int4, int4, int4, text, int4) int4 = tg_regexp_instr(_0, _1, _2, _3, _4, _5, _6)
regexp_substr(text, text) text = tg_regexp_substr(_0, _1, 1, 1, '', 0)
regexp_substr(text, text, int4) text = tg_regexp_substr(_0, _1, _2, 1, '', 0)
regexp_substr(text, text, int4, int4) text = tg_regexp_substr(_0, _1, _2, _3, '', 0)
regexp_substr(text, text, int4, int4, text) text = tg_regexp_substr(_0, _1, _2, _3, _4, 0)
regexp_substr(text, text, int4, int4, text, int4) text = tg_regexp_substr(_0, _1, _2, _3, _4, _5)
regexp_split_to_array(text, text) text[] = tg_regexp_split(_0, _1, '', 'regexp_split_to_array')
regexp_split_to_array(text, text, text) text[] = tg_regexp_split(_0, _1, _2, 'regexp_split_to_array')
regexp_like(text, text, text) bool = tg_regexp_like(_0, _1, _2)
substring(text, text) text = tg_substring_regex(_0, _1)
substring(text, text, text) text = tg_substring_similar(_0, _1, _2)
similar_to_escape(text) text = tg_similar_escape(_0, '\')
similar_to_escape(text, text) text = tg_similar_escape(_0, _1)
similar_escape(text, text) text = tg_similar_escape(_0, COALESCE(_1, '\'))
"""


def _is_like(arguments: Sequence[Typed]) -> Typed:
    text, pattern = arguments
    return Typed(matched(text.tree, pattern), BOOL)


REGULAR_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *table(_TABLE),
    rule("regexp_like(text, text)", _is_like),
)
