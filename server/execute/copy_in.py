"""COPY FROM STDIN: data into a staging table as they arrive, then a write as INSERT's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NoReturn

from catalog.acl import Privilege
from catalog.encoding import CODECS
from catalog.errors import (
    PgError,
    QueryCanceled,
    ReadOnlyTransaction,
    SerializationFailure,
    UndefinedTable,
)
from catalog.relation import Table
from catalog.state import Catalog
from server.execute.block_writes import add_to_block
from server.execute.copy_load import Loader
from server.execute.copy_options import copy_format
from server.execute.dml import until_it_wins
from server.execute.evaluate import Evaluated, Evaluation
from server.execute.permission import check
from server.execute.references import follow
from server.execute.transaction import own_block, write
from server.session_state import SessionState
from server.sql.bind.copy import BoundCopyIn, bind_copy_in
from server.sql.bind.needs import Needs
from server.sql.statement import Copy
from server.wire.copy_binary import BinaryCutter
from server.wire.copy_columns import image_size
from server.wire.copy_cut import Cutter
from server.wire.copy_format import CopyFormat, CopyKind
from server.wire.session_contract import CopyInResult
from server.wire.transcoding import TextDecoder


def copy_in(state: SessionState, statement: Copy) -> CopyIn:
    """Begin COPY FROM; while the database is paused it waits here.

    Raises:
        PgError: It cannot be done.
    """
    transaction = state.transaction
    if state.is_read_only:
        raise ReadOnlyTransaction("cannot execute COPY FROM in a read-only transaction")
    if not transaction.has_written:
        state.wait_until_running(may_queue=True)
    context = state.bind_context(state.catalog(), offset=statement.start).context
    bound = bind_copy_in(statement, context)
    needs = Needs()
    needs.add(bound.table.oid, Privilege.INSERT, (column.number for column in bound.columns))
    check(state, needs)
    form = copy_format(statement, [column.name for column in bound.columns])
    return CopyIn(state, bound, form)


class CopyIn(CopyInResult):
    """One COPY FROM while its data arrive.

    Invariant: until ``finish`` returns nothing is written but a staging table.
    """

    def __init__(self, state: SessionState, bound: BoundCopyIn, form: CopyFormat) -> None:
        self._state = state
        self._bound = bound
        self._table = bound.table
        self._formats = (form.code,) * len(bound.columns)
        self._cutter: Cutter | BinaryCutter
        names = [column.name for column in bound.columns]
        if form.kind is CopyKind.BINARY:
            self._cutter = BinaryCutter(names, [image_size(c.type) for c in bound.columns])
        else:
            self._cutter = Cutter(form, names)
        encoding = state.settings.show("client_encoding")
        self._loader = Loader(state, bound, form, encoding)
        self._decoder = None
        if form.kind is not CopyKind.BINARY:
            encoding = form.encoding or encoding
            self._decoder = TextDecoder(encoding) if encoding in CODECS else None

    @property
    def copy_formats(self) -> Sequence[int]:
        return self._formats

    def interruptible(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
        return self._state.interrupt.on_set(wake)

    def write(self, data: bytes) -> None:
        self._state.interrupt.check()
        with self._context():
            self._feed(data)

    def _feed(self, data: bytes, *, is_last: bool = False) -> None:
        error = None
        if self._decoder is not None:
            data, error = self._decoder.feed(data, is_last=is_last)
        for chunk in self._cutter.feed(data):
            self._loader.load(chunk)
        if error is not None:
            self._take_complete_rows()
            error.context = f"line {self._cutter.line}"
            raise error

    def catch_up(self) -> None:
        with self._context():
            self._take_complete_rows()

    def _take_complete_rows(self) -> None:
        for chunk in self._cutter.complete_rows():
            self._loader.load(chunk, is_last=True)
        self._loader.finish()

    def finish(self) -> None:
        self._state.interrupt.check()
        with self._context():
            if self._decoder is not None:
                self._feed(b"", is_last=True)
            for chunk in self._cutter.finish():
                self._loader.load(chunk, is_last=True)
            self._loader.finish()
            self._loader.settle()
        if self._loader.staging is not None:
            self._write(self._loader.staging)

    def fail(self, reason: str) -> NoReturn:
        self.catch_up()
        error = QueryCanceled(f"COPY from stdin failed: {reason}")
        error.context = f"COPY {self._table.name}, line {self._cutter.line}"
        raise error

    def tag(self, rows: int) -> str:  # noqa: ARG002
        return f"COPY {self._loader.rows}"

    def close(self) -> None:
        self._loader.close()
        self._state.rest()

    def _write(self, staging: str) -> None:
        """Hand in what was staged, or add it to the transaction."""
        state = self._state
        if self._table.foreign_keys and not state.transaction.is_open:
            state.wait_until_running()
            until_it_wins(state, lambda: self._write_in_own_block(staging))
            return
        looks = self._table.has_key_rules or self._table.binds_rows
        if looks and not state.transaction.is_open:
            state.wait_until_running()
            until_it_wins(state, lambda: self._write_once(staging))
            return
        evaluation = Evaluation(state, self._table)
        evaluated = self._evaluated(evaluation, staging)
        if state.transaction.is_open:
            add_to_block(state, evaluated)
            follow(state, evaluated)
            return
        state.wait_until_running(may_queue=True)
        self._loader.staging = None  # From here on it is the worker's, whatever happens.
        write(state, evaluated.write_set())

    def _write_in_own_block(self, staging: str) -> None:
        """Hand in what was staged with what foreign keys make of it; it stays ours."""
        with own_block(self._state):
            self._check_table(self._state.catalog())  # It pins the snapshot.
            evaluation = Evaluation(self._state, self._table)
            evaluated = self._evaluated(evaluation, staging)
            add_to_block(self._state, evaluated)
            follow(self._state, evaluated)

    def _write_once(self, staging: str) -> None:
        """Hand in what was staged as the table's rows make it; the staged rows stay ours."""
        evaluation = Evaluation(self._state, self._table)
        catalog = self._state.worker.pin(self._state.reader)
        try:
            self._check_table(catalog)
            evaluated = self._evaluated(evaluation, staging)
        except BaseException:
            self._state.reader.rollback()
            raise
        self._state.reader.commit()
        write(self._state, evaluated.write_set(obeyed_at=self._state.reader.epoch))

    def _evaluated(self, evaluation: Evaluation, staging: str) -> Evaluated:
        loader, bound = self._loader, self._bound
        filled = frozenset(c.number for c in bound.columns if bound.is_required(c))
        return evaluation.insert_staged(staging, loader.rows, self._cutter.lines, filled=filled)

    def _check_table(self, catalog: Catalog) -> None:
        """Give up when the rows that have come are for a table that is another by now.

        Raises:
            UndefinedTable: It was dropped.
            SerializationFailure: It was altered.
        """
        table = catalog.relations.get(self._table.oid)
        if not isinstance(table, Table):
            raise UndefinedTable("the table was dropped while the statement waited")
        if table.layout != self._table.layout:
            raise SerializationFailure(
                "could not serialize access due to concurrent update",
                detail=f'Table "{table.name}" was altered while its rows arrived.',
            )

    @contextmanager
    def _context(self) -> Iterator[None]:
        """Have errors in the data tell whose they are, those of the first rows first."""
        try:
            try:
                yield
            except PgError:
                self._loader.finish()
                raise
        except PgError as e:
            if e.context is not None:
                e.context = f"COPY {self._table.name}, {e.context}"
            raise
