"""What is known of a statement's parameters and columns before it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from sqlglot import exp

from barrier.stream.tolerant import tolerant
from catalog.errors import FeatureNotSupported
from catalog.types import PgType
from server.execute import show
from server.execute.binding import Binding, Hints, bind
from server.execute.change_cursor import CURSOR_COLUMNS
from server.execute.check_view import check_columns
from server.execute.dml import WriteBinding
from server.execute.explain import EXPLAIN_COLUMNS, explain_columns
from server.execute.streaming import CANCEL_COLUMNS
from server.result import text_columns
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.bind_query import bind_query
from server.sql.bind.context import BindContext
from server.sql.bind.delete import bind_delete
from server.sql.bind.insert import bind_insert
from server.sql.bind.merge import bind_merge
from server.sql.bind.result import BoundQuery, BoundWriting, OutputColumn
from server.sql.bind.update import bind_update
from server.sql.bind.writing_with import bind_writing
from server.sql.merge_statement import Merge

Columns: TypeAlias = tuple[OutputColumn, ...] | None

#: Titles of SHOW by what is shown; lists of relations have one of their own.
_SHOWN: Final = {
    "JOBS": show.JOB_COLUMNS,
    "SUBSCRIPTIONS": show.SUBSCRIPTION_COLUMNS,
    "SUBSCRIPTION CURSORS": CURSOR_COLUMNS,
    "FUNCTIONS": show.FUNCTION_COLUMNS,
    "PARAMETERS": show.PARAMETER_COLUMNS,
    "PROCESSLIST": show.PROCESS_COLUMNS,
}


@dataclass(slots=True)
class Described:
    """What is known of a statement before it runs.

    Attributes:
        query: What it was bound to, if it is a query or explains one.
        write: What it was bound to, if it is INSERT, UPDATE or DELETE or explains one.
        writing: What it was bound to, if others write in its WITH.
        fixed_columns: Its columns where they do not come from what it was bound to.
        is_silent: Whether what it was bound to gives it no columns of its own.
        look_again: Gives ``fixed_columns`` as they are now, where they can be others.
    """

    query: Binding[BoundQuery] | None = None
    write: WriteBinding | None = None
    writing: Binding[BoundWriting] | None = None
    fixed_columns: Columns = None
    is_silent: bool = False
    look_again: Callable[[SessionState], Columns] | None = None

    @property
    def parameter_types(self) -> tuple[PgType, ...]:
        """The types of $1, $2, ..."""
        binding = self.query or self.write or self.writing
        return () if binding is None else binding.bound.parameters

    @property
    def wanted(self) -> frozenset[int]:
        """The parameters whose values must be known before it can be bound for a run."""
        binding = self.query or self.write or self.writing
        return frozenset() if binding is None else binding.wanted

    @property
    def columns(self) -> Columns:
        """The columns of the result; None has no rows."""
        if self.fixed_columns is not None or self.is_silent:
            return self.fixed_columns
        if self.query is not None:
            return self.query.bound.columns
        write = self.write or self.writing
        if write is not None and write.bound.returning is not None:
            return write.bound.returning.columns
        return None

    def refresh(self, state: SessionState) -> None:
        """Bind again if what the statement stands on has changed."""
        if self.query is not None:
            self.query.current(state)
        elif self.write is not None:
            self.write.current(state)
        elif self.writing is not None:
            self.writing.current(state)
        elif self.look_again is not None:
            self.fixed_columns = self.look_again(state)


def describe(state: SessionState, statement: s.Statement, hints: Hints) -> Described:
    """Bind what there is to bind in a statement and return what is known of it.

    Raises:
        PgError: It does not make sense.
    """
    match statement:
        case s.Query():
            return Described(query=_bound(state, statement.tree, statement.start, hints))
        case s.Insert() | s.Update() | s.Delete() | Merge():
            return Described(write=_bound_write(state, statement, hints))
        case s.WritingWith():
            binding = bind(
                state, lambda c: bind_writing(statement, c), offset=statement.start, hints=hints
            )
            return Described(writing=binding)
        case s.Explain(statement=explained):
            described = describe(state, explained, hints)
            bound = described.query, described.write, described.writing
            return Described(*bound, fixed_columns=explain_columns(statement))
        case s.Show("all"):
            return Described(fixed_columns=show.ALL_COLUMNS)
        case s.Show(name):
            return Described(fixed_columns=text_columns(state.settings.title(name)))
        case s.ShowObjects(kind=kind):
            return Described(fixed_columns=_SHOWN.get(kind, show.NAME_COLUMNS))
        case s.ShowColumns() | s.Describe():
            return Described(fixed_columns=show.DESCRIBE_COLUMNS)
        case s.ShowIndexes():
            return Described(fixed_columns=show.INDEX_COLUMNS)
        case s.ShowCreate():
            return Described(fixed_columns=show.CREATE_COLUMNS)
        case s.ExplainMaterializedView():
            return Described(fixed_columns=EXPLAIN_COLUMNS)
        case s.CheckMaterializedView(view):
            return _looked_up(state, lambda now: check_columns(now, view))
        case s.CancelJobs():
            return Described(fixed_columns=CANCEL_COLUMNS)
        case s.DeclareCursor(query=tree, query_source=source):
            return Described(query=_bound(state, tree, source.start, hints), is_silent=True)
        case s.CreateTable(query=tree) if tree is not None and tree.find(exp.Parameter) is not None:
            return Described(query=_bound(state, tree, statement.start, hints), is_silent=True)
        case s.CreateMaterializedView(query=tree) if tree.find(exp.Parameter) is not None:
            raise FeatureNotSupported(
                "materialized views may not be defined using bound parameters"
            )
        case s.Fetch(name) if any(
            name in known for known in (state.cursors, state.change_cursors, state.portals)
        ):
            return _looked_up(state, lambda now: _columns_of_cursor(now, name))
        case s.ExecuteStatement(name):
            return _looked_up(state, lambda now: _columns_of_statement(now, name))
        case _:
            return Described()


def _looked_up(state: SessionState, look: Callable[[SessionState], Columns]) -> Described:
    """Describe what has the columns of something that may be replaced meanwhile."""
    return Described(fixed_columns=look(state), look_again=look)


def _columns_of_cursor(state: SessionState, name: str) -> Columns:
    # Whether there is such a cursor is asked when the statement is executed.
    if name in state.portals:
        columns: Columns = state.portals.get(name).prepared.columns
        return columns
    cursor = state.cursors.get(name) or state.change_cursors.find(name)
    return None if cursor is None else cursor.columns


def _columns_of_statement(state: SessionState, name: str) -> Columns:
    known = state.statements.find(name)  # As with cursors.
    return None if known is None else known.columns


def _bound(state: SessionState, tree: exp.Expr, offset: int, hints: Hints) -> Binding[BoundQuery]:
    def bind_as_set(context: BindContext) -> BoundQuery:
        bound = bind_query(tree, context)
        if context.settings["batch_expr_strict_mode"] == "on":
            return bound
        return replace(bound, tree=tolerant(bound.tree, state.worker.twins))

    return bind(state, bind_as_set, offset=offset, hints=hints)


def _bound_write(
    state: SessionState, statement: s.Insert | s.Update | s.Delete | Merge, hints: Hints
) -> WriteBinding:
    offset = statement.start
    match statement:
        case s.Insert():
            return bind(state, lambda c: bind_insert(statement, c), offset=offset, hints=hints)
        case s.Update():
            return bind(state, lambda c: bind_update(statement, c), offset=offset, hints=hints)
        case s.Delete():
            return bind(state, lambda c: bind_delete(statement, c), offset=offset, hints=hints)
        case Merge():
            return bind(state, lambda c: bind_merge(statement, c), offset=offset, hints=hints)
