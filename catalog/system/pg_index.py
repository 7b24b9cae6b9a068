"""What stands beside relations: indexes, CHECK constraints and comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.index import Index
from catalog.oid import Oid
from catalog.relation import View
from catalog.state import Indexed
from catalog.system.relation import Row
from catalog.system.snapshot import Snapshot

#: The OIDs of pg_class and pg_namespace themselves.
_CLASS_OID: Final = 1259
_PROC_OID: Final = 1255
_NAMESPACE_OID: Final = 2615


def indexes(snapshot: Snapshot) -> Iterator[tuple[Indexed, Index]]:
    """Yield the indexes beside those of primary keys, each with what it is of."""
    for relation in snapshot.relations():
        if not isinstance(relation, View):
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


def descriptions(snapshot: Snapshot) -> Iterator[Row]:
    """Yield the rows of pg_description."""
    for relation in snapshot.relations():
        yield from _described(relation.oid, _CLASS_OID, relation.comment)
        for column in relation.columns:
            yield from _described(relation.oid, _CLASS_OID, column.comment, column.number)
    for _, index in indexes(snapshot):
        yield from _described(index.oid, _CLASS_OID, index.comment)
    for schema in snapshot.catalog.schemas.values():
        yield from _described(schema.oid, _NAMESPACE_OID, schema.comment)
    for sequence in snapshot.catalog.sequences.values():
        yield from _described(sequence.oid, _CLASS_OID, sequence.comment)
    for function in snapshot.catalog.functions.values():
        yield from _described(function.oid, _PROC_OID, function.comment)


def _described(oid: Oid, of: int, comment: str | None, number: int = 0) -> Iterator[Row]:
    if comment is not None:
        yield {"objoid": oid, "classoid": of, "objsubid": number, "description": comment}
