"""What the barrier worker and the sessions ask of storage.

``Store`` is one database. The worker runs an epoch as an *attempt*: statements, then a commit that
makes all of it visible and durable at once, or nothing. Sessions read through ``Reader``. Nothing
above this line knows whose SQL runs below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from barrier.arrow_column import ArrowColumn
from barrier.command import PauseInfo
from barrier.epoch import Epoch
from barrier.interrupt import Interrupt
from barrier.kept_plans import Planning
from barrier.seal import Seal
from barrier.sequences import SequencePlace
from barrier.set_aside import Queue, SetAside
from barrier.writes import WriteSet
from catalog.change import DropSchema
from catalog.function import Function
from catalog.oid import Oid
from catalog.relation import DefaultPrivileges, Relation, Schema
from catalog.secret import Secret
from catalog.sequence import SequenceGenerator
from catalog.state import Catalog, apply, with_relations, with_schema
from catalog.user_type import UserType

#: What a statement calls the columns of values that it is run over.
GIVEN: Final = "given"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a database was when it was last committed.

    Attributes:
        epoch: The last committed epoch; 0 for a new database.
        pause: Its own pause.
        schemas: Its schemas, but for those that are as every database has them from the start.
        dropped_schemas: Of the latter those that are gone; others that are gone may be among them.
        relations: Its relations.
        queued: Write sets that were acknowledged and not applied.
        defaults: What is granted on objects that are made later.
        objects: Its functions, sequences, types and secrets.
        sequence_places: How far each sequence is that has begun.
    """

    epoch: Epoch
    pause: PauseInfo | None
    schemas: tuple[Schema, ...]
    dropped_schemas: tuple[str, ...]
    relations: tuple[Relation, ...]
    queued: Queue
    defaults: tuple[DefaultPrivileges, ...] = ()
    objects: tuple[Function | SequenceGenerator | UserType | Secret, ...] = ()
    sequence_places: Mapping[Oid, SequencePlace] = field(default_factory=dict)

    def catalog(self, name: str, oid: Oid, seal: Seal) -> Catalog:
        """Return what there was in the database of that name.

        Args:
            name: The name.
            oid: The database's OID.
            seal: Opens its secrets.
        """
        catalog = Catalog(name, oid)
        for dropped in self.dropped_schemas:
            if dropped in catalog.schemas:
                catalog = apply(catalog, DropSchema(dropped))
        for schema in self.schemas:
            catalog = with_schema(catalog, schema)
        catalog = with_relations(catalog, self.relations)
        # Not before: what is there already got none of it.
        return replace(
            catalog,
            defaults=self.defaults,
            functions={o.oid: o for o in self.objects if isinstance(o, Function)},
            sequences={o.oid: o for o in self.objects if isinstance(o, SequenceGenerator)},
            types={o.oid: o for o in self.objects if isinstance(o, UserType)},
            secrets={
                o.oid: replace(o, value=seal.open(o.oid, o.sealed))
                for o in self.objects
                if isinstance(o, Secret)
            },
        )


class Batch(Protocol):
    """Some rows of a query: columns of numbers, and a last one of texts or BLOBs.

    What it gives is its memory, not a copy.
    """

    @property
    def rows(self) -> int:
        """How many."""
        ...

    def numbers(self, column: int, size: int) -> NDArray[Any]:
        """A column's values as signed integers of that many bytes; anything where it is NULL."""
        ...

    def validity(self, column: int) -> NDArray[np.bool_] | None:
        """Where a column is not NULL; None if it is NULL nowhere."""
        ...

    def offsets(self) -> NDArray[np.int64]:
        """Where each row's bytes begin in ``messages``, and where those of the last end."""
        ...

    def messages(self) -> NDArray[np.uint8]:
        """The last column's bytes, row after row, to be written to."""
        ...


