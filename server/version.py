"""The one place that says which version this is; the build reads it here."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"

#: What version() says; PostgreSQL's and RisingWave's tools both parse it.
VERSION_TEXT: Final = f"PostgreSQL 15.0-RisingWave-2.4.0 (Tidegate {VERSION})"
