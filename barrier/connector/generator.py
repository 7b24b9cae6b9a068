"""What makes the rows of a connector: the same ones for the same places, each time it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from barrier.connector.datagen import Datagen
from barrier.connector.nexmark import check_schema
from catalog.connector import Connector
from catalog.errors import FeatureNotSupported
from catalog.relation import Column

#: The connectors of sources.
CONNECTORS: Final = ("datagen",)


class Generator(Protocol):
    """Makes rows, counted from 0."""

    @property
    def rows_per_second(self) -> int:
        """How many are due in a second."""
        ...

    @property
    def total(self) -> int | None:
        """How many there are; None has no end."""
        ...

    @property
    def unused(self) -> tuple[str, ...]:
        """The options without any effect."""
        ...

    def rows(self, first: int, count: int, now_ms: int) -> str:
        """Return the query for rows from a place on, with the storage columns and ``__ord``.

        Args:
            first: The place of the first.
            count: How many.
            now_ms: The time, in milliseconds since 1970.
        """
        ...


def generator_of(connector: Connector, columns: Sequence[Column], created_ms: int) -> Generator:
    """Return what makes the rows of a connector.

    Args:
        connector: Where they come from.
        columns: What they have; those that are generated from others are left to others.
        created_ms: When the source was created, in milliseconds since 1970.

    Raises:
        FeatureNotSupported: There is no such connector, or it has no values of a type.
        InvalidParameterValue: An option makes no sense.
    """
    given = [column for column in columns if column.generated is None]
    match connector.name:
        case "datagen":
            return Datagen.of(connector, given, created_ms)
        case name:
            if name == "nexmark":
                check_schema(connector, columns)
            raise FeatureNotSupported(
                f'sources with connector "{name}" are not supported',
                hint=f"Supported are {', '.join(CONNECTORS)}.",
            )
