"""What brings rows into a database by itself: a connector, with all that WITH says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from catalog.oid import Oid


class SecretOption(NamedTuple):
    """An option of WITH whose value is a secret.

    Attributes:
        shown: The secret's name, with its schema, as it is written in a statement.
    """

    name: str
    secret: Oid
    shown: str


@dataclass(frozen=True, slots=True)
class Connector:
    """Where the rows of a source, or of a table, come from.

    Attributes:
        name: ``datagen`` or ``nexmark``.
        options: All that WITH says but for the name and for secrets, as pairs.
        secrets: The options whose values are secrets.
        format: What FORMAT says, such as ``PLAIN``; or empty.
        encode: What ENCODE says, such as ``JSON``; or empty.
        rate_limit: The most rows in a second; None is no limit, 0 stops it.
    """

    name: str
    options: tuple[tuple[str, str], ...] = ()
    format: str = ""
    encode: str = ""
    rate_limit: int | None = None
    secrets: tuple[SecretOption, ...] = ()

    def option(self, name: str, default: str = "") -> str:
        """Return what WITH says by a name."""
        return dict(self.options).get(name, default)

    def limited(self, rate_limit: int | None) -> Connector:
        """Return the connector with another limit."""
        return replace(self, rate_limit=rate_limit)
