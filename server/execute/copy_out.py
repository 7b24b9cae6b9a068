"""COPY TO STDOUT: a query's rows as the engine writes them into CopyData messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from server.execute.binding import bind
from server.execute.copy_options import copy_format
from server.result import EngineRows
from server.session_state import SessionState
from server.sql.bind.copy import bind_copy_out
from server.sql.bind.result import OutputColumn
from server.sql.statement import Copy
from server.wire.copy_format import CopyFormat
from server.wire.copy_rows import copy_head, copy_query, copy_tail
from server.wire.session_contract import CopyOutResult, RowBatch


class CopyOut(CopyOutResult):
    """The rows of one COPY TO."""

    def __init__(self, rows: EngineRows, form: CopyFormat) -> None:
        self._rows = rows
        self._form = form

    @property
    def copy_formats(self) -> Sequence[int]:
        return (self._form.code,) * len(self._rows.columns)

    @property
    def head(self) -> bytes:
        return copy_head([column.name for column in self._rows.columns], self._form)

    @property
    def tail(self) -> bytes:
        return copy_tail(self._form)

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        return self._rows.batches(formats)

    def tag(self, rows: int) -> str:
        return self._rows.tag(rows)

    def close(self) -> None:
        self._rows.close()


def copy_out(state: SessionState, statement: Copy) -> CopyOut:
    """Return what COPY TO gives; nothing runs before the first row is asked for.

    Raises:
        PgError: The statement makes no sense.
    """
    binding = bind(
        state, lambda context: bind_copy_out(statement, context), offset=statement.start, hints=()
    )
    columns = binding.bound.columns
    form = copy_format(statement, [column.name for column in columns])

    def encoded(source: str, columns: Sequence[OutputColumn], _formats: Sequence[int]) -> str:
        return copy_query(source, columns, form)

    rows = EngineRows(
        state,
        columns,
        binding.text().with_values(()),
        command="COPY",
        catalog_version=binding.catalog.version,
        encode=encoded,
    )
    return CopyOut(rows, form)
