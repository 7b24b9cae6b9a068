"""Values and expressions by type, in SQL that means the same to every PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

#: Literals by type; few of each, so that rows meet, and NULL comes from elsewhere.
VALUES: Final[dict[str, Sequence[str]]] = {
    "int": ("0", "1", "2", "3", "-7", "2147483647"),
    "bigint": ("0", "1", "5", "-9223372036854775807", "9223372036854775807"),
    "numeric(10,2)": ("0", "1.50", "-2.25", "99999999.99"),
    "numeric": ("0", "1.5", "-0.001", "123456789.123456", "'NaN'", "'Infinity'", "'-Infinity'"),
    "real": ("0.5", "1.5", "-2.25", "'NaN'", "'Infinity'", "'-0'"),
    "double precision": ("0", "0.5", "'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "1024.25"),
    "text": ("''", "'a'", "'b'", "'Ünï'", "'日本'", "'a''b'"),
    "boolean": ("true", "false"),
    "date": ("'2024-01-01'", "'2024-02-29'", "'1969-12-31'"),
    "timestamp": ("'2024-01-01 00:00:00'", "'2024-02-29 13:14:15.161718'"),
    "timestamptz": ("'2024-01-01 00:00:00+00'", "'2024-03-31 01:30:00+02'"),
    "interval": ("'1 month'", "'30 days'", "'1 day 02:03:04'", "'-1 hour'"),
    "jsonb": ("""'{"a": 1}'""", """'{"a": "x", "b": [1, 2]}'""", "'[]'", "'null'", "'7'"),
    "int[]": ("'{}'", "'{1,2}'", "'{1,NULL,3}'"),
    "text[]": ("'{a,b}'", "'{}'"),
    "uuid": ("'00000000-0000-0000-0000-000000000001'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"),
}
TYPES: Final = tuple(VALUES)
EXACT_NUMBERS: Final = ("int", "bigint", "numeric(10,2)", "numeric")
FLOATS: Final = ("real", "double precision")
#: Equal values of these look different, so a group or the first of a few may show any of them.
LOOSE: Final = (*FLOATS, "interval")
#: Types that group, sort and compare without surprises.
PLAIN: Final = (
    *EXACT_NUMBERS,
    "text",
    "boolean",
    "date",
    "timestamp",
    "timestamptz",
    "uuid",
    "int[]",
)

#: A column as an expression names it, and its type.
Column = tuple[str, str]

#: Expressions with ``{}`` for a column, by the column's type: text and type of the result.
_FUNCTIONS: Final[dict[str, Sequence[tuple[str, str]]]] = {
    "int": (
        ("{} % 3", "int"),
        ("{} / 2", "int"),
        ("coalesce({}, -1)", "int"),
        ("{}::bigint * 2", "bigint"),
        ("{}::text", "text"),
        ("{} > 1", "boolean"),
        ("case when {} > 1 then 'big' else 'small' end", "text"),
        ("nullif({}, 2)", "int"),
        ("{}::numeric", "numeric"),
        ("array[{}, 1]", "int[]"),
    ),
    "bigint": (("{} / 3", "bigint"), ("{} is null", "boolean"), ("{}::text", "text")),
    "numeric(10,2)": (
        ("{} * 2", "numeric"),
        ("abs({})", "numeric"),
        ("round({}, 1)", "numeric"),
        ("{} > 1", "boolean"),
    ),
    "numeric": (
        ("{} + 1", "numeric"),
        ("floor({})", "numeric"),
        ("-{}", "numeric"),
        ("({0} % 1000) * ({0} % 1000) - 2", "numeric"),
        ("coalesce({}, 0) / 3", "numeric"),
        ("{}::double precision", "double precision"),
        ("{} > 1", "boolean"),
    ),
    "real": (("{} * 2", "real"), ("{}::double precision", "double precision")),
    "double precision": (
        ("{} / 2", "double precision"),
        ("{} > 0", "boolean"),
        ("abs({})", "double precision"),
    ),
    "text": (
        ("upper({})", "text"),
        ("{} || 'x'", "text"),
        ("length({})", "int"),
        ("{} like 'a%'", "boolean"),
        ("coalesce({}, '?')", "text"),
        ("substr({}, 1, 1)", "text"),
    ),
    "boolean": (("not {}", "boolean"), ("case when {} then 1 else 0 end", "int")),
    "date": (
        ("{} + 1", "date"),
        ("extract(year from {})::int", "int"),
        ("{}::timestamp", "timestamp"),
    ),
    "timestamp": (
        ("date_trunc('month', {})", "timestamp"),
        ("{}::date", "date"),
        ("{} + interval '1 day'", "timestamp"),
    ),
    "timestamptz": (
        ("date_trunc('day', {})", "timestamptz"),
        ("{} at time zone 'UTC'", "timestamp"),
    ),
    "interval": (("{} + interval '1 day'", "interval"), ("{} > interval '2 days'", "boolean")),
    "jsonb": (("{} ->> 'a'", "text"), ("{} -> 'a'", "jsonb"), ("jsonb_typeof({})", "text")),
    "int[]": (("array_length({}, 1)", "int"), ("{}[1]", "int"), ("cardinality({})", "int")),
    "text[]": (("{}[1]", "text"), ("{} = '{{a,b}}'", "boolean")),
    "uuid": (("{}::text", "text"),),
}


def literal(random: Random, type_: str, *, null: float = 0.15) -> str:
    """A value of a type with its cast, or NULL."""
    if random.random() < null:
        return f"null::{type_}"
    return f"({random.choice(VALUES[type_])})::{type_}"


def expression(random: Random, scope: Sequence[Column], types: Sequence[str] = TYPES) -> Column:
    """An expression over one column with a type among some."""
    choices = [column for column in scope if column[1] in types]
    for name, type_ in scope:
        choices += [
            (f"({text.format(name)})", result)
            for text, result in _FUNCTIONS[type_]
            if result in types
        ]
    if not choices:
        type_ = types[0]
        return literal(random, type_), type_
    return random.choice(choices)


def condition(random: Random, scope: Sequence[Column]) -> str:
    """A boolean over one column or two of a type."""
    name, type_ = random.choice(scope)
    if type_ == "jsonb":
        return f"{name} is not null"
    value = literal(random, type_, null=0)
    others = [other for other, kind in scope if kind == type_]
    return random.choice(
        [
            f"{name} = {value}",
            f"{name} <> {value}",
            f"{name} is not distinct from {value}",
            f"{name} is null",
            f"{name} in ({value}, {literal(random, type_, null=0.1)})",
            f"({name} >= {value} or {name} is null)",
            f"{name} = {random.choice(others)}",
        ]
    )
