"""What SQL gives a name to in a session: cursors and prepared statements."""

from __future__ import annotations

from dataclasses import dataclass

from server.sql.bind.result import OutputColumn
from server.sql.statement import Statement


@dataclass(slots=True)
class Cursor:
    """A cursor that SQL declared.

    Attributes:
        staging: The staging table of its rows, numbered by ``__ord``.
        position: 0 before the first row, 1 to ``rows`` on one, one more behind the last.
        is_settled: Whether the transaction that declared it is committed.
    """

    columns: tuple[OutputColumn, ...]
    staging: str
    rows: int
    is_scrollable: bool
    is_holdable: bool
    is_settled: bool
    position: int = 0


@dataclass(frozen=True, slots=True)
class PreparedBySql:
    """A statement that PREPARE has named; what ``described`` holds is its executor's."""

    statement: Statement
    described: object
    columns: tuple[OutputColumn, ...] | None
