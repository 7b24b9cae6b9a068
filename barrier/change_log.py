"""Change logs: what relations went through, for those who read it later.

Those are jobs that epochs pass by (a batch refresh job between its runs, a view that is paused, and
one that is being filled from a snapshot), and subscriptions. A relation that at least one of them
reads has a log ``l<oid>``: its storage columns, the weight and the epoch of each
change. A run sums the changes since its job's last epoch into ``d<oid>``, in which what was undone
in between has cancelled out. A view that catches up logs its own changes under the epochs that it
has caught up with.

Jobs forbid their inputs other columns while they are behind; under a subscription the log of the
columns before is set aside as ``l<oid>_<epoch>``, and another begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from barrier import identity
from barrier.epoch import Epoch
from barrier.writes import WEIGHT
from catalog.errors import FeatureNotSupported, ObjectNotInPrerequisiteState, PgError
from catalog.oid import Oid
from catalog.relation import StreamingJob

_EPOCH = "__epoch"


def name(oid: Oid) -> str:
    """Return what the log of a relation is called."""
    return f"l{oid}"


def past(oid: Oid, upto: int) -> str:
    """Return what the log of a relation is called that had its columns up to an epoch."""
    return f"l{oid}_{upto}"


def create(oid: Oid, columns: Sequence[str]) -> str:
    """Return what makes a relation's log where there is none."""
    return (
        f"CREATE TABLE IF NOT EXISTS l{oid} AS SELECT {', '.join(columns)}, "
        f"0::BIGINT AS {WEIGHT}, 0::BIGINT AS {_EPOCH} FROM r{oid} LIMIT 0"
    )


def append(oid: Oid, columns: Sequence[str]) -> str:
    """Return the statement that logs the epoch's delta; $1 is the epoch."""
    names = f"{', '.join(columns)}, {WEIGHT}"
    return f"INSERT INTO l{oid} ({names}, {_EPOCH}) SELECT {names}, $1 FROM d{oid}"


def enter(oid: Oid, names: str, rows: str, epoch: Epoch) -> str:
    """Return the statement that logs rows of a query, whose last column is their weight."""
    return f"INSERT INTO l{oid} ({names}, {WEIGHT}, {_EPOCH}) SELECT *, {epoch} FROM ({rows})"


def replay(oid: Oid, columns: Sequence[str], since: Epoch, upto: Epoch) -> str:
    """Return the statement that makes the net change between two epochs the relation's delta."""
    names = ", ".join(columns)
    return (
        f"CREATE OR REPLACE TEMP TABLE d{oid} AS SELECT {names}, "
        f"sum({WEIGHT})::BIGINT AS {WEIGHT} FROM l{oid} "
        f"WHERE {_EPOCH} > {since} AND {_EPOCH} <= {upto} "
        f"GROUP BY {identity.grouped(columns)} HAVING sum({WEIGHT}) <> 0"
    )


def changes(log: str, columns: Sequence[str], since: Epoch, upto: Epoch) -> str:
    """Return the query for the net changes of each epoch after one and up to another."""
    names = ", ".join(columns)
    return (
        f"SELECT {names}, {_EPOCH}, sum({WEIGHT})::BIGINT AS {WEIGHT} FROM {log} "
        f"WHERE {_EPOCH} > {since} AND {_EPOCH} <= {upto} "
        f"GROUP BY {identity.grouped(columns)}, {_EPOCH} HAVING sum({WEIGHT}) <> 0"
    )


def net_change(logs: Iterable[str], columns: Sequence[str], since: Epoch, upto: Epoch) -> str:
    """Return the query for the net change between two epochs that several logs tell of."""
    names = ", ".join(columns)
    logged = " UNION ALL ".join(
        f"SELECT {names}, {WEIGHT} FROM {log} WHERE {_EPOCH} > {since} AND {_EPOCH} <= {upto}"
        for log in logs
    )
    return (
        f"SELECT {names}, sum({WEIGHT})::BIGINT AS {WEIGHT} FROM ({logged}) "
        f"GROUP BY {identity.grouped(columns)} HAVING sum({WEIGHT}) <> 0"
    )


def count_after(oid: Oid, epoch: Epoch) -> str:
    """Return the query for how many changes came after an epoch."""
    return f"SELECT count(*) FROM l{oid} WHERE {_EPOCH} > {epoch}"


def piece_end(since: Mapping[Oid, Epoch], rows_max: int) -> str:
    """Return the query for the epoch up to which logs hold no more than so many changes.

    It is the first epoch that has any when that alone has more, and 0 when there are none.

    Args:
        since: From which epoch on each log counts.
        rows_max: The most changes.
    """
    logged = " UNION ALL ".join(
        f"SELECT {_EPOCH} AS e FROM l{oid} WHERE {_EPOCH} > {epoch}"
        for oid, epoch in sorted(since.items())
    )
    return (
        f"SELECT coalesce(max(e) FILTER (total <= {rows_max}), min(e), 0) FROM ("
        f"SELECT e, sum(count(*)) OVER (ORDER BY e) AS total FROM ({logged}) GROUP BY e)"
    )


def shadow(oid: Oid, columns: Sequence[str], epoch: Epoch) -> str:
    """Return what has statements of this connection see a relation as it was at an epoch."""
    return f"CREATE TEMP TABLE r{oid} AS {rewound(oid, columns, epoch)}"


def unshadow(oid: Oid) -> str:
    """Return what undoes ``shadow``."""
    return f"DROP TABLE temp.r{oid}"


def rewound(oid: Oid, columns: Sequence[str], epoch: Epoch) -> str:
    """Return the query for the relation's rows as they were at an epoch."""
    names = ", ".join(columns)
    return (
        f"SELECT {names} FROM (SELECT {names}, 1::BIGINT AS {WEIGHT} FROM r{oid} "
        f"UNION ALL SELECT {names}, -{WEIGHT} FROM l{oid} WHERE {_EPOCH} > {epoch}) AS z "
        f"GROUP BY {identity.grouped(columns)} HAVING sum({WEIGHT}) > 0"
    )


def prune(oid: Oid, upto: Epoch) -> str:
    """Return the statement that forgets changes up to an epoch, which every reader has seen."""
    return f"DELETE FROM l{oid} WHERE {_EPOCH} <= {upto}"


def oldest(oid: Oid) -> str:
    """Return the query for the epoch of the oldest change that is kept; NULL when none is."""
    return f"SELECT min({_EPOCH}) FROM l{oid}"


def set_aside(oid: Oid, upto: Epoch) -> str:
    """Return the statement that keeps a log as that of earlier columns."""
    return f"ALTER TABLE l{oid} RENAME TO {past(oid, upto)}"


def drop(log: str) -> str:
    """Return the statement that takes a log away."""
    return f"DROP TABLE IF EXISTS {log}"


def other_columns(readers: Iterable[StreamingJob]) -> PgError:
    """Build the error for other columns of what has a log that somebody will read."""
    behind = [view.name for view in readers if view.refresh_interval_s is None]
    if not behind:
        return FeatureNotSupported(
            "replacing a table with dependent batch refresh materialized views is not supported"
        )
    return ObjectNotInPrerequisiteState(
        "cannot change the columns of a relation while materialized views are behind it",
        detail="\n".join(
            f'Materialized view "{name}" is paused, catches up or is being filled.'
            for name in behind
        ),
        hint="Resume it, or WAIT, and try again.",
    )
