"""About how many rows the tables of views have, as far as the planning of statements goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass
class Gauge:
    """Bounds on the rows of stored tables: counted now and then, and what was added since.

    They outlive attempts that fail: a bound that is too high costs time, no more.
    """

    _counted: dict[str, int] = field(default_factory=dict)
    _since: dict[str, int] = field(default_factory=dict)

    def is_within(self, name: str, limit: int, count: Callable[[str], int]) -> bool:
        """Whether a table has at most so many rows.

        Args:
            name: The table.
            limit: The number.
            count: Counts a table's rows.
        """
        counted, since = self._counted.get(name), self._since.get(name, 0)
        if counted is None or counted <= limit < counted + since:
            self._counted[name] = counted = count(name)
            self._since[name] = since = 0
        return counted + since <= limit

    def add(self, name: str, rows: int) -> None:
        """Take note that a table may have got rows."""
        if rows and name in self._counted:
            self._since[name] = self._since.get(name, 0) + rows

    def forget(self, names: Iterable[str]) -> None:
        """Forget some tables, which are made anew."""
        for name in names:
            self._counted.pop(name, None)
            self._since.pop(name, None)

    def clear(self) -> None:
        """Forget all of it: tables were made anew."""
        self._counted.clear()
        self._since.clear()
