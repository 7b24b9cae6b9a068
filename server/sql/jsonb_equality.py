"""Values of jsonb that are equal: the same but for zeros at the end of numbers.

jsonb keeps numbers as they were written, ``1.0`` beside ``1``, and both are one value. Its text is
canonical in all else (``server.value.jsonb``), so that values are equal when their texts are
without these zeros. What tells values apart goes by that form; of values that are equal, groups
show it, since which of them it would be otherwise is chance.
"""

from __future__ import annotations

from typing import Final

from catalog.types import JSONB
from server.sql.fragment import fragment
from server.sql.macro import macro
from server.sql.typed import Typed

#: A text in quotes, or a number and the zeros behind it.
_PARTS: Final = (
    r'("(?:[^"\\]|\\.)*")'
    r"|(-?[0-9]+(?:\.[0-9]*[1-9])?)(?:\.0+|0*)"
)

#: The engine's macro that takes the zeros away; few texts have a point at all.
JSONB_EQUALITY_MACROS: Final = (
    macro(
        "tg_jsonb_equal_form(t)",
        f"CASE WHEN CONTAINS(t, '.') THEN REGEXP_REPLACE(t, '{_PARTS}', '\\1\\2', 'g') ELSE t END",
    ),
)

#: What is compared of a jsonb, in the tables of operators; ``{}`` is it.
EQUAL_FORM: Final = "tg_jsonb_equal_form(CAST({} AS TEXT))"

_FORM: Final = f"CAST({EQUAL_FORM.format('_0')} AS JSON)"
_FORMS: Final = f"LIST_TRANSFORM(_0, LAMBDA e: CAST({EQUAL_FORM.format('e')} AS JSON))"


def has_equal_form(value: Typed) -> bool:
    """Whether values that are equal may not be the same to the engine: jsonb, or arrays of it."""
    return value.type.oid == JSONB.oid or _is_array(value)


def _is_array(value: Typed) -> bool:
    element = value.type.element
    return element is not None and element.oid == JSONB.oid and value.type.dimensions == 1


def equal_form(value: Typed) -> Typed:
    """Return a value of which equal ones are the same to the engine."""
    if not has_equal_form(value):
        return value
    return Typed(fragment(_FORMS if _is_array(value) else _FORM, value.tree), value.type)
