"""Expressions made at random of functions and operators that answer as PostgreSQL does alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.differential.comparison import known_differences
from tests.differential.corpus import (
    FORMS,
    FUNCTIONS_LEFT_OUT,
    OPERATORS_LEFT_OUT,
    Statement,
    argument_pool,
)
from tests.differential.pools import POOLS
from tests.support.server import Connection

_CALLS: Final = """
SELECT p.proname, '', ARRAY(SELECT t.typname FROM unnest(p.proargtypes) WITH ORDINALITY a(oid, n)
       JOIN pg_type t ON t.oid = a.oid ORDER BY n)::text[], r.typname
FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
LEFT JOIN pg_description d ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND NOT p.proretset
  AND p.provariadic = 0 AND p.provolatile = 'i' AND p.pronargs > 0
  AND d.description !~ '^(implementation of|I/O|less-equal|aggregate |larger of|smaller of|sort support|internal|window RANGE)'
UNION ALL
SELECT '', o.oprname, ARRAY[l.typname, r.typname]::text[], s.typname FROM pg_operator o
JOIN pg_type l ON l.oid = o.oprleft JOIN pg_type r ON r.oid = o.oprright
JOIN pg_type s ON s.oid = o.oprresult WHERE o.oprnamespace = 'pg_catalog'::regnamespace
ORDER BY 1, 2, 3, 4
"""

#: Types whose values print the same however they were computed.
_TYPES: Final = frozenset(
    ("bool", "int2", "int4", "int8", "text", "bytea", "date", "time", "timestamp", "timestamptz",
     "interval", "uuid", "jsonb")
)  # fmt: skip
_DEPTH_MAX: Final = 3
_CONSTANT_CHANCE: Final = 0.25


@dataclass(frozen=True)
class Call:
    """A function or operator with one signature."""

    name: str
    symbol: str
    types: tuple[str, ...]

    @property
    def kind(self) -> str:
        """As the corpus names it."""
        return f"{self.name or self.symbol}({', '.join(self.types)})"

    def text(self, arguments: Sequence[str]) -> str:
        """Return the call with these arguments."""
        if self.name in FORMS:
            return FORMS[self.name].format(*arguments)
        if self.name:
            return f"{self.name}({', '.join(arguments)})"
        return f"({arguments[0]} {self.symbol} {arguments[1]})"


class Grammar:
    """What can be called, by the type that it gives."""

    def __init__(self, judge: Connection) -> None:
        known = known_differences()
        self.calls: dict[str, list[Call]] = {}
        for name, symbol, types, result in judge.execute(_CALLS):
            call = Call(name, symbol, tuple(types))
            if result not in _TYPES or not _TYPES.issuperset(types):
                continue
            if symbol in OPERATORS_LEFT_OUT or (name and FUNCTIONS_LEFT_OUT.fullmatch(name)):
                continue
            probe = Statement(call.kind, "")
            if not any(k.matches(probe) for k in known):
                self.calls.setdefault(result, []).append(call)

    def expression(self, chance: random.Random, pg_type: str, depth: int = 0) -> str:
        """Return an expression of a type."""
        calls = self.calls.get(pg_type, [])
        if not calls or depth >= _DEPTH_MAX or (depth and chance.random() < _CONSTANT_CHANCE):
            return chance.choice(POOLS[pg_type])
        call = chance.choice(calls)
        arguments = []
        for place, argument_type in enumerate(call.types):
            pool = argument_pool(call.name or call.symbol, place, call.types)
            is_own = pool is not POOLS[argument_type]
            if is_own:
                arguments.append(chance.choice(pool))
            else:
                arguments.append(self.expression(chance, argument_type, depth + 1))
        return call.text(arguments)

    def statements(self, seed: int, count: int) -> list[Statement]:
        """Return statements that are the same for the same seed."""
        chance = random.Random(seed)
        types = sorted(self.calls)
        return [
            Statement(f"seed {seed}", f"SELECT {self.expression(chance, chance.choice(types))}")
            for _ in range(count)
        ]
