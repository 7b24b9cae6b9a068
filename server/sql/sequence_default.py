"""Defaults that are the next number of a sequence, as the engine's SQL; they hold its OID."""

from __future__ import annotations

import re
from typing import Final

from catalog.oid import Oid
from catalog.types import PgType

_CALL: Final = re.compile(r"tg_nextval\(GETVARIABLE\('session'\), (?:CAST\()?(\d+)", re.IGNORECASE)


def next_number(sequence: Oid, target: PgType) -> str:
    """Return the default of a serial or identity column."""
    return f"CAST(tg_nextval(GETVARIABLE('session'), {sequence}) AS {target.duckdb})"


def sequences_of(default: str | None) -> frozenset[Oid]:
    """Return the sequences that a default asks for numbers."""
    return frozenset(Oid(int(oid)) for oid in _CALL.findall(default or ""))
