"""VACUUM, ANALYZE and CHECKPOINT: what is stored is written back, and its values are counted.

Nothing waits for them: rows that are gone leave no trace in a view, and the engine writes its log
back by itself. VACUUM does so now, which gives the room of what was deleted back, and ANALYZE has
the engine count the distinct values that it plans joins by. A vacuum is of the whole file, so
naming a table says who may ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from catalog.errors import (
    DuplicateColumn,
    InsufficientPrivilege,
    Notice,
    PgError,
    UndefinedColumn,
    UndefinedSchema,
)
from catalog.index import Index
from catalog.relation import Relation, Rowless, Source, View, storage_name
from catalog.roles import CHECKPOINT
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.system.relation import SystemRelation
from server.execute.database import refuse_in_block
from server.execute.index import find_index
from server.execute.names import find_relation, get_relation, system_relation
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import ColumnName, QualifiedName
from server.sql.maintenance_statement import Analyze, Target, Vacuum

#: System relations that all databases share.
_SHARED: Final = frozenset(
    (
        *("pg_authid", "pg_auth_members", "pg_database", "pg_db_role_setting"),
        *("pg_parameter_acl", "pg_replication_origin", "pg_shdepend", "pg_shdescription"),
        *("pg_shseclabel", "pg_subscription", "pg_tablespace"),
    )
)


def vacuum(state: SessionState, statement: Vacuum) -> Done:
    """Give back the room of what was deleted; and count distinct values if that is asked for.

    Raises:
        ActiveTransaction: In a transaction block.
        PgError: Something that is named does not exist, or the wait was ended.
    """
    refuse_in_block(state, "VACUUM")
    care = _Care(state, "vacuum", "VACUUM")
    chosen = care.chosen(statement.targets)
    if chosen or not statement.targets:
        for relation, _ in chosen if statement.is_verbose else ():
            where = "" if statement.is_full else f"{state.database}."
            care.tell(f'vacuuming "{where}{relation.schema}.{relation.name}"')
        _write_back(state)
    if statement.is_analyze:
        care.analyze(chosen, is_verbose=statement.is_verbose)
    return Done("VACUUM")


def analyze(state: SessionState, statement: Analyze) -> Done:
    """Count the distinct values of columns anew.

    Raises:
        PgError: Something that is named does not exist, or the wait was ended.
    """
    care = _Care(state, "analyze", "ANALYZE")
    care.analyze(care.chosen(statement.targets), is_verbose=statement.is_verbose)
    return Done("ANALYZE")


def checkpoint(state: SessionState) -> Done:
    """Write back what is only in the log.

    Raises:
        InsufficientPrivilege: The user may not.
        PgError: The wait was ended.
    """
    if not state.access.owns(CHECKPOINT):
        raise InsufficientPrivilege(
            "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT"
        )
    _write_back(state)
    return Done("CHECKPOINT")


def _write_back(state: SessionState) -> None:
    if not state.worker.upkeep().checkpoint(state.interrupt):
        state.notice(
            Notice(
                "the log is not written back now",
                detail="A view that is being filled has its transaction open. All that was "
                "committed is on the disk, in the log.",
                hint="It is written back by itself later; SHOW JOBS tells what is being filled.",
                severity="WARNING",
                sqlstate=SqlState.WARNING,
            )
        )


@dataclass(frozen=True, slots=True)
class _Care:
    """Looking after what a statement names; ``verb`` is what it does."""

    state: SessionState
    verb: str
    tag: str

    def chosen(self, targets: Sequence[Target]) -> list[tuple[Relation, Sequence[str]]]:
        """Return the stored relations that are meant and may be looked after, with columns.

        Raises:
            PgError: Something that is named does not exist.
        """
        catalog = self.state.catalog()
        if not targets:
            return [(r, ()) for r in catalog.in_order() if self._is_stored(r) and self._may(r)]
        chosen = []
        for target in targets:
            relation = self._relation(catalog, target.name)
            if relation is not None:
                chosen.append((relation, _storage_names(relation, target.columns)))
        return chosen

    def analyze(
        self, chosen: Iterable[tuple[Relation, Sequence[str]]], *, is_verbose: bool
    ) -> None:
        """Count distinct values."""
        worker = self.state.worker
        for relation, columns in chosen:
            if is_verbose:
                self.tell(f'analyzing "{relation.schema}.{relation.name}"')
            try:
                worker.upkeep().analyze(storage_name(relation.oid), columns, self.state.interrupt)
            except PgError:
                if worker.catalog.relations.get(relation.oid) is relation:
                    raise  # It was neither dropped nor altered meanwhile.

    def tell(self, message: str) -> None:
        """Tell what VERBOSE asks for."""
        self.state.notice(Notice(message, severity="INFO"))

    def _relation(self, catalog: Catalog, name: QualifiedName) -> Relation | None:
        """Return what a name means if it may be looked after, and tell why if it may not."""
        found: Relation | SystemRelation | tuple[Relation, Index] | None
        found = system_relation(self.state, name)
        found = found or find_relation(self.state, catalog, name)
        found = found or find_index(self.state, catalog, name)
        match found:
            case None:
                if name.schema is not None and name.schema not in catalog.schemas:
                    raise UndefinedSchema.named(name.schema)
                return get_relation(self.state, catalog, QualifiedName(name.name, name.schema))
            case SystemRelation():
                self._skip_system(found)
                return None
            case (relation, index):
                shown = index.name
            case relation:
                shown = relation.name
        if not self._may(relation):
            self._skip(shown, f"only table or database owner can {self.verb} it")
        elif isinstance(found, tuple) or not self._is_stored(relation):
            self._skip(shown, f"cannot {self.verb} non-tables or special system tables")
        else:
            return relation
        return None

    def _skip_system(self, relation: SystemRelation) -> None:
        """Tell why a system relation is passed over; there is nothing to do for any."""
        if relation.name in _SHARED and not self.state.user.is_superuser:
            self._skip(relation.name, f"only superuser can {self.verb} it")
        elif not self._owns_database():
            self._skip(relation.name, f"only superuser or database owner can {self.verb} it")
        elif not relation.is_table:
            self._skip(relation.name, f"cannot {self.verb} non-tables or special system tables")

    def _skip(self, name: str, why: str) -> None:
        self.state.notice(
            Notice(f'skipping "{name}" --- {why}', severity="WARNING", sqlstate=SqlState.WARNING)
        )

    def _is_stored(self, relation: Relation) -> bool:
        return not isinstance(relation, View | Rowless | Source)

    def _may(self, relation: Relation) -> bool:
        return self.state.access.owns(relation.owner) or self._owns_database()

    def _owns_database(self) -> bool:
        database = self.state.manager.database(self.state.database)
        return database is not None and self.state.access.owns(database.owner)


def _storage_names(relation: Relation, columns: Sequence[ColumnName]) -> Sequence[str]:
    """Return what the columns that are named are called where they are stored."""
    names = []
    for column in columns:
        found = next((c for c in relation.columns if c.name == column.name), None)
        if found is None:
            raise UndefinedColumn(
                f'column "{column.name}" of relation "{relation.name}" does not exist'
            )
        if found.storage_name in names:
            raise DuplicateColumn(
                f'column "{column.name}" of relation "{relation.name}" appears more than once'
            )
        names.append(found.storage_name)
    return names
