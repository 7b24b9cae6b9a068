"""Rows of system relations as columns in memory, which the engine reads where they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from barrier.arrow_column import ArrowColumn, ColumnKind
from catalog.relation import Column
from catalog.system.relation import Row, Value
from catalog.types import PgType

#: How values are laid out, by the engine's type; all others are texts that it casts.
_NUMBERS: Final = {
    "BIGINT": (ColumnKind.INT64, np.int64),
    "INTEGER": (ColumnKind.INT32, np.int32),
    "SMALLINT": (ColumnKind.INT16, np.int16),
    "FLOAT": (ColumnKind.FLOAT32, np.float32),
    "DOUBLE": (ColumnKind.FLOAT64, np.float64),
}


def given_columns(columns: Sequence[Column], rows: Sequence[Row]) -> dict[str, ArrowColumn]:
    """Return the columns c1, c2, ... of rows; there is at least one row."""
    made: dict[str, ArrowColumn] = {}
    for column in columns:
        name = column.name
        values = [row.get(name) for row in rows]
        made[f"c{column.number}"] = _column(column.type, values)
    return made


def read_type(pg_type: PgType) -> str | None:
    """Return what a column is cast to on its way to its own type, None where it has that type."""
    if pg_type.duckdb.endswith("[]"):
        return "JSON"
    is_plain = pg_type.duckdb in _NUMBERS or pg_type.duckdb in {"VARCHAR", "BOOLEAN"}
    return None if is_plain else pg_type.duckdb


def _column(pg_type: PgType, values: list[Value]) -> ArrowColumn:
    count = len(values)
    if values.count(values[0]) == count:
        return _repeated(pg_type, values[0], count)
    validity = None
    if None in values:
        is_there = np.fromiter((value is not None for value in values), np.bool_, count)
        validity = np.packbits(is_there, bitorder="little").tobytes()
    if pg_type.duckdb in _NUMBERS:
        kind, dtype = _NUMBERS[pg_type.duckdb]
        numbers: NDArray[Any] = np.array([v or 0 for v in values], dtype=dtype)
        return ArrowColumn(kind, count, validity, (numbers.tobytes(),))
    if pg_type.duckdb == "BOOLEAN":
        bits = np.packbits(np.array([bool(v) for v in values]), bitorder="little")
        return ArrowColumn(ColumnKind.BOOL, count, validity, (bits.tobytes(),))
    write = _writer(pg_type)
    texts = [b"" if value is None else write(value).encode() for value in values]
    ends = np.zeros(count + 1, dtype=np.int32)
    np.cumsum([len(text) for text in texts], out=ends[1:])
    return ArrowColumn(ColumnKind.TEXT, count, validity, (ends.tobytes(), b"".join(texts)))


def _repeated(pg_type: PgType, value: Value, count: int) -> ArrowColumn:
    """Return a column that has one value everywhere, as most have."""
    validity = None if value is not None else bytes(-(-count // 8))
    if pg_type.duckdb in _NUMBERS:
        kind, dtype = _NUMBERS[pg_type.duckdb]
        numbers: NDArray[Any] = np.full(count, value or 0, dtype=dtype)
        return ArrowColumn(kind, count, validity, (numbers.tobytes(),))
    if pg_type.duckdb == "BOOLEAN":
        bits = (b"\xff" if value else b"\0") * -(-count // 8)
        return ArrowColumn(ColumnKind.BOOL, count, validity, (bits,))
    text = b"" if value is None else _writer(pg_type)(value).encode()
    ends = np.arange(count + 1, dtype=np.int32) * len(text)
    return ArrowColumn(
        ColumnKind.TEXT, count, validity, (ends.astype(np.int32).tobytes(), text * count)
    )


def _writer(pg_type: PgType) -> Callable[[Any], str]:
    return json.dumps if pg_type.duckdb.endswith("[]") else value_text


def value_text(value: object) -> str:
    """Return a value that is no number as the engine reads it."""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)
