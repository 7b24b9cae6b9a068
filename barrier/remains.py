"""Tables that nobody knows: what backfills leave behind that ended on their way."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from barrier.job_graph import JobGraph
from barrier.store import Reader
from catalog.oid import Oid
from catalog.relation import JobStatus, StreamingJob
from catalog.state import Catalog

#: A relation's rows, a view's state and where a mirror is.
_OWNED: Final = re.compile(r"[rsp](\d+)(_\d+)?")
_LOG: Final = re.compile(r"l\d+(_\d+)?")

_TABLES: Final = (
    "SELECT table_name FROM duckdb_tables() "
    "WHERE database_name = current_database() AND schema_name = 'main'"
)


def tables_of(reader: Reader, oids: Collection[Oid]) -> list[str]:
    """Return the tables of relations, as far as there are any."""
    return [name for name in _tables(reader) if _owner(name) in oids]


def drop_remains(reader: Reader, catalog: Catalog) -> None:
    """Drop the tables of views that are not filled, and those that belong to nothing."""
    logs = JobGraph.of(catalog).logs
    for name in _tables(reader):
        owner, is_log = _owner(name), _LOG.fullmatch(name) is not None
        is_left = owner is not None and not _is_stored(catalog, owner)
        if is_left or (is_log and name not in logs):
            reader.run(f"DROP TABLE IF EXISTS {name}")


def _tables(reader: Reader) -> list[str]:
    return [str(name) for (name,) in reader.rows(_TABLES)]


def _owner(name: str) -> Oid | None:
    found = _OWNED.fullmatch(name)
    return None if found is None else Oid(int(found[1]))


def _is_stored(catalog: Catalog, oid: Oid) -> bool:
    relation = catalog.readers.get(oid) or catalog.relations.get(oid)
    if isinstance(relation, StreamingJob):
        return relation.status is not JobStatus.CREATING
    return relation is not None
