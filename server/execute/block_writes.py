"""What a transaction has written to a table so far, and one statement more.

``removed`` holds rows of the snapshot that a statement took away or changed, ``live`` the rows that
are new; a row of the snapshot is hidden when its key is in either. Keys are the primary key or
``_row_id``; rows without identity yet get negative ones that the worker replaces.
"""

from __future__ import annotations

from dataclasses import replace

from barrier import identity
from barrier.key_rules import same_key
from barrier.writes import ORDINAL, OnKey
from catalog.relation import ROW_ID, Table, storage_name
from server.execute.evaluate import Evaluated
from server.session_state import SessionState
from server.transaction import StagedTable, storage_columns, stricter


def add_to_block(state: SessionState, evaluated: Evaluated) -> None:
    """Add a statement's writes to those of the transaction, inside the reader's transaction."""
    table = evaluated.table
    staged = state.transaction.staged_table(table)
    on_key = stricter(staged.on_key, evaluated.on_key)
    merge = _Merge(state, staged)
    if on_key is not OnKey.REPLACE and staged.on_key is OnKey.REPLACE and staged.live is not None:
        # Rows that were replaced blindly so far must now be known as removed.
        merge.remove(staged.live)
    if evaluated.old is not None:
        merge.remove(evaluated.old)
        merge.forget(evaluated.old)
    if evaluated.new is not None:
        is_blind = evaluated.on_key is OnKey.REPLACE and bool(table.primary_key)
        if on_key is not OnKey.REPLACE and is_blind:
            merge.remove(evaluated.new)
        merge.add(evaluated)
    is_first = staged.removed is None and staged.live is None
    state.transaction.staged[table.oid] = replace(
        merge.staged,
        on_key=on_key,
        keeps_keys=evaluated.keeps_keys and (is_first or staged.keeps_keys),
        seen=seen_at(state, table),
    )


def seen_at(state: SessionState, table: Table) -> int | None:
    """Return the epoch that had last changed a table before the snapshot was pinned, if known."""
    changed_at = state.worker.changed_at([table.oid])
    if changed_at is None or changed_at[0] > state.reader.epoch:
        return None
    return changed_at[0]


class _Merge:
    """Adds to one table's staging tables; those that a savepoint needs are copied first."""

    def __init__(self, state: SessionState, staged: StagedTable) -> None:
        self._state = state
        self._table = staged.table
        self.staged = staged

    def remove(self, rows: str) -> None:
        """Note the snapshot's rows with the keys of ``rows`` as removed, once each."""
        if ROW_ID in self._table.key and rows == self.staged.live:
            return
        columns = ", ".join(storage_columns(self._table))
        query = (
            f"SELECT {columns} FROM {storage_name(self._table.oid)} AS base WHERE EXISTS "
            f"(SELECT 1 FROM {rows} AS r WHERE {same_key(self._table, 'r', 'base')})"
        )
        if self.staged.removed is None:
            self.staged = replace(self.staged, removed=self._create(query))
            return
        removed = self._own(self.staged.removed)
        self.staged = replace(self.staged, removed=removed)
        is_known = same_key(self._table, "known", "base")
        self._run(
            f"INSERT INTO {removed} {query} AND NOT EXISTS "
            f"(SELECT 1 FROM {removed} AS known WHERE {is_known})"
        )

    def forget(self, rows: str) -> None:
        """Take the rows with the keys of ``rows`` out of the new ones."""
        if self.staged.live is None:
            return
        live = self._own(self.staged.live)
        self.staged = replace(self.staged, live=live)
        self._run(
            f"DELETE FROM {live} AS live WHERE EXISTS "
            f"(SELECT 1 FROM {rows} AS r WHERE {same_key(self._table, 'r', 'live')})"
        )

    def add(self, evaluated: Evaluated) -> None:
        """Add a statement's new rows; of one key the last stays."""
        assert evaluated.new is not None
        rows = self._identified(evaluated)
        if self.staged.live is None:
            self.staged = replace(self.staged, live=self._create(rows))
        elif self._table.primary_key:
            fresh = self._create(rows)
            self.forget(fresh)
            self._run(f"INSERT INTO {self.staged.live} BY NAME SELECT * FROM {fresh}")
            self._run(f"DROP TABLE {fresh}")
        else:
            live = self._own(self.staged.live)
            self.staged = replace(self.staged, live=live)
            self._run(f"INSERT INTO {live} BY NAME {rows}")
        places = evaluated.rows if evaluated.ordinals is None else evaluated.ordinals
        self.staged = replace(self.staged, next_ord=self.staged.next_ord + places)

    def _identified(self, evaluated: Evaluated) -> str:
        """Return the query for new rows with keys and their place in the transaction."""
        visible = ", ".join(column.storage_name for column in self._table.columns)
        before = self.staged.next_ord - 1
        place = f"{before} + {ORDINAL} AS {ORDINAL}"
        if self._table.primary_key:
            key = ", ".join(self._table.key)
            is_last = identity.is_first(key, f"{ORDINAL} DESC")
            return f"SELECT {visible}, {place} FROM {evaluated.new} QUALIFY {is_last}"
        fresh = f"(-{before} - {ORDINAL})::BIGINT"
        row_id = f"coalesce({ROW_ID}, {fresh})" if evaluated.has_row_id else fresh
        row_id = f"{row_id} AS {ROW_ID}"
        return f"SELECT {row_id}, {visible}, {place} FROM {evaluated.new}"

    def _own(self, name: str) -> str:
        """Return a staging table that may be changed: itself, or a copy."""
        if name not in self._state.transaction.shared:
            return name
        return self._create(f"SELECT * FROM {name}")

    def _create(self, query: str) -> str:
        name = self._state.manager.allocate_name()
        self._run(f"CREATE TABLE {name} AS {query}")
        self._state.transaction.made.add(name)
        return name

    def _run(self, sql: str) -> None:
        reader = self._state.reader
        with self._state.interruptible():
            reader.run(sql)
