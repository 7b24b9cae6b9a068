"""DuckDB expressions for the text images of values: exactly what PostgreSQL prints.

Each function takes an expression and returns one of type VARCHAR that is NULL where the value is.
Expressions are kept small: planning them is most of what a query of one row costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from catalog import types as t
from catalog.special_numeric import Special, greatest_number
from catalog.types import NUMERIC_SCALE, PgType
from catalog.written_numeric import TRIMMED, scale_code
from server.value.restyle import CLOCKS, FLOATS, is_plain, shows_as_peer
from server.value.style import Style, current_style

_MADE_FROM_TEXT: Final = frozenset(
    pg_type.oid for pg_type in (t.FLOAT4, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ)
)

#: Types whose text never needs quotes inside an array.
_BARE_IN_ARRAYS: Final = (
    frozenset(
        pg_type.oid
        for pg_type in (
            *(t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.UUID, t.TIME),
            *(t.TIMETZ, t.XID8, t.INT256, t.BIT, t.VARBIT),
        )
    )
    | t.UNSIGNED_OIDS
)
_MUST_BE_QUOTED_IN_ROWS: Final = r"""'[(),"\\\s\x0b]'"""
_MUST_BE_QUOTED: Final = r"""'[{}",\\\s\x0b]'"""


def engine_text(value: str, pg_type: PgType) -> str:
    """Return the expression for DuckDB's own text of ``value``, with as few digits as can be."""
    text = f"{value}::VARCHAR"
    if pg_type.oid != t.FLOAT4.oid:
        return text
    # DuckDB gives many float4 all digits of their exact value: take the fewest that do.
    # A text halfway between two float4 will not do, so look one double further out.
    tried = [f"printf('%.{digits}e', {value}::DOUBLE)" for digits in (5, 6, 7, 8)]
    choices = " ".join(f"WHEN {_names_float4(each, value)} THEN {each}" for each in tried[:-1])
    scientific = f"regexp_replace(CASE {choices} ELSE {tried[-1]} END, '\\.?0*e', 'e')"
    shorter = f"printf('%.8g', {value}::DOUBLE)"
    has_nine_digits = f"strlen(ltrim(replace({text}, '.', ''), '-0')) = 9"
    is_positional = f"abs({value}) < 1e6 AND NOT contains({text}, 'e')"
    return (
        f"CASE WHEN abs({value}) >= 1e6 AND abs({value}) < 1e16 THEN {scientific}"
        f" WHEN {is_positional} AND {has_nine_digits} AND {_names_float4(shorter, value)}"
        f" THEN {shorter} ELSE {text} END"
    )


def _names_float4(text: str, value: str) -> str:
    number = f"{text}::DOUBLE"
    return f"try_cast(nextafter({number}, 2 * {number} - {value}) AS FLOAT) = {value}"


def needs_text(pg_type: PgType) -> bool:
    """Whether the image is made from DuckDB's own text in several steps."""
    return pg_type.oid in _MADE_FROM_TEXT


def text_image(value: str, pg_type: PgType, text: str | None = None) -> str:
    """Return the expression for the text of ``value``, an expression of that type.

    ``text`` is its ``engine_text``, where that has been computed already.
    """
    text = text or f"({engine_text(value, pg_type)})"
    if pg_type.element is not None:
        return _array(value, pg_type.element, pg_type.dimensions)
    if pg_type.labels:
        return f"ut{pg_type.oid}_text({value})"
    if pg_type.is_row:
        return _record(value, pg_type)
    if pg_type.entry is not None:
        return _map(value, pg_type.entry)
    match pg_type.oid:
        case t.BOOL.oid:
            return f"CASE WHEN {value} THEN 't' WHEN NOT {value} THEN 'f' END"
        case t.FLOAT4.oid:
            return _float4(value, text)
        case t.FLOAT8.oid:
            return _float8(value)
        case t.NUMERIC.oid:
            return _numeric(value, text, pg_type)
        case t.BYTEA.oid:
            return f"'\\x' || lower(hex({value}))"
        case t.DATE.oid:
            return _unless_bc(value, "DATE '0001-01-01'", text, f"replace({text}, '(BC)', 'BC')")
        case t.TIMESTAMP.oid:
            return _timestamp(value, text, "TIMESTAMP '0001-01-01 00:00:00'")
        case t.TIMESTAMPTZ.oid:
            # Up to two days later it may still be 1 BC somewhere.
            return _timestamp(value, text, "TIMESTAMPTZ '0001-01-03 00:00:00+00'")
        case t.INTERVAL.oid:
            return _interval(value)
        case t.TID.oid:
            return f"printf('(%d,%d)', {value} >> 16, {value} & 65535)"
        case t.INT2VECTOR.oid | t.OIDVECTOR.oid:
            return f"array_to_string({value}, ' ')"
        case _:
            return f"{value}::VARCHAR"


