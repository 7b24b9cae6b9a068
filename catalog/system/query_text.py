"""The query in the text of CREATE VIEW and CREATE MATERIALIZED VIEW."""

from __future__ import annotations

import re
from typing import Final

#: What is passed over as a whole, and what is looked at: parentheses and words.
_TOKEN: Final = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | (\w+) | [()]""",
    re.VERBOSE | re.DOTALL,
)


#: What may stand behind the query.
_AFTER: Final = re.compile(
    r"\s+(?:WITH\s+(?:(?:LOCAL|CASCADED)\s+)?CHECK\s+OPTION"
    r"|EMIT\s+(?:ON\s+WINDOW\s+CLOSE|IMMEDIATELY))\s*;?\s*$",
    re.IGNORECASE,
)


def query_text(definition: str) -> str:
    """Return what stands behind AS; all of the text where there is none.

    WITH CHECK OPTION and EMIT are not of the query.
    """
    depth = 0
    for match in _TOKEN.finditer(definition):
        found = match[0]
        depth += (found == "(") - (found == ")")
        if found.upper() == "AS" and not depth:
            return _AFTER.sub("", definition[match.end() :].strip()).rstrip(";")
    return definition
