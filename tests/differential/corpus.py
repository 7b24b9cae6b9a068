"""Expressions generated from PostgreSQL's own lists of functions, operators and casts.

What is called, and with which types, is asked of the PostgreSQL that judges; what the arguments
are comes from ``pools``. So nothing is left out but what is left out here by name.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.differential.json_paths import DOCUMENTS, PATHS
from tests.differential.pools import ARGUMENTS, POOLS
from tests.support.server import Connection

#: So many calls of a function or operator with one signature; casts have one for each value.
_CALLS_MAX: Final = 8
_COMPARISONS_MAX: Final = 3
_COMPARISONS: Final = frozenset({"=", "<>", "<", "<=", ">", ">=", "overlaps"})

#: Types that a polymorphic parameter is tried with: each row is one choice for all of a signature.
_POLYMORPHIC: Final = ("int4", "text", "numeric")

_PSEUDO: Final = frozenset(
    ("any", "anyelement", "anyarray", "anynonarray", "anycompatible", "anycompatiblearray",
     "anycompatiblenonarray", "record")
)  # fmt: skip

#: Functions that are not for data, or whose value is nobody's promise.
FUNCTIONS_LEFT_OUT: Final = re.compile(
    r"""
    (binary_upgrade|brin_|gin_|gist_|fmgr_|lo_|pg_(?!typeof|size|collation_for)|ts_|xml|
    has_|plpgsql_|postgresql_|satisfies_|txid_|row_security|inet_|(btequal|btvarstr)|get_current_ts|
    hash.*extended$|\w+_hash(_extended)?$|pg_column_size$|hash|interval_support|\w+_support$|\w+_subdiff$|amvalidate|query_to|table_to|schema_to|
    database_to|cursor_to|acl|array_(un)?typanalyze|loread|lowrite|mxid_|nameconcatoid|(int|float)\w*_(sum|avg)|
    int(4|8)(inc|dec)|txid_).*
    |current_(database|schemas?|user|setting|query)|session_user|user|getpgusername|version|getdatabaseencoding
    |now|(transaction|statement|clock)_timestamp|timeofday|random|setseed|gen_random_uuid|nextval|currval
    |lastval|setval|set_config|to_reg\w+|format_type|(col|obj|shobj)_description|to_ascii|suppress_\w+
    |d(exp|log1|log10|round|trunc|sqrt|pow|cbrt)|numeric_(exp|ln|log|sqrt|inc|div_trunc|power)|textlen
    |(not)?like|lseg.*|bpchar|varchar|numeric|interval|time|timetz|timestamp|timestamptz|bit|varbit|float[48]|int[248]
    |bool|name|text|char|date|oid|xid|position|json_populate.*|json_to_.*|jsonb_populate.*|jsonb_to_.*
    |convert|length/bytea/name|.*_larger|.*_smaller|float8_accum|float8_regr_\w+
    """,
    re.VERBOSE,
)

#: Aggregates, and types of arguments, that are not compared.
_AGGREGATES_LEFT_OUT: Final = frozenset({"xmlagg", "range_agg", "range_intersect_agg"})

_FUNCTIONS: Final = """
SELECT p.proname, p.prokind, p.proretset, p.provariadic <> 0,
       ARRAY(SELECT t.typname FROM unnest(p.proargtypes) WITH ORDINALITY a(oid, n)
             JOIN pg_type t ON t.oid = a.oid ORDER BY n)::text[],
       COALESCE(g.aggkind, '-'), COALESCE(g.aggnumdirectargs, 0)
FROM pg_proc p
LEFT JOIN pg_description d ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass
LEFT JOIN pg_aggregate g ON g.aggfnoid = p.oid
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND (d.description IS NULL OR d.description !~
  '^(implementation of|I/O|less-equal|aggregate |larger of|smaller of|sort support|internal|window RANGE)')
