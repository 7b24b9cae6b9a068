"""Changelogs of relations, for the jobs that read them: a row for each that comes or goes.

A job has a table of its own for each (``catalog.change_reader``), to which an epoch brings what it
has made of the relation, right after that is known. So the job is one over a table that only grows,
and all that is said of such jobs is true of it: it equals its query, also after it was filled anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from barrier import identity
from barrier.stream.plan import ChangeSize, Plan
from barrier.table_program import TableProgram
from barrier.writes import WEIGHT
from catalog.change_reader import DELETE, INSERT, UPDATE_DELETE, UPDATE_INSERT
from catalog.oid import Oid
from catalog.relation import ROW_ID, SourceReader, StreamingJob, Table

if TYPE_CHECKING:
    from barrier.run import Run


def begin(run: Run, reader: SourceReader) -> None:
    """Let all rows of a relation come to a reader that has been made.

    Raises:
        ObjectNotInPrerequisiteState: The relation has no rows that could be known.
    """
    run.known.check_maintained(run.known.catalog.stored(reader.source))
    table = run.known.catalog.table(reader.oid)
    *row, op = TableProgram(table).visible
    names = ", ".join([ROW_ID, *row, op])
    shown = ", ".join(["row_number() OVER () - 1", *row, str(INSERT)])
    run.attempt.run(f"INSERT INTO r{table.oid} ({names}) SELECT {shown} FROM r{reader.source}")
    count = run.attempt.value(f"SELECT count(*) FROM r{table.oid}")
    run.known.row_ids.next[table.oid] = run.known.sizes[table.oid] = count


def follow(run: Run, oid: Oid) -> None:
    """Bring what the epoch has made of a relation, which is in ``d<oid>``, to those who follow."""
    for reader in run.known.graph.change_readers.get(oid, ()):
        _bring(run, run.known.catalog.table(reader), f"d{oid}", run.known.key(oid))


@contextmanager
def filled_anew(run: Run, view: StreamingJob, before: Plan | None) -> Iterator[None]:
    """Bring what a block makes of the rows of a view that it fills anew to those who follow it.

    Args:
        run: The epoch.
        view: The view.
        before: The plan that its rows are of.
    """
    readers = run.known.graph.change_readers.get(view.oid, ())
    if before is None or not readers:
        yield
        return
    rows, kept, was = f"r{view.oid}", f"x{view.oid}_followed", before.as_input()
    run.attempt.run(f"CREATE OR REPLACE TEMP TABLE {kept} AS FROM {rows}")
    yield
    now = run.known.plans[view.oid].as_input()
    key = now.key if was.key == now.key else ()
    for reader in readers:
        table = run.known.catalog.table(reader)
        names = list(dict.fromkeys([*TableProgram(table).visible[:-1], *key]))
        gone, come = (
            identity.without(names, one, other) for one, other in ((kept, rows), (rows, kept))
        )
        changes = (
            f"(SELECT *, -1::BIGINT AS {WEIGHT} FROM ({gone}) UNION ALL SELECT *, 1 FROM ({come}))"
        )
        _bring(run, table, changes, key)
    run.attempt.run(f"DROP TABLE {kept}")


def _bring(run: Run, table: Table, changes: str, key: Sequence[str]) -> None:
    """Bring changes of a relation to a reader of its changelog.

    Args:
        run: The epoch.
        table: The reader.
        changes: Rows of the relation with their weights.
        key: What tells whether one that goes has become one that comes.
    """
    oid = table.oid
    *row, op = TableProgram(table).visible
    names = list(dict.fromkeys([*row, *key]))
    net = (
        f"SELECT {', '.join(names)}, sum({WEIGHT})::BIGINT AS {WEIGHT} FROM {changes} "
        f"GROUP BY {identity.grouped(names)} HAVING sum({WEIGHT}) <> 0"
    )
    changed = "false"
    if key:
        of_key = f"(PARTITION BY {', '.join(key)})"
        changed = f"bool_or({WEIGHT} > 0) OVER {of_key} AND bool_or({WEIGHT} < 0) OVER {of_key}"
    come = f"CASE WHEN is_update THEN {UPDATE_INSERT} ELSE {INSERT} END"
    gone = f"CASE WHEN is_update THEN {UPDATE_DELETE} ELSE {DELETE} END"
    first = run.known.row_ids.next[oid]
    order = ", ".join([*(f"{name} NULLS FIRST" for name in key), WEIGHT])
    shown = ", ".join(row)
    query = (
        f"SELECT {first} + row_number() OVER (ORDER BY {order}) - 1 AS {ROW_ID}, {shown}, "
        f"CAST(CASE WHEN {WEIGHT} > 0 THEN {come} ELSE {gone} END AS SMALLINT) AS {op}, "
        f"1::BIGINT AS {WEIGHT} FROM (SELECT *, {changed} AS is_update, "
        f"unnest(range(abs({WEIGHT}))) FROM ({net}))"
    )
    count = run.attempt.fill(f"d{oid}", query)
    stored = ", ".join(TableProgram(table).columns)
    run.attempt.run(f"INSERT INTO r{oid} ({stored}) SELECT {stored} FROM d{oid}")
    run.known.row_ids.take(oid, count)
    run.known.changed[oid] = run.known.epoch
    run.note_change(oid, ChangeSize(count, 0))
