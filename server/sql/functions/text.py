"""Strings and bytes (PostgreSQL 15, chapters 9.4 and 9.5)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.errors import DatatypeMismatch, InvalidParameterValue
from catalog.types import BYTEA, TEXT
from server.sql.casts import output_text, text_of
from server.sql.fragment import call, cast, fragment, string
from server.sql.overload import Overload, rule, table
from server.sql.typed import Typed

_TABLE: Final = r"""
length(text) int4 = CAST(LENGTH(_0) AS INTEGER)
length(bytea) int4 = CAST(OCTET_LENGTH(_0) AS INTEGER)
char_length(text) int4 = CAST(LENGTH(_0) AS INTEGER)
character_length(text) int4 = CAST(LENGTH(_0) AS INTEGER)
octet_length(text) int4 = CAST(STRLEN(_0) AS INTEGER)
octet_length(bpchar) int4 = CAST(STRLEN(_0) AS INTEGER)
octet_length(bytea) int4 = CAST(OCTET_LENGTH(_0) AS INTEGER)
bit_length(text) int4 = CAST(STRLEN(_0) * 8 AS INTEGER)
bit_length(bytea) int4 = CAST(OCTET_LENGTH(_0) * 8 AS INTEGER)
lower(text) text = LOWER(_0)
upper(text) text = UPPER(_0)
initcap(text) text = tg_initcap(_0)
trim(text) text = TRIM(_0, ' ')
trim(text, text) text = TRIM(_0, _1)
btrim(text) text = TRIM(_0, ' ')
btrim(text, text) text = TRIM(_0, _1)
ltrim(text) text = LTRIM(_0, ' ')
ltrim(text, text) text = LTRIM(_0, _1)
rtrim(text) text = RTRIM(_0, ' ')
rtrim(text, text) text = RTRIM(_0, _1)
substr(text, int4) text = tg_substr_from(_0, _1)
substr(text, int4, int4) text = tg_substr(_0, _1, _2)
substring(text, int4) text = tg_substr_from(_0, _1)
substring(text, int4, int4) text = tg_substr(_0, _1, _2)
substring(bytea, int4) bytea = tg_substring_bytes(_0, _1, 2147483647)
substring(bytea, int4, int4) bytea = tg_substring_bytes(_0, _1, _2)
substr(bytea, int4) bytea = tg_substring_bytes(_0, _1, 2147483647)
substr(bytea, int4, int4) bytea = tg_substring_bytes(_0, _1, _2)
position(bytea, bytea) int4 = tg_position_bytes(_1, _0)
btrim(bytea, bytea) bytea = tg_btrim_bytes(_0, _1)
trim(bytea, bytea) bytea = tg_btrim_bytes(_0, _1)
ltrim(bytea, bytea) bytea = tg_ltrim_bytes(_0, _1)
rtrim(bytea, bytea) bytea = tg_rtrim_bytes(_0, _1)
position(text, text) int4 = CAST(STRPOS(_0, _1) AS INTEGER)
strpos(text, text) int4 = CAST(STRPOS(_0, _1) AS INTEGER)
replace(text, text, text) text = CASE WHEN _1 = '' AND _2 IS NOT NULL THEN _0 ELSE REPLACE(_0, _1, _2) END
split_part(text, text, int4) text = tg_split_part(_0, _1, _2)
left(text, int4) text = LEFT(_0, _1)
right(text, int4) text = RIGHT(_0, _1)
lpad(text, int4) text = tg_lpad(_0, _1, ' ')
lpad(text, int4, text) text = tg_lpad(_0, _1, _2)
rpad(text, int4) text = tg_rpad(_0, _1, ' ')
rpad(text, int4, text) text = tg_rpad(_0, _1, _2)
repeat(text, int4) text = tg_repeat(_0, _1)
reverse(text) text = REVERSE(_0)
reverse(bytea) bytea = tg_reverse_bytes(_0)
ascii(text) int4 = CAST(CASE WHEN _0 = '' THEN 0 ELSE ASCII(_0) END AS INTEGER)
chr(int4) text = tg_chr(_0)
md5(text) text = MD5(_0)
md5(bytea) text = MD5(_0)
sha1(bytea) bytea = tg_sha1(_0)
sha224(bytea) bytea = tg_sha224(_0)
sha256(bytea) bytea = UNHEX(SHA256(_0))
sha384(bytea) bytea = tg_sha384(_0)
sha512(bytea) bytea = tg_sha512(_0)
crc32(bytea) int8 = tg_crc32(_0)
crc32c(bytea) int8 = tg_crc32c(_0)
int8send(int8) bytea = tg_int8send(_0)
int8recv(bytea) int8 = tg_int8recv(_0)
to_hex(int4) text = LOWER(HEX(CASE WHEN _0 < 0 THEN CAST(_0 AS BIGINT) + 4294967296 ELSE CAST(_0 AS BIGINT) END))
to_hex(int8) text = LOWER(HEX(CASE WHEN _0 < 0 THEN CAST(CAST(_0 AS HUGEINT) + 18446744073709551616 AS UBIGINT) ELSE CAST(_0 AS UBIGINT) END))
translate(text, text, text) text = TRANSLATE(_0, _1, _2)
overlay(text, text, int4) text = tg_overlay(_0, _1, _2, CAST(LENGTH(_1) AS INTEGER))
overlay(text, text, int4, int4) text = tg_overlay(_0, _1, _2, _3)
overlay(bytea, bytea, int4) bytea = tg_overlay_bytes(_0, _1, _2, CAST(OCTET_LENGTH(_1) AS INTEGER))
overlay(bytea, bytea, int4, int4) bytea = tg_overlay_bytes(_0, _1, _2, _3)
starts_with(text, text) bool = STARTS_WITH(_0, _1)
quote_ident(text) text = tg_quote_ident(_0)
quote_literal(text) text = CASE WHEN _0 IS NOT NULL THEN tg_format('%L', [_0]) END
quote_nullable(text) text = COALESCE(tg_format('%L', [_0]), 'NULL')
get_byte(bytea, int4) int4 = tg_get_byte(_0, _1)
set_byte(bytea, int4, int4) bytea = tg_set_byte(_0, _1, _2)
get_bit(bytea, int8) int4 = tg_get_bit(_0, _1)
set_bit(bytea, int8, int4) bytea = tg_set_bit(_0, _1, _2)
bit_count(bytea) int8 = tg_bit_count(_0)
string_to_array(text, text) text[] = tg_string_to_array(_0, _1)
string_to_array(text, text, text) text[] = LIST_TRANSFORM(tg_string_to_array(_0, _1), LAMBDA x : NULLIF(x, _2))
like_escape(text, text) text = tg_decoded(tg_like_escape_bytes(ENCODE(_0), ENCODE(_1)), 'UTF8')
parse_ident(text) text[] = tg_parse_ident(_0, TRUE)
parse_ident(text, bool) text[] = tg_parse_ident(_0, _1)
unistr(text) text = tg_unistr(_0)
pg_size_bytes(text) int8 = tg_size_bytes(_0)
normalize(text) text = tg_normalized(_0, 'NFC')
normalize(text, text) text = tg_normalized(_0, _1)
is_normalized(text) bool = tg_is_normalized(_0, 'NFC')
is_normalized(text, text) bool = tg_is_normalized(_0, _1)
length(bytea, name) int4 = CAST(LENGTH(tg_decoded(_0, _1)) AS INTEGER)
like_escape(bytea, bytea) bytea = tg_like_escape_bytes(_0, _1)
convert_from(bytea, name) text = tg_decoded(_0, _1)
convert_to(text, name) bytea = tg_encoded(_0, _1)
convert(bytea, name, name) bytea = tg_encoded(tg_decoded(_0, _1), _2)
"""


def _quoted_value(name: str, arguments: Sequence[Typed]) -> Typed:
    """Return a value of any type quoted, by its text."""
    (value,) = arguments
    quoted = fragment("tg_format('%L', [_0])", text_of(value.tree, value.type))
    null = exp.Null() if name == "quote_literal" else string("NULL")
    return Typed(
        fragment("CASE WHEN _0 IS NULL THEN _1 ELSE _2 END", value.tree, null, quoted), TEXT
    )


def _collation(arguments: Sequence[Typed]) -> Typed:
    """Return the name of a value's collation, which types that are no texts have not.

    Raises:
        DatatypeMismatch: The value's type has none.
    """
    pg_type = arguments[0].type
    if pg_type.category != "S":
        raise DatatypeMismatch(f"collations are not supported by type {pg_type.sql_name}")
    return Typed(string('"C"' if pg_type.name == "name" else '"default"'), TEXT)


def _concat(arguments: Sequence[Typed]) -> Typed:
    texts = [fragment("COALESCE(_0, '')", text_for_concat(a)) for a in arguments]
    tree = texts[0]
    for text in texts[1:]:
        tree = fragment("_0 || _1", tree, text)
    return Typed(tree, TEXT)


def text_for_concat(value: Typed) -> exp.Expr:
    """Return a value's text as concat and format show it."""
    return output_text(value.tree, value.type)


