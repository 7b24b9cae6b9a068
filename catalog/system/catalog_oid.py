"""The OIDs of the catalogs of PostgreSQL 15 themselves: ``classoid`` is one of them."""

from __future__ import annotations

from typing import Final

PG_TYPE: Final = 1247
PG_PROC: Final = 1255
PG_CLASS: Final = 1259
PG_AUTHID: Final = 1260
PG_DATABASE: Final = 1262
PG_ATTRDEF: Final = 2604
PG_CONSTRAINT: Final = 2606
PG_NAMESPACE: Final = 2615
PG_REWRITE: Final = 2618
PG_EXTENSION: Final = 3079
