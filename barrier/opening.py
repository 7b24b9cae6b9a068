"""Opening a database's storage at its last committed epoch."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from barrier.clock import Clock
from barrier.duckdb_store import DuckdbStore
from barrier.epoch import unix_ms
from barrier.prelude import Prelude
from barrier.store import Recovered
from catalog.errors import DiskFull, IoError, ObjectInUse

_log = logging.getLogger(__name__)


def open_store(
    name: str, path: Path | None, prelude: Prelude, settings: Mapping[str, str], clock: Clock
) -> tuple[DuckdbStore, Recovered]:
    """Open the storage of the database of that name, and tell what it was.

    Raises:
        ObjectInUse: Another process has it.
        DiskFull: There is no room for what is written when it is opened.
        IoError: It cannot be read.
    """
    try:
        store = DuckdbStore(path, prelude, settings=dict(settings))
        recovered = store.recover()
    except ObjectInUse:
        raise
    except DiskFull as e:
        raise DiskFull(f'database "{name}" cannot be opened', detail=f"{e.message}.") from e
    except Exception as e:
        raise IoError(
            f'database "{name}" cannot be opened', detail=f"Its file is {path}: {e.__cause__ or e}"
        ) from e
    if recovered.epoch:
        _log.info(
            'database "%s" recovered at epoch %d (%d ms before now)',
            name,
            recovered.epoch,
            clock.now_ms() - unix_ms(recovered.epoch),
        )
    return store, recovered
