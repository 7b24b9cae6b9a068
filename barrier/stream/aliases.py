"""What the aliases in a bound query say of items of FROM, beside their names; no other's do."""

from __future__ import annotations

import re
from typing import Final

#: Begins the alias of the one row that tells how far time has come in a table.
WATERMARK: Final = "watermark"

#: Ends the alias of what is looked up as it is when a row of the other side comes.
PROCTIME: Final = "_proctime"

_TEMPORAL: Final = re.compile(rf"\bt\d+{PROCTIME}\b")


def is_kept_only(query: str) -> bool:
    """Whether the text of a bound query has a temporal join, so that it cannot be run again."""
    return _TEMPORAL.search(query) is not None
