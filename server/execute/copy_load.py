"""The data of COPY FROM, chunk by chunk, into one staging table.

The engine splits and casts a chunk at once. Where it cannot, or finds something wrong, Python reads
the chunk row by row: it knows every form of every type, and says what is wrong in which line.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from sqlglot import exp

from barrier.arrow_column import ArrowColumn
from barrier.store import GIVEN, Reader
from barrier.writes import ORDINAL, WriteSet
from catalog.encoding import CODECS
from catalog.errors import (
    BadCopyFormat,
    InvalidDatetimeFormat,
    NotNullViolation,
    PgError,
    ProtocolViolation,
    StringTooLong,
)
from catalog.relation import Column
from catalog.types import PgType
from server.execute.copy_lanes import Lanes
from server.execute.copy_sql import from_file, from_given, from_lines, from_lists
from server.session_state import SessionState
from server.sql.bind.copy import NOW_VARIABLE, WHERE_ALIAS, BoundCopyIn
from server.sql.quick_input import FLOAT_ODDITIES
from server.sql.session_calls import VARIABLE
from server.sql.text_input import constant
from server.value.bits import check_bit_length
from server.wire.copy_binary import BinaryChunk
from server.wire.copy_columns import image_size, unpack_column
from server.wire.copy_cut import Chunk, Row, shown
from server.wire.copy_format import CopyFormat
from server.wire.copy_plain import PlainData, plain_data
from server.wire.messages import BINARY_FORMAT
from server.wire.transcoding import MessageTranscoder, image_change
from server.wire.values import parser, unpacker

#: Values by column.
Columns: TypeAlias = list[list[object]]

#: Rows in any of the three formats.
AnyChunk: TypeAlias = Chunk | BinaryChunk

_FLOAT_ODDITIES: Final = tuple(oddity.encode() for oddity in FLOAT_ODDITIES)

#: Smaller chunks are not worth a file.
_FILE_BYTES_MIN: Final = 1 << 17

#: So many rows are read in Python before it is seen whether they are still wanted.
_ROWS_UNINTERRUPTED: Final = 1024

#: Classes of SQLSTATEs that tell of the data, and not of the circumstances.
_DATA_CLASSES: Final = frozenset({"22", "23", "0A", "XX"})


class _OtherRowsError(Exception):
    """The engine has found another number of rows than there are."""


class Loader:
    """Fills a staging table.

    Args:
        state: The session's.
        bound: The statement.
        form: How the data look.
        encoding: What texts in binary data are encoded in; lines come in UTF-8.

    Attributes:
        staging: The staging table, or None while nothing has come.
        rows: How many rows it has.
    """

    def __init__(
        self, state: SessionState, bound: BoundCopyIn, form: CopyFormat, encoding: str
    ) -> None:
        self.staging: str | None = None
        self.rows = 0
        self._state = state
        self._bound = bound
        self._form = form
        self._home: Reader | None = None
        self._is_open = False
        self._now_us: int | None = None
        self._lanes: Lanes[AnyChunk] | None = None
        self._lock = threading.Lock()
        self._transcoder = MessageTranscoder(encoding) if encoding in CODECS else None
        self._unpackers = [self._unpacker(column.type) for column in bound.columns]

    def _is_transcoded(self, pg_type: PgType) -> bool:
        return self._transcoder is not None and image_change(pg_type, BINARY_FORMAT) is not None

    def _unpacker(self, pg_type: PgType) -> Callable[[bytes], object]:
        """Return what reads binary images of a type, whose texts the client has encoded."""
        unpack, transcoder = unpacker(pg_type), self._transcoder
        if transcoder is None:
            return unpack
        return lambda image: unpack(transcoder.image_to_utf8(pg_type, BINARY_FORMAT, image))

    def load(self, chunk: AnyChunk, *, is_last: bool = False) -> None:
        """Add a chunk's rows; they are there when ``finish`` has returned.

        Raises:
            PgError: Something is wrong with one, or with one of an earlier chunk; its context
                tells the line.
        """
        if self._home is None:
            # A transaction of the engine forgives no error, so that of a block stays out of it.
            self._is_open = self._state.transaction.is_open
            self._home = self._connect() if self._is_open else self._state.reader
            self._tell_time(self._home)
            self.staging = self._create(self._home)
        if self._lanes is None:
            if is_last:  # Few rows are not worth a thread.
                with self._state.interrupt.on_set(self._home.interrupt):
                    self._load(self._home, chunk)
                return
            self._lanes = Lanes(self._state, self._connect, self._load)
        self._lanes.add(chunk)

    def finish(self) -> None:
        """Wait until all rows are there.

        Raises:
            PgError: Something is wrong with one.
        """
        if self._lanes is not None:
            self._lanes.finish()

    def settle(self) -> None:
        """Let go of the rows that WHERE does not want, and make the table the transaction's own.

        Raises:
            PgError: It cannot be told for a row whether it is wanted.
        """
        home, given = self._home, self.staging
        if home is None or given is None:
            return
        if self._bound.where is not None:
            with self._state.interrupt.on_set(home.interrupt):
                self.rows -= home.run(
                    f"DELETE FROM {given} AS {WHERE_ALIAS} WHERE ({self._bound.where}) IS NOT TRUE"
                )
        if self._is_open:
            own = self._create(self._state.reader)
            with self._state.interruptible(), self._state.interrupt.on_set(home.interrupt):
                self._state.reader.run_after(
                    f"INSERT INTO {own} FROM {GIVEN}", home, f"FROM {given}"
                )
            home.run(f"DROP TABLE {given}")
            home.close()
            self._home, self._is_open, self.staging = self._state.reader, False, own

    def close(self) -> None:
        """Drop the staging table, unless ``staging`` was given away."""
        if self._lanes is not None:
            self._lanes.close()
            self._lanes = None
        if self.staging is not None and self._is_open:
            self._state.worker.discard(WriteSet((), staging=(self.staging,)))
        elif self.staging is not None:
            self._state.drop_staging([self.staging])
        self.staging = None
        if self._home is not None and self._is_open:
            self._home.close()
        self._home = None

    def _connect(self) -> Reader:
        reader = self._state.worker.reader()
        reader.set_time_zone(self._state.settings.time_zone)
        reader.set_variable(VARIABLE, self._state.calls_number)
        self._tell_time(reader)
        return reader

    def _tell_time(self, reader: Reader) -> None:
        """Let a connection know when the transaction, or the statement, began."""
        if not self._bound.has_now:
            return
        if self._now_us is None:
            ((now_us,),) = self._state.reader.rows("SELECT epoch_us(now())")
            self._now_us = int(str(now_us))
        reader.set_variable(NOW_VARIABLE, self._now_us)

    def _create(self, reader: Reader) -> str:
        columns = [f"{c.storage_name} {c.type.duckdb}" for c in self._bound.table.columns]
        definition = ", ".join([*columns, f"{ORDINAL} BIGINT"])
        name = self._state.manager.allocate_name()
        with self._state.interrupt.on_set(reader.interrupt):
            reader.run(f"CREATE TABLE {name} ({definition})")
        return name

    def _load(self, reader: Reader, chunk: AnyChunk) -> None:
        """Add a chunk's rows by a connection; on any thread."""
        if isinstance(chunk, BinaryChunk):
            self._add_images(reader, chunk)
        elif not any(add(reader, chunk) for add in (self._add_file, self._add_texts)):
            self._add_values(reader, self._parsed(reader, chunk), chunk)

    def _add_file(self, reader: Reader, chunk: Chunk) -> bool:
        """Add a chunk by way of a file; False if that cannot be done, with no row."""
        count = len(self._bound.columns)
        if len(chunk.data) < _FILE_BYTES_MIN or count == 1:
            return False
        plain = plain_data(chunk)
        if plain is None:
            return False
        with self._state.worker.file(plain.data) as path:
            source = from_file(path, self._form, count, plain)
            projections = (
                self._bound.from_texts if _may_be_odd(plain) else self._bound.from_plain_texts
            )
            return self._try(reader, projections, source, (), chunk, rows=plain.rows)

    def _add_texts(self, reader: Reader, chunk: Chunk) -> bool:
        """Add a chunk by way of the engine's casts; False if that cannot be done, with no row."""
        lines = chunk.plain_lines()
        if lines is not None:
            source = from_lines(self._form, len(self._bound.columns), has_escapes="\\" in lines)
            return self._try(reader, self._bound.from_texts, source, [lines], chunk)
        columns = chunk.columns(len(self._bound.columns))
        if columns is None:
            return False
        source = from_lists("f", ["VARCHAR"] * len(columns), len(columns[0]))
        return self._try(reader, self._bound.from_texts, source, columns, chunk)

    def _try(
        self,
        reader: Reader,
        projections: str,
        source: str,
        parameters: Sequence[object],
        chunk: Chunk,
        *,
        rows: int | None = None,
    ) -> bool:
        """Add the rows of a FROM item; False if one is wrong or there are others than expected."""
        query = self._query(projections, source, chunk)
        try:
            self._insert(reader, query, parameters, rows)
        except _OtherRowsError:
            return False
        except PgError as e:
            if e.severity != "ERROR" or e.sqlstate[:2] not in _DATA_CLASSES:
                raise
            return False
        return True

    def _add_values(self, reader: Reader, columns: Columns, chunk: AnyChunk) -> None:
        """Add rows of values that Python has read."""
        types = [column.type.duckdb for column in self._bound.columns]
        source = from_lists("v", types, len(columns[0]))
        self._insert(reader, self._query(self._bound.from_values, source, chunk), columns, None)

    def _add_images(self, reader: Reader, chunk: BinaryChunk) -> None:
        """Add rows of images."""
        given: dict[str, ArrowColumn] = {}
        lists: dict[str, list[object]] = {}
        types: dict[str, str] = {}
        for place, column in enumerate(self._bound.columns):
            name = f"v{place + 1}"
            values = None
            is_read_singly = column.type.length is not None or self._is_transcoded(column.type)
            if not is_read_singly and not (
                self._bound.is_required(column) and (chunk.lengths[:, place] < 0).any()
            ):
                values = unpack_column(chunk, place, column.type)
            if values is not None:
                given[name] = values
            else:
                lists[name] = self._unpacked(chunk, place)
                types[name] = column.type.duckdb
        source = from_given(list(given), types)
        query = self._query(self._bound.from_values, source, chunk)
        insert = f"INSERT INTO {self.staging} {query}"
        parameters = list(lists.values())
        added = (
            reader.run_over(insert, given, parameters) if given else reader.run(insert, parameters)
        )
        with self._lock:
            self.rows += added

    def _query(self, projections: str, source: str, chunk: AnyChunk) -> str:
        """Return the query for stored columns from a FROM item, which numbers its rows as ``o``."""
        return f"SELECT {projections}, {chunk.first_line - 1} + o AS {ORDINAL} FROM {source}"

    def _insert(
        self, reader: Reader, query: str, parameters: Sequence[object], rows: int | None
    ) -> None:
        insert = f"INSERT INTO {self.staging} {query}"
        if rows is None:
            added = reader.run(insert, parameters)
        else:
            reader.run("BEGIN")
            try:
                added = reader.run(insert, parameters)
                if added == rows:
                    reader.run("COMMIT")
            except BaseException:
                reader.rollback()
                raise
            if added != rows:
                reader.rollback()
                raise _OtherRowsError
        with self._lock:
            self.rows += added

    def _parsed(self, reader: Reader, chunk: Chunk) -> Columns:
        """Return a chunk's values as read by Python."""
        parsers = [self._with_rare_moments(reader, c.type) for c in self._bound.columns]
        columns: Columns = [[] for _ in self._bound.columns]
        for number, row in enumerate(chunk.rows()):
            if number % _ROWS_UNINTERRUPTED == 0:
                self._state.interrupt.check()
            for found, value in zip(columns, self._row(row, parsers), strict=True):
                found.append(value)
        return columns

    def _row(self, row: Row, parsers: Sequence[Callable[[str], object]]) -> list[object]:
        """Return the values of a row; what is wrong is found in PostgreSQL's order."""
        columns, fields = self._bound.columns, row.fields
        context = f'line {row.line}: "{shown(row.text)}"'
        if len(fields) > len(columns):
            raise _placed(BadCopyFormat("extra data after last expected column"), context)
        values: list[object] = []
        for column, parse, text in zip(columns, parsers, fields, strict=False):
            try:
                if text is not None:
                    _check_length(column, text)
                values.append(None if text is None else parse(text))
            except PgError as e:
                e.position = None
                raise _placed(e, f"line {row.line}, column {column.name}: {_shown(text)}") from e
        if len(fields) < len(columns):
            missing = f'missing data for column "{columns[len(fields)].name}"'
            raise _placed(BadCopyFormat(missing), context)
        self._check_nulls(values, ["null" if field is None else field for field in fields], context)
        return values

    @staticmethod
    def _with_rare_moments(reader: Reader, pg_type: PgType) -> Callable[[str], object]:
        """Return what reads texts of a type, in all forms that a constant may have."""
        parse = parser(pg_type)

        def read(text: str) -> object:
            try:
                return parse(text)
            except InvalidDatetimeFormat:
                return _moment(reader, text, pg_type)

        return read

    def _unpacked(self, chunk: BinaryChunk, place: int) -> list[object]:
        """Return the values of one column of images, read by Python."""
        column, unpack = self._bound.columns[place], self._unpackers[place]
        size = image_size(column.type)
        found: list[object] = []
        for image in chunk.images(place):
            line = chunk.first_line + len(found)
            try:
                if image is not None and size is not None and len(image) < size:
                    raise ProtocolViolation("insufficient data left in message")
                value = None if image is None else unpack(image)
                if isinstance(value, str):
                    _check_length(column, value)
            except PgError as e:
                raise _placed(e, f"line {line}, column {column.name}") from e
            if value is None and self._bound.is_required(column):
                self._refuse_null(chunk, len(found))
            found.append(value)
        return found

    def _refuse_null(self, chunk: BinaryChunk, row: int) -> None:
        values: list[object] = []
        for place, unpack in enumerate(self._unpackers):
            image = chunk.images(place)[row]
            values.append(None if image is None else unpack(image))
        texts = ["null" if value is None else str(value) for value in values]
        self._check_nulls(values, texts, f"line {chunk.first_line + row}")

    def _check_nulls(self, values: Sequence[object], texts: Sequence[str], context: str) -> None:
        columns = self._bound.columns
        for column, value in zip(columns, values, strict=True):
            if value is None and self._bound.is_required(column):
                detail = None
                if len(columns) == len(self._bound.table.columns):
                    detail = f"Failing row contains ({', '.join(texts)})."
                table = self._bound.table
                error = NotNullViolation.of(table.schema, table.name, column.name, detail=detail)
                raise _placed(error, context)


