"""Change logs: what relations with batch refresh jobs on them went through since the last run.

A relation that at least one such job reads has a log ``l<oid>``: its storage columns, the weight
and the epoch of each change. A run sums the changes since its job's last epoch into ``d<oid>``, in
which what was undone in between has cancelled out.
"""

from __future__ import annotations

from collections.abc import Sequence

from barrier.epoch import Epoch
from barrier.writes import WEIGHT
from catalog.oid import Oid

_EPOCH = "__epoch"


def create(oid: Oid, columns: Sequence[str]) -> str:
    """Return what makes a relation's log where there is none."""
    return (
        f"CREATE TABLE IF NOT EXISTS l{oid} AS SELECT {', '.join(columns)}, "
        f"0::BIGINT AS {WEIGHT}, 0::BIGINT AS {_EPOCH} FROM r{oid} LIMIT 0"
    )


def append(oid: Oid, columns: Sequence[str], epoch: Epoch) -> str:
    """Return the statement that logs the epoch's delta."""
    names = f"{', '.join(columns)}, {WEIGHT}"
    return f"INSERT INTO l{oid} ({names}, {_EPOCH}) SELECT {names}, {epoch} FROM d{oid}"


def replay(oid: Oid, columns: Sequence[str], since: Epoch) -> str:
    """Return the statement that makes the net change after an epoch the relation's delta."""
    names = ", ".join(columns)
    return (
        f"CREATE OR REPLACE TEMP TABLE d{oid} AS SELECT {names}, "
        f"sum({WEIGHT})::BIGINT AS {WEIGHT} FROM l{oid} WHERE {_EPOCH} > {since} "
        f"GROUP BY {names} HAVING sum({WEIGHT}) <> 0"
    )


def rewound(oid: Oid, epoch: Epoch) -> str:
    """Return the query for the relation's rows as they were at an epoch."""
    return (
        f"SELECT * EXCLUDE ({WEIGHT}) FROM (SELECT *, 1::BIGINT AS {WEIGHT} FROM r{oid} "
        f"UNION ALL BY NAME SELECT * EXCLUDE ({_EPOCH}) REPLACE (-{WEIGHT} AS {WEIGHT}) "
        f"FROM l{oid} WHERE {_EPOCH} > {epoch}) AS z GROUP BY ALL HAVING sum({WEIGHT}) > 0"
    )


def prune(oid: Oid, upto: Epoch) -> str:
    """Return the statement that forgets changes up to an epoch, which every reader has seen."""
    return f"DELETE FROM l{oid} WHERE {_EPOCH} <= {upto}"


def drop(oid: Oid) -> str:
    """Return the statement that takes a log away."""
    return f"DROP TABLE IF EXISTS l{oid}"
