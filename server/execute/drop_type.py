"""DROP TYPE and DROP DOMAIN, and with CASCADE what is made of the types that go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation, Change, DropRelations
from catalog.definition import definition_of
from catalog.dependence import describe, describe_constraint
from catalog.errors import FeatureNotSupported, Notice, WrongObjectType
from catalog.function import DropFunctions, Function
from catalog.oid import Oid
from catalog.relation import Column, Relation, Table, View, query_of
from catalog.state import Catalog
from catalog.type_change import AlterType, DropTypes, described, named_in
from catalog.types import PgType
from catalog.user_type import CompositeType, DomainType, EnumType, UserType, uses
from server.execute.alter_constraint import ConstraintChanges, without_column
from server.execute.column_dependants import generated_from
from server.execute.drop import tell_of_cascade
from server.execute.latest import on_latest
from server.execute.transaction import commit_on_the_way
from server.execute.type_name import find_type, must_own_type, undefined_type
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import ObjectKind, QualifiedName
from server.sql.column_use import reads_column


def drop_types(
    state: SessionState,
    kind: ObjectKind,
    names: Sequence[QualifiedName],
    *,
    if_exists: bool,
    is_cascade: bool,
) -> Done:
    """Take types away, all that are named or none.

    Raises:
        PgError: One does not exist, or is still used and is to go alone.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        found = _named(state, catalog, kind, names, if_exists=if_exists)
        if found:
            going = frozenset(made.oid for made in found)
            changes: tuple[Change, ...] = (DropTypes(going),)
            if is_cascade:
                cascade = _Cascade(state, catalog, set(going))
                changes = cascade.changes()
                tell_of_cascade(state, [told for _, told in sorted(cascade.told)])
            state.perform(ChangeCatalog(changes))
        return Done(f"DROP {kind}")

    return on_latest(state, perform)


def _named(
    state: SessionState,
    catalog: Catalog,
    kind: ObjectKind,
    names: Sequence[QualifiedName],
    *,
    if_exists: bool,
) -> list[UserType]:
    found: list[UserType] = []
    for name in names:
        made = find_type(state, catalog, name)
        if made is None:
            if not if_exists:
                raise undefined_type(name)
            state.notice(Notice(f'type "{name}" does not exist, skipping'))
            continue
        if kind is ObjectKind.DOMAIN and not isinstance(made, DomainType):
            raise WrongObjectType(f'"{made.name}" is not a domain')
        must_own_type(state, catalog, made)
        found.append(made)
    return found


