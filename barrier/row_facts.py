"""What a table's rows are asked when it is altered."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from barrier import keys
from barrier.keys import Content
from barrier.store import Attempt
from barrier.stored_text import queued_for
from barrier.table_program import TableProgram
from catalog.constraint import ForeignKey
from catalog.constraint_errors import (
    CheckViolation,
    failing_row,
    missing_reference,
    mixed_reference,
    not_unique,
)
from catalog.errors import NotNullViolation, ObjectInUse, PgError
from catalog.relation import ROW, Check, Column, Table, storage_name
from catalog.state import Catalog


def _fails(attempt: Attempt, table: Table, check: Check) -> bool:
    """Whether a row fails a condition."""
    rows = f"{TableProgram(table).storage} AS {ROW}"
    return bool(attempt.value(f"SELECT count(*) FROM {rows} WHERE NOT ({check.condition})"))


def refuse_rows(attempt: Attempt, before: Table, after: Table, changed: Collection[int]) -> None:
    """Refuse what is asked of single rows when some are not so.

    Args:
        attempt: The epoch's transaction; the rows are as they will be.
        before: The table as it was.
        after: The table as it is.
        changed: The numbers of columns whose values are others.

    Raises:
        NotNullViolation: There are NULLs where there may be none from now on.
        CheckViolation: A row fails a condition.
    """
    moved = {*changed} | {c.number for c in after.columns if changed and c.generated}
    were_nullable = {column.number for column in before.columns if column.is_nullable}
    held = {column.number for column in before.columns}
    for column in after.columns:
        is_new = column.number in were_nullable | moved or column.number not in held
        if is_new and not column.is_nullable and _has_null(attempt, after, column):
            raise NotNullViolation(
                f'column "{column.name}" of relation "{after.name}" contains null values'
            )
    for check in after.checks:
        is_asked = check not in before.checks or not moved.isdisjoint(check.columns)
        if is_asked and _fails(attempt, after, check):
            raise CheckViolation(
                f'check constraint "{check.name}" of relation "{after.name}"'
                " is violated by some row"
            )


def misfit(attempt: Attempt, table: Table, rows: str) -> PgError | None:
    """Return what is wrong with rows that a table was not asked about when they were written.

    Args:
        attempt: The epoch's transaction.
        table: The table as it is.
        rows: A FROM item with its columns.
    """
    names = [column.storage_name for column in table.columns]
    shown = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)

    def failing(condition: str) -> tuple[object, ...] | None:
        return attempt.row(f"SELECT {shown} FROM {rows} AS {ROW} WHERE {condition} LIMIT 1")

    required = [c for c in table.columns if not c.is_nullable or c.number in table.primary_key]
    for column in required:
        if (row := failing(f"{column.storage_name} IS NULL")) is not None:
            return NotNullViolation.of(
                table.schema, table.name, column.name, detail=failing_row(row)
            )
    for check in table.checks:
        if (row := failing(f"NOT ({check.condition})")) is not None:
            return CheckViolation.of(table.schema, table.name, check.name, detail=failing_row(row))
    return None


def refuse_doubled_key(
    attempt: Attempt, before: Table, after: Table, given: Mapping[int, str]
) -> None:
    """Refuse a primary key that rows have in common, or have not.

    Args:
        attempt: The epoch's transaction.
        before: The table as it is.
        after: The table as it is to be.
        given: What columns get, as of ``AlterRelation``.

    Raises:
        NotNullViolation: There are NULLs in it.
        UniqueViolation: There are such rows.
    """
    is_as_before = before.primary_key == after.primary_key
    if not after.primary_key or (is_as_before and given.keys().isdisjoint(after.primary_key)):
        return
    key = after.unique_keys[0]
    held = {column.number for column in before.columns}
    if not held.issuperset(key.numbers):
        empty = {*key.numbers} - held - {*given}
        if empty and attempt.row(f"SELECT 1 FROM {storage_name(before.oid)} LIMIT 1") is not None:
            named = next(column.name for column in after.columns if column.number in empty)
            raise NotNullViolation(
                f'column "{named}" of relation "{after.name}" contains null values'
            )
        return  # A new column has the same value in all rows; the engine sees to it.
    values = (f"{given.get(n, f'{ROW}.c{n}')} AS c{n}" for n in key.numbers)
    rows = f"(SELECT {', '.join(values)} FROM {storage_name(before.oid)} AS {ROW})"
    found = attempt.row(f"{keys.doubled(key, rows)} LIMIT 1")
    if found is None and is_as_before:
        is_null = " OR ".join(f"c{number} IS NULL" for number in key.numbers)
        found = attempt.row(f"SELECT 1 FROM {rows} WHERE {is_null} LIMIT 1")
    if found is None:
        return
    for column in after.columns:
        if column.number not in after.primary_key:
            continue
        where = f"WHERE c{column.number} IS NULL"
        if attempt.row(f"SELECT 1 FROM {rows} {where} LIMIT 1") is not None:
            raise NotNullViolation(
                f'column "{column.name}" of relation "{after.name}" contains null values'
            )
    raise not_unique(after, key, found)


def refuse_disobedience(
    attempt: Attempt, catalog: Catalog, before: Table, after: Table, changed: Collection[int]
) -> None:
    """Refuse constraints between rows that a table has now and its rows do not obey.

    Args:
        attempt: The epoch's transaction; the rows are as they will be.
        catalog: What there is.
        before: The table as it was.
        after: The table as it is.
        changed: The numbers of columns whose values are others.

    Raises:
        UniqueViolation: Rows have a key in common.
        ForeignKeyViolation: A row refers to one that is not there.
        ObjectInUse: Acknowledged rows wait to be applied.
    """
    held = {key.oid: key.parts for key in before.unique_keys}
    known = held.keys() | {key.oid for key in before.foreign_keys}
    has = {key.oid for key in after.unique_keys} | {key.oid for key in after.foreign_keys}
    if has - known:
        _refuse_queued(attempt, after)
    for key in after.unique_keys:
        if held.get(key.oid) == key.parts and key.columns.isdisjoint(changed):
            continue
        found = attempt.row(f"{keys.doubled(key, storage_name(after.oid))} LIMIT 1")
        if found is not None:
            raise not_unique(after, key, found)
    valid = {key.oid for key in before.foreign_keys if key.is_valid}
    for reference in after.foreign_keys:
        is_known = reference.oid in valid and not set(reference.columns) & set(changed)
        if reference.is_valid and not is_known:
            _refuse_dangling(attempt, catalog, after, reference)
    for owner, reference in catalog.referring(after.oid):
        if reference.is_valid and set(reference.target_columns) & set(changed):
            _refuse_dangling(attempt, catalog, owner, reference)


def _refuse_queued(attempt: Attempt, table: Table) -> None:
    """Refuse new constraints while rows wait that nobody can be told of any more.

    Raises:
        ObjectInUse: There are such rows.
    """
    if attempt.value(queued_for(table.oid)):
        raise ObjectInUse(
            f'cannot add constraints to table "{table.name}" while rows written to it wait to be '
            "applied",
            hint="They are applied when the database is resumed.",
        )


def _refuse_dangling(attempt: Attempt, catalog: Catalog, table: Table, key: ForeignKey) -> None:
    target = catalog.table(key.target)
    rows = storage_name(table.oid)
    if key.is_full and attempt.row(f"{keys.mixed(key, rows)} LIMIT 1") is not None:
        raise mixed_reference(table, key)
    found = attempt.row(f"{keys.missing(key, rows, Content(target))} LIMIT 1")
    if found is not None:
        raise missing_reference(table, key, target, found)


def _has_null(attempt: Attempt, table: Table, column: Column) -> bool:
    """Whether there is NULL in a column."""
    rows = TableProgram(table).storage
    return bool(attempt.value(f"SELECT count(*) FROM {rows} WHERE {column.storage_name} IS NULL"))
