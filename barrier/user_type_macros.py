"""What the engine must know of the types that users make: how enums are spelt, what domains take.

The macros are named after the type's OID, so that they can be called from views' queries, whatever
the type is called and whatever labels and conditions it has at the time:

    ut<oid>_text(value)     the label of an enum's value
    ut<oid>_in(label)       the value of a label; 22P02 for what is none
    ut<oid>_check(value)    a domain's value; 23502 and 23514 for what is none

A type's own values reach its macros through a list of one, since a macro copies its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from barrier.twins import twins
from catalog.user_type import VALUE, CompositeType, DomainType, EnumType, UserType, pg_type

_ERRORS: Final = {"null": "23502", "check": "23514", "label": "22P02"}


def statements(made: UserType, known: Mapping[str, str]) -> list[str]:
    """Return the statements that make a type known, or make it known anew.

    Args:
        made: The type.
        known: The twins of all other macros; those of its own are made with it.
    """
    own = _macros(made)
    made_twins, _ = twins(own, known)
    return [*own, *made_twins]


def _macros(made: UserType) -> list[str]:
    match made:
        case EnumType():
            names = _list(_literal(label.name) for label in made.labels)
            orders = _list(f"{label.order!r}::DOUBLE" for label in made.labels)
            wrong = f'{_ERRORS["label"]}:invalid input value for enum {made.name}: "'
            refused = f"error({_literal(wrong)} || word || '\"')"
            found = f"list_extract({orders}, list_position({names}, word))"
            read = (
                f"CASE WHEN word IS NULL THEN NULL WHEN {found} IS NULL THEN {refused}"
                f" ELSE {found} END"
            )
            return [
                _macro(
                    f"ut{made.oid}_text(value)",
                    f"list_extract({names}, list_position({orders}, value))",
                ),
                _macro(f"ut{made.oid}_in(label)", _once("label", "word", read)),
            ]
        case DomainType():
            return [_macro(f"ut{made.oid}_check(given)", _checked(made))]
        case CompositeType():
            return []


def drops(made: UserType) -> list[str]:
    """Return the statements that make a type unknown."""
    names = {EnumType: ("text", "in", "in_or_null"), DomainType: ("check", "check_or_null")}
    return [f"DROP MACRO IF EXISTS ut{made.oid}_{name}" for name in names.get(type(made), ())]


def _checked(made: DomainType) -> str:
    """Return what a domain's value is checked by: what its base asks first, then its own."""
    domain = pg_type(made).domain
    assert domain is not None, made
    cases: list[str] = []
    if domain.is_not_null:
        message = f"{_ERRORS['null']}:domain {made.name} does not allow null values"
        cases.append(f"WHEN {VALUE} IS NULL THEN error({_literal(message)})")
    for name, condition in domain.checks:
        message = (
            f'{_ERRORS["check"]}:value for domain {made.name} violates check constraint "{name}"'
        )
        cases.append(f"WHEN NOT ({condition}) THEN error({_literal(message)})")
    if not cases:
        return "given"
    return _once("given", VALUE, f"CASE {' '.join(cases)} ELSE {VALUE} END")


def _once(value: str, name: str, body: str) -> str:
    """Return what a body over a name gives for a value, which is evaluated once."""
    return f"list_extract(list_transform([{value}], lambda {name}: {body}), 1)"


def _macro(signature: str, body: str) -> str:
    return f"CREATE OR REPLACE MACRO {signature} AS {body}"


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
