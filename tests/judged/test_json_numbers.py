"""Numbers inside JSON keep the digits they were written with, wherever they are taken from."""

from __future__ import annotations

import json
import random

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

#: Numbers that a double shows otherwise, and ones beside them that it does not.
NUMBERS = [
    "2.50",
    "1.0",
    "0.0",
    "-0.0",
    "-0",
    "0",
    "7",
    "-3",
    "2.5",
    "-1.25",
    "100",
    "1e2",
    "1E+2",
    "1.5e3",
    "1e-7",
    "1.10e-9",
    "0.0000010",
    "0.00001",
    "12345678901234567890",
    "12345678901234567890.5",
    "123456789.25",
    "123456789012345.75",
    "0.1234567890123456789",
    "1.00000000000000000001",
    "9007199254740993",
    "-9007199254740993.0",
    "123456789012345678901234567890",
    "1e25",
]
#: Strings that look like numbers, brackets and escapes.
STRINGS = ("2.50", "a 1.0, b", '"', "\\", "x]}", "10.0.0.10", "", "ä\n\t")
NAMES = ("a", "b", "key", "1.0", "", "x y", "0")

JSONB = """
SELECT i, j -> 'a', j ->> 'a', j -> 'b' -> 'a', j -> 'b' ->> 'key' FROM docs ORDER BY i;
SELECT i, j -> 0, j ->> 0, j -> -1, j -> 1 -> 0, j -> 1 ->> 'a', j -> 0 -> 0 FROM docs ORDER BY i;
SELECT i, j #> '{a}', j #>> '{b,0}', j #> '{1,a}', j #>> '{0,1}', j -> 'a' #> '{b}', j #> '{}' FROM docs ORDER BY i;
SELECT i, (j || '[1.0]') -> 0, (j || '[1.0]') ->> -1, (j || '[]') -> 0 -> 'a', (j || '[]') -> 0 ->> 'b' FROM docs ORDER BY i;
SELECT i, j['a'], j['b']['key'], j[0], j['a'][1] FROM docs ORDER BY i;
SELECT i, jsonb_extract_path(j, 'a', 'b'), jsonb_extract_path_text(j, '0', '0') FROM docs ORDER BY i;
SELECT i, n, e FROM docs, LATERAL (SELECT row_number() OVER () AS n, e FROM jsonb_array_elements(CASE WHEN jsonb_typeof(j) = 'array' THEN j END) e) l ORDER BY i, n;
SELECT i, n, e FROM docs, LATERAL (SELECT row_number() OVER () AS n, e FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof(j) = 'array' THEN j END) e) l ORDER BY i, n;
SELECT i, l.* FROM docs, LATERAL jsonb_each(CASE WHEN jsonb_typeof(j) = 'object' THEN j END) l ORDER BY i, key;
SELECT i, l.* FROM docs, LATERAL jsonb_each_text(CASE WHEN jsonb_typeof(j) = 'object' THEN j END) l ORDER BY i, key;
SELECT i, jsonb_agg(j -> 'a'), jsonb_build_array(min((j -> 0)::text)::jsonb) FROM docs GROUP BY i ORDER BY i;
"""

JSON = """
SELECT i, j -> 'a', j ->> 'a', j -> 'b' -> 'a', j -> 'b' ->> 'key' FROM texts ORDER BY i;
SELECT i, j -> 0, j ->> 0, j -> 1 -> 0, j -> 1 ->> 'a' FROM texts ORDER BY i;
SELECT i, j #> '{a}', j #>> '{b,0}', j #> '{1,a}', j #>> '{0,1}' FROM texts ORDER BY i;
SELECT i, n, e FROM texts, LATERAL (SELECT row_number() OVER () AS n, e FROM json_array_elements(CASE WHEN json_typeof(j) = 'array' THEN j END) e) l ORDER BY i, n;
SELECT i, n, e FROM texts, LATERAL (SELECT row_number() OVER () AS n, e FROM json_array_elements_text(CASE WHEN json_typeof(j) = 'array' THEN j END) e) l ORDER BY i, n;
SELECT i, l.* FROM texts, LATERAL json_each_text(CASE WHEN json_typeof(j) = 'object' THEN j END) l ORDER BY i, key, value;
"""


def _document(drawn: random.Random, depth: int = 0) -> str:
    kind = drawn.random()
    if kind < (0.25 if depth else 0.05):
        return drawn.choice(NUMBERS)
    if kind < (0.35 if depth else 0.08):
        return json.dumps(drawn.choice((*STRINGS, True, False, None)))
    if depth == 3:
        return drawn.choice(NUMBERS)
    blank = drawn.choice(("", " ", "\n"))
    items = [_document(drawn, depth + 1) for _ in range(drawn.randrange(4))]
    if kind < 0.6:
        return f"[{blank}{f',{blank}'.join(items)}{blank}]"
    names = drawn.sample(NAMES, len(items))
    members = (f"{json.dumps(n)}{blank}:{blank}{v}" for n, v in zip(names, items, strict=True))
    return f"{{{blank}{f',{blank}'.join(members)}{blank}}}"


@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_taken_with_all_their_digits(
    database: Address, judge: Address, seed: int
) -> None:
    drawn = random.Random(seed)
    rows = ", ".join(
        f"({i}, '{_document(drawn).replace(chr(39), chr(39) * 2)}')" for i in range(150)
    )
    given = [
        "CREATE TABLE docs (i int, j jsonb)",
        f"INSERT INTO docs VALUES {rows}",
        "CREATE TABLE texts (i int, j json)",
        f"INSERT INTO texts VALUES {rows}",
    ]
    assert_equal(judge, database, ";\n".join(given) + ";" + JSONB + JSON)