def _float8(value: str) -> str:
    # JSON's text of a number has the same digits and is made in a third of the time.
    digits = f"to_json({value})::VARCHAR"
    common = f"CASE WHEN {value} = trunc({value}) THEN {value}::BIGINT::VARCHAR ELSE {digits} END"
    # The engine writes an exponent only from 1e16.
    unsigned = f"to_json(abs({value}))::VARCHAR"
    fraction = f"rtrim(replace(substr({unsigned}, 2), '.', ''), '0')"
    mantissa = f"rtrim(left({unsigned}, 1) || '.' || {fraction}, '.')"
    return (
        f"CASE WHEN abs({value}) BETWEEN 1e-4 AND 999999999999999.9 THEN {common}"
        f" WHEN abs({value}) BETWEEN 1e15 AND 9999999999999998"
        f" THEN CASE WHEN {value} < 0 THEN '-' ELSE '' END || {mantissa} || 'e+15'"
        f" ELSE CASE {value}::VARCHAR WHEN '0.0' THEN '0' WHEN '-0.0' THEN '-0'"
        f" WHEN 'nan' THEN 'NaN' WHEN '-nan' THEN 'NaN'"
        f" WHEN 'inf' THEN 'Infinity' WHEN '-inf' THEN '-Infinity'"
        f" ELSE {value}::VARCHAR END END"
    )


def _float4(value: str, text: str) -> str:
    positional = f"CASE WHEN suffix({text}, '.0') THEN left({text}, -2) ELSE {text} END"
    return (
        f"CASE WHEN abs({value}) < 1e6 THEN {positional} WHEN isfinite({value}) THEN {text}"
        f" WHEN isnan({value}) THEN 'NaN' ELSE replace({text}, 'inf', 'Infinity') END"
    )


def _numeric(value: str, text: str, pg_type: PgType) -> str:
    if pg_type.carries_scale:
        return _written(f"struct_extract({value}, 'v')", f"struct_extract({value}, 's')")
    if pg_type.scale == pg_type.precision:
        # Then DuckDB leaves out the zero before the point.
        text = f"CASE WHEN {value} < 0 THEN '-0' ELSE '0' END || ltrim({text}, '-')"
    if pg_type.scale and not pg_type.keeps_scale:
        text = f"rtrim(rtrim({text}, '0'), '.')"
    if pg_type.has_specials:
        words = {special: f"'{special}'" for special in Special}
        text = unless_special(value, pg_type, text, words)
    return text


def _written(value: str, code: str) -> str:
    """Return the text of a numeric with as many digits as its scale code says."""
    text = f"({value}::VARCHAR)"
    shown = f"substr({text}, 1, strlen({text}) - {code} + 1)"
    image = (
        f"CASE {code} WHEN {TRIMMED} THEN rtrim(rtrim({text}, '0'), '.')"
        f" WHEN {scale_code(0)} THEN left({text}, -{NUMERIC_SCALE + 1}) ELSE {shown} END"
    )
    words = {special: f"'{special}'" for special in Special}
    return unless_special(value, t.NUMERIC, image, words)


def unless_special(value: str, pg_type: PgType, image: str, images: Mapping[Special, str]) -> str:
    """Return the expression for a numeric's image, and what it is where that is no number."""
    assert pg_type.scale is not None
    greatest = f"'{greatest_number(pg_type.scale)}'::{pg_type.duckdb}"
    nan = f"'{Special.NAN.stored(pg_type.scale)}'::{pg_type.duckdb}"
    return (
        f"CASE WHEN abs({value}) > {greatest} THEN CASE WHEN {value} = {nan}"
        f" THEN {images[Special.NAN]} WHEN {value} > 0 THEN {images[Special.INFINITY]}"
        f" ELSE {images[Special.MINUS_INFINITY]} END ELSE {image} END"
    )


def _unless_bc(value: str, common_era: str, text: str, text_bc: str) -> str:
    return f"CASE WHEN {value} < {common_era} THEN {text_bc} ELSE {text} END"


def _timestamp(value: str, text: str, common_era: str) -> str:
    era_last = f"replace({text}, ' (BC)', '') || ' BC'"
    bc = f"CASE WHEN contains({text}, ' (BC)') THEN {era_last} ELSE {text} END"
    return _unless_bc(value, common_era, text, bc)


def interval_microseconds(value: str) -> str:
    """Return the expression for an interval's third part, which DuckDB has in pieces only."""
    return (
        f"(datepart('hour', {value}) * 3600000000 + datepart('minute', {value}) * 60000000"
        f" + datepart('microseconds', {value}))"
    )


def _interval(value: str) -> str:
    year, month, day = (f"datepart('{part}', {value})" for part in ("year", "month", "day"))
    rest = interval_microseconds(value)
    seconds = f"(abs({rest}) // 1000000)"
    fraction = f"(abs({rest}) % 1000000)"
    is_months_negative = f"({year} < 0 OR {month} < 0)"
    is_negative_before = f"(CASE WHEN {day} <> 0 THEN {day} < 0 ELSE {is_months_negative} END)"
    plus_day = f"CASE WHEN {day} > 0 AND {is_months_negative} THEN '+' ELSE '' END"
    sign = f"CASE WHEN {rest} < 0 THEN '-' WHEN {is_negative_before} THEN '+' ELSE '' END"
    clock = (
        f"{sign} || printf('%02d:%02d:%02d', {seconds} // 3600, {seconds} // 60 % 60,"
        f" {seconds} % 60) || CASE WHEN {fraction} > 0"
        f" THEN rtrim(printf('.%06d', {fraction}), '0') ELSE '' END"
    )
    has_clock = f"{rest} <> 0 OR ({year} = 0 AND {month} = 0 AND {day} = 0)"
    return (
        f"rtrim({_part(year, 'year', repr(''))} || {_part(month, 'mon', repr(''))}"
        f" || {_part(day, 'day', plus_day)} || CASE WHEN {has_clock} THEN {clock} ELSE '' END)"
    )


