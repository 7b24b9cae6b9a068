"""What changes what there is, which a transaction that only reads refuses."""

from __future__ import annotations

from typing import Final

from server.sql import alter_statement as altering
from server.sql import comment_statement as comments
from server.sql import function_statement as functions
from server.sql import index_statement as indexing
from server.sql import privilege_statement as privileges
from server.sql import role_statement as roles
from server.sql import secret_statement as secrets
from server.sql import sequence_statement as sequences
from server.sql import statement as s
from server.sql import subscription_statement as subscribing
from server.sql import type_statement as definitions
from server.sql.streaming_statement import AlterJobConfig, AlterSourceRate, CreateSource

#: What messages call such statements.
_CHANGES: Final = {
    s.CreateTable: "CREATE TABLE",
    s.CreateView: "CREATE VIEW",
    s.CreateMaterializedView: "CREATE MATERIALIZED VIEW",
    s.CreateSink: "CREATE SINK",
    subscribing.CreateSubscription: "CREATE SUBSCRIPTION",
    subscribing.AlterRetention: "ALTER SUBSCRIPTION",
    CreateSource: "CREATE SOURCE",
    AlterSourceRate: "ALTER ... SET SOURCE_RATE_LIMIT",
    AlterJobConfig: "ALTER",
    s.CreateSchema: "CREATE SCHEMA",
    s.CreateDatabase: "CREATE DATABASE",
    s.Drop: "DROP",
    definitions.CreateEnum: "CREATE TYPE",
    definitions.CreateComposite: "CREATE TYPE",
    definitions.CreateDomain: "CREATE DOMAIN",
    definitions.AddEnumValue: "ALTER TYPE",
    definitions.RenameEnumValue: "ALTER TYPE",
    definitions.SetDomainDefault: "ALTER DOMAIN",
    definitions.SetDomainNotNull: "ALTER DOMAIN",
    definitions.AddDomainCheck: "ALTER DOMAIN",
    definitions.DropDomainCheck: "ALTER DOMAIN",
    definitions.RenameDomainCheck: "ALTER DOMAIN",
    s.AlterRename: "ALTER",
    altering.AlterRelation: "ALTER",
    indexing.CreateIndex: "CREATE INDEX",
    comments.Comment: "COMMENT",
    comments.CommentOnConstraint: "COMMENT",
    comments.CommentOnRole: "COMMENT",
    functions.CreateFunction: "CREATE FUNCTION",
    functions.DropFunction: "DROP FUNCTION",
    functions.AlterFunction: "ALTER FUNCTION",
    functions.CommentOnFunction: "COMMENT",
    secrets.CreateSecret: "CREATE SECRET",
    secrets.AlterSecret: "ALTER SECRET",
    secrets.GiveSecret: "ALTER SECRET",
    sequences.CreateSequence: "CREATE SEQUENCE",
    sequences.AlterSequence: "ALTER SEQUENCE",
    sequences.DropSequence: "DROP SEQUENCE",
    sequences.CommentOnSequence: "COMMENT",
    altering.AlterSchemaOf: "ALTER",
    altering.AlterSwap: "ALTER",
    s.AlterDatabaseSet: "ALTER DATABASE",
    s.AlterSystemSet: "ALTER SYSTEM",
    roles.CreateRole: "CREATE ROLE",
    roles.AlterRole: "ALTER ROLE",
    roles.AlterRoleSet: "ALTER ROLE",
    roles.RenameRole: "ALTER ROLE",
    roles.DropRoles: "DROP ROLE",
    privileges.GrantRoles: "GRANT ROLE",
    privileges.AlterDefaultPrivileges: "ALTER DEFAULT PRIVILEGES",
    privileges.AlterOwner: "ALTER",
    privileges.ReassignOwned: "REASSIGN OWNED",
    privileges.DropOwned: "DROP OWNED",
}


def change_of(statement: s.Statement) -> str | None:
    """Return what messages call a statement that changes what there is; None for others."""
    if isinstance(statement, privileges.Grant):
        return "GRANT" if statement.is_grant else "REVOKE"
    changes = _CHANGES.get(type(statement))
    of_a_kind = s.Drop | s.AlterRename | altering.AlterRelationStatement | AlterJobConfig
    if isinstance(statement, of_a_kind):
        return f"{changes} {statement.kind.upper()}"
    return changes
