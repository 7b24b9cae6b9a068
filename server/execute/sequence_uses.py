"""What uses a sequence, when it is to go; sequences that go with tables which are emptied."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from barrier.sequences import SequencePlace
from catalog.change import AlterRelation, Change
from catalog.dependence import describe
from catalog.errors import DependentObjectsStillExist, Notice
from catalog.oid import Oid
from catalog.relation import Table
from catalog.sequence import DropSequences, SequenceGenerator, sequences_of
from catalog.state import Catalog
from server.session_state import SessionState


def without_uses(
    state: SessionState,
    catalog: Catalog,
    held: SequenceGenerator,
    gone: Container[Oid],
    *,
    is_cascade: bool,
) -> list[Change]:
    """Return what takes a sequence away, out of the defaults that use it before.

    Args:
        state: The session.
        catalog: What there is.
        held: The sequence.
        gone: Tables that go anyway.
        is_cascade: Whether defaults may use it.

    Raises:
        DependentObjectsStillExist: A default uses it, or an identity column has it.
    """
    if held.is_identity and held.owned_by is not None:
        table = catalog.relations[held.owned_by[0]]
        column = next(c for c in table.columns if c.number == held.owned_by[1])
        raise DependentObjectsStillExist(
            f"cannot drop {held.described} because column {column.name} of"
            f" {describe(table)} requires it",
            hint=f"You can drop column {column.name} of {describe(table)} instead.",
        )
    changes: list[Change] = []
    lines: list[str] = []
    for table in catalog.relations.values():
        if not isinstance(table, Table) or table.oid in gone:
            continue
        users = [c for c in table.columns if held.oid in sequences_of(c.default)]
        if users:
            lines += [f"default value for column {c.name} of {describe(table)}" for c in users]
            columns = tuple(
                replace(c, default=None, default_source=None) if c in users else c
                for c in table.columns
            )
            changes.append(AlterRelation(table, replace(table, columns=columns)))
    if lines and not is_cascade:
        raise DependentObjectsStillExist(
            f"cannot drop {held.described} because other objects depend on it",
            detail="\n".join(f"{line} depends on {held.described}" for line in lines),
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
    for line in lines:
        state.notice(Notice(f"drop cascades to {line}"))
    return [*changes, DropSequences(frozenset({held.oid}))]


def restart(state: SessionState, tables: Sequence[Oid]) -> None:
    """Let the sequences of some tables' columns begin again: TRUNCATE ... RESTART IDENTITY."""
    for sequence in state.catalog().sequences.values():
        if sequence.owned_by is not None and sequence.owned_by[0] in tables:
            state.worker.sequences.move(sequence, SequencePlace(sequence.start, is_called=False))
