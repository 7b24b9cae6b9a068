"""Storage in DuckDB: the only module that imports it.

One file a database. Relations are ``r<oid>`` in its main schema; the schema ``meta`` holds the
catalog's rows and the committed epoch, so that they are committed with the data; the schema
``queue`` holds acknowledged writes that wait for their epoch. Sessions stage their writes in the
attached in-memory database ``staging``: DuckDB lets a transaction write to one database only, and
a transaction that writes there can never conflict with the worker's.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import duckdb
from _duckdb._func import FunctionNullHandling

from barrier.command import PauseInfo
from barrier.duckdb_reader import NOW, DuckdbReader, engine_errors
from barrier.engine_copy import copy_database
from barrier.engine_errors import from_engine
from barrier.epoch import Epoch
from barrier.interrupt import Interrupt
from barrier.kept_plans import Planning, Writer
from barrier.log_room import LogRoom, limit_for
from barrier.pieces import Pieces
from barrier.prelude import Prelude
from barrier.sequences import SequencePlace
from barrier.set_aside import SetAside
from barrier.stop_gate import StopGate
from barrier.store import Recovered
from barrier.stored_state import (
    TABLES,
    put_aside,
    put_queued,
    recovered,
    replace_sequence,
    take_queued,
)
from barrier.stored_text import encode_pause
from barrier.twins import twins
from barrier.writes import WriteSet
from catalog.errors import ObjectInUse
from catalog.function import Function
from catalog.oid import Oid
from catalog.relation import DefaultPrivileges, Relation, Schema
from catalog.secret import Secret
from catalog.sequence import SequenceGenerator
from catalog.serialize import (
    encode_default,
    encode_relation,
    encode_schema,
)
from catalog.serialize_object import encode_object
from catalog.user_type import UserType

#: By whether a Python function is called for rows with NULL.
NULLS: Final = {False: FunctionNullHandling.DEFAULT, True: FunctionNullHandling.SPECIAL}

#: Tells about how many rows a table has.
_ESTIMATE: Final = "SELECT estimated_size FROM duckdb_tables() WHERE table_name = ?"


class DuckdbStore:
    """One database in one DuckDB instance."""

    def __init__(
        self, path: Path | None, prelude: Prelude, *, settings: dict[str, str] | None = None
    ) -> None:
        """Open a database.

        Args:
            path: Its file, or None to keep it in memory.
            prelude: The functions that queries may call.
            settings: DuckDB's, such as memory_limit and threads.

        Raises:
            ObjectInUse: Another process has it open.
        """
        self._queue_lock = threading.Lock()
        self._pieces = Pieces(path)
        self._root = _connect(path, settings or {}, self._pieces.directory)
        with engine_errors():
            for function in prelude.functions:
                self._root.create_function(
                    function.name,
                    function.call,
                    list(function.argument_types),
                    function.return_type,
                    null_handling=NULLS[function.takes_null],
                    side_effects=function.has_effects,
                )
            made, self.twins = twins(prelude.statements)
            # Together, so that the disk is waited for once, and the interpreter free for others.
            self._root.execute(";\n".join(("BEGIN", *TABLES, *prelude.statements, *made, "COMMIT")))
            self._writer = self._root.cursor()
            self._planned = Writer(self._writer)
            self._stops = StopGate(self._writer.interrupt)
            self._queuer = self._root.cursor()
            self._cleaner = self._root.cursor()
            self._room = LogRoom(path, self._root.cursor().execute)
        # Nobody waits for a table to be dropped, the next epoch least of all.
        self._discarded: SimpleQueue[str | None] = SimpleQueue()
        self._janitor = threading.Thread(target=self._drop_discarded, name="janitor", daemon=True)
        self._janitor.start()

    def recover(self) -> Recovered:
        with engine_errors():
            return recovered(self._writer)

    def attempt(self) -> DuckdbAttempt:
        with engine_errors():
            self._room.heed()
            self._planned.set_time_zone("UTC")
            self._planned.begin()
        return DuckdbAttempt(self._writer, self._planned, self._stops)

    def prepare_ahead(self) -> bool:
        try:
            return self._planned.prepare_ahead()
        except duckdb.Error:  # It is no more than an attempt, and that statement is forgotten.
            return True

    def reader(self) -> DuckdbReader:
        with engine_errors():
            return DuckdbReader(self._root.cursor(), self._room, self._planned.disturb)

    def file(self, data: bytes) -> AbstractContextManager[str]:
        return self._pieces.file(data)

    def back_up(self, target: Path, interrupt: Interrupt) -> Epoch:
        reader = self.reader()
        try:
            with self._pieces.place() as place, interrupt.on_set(reader.interrupt):
                epoch = copy_database(reader, int(place.name), place)
                shutil.move(place, target)
            return epoch
        finally:
            reader.close()

    def checkpoint(self, interrupt: Interrupt) -> bool:
        return self._room.write_back(lambda: self._run_beside("CHECKPOINT", interrupt), interrupt)

    def analyze(self, name: str, columns: Sequence[str], interrupt: Interrupt) -> None:
        self._run_beside(
            f"ANALYZE {name}" + (f"({', '.join(columns)})" if columns else ""), interrupt
        )

    def interrupt(self) -> None:
        self._stops.stop()

    def queue(self, write_set: WriteSet) -> WriteSet:
        with self._queue_changed():
            return put_queued(self._queuer, write_set)

    def unqueue(self, write_set: WriteSet) -> None:
        with self._queue_changed():
            take_queued(self._queuer, write_set)

    @contextmanager
    def _queue_changed(self) -> Iterator[None]:
        """Change the queue in a transaction of its own."""
        with self._queue_lock, engine_errors():
            self._room.heed()
            self._queuer.execute("BEGIN")
            try:
                yield
                self._queuer.execute("COMMIT")
                self._planned.disturb()
            except BaseException:
                with suppress(duckdb.Error):  # A COMMIT that failed has ended it.
                    self._queuer.execute("ROLLBACK")
                raise

    def put_sequence(self, oid: Oid, place: SequencePlace) -> None:
        with self._queue_lock, engine_errors():
            self._room.heed()
            replace_sequence(self._queuer, oid, place)

    def drop_sequence(self, oid: Oid) -> None:
        with self._queue_lock, engine_errors():
            replace_sequence(self._queuer, oid, None)

    def discard(self, names: Sequence[str]) -> None:
        for name in names:
            self._discarded.put(name)

    def rows_estimated(self, name: str) -> int:
        with engine_errors():
            found = self._writer.execute(_ESTIMATE, [name]).fetchone()
        return 0 if found is None else int(found[0])

    def close(self) -> None:
        self._discarded.put(None)
        self._janitor.join()
        for connection in (self._cleaner, self._queuer, self._writer, self._root):
            with suppress(duckdb.Error):
                connection.close()
        self._pieces.remove()

    def _run_beside(self, sql: str, interrupt: Interrupt) -> None:
        """Run a statement while epochs go on."""
        with (
            closing(self._root.cursor()) as connection,
            interrupt.on_set(connection.interrupt),
            engine_errors(),
        ):
            connection.execute(sql)

    def _drop_discarded(self) -> None:
        """Drop staging tables as they are discarded, on a thread of its own."""
        while (name := self._discarded.get()) is not None:
            with suppress(duckdb.Error):
                self._cleaner.execute(f"DROP TABLE IF EXISTS {name}")


class DuckdbAttempt:
    """An epoch's transaction on the writing connection."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, writer: Writer, stops: StopGate
    ) -> None:
        self._connection = connection
        self._writer = writer
        self._stops = stops
        self._stops.open()

    def set_time(self, now_ms: int) -> None:
        self._execute(NOW.format(now_ms * 1000))

    def set_time_zone(self, name: str) -> None:
        with engine_errors():
            self._writer.set_time_zone(name)

    def run(
        self,
        sql: str,
        *,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        with engine_errors():
            return self._writer.number(sql, planning, parameters)

    def fill(
        self,
        name: str,
        query: str,
        *,
        like: str | None = None,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        with engine_errors():
            return self._writer.fill(name, query, like, planning, parameters)

    def forget_temporaries(self) -> None:
        self._writer.forget()

    def value(self, sql: str) -> int:
        with engine_errors():
            return self._writer.number(sql)

    def row(self, sql: str) -> tuple[object, ...] | None:
        with engine_errors():
            return self._writer.row(sql)

    def put_schema(self, schema: Schema) -> None:
        self._execute("DELETE FROM meta.schemas WHERE name = ?", [schema.name])
        self._execute(
            "INSERT INTO meta.schemas VALUES (?, ?)", [schema.name, encode_schema(schema)]
        )

    def drop_schema(self, name: str) -> None:
        # Remembered, not only deleted: public is there from the start and may be dropped.
        self._execute("DELETE FROM meta.schemas WHERE name = ?", [name])
        self._execute("INSERT INTO meta.schemas VALUES (?, NULL)", [name])

    def put_relation(self, relation: Relation) -> None:
        self.drop_relation(relation)
        self._execute(
            "INSERT INTO meta.relations VALUES (?, ?)", [relation.oid, encode_relation(relation)]
        )

    def drop_relation(self, relation: Relation) -> None:
        self._execute("DELETE FROM meta.relations WHERE oid = ?", [relation.oid])

    def put_object(self, held: Function | SequenceGenerator | UserType | Secret) -> None:
        self.drop_object(held.oid)
        self._execute("INSERT INTO meta.objects VALUES (?, ?)", [held.oid, encode_object(held)])

    def drop_object(self, oid: Oid) -> None:
        self._execute("DELETE FROM meta.objects WHERE oid = ?", [oid])

    def put_defaults(self, defaults: Sequence[DefaultPrivileges]) -> None:
        self._execute("DELETE FROM meta.defaults")
        for default in defaults:
            self._execute("INSERT INTO meta.defaults VALUES (?)", [encode_default(default)])

    def put_pause(self, pause: PauseInfo | None) -> None:
        text = None if pause is None else encode_pause(pause)
        self._execute("UPDATE meta.state SET pause = ?", [text])

    def put_place(self, oid: Oid, rows: int | None) -> None:
        if rows is None:
            self._execute("DELETE FROM meta.flows WHERE oid = ?", [oid])
            return
        with engine_errors():
            move = "UPDATE meta.flows SET place = $2 WHERE oid = $1"
            is_there = self._writer.number(move, Planning.KEPT, [oid, rows])
        if not is_there:
            self._execute("INSERT INTO meta.flows VALUES (?, ?)", [oid, rows])

    def take_queued(self, write_set: WriteSet) -> None:
        with engine_errors():
            take_queued(self._connection, write_set)
        self._writer.disturb()

    def set_aside(self, failed: SetAside) -> None:
        with engine_errors():
            put_aside(self._connection, failed)

    def commit(self, epoch: Epoch) -> None:
        with engine_errors():
            self._writer.number("UPDATE meta.state SET epoch = $1", Planning.KEPT, [epoch])
        self._stops.close()  # What is stopped while it commits may have committed.
        self._execute("COMMIT")

    def rollback(self) -> None:
        self._stops.close()
        # A transaction that failed may be gone already.
        with suppress(duckdb.Error):
            self._connection.execute("ROLLBACK")
        self._writer.lost()

    def _execute(self, sql: str, parameters: Sequence[object] = ()) -> None:
        with engine_errors():
            self._connection.execute(sql, list(parameters))


def _connect(
    path: Path | None, settings: dict[str, str], readable: Path
) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "checkpoint_threshold": limit_for(path),
        **settings,
    }
    try:
        connection = duckdb.connect(path or ":memory:", config=config)
    except duckdb.IOException as e:
        if "lock" in str(e):
            raise ObjectInUse(f'"{path}" is in use by another process') from e
        raise from_engine(type(e).__name__, str(e)) from e
    connection.execute("ATTACH ':memory:' AS staging")
    connection.execute("SET allowed_directories = [$1]", [str(readable)])
    # From here on nothing reaches other files or the network, whatever a statement says.
    connection.execute("SET enable_external_access = false")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    # Texts are kept as they are, or in a dictionary where few are different: what makes them half
    # as long on the disk takes as long as all else about storing them, and again at every reading.
    connection.execute("SET GLOBAL disabled_compression_methods = 'fsst,dict_fsst,zstd'")
    # Those who wait for a query do not help with it; all threads are the engine's own.
    connection.execute("SET GLOBAL external_threads = 0")
    # The rows of a batch may have more than two gigabytes; ``ArrowBatch`` counts on it.
    connection.execute("SET GLOBAL arrow_large_buffer_size = true")
    # ORDER BY a constant says nothing, but is no error either.
    connection.execute("SET GLOBAL order_by_non_integer_literal = true")
    # DuckDB 2.0.1: with it, a correlated scalar subquery that divides a sum by a count, beside a
    # join on the same key, lets rows pass that it refuses (tests/views/test_benchmarks.py, q17).
    connection.execute("SET GLOBAL disabled_optimizers = 'partial_aggregate_pushdown'")
    return connection
