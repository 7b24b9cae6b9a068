"""The data of COPY FROM, chunk by chunk, into one staging table.

The engine splits and casts a chunk at once. Where it cannot, or finds something wrong, Python reads
the chunk row by row: it knows every form of every type, and says what is wrong in which line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from sqlglot import exp

from barrier.store import Reader
from barrier.writes import ORDINAL
from catalog.errors import (
    BadCopyFormat,
    InvalidDatetimeFormat,
    NotNullViolation,
    PgError,
    StringTooLong,
)
from catalog.relation import Column
from catalog.types import PgType
from server.execute.copy_sql import from_lines, from_lists
from server.session_state import SessionState
from server.sql.bind.copy import BoundCopyIn
from server.sql.text_input import constant
from server.wire.copy_binary import BinaryChunk
from server.wire.copy_columns import unpack_column
from server.wire.copy_cut import Chunk, Row
from server.wire.copy_format import CopyFormat
from server.wire.values import parser, unpacker

#: Values by column.
Columns: TypeAlias = list[list[object]]

#: As much of a value or a line is shown in an error's context.
_SHOWN_MAX: Final = 100

#: Classes of SQLSTATEs that tell of the data, and not of the circumstances.
_DATA_CLASSES: Final = frozenset({"22", "23", "0A", "XX"})


class Loader:
    """Fills a staging table.

    Attributes:
        staging: The staging table, or None while nothing has come.
        rows: How many rows it has.
    """

    def __init__(self, state: SessionState, bound: BoundCopyIn, form: CopyFormat) -> None:
        self.staging: str | None = None
        self.rows = 0
        self._state = state
        self._bound = bound
        self._form = form
        self._scratch: Reader | None = None
        self._parsers = [self._parser(column.type) for column in bound.columns]
        self._unpackers = [unpacker(column.type) for column in bound.columns]

    def load(self, chunk: Chunk | BinaryChunk) -> None:
        """Add a chunk's rows.

        Raises:
            PgError: Something is wrong with one; its context tells the line.
        """
        if isinstance(chunk, BinaryChunk):
            self._add_values(self._unpacked(chunk))
        elif not self._add_texts(chunk):
            self._add_values(self._parsed(chunk))

    def close(self) -> None:
        """Drop the staging table, unless ``staging`` was given away."""
        if self.staging is not None:
            self._state.drop_staging([self.staging])
            self.staging = None
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None

    def _add_texts(self, chunk: Chunk) -> bool:
        """Add a chunk by way of the engine's casts; False if that cannot be done, with no row."""
        lines = chunk.plain_lines()
        parameters: Sequence[object]
        if lines is not None:
            parameters = [lines]
            source = from_lines(self._form, len(self._bound.columns), has_escapes="\\" in lines)
        else:
            columns = chunk.columns(len(self._bound.columns))
            if columns is None:
                return False
            parameters = columns
            source = from_lists("f", ["VARCHAR"] * len(columns), len(columns[0]))
        try:
            self._insert(self._bound.from_texts, source, parameters, is_sure=False)
        except PgError as e:
            if e.severity != "ERROR" or e.sqlstate[:2] not in _DATA_CLASSES:
                raise
            return False
        return True

    def _add_values(self, columns: Columns) -> None:
        """Add rows of values that Python has read."""
        types = [column.type.duckdb for column in self._bound.columns]
        source = from_lists("v", types, len(columns[0]))
        self._insert(self._bound.from_values, source, columns, is_sure=True)

    def _insert(
        self, projections: str, source: str, parameters: Sequence[object], *, is_sure: bool
    ) -> None:
        """Add the rows of a FROM item.

        Args:
            projections: The stored columns.
            source: The FROM item, which numbers its rows from 1 as ``o``.
            parameters: Its parameters.
            is_sure: Whether no value can be wrong.
        """
        query = f"SELECT {projections}, {self.rows} + o AS {ORDINAL} FROM {source}"
        if not is_sure and self._state.transaction.is_open:
            self._rehearse(query, parameters)
        reader = self._state.reader
        if self.staging is None:
            name = self._state.manager.allocate_name()
            with self._state.interruptible():
                reader.run(f"CREATE TABLE {name} ({self._definition()})")
            self.staging = name
        with self._state.interruptible():
            self.rows += reader.run(f"INSERT INTO {self.staging} {query}", parameters)

    def _definition(self) -> str:
        columns = [f"{c.storage_name} {c.type.duckdb}" for c in self._bound.table.columns]
        return ", ".join([*columns, f"{ORDINAL} BIGINT"])

    def _rehearse(self, query: str, parameters: Sequence[object]) -> None:
        """Run a query elsewhere first: in a transaction the engine forgives no error."""
        if self._scratch is None:
            self._scratch = self._state.worker.reader()
            self._scratch.set_time_zone(self._state.settings.time_zone)
        counts = ", ".join(f"count({c.storage_name})" for c in self._bound.table.columns)
        with self._state.interrupt.on_set(self._scratch.interrupt):
            self._scratch.rows(f"SELECT {counts} FROM ({query}) AS q", parameters)

    def _parsed(self, chunk: Chunk) -> Columns:
        """Return a chunk's values as read by Python."""
        columns: Columns = [[] for _ in self._bound.columns]
        for row in chunk.rows():
            self._check_count(row)
            values = zip(self._bound.columns, self._parsers, row.fields, columns, strict=True)
            for column, parse, text, found in values:
                try:
                    if text is None:
                        self._check_null(column, row.fields)
                        found.append(None)
                    else:
                        _check_length(column, text)
                        found.append(parse(text))
                except PgError as e:
                    e.context = f"line {row.line}, column {column.name}: {_shown(text)}"
                    if isinstance(e, NotNullViolation):
                        e.context = f'line {row.line}: "{_cut(row.text)}"'
                    e.position = None
                    raise
        return columns

    def _parser(self, pg_type: PgType) -> Callable[[str], object]:
        """Return what reads texts of a type, in all forms that a constant may have."""
        parse = parser(pg_type)

        def read(text: str) -> object:
            try:
                return parse(text)
            except InvalidDatetimeFormat:
                return self._moment(text, pg_type)

        return read

    def _moment(self, text: str, pg_type: PgType) -> object:
        """Return a date or time in a rare form, or one such as ``today``, as the engine reads it.

        Raises:
            InvalidDatetimeFormat: It is none.
        """
        tree = constant(text, pg_type).tree
        if isinstance(tree.this, exp.Literal):
            return tree.this.name
        with self._state.interruptible():
            ((value,),) = self._state.reader.rows(f"SELECT ({tree.sql('duckdb')})::VARCHAR")
        return value

    def _unpacked(self, chunk: BinaryChunk) -> Columns:
        """Return the values of a chunk of images."""
        columns: Columns = []
        for place, column in enumerate(self._bound.columns):
            images = [row[place] for row in chunk.rows]
            values = None
            if column.type.length is None and not (
                self._bound.is_required(column) and None in images
            ):
                values = unpack_column(images, column.type)
            if values is None:
                values = self._unpacked_singly(images, place, chunk.first_line)
            columns.append(values)
        return columns

    def _unpacked_singly(
        self, images: Sequence[bytes | None], place: int, first_line: int
    ) -> list[object]:
        column, unpack = self._bound.columns[place], self._unpackers[place]
        found: list[object] = []
        for image in images:
            try:
                if image is None:
                    self._check_null(column, ())
                    found.append(None)
                    continue
                value = unpack(image)
                if isinstance(value, str):
                    _check_length(column, value)
                found.append(value)
            except PgError as e:
                e.context = f"line {first_line + len(found)}, column {column.name}"
                raise
        return found

    def _check_count(self, row: Row) -> None:
        wanted = self._bound.columns
        if len(row.fields) == len(wanted):
            return
        if len(row.fields) > len(wanted):
            error = BadCopyFormat("extra data after last expected column")
        else:
            name = wanted[len(row.fields)].name
            error = BadCopyFormat(f'missing data for column "{name}"')
        error.context = f'line {row.line}: "{_cut(row.text)}"'
        raise error

    def _check_null(self, column: Column, fields: Sequence[str | None]) -> None:
        if not self._bound.is_required(column):
            return
        detail = None
        if len(fields) == len(self._bound.table.columns):
            row = ", ".join("null" if field is None else field for field in fields)
            detail = f"Failing row contains ({row})."
        raise NotNullViolation(
            f'null value in column "{column.name}" of relation "{self._bound.table.name}" '
            "violates not-null constraint",
            detail=detail,
        )


def _check_length(column: Column, text: str) -> None:
    length = column.type.length
    if length is not None and len(text) > length and len(text.rstrip(" ")) > length:
        raise StringTooLong(f"value too long for type {column.type.display()}")


def _shown(text: str | None) -> str:
    return "null input" if text is None else f'"{_cut(text)}"'


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "..."
