"""What names an expression can see: FROM items and their columns, of this query and outer ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from sqlglot import exp

from catalog.errors import (
    AmbiguousColumn,
    DuplicateAlias,
    InvalidColumnReference,
    UndefinedColumn,
    UndefinedTable,
)
from catalog.oid import INVALID_OID, Oid
from catalog.types import PgType
from server.sql.typed import Typed


@dataclass(frozen=True, slots=True)
class ScopeColumn:
    """A column that can be named.

    Attributes:
        value: How to read it.
        relation_oid: Where it comes from unchanged, or 0.
        number: Its attnum there.
    """

    name: str
    value: Typed
    relation_oid: Oid = INVALID_OID
    number: int = 0


@dataclass(frozen=True, slots=True)
class FromItem:
    """A FROM item that can be named.

    Attributes:
        alias: Its name in the bound tree, ``t<n>``.
        name: What users call it; empty when it cannot be named.
        schema: The relation's schema where the item has no alias of its own.
        relation_name: What the relation is called where the item has an alias.
        key: The numbers of the primary key's columns, on which all others depend.
        system: Columns that are found by their names alone; ``*`` does not stand for them.
        tree: What it is in the bound tree, if it is one item there.
        is_nullable: Whether an outer join may find no row of it.
        is_value: Whether its rows are values of its first column, as a function gives them.
        is_running: Whether it is a recursive query, read in its own recursive term.
    """

    alias: str
    name: str
    columns: tuple[ScopeColumn, ...]
    schema: str = ""
    relation_name: str = ""
    key: frozenset[int] = frozenset()
    system: tuple[ScopeColumn, ...] = ()
    tree: exp.Expr | None = field(default=None, compare=False, repr=False)
    is_nullable: bool = False
    is_value: bool = False
    is_running: bool = False

    def find(self, name: str) -> list[ScopeColumn]:
        """Return the columns of that name."""
        found = [column for column in self.columns if column.name == name]
        return found or [column for column in self.system if column.name == name]


def column_of(alias: str, name: str, pg_type: PgType) -> Typed:
    """Return the reading of a column of a FROM item, or of what goes by the name alone."""
    table = exp.Identifier(this=alias, quoted=False) if alias else None
    tree = exp.Column(this=exp.Identifier(this=name, quoted=False), table=table)
    return Typed(tree, pg_type)


class Owner(Protocol):
    """Who binds the expressions that see a scope."""

    level: int

    def allow_aggregate(self, position: int | None) -> None:
        """Raise GroupingError where no aggregate of this level may stand."""


#: Tells which relation a name would mean in FROM, if any.
Meant: TypeAlias = Callable[[], Oid | None]


@dataclass(slots=True)
class Scope:
    """The names of one query level.

    Attributes:
        items: What can be named with a qualifier.
        visible: What can be named without, and what ``*`` stands for, in its order: columns that
            USING has merged stand once.
        outer: The query around this one.
        unreachable: Items of the same FROM that may not be named here.
        owner: Who binds the expressions of the level.
        barred: Those on the other side of a RIGHT or FULL JOIN with something LATERAL.
    """

    items: list[FromItem] = field(default_factory=list)
    visible: list[ScopeColumn] = field(default_factory=list)
    outer: Scope | None = None
    unreachable: list[FromItem] = field(default_factory=list)
    barred: list[FromItem] = field(default_factory=list)
    owner: Owner | None = field(default=None, compare=False, repr=False)

    def add(self, item: FromItem) -> None:
        """Make an item and its columns visible.

        Raises:
            DuplicateAlias: An item of that name is there.
        """
        self.check_name(item)
        self.items.append(item)
        self.visible.extend(item.columns)

    def check_name(self, item: FromItem) -> None:
        """Raise DuplicateAlias when an item of that name is there.

        Two relations of one name are told apart by their schemas as long as neither has an alias.
        """
        for other in self.items:
            if not item.name or other.name != item.name:
                continue
            if other.schema == item.schema or not (other.schema and item.schema):
                raise DuplicateAlias(f'table name "{item.name}" specified more than once')

    def merge(self, other: Scope) -> None:
        """Take another scope's items in, as a join without USING does."""
        for item in other.items:
            self.check_name(item)
        self.items.extend(other.items)
        self.visible.extend(other.visible)

    def column(self, name: str, *, position: int | None = None) -> ScopeColumn:
        """Return the column that a bare name means.

        Raises:
            AmbiguousColumn: It fits several.
            UndefinedColumn: It fits none.
        """
        found = self.find(name, position=position)
        if found is None:
            raise UndefinedColumn(f'column "{name}" does not exist', position=position)
        return found

    def find(self, name: str, *, position: int | None = None) -> ScopeColumn | None:
        """Return the column that a bare name means, or None.

        Raises:
            AmbiguousColumn: It fits several.
        """
        scope: Scope | None = self
        while scope is not None:
            found = [column for column in scope.visible if column.name == name]
            if not found:
                hidden = (column for item in scope.items for column in item.system)
                found = [column for column in hidden if column.name == name]
            if len(found) > 1:
                raise AmbiguousColumn(f'column reference "{name}" is ambiguous', position=position)
            if found:
                return found[0]
            for item in scope.barred:
                if any(column.name == name for column in item.columns):
                    raise _barred(item.name, position)
            scope = scope.outer
        return None

    def qualified(
        self,
        table: str,
        name: str,
        *,
        schema: str = "",
        position: int | None = None,
        meant: Meant | None = None,
    ) -> ScopeColumn:
        """Return the column that ``table.name`` means; as of ``item``.

        Raises:
            AmbiguousColumn: The table has several of the name.
            UndefinedColumn: The table has none.
            UndefinedTable: There is no such FROM item.
        """
        found = self.item(table, schema=schema, position=position, meant=meant).find(name)
        if len(found) > 1:
            raise AmbiguousColumn(f'column reference "{name}" is ambiguous', position=position)
        if not found:
            raise UndefinedColumn(f"column {table}.{name} does not exist", position=position)
        return found[0]

    def item(
        self,
        name: str,
        *,
        schema: str = "",
        position: int | None = None,
        meant: Meant | None = None,
    ) -> FromItem:
        """Return the FROM item of that name.

        Args:
            name: The name.
            schema: The schema that it is said to be in, or empty.
            position: Where it stands.
            meant: Tells which relation the name would mean in FROM, for the error.

        Raises:
            AmbiguousColumn: The name fits two relations of different schemas.
            UndefinedTable: There is none, or it may not be named here.
        """
        scope: Scope | None = self
        while scope is not None:
            named = [item for item in scope.items if _is_named(item, name, schema)]
            if len(named) > 1:
                raise AmbiguousColumn(f'table reference "{name}" is ambiguous', position=position)
            if named:
                return named[0]
            if any(_is_named(item, name, schema) for item in scope.barred):
                raise _barred(name, position)
            if any(_is_named(item, name, schema) for item in scope.unreachable):
                raise UndefinedTable(
                    f'invalid reference to FROM-clause entry for table "{name}"',
                    hint=_elsewhere(name),
                    position=position,
                )
            scope = scope.outer
        raise self._missing(name, position, meant)

    def _missing(self, name: str, position: int | None, meant: Meant | None) -> UndefinedTable:
        invalid = f'invalid reference to FROM-clause entry for table "{name}"'
        oid = None if meant is None else meant()
        scope: Scope | None = self
        while scope is not None:
            for item in scope.items:
                if item.name == name:
                    return UndefinedTable(invalid, hint=_elsewhere(name), position=position)
                if meant is None:
                    is_meant = item.relation_name == name
                else:
                    of = item.columns[0].relation_oid if item.columns else INVALID_OID
                    is_meant = of != INVALID_OID and of == oid
                if is_meant:
                    hint = f'Perhaps you meant to reference the table alias "{item.name}".'
                    return UndefinedTable(invalid, hint=hint, position=position)
            scope = scope.outer
        return UndefinedTable(f'missing FROM-clause entry for table "{name}"', position=position)


def _elsewhere(name: str) -> str:
    return (
        f'There is an entry for table "{name}", but it cannot be referenced from this part of the '
        "query."
    )


def _barred(name: str, position: int | None) -> InvalidColumnReference:
    return InvalidColumnReference(
        f'invalid reference to FROM-clause entry for table "{name}"',
        detail="The combining JOIN type must be INNER or LEFT for a LATERAL reference.",
        position=position,
    )


def _is_named(item: FromItem, name: str, schema: str) -> bool:
    return item.name == name and (not schema or item.schema == schema)
