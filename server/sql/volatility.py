"""Whether a query gives other rows when it is run again over the same relations.

Judged by what reaches the engine: a text such as 'today' that becomes a date, by itself or out of a
column, depends on the time as much as a call of ``now()`` does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sqlglot import exp

from server.sql.macros import MACROS, PYTHON_FUNCTIONS
from server.sql.session_calls import SESSION_CALLS

_NODES: Final = (
    *(exp.Rand, exp.Uuid, exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime),
    *(exp.CurrentDatetime, exp.Localtime, exp.Localtimestamp),
)
_FUNCTIONS: Final = frozenset({"now", "random", "gen_random_uuid"})

_MACRO: Final = re.compile(r"CREATE OR REPLACE MACRO (\w+)\([^)]*\) AS (.*)\Z", re.DOTALL)
_CALL: Final = re.compile(r"\b(\w+)(?=\()")


def is_volatile(tree: exp.Expr) -> bool:
    """Whether a bound query may give other rows each time, or does something to its session."""
    volatile = _volatile_functions()
    return any(
        isinstance(node, _NODES)
        or (isinstance(node, exp.Anonymous) and node.name.lower() in volatile)
        for node in tree.walk()
    )


def may_fail_or_vary(tree: exp.Expr) -> bool:
    """Whether the engine calls an expression volatile: it does so of what reports an error too."""
    refused = _refused_functions()
    return is_volatile(tree) or any(
        isinstance(node, exp.Anonymous) and node.name.lower() in refused for node in tree.walk()
    )


@lru_cache(maxsize=1)
def _volatile_functions() -> frozenset[str]:
    """Return the functions and macros whose results their arguments do not decide."""
    found = set(_FUNCTIONS) | {f.name for f in PYTHON_FUNCTIONS if f.has_effects}
    return _with_callers(found | {name for name, *_ in SESSION_CALLS})


@lru_cache(maxsize=1)
def _refused_functions() -> frozenset[str]:
    """Return the macros that may report an error."""
    return _with_callers({"error"})


def _with_callers(functions: set[str]) -> frozenset[str]:
    """Return some functions and the macros that call them."""
    found = set(functions)
    macros = [match.groups() for text in MACROS if (match := _MACRO.match(text))]
    calls = {name: set(_CALL.findall(body.lower())) for name, body in macros}
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    return frozenset(found)
