"""Maps, which are RisingWave's: what is made of keys and values and found by its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.errors import CannotCoerce, InvalidParameterValue, UndefinedFunction
from catalog.types import BOOL, INT4, PgType, array_of, record
from server.sql.bind.type_name import map_of
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.common_type import common_type
from server.sql.fragment import call, cast, fragment
from server.sql.overload import Overload, rule
from server.sql.typed import Typed


def map_value(arguments: Sequence[Typed], *, position: int | None = None) -> Typed:
    """Return ``map {...}`` of its keys and values, one after the other.

    Raises:
        InvalidParameterValue: There are none, or no maps with such keys.
    """
    if not arguments:
        raise InvalidParameterValue(
            "cannot determine type of empty map",
            hint="Explicitly cast to the desired type, for example MAP{}::map(int,int).",
            position=position,
        )
    keys, values = arguments[::2], arguments[1::2]
    key, value = common_type(keys, "MAP"), common_type(values, "MAP")
    made = map_of(key, value, position=position)
    lists = [
        cast(
            exp.Array(expressions=[coerce(item, part, Coercion.IMPLICIT).tree for item in items]),
            f"{part.duckdb}[]",
        )
        for items, part in ((keys, key), (values, value))
    ]
    return Typed(cast(call("tg_map", *lists), made.duckdb), made)


def value_at(held: Typed, key: Typed, *, position: int | None = None) -> Typed:
    """Return the value of a key; NULL where there is none, or the key is of another type."""
    key_type, value_type = _entry(held)
    if not can_coerce(key.type, key_type, Coercion.ASSIGNMENT):
        raise CannotCoerce(
            f"cannot cast type {key.type.sql_name} to {key_type.sql_name}", position=position
        )
    wanted = coerce(key, key_type, Coercion.ASSIGNMENT, position=position)
    found = call("MAP_EXTRACT_VALUE", held.tree, cast(wanted.tree, key_type.duckdb))
    return Typed(cast(found, value_type.duckdb), value_type)


def empty_map(made: PgType) -> Typed:
    """Return a map without entries."""
    assert made.entry is not None, made
    lists = [cast(exp.Array(), f"{part.duckdb}[]") for part in made.entry]
    return Typed(cast(call("tg_map", *lists), made.duckdb), made)


def _entry(held: Typed) -> tuple[PgType, PgType]:
    assert held.type.entry is not None, held.type
    return held.type.entry


def _from_key_values(arguments: Sequence[Typed]) -> Typed:
    keys, values = arguments
    assert keys.type.element is not None
    assert values.type.element is not None
    value = values.type.element
    if values.type.dimensions > 1:
        value = array_of(value)
    made = map_of(keys.type.element, value)
    return Typed(cast(call("tg_map", keys.tree, values.tree), made.duckdb), made)


def _from_entries(arguments: Sequence[Typed]) -> Typed:
    (entries,) = arguments
    element = entries.type.element
    assert element is not None
    if not element.is_row:
        raise InvalidParameterValue(
            f"invalid map entries type, expected struct, got: {element.display()}"
        )
    if len(element.members) != 2:
        raise InvalidParameterValue(
            "the underlying struct for map must have exactly two fields,"
            f" got: {', '.join(member.display() for _, member in element.members)}"
        )
    (_, key), (_, value) = element.members
    made = map_of(key, value)
    keys, values = (
        fragment(f"LIST_TRANSFORM(_0, LAMBDA x : STRUCT_EXTRACT(x, 'f{n}'))", entries.tree)
        for n in (1, 2)
    )
    return Typed(cast(call("tg_map", keys, values), made.duckdb), made)


def _keys(arguments: Sequence[Typed]) -> Typed:
    return Typed(call("MAP_KEYS", arguments[0].tree), array_of(_entry(arguments[0])[0]))


def _values(arguments: Sequence[Typed]) -> Typed:
    return Typed(call("MAP_VALUES", arguments[0].tree), array_of(_entry(arguments[0])[1]))


def _entries(arguments: Sequence[Typed]) -> Typed:
    key, value = _entry(arguments[0])
    made = array_of(record([("key", key), ("value", value)]))
    tree = fragment(
        "LIST_TRANSFORM(MAP_ENTRIES(_0), LAMBDA x : {'f1': x.key, 'f2': x.value})",
        arguments[0].tree,
    )
    return Typed(cast(tree, made.duckdb), made)


def _length(arguments: Sequence[Typed]) -> Typed:
    return Typed(cast(call("CARDINALITY", arguments[0].tree), "INTEGER"), INT4)


def _access(arguments: Sequence[Typed]) -> Typed:
    return value_at(arguments[0], arguments[1])


def _key(held: Typed, key: Typed) -> exp.Expr:
    key_type, _ = _entry(held)
    return cast(coerce(key, key_type, Coercion.IMPLICIT).tree, key_type.duckdb)


def _contains(arguments: Sequence[Typed]) -> Typed:
    held, key = arguments
    return Typed(call("MAP_CONTAINS", held.tree, _key(held, key)), BOOL)


def _concatenated(arguments: Sequence[Typed]) -> Typed:
    """Return two maps as one; of keys that both have the second's value is taken."""
    known = [argument.type for argument in arguments if not argument.is_unknown]
    if not known:
        raise UndefinedFunction("function map_cat(unknown, unknown) does not exist")
    entries = [pg_type.entry for pg_type in known if pg_type.entry is not None]
    key, value = (
        common_type([Typed(exp.Null(), entry[n]) for entry in entries], "MAP") for n in (0, 1)
    )
    made = map_of(key, value)
    first, second = (coerce(argument, made, Coercion.IMPLICIT).tree for argument in arguments)
    tree = fragment(
        "CASE WHEN _0 IS NULL THEN _1 WHEN _1 IS NULL THEN _0 ELSE MAP_CONCAT(_0, _1) END",
        first,
        second,
    )
    return Typed(cast(tree, made.duckdb), made)


def _inserted(arguments: Sequence[Typed]) -> Typed:
    held, key, value = arguments
    made = held.type
    item = cast(coerce(value, _entry(held)[1], Coercion.IMPLICIT).tree, _entry(held)[1].duckdb)
    tree = fragment(
        "CASE WHEN _1 IS NULL OR _0 IS NULL THEN _0 ELSE MAP_CONCAT(_0, MAP([_1], [_2])) END",
        held.tree,
        _key(held, key),
        item,
    )
    return Typed(cast(tree, made.duckdb), made)


def _deleted(arguments: Sequence[Typed]) -> Typed:
    held, key = arguments
    tree = fragment(
        "MAP_FROM_ENTRIES(LIST_FILTER(MAP_ENTRIES(_0), LAMBDA x : x.key IS DISTINCT FROM _1))",
        held.tree,
        _key(held, key),
    )
    return Typed(cast(tree, held.type.duckdb), held.type)


MAP_FUNCTIONS: Final[tuple[Overload, ...]] = (
    rule("map_from_key_values(anyarray, otherarray)", _from_key_values),
    rule("map_from_entries(anyarray)", _from_entries),
    rule("map_keys(anymap)", _keys),
    rule("map_values(anymap)", _values),
    rule("map_entries(anymap)", _entries),
    rule("map_length(anymap)", _length),
    rule("cardinality(anymap)", _length),
    rule("map_access(anymap, any)", _access),
    rule("map_contains(anymap, any)", _contains),
    rule("map_cat(anymap, anymap)", _concatenated),
    rule("map_insert(anymap, any, any)", _inserted),
    rule("map_delete(anymap, any)", _deleted),
)
