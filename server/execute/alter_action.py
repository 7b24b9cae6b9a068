"""What ALTER TABLE does only with tables, as messages call it."""

from __future__ import annotations

from typing import Final

from catalog.errors import WrongObjectType
from catalog.relation import Relation, kind_name
from server.sql import alter_statement as a

_WORDS: Final[dict[type, str]] = {
    a.AddColumn: "ADD COLUMN",
    a.DropColumn: "DROP COLUMN",
    a.SetDefault: "ALTER COLUMN ... SET DEFAULT",
    a.SetType: "ALTER COLUMN ... SET DATA TYPE",
    a.AddCheck: "ADD CONSTRAINT",
    a.AddKey: "ADD CONSTRAINT",
    a.AddReference: "ADD CONSTRAINT",
    a.DropConstraint: "DROP CONSTRAINT",
    a.ValidateConstraint: "VALIDATE CONSTRAINT",
    a.SetDeferral: "ALTER CONSTRAINT",
}


def not_of_tables_only(relation: Relation, statement: a.AlterRelation) -> WrongObjectType | None:
    """Build the error for what only tables can have done to them; None for other actions."""
    for action in statement.actions:
        words = _WORDS.get(type(action))
        if isinstance(action, a.SetNotNull):
            words = f"ALTER COLUMN ... {'SET' if action.is_not_null else 'DROP'} NOT NULL"
        if words is not None:
            return WrongObjectType(
                f'ALTER action {words} cannot be performed on relation "{relation.name}"',
                detail=f"This operation is not supported for {kind_name(relation)}s.",
            )
    return None
