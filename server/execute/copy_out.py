"""COPY TO STDOUT: a query's rows as the engine writes them into CopyData messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from server.execute.binding import bind
from server.execute.copy_options import copy_format
from server.execute.query import bound_again, question
from server.result import EngineRows
from server.session_state import SessionState
from server.sql.bind.copy import bind_copy_out
from server.sql.bind.result import OutputColumn
from server.sql.statement import Copy
from server.wire.blank_messages import BlankMessages
from server.wire.copy_format import BINARY_HEAD, BINARY_TAIL, CopyFormat, CopyKind
from server.wire.copy_rows import HeadedBatch, copy_messages, header_line
from server.wire.messages import BINARY_FORMAT, TEXT_FORMAT
from server.wire.session_contract import CopyOutResult, RowBatch


class CopyOut(CopyOutResult):
    """The rows of one COPY TO."""

    def __init__(self, rows: EngineRows, form: CopyFormat) -> None:
        self._rows = rows
        self._form = form
        self._has_rows = False

    @property
    def copied(self) -> Sequence[OutputColumn]:
        return self._rows.columns

    @property
    def copy_formats(self) -> Sequence[int]:
        return (self._form.code,) * len(self._rows.columns)

    @property
    def encoding(self) -> str:
        return "" if self._form.kind is CopyKind.BINARY else self._form.encoding

    @property
    def head(self) -> bytes:
        if self._form.kind is CopyKind.BINARY:
            return b""  # It is in the first row's message, where some clients look for it.
        return header_line([column.name for column in self._rows.columns], self._form)

    @property
    def tail(self) -> bytes:
        if self._form.kind is not CopyKind.BINARY:
            return b""
        return BINARY_TAIL if self._has_rows else BINARY_HEAD + BINARY_TAIL

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:  # noqa: ARG002
        code = BINARY_FORMAT if self._form.kind is CopyKind.BINARY else TEXT_FORMAT
        for batch in self._rows.batches([code] * len(self._rows.columns)):
            if self._has_rows or not batch.rows or self._form.kind is not CopyKind.BINARY:
                yield batch
            else:
                self._has_rows = True
                yield HeadedBatch(batch)

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
    binding.check(state)
    columns = binding.bound.columns
    form = copy_format(statement, [column.name for column in columns])

    def encode(
        source: str, columns: Sequence[OutputColumn], _formats: Sequence[int]
    ) -> BlankMessages:
        return copy_messages(source, columns, form)

    query = binding.text().with_values(())
    rows = EngineRows(
        state,
        columns,
        query,
        command="COPY",
        again=None if state.transaction.is_open else bound_again(state, binding, ()),
        catalog_version=binding.catalog.version,
        encode=encode,
        question=question(state, binding, query, form),
    )
    return CopyOut(rows, form)