def _part(number: str, unit: str, plus: str) -> str:
    return (
        f"CASE WHEN {number} = 0 THEN '' WHEN {number} = 1 THEN {plus} || '1 {unit} '"
        f" ELSE {plus} || {number}::VARCHAR || ' {unit}s ' END"
    )


def styled_image(image: str, name: str, style: Style) -> str:
    """Return the expression for the text of a value in a style, given its plain image."""
    if is_plain(name, style):
        return image
    if name in CLOCKS and shows_as_peer(style):
        return f"tg_peer_clock({image})"
    shown = f"tg_shown('{name}', {image}, '{style.key}')"
    if name in FLOATS and style.float_digits > 0:
        # No other text differs, and looking for an exponent is cheaper than asking Python.
        return f"CASE WHEN contains({image}, 'e') THEN {shown} ELSE {image} END"
    return shown


def _record(value: str, pg_type: PgType) -> str:
    items = (
        f"coalesce({_quoted_member(_member_image(member_of(value, number), member), member)}, '')"
        for number, (_, member) in enumerate(pg_type.members, 1)
    )
    text = " || ',' || ".join(items) or "''"
    return f"CASE WHEN {value} IS NOT NULL THEN '(' || {text} || ')' END"


def _member_image(value: str, pg_type: PgType) -> str:
    """Return the expression for a member's text, which is in the session's style."""
    if pg_type.element is not None:
        return _array(value, pg_type.element, pg_type.dimensions, is_styled=True)
    return styled_image(text_image(value, pg_type), pg_type.name, current_style())


def member_of(value: str, number: int) -> str:
    """Return the expression for a row's column by its number."""
    return f"struct_extract({value}, 'f{number}')"


def _map(value: str, entry: tuple[PgType, PgType]) -> str:
    item = f"m{_depth(entry[0], entry[1])}"
    key, held = (
        f"coalesce({_member_image(f'struct_extract({item}, {part!r})', part_type)}, 'NULL')"
        for part, part_type in zip(("key", "value"), entry, strict=True)
    )
    items = f"list_transform(map_entries({value}), lambda {item}: {key} || ':' || {held})"
    return f"CASE WHEN {value} IS NOT NULL THEN '{{' || array_to_string({items}, ',') || '}}' END"


def _depth(*parts: PgType) -> int:
    """Return how deeply types are nested, so that lambdas inside each other differ in names."""
    inner: list[PgType] = []
    for part in parts:
        inner += (member for _, member in part.members)
        inner += part.entry or ()
        inner += () if part.element is None else (part.element,)
    return 1 + _depth(*inner) if inner else 0


def _quoted_member(text: str, pg_type: PgType) -> str:
    if pg_type.oid in _BARE_IN_ARRAYS:
        return text
    escaped = rf"""replace(replace({text}, '\', '\\'), '"', '""')"""
    return (
        f"CASE WHEN {text} = '' OR regexp_matches({text}, {_MUST_BE_QUOTED_IN_ROWS})"
        f" THEN '\"' || {escaped} || '\"' ELSE {text} END"
    )


def _array(
    value: str, element: PgType, depth: int, level: int = 1, *, is_styled: bool = False
) -> str:
    item = f"e{level}"
    if depth > 1:
        image = _array(item, element, depth - 1, level + 1, is_styled=is_styled)
        is_empty = f"len({flattened(value, depth)}) = 0"
    else:
        image = _member_image(item, element) if is_styled else text_image(item, element)
        is_empty = ""
        if element.oid not in _BARE_IN_ARRAYS:
            image = _quoted(image)
    items = f"list_transform({value}, lambda {item}: coalesce({image}, 'NULL'))"
    text = f"'{{' || array_to_string({items}, ',') || '}}'"
    return f"CASE WHEN {is_empty} THEN '{{}}' ELSE {text} END" if is_empty else text


def flattened(value: str, depth: int) -> str:
    """Return the expression for the elements of an array of that many dimensions."""
    for _ in range(depth - 1):
        value = f"flatten({value})"
    return value


def _quoted(text: str) -> str:
    escaped = rf"""replace(replace({text}, '\', '\\'), '"', '\"')"""
    return (
        f"CASE WHEN {text} = '' OR upper({text}) = 'NULL'"
        f" OR regexp_matches({text}, {_MUST_BE_QUOTED})"
        f" THEN '\"' || {escaped} || '\"' ELSE {text} END"
    )
