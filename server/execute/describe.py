"""What is known of a statement's parameters and columns before it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from catalog.types import PgType
from server.execute import cursor, show
from server.execute.binding import Binding, Hints, bind
from server.execute.dml import WriteBinding
from server.execute.explain import EXPLAIN_COLUMNS
from server.execute.set_parameter import apply_set_config, calls_set_config
from server.execute.streaming import CANCEL_COLUMNS
from server.result import text_columns
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.bind_query import bind_query
from server.sql.bind.context import BindContext
from server.sql.bind.delete import bind_delete
from server.sql.bind.insert import bind_insert
from server.sql.bind.result import BoundQuery, OutputColumn
from server.sql.bind.update import bind_update
from server.sql.write_tree import delete_tree, insert_tree, update_tree

Columns: TypeAlias = tuple[OutputColumn, ...] | None

#: Titles of SHOW by what is shown; lists of relations have one of their own.
_SHOWN: Final = {
    "JOBS": show.JOB_COLUMNS,
    "PARAMETERS": show.PARAMETER_COLUMNS,
    "PROCESSLIST": show.PROCESS_COLUMNS,
}


@dataclass(slots=True)
class Described:
    """What is known of a statement before it runs.

    Attributes:
        binding: What it was bound to, if there is anything to bind.
        fixed_columns: Its columns where they do not come from the binding.
    """

    binding: Binding[BoundQuery] | WriteBinding | None = None
    fixed_columns: Columns = None

    @property
    def parameter_types(self) -> tuple[PgType, ...]:
        """The types of $1, $2, ..."""
        return () if self.binding is None else self.binding.bound.parameters

    @property
    def columns(self) -> Columns:
        """The columns of the result; None has no rows."""
        if self.fixed_columns is not None or self.binding is None:
            return self.fixed_columns
        bound = self.binding.bound
        if isinstance(bound, BoundQuery):
            return bound.columns
        return None if bound.returning is None else bound.returning.columns

    def refresh(self, state: SessionState) -> None:
        """Bind again if what the statement stands on has changed."""
        if self.binding is not None:
            self.binding.current(state)


def describe(state: SessionState, statement: s.Statement, hints: Hints) -> Described:
    """Bind what there is to bind in a statement and return what is known of it.

    Raises:
        PgError: It does not make sense.
    """
    match statement:
        case s.Query() | s.Insert() | s.Update() | s.Delete():
            return Described(_bound(state, statement, hints))
        case s.Explain(statement=s.Query() | s.Insert() | s.Update() | s.Delete() as explained):
            return Described(_bound(state, explained, hints), EXPLAIN_COLUMNS)
        case s.Explain():
            return Described(None, EXPLAIN_COLUMNS)
        case s.Show("all"):
            return Described(None, show.ALL_COLUMNS)
        case s.Show(name):
            return Described(None, text_columns(state.settings.title(name)))
        case s.ShowObjects(kind=kind):
            return Described(None, _SHOWN.get(kind, show.NAME_COLUMNS))
        case s.ShowColumns() | s.Describe():
            return Described(None, show.DESCRIBE_COLUMNS)
        case s.ShowIndexes():
            return Described(None, show.INDEX_COLUMNS)
        case s.ShowCreate():
            return Described(None, show.CREATE_COLUMNS)
        case s.CancelJobs():
            return Described(None, CANCEL_COLUMNS)
        case s.Fetch(name):
            return Described(None, cursor.find(state, name).columns)
        case s.ExecuteStatement(name) if name in state.prepared:
            return Described(None, state.prepared[name].columns)
        case _:
            return Described()


def _bound(
    state: SessionState, statement: s.Query | s.Insert | s.Update | s.Delete, hints: Hints
) -> Binding[BoundQuery] | WriteBinding:
    offset = statement.start
    match statement:
        case s.Query():
            return bind(state, _query_binder(state, statement), offset=offset, hints=hints)
        case s.Insert():
            inserted = insert_tree(statement)
            return bind(state, lambda c: bind_insert(inserted, c), offset=offset, hints=hints)
        case s.Update():
            updated = update_tree(statement)
            return bind(state, lambda c: bind_update(updated, c), offset=offset, hints=hints)
        case s.Delete():
            deleted = delete_tree(statement)
            return bind(state, lambda c: bind_delete(deleted, c), offset=offset, hints=hints)


def _query_binder(state: SessionState, statement: s.Query) -> Callable[[BindContext], BoundQuery]:
    tree = statement.tree
    if calls_set_config(tree):
        tree = apply_set_config(state, tree, is_executed=False)
    return lambda context: bind_query(tree, context)
