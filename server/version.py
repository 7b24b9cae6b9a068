"""The one place that says which version this is; the build reads it here."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
