"""Roles as statements name them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RoleWord(StrEnum):
    """Words that mean a role."""

    CURRENT = "CURRENT_USER"
    SESSION = "SESSION_USER"
    PUBLIC = "PUBLIC"


@dataclass(frozen=True, slots=True)
class RoleName:
    """A role by its name, or by a word that means one."""

    name: str
    word: RoleWord | None = None
