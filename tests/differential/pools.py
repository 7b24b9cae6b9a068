"""Values of each type to call functions with, and the arguments that some functions ask for."""

from __future__ import annotations

from typing import Final


def _typed(name: str, *texts: str) -> tuple[str, ...]:
    quoted = [f"'{text.replace(chr(39), chr(39) * 2)}'::{name}" for text in texts]
    return (*quoted, f"NULL::{name}")


#: Type -> constants of it: usual ones, edges, NULL.
POOLS: Final[dict[str, tuple[str, ...]]] = {
    "bool": _typed("bool", "t", "f"),
    "int2": _typed("int2", "0", "7", "-3", "32767", "-32768"),
    "int4": _typed("int4", "0", "1", "2", "-7", "42", "2147483647", "-2147483648"),
    "int8": _typed("int8", "0", "3", "-5", "9223372036854775807", "-9223372036854775808"),
    "float4": _typed("float4", "0", "1.5", "-2.25", "3e30", "NaN", "-Infinity"),
    "float8": _typed(
        "float8", "0", "-0", "0.5", "1", "-2.5", "1e15", "123456.789", "1e-300", "1e300", "NaN",
        "Infinity", "-Infinity",
    ),
    "numeric": _typed(
        "numeric", "0", "1", "-2.50", "0.001", "12345.6789", "1e20", "NaN", "Infinity", "-Infinity"
    ),
    "text": _typed(
        "text", "", "abc", "Hello, World", "  two  words ", "äÖß€😀", "12", "a%b_c\\d", "O'Brien"
    ),
    "varchar": _typed("varchar", "", "Abc", "ü "),
    "bpchar": _typed("char(5)", "ab", "", "abcde"),
    "name": _typed("name", "public", "Ä b"),
    "char": _typed('"char"', "x", ""),
    "bytea": _typed("bytea", "", "\\x00ff41", "abc", "\\xdeadbeef0123456789"),
    "bit": _typed('"bit"', "10110", "01111", "x1F", "1", "", "00000000101100000000000000000000001"),
    "varbit": _typed("varbit", "10110", "", "xAb", "0"),
    "date": _typed(
        "date", "2024-02-29", "1999-12-31", "2000-01-01", "0044-03-15 BC", "infinity", "-infinity"
    ),
    "time": _typed("time", "00:00:00", "13:45:06.789012", "24:00:00"),
    "timetz": _typed("timetz", "04:05:06.5+02", "23:59:59-07:30"),
    "timestamp": _typed(
        "timestamp", "2024-02-29 13:45:06.789012", "1999-12-31 23:59:59.999999",
        "1970-01-01 00:00:00", "0044-03-15 12:00:00 BC", "infinity", "-infinity",
    ),
    "timestamptz": _typed(
        "timestamptz", "2024-02-29 13:45:06.789+02", "2001-09-09 01:46:40+00",
        "1900-01-01 00:00:00-05", "infinity", "-infinity",
    ),
    "interval": _typed(
        "interval", "0", "1 day", "1 year 2 mons -3 days 04:05:06.789", "-25:30:00", "400 days",
        "-1 mon", "35 days 23:59:59.999999",
    ),
    "uuid": _typed(
        "uuid", "00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    ),
    "json": _typed(
        "json", '{"a": 1, "b": [1, "x", null], "c": {"d": true}}', "[1, 2.50, -3e2]", "null",
        '"str"', "17", "{}", '[{"a":1,"b":null}, {"a":"x"}]', '{"a":1,"a":2}',
    ),
    "jsonb": _typed(
        "jsonb", '{"a": 1, "b": [1, "x", null], "c": {"d": true}}', "[1, 2.50, -3e2]", "null",
        '"str"', "17", "{}", '[{"a":1,"b":null}, {"a":"x"}]', '{"bb":1,"a":2.10,"a":3}', "true",
    ),
    "jsonpath": _typed(
        "jsonpath", "$", "$.a", "$.b[*]", "strict $.zz", "$[*] ? (@ > 1)", "$.**", "$.c.d",
        "$.b[0 to 1].type()", "$.a == 1", "$.keyvalue().key", "lax $[last]", "$.b.size()",
        "exists($.a)", "$[*].a", "-$.a", "$.a + 2 * 3", '$.b[*] ? (@ starts with "x")',
        '$[*] ? (@.a like_regex "^X" flag "i")', "$ ? (@.a == $x)", "$[*].double()",
    ),
    "oid": _typed("oid", "0", "23", "4294967295"),
    "xid": _typed("xid", "5"),
    "_int4": _typed("int4[]", "{}", "{1,2,3}", "{3,NULL,1,3}", "{{1,2},{3,4}}"),
    "_text": _typed("text[]", "{}", "{a,b,c}", '{"",NULL,"x y",a}', "{a,b}"),
    "_float8": _typed("float8[]", "{1,2.5,NaN}", "{10,20,30,40}"),
    "_numeric": _typed("numeric[]", "{1,2.50}"),
    "_varbit": _typed("varbit[]", "{1,NULL,0101}"),
    "_bool": _typed("bool[]", "{t,f,NULL}"),
    "_date": _typed("date[]", "{2024-01-01,2020-02-29}"),
    "_jsonb": _typed("jsonb[]", '{"{\\"a\\": 1}",2}'),
    "record": ("ROW(1, 'a'::text)", "ROW(NULL::int, 2.5)", "ROW(2, 'b'::text)"),
}  # fmt: skip

_TEMPLATES_OF_MOMENTS: Final = _typed(
    "text",
    "YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH12:MI:SS.US AM", "FMDay, FMDDth FMMonth YYYY",
    "Dy DD Mon YY", "DAY MONTH MON day month mon", "J Q WW IW IYYY IYY ID DDD IDDD D W CC",
    "YYYYth Y,YYY YYY Y", "SSSS SSSSS MS FF1 FF2 FF3 FF6", "TZ tz TZH TZM OF", "RM rm FMRM|",
    'HH "o''clock" a.m. PM b.c. AD', "FMHH24:FMMI:FMSS FMMM/FMDD", "", 'xyz %d \\YYYY "a\\"b"',
    "HH24MISSMSUS", "DDth DDTH FMDDst", "BC B.C. YYYY bc", "FMWW FMIDDD FMYYYY FMYYY FMYY FMMS FMUS", "of tzh:tzm OF",
    "TMDay TMMonth TMmon",
)  # fmt: skip

_TEMPLATES_OF_NUMBERS: Final = _typed(
    "text",
    "999", "9999.99", "0000.00", "FM999999.99", "FM0.099", "S999", "999S", "999MI", "MI999",
    "999PR", "SG999", "$999.99", "L999", "9,999,999", "9G999D99", "RN", "FMRN", "FMrn", "999th",
    "999TH", "V99", "99V9", "9.99EEEE", "FM9.999EEEE", "B999", "FM990.00", "0999", "9 9 9",
    '"x"999"y"', "FM9999999999999999999999.9", ".99", "999.", "PL999", "", "FMS0000", "FM$9,999.00",
)  # fmt: skip

_PATTERNS: Final = _typed(
    "text",
    "b", "^a", "[a-z]+", "(l+)(o)", "(?i)HELLO", "o.*", "o.*?", "\\d+", "\\w+\\s", "", "(a|b)*?c",
    "[[:alpha:]]+", "[^[:space:]]", "x{2,}", "(", "\\mW", "o\\M", "(.)\\1", "^.{3}$", "a(?=b)",
    "(?:ab)(c)", "\\y", "[]a]", "$", "\\", "*a", "[z-a]",
)  # fmt: skip

_UNITS: Final = _typed(
    "text", "year", "month", "day", "hour", "minute", "second", "milliseconds", "microseconds",
    "century", "decade", "millennium", "quarter", "week", "dow", "isodow", "doy", "isoyear",
    "epoch", "julian", "timezone", "timezone_hour", "timezone_minute", "YEARS", "nonsense",
)  # fmt: skip

_ZONES: Final = _typed(
    "text", "UTC", "Europe/Berlin", "America/New_York", "+02", "-03:30", "EST", "Asia/Kolkata",
    "nowhere", "pst8pdt",
)  # fmt: skip

_PATHS: Final = _typed(
    "text[]", "{a}", "{b,0}", "{b,-1}", "{c,d}", "{zz,1}", "{}", "{0,a}", "{b,x}"
)

#: (function, place of an argument, from 0) -> constants for it in place of those of its type.
ARGUMENTS: Final[dict[tuple[str, int], tuple[str, ...]]] = {
    ("to_date", 0): _typed(
        "text", "2024-02-29", "29 Feb 2024", "20240229", "2024060", "99-1-1", "junk", "2024-13-01",
        "0044-03-15 BC", "2023-02-29", "",
    ),
    ("to_date", 1): _typed(
        "text", "YYYY-MM-DD", "DD Mon YYYY", "YYYYMMDD", "YYYYDDD", "YY-FMMM-FMDD", "YYYY-MM-DD BC",
        "IYYY-IW-ID", "DD-MM", "", "J",
    ),
    ("to_timestamp", 0): _typed(
        "text", "2024-02-29 13:45:06.789", "29/02/2024 01:45 PM", "20240229T134506", "2024-02-29",
        "2024-02-29 13:45:06+03", "12 am", "2024-02-30 00:00:00",
    ),
    ("to_timestamp", 1): _typed(
        "text", "YYYY-MM-DD HH24:MI:SS.MS", "DD/MM/YYYY HH12:MI AM", 'YYYYMMDD"T"HH24MISS',
        "YYYY-MM-DD", "YYYY-MM-DD HH24:MI:SSTZH", "HH AM", "YYYY-MM-DD HH24:MI:SS",
    ),
    ("to_number", 0): _typed(
        "text", "12,454.8-", "-12.50", "$1,234.00", "  42", "abc", "", "12.454,8", "<17>", "1e3",
        "XIV",
    ),
    ("to_number", 1): _typed(
        "text", "99G999D9S", "S99.99", "L9,999.99", "99", "999.99", "99,999.9", "9999", "PR", "RN",
    ),
    **dict.fromkeys([(n, 0) for n in ("date_trunc", "date_part", "extract")], _UNITS),
    ("date_trunc", 2): _ZONES,
    ("timezone", 0): _ZONES,
    ("make_timestamptz", 6): _ZONES,
    **dict.fromkeys(
        [(n, 1) for n in ("regexp_match", "regexp_matches", "regexp_replace", "regexp_like",
                          "regexp_count", "regexp_instr", "regexp_substr", "regexp_split_to_array",
                          "regexp_split_to_table", "substring", "~", "!~", "~*", "!~*")],
        _PATTERNS,
    ),
    ("regexp_replace", 2): _typed("text", "X", "<\\1>", "[\\&]", "", "\\\\"),
    **dict.fromkeys(
        [("regexp_match", 2), ("regexp_matches", 2), ("regexp_split_to_array", 2),
         ("regexp_split_to_table", 2), ("regexp_like", 2), ("regexp_replace", 3)],
        _typed("text", "", "g", "i", "gi", "n", "x", "q", "z"),
    ),
    ("encode", 1): _typed("text", "hex", "base64", "escape", "HEX", "rot13"),
    ("decode", 0): _typed("text", "", "deadBEEF", "YWJj", "a\\000b\\\\", "xyz", "abc="),
    ("decode", 1): _typed("text", "hex", "base64", "escape"),
    ("convert", 1): _typed("name", "UTF8"),
    ("convert", 2): _typed("name", "UTF8", "LATIN1"),
    ("convert_from", 1): _typed("name", "UTF8", "utf-8", "LATIN1", "nonsense"),
    ("convert_to", 1): _typed("name", "UTF8", "LATIN1", "nonsense"),
    ("length", 1): _typed("name", "UTF8"),
    **dict.fromkeys([(n, 1) for n in ("normalize", "is_normalized")],
                    _typed("text", "NFC", "NFD", "NFKC", "nfkd", "XYZ")),
    ("unistr", 0): _typed("text", "d\\0061t\\+000061", "\\u0441\\U0001F600", "\\d", "plain"),
    ("parse_ident", 0): _typed("text", "a.b", '"A b".c', "UPPER.x", "a b", "1a", '"x'),
    ("format", 0): _typed(
        "text", "%s and %I", "%2$s %1$s", "%L|%%", "[%10s]", "[%-10s]", "%*s", "%", "%z", "plain",
        "%5$s",
    ),
    ("like_escape", 1): _typed("text", "#", "", "\\", "ab"),
    ("similar_escape", 1): _typed("text", "#", "", "\\", "ab"),
    **dict.fromkeys(
        [(n, 1) for n in ("~~", "!~~", "~~*", "!~~*")],
        _typed("text", "", "%", "a%", "_bc", "%o, W%", "\\%", "A%B\\_c%", "abc", "%\\"),
    ),
    **dict.fromkeys([(n, 1) for n in ("#>", "#>>", "#-", "jsonb_set", "jsonb_insert", "jsonb_set_lax",
                                      "json_extract_path", "json_extract_path_text",
                                      "jsonb_extract_path", "jsonb_extract_path_text")], _PATHS),
    **dict.fromkeys([(n, 1) for n in ("->", "->>", "?", "jsonb_exists")],
                    _typed("text", "a", "b", "zz", "", "x", "str")),
    **dict.fromkeys([(n, 1) for n in ("->/int4", "->>/int4", "-/jsonb/int4")],
                    _typed("int4", "0", "1", "-1", "7", "-9")),
    ("jsonb_set_lax", 4): _typed("text", "use_json_null", "return_target", "delete_key",
                                 "raise_exception", "other"),
    **dict.fromkeys([(n, 2) for n in ("jsonb_path_exists", "jsonb_path_match", "jsonb_path_query",
                                      "jsonb_path_query_array", "jsonb_path_query_first")],
                    _typed("jsonb", '{"x": 1}', "{}", "[]")),
    ("json_object", 0): _typed("text[]", "{a,1,b,2}", "{{a,1},{b,NULL}}", "{a}", "{}", "{NULL,1}"),
    ("jsonb_object", 0): _typed("text[]", "{a,1,b,2}", "{{a,1},{b,NULL}}", "{a}", "{}", "{NULL,1}"),
    ("json_object/2", 0): _typed("text[]", "{a,b}", "{a}", "{}"),
    ("jsonb_object/2", 0): _typed("text[]", "{a,b}", "{a}", "{}"),
    **dict.fromkeys([("repeat", 1), ("lpad", 1), ("rpad", 1)], _typed("int4", "0", "3", "-1", "12")),
    **dict.fromkeys([(n, i) for n in ("substr", "substring", "overlay") for i in (1, 2, 3)],
                    _typed("int4", "1", "0", "3", "-2", "100")),
    **dict.fromkeys([("regexp_count", 2), ("regexp_instr", 2), ("regexp_instr", 3), ("regexp_instr", 4),
                     ("regexp_instr", 6), ("regexp_substr", 2), ("regexp_substr", 3),
                     ("regexp_substr", 5)], _typed("int4", "1", "0", "2", "1", "-1")),
    **dict.fromkeys([("regexp_count", 3), ("regexp_instr", 5), ("regexp_substr", 4)],
                    _typed("text", "", "i", "g", "z")),
    **dict.fromkeys([("left", 1), ("right", 1)], _typed("int4", "0", "2", "-2", "100", "-100")),
    ("split_part", 1): _typed("text", ",", "b", "", " "),
    ("split_part", 2): _typed("int4", "1", "2", "-1", "0", "5"),
    ("chr", 0): _typed("int4", "65", "8364", "0", "-1", "1114112", "55296"),
    **dict.fromkeys([(n, 1) for n in ("<<", ">>")], _typed("int4", "0", "1", "5", "31", "40", "-1")),
    **dict.fromkeys([("round", 1), ("trunc", 1)], _typed("int4", "0", "2", "-2", "10", "20", "-20")),
    ("make_date", 0): _typed("int4", "2024", "-44", "0", "99999999"),
    ("make_date", 1): _typed("int4", "2", "13", "1"),
    ("make_date", 2): _typed("int4", "29", "0", "15"),
    **dict.fromkeys([("make_timestamp", 0), ("make_timestamptz", 0)], _typed("int4", "2024", "-44")),
    **dict.fromkeys([("make_timestamp", 1), ("make_timestamptz", 1)], _typed("int4", "2", "12", "13")),
    **dict.fromkeys([("make_timestamp", 2), ("make_timestamptz", 2)], _typed("int4", "28", "31")),
    **dict.fromkeys([("make_timestamp", 3), ("make_timestamptz", 3), ("make_time", 0)],
                    _typed("int4", "13", "24", "0", "25")),
    **dict.fromkeys([("make_timestamp", 4), ("make_timestamptz", 4), ("make_time", 1)],
                    _typed("int4", "0", "59", "60")),
    **dict.fromkeys([("make_timestamp", 5), ("make_timestamptz", 5), ("make_time", 2)],
                    _typed("float8", "0", "1.5", "59.999999", "60", "61")),
    ("make_interval", 6): _typed("float8", "0", "-1.5", "90061.25"),
    **dict.fromkeys([("make_interval", i) for i in range(6)], _typed("int4", "0", "1", "-2", "30")),
    ("date_bin", 0): _typed("interval", "15 minutes", "1 day", "2 hours 30 min", "0", "-1 hour", "1 mon"),
    ("width_bucket", 3): _typed("int4", "5", "1", "0", "-1"),
    ("factorial", 0): _typed("int8", "0", "5", "20", "25", "-1"),
    ("array_fill", 1): _typed("int4[]", "{3}", "{2,2}", "{0}", "{}", "{-1}"),
    ("array_fill", 2): _typed("int4[]", "{1}", "{1,1}"),
    **dict.fromkeys([("array_length", 1), ("array_upper", 1), ("array_lower", 1),
                     ("generate_subscripts", 1)], _typed("int4", "1", "2", "0", "3")),
    ("trim_array", 1): _typed("int4", "0", "1", "2", "-1", "9"),
    **dict.fromkeys([(n, i) for n in ("get_byte", "set_byte") for i in (1,)],
                    _typed("int4", "0", "2", "-1", "50")),
    **dict.fromkeys([(n, 1) for n in ("get_bit", "set_bit")], _typed("int8", "0", "9", "-1", "500")),
    ("set_byte", 2): _typed("int4", "0", "65", "300"),
    ("set_bit", 2): _typed("int4", "0", "1", "2"),
    ("to_ascii", 0): _typed("text", "abc"),
    ("string_to_array", 1): _typed("text", ",", "", " ", "b"),
    ("string_to_table", 1): _typed("text", ",", "", " ", "b"),
    ("obj_description", 1): _typed("name", "pg_class"),
    ("format_type", 0): _typed("oid", "23", "1043", "1700", "1007", "0", "99999"),
    ("format_type", 1): _typed("int4", "-1", "14", "655366"),
    ("pg_size_pretty", 0): _typed("int8", "0", "1023", "10239", "10240", "-20480", "1099511627776"),
    ("pg_size_bytes", 0): _typed("text", "1", "10 kB", "1.5GB", "-3 MB", "x", "2 xb"),
    **dict.fromkeys([("generate_series", 0), ("generate_series", 1)],
                    _typed("int4", "1", "4", "-2")),
    ("generate_series", 2): _typed("int4", "1", "2", "-3", "0"),
    **dict.fromkeys([("generate_series/numeric", 0), ("generate_series/numeric", 1)],
                    _typed("numeric", "1", "2.5", "-2.0")),
    ("generate_series/numeric", 2): _typed("numeric", "0.5", "-1.25", "0", "NaN"),
    **dict.fromkeys([("generate_series/timestamp", 0), ("generate_series/timestamp", 1)],
                    _typed("timestamp", "2024-01-01", "2024-03-01", "2023-12-31 12:00")),
    ("generate_series/timestamp", 2): _typed("interval", "1 mon", "10 days", "-20 days", "0"),
    **dict.fromkeys([("generate_series/timestamptz", 0), ("generate_series/timestamptz", 1)],
                    _typed("timestamptz", "2024-01-01", "2024-03-01", "2023-12-31 12:00")),
    ("generate_series/timestamptz", 2): _typed("interval", "1 mon", "10 days", "-20 days", "0"),
    **dict.fromkeys([("generate_series/int8", 0), ("generate_series/int8", 1)],
                    _typed("int8", "1", "4", "-2")),
    ("generate_series/int8", 2): _typed("int8", "1", "2", "-3", "0"),
    ("ntile", 0): _typed("int4", "2", "1", "0"),
    **dict.fromkeys([("lag", 1), ("lead", 1), ("nth_value", 1)], _typed("int4", "1", "2", "0")),
    **dict.fromkeys([("percentile_cont", 0), ("percentile_disc", 0)], ("0.5", "0", "1", "0.3", "1.5")),
    ("string_agg", 1): _typed("text", ",", ""),
    ("^", 1): _typed("numeric", "0", "2", "0.5", "-1", "-0.5"),
    ("power", 1): _typed("numeric", "0", "2", "0.5", "-1"),
    ("^/float8", 1): _typed("float8", "0", "2", "0.5", "-1", "NaN", "Infinity"),
    ("power/float8", 1): _typed("float8", "0", "2", "0.5", "-1", "NaN", "Infinity"),
    ("to_char/interval", 1): _typed(
        "text", "HH24:MI:SS", "YYYY-MM-DD HH12:MI AM", "DDD SSSS MS US", 'FMDD "days" FMHH24',
        "Y YY YYY CC Q", "Mon", "J",
    ),
}  # fmt: skip

ARGUMENTS.update(
    {(f"to_char/{name}", 1): _TEMPLATES_OF_MOMENTS for name in ("timestamp", "timestamptz")}
)
ARGUMENTS.update(
    {
        (f"to_char/{name}", 1): _TEMPLATES_OF_NUMBERS
        for name in ("int4", "int8", "numeric", "float4", "float8")
    }
)