@dataclass
class _Cascade:
    """What goes with some types.

    Attributes:
        going: The types, also those that are made of others that go.
        told: What goes beside those that were named, by the OIDs of what it is or is a part of.
    """

    state: SessionState
    catalog: Catalog
    going: set[Oid]
    told: list[tuple[int, str]] = field(default_factory=list)

    def changes(self) -> tuple[Change, ...]:
        """Return what is to be done."""
        self._add_domains()
        functions = [f for f in self.catalog.functions.values() if self._is_called_with(f)]
        self.told += [(f.oid, f"function {f.signature}") for f in functions]
        columns = {
            table.oid: self._columns(table)
            for table in self.catalog.relations.values()
            if isinstance(table, Table)
        }
        views = self._views(columns, functions)
        gone = frozenset(view.oid for view in views)
        self.told += [(view.oid, describe(view)) for view in views]
        tables = self._tables(columns)
        members = self._members()
        dropped = (DropRelations(gone),) if gone else ()
        uncalled = (DropFunctions(frozenset(f.oid for f in functions)),) if functions else ()
        return (*dropped, *uncalled, *tables, *members, DropTypes(frozenset(self.going)))

    def _add_domains(self) -> None:
        for made in sorted(self.catalog.types.values(), key=lambda made: made.oid):
            if (
                made.oid not in self.going
                and isinstance(made, DomainType)
                and self._is_of(made.base)
            ):
                self.going.add(made.oid)
                self.told.append((made.oid, described(made)))

    def _is_of(self, pg_type: PgType) -> bool:
        """Whether a type is made of one that goes."""
        return any(uses(pg_type, oid) for oid in self.going)

    def _is_named(self, sql: str | None) -> bool:
        """Whether an expression or query converts to a type that goes, or from it."""
        return sql is not None and any(named_in(sql, oid) for oid in self.going)

    def _is_called_with(self, function: Function) -> bool:
        parts = (*function.types, function.result, *(column for _, column in function.columns))
        return any(self._is_of(part) for part in parts)

    def _columns(self, table: Table) -> list[Column]:
        """Return the columns of a table that go, with those that are computed from them."""
        pending = [
            column
            for column in table.columns
            if self._is_of(column.type) or self._is_named(column.generated)
        ]
        found: list[Column] = []
        while pending:
            column = pending.pop(0)
            if column not in found:
                found.append(column)
                pending += generated_from(table, column)
        return found

    def _views(
        self, columns: dict[Oid, list[Column]], functions: Sequence[Function]
    ) -> list[Relation]:
        """Return all that reads what goes, and what stands on that."""
        called = frozenset(function.oid for function in functions)
        found: list[Oid] = []
        for relation in self.catalog.relations.values():
            if isinstance(relation, Table):
                continue
            reads = any(
                reads_column(relation, oid, column.number)
                for oid, gone in columns.items()
                for column in gone
                if oid in relation.depends_on
            )
            is_made = any(self._is_of(column.type) for column in relation.columns)
            if (
                reads
                or is_made
                or relation.functions & called
                or self._is_named(query_of(relation))
            ):
                found.append(relation.oid)
        return self.catalog.closure(found)

    def _tables(self, columns: dict[Oid, list[Column]]) -> list[Change]:
        constraints = ConstraintChanges(self.state, self.catalog)
        for oid, gone in sorted(columns.items()):
            before = self.catalog.table(oid)
            table = self._without_expressions(constraints.others.get(oid, before))
            if len(gone) == len(table.columns) and gone:
                raise FeatureNotSupported("dropping the only column of a table is not supported")
            for column in gone:
                table = without_column(constraints, table, column)
                self.told.append((oid, f"column {column.name} of {describe(table)}"))
            if table != before:
                constraints.others[oid] = table
        return [
            AlterRelation(self.catalog.table(oid), replace(table, definition=definition_of(table)))
            for oid, table in sorted(constraints.others.items())
        ]

    def _without_expressions(self, table: Table) -> Table:
        """Return a table without the defaults and conditions that name a type which goes."""
        columns = []
        for column in table.columns:
            after = column
            if self._is_named(column.default) and not self._is_of(column.type):
                after = replace(column, default=None, default_source=None)
                what = f"default value for column {column.name} of {describe(table)}"
                self.told.append((table.oid, what))
            columns.append(after)
        for check in table.checks:
            if self._is_named(check.condition):
                self.told.append((table.oid, describe_constraint(check.name, table)))
        kept = tuple(check for check in table.checks if not self._is_named(check.condition))
        named = [
            index
            for index in table.indexes
            if self._is_named(index.condition)
            or any(self._is_named(key.expression) for key in index.keys)
        ]
        self.told += [(table.oid, f"index {index.name}") for index in named]
        indexes = tuple(index for index in table.indexes if index not in named)
        return replace(table, columns=tuple(columns), checks=kept, indexes=indexes)

    def _members(self) -> list[Change]:
        """Return what takes members from composite types.

        Raises:
            FeatureNotSupported: Values of one of them are stored.
        """
        changes: list[Change] = []
        for made in self.catalog.types.values():
            if made.oid in self.going or not isinstance(made, CompositeType):
                continue
            gone = [name for name, member in made.members if self._is_of(member)]
            if not gone:
                continue
            if len(gone) == len(made.members) or self._is_stored(made):
                raise FeatureNotSupported(
                    f"dropping members of {described(made)} is not supported",
                    hint="Drop what uses it before.",
                )
            own = described(made).replace("type", "composite type", 1)
            self.told += [(made.oid, f"column {name} of {own}") for name in gone]
            members = tuple((name, member) for name, member in made.members if name not in gone)
            after = replace(made, members=members, member_comments=())
            changes.append(AlterType(made, after))
        return changes

    def _is_stored(self, made: UserType) -> bool:
        relations = (r for r in self.catalog.relations.values() if not isinstance(r, View))
        if any(uses(column.type, made.oid) for r in relations for column in r.columns):
            return True
        types = (t for t in self.catalog.types.values() if not isinstance(t, EnumType))
        parts = [
            part
            for t in types
            if t.oid != made.oid
            for part in ([t.base] if isinstance(t, DomainType) else [m for _, m in t.members])
        ]
        return any(uses(part, made.oid) for part in parts)
