"""Statements with others in their WITH that write.

All of them see the tables as they were before the first, and what the others return; each runs
once, whether it is read or not. In what order rows are written is nobody's promise, and a row is
written by one of them: by the first that finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.errors import ReadOnlyTransaction
from server.execute.binding import Binding
from server.execute.block_writes import add_to_block
from server.execute.dml import BoundWrite, evaluate, result_of, until_it_wins, verb_of
from server.execute.engine_sql import EngineSql, engine_text, with_rows
from server.execute.evaluate import Evaluated, Evaluation
from server.execute.references import follow
from server.execute.transaction import own_block
from server.execute.unsettled import settle
from server.result import Done, EngineRows
from server.session_state import SessionState
from server.sql.bind.result import (
    BoundDelete,
    BoundInsert,
    BoundQuery,
    BoundWriting,
)

_OLD: Final = "o_"


def execute_writing(
    state: SessionState, binding: Binding[BoundWriting], parameters: Sequence[object]
) -> Done | EngineRows:
    """Run such a statement; returns when its rows are committed, or part of the block.

    Raises:
        PgError: It cannot be done, or its wait was ended; nothing of it is applied.
    """
    if state.is_read_only:
        main = binding.bound.main
        verb = "SELECT" if isinstance(main, BoundQuery) else verb_of(main)
        raise ReadOnlyTransaction(f"cannot execute {verb} in a read-only transaction")
    binding.ready(state)
    if state.transaction.is_open:
        return _in_block(state, binding, parameters)
    state.wait_until_running(may_queue=False)
    state.await_queued_writes()
    return until_it_wins(state, lambda: _in_own_block(state, binding, parameters))


def _in_own_block(
    state: SessionState, binding: Binding[BoundWriting], parameters: Sequence[object]
) -> Done | EngineRows:
    with own_block(state):
        return _in_block(state, binding, parameters)


def _in_block(
    state: SessionState, binding: Binding[BoundWriting], parameters: Sequence[object]
) -> Done | EngineRows:
    transaction = state.transaction
    if not transaction.has_written or state.settings.show("paused_dml") == "queue":
        state.wait_until_running(may_queue=False)
    if transaction.unsettled:
        settle(state)
    bound = binding.ready(state)
    transaction.keep_staged()  # What the statement reads, others of its parts must not change.
    run = _Run(state, parameters)
    try:
        return run.all_of(bound)
    except BaseException:
        # A savepoint may bring the transaction back, and then what was made would stay.
        run.abandon()
        raise


class _Run:
    """One run of such a statement, in a transaction."""

    def __init__(self, state: SessionState, parameters: Sequence[object]) -> None:
        self._state = state
        self._parameters = parameters
        self._rows: dict[str, str] = {}  #: The staging table of each FROM item.
        self._written: list[Evaluated] = []
        self._evaluations: list[Evaluation] = []
        self._made: list[str] = []

    def all_of(self, bound: BoundWriting) -> Done | EngineRows:
        """Run the steps and the statement itself, then do what foreign keys ask for."""
        for step in bound.steps:
            if isinstance(step.bound, BoundQuery):
                self._rows[step.item] = self._staged(step.bound)
            elif (returned := self._write(step.bound).returned) is not None:
                self._rows[step.item] = returned
                self._made.append(returned)
        result = self._main(bound.main)
        for evaluated in self._written:
            follow(self._state, evaluated)
        self._state.drop_staging(
            [*self._made, *(name for written in self._written for name in written.staging)]
        )
        return result

    def abandon(self) -> None:
        """Drop what was made."""
        for evaluation in self._evaluations:
            evaluation.abandon()
        self._state.drop_staging(self._made)

    def _main(self, main: BoundQuery | BoundWrite) -> Done | EngineRows:
        if not isinstance(main, BoundQuery):
            return result_of(self._state, main, self._write(main))
        rows = self._staged(main)
        self._made.remove(rows)
        return EngineRows(
            self._state,
            main.columns,
            (f"SELECT * FROM {rows}", ()),
            on_close=lambda: self._state.drop_staging([rows]),
        )

    def _staged(self, query: BoundQuery) -> str:
        sql, values = engine_text(self._read(query.tree)).with_values(self._parameters)
        name = self._state.manager.allocate_name()
        with self._state.interruptible():
            self._state.reader.run(f"CREATE TABLE {name} AS {sql}", values)
        self._made.append(name)
        return name

    def _write(self, bound: BoundWrite) -> Evaluated:
        bound = self._reading(bound)
        evaluation = Evaluation(
            self._state, bound.table, self._parameters, partial(self._text, bound)
        )
        self._evaluations.append(evaluation)
        evaluated = evaluate(evaluation, bound)
        add_to_block(self._state, evaluated)
        self._written.append(evaluated)
        return evaluated

    def _read(self, tree: exp.Expr) -> exp.Expr:
        """Return a tree that reads what those before have given."""
        for item, staging in self._rows.items():
            tree = with_rows(tree, item, staging)
        return tree

    def _reading(self, bound: BoundWrite) -> BoundWrite:
        """Return a write of which all parts read what those before have given."""
        if bound.returning is not None:
            returning = replace(bound.returning, tree=self._read(bound.returning.tree))
            bound = replace(bound, returning=returning)
        if isinstance(bound, BoundInsert) and bound.conflict is not None and bound.conflict.update:
            update = self._read(bound.conflict.update)
            assert isinstance(update, exp.Select)
            bound = replace(bound, conflict=replace(bound.conflict, update=update))
        return bound

    def _text(self, bound: BoundWrite) -> EngineSql:
        """Return the query for what is written, without rows that another part has written."""
        constants = bound.constants if isinstance(bound, BoundInsert) else ()
        text = engine_text(self._read(bound.tree), constants)
        sql, values = text.with_values(self._parameters)
        if isinstance(bound, BoundInsert):
            return sql, values
        before = [e.old for e in self._written if e.table.oid == bound.table.oid and e.old]
        if not before:
            return sql, values
        prefix = "" if isinstance(bound, BoundDelete) else _OLD
        same = " AND ".join(f"gone.{name} = found.{prefix}{name}" for name in bound.table.key)
        passed_over = " AND ".join(
            f"NOT EXISTS (SELECT 1 FROM {old} AS gone WHERE {same})" for old in before
        )
        return f"SELECT * FROM ({sql}) AS found WHERE {passed_over}", values
