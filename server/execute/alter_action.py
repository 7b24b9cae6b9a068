"""What ALTER TABLE does only with tables, and what it does not do for who follows RisingWave."""

from __future__ import annotations

from typing import Final

from catalog.errors import FeatureNotSupported, WrongObjectType
from catalog.relation import Column, Relation, kind_name
from catalog.types import PgType
from server.execute.names import find_relation
from server.execute.sequence import find_sequence
from server.session_state import SessionState
from server.sql import alter_statement as a
from server.sql.sequence_statement import AlterSequence
from server.sql.statement import ObjectKind
from server.sql.struct_change import holds_struct, is_struct_change

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


def is_of_any(statement: a.AlterRelationStatement) -> bool:
    """Whether ALTER TABLE does only what it does with views too."""
    if statement.kind is not ObjectKind.TABLE:
        return False
    if isinstance(statement, a.AlterRelation):
        common = (a.SetOwner, a.RenameColumn, a.SetDefault, a.SetStorage)
        return all(isinstance(action, common) for action in statement.actions)
    return isinstance(statement, a.AlterSchemaOf)


def given_sequence(
    state: SessionState, statement: a.AlterRelationStatement
) -> AlterSequence | None:
    """Return what gives a sequence to somebody, which ALTER TABLE does too."""
    if not isinstance(statement, a.AlterRelation) or statement.kind is not ObjectKind.TABLE:
        return None
    match statement.actions:
        case (a.SetOwner(owner),):
            catalog, name = state.catalog(), statement.name
            if find_relation(state, catalog, name) or not find_sequence(state, catalog, name):
                return None
            return AlterSequence(name, owner=owner, source=statement.source)
        case _:
            return None


def alters_struct(state: SessionState, column: Column, target: PgType) -> bool:
    """Whether the fields of a column's structs change, rather than that it is cast.

    Raises:
        FeatureNotSupported: It holds none, and the session follows RisingWave's habits.
    """
    if not state.settings.is_peer:
        return is_struct_change(column.type, target)
    if not holds_struct(column.type):
        raise FeatureNotSupported(
            f'the type of column "{column.name}" cannot be altered',
            detail="RisingWave alters only types that contain a struct. With USING, and for "
            "sessions that follow PostgreSQL's habits, others are altered too.",
        )
    return True


def refuse_new_key(state: SessionState, action: a.AddColumn) -> None:
    """Refuse a new column that is the primary key to who follows RisingWave's habits.

    Raises:
        FeatureNotSupported: It is to be.
    """
    if state.settings.is_peer and any(key.is_primary for key in action.keys):
        raise FeatureNotSupported("ADD COLUMN with PRIMARY KEY is not supported")
