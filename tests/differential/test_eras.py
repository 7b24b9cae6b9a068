"""Years before and after our era have the numbers that PostgreSQL gives them, of every type."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from tests.differential.answers import answers
from tests.support.server import Address

#: Where decades, centuries, millennia and weeks of years begin and end.
DAYS: Final = (
    *("2024-02-29", "2001-01-01", "2000-12-31", "1901-01-01", "1900-12-31", "0100-12-31"),
    *("0010-01-01", "0009-12-31", "0001-01-01", "0001-12-31 BC", "0002-12-31 BC", "0010-01-01 BC"),
    *("0011-12-31 BC", "0012-01-01 BC", "0100-01-01 BC", "0101-12-31 BC", "1000-01-01 BC"),
    *("1001-12-31 BC", "2001-01-01 BC"),
)
FIELDS: Final = (
    *("year", "isoyear", "decade", "century", "millennium", "quarter", "month", "week", "day"),
    *("dow", "isodow", "doy"),
)
UNITS: Final = ("millennium", "century", "decade", "year", "quarter", "month", "week", "day")


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
def test_fields_and_truncations_are_postgresqls(
    kind: str, postgresql: Address, server: Address
) -> None:
    asked = [
        f"SELECT extract({field} FROM '{day}'::{kind})" for field, day in product(FIELDS, DAYS)
    ]
    asked += [f"SELECT date_trunc('{unit}', '{day}'::{kind})" for unit, day in product(UNITS, DAYS)]
    expected = answers(postgresql, asked)
    for sql, ours, theirs in zip(asked, answers(server, asked), expected, strict=True):
        assert ours == theirs, sql
