"""What to do instead of what there is not: hints of errors that name a feature of RisingWave's."""

from __future__ import annotations

from typing import Final

#: Said of references to other databases.
OTHER_DATABASE: Final = (
    "Queries and materialized views read relations of other databases; "
    "all else is done where they are, which USE goes to."
)

#: By what there is not, as the error names it.
_HINTS: Final = {
    "CREATE SINK INTO a table": (
        "A materialized view over what would be written, with UNION ALL where there are several, "
        "follows every change."
    ),
}


def hint(what: str) -> str | None:
    """Return what may be done instead of something, or None."""
    return _HINTS.get(what)
