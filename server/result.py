"""What executing a statement gives: a command tag, and rows from the engine or from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from barrier.store import Reader
from catalog.errors import InternalError
from catalog.types import TEXT, PgType, array_of
from server.kept_rows import KeptRows
from server.portal_rows import PortalRows
from server.result_cache import Question
from server.row_pages import Near
from server.session_state import SessionState
from server.sql.bind.result import OutputColumn
from server.sql.session_calls import VARIABLE
from server.value.restyle import is_plain
from server.value.style import DEFAULT_STYLE, current_style
from server.wire.blank_messages import BlankMessages
from server.wire.messages import BINARY_FORMAT
from server.wire.rows import EncodedRows, datarow_messages, value_query
from server.wire.session_contract import CopyInResult, CopyOutResult, RowBatch
from server.wire.text_images import styled_image, text_image

#: A query as DuckDB SQL whose columns are c1, c2, ..., and its parameters.
Query: TypeAlias = tuple[str, Sequence[object]]

#: Makes the query for the messages of rows, given a FROM item, its columns and their formats.
Encode: TypeAlias = Callable[[str, Sequence[OutputColumn], Sequence[int]], BlankMessages]


@dataclass(frozen=True, slots=True)
class Done:
    """A statement without rows."""

    command_tag: str

    @property
    def columns(self) -> None:
        """There are none."""
        return

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Never asked for."""
        raise AssertionError((self.command_tag, formats))

    def tag(self, rows: int) -> str:  # noqa: ARG002
        """Return the command tag."""
        return self.command_tag

    def close(self) -> None:
        """Hold nothing."""


@dataclass(frozen=True, slots=True)
class PythonRows:
    """Rows that this program made: of SHOW, EXPLAIN and their kind.

    Attributes:
        command: The tag; a query's tag has the number of rows after it.
    """

    columns: tuple[OutputColumn, ...]
    rows: Sequence[Sequence[object]]
    command: str = "SHOW"

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Return the rows in one batch."""
        yield EncodedRows(self.columns, formats, self.rows)

    def tag(self, rows: int) -> str:
        """Return the command tag."""
        return f"SELECT {rows}" if self.command == "SELECT" else self.command

    def close(self) -> None:
        """Hold nothing."""


@dataclass(frozen=True, slots=True)
class NearRows:
    """Rows that were read together with those near them."""

    columns: tuple[OutputColumn, ...]
    near: Near

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Return the rows in one batch."""
        yield self.near.batch(
            tuple(formats), lambda rows: EncodedRows(self.columns, formats, rows, zone=None)
        )

    def tag(self, rows: int) -> str:
        """Return the command tag."""
        return f"SELECT {rows}"

    def close(self) -> None:
        """Hold nothing."""


#: So often rows are asked for whose relations are replaced again and again.
_TRIES: Final = 20


@dataclass(slots=True)
class EngineRows:
    """Rows that the engine computes and encodes while they are fetched.

    Attributes:
        state: The session.
        columns: What the rows are made of.
        query: Where they come from.
        command: The tag before the number of rows.
        again: Gives the query anew, for when its relations changed before the first row.
        catalog_version: The catalog that the query was bound against.
        is_small: Whether there are so few rows that Python encodes them sooner than the engine
            plans to.
        on_close: What is to be done when nobody wants rows any more.
        encode: Makes the query for the messages of the query's rows, as ``datarow_messages`` does.
        question: What the cache of results may know the answer to.
    """

    state: SessionState
    columns: tuple[OutputColumn, ...]
    query: Query
    command: str = "SELECT"
    again: Callable[[], Query] | None = None
    catalog_version: int = 0
    is_small: bool = False
    on_close: Callable[[], None] | None = None
    encode: Encode = datarow_messages
    question: Question | None = None
    _source: Iterator[RowBatch] | None = None
    _kept: KeptRows | None = None

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Yield the rows as they are computed, or as they were when they were asked for before."""
        if self.question is None:
            yield from self._run(formats)
            return
        yield from self.question.batches(formats, lambda: self._run(formats))
        self.state.rest()

    def _run(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        batch = self._first(formats)
        while batch is not None:
            yield batch
            # Let go of it before the next is computed: one may be large.
            batch = None
            batch = self._next()

    def tag(self, rows: int) -> str:
        """Return the command tag."""
        return f"{self.command} {rows}"

    def settle(self) -> None:
        """Take what is left off the reader.

        Raises:
            PgError: It cannot be computed or kept.
        """
        if self._kept is None:
            self._kept = KeptRows(self.state.worker.file)
        while (batch := self._pull()) is not None:
            self._kept.add(batch)

    def close(self) -> None:
        """Let go of the reader."""
        if self._source is not None:
            self._source = None
            self.state.finish_stream(self)
            self.state.rest()
        if self._kept is not None:
            self._kept.clear()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()

    def _first(self, formats: Sequence[int]) -> RowBatch | None:
        query = self.query
        for _ in range(_TRIES):
            try:
                return self._start(query, formats)
            except InternalError:
                # The relations were looked up before their epoch was read: look once more.
                newest = self.state.newest_catalog().version
                if self.again is None or newest == self.catalog_version:
                    raise
            self.catalog_version, query = newest, self.again()
        return self._start(query, formats)

    def _start(self, query: Query, formats: Sequence[int]) -> RowBatch | None:
        sql, parameters = query
        source, columns = with_names(f"({sql})", self.columns, formats)
        source, columns = in_style(source, columns, formats)
        if self.is_small and columns and not any(has_rows(column.type) for column in columns):
            values = value_query(source, columns)
            with self.state.interruptible():
                rows = self.state.reader.rows(values, parameters)
            self.state.rest()
            return EncodedRows(columns, formats, rows, zone=None) if rows else None
        blank = self.encode(source, columns, formats)
        batches = self.state.stream(self).stream(blank.sql, parameters)
        self._source = map(blank.fill, batches)
        return self._pull()

    def _next(self) -> RowBatch | None:
        if self._kept is not None and (batch := self._kept.take()) is not None:
            return batch
        self.state.interrupt.check()
        return self._pull()

    def _pull(self) -> RowBatch | None:
        if self._source is None:
            return None
        with self.state.interruptible():
            batch = next(self._source, None)
        if batch is None:
            self._source = None
            self.state.finish_stream(self)
            self.state.rest()
        return batch


@dataclass(slots=True)
class ChangeRows:
    """The rows of a FETCH of changes, which are read when their formats are known."""

    state: SessionState
    columns: tuple[OutputColumn, ...]
    reader: Reader
    query: str
    _kept: KeptRows | None = None

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Yield the rows; the connection is free for the next FETCH before the first is sent."""
        self._kept = KeptRows(self.state.worker.file)
        source, columns = with_names(f"({self.query})", self.columns, formats)
        source, columns = in_style(source, columns, formats)
        blank = datarow_messages(source, columns, formats)
        self.reader.set_time_zone(self.state.settings.time_zone)
        self.reader.set_variable(VARIABLE, self.state.calls_number)
        with self.state.interrupt.on_set(self.reader.interrupt):
            for batch in self.reader.stream(blank.sql):
                self._kept.add(blank.fill(batch))
        while (kept := self._kept.take()) is not None:
            yield kept
        self.state.rest()

    def tag(self, rows: int) -> str:
        """Return the command tag."""
        return f"FETCH {rows}"

    def close(self) -> None:
        """Forget rows that nobody wants."""
        if self._kept is not None:
            self._kept.clear()