def _concat_ws(arguments: Sequence[Typed]) -> Typed:
    separator, *values = arguments
    texts = [text_for_concat(v) for v in values]
    return Typed(call("CONCAT_WS", separator.tree, *texts), TEXT)


def _format(arguments: Sequence[Typed]) -> Typed:
    template, *values = arguments
    items = exp.Array(expressions=[text_for_concat(v).copy() for v in values])
    tree = fragment("tg_format(_0, _1)", template.tree, cast(items, "VARCHAR[]"))
    return Typed(tree, TEXT)


_ENCODERS: Final = {
    "hex": "LOWER(HEX(_0))",
    # In lines of 76 digits.
    "base64": "REGEXP_REPLACE(TO_BASE64(_0), '(.{76})', '\\1' || CHR(10), 'g')",
    "escape": "tg_to_escape(_0)",
}
_DECODERS: Final = {
    "hex": "tg_from_hex(_0)",
    "base64": "tg_from_base64(_0)",
    "escape": "tg_bytea_input(_0)",
}


def _coded(arguments: Sequence[Typed], *, is_encoding: bool) -> Typed:
    value, encoding = arguments
    forms = _ENCODERS if is_encoding else _DECODERS
    result = TEXT if is_encoding else BYTEA
    name = encoding.constant_text
    if name is not None:
        if name.lower() not in forms:
            raise InvalidParameterValue(f'unrecognized encoding: "{name}"')
        return Typed(fragment(forms[name.lower()], value.tree), result)
    cases = " ".join(f"WHEN '{n}' THEN {sql}" for n, sql in forms.items())
    tree = fragment(
        f"CASE LOWER(_1) {cases} ELSE ERROR('22023:unrecognized encoding: \"' || _1 || '\"') END",
        value.tree,
        encoding.tree,
    )
    return Typed(tree, result)


