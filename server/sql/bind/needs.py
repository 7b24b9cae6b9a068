"""What a statement's user must be allowed to do with what it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

from catalog.acl import Privilege
from catalog.oid import Oid
from catalog.relation import Relation, View


@dataclass(frozen=True, slots=True)
class NeedBeneath:
    """A privilege on a relation, or on some of its columns, that a view's owner must have."""

    view: Oid
    oid: Oid
    privilege: Privilege
    columns: frozenset[int]


@dataclass(slots=True)
class Needs:
    """Privileges by what they are on.

    Attributes:
        objects: Those on relations and functions, by OID.
        aliases: The relations that are read, by their aliases in the bound tree.
        columns: The columns of what is written that a privilege is needed of.
        beneath: What is asked of the owners of views that are written.
    """

    objects: dict[Oid, Privilege] = field(default_factory=dict)
    aliases: dict[str, Oid] = field(default_factory=dict)
    columns: dict[tuple[Oid, Privilege], set[int]] = field(default_factory=dict)
    beneath: list[NeedBeneath] = field(default_factory=list)

    def add(self, oid: Oid, privilege: Privilege, columns: Iterable[int] = ()) -> None:
        """Note that a privilege is needed, and of which columns."""
        self.objects[oid] = self.objects.get(oid, privilege) | privilege
        if numbers := set(columns):
            self.columns.setdefault((oid, privilege), set()).update(numbers)

    def add_beneath(
        self, view: Oid, oid: Oid, privilege: Privilege, columns: Iterable[int]
    ) -> None:
        """Note that a privilege on what a view stands for is needed by the view's owner."""
        self.beneath.append(NeedBeneath(view, oid, privilege, frozenset(columns)))

    def columns_of(
        self, relation: Relation, privilege: Privilege, tree: exp.Expr | None
    ) -> frozenset[int]:
        """Return the columns of a relation that a privilege is needed of; none is of any.

        Args:
            relation: The relation.
            privilege: One that can be had on columns.
            tree: The bound statement.
        """
        found = set(self.columns.get((relation.oid, privilege), ()))
        if privilege is Privilege.SELECT and tree is not None:
            aliases = {alias for alias, oid in self.aliases.items() if oid == relation.oid}
            # A view's columns have names by their places, those of stored relations by number.
            by_name = {
                f"c{place}" if isinstance(relation, View) else column.storage_name: column.number
                for place, column in enumerate(relation.columns, 1)
            }
            for node in tree.find_all(exp.Column):
                if node.table in aliases and node.name in by_name:
                    found.add(by_name[node.name])
        return frozenset(found)
