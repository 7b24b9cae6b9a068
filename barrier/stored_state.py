"""What a database's file holds beside rows, and what of it is read at a start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Protocol

from barrier.epoch import Epoch
from barrier.sequences import SequencePlace
from barrier.set_aside import Queue, SetAside
from barrier.store import Reader, Recovered
from barrier.stored_text import (
    decode_pause,
    decode_set_aside,
    decode_write_set,
    encode_set_aside,
    encode_write_set,
)
from barrier.writes import WriteSet
from catalog.oid import Oid
from catalog.serialize import decode_default, decode_relation, decode_schema
from catalog.serialize_object import decode_object

TABLES: Final = (
    "CREATE SCHEMA IF NOT EXISTS meta",
    "CREATE SCHEMA IF NOT EXISTS queue",
    "CREATE TABLE IF NOT EXISTS meta.relations (oid BIGINT, described VARCHAR)",
    "CREATE TABLE IF NOT EXISTS meta.schemas (name VARCHAR, described VARCHAR)",
    "CREATE TABLE IF NOT EXISTS meta.defaults (described VARCHAR)",
    "CREATE TABLE IF NOT EXISTS meta.objects (oid BIGINT, described VARCHAR)",
    "CREATE TABLE IF NOT EXISTS meta.sequences (oid BIGINT, value BIGINT, is_called BOOLEAN)",
    "CREATE TABLE IF NOT EXISTS meta.flows (oid BIGINT, place BIGINT)",
    "CREATE TABLE IF NOT EXISTS meta.state (epoch BIGINT, pause VARCHAR)",
    "CREATE TABLE IF NOT EXISTS queue.entries (number BIGINT, described VARCHAR)",
    "CREATE TABLE IF NOT EXISTS queue.failed (number BIGINT, described VARCHAR, failure VARCHAR)",
    "INSERT INTO meta.state SELECT 0, NULL WHERE NOT EXISTS (FROM meta.state)",
)


class Connection(Protocol):
    """The engine's."""

    def execute(self, query: str, parameters: object = ...) -> Any:  # noqa: ANN401 -- the engine's
        """Run a statement."""
        ...


def recovered(connection: Connection) -> Recovered:
    """Return what there is in a database."""

    def rows(query: str) -> list[Any]:
        found: list[Any] = connection.execute(query).fetchall()
        return found

    ((epoch, pause),) = rows("SELECT epoch, pause FROM meta.state")
    schemas = rows("SELECT name, described FROM meta.schemas")
    relations = rows("SELECT described FROM meta.relations ORDER BY oid")
    objects = rows("SELECT described FROM meta.objects ORDER BY oid")
    places = rows("SELECT oid, value, is_called FROM meta.sequences")
    queued = rows("SELECT described FROM queue.entries ORDER BY number")
    failed = rows("SELECT described, failure FROM queue.failed ORDER BY number")
    return Recovered(
        epoch=Epoch(epoch),
        pause=None if pause is None else decode_pause(pause),
        schemas=tuple(decode_schema(text) for _, text in schemas if text is not None),
        dropped_schemas=tuple(name for name, text in schemas if text is None),
        relations=tuple(decode_relation(text) for (text,) in relations),
        queued=Queue(
            tuple(decode_write_set(text) for (text,) in queued),
            tuple(decode_set_aside(*texts) for texts in failed),
        ),
        defaults=tuple(
            decode_default(text) for (text,) in rows("SELECT described FROM meta.defaults")
        ),
        objects=tuple(decode_object(text) for (text,) in objects),
        sequence_places={Oid(oid): SequencePlace(value, called) for oid, value, called in places},
    )


def flow_places(reader: Reader) -> dict[Oid, int]:
    """Return how many rows each flow has brought, by what keeps its rows."""
    found = reader.rows("SELECT oid, place FROM meta.flows")
    return {Oid(int(str(oid))): int(str(place)) for oid, place in found}


def put_queued(connection: Connection, write_set: WriteSet) -> WriteSet:
    """Put a write set into the durable queue; returns it with its new table names."""
    numbers = "SELECT number FROM queue.entries UNION ALL SELECT number FROM queue.failed"
    ((last,),) = connection.execute(f"SELECT max(number) FROM ({numbers})").fetchall()
    number = int(last or 0) + 1
    tables, names = [], []
    for index, writes in enumerate(write_set.tables):
        assert writes.old is None, "only inserts are queued"
        names.append(f"queue.w{number}_{index}")
        connection.execute(f"CREATE TABLE {names[-1]} AS FROM {writes.new}")
        tables.append(replace(writes, new=names[-1]))
    queued = replace(write_set, tables=tuple(tables), staging=tuple(names), queue_number=number)
    connection.execute(
        "INSERT INTO queue.entries VALUES (?, ?)", [number, encode_write_set(queued)]
    )
    return queued


def take_queued(connection: Connection, write_set: WriteSet) -> None:
    """Take a write set out of the durable queue, in the transaction that there is."""
    _forget(connection, write_set)
    for name in write_set.staging:
        connection.execute(f"DROP TABLE {name}")


def put_aside(connection: Connection, failed: SetAside) -> None:
    """Write down why a write set of the durable queue stands aside."""
    _forget(connection, failed.write_set)
    connection.execute(
        "INSERT INTO queue.failed VALUES (?, ?, ?)",
        [failed.number, encode_write_set(failed.write_set), encode_set_aside(failed)],
    )


def _forget(connection: Connection, write_set: WriteSet) -> None:
    for table in ("entries", "failed"):
        connection.execute(f"DELETE FROM queue.{table} WHERE number = ?", [write_set.queue_number])


def replace_sequence(connection: Connection, oid: Oid, place: SequencePlace | None) -> None:
    """Write down where a sequence is, or forget it, in a transaction of its own."""
    connection.execute("BEGIN")
    try:
        connection.execute("DELETE FROM meta.sequences WHERE oid = ?", [oid])
        if place is not None:
            row = [oid, place.value, place.is_called]
            connection.execute("INSERT INTO meta.sequences VALUES (?, ?, ?)", row)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
