"""The rows of the system catalogs, made once for all who look at the same catalog."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

from barrier.arrow_column import arrow_array
from catalog.oid import Oid
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.system.relation import Row, SystemRelation, Value
from catalog.system.snapshot import Snapshot
from server.system.given import given_columns

#: So many catalogs are kept at once, all databases together: what sessions in blocks still see.
_VIEWS_MAX: Final = 16


class SystemView:
    """The system catalogs as of a snapshot, but for what is of the moment; for any thread."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._lock = threading.RLock()
        self._rows: dict[Oid, list[Row]] = {}
        self._given: dict[Oid, Any] = {}
        self._indexes: dict[tuple[str, str], Mapping[Value, Row]] = {}
        self._groups: dict[tuple[str, str], Mapping[Value, list[Row]]] = {}

    def rows(self, relation: SystemRelation) -> list[Row]:
        """Return the rows of a relation."""
        with self._lock:
            found = self._rows.get(relation.oid)
            if found is None:
                found = self._rows[relation.oid] = relation.rows(self.snapshot)
            return found

    def given(self, relation: SystemRelation) -> Any:  # noqa: ANN401 -- nanoarrow has no types
        """Return the rows as the engine reads them; there must be some."""
        with self._lock:
            found = self._given.get(relation.oid)
            if found is None:
                columns = given_columns(relation.columns, self.rows(relation))
                found = arrow_array(list(columns), list(columns.values()))
                self._given[relation.oid] = found
            return found

    def of(self, name: str) -> list[Row]:
        """Return the rows of a relation of pg_catalog."""
        return self.rows(SYSTEM_RELATIONS["pg_catalog", name])

    def by(self, name: str, column: str = "oid") -> Mapping[Value, Row]:
        """Return the rows of a relation of pg_catalog by a column in which each is different."""
        with self._lock:
            found = self._indexes.get((name, column))
            if found is None:
                found = {row.get(column): row for row in self.of(name)}
                self._indexes[name, column] = found
            return found

    def grouped(self, name: str, column: str) -> Mapping[Value, list[Row]]:
        """Return the rows of a relation of pg_catalog by a column."""
        with self._lock:
            found = self._groups.get((name, column))
            if found is None:
                made: dict[Value, list[Row]] = {}
                for row in self.of(name):
                    made.setdefault(row.get(column), []).append(row)
                found = self._groups[name, column] = made
            return found


class SystemViews:
    """The views that were looked at last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._views: OrderedDict[object, SystemView] = OrderedDict()

    def of(self, snapshot: Snapshot) -> SystemView:
        """Return the view of a snapshot, or of one that differs in nothing that it tells of."""
        key = (
            id(snapshot.catalog),
            snapshot.user,
            snapshot.users,
            snapshot.databases,
            snapshot.roles,
            snapshot.access,
            snapshot.temporary_schema,
        )
        with self._lock:
            found = self._views.get(key)
            if found is None or found.snapshot.catalog is not snapshot.catalog:
                found = self._views[key] = SystemView(snapshot)
            self._views.move_to_end(key)
            while len(self._views) > _VIEWS_MAX:
                self._views.popitem(last=False)
            return found