class Reader(Protocol):
    """A session's own connection to its database. Only its thread uses it, but for interrupt."""

    @property
    def epoch(self) -> Epoch:
        """The epoch of the snapshot that was pinned last."""
        ...

    def begin(self) -> Epoch:
        """Pin a snapshot: all that is read until commit or rollback is of the epoch returned."""
        ...

    def commit(self) -> None:
        """Let go of the snapshot and keep the staging tables that were made."""
        ...

    def rollback(self) -> None:
        """Let go of the snapshot and of the staging tables that were made since begin."""
        ...

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query."""
        ...

    def run(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Run a statement and return how many rows it touched."""
        ...

    def run_over(
        self, sql: str, columns: Mapping[str, ArrowColumn], parameters: Sequence[object] = ()
    ) -> int:
        """Run a statement that reads columns of values as the relation ``GIVEN``.

        Returns:
            How many rows it touched.
        """
        ...

    def run_after(self, sql: str, other: Self, query: str) -> int:
        """Run a statement that reads another reader's query as the relation ``GIVEN``.

        Returns:
            How many rows it touched.
        """
        ...

    def give(self, name: str, columns: object) -> None:
        """Let queries of this connection read columns of values as a relation of that name.

        Args:
            name: Replaces what was given under it.
            columns: As ``arrow_array`` makes them; they are read where they are.
        """
        ...

    def stream(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[Batch]:
        """Yield the batches of a query as they are computed."""
        ...

    def keep(self, name: str, copy: str) -> None:
        """Copy a staging table of the open transaction to one that outlives it in any case."""
        ...

    def interrupt(self) -> None:
        """End what runs; callable from any thread."""
        ...

    def set_variable(self, name: str, value: int) -> None:
        """Set a number that queries of this connection read with GETVARIABLE."""
        ...

    def set_time(self, now_ms: int) -> None:
        """Give ``now()`` in queries of views this value, in milliseconds since 1970."""
        ...

    def set_time_zone(self, name: str) -> None:
        """Set the zone in which times with zone are read and printed."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Attempt(Protocol):
    """One try to bring an epoch about. Ends with ``commit`` or ``rollback``."""

    def set_time_zone(self, name: str) -> None:
        """Set the zone in which times with zone are read and shown from here on; first UTC."""
        ...

    def set_time(self, now_ms: int) -> None:
        """Set what ``now()`` is for streaming jobs from here on, in milliseconds since 1970."""
        ...

    def run(
        self,
        sql: str,
        *,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        """Run a statement and return how many rows it touched.

        Args:
            sql: The statement.
            planning: How it is planned.
            parameters: The values of $1, $2, ...; of one whose plan is kept, whole numbers.
        """
        ...

    def fill(
        self,
        name: str,
        query: str,
        *,
        like: str | None = None,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        """Give a temporary table new rows in the place of those it had.

        Args:
            name: The table; it is made when it is first filled.
            query: The rows, with the table's column names.
            like: A query whose columns the table shall have; None: it has those of ``query``,
                which must be the same every time.
            planning: How the query is planned.
            parameters: Its values of $1, $2, ...

        Returns:
            How many rows there are.
        """
        ...

    def forget_temporaries(self) -> None:
        """Take note that what temporary tables are filled from may have other columns now."""
        ...

    def value(self, sql: str) -> int:
        """Return the single number that a query gives; NULL is 0."""
        ...

    def row(self, sql: str) -> tuple[object, ...] | None:
        """Return the first row of a query, or None."""
        ...

    def put_schema(self, schema: Schema) -> None:
        """Record a schema."""
        ...

    def drop_schema(self, name: str) -> None:
        """Forget a schema."""
        ...

    def put_relation(self, relation: Relation) -> None:
        """Record a relation, or what it has become."""
        ...

    def drop_relation(self, relation: Relation) -> None:
        """Forget a relation."""
        ...

    def put_object(self, held: Function | SequenceGenerator | UserType | Secret) -> None:
        """Record what is no relation, or what it has become."""
        ...

    def drop_object(self, oid: Oid) -> None:
        """Forget what is no relation."""
        ...

    def put_defaults(self, defaults: Sequence[DefaultPrivileges]) -> None:
        """Record what is granted on objects that are made later, all of it."""
        ...

    def put_pause(self, pause: PauseInfo | None) -> None:
        """Record the database's own pause."""
        ...

    def put_place(self, oid: Oid, rows: int | None) -> None:
        """Record how many rows a flow has brought, or with None forget it."""
        ...

    def take_queued(self, write_set: WriteSet) -> None:
        """Forget a queued write set, which may be set aside: it is applied in this attempt."""
        ...

    def set_aside(self, failed: SetAside) -> None:
        """Record that a queued write set is not to be applied by itself."""
        ...

    def commit(self, epoch: Epoch) -> None:
        """Make everything visible and durable as this epoch."""
        ...

    def rollback(self) -> None:
        """Leave nothing."""
        ...


class Upkeep(Protocol):
    """What storage can have done to it while epochs go on; from any thread."""

    def checkpoint(self, interrupt: Interrupt) -> bool:
        """Write back what is only in the log, and give up the room of what was deleted.

        Returns:
            Whether that could be done: not beside a transaction that makes or alters tables.
        """
        ...

    def analyze(self, name: str, columns: Sequence[str], interrupt: Interrupt) -> None:
        """Count the distinct values of a table's columns, all of them when none is named."""
        ...


class Store(Upkeep, Protocol):
    """One database's storage."""

    @property
    def twins(self) -> Mapping[str, str]:
        """Macros that give NULL where others fail, by the others' names in lower case."""
        ...

    def recover(self) -> Recovered:
        """Return what was last committed."""
        ...

    def attempt(self) -> Attempt:
        """Begin to bring an epoch about; one at a time."""
        ...

    def prepare_ahead(self) -> bool:
        """Use a moment in which there is nothing to do for the epochs that come, between attempts.

        Returns:
            Whether there was anything; then there may be more.
        """
        ...

    def reader(self) -> Reader:
        """Open a connection for a session."""
        ...

    def file(self, data: bytes) -> AbstractContextManager[str]:
        """Give the path of a file with these bytes, for readers while the block runs."""
        ...

    def back_up(self, target: Path, interrupt: Interrupt) -> Epoch:
        """Copy all that is committed to a new file, while others go on; returns its epoch."""
        ...

    def interrupt(self) -> None:
        """End the statement that an attempt is running; callable from any thread."""
        ...

    def queue(self, write_set: WriteSet) -> WriteSet:
        """Make a write set durable before it is applied; returns it with its new table names."""
        ...

    def unqueue(self, write_set: WriteSet) -> None:
        """Take back what ``queue`` has returned, which nobody was told of."""
        ...

    def put_sequence(self, oid: Oid, place: SequencePlace) -> None:
        """Write down where a sequence is, at once; callable from any thread."""
        ...

    def drop_sequence(self, oid: Oid) -> None:
        """Forget where a sequence is."""
        ...

    def discard(self, names: Sequence[str]) -> None:
        """Drop staging tables, soon; those that are gone already are passed over."""
        ...

    def rows_estimated(self, name: str) -> int:
        """Return about how many rows a table has, at no cost."""
        ...

    def close(self) -> None:
        """Write back what is cached and let go of the files."""
        ...
