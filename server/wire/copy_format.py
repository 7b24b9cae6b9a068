"""How the data of COPY look (PostgreSQL 15, COPY and chapter 55.2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from server.wire.messages import BINARY_FORMAT, TEXT_FORMAT

#: What binary data begin with, before flags and the length of an extension.
BINARY_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
BINARY_HEAD: Final = BINARY_SIGNATURE + bytes(8)
BINARY_TAIL: Final = b"\xff\xff"


class CopyKind(StrEnum):
    """The three formats."""

    TEXT = "text"
    CSV = "csv"
    BINARY = "binary"


class Header(StrEnum):
    """What the first line is."""

    NONE = "none"
    #: Written, or passed over.
    NAMES = "names"
    #: It must hold the columns' names.
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class CopyFormat:
    """The options of one COPY.

    Attributes:
        null: What stands for NULL.
        force_quote: Places of the columns, from 0, whose values are always quoted.
        force_null: Those whose quoted values may be NULL too.
        force_not_null: Those of which no text is NULL.
        encoding: What lines are encoded in, by its own name; nothing is the client's encoding.
    """

    kind: CopyKind = CopyKind.TEXT
    delimiter: str = "\t"
    null: str = "\\N"
    header: Header = Header.NONE
    quote: str = '"'
    escape: str = '"'
    force_quote: frozenset[int] = frozenset()
    force_null: frozenset[int] = frozenset()
    force_not_null: frozenset[int] = frozenset()
    encoding: str = ""

    @property
    def code(self) -> int:
        """The format code of the whole and of each column."""
        return BINARY_FORMAT if self.kind is CopyKind.BINARY else TEXT_FORMAT
