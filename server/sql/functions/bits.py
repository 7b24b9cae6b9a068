"""Strings of bits (PostgreSQL 15, chapter 9.6)."""

from __future__ import annotations

from typing import Final

from server.sql.overload import Overload, table

BIT_FUNCTIONS: Final[tuple[Overload, ...]] = table("""
length(bit) int4 = CAST(LENGTH(_0) AS INTEGER)
bit_length(bit) int4 = CAST(LENGTH(_0) AS INTEGER)
octet_length(bit) int4 = CAST((LENGTH(_0) + 7) // 8 AS INTEGER)
bit_count(bit) int8 = CAST(LENGTH(REPLACE(_0, '0', '')) AS BIGINT)
get_bit(bit, int4) int4 = tg_bits_get(_0, _1)
set_bit(bit, int4, int4) bit = tg_bits_set(_0, _1, _2)
substring(bit, int4) bit = tg_substr_from(_0, _1)
substring(bit, int4, int4) bit = tg_substr(_0, _1, _2)
overlay(bit, bit, int4) bit = tg_overlay(_0, _1, _2, CAST(LENGTH(_1) AS INTEGER))
overlay(bit, bit, int4, int4) bit = tg_overlay(_0, _1, _2, _3)
position(bit, bit) int4 = CAST(CASE WHEN _0 = '' THEN 0 ELSE STRPOS(_0, _1) END AS INTEGER)
""")
