"""Statements about subscriptions.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from server.sql.clause import Option, QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class CreateSubscription(Parsed):
    """CREATE SUBSCRIPTION."""

    name: QualifiedName
    relation: QualifiedName
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterRetention(Parsed):
    """ALTER SUBSCRIPTION ... SET RETENTION."""

    name: QualifiedName
    retention: str
    if_exists: bool = False


class CursorStart(StrEnum):
    """Where a cursor over changes begins."""

    #: The rows of now come first.
    FULL = "FULL"
    NOW = "NOW"
    #: With the oldest change that is kept.
    BEGIN = "BEGIN"
    #: With the changes of a time.
    TIME = "TIME"


@dataclass(frozen=True, slots=True)
class DeclareSubscriptionCursor(Parsed):
    """DECLARE ... SUBSCRIPTION CURSOR.

    Attributes:
        since_ms: The time from which on, in milliseconds since 1970, as written.
    """

    name: str
    subscription: QualifiedName
    begins: CursorStart = CursorStart.NOW
    since_ms: int = 0


SubscriptionStatement: TypeAlias = CreateSubscription | AlterRetention | DeclareSubscriptionCursor
