"""What becomes of values when a column's structs get other fields, by name as RisingWave has it.

A cast of rows goes by place. Here a field keeps its value under its name, wherever it stands then:
one that is gone takes its value along, one that is new is NULL.
"""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import DatatypeMismatch
from catalog.types import PgType
from server.sql.fragment import call, cast, fragment, row_fragment


def is_struct_change(source: PgType, target: PgType) -> bool:
    """Whether two types differ in the fields of their structs, which may be held by others."""
    return source != target and holds_struct(source) and holds_struct(target)


def changed_struct(tree: exp.Expr, source: PgType, target: PgType, depth: int = 1) -> exp.Expr:
    """Return a value with the fields of another type.

    Raises:
        DatatypeMismatch: A field that stays would be of another type.
    """
    if source == target:
        return tree
    if _is_struct(source) and _is_struct(target):
        return _struct(tree, source, target, depth)
    if source.element is not None and target.element is not None and _are_lists(source, target):
        name = f"e{depth}"
        item = changed_struct(exp.column(name), source.element, target.element, depth + 1)
        return fragment(f"LIST_TRANSFORM(_0, LAMBDA {name} : _1)", tree, item)
    if source.entry is not None and target.entry is not None:
        name = f"m{depth}"
        key, value = (
            changed_struct(fragment(f"STRUCT_EXTRACT({name}, '{part}')"), was, becomes, depth + 1)
            for part, was, becomes in zip(("key", "value"), source.entry, target.entry, strict=True)
        )
        pair = f"LIST_TRANSFORM(MAP_ENTRIES(_0), LAMBDA {name} : {{'key': _1, 'value': _2}})"
        return cast(call("MAP_FROM_ENTRIES", fragment(pair, tree, key, value)), target.duckdb)
    raise DatatypeMismatch(
        f"incompatible data type change from {source.display()} to {target.display()}"
    )


def _struct(tree: exp.Expr, source: PgType, target: PgType, depth: int) -> exp.Expr:
    places = {name: number for number, (name, _) in enumerate(source.members, 1)}
    fields: list[exp.Expr] = []
    for name, becomes in target.members:
        value: exp.Expr = exp.Null()
        if name in places:
            _, was = source.members[places[name] - 1]
            read = fragment(f"STRUCT_EXTRACT(_0, 'f{places[name]}')", tree)
            value = changed_struct(read, was, becomes, depth)
        fields.append(cast(value, becomes.duckdb))
    row = fragment("CASE WHEN _0 IS NOT NULL THEN _1 END", tree, row_fragment(fields))
    return cast(row, target.duckdb)


def _is_struct(pg_type: PgType) -> bool:
    return pg_type.is_row and not pg_type.is_made


def _are_lists(*types: PgType) -> bool:
    """Whether arrays have one dimension, as those of structs do."""
    return all(not pg_type.duckdb.endswith("[][]") for pg_type in types)


def holds_struct(pg_type: PgType) -> bool:
    """Whether a type is a struct, or an array or map that holds one."""
    if pg_type.element is not None:
        return holds_struct(pg_type.element)
    if pg_type.entry is not None:
        return any(holds_struct(part) for part in pg_type.entry)
    return _is_struct(pg_type)
