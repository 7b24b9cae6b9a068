"""A connection to DuckDB on which a session reads and evaluates, or a job works beside epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import duckdb

from barrier.arrow_batch import ArrowBatch, batches
from barrier.arrow_column import ArrowColumn, arrow_array
from barrier.engine_errors import from_engine
from barrier.epoch import Epoch
from barrier.kept_plans import is_made_for_all
from barrier.log_room import LogRoom
from barrier.store import GIVEN

#: Sets what ``now()`` is, in microseconds.
NOW: Final = "SET VARIABLE epoch_now = make_timestamptz({})"

#: The fewest rows that the engine hands over at once: those it computes at once. The first are
#: there soon, and a row may be long.
_BATCH_ROWS: Final = 2048


@contextmanager
def engine_errors() -> Iterator[None]:
    """Re-raise DuckDB's errors as ours; the only place that knows them."""
    try:
        yield
    except duckdb.Error as e:
        raise from_engine(type(e).__name__, str(e)) from e


class DuckdbReader:
    """A session's own connection."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        room: LogRoom | None = None,
        disturb: Callable[[], None] | None = None,
    ) -> None:
        """Read through a connection.

        Args:
            connection: Nobody else's.
            room: Told of what is committed, if it may write.
            disturb: Called when something was made or dropped that others have plans of.
        """
        self._connection = connection
        self._room = room
        self._disturb = disturb
        self._has_made = False
        self._time_zone = "UTC"
        self._keeper: duckdb.DuckDBPyConnection | None = None
        self._given: dict[str, object] = {}
        self.epoch = Epoch(0)

    def begin(self) -> Epoch:
        self._execute("BEGIN")
        # The engine pins a database's snapshot only when the transaction first reads from it.
        ((epoch,),) = self.rows("SELECT epoch FROM meta.state")
        self.epoch = Epoch(int(str(epoch)))
        return self.epoch

    def commit(self) -> None:
        if self._room is not None:
            self._room.heed()
        self._execute("COMMIT")
        self._tell()
        self._has_made = False

    def rollback(self) -> None:
        # What was given since begin is taken back with the rest.
        self._given.clear()
        with suppress(duckdb.Error):
            self._connection.execute("ROLLBACK")

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with engine_errors():
            return self._connection.execute(sql, list(parameters)).fetchall()

    def run(self, sql: str, parameters: Sequence[object] = ()) -> int:
        with engine_errors():
            touched = _touched(self._connection.execute(sql, list(parameters)))
        if is_made_for_all(sql):
            self._has_made = True
            self._tell()
        return touched

    def _tell(self) -> None:
        """Tell what was made: when it was, and when others see it."""
        if self._disturb is not None and self._has_made:
            self._disturb()

    def run_over(
        self, sql: str, columns: Mapping[str, ArrowColumn], parameters: Sequence[object] = ()
    ) -> int:
        given = arrow_array(list(columns), list(columns.values()))
        with engine_errors():
            self._connection.register(GIVEN, given)
            try:
                return _touched(self._connection.execute(sql, list(parameters)))
            finally:
                self._connection.unregister(GIVEN)

    def run_after(self, sql: str, other: DuckdbReader, query: str) -> int:
        with engine_errors():
            self._connection.register(GIVEN, _Stream(other._connection.sql(query)))
            try:
                return _touched(self._connection.execute(sql))
            finally:
                self._connection.unregister(GIVEN)

    def give(self, name: str, columns: object) -> None:
        if self._given.get(name) is not columns:
            with engine_errors():
                self._connection.register(name, columns)
            self._given[name] = columns

    def stream(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[ArrowBatch]:
        with engine_errors():
            # What to_arrow_reader() does, without pyarrow.
            result = self._connection._submit(  # noqa: SLF001
                sql, list(parameters), "stream", _BATCH_ROWS
            )
            yield from batches(result.arrow_capsule())

    def keep(self, name: str, copy: str) -> None:
        with engine_errors():
            if self._keeper is None:
                self._keeper = self._connection.cursor()
            described = self._connection.execute(f"DESCRIBE {name}").fetchall()
            types = {f'"{column}"': str(engine_type) for column, engine_type, *_ in described}
            # Arrow's intervals count nanoseconds and have no room for 300 years of them.
            sent = (f"{c}::{t.replace('INTERVAL', 'VARCHAR')} AS {c}" for c, t in types.items())
            rows = self._connection.sql(f"SELECT {', '.join(sent)} FROM {name}")
            taken = (f"{c}::{t} AS {c}" for c, t in types.items())
            self._keeper.register("kept", _Stream(rows))
            try:
                self._keeper.execute(f"CREATE TABLE {copy} AS SELECT {', '.join(taken)} FROM kept")
            finally:
                self._keeper.unregister("kept")

    def interrupt(self) -> None:
        self._connection.interrupt()
        if self._keeper is not None:
            self._keeper.interrupt()

    def set_variable(self, name: str, value: int) -> None:
        self._execute(f"SET VARIABLE {name} = {value}")

    def set_time(self, now_ms: int) -> None:
        self._execute(NOW.format(now_ms * 1000))

    def set_time_zone(self, name: str) -> None:
        if name != self._time_zone:
            self._execute("SET TimeZone = '" + name.replace("'", "''") + "'")
            self._time_zone = name

    def close(self) -> None:
        for connection in (self._keeper, self._connection):
            with suppress(duckdb.Error):
                if connection is not None:
                    connection.close()

    def _execute(self, sql: str) -> None:
        with engine_errors():
            self._connection.execute(sql)


class _Stream:
    """Rows of one connection that another reads: all that it asks of an object of Arrow's."""

    def __init__(self, rows: duckdb.DuckDBPyRelation) -> None:
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)


def _touched(result: duckdb.DuckDBPyConnection) -> int:
    """Return the count that DuckDB gives for statements that change rows."""
    found = result.fetchone() if result.description else None
    return int(found[0]) if found and isinstance(found[0], int) else 0