ORDER BY p.proname, p.proargtypes::text
"""

_OPERATORS: Final = """
SELECT o.oprname, l.typname, r.typname FROM pg_operator o
LEFT JOIN pg_type l ON l.oid = o.oprleft JOIN pg_type r ON r.oid = o.oprright
WHERE o.oprnamespace = 'pg_catalog'::regnamespace ORDER BY 1, 2, 3
"""

_CASTS: Final = """
SELECT s.typname, t.typname FROM pg_cast c
JOIN pg_type s ON s.oid = c.castsource JOIN pg_type t ON t.oid = c.casttarget
WHERE s.oid <> t.oid ORDER BY 1, 2
"""


@dataclass(frozen=True)
class Statement:
    """A statement of the corpus.

    Attributes:
        kind: The function, operator or cast, and the types: ``lpad(text, int4)``.
    """

    kind: str
    sql: str


def corpus(judge: Connection) -> list[Statement]:
    """All statements, the same for the same PostgreSQL."""
    return [*_casts(judge), *_operators(judge), *_functions(judge), *_paths()]


def _known(types: Sequence[str | None]) -> bool:
    return all(t is None or t in POOLS or t in _PSEUDO for t in types)


def _casts(judge: Connection) -> Iterator[Statement]:
    pairs = {(s, t) for s, t in judge.execute(_CASTS) if s in POOLS and t in POOLS}
    pairs |= {(t, "text") for t in POOLS}
    for source, target in sorted(pairs):
        for value in POOLS[source]:
            yield Statement(f"{source}::{target}", f"SELECT {value}::{_name(target)}")


def _name(typname: str) -> str:
    if typname.startswith("_"):
        return f"{_name(typname[1:])}[]"
    return {"char": '"char"', "bit": '"bit"'}.get(typname, typname)


def _operators(judge: Connection) -> Iterator[Statement]:
    for symbol, left, right in judge.execute(_OPERATORS):
        if not _known([left, right]) or symbol in OPERATORS_LEFT_OUT:
            continue
        for types in _concrete([t for t in (left, right) if t is not None]):
            kind = f"{symbol}({', '.join(types)})"
            for arguments in _calls(symbol, types, kind):
                if left is None:
                    yield Statement(kind, f"SELECT {symbol} {arguments[0]}")
                else:
                    yield Statement(kind, f"SELECT {arguments[0]} {symbol} {arguments[1]}")


#: Order of patterns and images, which nobody writes.
OPERATORS_LEFT_OUT: Final = frozenset(
    ("~<~", "~<=~", "~>~", "~>=~", "*=", "*<>", "*<", "*<=", "*>", "*>=")
)


def _functions(judge: Connection) -> Iterator[Statement]:
    for row in judge.execute(_FUNCTIONS):
        name, kind, gives_rows, is_variadic, types, aggregate_kind, direct = row
        if not _known(types) or FUNCTIONS_LEFT_OUT.fullmatch(name):
            continue
        if is_variadic:
            types = [*types[:-1], *[types[-1].removeprefix("_")] * 2]
        for concrete in _concrete(types):
            label = f"{name}({', '.join(concrete)})"
            if kind == "a":
                if name not in _AGGREGATES_LEFT_OUT:
                    yield from _aggregate(name, concrete, label, aggregate_kind, direct)
            elif kind == "w":
                yield from _window(name, concrete, label)
            else:
                for arguments in _calls(name, concrete, label):
                    form = FORMS.get(name)
                    text = f"{name}({', '.join(arguments)})"
                    if form is not None:
                        text = form.format(*(_unit(arguments) if name == "extract" else arguments))
                    sql = f"SELECT * FROM {text}" if gives_rows else f"SELECT {text}"
                    yield Statement(label, sql)


def _paths() -> Iterator[Statement]:
    for path in PATHS:
        constant = "'" + path.replace("'", "''") + "'::jsonpath"
        yield Statement("jsonpath::text", f"SELECT {constant}::text")
        for document in DOCUMENTS:
            call = f"jsonb_path_query('{document}'::jsonb, {constant}, '{{\"x\": 1}}')"
            yield Statement(f"jsonpath {path}", f"SELECT * FROM {call}")


def _unit(arguments: Sequence[str]) -> list[str]:
    """Return arguments of which the first is a word rather than a text."""
    return [arguments[0].partition("::")[0], *arguments[1:]]


#: Functions that are words of the grammar.
FORMS: Final = {"extract": "EXTRACT({} FROM {})", "overlaps": "({}, {}) OVERLAPS ({}, {})"}


def _concrete(types: Sequence[str]) -> list[list[str]]:
    """The signatures that one with pseudo-types stands for."""
    if not any(t in _PSEUDO and t != "record" for t in types):
        return [list(types)]
    found = []
    for choice in _POLYMORPHIC:
        array = f"_{choice}"
        if array in POOLS or not any("array" in t for t in types):
            found.append([_chosen(t, choice) for t in types])
    return found


def _chosen(parameter: str, choice: str) -> str:
    match parameter:
        case "record":
            return parameter
        case "anyarray" | "anycompatiblearray":
            return f"_{choice}"
        case _ if parameter in _PSEUDO:
            return choice
        case _:
            return parameter


def argument_pool(name: str, place: int, types: Sequence[str]) -> Sequence[str]:
    """The constants that an argument of a call is taken from."""
    own = types[place]
    for key in (f"{name}/{'/'.join(types)}", f"{name}/{types[0]}", f"{name}/{own}",
                f"{name}/{len(types)}", name):  # fmt: skip
        found = ARGUMENTS.get((key, place))
        if found is not None and (key != name or _is_like(found[0], own)):
            return found
    return POOLS[own]


def _is_like(constant: str, typname: str) -> bool:
    return constant.rpartition("::")[2] == _name(typname) or "::" not in constant


def _calls(name: str, types: Sequence[str], label: str) -> Iterator[tuple[str, ...]]:
    """Arguments: all combinations if they are few, else each value at least once."""
    pools = [argument_pool(name, place, types) for place in range(len(types))]
    calls_max = _COMPARISONS_MAX if name in _COMPARISONS else _CALLS_MAX
    if math.prod(len(pool) for pool in pools) <= calls_max:
        yield from itertools.product(*pools)
        return
    chance = random.Random(label)
    shuffled = []
    for pool in pools:
        # NULL is wanted, but once: nearly everything is NULL then.
        values = [v for v in pool if not v.startswith("NULL")]
        chance.shuffle(values)
        shuffled.append(itertools.cycle(values))
    count = calls_max
    if name not in _COMPARISONS:
        count = max(calls_max if len(types) > 1 else 0, *(len(pool) - 1 for pool in pools))
    for _ in range(count):
        yield tuple(next(values) for values in shuffled)
    for place, pool in enumerate(pools):
        if pool[-1].startswith("NULL"):
            arguments = [next(values) for values in shuffled]
            arguments[place] = pool[-1]
            yield tuple(arguments)


def _aggregate(
    name: str, types: Sequence[str], label: str, kind: str, direct: int
) -> Iterator[Statement]:
    pools = [argument_pool(name, place, types) for place in range(len(types))]
    rows = ", ".join(
        f"({', '.join([str(n), *(pool[n % len(pool)] for pool in pools)])})"
        for n in range(max((len(pool) for pool in pools), default=3))
    )
    columns = [f"c{place}" for place in range(len(types))]
    source = f"(VALUES {rows}) v({', '.join(['n', *columns])})"
    if kind == "o":
        call = f"{name}({', '.join(pools[0][:1] if direct else ())}) WITHIN GROUP (ORDER BY {columns[-1]})"
        forms = [call, f"{call} FILTER (WHERE n > 1)"]
    elif kind == "h":
        call = f"{name}({pools[0][0] if pools else '1'}) WITHIN GROUP (ORDER BY n)"
        forms = [call]
    else:
        inside = ", ".join(columns) or "*"
        if name == "string_agg":
            inside = f"c0, {pools[1][0]}"
        forms = [
            f"{name}({inside}{' ORDER BY n' if columns else ''})",
            f"{name}({inside}{' ORDER BY n DESC' if columns else ''}) FILTER (WHERE n BETWEEN 1 AND 3)",
            f"{name}({inside}) FILTER (WHERE n < 0)",
        ]
        if len(columns) == 1:
            forms.append(f"{name}(DISTINCT {inside})")
    for form in forms:
        yield Statement(label, f"SELECT {form} FROM {source}")


def _window(name: str, types: Sequence[str], label: str) -> Iterator[Statement]:
    value = POOLS[types[0]] if types else ()
    source = ", ".join(
        f"({n}, {n % 2}, {value[n % len(value)] if value else 'NULL::int4'})" for n in range(5)
    )
    seconds = argument_pool(name, 1, types) if len(types) > 1 else ("",)
    for second in seconds:
        arguments = ["c"] if types else []
        arguments += [second] if second else []
        if len(types) > 2:
            arguments.append(value[0])
        if name == "ntile":
            arguments = ["2"]
        yield Statement(
            label,
            f"SELECT n, {name}({', '.join(arguments)}) OVER (PARTITION BY p ORDER BY n) "
            f"FROM (VALUES {source}) v(n, p, c) ORDER BY n",
        )
