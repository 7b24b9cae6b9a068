"""What a sink brings into its table in an epoch.

A sink's result is kept as a view's is, so that each epoch leaves its change in ``d<oid>``. For each
key in it the table gets the row that the result has of that key now, by the table's rules for keys
that are there; where it has none any more, the table's row of that key goes, whoever wrote it. Of a
sink that only appends, the rows that came are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from barrier import identity
from barrier.feeding import fitting
from barrier.message import Written
from barrier.table_program import TableProgram
from barrier.writes import ORDINAL, WEIGHT, TableWrites, WriteSet
from catalog.oid import Oid
from catalog.relation import Sink, Table

#: Tickets of what sinks bring, by their OIDs, are below this; no other's is.
_TICKETS: Final = -(1 << 42)


def ticket_of(sink: Sink) -> int:
    """Return what errors of a sink's writes go by; nobody waits for it."""
    return _TICKETS - sink.oid


def delivered(sink: Sink, table: Table) -> Written:
    """Return what a sink's change, which is in ``d<oid>``, makes of its table."""
    if sink.is_appending:
        writes = TableWrites(table.oid, new=_come(sink, table))
    else:
        old = None if sink.ignores_delete else _gone(sink, table)
        writes = TableWrites(table.oid, old=old, new=_current(sink, table))
    return Written(ticket_of(sink), WriteSet((writes,)))


def everything(oid: Oid, columns: Sequence[str]) -> str:
    """Return the query for all of a job's result, as its change."""
    return f"SELECT {', '.join(columns)}, 1::BIGINT AS {WEIGHT} FROM r{oid}"


def difference(oid: Oid, columns: Sequence[str], before: str) -> str:
    """Return the query for the change from what a table has kept of a job's result."""
    come, gone = (
        identity.without(columns, one, other)
        for one, other in ((f"r{oid}", before), (before, f"r{oid}"))
    )
    return (
        f"SELECT *, 1::BIGINT AS {WEIGHT} FROM ({come}) "
        f"UNION ALL SELECT *, -1::BIGINT FROM ({gone})"
    )


def _named(sink: Sink, alias: str) -> str:
    """Return the columns of a sink's rows under the names of its table's."""
    return ", ".join(
        f"{alias}.c{place} AS c{number}" for place, number in enumerate(sink.target_columns, 1)
    )


def _given(sink: Sink) -> list[str]:
    return [f"c{number}" for number in sink.target_columns]


def _come(sink: Sink, table: Table) -> str:
    rows = (
        f"(SELECT {_named(sink, 'd')}, row_number() OVER () AS {ORDINAL} FROM d{sink.oid} AS d, "
        f"range(d.{WEIGHT}) WHERE d.{WEIGHT} > 0)"
    )
    return fitting(table, rows, _given(sink))


def _keys(sink: Sink, table: Table) -> dict[int, int]:
    """Return the places in the sink's rows of the numbers of the key's columns."""
    places = {number: place for place, number in enumerate(sink.target_columns, 1)}
    return {number: places[number] for number in table.primary_key}


def _is_changed(sink: Sink, table: Table, alias: str) -> str:
    """Return the condition that a row of the sink's has a key in its change."""
    same = " AND ".join(f"d.c{p} = {alias}.c{p}" for p in _keys(sink, table).values())
    return f"EXISTS (SELECT 1 FROM d{sink.oid} AS d WHERE {same})"


def _current(sink: Sink, table: Table) -> str:
    """Return for each key that has changed what the sink's result has of it.

    That is one row, unless the table's rules make something of several that come together.
    """
    keys = ", ".join(f"s.c{place}" for place in _keys(sink, table).values())
    places = {number: place for place, number in enumerate(sink.target_columns, 1)}
    columns = [f"c{place}" for place in places.values()]
    listed = ", ".join(f"s.{name}" for name in columns)
    same = identity.identical(columns, "d", "s")
    # Of several with one key the one that has come, and else any, but always the same.
    is_new = f"EXISTS (SELECT 1 FROM d{sink.oid} AS d WHERE d.{WEIGHT} > 0 AND {same})"
    chosen = identity.is_first(keys, f"{is_new} DESC, {listed}")
    if table.has_key_rules:
        chosen += f" OR {is_new}"
    versions = [f"s.c{places[n]} NULLS FIRST" for n in table.version_columns if n in places]
    order = ", ".join([*versions, listed])
    rows = (
        f"(SELECT {_named(sink, 's')}, row_number() OVER (ORDER BY {order}) AS {ORDINAL} FROM "
        f"(SELECT {listed} FROM r{sink.oid} AS s WHERE {_is_changed(sink, table, 's')} "
        f"QUALIFY {chosen}) AS s)"
    )
    return fitting(table, rows, _given(sink))


def _gone(sink: Sink, table: Table) -> str:
    """Return the table's rows of keys that the sink's result had and has no more."""
    keys = _keys(sink, table)
    of_change = " AND ".join(f"d.c{place} = r.c{number}" for number, place in keys.items())
    of_result = " AND ".join(f"s.c{place} = r.c{number}" for number, place in keys.items())
    columns = ", ".join(f"r.{name}" for name in TableProgram(table).columns)
    return (
        f"(SELECT {columns} FROM r{table.oid} AS r WHERE EXISTS (SELECT 1 FROM d{sink.oid} AS d "
        f"WHERE {of_change}) AND NOT EXISTS (SELECT 1 FROM r{sink.oid} AS s WHERE {of_result}))"
    )
