"""Rows of constants as they are written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConstantRows:
    """VALUES with many rows of plain constants and parameters.

    Attributes:
        columns: Of each column the constants as written, from the first row to the last.
        start: Where VALUES begins in the statement's text, in characters from 0.
        end: Where the rows end.
    """

    columns: tuple[tuple[str, ...], ...]
    start: int
    end: int
