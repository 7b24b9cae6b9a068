"""What a table does with new rows, as CREATE TABLE says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from barrier.proctime import reads_clock
from catalog.errors import (
    DuplicateObject,
    InvalidParameterValue,
    InvalidTableDefinition,
    UndefinedColumn,
)
from catalog.relation import Check, KeyConflict, Table
from catalog.relation_name import made_name
from catalog.types import BYTEA, UUID, PgType
from server.execute.constraint_name import constraint_names
from server.sql.bind.column_expression import bind_check, bind_generated, columns_of_row
from server.sql.bind.context import BindContext
from server.sql.clause import CheckDefinition, ColumnDefinition, RowRules
from server.sql.statement import CreateTable

#: Categories of types (pg_type.typcategory): numbers, dates and times, timespans, texts.
_ORDERED: Final = "NDTS"


def with_expressions(table: Table, statement: CreateTable, context: BindContext) -> Table:
    """Return the table with its generated columns and CHECK constraints.

    Raises:
        PgError: An expression makes no sense.
    """
    return with_checks(with_generated(table, statement.columns, context), statement.checks, context)


def with_generated(
    table: Table, definitions: Sequence[ColumnDefinition], context: BindContext
) -> Table:
    """Return the table with the generated ones among some of its columns.

    Raises:
        PgError: An expression makes no sense.
    """
    defined = {d.name: d for d in definitions if d.generated is not None}
    if not defined:
        return table
    # So that one that reads another is found out.
    marked = tuple(replace(c, generated="NULL") if c.name in defined else c for c in table.columns)
    marked_table = replace(table, columns=marked)
    columns = list(table.columns)
    for place, column in enumerate(columns):
        definition = defined.get(column.name)
        if definition is not None and definition.generated is not None:
            generated = bind_generated(definition.generated, marked_table, column, context)
            source = definition.generated_text
            if column.number in table.primary_key and reads_clock(generated):
                raise InvalidTableDefinition(
                    "Generated columns with impure expressions should not be part of the primary "
                    f'key. Here column "{column.name}" is defined as part of the primary key.'
                )
            columns[place] = replace(column, generated=generated, generated_source=source)
    return replace(table, columns=tuple(columns))


def with_checks(
    table: Table, definitions: Sequence[CheckDefinition], context: BindContext
) -> Table:
    """Return the table with more CHECK constraints; those without a name get PostgreSQL's.

    Raises:
        PgError: A condition makes no sense, or a name is taken.
    """
    checks = list(table.checks)
    taken = set(constraint_names(table))
    taken |= {definition.name for definition in definitions if definition.name is not None}
    for definition in definitions:
        name = definition.name
        condition = bind_check(definition.condition, table, context)
        read = tuple(sorted(columns_of_row(condition)))
        if name is None:
            beside = definition.column
            if beside is None and len(read) == 1:
                beside = next(c.name for c in table.columns if c.number == read[0])
            name = made_name(table.name, [beside] if beside else [], "check", taken.__contains__)
            taken.add(name)
        elif name in constraint_names(table):
            raise DuplicateObject(f'constraint "{name}" for relation "{table.name}" already exists')
        elif any(check.name == name for check in checks):
            raise DuplicateObject(f'check constraint "{name}" already exists')
        checks.append(Check(name, condition, definition.text, read))
    return replace(table, checks=tuple(checks))


def with_rules(table: Table, rules: RowRules) -> Table:
    """Return the table with what it does with keys that are there.

    Raises:
        PgError: The rules contradict each other, or need what the table does not have.
    """
    conflict = None if rules.conflict is None else KeyConflict(rules.conflict)
    if not table.primary_key and (conflict is not None or rules.version_columns):
        raise InvalidTableDefinition("ON CONFLICT of a table needs a primary key")
    if rules.is_append_only and table.primary_key:
        if conflict not in {None, KeyConflict.DO_NOTHING}:
            raise InvalidTableDefinition(
                "When PRIMARY KEY constraint applied to an APPEND ONLY table, "
                "the ON CONFLICT behavior must be DO NOTHING."
            )
        conflict = KeyConflict.DO_NOTHING
    if rules.version_columns and conflict is KeyConflict.DO_NOTHING:
        raise InvalidParameterValue(
            "The with version column syntax cannot be used with the ignore behavior of on conflict"
        )
    numbers = {column.name: column.number for column in table.columns}
    types = {column.name: column.type for column in table.columns}
    for named in rules.version_columns:
        if named.name not in numbers:
            raise UndefinedColumn(f"Version column {named.name} not found", position=named.position)
        if not _tells_versions(types[named.name]):
            raise InvalidParameterValue(
                f"Version column {named.name} must be of a comparable data type",
                position=named.position,
            )
    return replace(
        table,
        on_conflict=conflict or KeyConflict.OVERWRITE,
        version_columns=tuple(numbers[named.name] for named in rules.version_columns),
        is_append_only=rules.is_append_only,
    )


def _tells_versions(pg_type: PgType) -> bool:
    """Whether of two values of a type one can be the newer: numbers, times, texts and bytes."""
    return pg_type.category in _ORDERED or pg_type in (BYTEA, UUID)