def has_rows(pg_type: PgType) -> bool:
    """Whether values are rows, of which the engine's client gives less than there is."""
    return (pg_type.element or pg_type).is_row


def with_names(
    source: str, columns: tuple[OutputColumn, ...], formats: Sequence[int]
) -> tuple[str, tuple[OutputColumn, ...]]:
    """Return a FROM item and columns in which OIDs are the texts that they have as names.

    Args:
        source: A FROM item without alias whose columns are called c1 to cn.
        columns: Their types and names.
        formats: A format code for each; in binary OIDs stay numbers.
    """
    if not any(column.is_named for column in columns):
        return source, columns
    shown = list(columns)
    reads = [f"c{number}" for number in range(1, len(columns) + 1)]
    for i, (column, code) in enumerate(zip(columns, formats, strict=True)):
        if not column.is_named or code == BINARY_FORMAT:
            continue
        is_array = column.type.element is not None
        value = "item" if is_array else reads[i]
        kind = (column.type.element or column.type).name
        text = f"tg_object_text(GETVARIABLE('session'), '{kind}', {value})"
        if is_array:
            text = f"list_transform({reads[i]}, lambda item: {text})"
        reads[i] = f"{text} AS {reads[i]}"
        shown[i] = replace(column, type=array_of(TEXT) if is_array else TEXT)
    return f"(SELECT {', '.join(reads)} FROM {source} AS n)", tuple(shown)


def in_style(
    source: str, columns: tuple[OutputColumn, ...], formats: Sequence[int]
) -> tuple[str, tuple[OutputColumn, ...]]:
    """Return a FROM item and columns in which values are the texts that the session's style wants.

    Args:
        source: A FROM item without alias whose columns are called c1 to cn.
        columns: Their types.
        formats: A format code for each; binary images have no style.
    """
    style = current_style()
    if style == DEFAULT_STYLE or not columns:
        return source, columns
    shown = list(columns)
    reads = [f"c{number}" for number in range(1, len(columns) + 1)]
    for i, (column, code) in enumerate(zip(columns, formats, strict=True)):
        base = column.type.element or column.type
        if code == BINARY_FORMAT or is_plain(base.name, style):
            continue
        depth = column.type.dimensions
        item = f"e{depth}" if depth else reads[i]
        text = styled_image(text_image(item, base), base.name, style)
        for level in range(depth, 0, -1):
            outer = f"e{level - 1}" if level > 1 else reads[i]
            text = f"list_transform({outer}, lambda e{level}: {text})"
        reads[i] = f"{text} AS {reads[i]}"
        texts = TEXT
        for _ in range(depth):
            texts = array_of(texts)
        shown[i] = replace(column, type=texts)
    return f"(SELECT {', '.join(reads)} FROM {source} AS n)", tuple(shown)


Result: TypeAlias = (
    Done
    | PythonRows
    | NearRows
    | EngineRows
    | ChangeRows
    | PortalRows
    | CopyInResult
    | CopyOutResult
)


def text_columns(*names: str) -> tuple[OutputColumn, ...]:
    """Return result columns of texts."""
    return tuple(OutputColumn(name, TEXT) for name in names)
