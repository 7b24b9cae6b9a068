"""What to do instead of what there is not, as hints of errors."""

from __future__ import annotations

from typing import Final

#: Said of references to other databases.
OTHER_DATABASE: Final = (
    "Queries and materialized views read relations of other databases; "
    "all else is done where they are, which USE goes to."
)
