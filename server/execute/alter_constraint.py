"""ALTER TABLE of constraints: adding, dropping, renaming, and when they are looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from catalog.constraint import ForeignKey
from catalog.dependence import describe_constraint
from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateTable,
    Notice,
    UndefinedObject,
    WrongObjectType,
)
from catalog.oid import Oid
from catalog.relation import Column, Table
from catalog.state import Catalog, Indexed
from server.execute.column_dependants import without_checks_of
from server.execute.constraint_name import constraint_names, refuse_taken
from server.execute.table_keys import with_key, with_references
from server.session_state import SessionState
from server.sql import alter_statement as a


@dataclass
class ConstraintChanges:
    """What ALTER TABLE does to constraints.

    Attributes:
        others: Other tables that become others, with what they become.
    """

    state: SessionState
    catalog: Catalog
    others: dict[Oid, Table] = field(default_factory=dict)

    def applied(self, table: Table, action: a.ConstraintAction) -> Table:
        """Return the table after an action.

        Raises:
            PgError: There is no such constraint, or it cannot be.
        """
        match action:
            case a.AddKey(key):
                return with_key(self.state, self.catalog, table, key)
            case a.AddReference(reference):
                return with_references(self.state, self.catalog, table, [reference])
            case a.DropConstraint():
                return self._without(table, action)
            case a.RenameConstraint(name, new_name):
                return self._renamed(table, name, new_name)
            case a.ValidateConstraint(name):
                return self._validated(table, name)
            case a.SetDeferral(name, deferral):
                self._find(table, name)
                if all(key.name != name for key in table.foreign_keys):
                    raise WrongObjectType(
                        f'constraint "{name}" of relation "{table.name}" is not a foreign key '
                        "constraint"
                    )
                return _with_reference(
                    table,
                    name,
                    lambda key: replace(
                        key,
                        is_deferrable=deferral.is_deferrable,
                        is_deferred=deferral.is_deferred,
                    ),
                )

    def _find(self, table: Table, name: str) -> None:
        if name not in constraint_names(table):
            raise _undefined(table, name)

    def _without(self, table: Table, action: a.DropConstraint) -> Table:
        name = action.name
        if name not in constraint_names(table):
            error = _undefined(table, name)
            if not action.if_exists:
                raise error
            self.state.notice(Notice(f"{error.message}, skipping"))
            return table
        key = next((key for key in table.unique_keys if key.name == name), None)
        if key is not None and (key.is_primary or key.constraint):
            table = self.without_key(table, key.oid, name, is_cascade=action.is_cascade)
            if key.is_primary:
                return replace(table, primary_key=(), key_name="")
            return replace(table, indexes=tuple(i for i in table.indexes if i.oid != key.oid))
        return replace(
            table,
            checks=tuple(check for check in table.checks if check.name != name),
            foreign_keys=tuple(key for key in table.foreign_keys if key.name != name),
        )

    def without_key(self, table: Table, key: Oid, name: str, *, is_cascade: bool) -> Table:
        """Let go of the foreign keys that stand on a unique key which goes.

        Returns:
            The table, which may refer to itself.

        Raises:
            DependentObjectsStillExist: There are some, and they are not to go.
        """
        standing = [
            (self.others.get(owner.oid, owner), reference)
            for owner, reference in self.catalog.referring(table.oid)
            if reference.key == key
        ]
        if standing and not is_cascade:
            raise DependentObjectsStillExist(
                f"cannot drop {describe_constraint(name, table)} because other objects depend on "
                "it",
                detail="\n".join(
                    f"{describe_constraint(reference.name, owner)} depends on index {name}"
                    for owner, reference in standing
                ),
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )
        self._tell(standing)
        for owner, reference in standing:
            if owner.oid != table.oid:
                self.others[owner.oid] = without_references(
                    self.others.get(owner.oid, owner), {reference.oid}
                )
        return without_references(table, {reference.oid for _, reference in standing})

    def _tell(self, gone: list[tuple[Table, ForeignKey]]) -> None:
        told = [f"drop cascades to {describe_constraint(k.name, owner)}" for owner, k in gone]
        if len(told) == 1:
            self.state.notice(Notice(told[0]))
        elif told:
            message = f"drop cascades to {len(told)} other objects"
            self.state.notice(Notice(message, detail="\n".join(told)))

    def _renamed(self, table: Table, name: str, new_name: str) -> Table:
        self._find(table, name)
        if name == new_name or new_name in constraint_names(table):
            refuse_taken(table, new_name)
        key = next((key for key in table.unique_keys if key.name == name), None)
        if key is not None and self.catalog.is_taken(table.schema, new_name):
            raise DuplicateTable.named(new_name)
        if key is not None and key.is_primary:
            return replace(table, key_name=new_name)
        return replace(
            table,
            indexes=tuple(
                replace(i, name=new_name) if i.constraint and i.name == name else i
                for i in table.indexes
            ),
            checks=tuple(replace(c, name=new_name) if c.name == name else c for c in table.checks),
            foreign_keys=tuple(
                replace(k, name=new_name) if k.name == name else k for k in table.foreign_keys
            ),
        )

    def _validated(self, table: Table, name: str) -> Table:
        self._find(table, name)
        if any(check.name == name for check in table.checks):
            return table  # There is none that was not looked at.
        if all(key.name != name for key in table.foreign_keys):
            raise WrongObjectType(
                f'constraint "{name}" of relation "{table.name}" is not a foreign key or check '
                "constraint"
            )
        return _with_reference(table, name, lambda key: replace(key, is_valid=True))


def _undefined(table: Table, name: str) -> UndefinedObject:
    return UndefinedObject(f'constraint "{name}" of relation "{table.name}" does not exist')


def without_references(table: Table, oids: set[Oid]) -> Table:
    """Return the table without some of its foreign keys."""
    return replace(table, foreign_keys=tuple(k for k in table.foreign_keys if k.oid not in oids))


def _with_reference(table: Table, name: str, change: Callable[[ForeignKey], ForeignKey]) -> Table:
    keys = tuple(change(key) if key.name == name else key for key in table.foreign_keys)
    return replace(table, foreign_keys=keys)


def required_by_constraint(relation: Indexed, index: str) -> DependentObjectsStillExist:
    """Build the error for an index that goes only with its constraint."""
    constraint = describe_constraint(index, relation)
    return DependentObjectsStillExist(
        f"cannot drop index {index} because {constraint} requires it",
        hint=f"You can drop {constraint} instead.",
    )


def without_column(changes: ConstraintChanges, table: Table, column: Column) -> Table:
    """Return a table without a column, and without what stands on it in the table itself."""
    for unique in table.unique_keys:
        if column.number in unique.columns:
            table = changes.without_key(table, unique.oid, unique.name, is_cascade=True)
    table = without_checks_of(table, column)
    kept = tuple(c for c in table.columns if c.number != column.number)
    return replace(table, columns=kept, columns_made=table.next_number - 1)
