"""A prepared statement, whether the protocol or PREPARE has named it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from catalog.types import PgType
from server.execute.describe import Described
from server.sql.bind.result import OutputColumn
from server.sql.statement import Commit, Rollback, RollbackTo, Statement

#: Statements that are accepted in a failed transaction.
_ENDS: Final = (Commit, Rollback, RollbackTo)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement that was parsed and, if there is anything to bind, bound.

    Attributes:
        statement: None when there was no statement, only blanks and comments.
        described: What binding told.
        columns: The result's columns as the client knows them.
        text: What the client has sent for it.
        is_by_sql: Whether PREPARE has made it.
        created_ms: When it was made.
        asked: The value that is looked for, when the statement was neither parsed nor bound: it is
            a point query that is ``described`` but for its constant.
        constants: What stands in the text for the parameters of ``described``, when that is of all
            statements of its kind.
    """

    statement: Statement | None
    described: Described
    parameter_types: tuple[PgType, ...]
    columns: tuple[OutputColumn, ...] | None
    asked: int | None = None
    text: str = ""
    is_by_sql: bool = False
    created_ms: int = 0
    constants: tuple[object, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is no statement."""
        return self.statement is None

    @property
    def ends_transaction(self) -> bool:
        """Whether it is COMMIT or ROLLBACK."""
        return isinstance(self.statement, Commit | Rollback)

    @property
    def is_accepted_when_failed(self) -> bool:
        """Whether it may run in a failed transaction block."""
        return isinstance(self.statement, _ENDS)
