"""What a streaming job reads that follows the changelog of a relation.

It is a table of the job's own: for each row of the relation that comes or goes one that stays, with
what happened, in the order in which it did. The rows that were there first have come.
"""

from __future__ import annotations

from typing import Final

from catalog.oid import Oid
from catalog.relation import (
    Column,
    MaterializedView,
    Relation,
    SourceReader,
    StreamingJob,
    Table,
)
from catalog.types import INT2

#: The columns that a changelog has beside those of the relation; the second is its ``_row_id``.
OP: Final = "changelog_op"
ROW_NUMBER: Final = "_changelog_row_id"

#: The values of the first.
INSERT, DELETE, UPDATE_INSERT, UPDATE_DELETE = 1, 2, 3, 4

_CHANGES: Final = "changes"


def changes_name(oid: Oid) -> str:
    """Return what a bound query calls the changelog of a relation, before it has a reader."""
    return f"{_CHANGES}{oid}"


def changed_relation(name: str) -> Oid | None:
    """Return whose changelog a name in a bound query is, or None."""
    number = name.removeprefix(_CHANGES)
    return Oid(int(number)) if number != name and number.isdigit() else None


def columns_of(relation: Table | MaterializedView, last: int | None = None) -> tuple[Column, ...]:
    """Return the columns of a changelog that can be seen.

    Args:
        relation: What it is of.
        last: The number of the last column that the relation had when it began; None: begins now.
    """
    if last is None:
        last = last_number(relation)
    kept = [Column(c.name, c.type, c.number) for c in relation.columns if c.number <= last]
    return (*kept, Column(OP, INT2, last + 1))


def last_number(relation: Table | MaterializedView) -> int:
    """Return the number of the last column of a relation."""
    return max((column.number for column in relation.columns), default=0)


def follows(relation: Relation, oid: Oid, number: int) -> bool:
    """Whether something keeps a changelog of a relation in which one of its columns is."""
    return isinstance(relation, StreamingJob) and any(
        reader.is_of_changes and reader.source == oid and number <= reader.last
        for reader in relation.readers
    )


def change_reader(relation: Table | MaterializedView, reader: SourceReader) -> Table:
    """Return the table in which a job keeps the changelog of a relation."""
    return Table(
        oid=reader.oid,
        schema=relation.schema,
        name=f"{relation.name} changelog",
        owner=relation.owner,
        columns=columns_of(relation, reader.last),
        created_ms=relation.created_ms,
        is_append_only=True,
    )
