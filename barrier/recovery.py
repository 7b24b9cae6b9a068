"""What is found out of a database when it is opened, beside what its catalog says."""

from __future__ import annotations

from barrier import change_log, retention
from barrier.epoch import Epoch
from barrier.knowledge import Knowledge
from barrier.store import Store
from catalog.oid import Oid
from catalog.relation import (
    JobStatus,
    Relation,
    StreamingJob,
    Subscription,
    Table,
)


def learn(known: Knowledge, store: Store, relation: Relation) -> None:
    """Take in a relation that was recovered."""
    if isinstance(relation, Subscription):
        _learn_log(known, store, relation.source)
    if isinstance(relation, StreamingJob):
        if relation.status is JobStatus.CREATING or not relation.is_kept:
            return
        known.plans[relation.oid] = known.plan(relation)
    elif not isinstance(relation, Table):
        return
    elif not relation.primary_key:
        reader = store.reader()
        ((highest,),) = reader.rows(f"SELECT max(_row_id) FROM r{relation.oid}")
        reader.close()
        known.row_ids.next[relation.oid] = 0 if highest is None else int(str(highest)) + 1
    known.sizes[relation.oid] = store.rows_estimated(f"r{relation.oid}")
    known.ages |= retention.recovered(store, relation)


def _learn_log(known: Knowledge, store: Store, oid: Oid) -> None:
    reader = store.reader()
    ((oldest,),) = reader.rows(change_log.oldest(oid))
    reader.close()
    if oldest is not None:
        known.oldest[oid] = Epoch(int(str(oldest)))
