"""How late the rows of a table may come."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.oid import Oid


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far time has come in a table: rows that are older come too late.

    Its value is the greatest that its expression has had for a row, and is kept in ``m<oid>``.

    Attributes:
        column: The number of the column that tells a row's time.
        expression: DuckDB SQL over the row's columns under the alias ``ROW``, of the column's type.
        source: The same as the user wrote it.
        has_ttl: Whether it is of rows that may change, those that are older excepted.
        columns: The numbers of the columns that the expression reads.
    """

    column: int
    expression: str
    source: str
    has_ttl: bool = False
    columns: tuple[int, ...] = ()


def watermark_name(oid: Oid) -> str:
    """Return the name of the table that holds how far time has come in a table."""
    return f"m{oid}"
