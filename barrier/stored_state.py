"""What a database's file holds beside rows, and what of it is read at a start."""

from __future__ import annotations

from typing import Any, Final, Protocol

from barrier.epoch import Epoch
from barrier.sequences import SequencePlace
from barrier.store import Recovered
from barrier.stored_text import decode_pause, decode_write_set
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
    "CREATE TABLE IF NOT EXISTS meta.state (epoch BIGINT, pause VARCHAR)",
    "CREATE TABLE IF NOT EXISTS queue.entries (number BIGINT, described VARCHAR)",
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
    return Recovered(
        epoch=Epoch(epoch),
        pause=None if pause is None else decode_pause(pause),
        schemas=tuple(decode_schema(text) for _, text in schemas if text is not None),
        dropped_schemas=tuple(name for name, text in schemas if text is None),
        relations=tuple(decode_relation(text) for (text,) in relations),
        queued=tuple(decode_write_set(text) for (text,) in queued),
        defaults=tuple(
            decode_default(text) for (text,) in rows("SELECT described FROM meta.defaults")
        ),
        objects=tuple(decode_object(text) for (text,) in objects),
        sequence_places={Oid(oid): SequencePlace(value, called) for oid, value, called in places},
    )


def take_queued(connection: Connection, write_set: WriteSet) -> None:
    """Take a write set out of the durable queue, in the transaction that there is."""
    connection.execute("DELETE FROM queue.entries WHERE number = ?", [write_set.queue_number])
    for name in write_set.staging:
        connection.execute(f"DROP TABLE {name}")


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
