"""What has a name in a session: cursors and prepared statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.system.snapshot import CursorState, PreparedState
from server.sql.bind.result import OutputColumn
from server.wire.messages import BINARY_FORMAT, TEXT_FORMAT
from server.wire.state import Portals, PreparedStatements


@dataclass(slots=True)
class Cursor:
    """A cursor that SQL declared.

    Attributes:
        staging: The staging table of its rows, numbered by ``__ord``.
        is_settled: Whether the transaction that declared it is committed.
        statement: The string that declared it.
        position: 0 before the first row, 1 to ``rows`` on one, one more behind the last.
    """

    columns: tuple[OutputColumn, ...]
    staging: str
    rows: int
    is_scrollable: bool
    is_holdable: bool
    is_binary: bool
    is_settled: bool
    statement: str
    created_ms: int
    position: int = 0

    @property
    def format_code(self) -> int:
        """The format of its rows."""
        return BINARY_FORMAT if self.is_binary else TEXT_FORMAT

    def listed(self, name: str) -> CursorState:
        """Return what pg_cursors tells of it."""
        return CursorState(
            name,
            self.statement,
            is_holdable=self.is_holdable,
            is_binary=self.is_binary,
            is_scrollable=self.is_scrollable,
            created_ms=self.created_ms,
        )


def listed_portals(portals: Portals[Any]) -> Iterator[CursorState]:
    """Yield what pg_cursors tells of the protocol's portals."""
    for portal in portals.all():
        yield CursorState(
            portal.name,
            portal.prepared.text,
            is_holdable=False,
            is_binary=False,
            is_scrollable=False,
            created_ms=portal.created_ms,
        )


def settled(cursors: Mapping[str, Cursor], *, is_committed: bool) -> list[str]:
    """Return the cursors that end with a transaction; the others belong to none any more."""
    ending = [
        name
        for name, cursor in cursors.items()
        if not cursor.is_holdable or not (is_committed or cursor.is_settled)
    ]
    for name in cursors.keys() - ending:
        cursors[name].is_settled = True
    return ending


def listed_statements(statements: PreparedStatements[Any]) -> Iterator[PreparedState]:
    """Yield what pg_prepared_statements tells of the statements that have a name."""
    for name, prepared in statements.items():
        if name:
            types = tuple(pg_type.oid for pg_type in prepared.parameter_types)
            yield PreparedState(
                name,
                prepared.text,
                types,
                from_sql=prepared.is_by_sql,
                created_ms=prepared.created_ms,
            )
