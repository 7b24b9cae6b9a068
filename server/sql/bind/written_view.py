"""Views that are written, and whose rows theirs stand for (PostgreSQL 15, CREATE VIEW).

What is read of a view that is written are the rows of the table beneath that it shows, with the
view's columns beside those that are stored: the one as ``c1``, ``c2``, ... by their places, the
other by their storage names after ``r_``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, ObjectNotInPrerequisiteState
from catalog.relation import Column, Table, View
from catalog.state import Catalog
from server.sql.bind.query import aliased, subquery
from server.sql.bind.relation import inlined
from server.sql.bind.result import ViewCheck
from server.sql.bind.statement import Statement

#: The FROM item of a ``ViewCheck``, which the executor puts its rows in the place of.
CHECKED: Final = "checked"

_NOT_OF_ONE: Final = (
    "Views that do not select from a single table or view are not automatically updatable."
)
_NO_COLUMN: Final = "View columns that are not columns of their base relation are not updatable."
_HINTS: Final = {
    "insert into": ("inserting into", "INSERT"),
    "update": ("updating", "UPDATE"),
    "delete from": ("deleting from", "DELETE"),
}


@dataclass(frozen=True, slots=True)
class WrittenView:
    """A view that a statement writes.

    Attributes:
        views: The view and those beneath it, down to the one that reads the table.
        table: The table.
        numbers: For each of the views, its column by the number of the table's that it shows.
    """

    views: tuple[View, ...]
    table: Table
    numbers: tuple[Mapping[int, int], ...]

    @property
    def view(self) -> View:
        """The one that is named."""
        return self.views[0]

    def columns(self) -> tuple[Column, ...]:
        """Return the view's columns: with the table's numbers, or 0 where they show none.

        Their defaults are the view's own before those of the views and the table beneath.
        """
        stored = {column.number: column for column in self.stored_columns()}
        origins = self._origins()
        return tuple(
            replace(stored[origin], name=column.name, acl=column.acl)
            if (origin := origins[column.number])
            else replace(column, number=0)
            for column in self.view.columns
        )

    def stored_columns(self) -> tuple[Column, ...]:
        """Return the table's columns, with the defaults that the views have for them."""
        found = {column.number: column for column in self.table.columns}
        for view, numbers in zip(reversed(self.views), reversed(self.numbers), strict=True):
            own = {column.number: column for column in view.columns}
            for number, shown in numbers.items():
                if own[shown].default is not None:
                    found[number] = replace(found[number], default=own[shown].default)
        return tuple(found[column.number] for column in self.table.columns)

    def _origins(self) -> dict[int, int]:
        """Return the table's number for each of the view's columns, 0 where there is none."""
        found: dict[int, int] = {}
        for column, origin in zip(self.view.columns, self.view.origins, strict=True):
            number = origin
            for beneath in self.views[1:]:
                places = {c.number: place for place, c in enumerate(beneath.columns)}
                number = beneath.origins[places[number]] if number else 0
            found[column.number] = number
        return found


def written_view(catalog: Catalog, view: View, verb: str, *, position: int | None) -> WrittenView:
    """Return what a view that is written stands for.

    Args:
        catalog: The database.
        view: The view.
        verb: As of ``find_target``.
        position: Where its name stands.

    Raises:
        ObjectNotInPrerequisiteState: It, or a view beneath it, cannot be written.
        FeatureNotSupported: The table is only added to.
    """
    views: list[View] = []
    at: object = view
    while isinstance(at, View):
        if not at.base:
            raise _not_updatable(at, verb)
        views.append(at)
        at = catalog.relations[at.base]
    assert isinstance(at, Table), at
    if at.is_append_only and verb != "insert into":
        raise FeatureNotSupported(
            "append-only table does not support update or delete", position=position
        )
    numbers: list[Mapping[int, int]] = []
    above: Mapping[int, int] = {column.number: column.number for column in at.columns}
    for beneath in reversed(views):
        shown: dict[int, int] = {}
        for column, origin in zip(beneath.columns, beneath.origins, strict=True):
            for number, place in above.items():
                if place == origin:
                    shown.setdefault(number, column.number)
        numbers.insert(0, shown)
        above = shown
    return WrittenView(tuple(views), at, tuple(numbers))


def _not_updatable(view: View, verb: str) -> ObjectNotInPrerequisiteState:
    doing, event = _HINTS[verb]
    return ObjectNotInPrerequisiteState(
        f'cannot {verb} view "{view.name}"',
        detail=view.obstacle or _NOT_OF_ONE,
        hint=f"To enable {doing} the view, provide an INSTEAD OF {event} trigger or an "
        f"unconditional ON {event} DO INSTEAD rule.",
    )


