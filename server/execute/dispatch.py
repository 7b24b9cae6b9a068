"""Which statement is executed by what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, ReadOnlyTransaction
from server.execute import (
    alter,
    change_cursor,
    create_table_as,
    cursor,
    database,
    ddl,
    drop,
    explain,
    function,
    index,
    late,
    maintenance,
    membership,
    notify,
    owner,
    pause,
    prepared,
    privilege,
    read_only,
    role,
    secret,
    sequence,
    set_parameter,
    show,
    sink,
    source,
    streaming,
    subscription,
    transaction,
    user_type,
    view,
)
from server.execute.alter_relation import alter_relation
from server.execute.backup import back_up
from server.execute.check_view import check_view
from server.execute.command_tag import peer_tag
from server.execute.comment import comment
from server.execute.copy_in import copy_in
from server.execute.copy_out import copy_out
from server.execute.defaults import set_role_default
from server.execute.describe import Described
from server.execute.dml import execute_write
from server.execute.drop_type import drop_types
from server.execute.job_config import alter_job_config
from server.execute.lock_table import lock_table
from server.execute.pause_view import move_view
from server.execute.put_off import set_constraints
from server.execute.query import execute_query
from server.execute.truncate import truncate
from server.execute.unsettled import settle, touched
from server.execute.writing_with import execute_writing
from server.result import Done, PythonRows, Result
from server.session_state import SessionState
from server.sql import alter_statement as altering
from server.sql import comment_statement as comments
from server.sql import index_statement as indexing
from server.sql import privilege_statement as privileges
from server.sql import role_statement as roles
from server.sql import statement as s
from server.sql import subscription_statement as subscribing
from server.sql.merge_statement import Merge
from server.sql.session_statement import LockTable, SetConstraints
from server.sql.streaming_statement import AlterJobConfig, RefreshView

#: Statements that are accepted in a failed transaction.
_ENDS: Final = (s.Commit, s.Rollback, s.RollbackTo)

#: Statements that look after writes which are not staged themselves, or need not.
_LEAVES_UNSETTLED: Final = (
    *(*_ENDS, s.Insert, s.Update, s.Delete, Merge, s.WritingWith, s.ExecuteStatement),
)


def ends_transaction(statement: s.Statement) -> bool:
    """Whether a statement is accepted in a failed transaction."""
    return isinstance(statement, _ENDS)


def execute(
    state: SessionState,
    statement: s.Statement,
    described: Described,
    parameters: Sequence[object],
) -> Result:
    """Run a statement; the tag is of those whose habits the session follows.

    Args:
        state: The session.
        statement: What to run.
        described: What ``describe`` returned for it.
        parameters: The values of $1, $2, ...

    Raises:
        PgError: It cannot be done; nothing of it is left.
    """
    result = _execute(state, statement, described, parameters)
    if not state.settings.is_peer:
        return result
    match result:
        case Done(tag):
            return Done(peer_tag(statement, tag))
        case PythonRows():
            return replace(result, command=peer_tag(statement, result.command))
        case _:
            return result


def _execute(
    state: SessionState,
    statement: s.Statement,
    described: Described,
    parameters: Sequence[object],
) -> Result:
    if state.transaction.unsettled and not isinstance(statement, _LEAVES_UNSETTLED):
        query = described.query if isinstance(statement, s.Query) else None
        if query is not None:
            query.current(state)
        settle(state, None if query is None else touched(query))
    if state.is_read_only and (changes := read_only.change_of(statement)) is not None:
        if isinstance(statement, s.CreateTable) and ddl.has_nothing_to_make(state, statement):
            return Done("CREATE TABLE")
        raise ReadOnlyTransaction(f"cannot execute {changes} in a read-only transaction")
    statement, described = late.with_values(state, statement, described, parameters)
    match statement:
        case s.Query():
            return _query(state, statement, described, parameters)
        case s.Insert() | s.Update() | s.Delete() | Merge():
            assert described.write is not None, statement
            return execute_write(state, described.write, parameters)
        case s.WritingWith():
            assert described.writing is not None, statement
            return execute_writing(state, described.writing, parameters)
        case altering.Truncate():
            return truncate(state, statement)
        case s.ExplainMaterializedView():
            return explain.explain_materialized_view(state, statement)
        case s.CheckMaterializedView():
            return check_view(state, statement)
        case s.Explain(statement=s.ExecuteStatement() as named):
            run, known, values = prepared.arguments(state, named)
            return _explain(state, replace(statement, statement=run), known, values)
        case s.Explain():
            return _explain(state, statement, described, parameters)
        case s.CreateTable(query=exp.Expr()):
            types = described.parameter_types
            return create_table_as.create_table_as(state, statement, types, parameters)
        case s.DeclareCursor():
            assert described.query is not None, statement
            return cursor.declare(state, statement, described.query, parameters)
        case s.ExecuteStatement():
            run, known, values = prepared.arguments(state, statement)
            return execute(state, run, known, values)
        case s.Unsupported(what):
            raise FeatureNotSupported(f"{what} is not supported")
        case s.Copy(s.CopyDirection.FROM_STDIN):
            return copy_in(state, statement)
        case s.Copy():
            return copy_out(state, statement)
        case _:
            return (
                _definition(state, statement)
                or _told(state, statement)
                or _transaction(state, statement)
                or _session(state, statement)
            )


def _query(
    state: SessionState, statement: s.Query, described: Described, parameters: Sequence[object]
) -> Result:
    binding = described.query
    assert binding is not None, statement
    return execute_query(state, binding, parameters)


def _explain(
    state: SessionState,
    statement: s.Explain,
    described: Described,
    parameters: Sequence[object],
) -> Result:
    explain.check_explainable(statement)
    if described.query is not None:
        return explain.explain_query(state, described.query, parameters, statement=statement)
    if described.write is not None:
        return explain.explain_write(state, described.write, parameters)
    if described.writing is not None:
        return explain.explain_writing(state, described.writing, parameters)
    match statement.statement:
        case s.CreateMaterializedView() as view:
            return explain.explain_view(state, view, is_verbose=statement.is_verbose)
        case s.CreateView() | s.CreateTable() as definition:
            return explain.explain_definition(state, definition)
        case indexing.CreateIndex() as definition:
            return explain.explain_index(state, definition)
        case _:
            raise FeatureNotSupported("EXPLAIN of such a statement is not supported")


def _definition(state: SessionState, statement: s.Statement) -> Result | None:
    """Run a statement that changes what there is, or the flow."""
    match statement:
        case s.CreateTable(query=None):
            return ddl.create_table(state, statement)
        case s.CreateView():
            return view.create_view(state, statement)
        case s.CreateSchema():
            return ddl.create_schema(state, statement)
        case s.CreateDatabase():
            return database.create_database(state, statement)
        case s.Drop():
            return _drop(state, statement)
        case (
            s.AlterRename(s.ObjectKind.TYPE | s.ObjectKind.DOMAIN)
            | altering.AlterSchemaOf(s.ObjectKind.TYPE | s.ObjectKind.DOMAIN)
            | privileges.AlterOwner(s.ObjectKind.TYPE | s.ObjectKind.DOMAIN)
        ):
            return user_type.move_type(state, statement)
        case s.AlterRename(s.ObjectKind.INDEX):
            return index.rename_index(state, statement)
        case s.AlterRename():
            return ddl.rename(state, statement)
        case indexing.CreateIndex():
            return index.create_index(state, statement)
        case comments.Comment() | comments.CommentOnConstraint() | comments.CommentOnRole():
            return comment(state, statement)
        case altering.AlterRelation() | altering.AlterSchemaOf() | altering.AlterSwap():
            return alter_relation(state, statement)
        case s.AlterSystemPause() | s.AlterSystemResume():
            return pause.move_system(state, statement)
        case s.AlterDatabasePause() | s.AlterDatabaseResume() | s.AlterDatabaseStep():
            return pause.move_database(state, statement)
        case s.AlterDatabaseWrites():
            return pause.settle_writes(state, statement)
        case s.Backup(target):
            return back_up(state, target)
        case s.AlterSystemSet(name, value):
            return alter.set_system_parameter(state, name, value)
        case s.AlterDatabaseSet(name, parameter, value):
            return alter.set_database_parameter(state, name, parameter, value)
        case s.Vacuum():
            return maintenance.vacuum(state, statement)
        case s.Analyze():
            return maintenance.analyze(state, statement)
        case s.Checkpoint():
            return maintenance.checkpoint(state)
        case _:
            return (
                _jobs(state, statement)
                or function.change(state, statement)
                or user_type.change_type(state, statement)
                or sequence.change(state, statement)
                or subscription.change(state, statement)
                or source.change(state, statement)
                or secret.change(state, statement)
                or _roles(state, statement)
            )


def _jobs(state: SessionState, statement: s.Statement) -> Result | None:
    """Run a statement about streaming jobs, or what they wait for."""
    match statement:
        case s.CreateMaterializedView():
            return streaming.create_materialized_view(state, statement)
        case s.CreateSink():
            return sink.create_sink(state, statement)
        case s.AlterViewPause() | s.AlterViewResume():
            return move_view(state, statement)
        case s.AlterViewRate():
            return streaming.limit_backfill(state, statement)
        case s.Flush():
            return streaming.flush(state)
        case s.Wait():
            return streaming.wait(state, statement)
        case s.Recover():
            return streaming.recover(state)
        case RefreshView():
            return streaming.refresh(state, statement)
        case s.CancelJobs():
            return streaming.cancel_jobs(state, statement)
        case AlterJobConfig():
            return alter_job_config(state, statement)
        case _:
            return None


def _roles(state: SessionState, statement: s.Statement) -> Result | None:
    """Run a statement about roles and what they may do."""
    match statement:
        case roles.CreateRole():
            return role.create_role(state, statement)
        case roles.AlterRole():
            return role.alter_role(state, statement)
        case roles.AlterRoleSet():
            return set_role_default(state, statement)
        case roles.RenameRole():
            return role.rename_role(state, statement)
        case roles.DropRoles():
            return role.drop_roles(state, statement)
        case privileges.Grant():
            return privilege.grant(state, statement)
        case privileges.GrantRoles():
            return membership.grant_roles(state, statement)
        case privileges.AlterDefaultPrivileges():
            return privilege.alter_default_privileges(state, statement)
        case privileges.AlterOwner():
            return owner.alter_owner(state, statement)
        case privileges.ReassignOwned():
            return owner.reassign_owned(state, statement)
        case privileges.DropOwned():
            return owner.drop_owned(state, statement)
        case _:
            return None


def _drop(state: SessionState, statement: s.Drop) -> Done:
    match statement.kind:
        case s.ObjectKind.SCHEMA:
            return drop.drop_schemas(
                state,
                [name.name for name in statement.names],
                if_exists=statement.if_exists,
                is_cascade=statement.is_cascade,
            )
        case s.ObjectKind.INDEX:
            return index.drop_indexes(state, statement.names, if_exists=statement.if_exists)
        case s.ObjectKind.TYPE | s.ObjectKind.DOMAIN:
            return drop_types(
                state,
                statement.kind,
                statement.names,
                if_exists=statement.if_exists,
                is_cascade=statement.is_cascade,
            )
        case s.ObjectKind.SECRET:
            return secret.drop_secrets(
                state,
                statement.names,
                if_exists=statement.if_exists,
                is_cascade=statement.is_cascade,
            )
        case s.ObjectKind.DATABASE:
            (name,) = statement.names
            options = {"if_exists": statement.if_exists, "is_forced": statement.is_forced}
            return database.drop_database(state, name.name, **options)
        case _:
            return drop.drop_relations(
                state,
                ddl.kind_of(statement.kind),
                statement.names,
                if_exists=statement.if_exists,
                is_cascade=statement.is_cascade,
            )


def _told(state: SessionState, statement: s.Statement) -> Result | None:
    """Run a statement that tells what there is."""
    match statement:
        case s.Show("all"):
            return show.show_all(state)
        case s.Show(name):
            return show.show_parameter(state, name)
        case s.ShowObjects():
            return show.show_objects(state, statement)
        case s.ShowColumns(relation):
            return show.describe(state, relation, has_summary=False)
        case s.Describe(relation):
            return show.describe(state, relation, has_summary=True)
        case s.ShowIndexes(relation):
            return show.show_indexes(state, relation)
        case s.ShowCreate(s.ObjectKind.INDEX, name):
            return show.show_create_index(state, name)
        case s.ShowCreate(s.ObjectKind.FUNCTION, name):
            return show.show_create_function(state, name)
        case s.ShowCreate(kind, name):
            return show.show_create(state, ddl.kind_of(kind), name)
        case _:
            return None


def _transaction(state: SessionState, statement: s.Statement) -> Result | None:
    """Run a statement that begins, marks or ends a transaction."""
    match statement:
        case s.Begin(modes):
            tag = "START TRANSACTION" if statement.text[:5].upper() == "START" else "BEGIN"
            return transaction.begin(
                state,
                tag,
                is_read_only=modes.is_read_only,
                isolation=modes.isolation,
            )
        case s.Commit(is_chained=True) | s.Rollback(is_chained=True):
            return transaction.end_and_begin(state, is_commit=isinstance(statement, s.Commit))
        case s.Commit():
            return transaction.commit(state)
        case s.Rollback():
            return transaction.rollback(state)
        case s.Savepoint(name):
            return transaction.savepoint(state, name)
        case s.RollbackTo(name):
            return transaction.rollback_to(state, name)
        case s.ReleaseSavepoint(name):
            return transaction.release(state, name)
        case LockTable():
            return lock_table(state, statement)
        case SetConstraints():
            return set_constraints(state, statement)
        case s.SetTransaction():
            return set_parameter.set_transaction(state, statement)
        case subscribing.DeclareSubscriptionCursor():
            return change_cursor.declare(state, statement)
        case s.Fetch(name) if name in state.change_cursors:
            return change_cursor.fetch(state, statement)
        case s.Fetch():
            return cursor.fetch(state, statement)
        case s.Move():
            return cursor.move(state, statement)
        case s.CloseCursor(name):
            return cursor.close(state, name)
        case _:
            return None


def _session(state: SessionState, statement: s.Statement) -> Result:
    """Run a statement about the session itself."""
    match statement:
        case s.Set():
            return set_parameter.set_parameter(state, statement)
        case s.Reset(name):
            return set_parameter.reset_parameter(state, name)
        case s.Discard(what):
            return set_parameter.discard(state, what)
        case s.Use(name):
            return database.use_database(state, name)
        case s.Prepare():
            return prepared.prepare(state, statement)
        case s.Deallocate(name):
            return prepared.deallocate(state, name)
        case s.DeallocateAll():
            return prepared.deallocate(state, None)
        case s.Listen(channel):
            return notify.listen(state, channel)
        case s.Unlisten(channel):
            return notify.unlisten(state, channel)
        case s.Notify(channel, payload):
            return notify.notify(state, channel, payload)
        case _:
            raise AssertionError(statement)