def _array_to_string(arguments: Sequence[Typed]) -> Typed:
    array, separator, *null = arguments
    element = array.type.element
    assert element is not None
    source = (
        fragment("FLATTEN(_0)", array.tree) if array.type.duckdb.endswith("[][]") else array.tree
    )
    item = output_text(exp.column("x"), element, 2)
    if null:
        item = fragment("COALESCE(_0, _1)", item, null[0].tree)
    texts = fragment("LIST_TRANSFORM(_0, LAMBDA x : _1)", source, item)
    present = fragment("LIST_FILTER(_0, LAMBDA y : y IS NOT NULL)", texts)
    # DuckDB's own function wants its separator constant.
    name = "tg_array_join" if separator.constant_text is None else "ARRAY_TO_STRING"
    joined = call(name, present, separator.tree)
    return Typed(joined, TEXT)


TEXT_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *table(_TABLE),
    *(
        rule(f"{name}(any)", partial(_quoted_value, name))
        for name in ("quote_literal", "quote_nullable")
    ),
    rule("pg_collation_for(any)", _collation),
    rule("concat(variadic any)", _concat),
    rule("concat_ws(text, variadic any)", _concat_ws),
    rule("format(text)", _format),
    rule("format(text, variadic any)", _format),
    rule("encode(bytea, text)", partial(_coded, is_encoding=True)),
    rule("decode(text, text)", partial(_coded, is_encoding=False)),
    *(
        rule(f"{name}({types})", _array_to_string)
        for name in ("array_to_string", "array_join")
        for types in ("anyarray, text", "anyarray, text, text")
    ),
    rule("pg_typeof(any)", lambda a: Typed(string(a[0].type.sql_name), TEXT)),
)
