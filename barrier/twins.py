"""Macros that give NULL where others fail, for expressions that must not stop a view.

The engine's TRY takes no expression with ``error`` in it. So each macro that can call it, itself or
through others, has a twin that gives NULL in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

_MACRO: Final = re.compile(r"CREATE OR REPLACE MACRO (\w+)(\([^)]*\)) AS (.*)\Z", re.DOTALL)
_CALL: Final = re.compile(r"\b(\w+)(?=\()")

_NOTHING: Final = "tg_nothing"


def twins(
    statements: Sequence[str], known: Mapping[str, str] = MappingProxyType({})
) -> tuple[list[str], Mapping[str, str]]:
    """Return the statements that make the twins, and the twins by the names of the others.

    Args:
        statements: All that make macros, others among them.
        known: The twins of macros that are there already.
    """
    macros = {m[1]: (m[2], m[3]) for text in statements if (m := _MACRO.match(text))}
    calls = {name: set(_CALL.findall(body)) for name, (_, body) in macros.items()}
    failing = {"error", *known}
    while more := {name for name, called in calls.items() if called & failing} - failing:
        failing |= more
    names = {name: f"{name}_or_null" for name in macros if name in failing}
    renamed = {**known, **names, "error": _NOTHING}

    def rename(call: re.Match[str]) -> str:
        return renamed.get(call[0], call[0])

    made = [f"CREATE OR REPLACE MACRO {_NOTHING}(message) AS NULL"]
    for name, twin in names.items():
        parameters, body = macros[name]
        made.append(f"CREATE OR REPLACE MACRO {twin}{parameters} AS {_CALL.sub(rename, body)}")
    return made, names
