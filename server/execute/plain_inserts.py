"""INSERTs that differ only in their rows of constants, recognised by their text.

Scripts and tools write values into the text. Parsing and binding what stands before the rows takes
longer than all else that a session does for one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from catalog.types import PgType
from server.execute.binding import Binding
from server.execute.describe import Described
from server.session_state import SessionState
from server.sql.bind.constant_column import engine_values
from server.sql.bind.insert import bind_insert
from server.sql.bind.result import BoundInsert
from server.sql.constant_rows import ConstantRows
from server.sql.parser.constant_rows import find_rows
from server.sql.source import Source
from server.sql.statement import Insert, Statement

#: How many different texts are known at a time.
_TEXTS_MAX: Final = 256


@dataclass(frozen=True, slots=True)
class _Shape:
    """What INSERTs have in common that are bound alike: where they begin, and what surrounds rows.

    Attributes:
        start: Where the statement begins in what the client sent.
        head: The text before VALUES.
        width: How many values a row has.
    """

    start: int
    head: str
    width: int


class PlainInserts:
    """The INSERTs of a session that store nothing but constants, by their texts without them."""

    def __init__(self) -> None:
        self._known: dict[_Shape, tuple[Insert, Binding[BoundInsert]]] = {}

    def note(self, source: Source, statement: Statement, described: Described) -> None:
        """Remember a statement if its rows are plain constants, and it has no other clause."""
        write = described.write
        if not isinstance(statement, Insert) or statement.rows is None or write is None:
            return
        if not isinstance(write.bound, BoundInsert) or not _is_plain(write.bound):
            return
        if statement.rows.end != len(source.text):
            return
        if len(self._known) >= _TEXTS_MAX:
            self._known.clear()
        self._known[_shape(source, statement.rows)] = statement, write

    def find(self, source: Source, state: SessionState) -> tuple[Insert, Described] | None:
        """Return a known statement with the rows of another text, bound.

        Returns:
            None if there is none, or if one of the values needs to be looked at closer.
        """
        if not self._known or (rows := find_rows(source.text)) is None:
            return None
        if rows.end != len(source.text):
            return None
        shape = _shape(source, rows)
        if (known := self._known.get(shape)) is None:
            return None
        bound = known[1].bound
        # It may have been bound anew, when its own text was said again.
        if not known[1].is_current(state) or not _is_plain(bound):
            del self._known[shape]
            return None
        types = _types(bound)
        constants: list[list[object]] = []
        for literals, pg_type in zip(rows.columns, types, strict=True):
            values = (
                None if any(x[0] == "$" for x in literals) else engine_values(literals, pg_type)
            )
            if values is None:
                return None
            constants.append(values)
        statement = replace(known[0], rows=rows, source=source)
        other = replace(bound, constants=tuple(constants))
        binding = known[1].like(other, lambda context: bind_insert(statement, context))
        return statement, Described(write=binding)


def _is_plain(bound: BoundInsert) -> bool:
    """Whether a statement stores plain constants, and does nothing else."""
    return bound.plain is not None and not bound.parameters and bound.returning is None


def _shape(source: Source, rows: ConstantRows) -> _Shape:
    return _Shape(source.start, source.text[: rows.start], len(rows.columns))


def _types(bound: BoundInsert) -> list[PgType]:
    """Return the types of the columns that the values are for, in their order."""
    assert bound.plain is not None, bound
    types = {
        place: column.type
        for column, place in zip(bound.table.columns, bound.plain, strict=True)
        if place is not None
    }
    return [types[place] for place in range(len(bound.constants))]
