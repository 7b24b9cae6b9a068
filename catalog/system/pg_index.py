"""Indexes beside those of primary keys."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.index import Index
from catalog.relation import Source, View
from catalog.state import Indexed
from catalog.system.relation import Row
from catalog.system.snapshot import Snapshot


def indexes(snapshot: Snapshot) -> Iterator[tuple[Indexed, Index]]:
    """Yield the indexes beside those of primary keys, each with what it is of."""
    for relation in snapshot.relations():
        if not isinstance(relation, View | Source):
            for index in relation.indexes:
                yield relation, index


def other_indexes(snapshot: Snapshot) -> Iterator[Row]:
    """Yield the rows of pg_index about them."""
    for relation, index in indexes(snapshot):
        keys, columns = len(index.keys), len(index.keys) + len(index.include)
        expressions = [key.source for key in index.keys if key.source is not None]
        yield {
            "indexrelid": index.oid,
            "indrelid": relation.oid,
            "indnatts": columns,
            "indnkeyatts": keys,
            "indisunique": index.is_unique,
            "indnullsnotdistinct": index.are_nulls_equal,
            "indisprimary": False,
            "indisexclusion": False,
            "indimmediate": not index.is_deferrable,
            "indisclustered": False,
            "indisvalid": True,
            "indcheckxmin": False,
            "indisready": True,
            "indislive": True,
            "indisreplident": False,
            "indkey": [*(key.column for key in index.keys), *index.include],
            "indcollation": [0] * keys,
            "indclass": [0] * keys,
            "indoption": [key.is_descending + 2 * key.has_nulls_first for key in index.keys],
            "indexprs": ", ".join(expressions) or None,
            "indpred": index.condition_source,
        }
