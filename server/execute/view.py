"""CREATE VIEW and CREATE OR REPLACE VIEW."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from barrier.command import ChangeCatalog
from catalog.change import ReplaceView
from catalog.constraint_errors import InvalidObjectDefinition
from catalog.dependence import describe
from catalog.errors import FeatureNotSupported, InvalidTableDefinition
from catalog.relation import Column, View
from catalog.state import Catalog
from server.execute.ddl import bound_for_view, is_there_already, result_columns
from server.execute.latest import on_latest
from server.execute.names import new_name, wrong_kind
from server.execute.permission import must_own
from server.execute.temporary import creation, reads_temporary, tell_of_view
from server.execute.transaction import commit_on_the_way
from server.execute.view_option import with_view_options
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.view_shape import shape_of
from server.version import VERSION_TEXT

_TAG: Final = "CREATE VIEW"
_OR_REPLACE: Final = re.compile(r"(\s*CREATE)\s+OR\s+REPLACE\b", re.IGNORECASE)


def create_view(state: SessionState, statement: s.CreateView) -> Done:
    """Give a query a name, or another query to a name.

    Raises:
        PgError: The name is taken, or the query does not make sense, or not in another's place.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _create_view(state, catalog, statement))


def _create_view(state: SessionState, catalog: Catalog, statement: s.CreateView) -> Done:
    # The peer has temporary views beside the others, and its clients look for them there.
    is_peers = statement.is_temporary and state.settings.is_peer
    is_own = statement.is_temporary and not is_peers
    schema, name = new_name(state, catalog, statement.name, is_temporary=is_own)
    replaced = _replaced(state, catalog, schema, name) if statement.replaces else None
    if replaced is None and is_there_already(
        state, catalog, schema, name, if_not_exists=statement.if_not_exists
    ):
        return Done(_TAG)
    bound = bound_for_view(state, catalog, statement.query, statement.start, names_views=True)
    if schema != state.temporary_schema and reads_temporary(catalog, bound.depends_on):
        tell_of_view(state, name)
        return _create_view(state, catalog, replace(statement, is_temporary=True))
    shape = shape_of(catalog, statement.query, bound)
    view = View(
        oid=state.manager.allocate_oid() if replaced is None else replaced.oid,
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=result_columns(bound, statement.columns, may_repeat=state.settings.is_peer),
        query=bound.tree.sql(dialect="duckdb"),
        depends_on=bound.depends_on,
        functions=bound.functions,
        definition=_OR_REPLACE.sub(r"\1", statement.text, count=1),
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        **shape._asdict(),
    )
    view = with_view_options(view, statement.options)
    based_on = catalog.beneath(view.depends_on)
    if replaced is None:
        command = creation(state, catalog, view, based_on)
    else:
        _check_replacement(catalog, replaced, view)
        after = _in_place_of(replaced, view)
        command = ChangeCatalog((ReplaceView(replaced, after, based_on),))
    state.perform(command)
    if is_peers:
        state.peer_views.append(view.oid)
    return Done(_TAG)


def _replaced(state: SessionState, catalog: Catalog, schema: str, name: str) -> View | None:
    """Return the view that gets another query, or None.

    Raises:
        WrongObjectType: The name is that of something else.
        InsufficientPrivilege: The view is somebody else's.
    """
    found = catalog.find(schema, name)
    if found is None:
        return None
    if not isinstance(found, View):
        raise wrong_kind(found, View, "REPLACE")
    must_own(state, found)
    return found


def _check_replacement(catalog: Catalog, was: View, view: View) -> None:
    """Refuse a view that is not what those who know the other one rely on.

    Raises:
        InvalidTableDefinition: A column is gone or is another.
        InvalidObjectDefinition: It would read itself.
        FeatureNotSupported: What is stored follows from the query that it had.
    """
    _check_columns(was.columns, view.columns)
    above = catalog.closure([was.oid])
    if view.depends_on.intersection(relation.oid for relation in above):
        raise InvalidObjectDefinition(
            f'infinite recursion detected in rules for relation "{was.name}"'
        )
    standing = [relation for relation in above if not isinstance(relation, View)]
    if standing:
        raise FeatureNotSupported(
            f"cannot replace {describe(was)} because other objects depend on it",
            detail="\n".join(f"{describe(r)} depends on {describe(was)}" for r in standing),
            hint="Drop the dependent objects before.",
        )


def _check_columns(were: Sequence[Column], are: Sequence[Column]) -> None:
    if len(are) < len(were):
        raise InvalidTableDefinition("cannot drop columns from view")
    for was, column in zip(were, are, strict=False):
        if was.name != column.name:
            raise InvalidTableDefinition(
                f'cannot change name of view column "{was.name}" to "{column.name}"',
                hint="Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
            )
        if was.type != column.type:
            raise InvalidTableDefinition(
                f'cannot change data type of view column "{was.name}" from {was.type.display()} '
                f"to {column.type.display()}"
            )


def _in_place_of(was: View, view: View) -> View:
    """Return a view with what was said and granted of the one whose place it takes."""
    told = {column.name: column for column in was.columns}
    columns = tuple(
        replace(
            column,
            comment=told[column.name].comment,
            acl=told[column.name].acl,
            default=told[column.name].default,
            default_source=told[column.name].default_source,
        )
        if column.name in told
        else column
        for column in view.columns
    )
    return replace(view, owner=was.owner, acl=was.acl, comment=was.comment, columns=columns)
