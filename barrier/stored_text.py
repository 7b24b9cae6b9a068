"""Pauses and write sets as the texts that a database keeps of them."""

from __future__ import annotations

import json
from dataclasses import asdict

from barrier.command import PauseInfo, PauseScope
from barrier.set_aside import SetAside
from barrier.writes import OnKey, TableWrites, WriteSet
from catalog.oid import Oid


def encode_pause(pause: PauseInfo) -> str:
    """Return the text of a pause."""
    return json.dumps(asdict(pause))


def decode_pause(text: str) -> PauseInfo:
    """Return the pause that a text is of."""
    described = json.loads(text)
    return PauseInfo(**{**described, "scope": PauseScope(described["scope"])})


def encode_write_set(write_set: WriteSet) -> str:
    """Return the text of a write set, without its rows; it has read nothing that must stay so."""
    assert not write_set.read, write_set
    described = {
        "tables": [asdict(writes) for writes in write_set.tables],
        "staging": write_set.staging,
        "queue_number": write_set.queue_number,
    }
    return json.dumps(described)


def encode_set_aside(failed: SetAside) -> str:
    """Return the text of why a write set stands aside."""
    return json.dumps(
        {
            "sqlstate": failed.sqlstate,
            "message": failed.message,
            "detail": failed.detail,
            "since_ms": failed.since_ms,
        }
    )


def decode_set_aside(described: str, failure: str) -> SetAside:
    """Return the write set that a text is of, with why it stands aside."""
    return SetAside(decode_write_set(described), **json.loads(failure))


def queued_for(table: Oid) -> str:
    """Return the query that counts the write sets that wait to be applied to a table."""
    return f"SELECT count(*) FROM queue.entries WHERE described LIKE '%\"table\": {table},%'"


def decode_write_set(text: str) -> WriteSet:
    """Return the write set that a text is of."""
    described = json.loads(text)
    tables = tuple(
        TableWrites(
            **{
                **t,
                "table": Oid(t["table"]),
                "on_key": OnKey(t["on_key"]),
                "layout": tuple(t.get("layout", ())),
            }
        )
        for t in described["tables"]
    )
    return WriteSet(
        tables,
        staging=tuple(described["staging"]),
        queue_number=described["queue_number"],
    )
