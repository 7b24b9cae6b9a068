"""Defaults that are the next number of a sequence, as the engine's SQL; they hold its OID."""

from __future__ import annotations

from catalog.oid import Oid
from catalog.types import PgType


def next_number(sequence: Oid, target: PgType) -> str:
    """Return the default of a serial or identity column."""
    return f"CAST(tg_nextval(GETVARIABLE('session'), {sequence}) AS {target.duckdb})"
