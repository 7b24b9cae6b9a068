"""The bytes of COPY FROM, however they were divided into messages, as chunks of whole rows.

A chunk is what the engine splits and casts at once; only the end of one row and the beginning of
the next are kept between them, so that the memory needed does not grow with the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from catalog.errors import BadCopyFormat, CharacterNotInRepertoire, PgError, ProgramLimitExceeded
from server.wire.body import decode_utf8, invalid_bytes
from server.wire.copy_csv import csv_columns, split_rows
from server.wire.copy_format import CopyFormat, CopyKind, Header
from server.wire.copy_text import split_fields, split_lines

#: Chunks grow up to this size: small data are not worth a large buffer, large data are.
CHUNK_BYTES: Final = 8 << 20
_GROWTH: Final = 32
ROW_BYTES_MAX: Final = 1 << 28

#: Stands for a backslash while the engine takes escapes apart.
MARK: Final = "\x01"

#: As much of a value or a line is shown in an error's context.
_SHOWN_MAX: Final = 100

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_ESCAPED_LINE_END: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\[\r\n]")


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is written.

    Attributes:
        line: The number of its (last) line, from 1.
        text: The line or lines.
    """

    line: int
    text: str
    fields: Sequence[str | None]


@dataclass(frozen=True)
class Chunk:
    """Whole rows.

    Attributes:
        data: The rows; the last has no end.
        first_line: The number of the first line, as errors tell it.
        lines: How many lines there are; a row may have more than one.
        line_end: What ends a line.
        lines_before: How many lines came in earlier chunks.
    """

    form: CopyFormat
    data: bytes
    first_line: int
    lines: int
    line_end: str
    lines_before: int = 0

    @cached_property
    def text(self) -> str:
        """The rows as text.

        Raises:
            CharacterNotInRepertoire: They are not UTF-8.
        """
        try:
            return decode_utf8(self.data)
        except CharacterNotInRepertoire as e:
            raise self._wrong_character() from e

    def plain_lines(self) -> str | None:
        r"""Return rows that are split at each newline and delimiter; None if these are not.

        Backslashes may stand for themselves and for ``\b \f \n \r \t \v``.
        """
        text = self.text
        if self.form.kind is CopyKind.CSV:
            if self.form.quote in text:
                return None
        elif b"\\" in self.data and has_rare_escapes(self.data, self.form):
            return None
        if self.line_end == "\n":
            return None if "\r" in text else text
        lines = text.replace(self.line_end, "\n")
        is_mixed = "\r" in lines or text.count("\n") != (
            text.count("\r\n") if self.line_end == "\r\n" else 0
        )
        return None if is_mixed else lines

    def columns(self, count: int) -> list[list[str | None]] | None:
        """Return the values by column; None unless each row has ``count`` of them."""
        if self.form.kind is CopyKind.CSV:
            return csv_columns(self.text, self.form, self.line_end, count)
        fields = [row.fields for row in self.rows()]
        if any(len(each) != count for each in fields):
            return None
        return [[each[place] for each in fields] for place in range(count)]

    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one; slow, and sure to find what is wrong.

        Raises:
            BadCopyFormat: With the line as context.
            CharacterNotInRepertoire: The same.
        """
        line = self.first_line
        try:
            if self.form.kind is CopyKind.CSV:
                for text, values in split_rows(self.text, self.form, self.line_end):
                    line += text.count(self.line_end)
                    yield Row(line, text, values)
                    line += 1
                return
            for text in split_lines(self.text, self.line_end):
                self._check_ends(text)
                yield Row(line, text, _fields(text, self.form, line))
                line += 1
        except PgError as e:
            if e.context is None:
                e.context = f"line {line}"
            raise

    @staticmethod
    def _check_ends(line: str) -> None:
        if "\r" not in line and "\n" not in line:
            return
        found = re.search(r"[\r\n]", re.sub(r"\\.", "", line, flags=re.DOTALL))
        if found is not None:
            name, letter = ("newline", "n") if found[0] == "\n" else ("carriage return", "r")
            raise BadCopyFormat(
                f"literal {name} found in data", hint=f'Use "\\{letter}" to represent {name}.'
            )

    def _wrong_character(self) -> CharacterNotInRepertoire:
        try:
            self.data.decode()
            at = self.data.index(b"\0")
        except UnicodeDecodeError as e:
            at = e.start
        line = self.first_line + self.data.count(self.line_end.encode(), 0, at)
        # The end of the line may be taken for a part of the character.
        wrong = invalid_bytes(self.data[at:] + self.line_end.encode())
        wrong.context = f"line {line}"
        return wrong


def shown(text: str) -> str:
    """Return as much of a text as is shown in an error's context."""
    return text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "..."