def not_a_column(view: View, name: str, verb: str) -> FeatureNotSupported:
    """Build the error for a column that shows none of the table's."""
    return FeatureNotSupported(
        f'cannot {verb} column "{name}" of view "{view.name}"', detail=_NO_COLUMN
    )


def stored_name(name: str) -> str:
    """Return what a stored column is called beside a view's own."""
    return f"r_{name}"


def shown_rows(
    statement: Statement,
    written: WrittenView,
    rows: Callable[[str], exp.Expr],
    stored: Sequence[str],
    *,
    is_filtered: bool,
) -> exp.Expr:
    """Return a query for what a view shows of some rows of the table.

    Args:
        statement: What it is for.
        written: The view.
        rows: Returns the rows as a FROM item with an alias.
        stored: The storage names of those of their columns that are given too.
        is_filtered: Whether rows that the view does not show are left out.
    """
    return _levels(statement, written.views, rows, stored, is_filtered=is_filtered)


def _levels(
    statement: Statement,
    views: Sequence[View],
    rows: Callable[[str], exp.Expr],
    stored: Sequence[str],
    *,
    is_filtered: bool,
) -> exp.Select:
    tree = inlined(statement, views[0])
    assert isinstance(tree, exp.Select), tree
    alias = tree.args["from_"].this.alias
    if len(views) == 1:
        item, names = rows(alias), list(stored)
    else:
        beneath = _levels(statement, views[1:], rows, stored, is_filtered=is_filtered)
        item, names = subquery(beneath, alias), [stored_name(name) for name in stored]
    tree.set("from_", exp.From(this=item))
    tree.set("order", None)
    for name, own in zip(names, stored, strict=True):
        tree.append("expressions", aliased(exp.column(name, table=alias), stored_name(own)))
    if not is_filtered:
        tree.set("where", None)
    return tree


def pass_up(select: exp.Expr, name: str) -> None:
    """Have the queries of ``shown_rows`` give a column of their rows too, for who reads them."""
    item = select.args["from_"].this
    while isinstance(item, exp.Subquery):
        level = item.this
        item = level.args["from_"].this
        level.append("expressions", aliased(exp.column(name, table=item.alias), name))


def view_checks(statement: Statement, written: WrittenView) -> tuple[ViewCheck, ...]:
    """Return what new rows of a view must fulfil, of the views beneath first."""
    found: list[ViewCheck] = []
    is_cascaded = False
    for place, view in enumerate(written.views):
        if view.check_option or is_cascaded:
            found[:0] = _check(statement, written, place)
        is_cascaded = is_cascaded or view.check_option == "cascaded"
    return tuple(found)


def visibility(statement: Statement, written: WrittenView) -> tuple[ViewCheck, ...]:
    """Return what rows fulfil that a view shows, of the views beneath first."""
    found: list[ViewCheck] = []
    for place, _ in enumerate(written.views):
        found[:0] = _check(statement, written, place)
    return tuple(found)


def _check(statement: Statement, written: WrittenView, place: int) -> list[ViewCheck]:
    query = _failing(statement, written, place)
    return [] if query is None else [ViewCheck(written.views[place].name, query)]


def _failing(statement: Statement, written: WrittenView, place: int) -> exp.Select | None:
    """Return the query for rows that one of the views does not show; None if it shows all."""
    stored = [column.storage_name for column in written.table.columns]

    def rows(alias: str) -> exp.Expr:
        return exp.Table(
            this=exp.to_identifier(CHECKED), alias=exp.TableAlias(this=exp.to_identifier(alias))
        )

    views = written.views[place:]
    condition = inlined(statement, views[0])
    alias = condition.args["from_"].this.alias
    where = condition.args.get("where")
    if where is None:
        return None
    names = list(stored)
    if len(views) == 1:
        item = rows(alias)
    else:
        beneath = _levels(statement, views[1:], rows, stored, is_filtered=False)
        item, names = subquery(beneath, alias), [stored_name(name) for name in stored]
    shown = [
        aliased(exp.column(name, table=alias), own) for name, own in zip(names, stored, strict=True)
    ]
    select = exp.Select(expressions=shown)
    select.set("from_", exp.From(this=item))
    is_so = exp.Coalesce(this=exp.paren(where.this), expressions=[exp.false()])
    select.set("where", exp.Where(this=exp.Not(this=is_so)))
    return select
