"""Columns of values on their way into the engine, in Arrow's memory layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import nanoarrow


class ColumnKind(StrEnum):
    """What a column's values are; moments count microseconds or days since 1970."""

    BOOL = "bool"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float"
    FLOAT64 = "double"
    TEXT = "string"
    TIMESTAMP = "timestamp"
    TIMESTAMPTZ = "timestamptz"
    DATE = "date"


_SCHEMAS: Final = {
    ColumnKind.BOOL: nanoarrow.bool_,
    ColumnKind.INT16: nanoarrow.int16,
    ColumnKind.INT32: nanoarrow.int32,
    ColumnKind.INT64: nanoarrow.int64,
    ColumnKind.FLOAT32: nanoarrow.float32,
    ColumnKind.FLOAT64: nanoarrow.float64,
    ColumnKind.TEXT: nanoarrow.string,
    ColumnKind.TIMESTAMP: lambda: nanoarrow.timestamp("us"),
    ColumnKind.TIMESTAMPTZ: lambda: nanoarrow.timestamp("us", timezone="UTC"),
    ColumnKind.DATE: nanoarrow.date32,
}


@dataclass(frozen=True, slots=True)
class ArrowColumn:
    """Values of one kind.

    Attributes:
        validity: A bit for each value that tells whether it is not NULL; None if none is.
        buffers: The values, little-endian; of texts the offsets of their ends, and their bytes.
    """

    kind: ColumnKind
    length: int
    validity: bytes | None
    buffers: tuple[bytes, ...]


def arrow_array(names: Sequence[str], columns: Sequence[ArrowColumn]) -> Any:  # noqa: ANN401  # nanoarrow has no types
    """Return what DuckDB takes for a table of these columns."""
    schemas = [_SCHEMAS[column.kind]() for column in columns]
    children = [
        nanoarrow.c_array_from_buffers(
            schema, column.length, [column.validity, *column.buffers], null_count=-1
        )
        for schema, column in zip(schemas, columns, strict=True)
    ]
    return nanoarrow.c_array_from_buffers(
        nanoarrow.struct(dict(zip(names, schemas, strict=True))),
        columns[0].length,
        [None],
        children=children,
    )
