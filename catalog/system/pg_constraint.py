"""Constraints of tables: pg_constraint, and what the standard's views tell of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from catalog.constraint import ForeignKey, UniqueKey
from catalog.relation import Table
from catalog.system.constraint import (
    check_oid,
    check_row,
    constraint_row,
    key_constraint_oid,
    key_oid,
)
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import constraint_rows, domains


def _tables(snapshot: Snapshot) -> list[Table]:
    return [relation for relation in snapshot.relations() if isinstance(relation, Table)]


def _keys(table: Table) -> list[UniqueKey]:
    """Return the keys that are constraints, and not indexes alone."""
    return [key for key in table.unique_keys if key.is_primary or key.constraint]


def _constraints(snapshot: Snapshot) -> Iterator[Row]:
    for table in _tables(snapshot):
        schema = snapshot.schema_oid(table.schema)
        for key in _keys(table):
            yield constraint_row(
                key_constraint_oid(table) if key.is_primary else key.constraint,
                key.name,
                schema,
                contype="p" if key.is_primary else "u",
                condeferrable=key.is_deferrable,
                condeferred=key.is_deferred,
                conrelid=table.oid,
                conindid=key_oid(table, key),
                connoinherit=True,
                conkey=list(key.numbers),
            )
        for number, check in enumerate(table.checks, 1):
            yield check_row(
                check_oid(table, number),
                check.name,
                schema,
                check.source,
                conrelid=table.oid,
                conkey=list(check.columns),
            )
        for reference in table.foreign_keys:
            yield _reference_row(snapshot, table, reference)
    yield from constraint_rows(snapshot)


def _reference_row(snapshot: Snapshot, table: Table, key: ForeignKey) -> Row:
    target = snapshot.catalog.table(key.target)
    return constraint_row(
        key.oid,
        key.name,
        snapshot.schema_oid(table.schema),
        contype="f",
        condeferrable=key.is_deferrable,
        condeferred=key.is_deferred,
        convalidated=key.is_valid,
        conrelid=table.oid,
        conindid=key_oid(target, _referenced(target, key)),
        confrelid=target.oid,
        confupdtype=key.on_update.value,
        confdeltype=key.on_delete.value,
        confmatchtype="f" if key.is_full else "s",
        connoinherit=True,
        conkey=list(key.columns),
        confkey=list(key.target_columns),
        confdelsetcols=list(key.set_columns) or None,
    )


def _referenced(target: Table, key: ForeignKey) -> UniqueKey:
    return next(unique for unique in target.unique_keys if unique.oid == key.key)


# --- the standard's views ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Constraint:
    """A constraint of a table as the standard sees it.

    Attributes:
        columns: The numbers of its columns.
        used: The table and columns that it is about: of a foreign key the referenced ones.
    """

    table: Table
    name: str
    kind: str
    columns: Sequence[int]
    used: tuple[Table, Sequence[int]]
    is_deferrable: bool = False
    is_deferred: bool = False
    nulls_distinct: str | None = None
    reference: ForeignKey | None = None
    clause: str = ""


def _all(snapshot: Snapshot) -> Iterator[_Constraint]:
    for table in _tables(snapshot):
        for key in _keys(table):
            yield _Constraint(
                table,
                key.name,
                "PRIMARY KEY" if key.is_primary else "UNIQUE",
                key.numbers,
                (table, key.numbers),
                key.is_deferrable,
                key.is_deferred,
                None if key.is_primary else _yes(is_so=not key.are_nulls_equal),
            )
        for reference in table.foreign_keys:
            target = snapshot.catalog.table(reference.target)
            yield _Constraint(
                table,
                reference.name,
                "FOREIGN KEY",
                reference.columns,
                (target, reference.target_columns),
                reference.is_deferrable,
                reference.is_deferred,
                reference=reference,
            )
        for check in table.checks:
            used = (table, check.columns)
            yield _Constraint(table, check.name, "CHECK", (), used, clause=f"({check.source})")
        for column in table.columns:
            if not column.is_nullable or column.number in table.primary_key:
                schema = snapshot.schema_oid(table.schema)
                name = f"{schema}_{table.oid}_{column.number}_not_null"
                clause = f"{column.name} IS NOT NULL"
                yield _Constraint(table, name, "CHECK", (), (table, ()), clause=clause)


def _yes(*, is_so: bool) -> str:
    return "YES" if is_so else "NO"


def _named(database: str, constraint: _Constraint) -> dict[str, str]:
    return {
        "constraint_catalog": database,
        "constraint_schema": constraint.table.schema,
        "constraint_name": constraint.name,
    }


def _of_table(database: str, table: Table) -> dict[str, str]:
    return {"table_catalog": database, "table_schema": table.schema, "table_name": table.name}


def _table_constraints(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for constraint in _all(snapshot):
        yield {
            **_named(database, constraint),
            **_of_table(database, constraint.table),
            "constraint_type": constraint.kind,
            "is_deferrable": _yes(is_so=constraint.is_deferrable),
            "initially_deferred": _yes(is_so=constraint.is_deferred),
            "enforced": "YES",
            "nulls_distinct": constraint.nulls_distinct,
        }


def _key_columns(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for constraint in _all(snapshot):
        names = _names(constraint.table)
        for position, number in enumerate(constraint.columns, 1):
            yield {
                **_named(database, constraint),
                **_of_table(database, constraint.table),
                "column_name": names[number],
                "ordinal_position": position,
                "position_in_unique_constraint": _position(constraint, position),
            }


def _position(constraint: _Constraint, position: int) -> int | None:
    """Return where a column's counterpart stands in the key that it refers to."""
    key = constraint.reference
    if key is None:
        return None
    target, numbers = constraint.used
    return _referenced(target, key).numbers.index(numbers[position - 1]) + 1


def _names(table: Table) -> dict[int, str]:
    return {column.number: column.name for column in table.columns}


def _used_columns(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for constraint in _all(snapshot):
        table, numbers = constraint.used
        names = _names(table)
        for number in numbers:
            yield {
                **_named(database, constraint),
                **_of_table(database, table),
                "column_name": names[number],
            }


def _used_tables(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for constraint in _all(snapshot):
        if constraint.kind != "CHECK":
            yield {**_named(database, constraint), **_of_table(database, constraint.used[0])}


def _references(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for constraint in _all(snapshot):
        key = constraint.reference
        if key is None:
            continue
        target, _ = constraint.used
        yield {
            **_named(database, constraint),
            "unique_constraint_catalog": database,
            "unique_constraint_schema": target.schema,
            "unique_constraint_name": _referenced(target, key).name,
            "match_option": "FULL" if key.is_full else "NONE",
            "update_rule": key.on_update.words,
            "delete_rule": key.on_delete.words,
        }


def _checks(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for constraint in _all(snapshot):
        if constraint.kind == "CHECK":
            yield {**_named(database, constraint), "check_clause": constraint.clause}
    for made in domains(snapshot):
        for condition in made.checks:
            yield {
                "constraint_catalog": database,
                "constraint_schema": made.schema,
                "constraint_name": condition.name,
                "check_clause": f"({condition.source})",
            }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {"pg_constraint": _constraints}

#: The same of information_schema.
STANDARD_ROWS: Final[dict[str, Make]] = {
    "check_constraints": _checks,
    "constraint_column_usage": _used_columns,
    "constraint_table_usage": _used_tables,
    "key_column_usage": _key_columns,
    "referential_constraints": _references,
    "table_constraints": _table_constraints,
}