def _fields(line: str, form: CopyFormat, number: int) -> list[str | None]:
    try:
        return split_fields(line, form)
    except PgError as e:
        e.context = f'line {number}: "{shown(line)}"'
        raise


def has_rare_escapes(data: bytes, form: CopyFormat) -> bool:
    r"""Whether backslashes stand for more than themselves and ``\b \f \n \r \t \v``."""
    rare = rb"\\[0-7x\r\n" + re.escape(form.delimiter.encode()) + rb"]|" + MARK.encode()
    return re.search(rare, data) is not None or data.endswith(b"\\")


class Cutter:
    """Cuts what arrives into chunks.

    Args:
        form: Text or CSV.
        names: The columns' names, for HEADER MATCH.
    """

    def __init__(self, form: CopyFormat, names: Sequence[str]) -> None:
        self._form = form
        self._names = names
        self._buffer = bytearray()
        self._usual = max(CHUNK_BYTES // _GROWTH, 1)
        self._wanted = self._usual
        self._line_end = b""
        self._next_line = 1
        self._lines = 0
        self._has_header = form.header is not Header.NONE
        self._is_over = False

    @property
    def line(self) -> int:
        """The number of the line that comes next."""
        return self._next_line

    @property
    def lines(self) -> int:
        """How many lines there were."""
        return self._lines

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """Take bytes and yield the chunks that are complete.

        Raises:
            ProgramLimitExceeded: A row is too long.
            BadCopyFormat: The header is wrong.
        """
        if self._is_over:
            return
        self._buffer += data
        if len(self._buffer) >= self._wanted:
            yield from self._cut(self._last_end())

    def complete_rows(self) -> Iterator[Chunk]:
        """Yield the rows that have arrived as a whole.

        Raises:
            BadCopyFormat: The header is wrong.
        """
        if not self._is_over and self._buffer:
            yield from self._cut(self._last_end())

    def finish(self) -> Iterator[Chunk]:
        """Yield what is left.

        Raises:
            BadCopyFormat: The header is wrong, or the last row is not complete.
        """
        if self._is_over:
            return
        is_open = self._form.kind is CopyKind.CSV and self._is_quote_open(bytes(self._buffer))
        if self._buffer:
            yield from self._cut(self._last_end() if is_open else len(self._buffer))
        if is_open:
            raise self._unterminated()
        if self._has_header and self._form.header is Header.MATCH:
            self._check_header("", [""])

    def _unterminated(self) -> BadCopyFormat:
        # Newlines within the quotes count once it is known what ends a line.
        inner = b"\n" if self._line_end == b"\n" else b"\r"
        line = self._next_line + self._buffer.count(inner)
        error = BadCopyFormat("unterminated CSV quoted field")
        error.context = f'line {line}: "{shown(self._buffer.decode(errors="replace"))}"'
        return error

    def _cut(self, end: int) -> Iterator[Chunk]:
        """Take what is before ``end``, which is 0 while no row is complete."""
        if not end:
            if len(self._buffer) > ROW_BYTES_MAX:
                raise ProgramLimitExceeded("out of memory", detail="A row is longer than 256 MB.")
            self._wanted = len(self._buffer) * 2
            return
        self._usual = self._wanted = min(self._usual * 2, CHUNK_BYTES)
        if not self._line_end:
            self._learn_line_end(bytes(self._buffer[:end]))
        is_ended = self._is_ended(end)
        rows, error = self._before_marker(self._take(end, is_ended=is_ended), is_ended=is_ended)
        if rows is not None and self._has_header:
            rows = self._without_header(rows)
        if rows is not None:
            yield self._chunk(rows)
        if error is not None:
            error.context = f"line {self._next_line}"
            raise error

    def _chunk(self, rows: bytes) -> Chunk:
        lines = rows.count(self._line_end) + 1
        if self._form.kind is CopyKind.TEXT and b"\\" in rows:
            lines -= len(_ESCAPED_LINE_END.findall(rows))
        chunk = Chunk(
            self._form, rows, self._next_line, lines, self._line_end.decode(), self._lines
        )
        self._next_line += lines
        self._lines += lines
        return chunk

    def _learn_line_end(self, data: bytes) -> None:
        found = _LINE_END.search(self._blanked(data))
        self._line_end = b"\n" if found is None else found[0]
        if self._form.kind is CopyKind.CSV:
            # Before it is known what ends a line, PostgreSQL takes each CR for an end.
            first = data if found is None else data[: found.start()]
            self._next_line -= first.count(self._line_end) - first.count(b"\r")

    def _is_ended(self, end: int) -> bool:
        """Whether a line ends there, and not the data."""
        if not self._buffer.endswith(self._line_end, 0, end):
            return False
        is_text = self._form.kind is CopyKind.TEXT
        return not (is_text and self._is_escaped(self._buffer, end - len(self._line_end)))

    def _take(self, end: int, *, is_ended: bool) -> bytes:
        """Take the rows before ``end`` out of the buffer; the last one's end is left out."""
        size = end - len(self._line_end) if is_ended else end
        with memoryview(self._buffer) as view:
            data = bytes(view[:size])
        del self._buffer[:end]
        return data

    def _last_end(self) -> int:
        """Return where the last complete row in the buffer ends, its end included."""
        data = self._buffer
        end = self._line_end or (b"\n" if b"\n" in data else b"\r")
        at = data.rfind(end, 0, len(data) - 1 if end == b"\r" else None)
        if self._form.kind is CopyKind.CSV:
            return self._last_unquoted(bytes(data), end, at)
        while at > 0 and self._is_escaped(data, at):
            at = data.rfind(end, 0, at)
        return 0 if at < 0 else at + len(end)

    @staticmethod
    def _is_escaped(data: bytes | bytearray, at: int) -> bool:
        before = at
        while before > 0 and data[before - 1 : before] == b"\\":
            before -= 1
        return (at - before) % 2 == 1

    def _last_unquoted(self, data: bytes, end: bytes, at: int) -> int:
        form = self._form
        quote = form.quote.encode()
        if form.escape != form.quote:
            blanked = self._blanked(data)
            opened = blanked.find(quote)
            at = blanked.rfind(end, 0, opened if opened >= 0 else None)
            return 0 if at < 0 else at + len(end)
        # A quote that is escaped by a quote counts twice.
        is_open = at >= 0 and data.count(quote, 0, at) % 2 == 1
        while is_open and at >= 0:
            # All ends of lines behind the opening quote are within the same quotes.
            before = data.rfind(end, 0, data.rfind(quote, 0, at))
            is_open = before >= 0 and data.count(quote, before, at) % 2 == 0
            at = before
        return 0 if at < 0 else at + len(end)

    def _is_quote_open(self, data: bytes) -> bool:
        if self._form.escape == self._form.quote:
            return data.count(self._form.quote.encode()) % 2 == 1
        return self._form.quote.encode() in self._blanked(data)

    def _blanked(self, data: bytes) -> bytes:
        """Return the data with blanks in place of what is quoted; an open quote stays."""
        if self._form.kind is not CopyKind.CSV or self._form.quote.encode() not in data:
            return data
        # Possessive, here and in ``copy_csv``: a quote that is never closed must not cost more.
        quote, escape = (re.escape(c.encode()) for c in (self._form.quote, self._form.escape))
        body = b"[^" + quote + escape + b"]++|" + escape + b"[" + quote + escape + b"]"
        if quote != escape:
            body += b"|" + escape
        quoted = quote + b"(?:" + body + b")*+(" + quote + rb"|\Z)"
        return re.sub(quoted, lambda m: (b"" if m[1] else m[0][:1]).ljust(len(m[0])), data)

    def _before_marker(
        self, data: bytes, *, is_ended: bool
    ) -> tuple[bytes | None, BadCopyFormat | None]:
        r"""Return the rows before ``\.``, if there are any; nothing counts after it.

        Args:
            data: Rows; the last has no end.
            is_ended: Whether it had one.

        Returns:
            The rows, and what is wrong with the mark.
        """
        # One character is found many times as fast as two.
        if b"\\" not in data or b"\\." not in data:
            return data, None
        if self._form.kind is CopyKind.CSV:
            at = self._csv_marker(data, is_ended=is_ended)
        else:
            at = self._text_marker(data)
        if at < 0:
            return data, None
        self._is_over = True
        self._buffer.clear()
        end = self._line_end
        start = data.rfind(end, 0, at) + len(end) if end in data[:at] else 0
        after = data[at + 2 :]
        error = None
        if not (after.startswith(end) if after else is_ended):
            is_other = after.startswith((b"\n", b"\r"))
            error = BadCopyFormat(
                "end-of-copy marker does not match previous newline style"
                if is_other
                else "end-of-copy marker corrupt"
            )
        if start < at and error is None:
            return data[:at], None
        return data[: start - len(end)] if start else None, error

    def _csv_marker(self, data: bytes, *, is_ended: bool) -> int:
        """Return where a line is the mark and nothing else, or -1."""
        end = re.escape(self._line_end)
        last = rb"|\Z" if is_ended else b""
        found = re.search(
            rb"(?:\A|(?<=" + end + rb"))\\\.(?:" + end + last + rb")", self._blanked(data)
        )
        return -1 if found is None else found.start()

    def _text_marker(self, data: bytes) -> int:
        """Return where the mark is, anywhere in a line, or -1."""
        at = data.find(b"\\.")
        while at >= 0 and self._is_escaped(data, at):
            at = data.find(b"\\.", at + 1)
        return at

    def _without_header(self, data: bytes) -> bytes | None:
        """Return the rows behind the header; None if there are none."""
        self._has_header = False
        at = self._blanked(data).find(self._line_end)
        line, rest = (data, None) if at < 0 else (data[:at], data[at + len(self._line_end) :])
        if self._form.header is Header.MATCH:
            chunk = Chunk(self._form, line, self._next_line, 1, self._line_end.decode())
            row = next(chunk.rows())
            self._check_header(row.text, row.fields)
        self._chunk(line)  # Its lines count.
        return rest

    def _check_header(self, text: str, found: Sequence[str | None]) -> None:
        error = None
        if len(found) != len(self._names):
            error = BadCopyFormat(
                f"wrong number of fields in header line: got {len(found)}, "
                f"expected {len(self._names)}"
            )
        for number, (name, wanted) in enumerate(zip(found, self._names, strict=False), start=1):
            if error is None and name != wanted:
                got = f'null value ("{self._form.null}")' if name is None else f'"{name}"'
                error = BadCopyFormat(
                    f"column name mismatch in header line field {number}: "
                    f'got {got}, expected "{wanted}"'
                )
        if error is not None:
            error.context = f'line {self._next_line}: "{shown(text)}"'
            raise error
