"""Sequences: numbers that are given out once each (PostgreSQL 15, chapter 9.17).

What a sequence is belongs to the catalog; how far it has come does not: numbers are given out
outside of transactions (``barrier.sequences``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from catalog.acl import Acl
from catalog.constraint_errors import SequenceLimitExceeded
from catalog.errors import DuplicateTable, UndefinedSchema, UndefinedTable
from catalog.oid import Oid
from catalog.relation import Relation, Schema, Table
from catalog.types import INT2, INT4, INT8, PgType

#: The least and the greatest number of each type that a sequence may have.
BOUNDS: Final[dict[Oid, tuple[int, int]]] = {
    INT2.oid: (-(2**15), 2**15 - 1),
    INT4.oid: (-(2**31), 2**31 - 1),
    INT8.oid: (-(2**63), 2**63 - 1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceGenerator:
    """A sequence.

    Attributes:
        cache: How many numbers PostgreSQL would keep ready for a session; shown only.
        owned_by: The table and the column's number with which it goes, or None.
        is_identity: Whether the column is an identity column.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    type: PgType = INT8
    start: int = 1
    increment: int = 1
    minimum: int = 1
    maximum: int = BOUNDS[INT8.oid][1]
    cache: int = 1
    cycles: bool = False
    owned_by: tuple[Oid, int] | None = None
    is_identity: bool = False
    comment: str | None = None
    acl: Acl | None = None

    @property
    def described(self) -> str:
        """How messages call it."""
        is_plain = self.schema == "public"
        return f"sequence {self.name if is_plain else f'{self.schema}.{self.name}'}"

    def after(self, value: int) -> int:
        """Return the number that follows one.

        Raises:
            SequenceLimitExceeded: There is none, and it does not begin again.
        """
        following = value + self.increment
        if self.minimum <= following <= self.maximum:
            return following
        what, bound, first = ("maximum", self.maximum, self.minimum)
        if self.increment < 0:
            what, bound, first = ("minimum", self.minimum, self.maximum)
        if not self.cycles:
            raise SequenceLimitExceeded(
                f'nextval: reached {what} value of sequence "{self.name}" ({bound})'
            )
        return first


@dataclass(frozen=True, slots=True)
class PutSequence:
    """Add a sequence, or put it in the place of the one with the same OID."""

    sequence: SequenceGenerator


@dataclass(frozen=True, slots=True)
class DropSequences:
    """Take sequences away, all or none; those who ask have looked for defaults that use them."""

    oids: frozenset[Oid]


SequenceChange: TypeAlias = PutSequence | DropSequences


def changed_sequences(
    sequences: Mapping[Oid, SequenceGenerator],
    schemas: Mapping[str, Schema],
    change: SequenceChange,
    is_taken: Callable[[str, str], bool],
) -> dict[Oid, SequenceGenerator]:
    """Return the sequences after a change.

    Args:
        sequences: Those before.
        schemas: What schemas there are.
        change: The change.
        is_taken: Whether a schema has a relation or an index of a name.

    Raises:
        UndefinedSchema: The schema is not known.
        DuplicateTable: The name is taken.
        UndefinedTable: One is not known.
    """
    if isinstance(change, DropSequences):
        if not change.oids <= sequences.keys():
            raise UndefinedTable("the sequence was dropped meanwhile")
        return {oid: held for oid, held in sequences.items() if oid not in change.oids}
    sequence = change.sequence
    if sequence.schema not in schemas:
        raise UndefinedSchema.named(sequence.schema)
    before = sequences.get(sequence.oid)
    is_moved = before is None or (before.schema, before.name) != (sequence.schema, sequence.name)
    if is_moved and is_taken(sequence.schema, sequence.name):
        raise DuplicateTable.named(sequence.name)
    return {**sequences, sequence.oid: sequence}


def without_owned(
    sequences: Mapping[Oid, SequenceGenerator], relations: Mapping[Oid, Relation]
) -> Mapping[Oid, SequenceGenerator]:
    """Return the sequences but for those whose column is gone."""
    gone = [oid for oid, sequence in sequences.items() if not _has_column(sequence, relations)]
    if not gone:
        return sequences
    return {oid: held for oid, held in sequences.items() if oid not in gone}


def _has_column(sequence: SequenceGenerator, relations: Mapping[Oid, Relation]) -> bool:
    if sequence.owned_by is None:
        return True
    table = relations.get(sequence.owned_by[0])
    return isinstance(table, Table) and any(
        column.number == sequence.owned_by[1] for column in table.columns
    )


#: A call for the next number of a sequence in a default, as the engine's SQL.
_CALL: Final = re.compile(r"tg_nextval\(GETVARIABLE\('session'\), (?:CAST\()?(\d+)", re.IGNORECASE)


def sequences_of(default: str | None) -> frozenset[Oid]:
    """Return the sequences that a default asks for numbers."""
    return frozenset(Oid(int(oid)) for oid in _CALL.findall(default or ""))
