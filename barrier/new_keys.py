"""Of which tables new rows are stored without a look for what has their keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from catalog.oid import Oid

#: In so many epochs that write to it a table is looked at after a key was met.
_LOOKS: Final = 100


class KeysMet(Exception):  # not an error of ours: the attempt goes on in another way
    """Rows were stored for which there is a key already; the transaction is gone."""

    def __init__(self, table: Oid) -> None:
        super().__init__(str(table))
        self.table = table


@dataclass
class NewKeys:
    """Of which tables new rows are stored without a look at what has their keys.

    Most streams only append. A table whose new rows replace others is looked at for a while.
    """

    _looks: dict[Oid, int] = field(default_factory=dict)

    def is_expected(self, oid: Oid) -> bool:
        """Whether new rows of a table are likely to have new keys."""
        return oid not in self._looks

    def met(self, oid: Oid) -> None:
        """Take note of a row whose key was there."""
        self._looks[oid] = _LOOKS

    def looked(self, oid: Oid) -> None:
        """Take note that no row was replaced."""
        if oid in self._looks:
            self._looks[oid] -= 1
            if not self._looks[oid]:
                del self._looks[oid]