def _placed(error: PgError, context: str) -> PgError:
    error.context = context
    return error


def _moment(reader: Reader, text: str, pg_type: PgType) -> object:
    """Return a date or time in a rare form, or one such as ``today``, as the engine reads it.

    Raises:
        InvalidDatetimeFormat: It is none.
    """
    tree = constant(text, pg_type).tree
    if isinstance(tree.this, exp.Literal):
        return tree.this.name
    ((value,),) = reader.rows(f"SELECT ({tree.sql('duckdb')})::VARCHAR")
    return value


def _check_length(column: Column, text: str) -> None:
    length = column.type.length
    if column.type.is_bits:
        check_bit_length(text, column.type)
    elif length is not None and len(text) > length and len(text.rstrip(" ")) > length:
        raise StringTooLong(f"value too long for type {column.type.display()}")


def _shown(text: str | None) -> str:
    return "null input" if text is None else f'"{shown(text)}"'


def _may_be_odd(plain: PlainData) -> bool:
    """Tell whether a field may have one of ``FLOAT_ODDITIES``; escapes and quotes may hide one."""
    if plain.has_escapes or plain.has_quotes:
        return True
    # One byte is found twenty times as fast as two are.
    return any(oddity[:1] in plain.data and oddity in plain.data for oddity in _FLOAT_ODDITIES)
