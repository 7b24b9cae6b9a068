"""What a client says and is told, in its own encoding; UTF-8 passes as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from catalog.encoding import CODECS, UTF8
from catalog.types import PgType
from server.transport import Outbox
from server.wire.messages import BINARY_FORMAT, TEXT_FORMAT
from server.wire.session_contract import OutputColumn
from server.wire.transcoding import ImageChange, MessageTranscoder, image_change
from server.wire.values import decode_parameter


class Speech:
    """The encoding of one connection."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._encoding = UTF8
        self._transcoder: MessageTranscoder | None = None

    def heed(self, encoding: str) -> None:
        """Speak in that encoding from now on."""
        if encoding != self._encoding:
            self._encoding = encoding
            self._transcoder = MessageTranscoder(encoding) if encoding in CODECS else None

    def write(self, messages: bytes | memoryview) -> None:
        """Send whole messages."""
        self._outbox.write(self.outgoing(messages))

    def outgoing(self, messages: bytes | memoryview) -> bytes | memoryview:
        """Return whole messages as they are sent."""
        if self._transcoder is None:
            return messages
        return self._transcoder.outgoing(bytes(messages))

    def rows_are(self, columns: Sequence[OutputColumn], formats: Sequence[int]) -> None:
        """The rows that follow have these columns; no formats are all texts."""
        if self._transcoder is not None:
            self._transcoder.changes = _changes(columns, formats or (TEXT_FORMAT,) * len(columns))

    @contextmanager
    def copying(
        self, columns: Sequence[OutputColumn], formats: Sequence[int], encoding: str
    ) -> Iterator[None]:
        """Send the data of COPY inside, in another encoding if one is given."""
        own = self._transcoder
        if encoding:
            self._transcoder = MessageTranscoder(encoding) if encoding in CODECS else None
        if self._transcoder is not None:
            self._transcoder.changes = _changes(columns, formats)
            self._transcoder.is_binary_copy = BINARY_FORMAT in formats
        try:
            yield
        finally:
            self._transcoder = own

    def heard(self, kind: bytes, body: bytes) -> bytes:
        """Return a message's body with its strings in UTF-8."""
        return body if self._transcoder is None else self._transcoder.incoming(kind, body)

    def parameter(self, pg_type: PgType, code: int, data: bytes, number: int) -> object:
        """Return a parameter's value."""
        if self._transcoder is not None:
            data = self._transcoder.image_to_utf8(pg_type, code, data)
        return decode_parameter(pg_type, code, data, number)


def _changes(columns: Sequence[OutputColumn], formats: Sequence[int]) -> list[ImageChange | None]:
    pairs = zip(columns, formats, strict=True)
    return [image_change(column.type, code) for column, code in pairs]
