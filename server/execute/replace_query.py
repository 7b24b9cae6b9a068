"""ALTER MATERIALIZED VIEW ... AS: another query for what is stored and maintained."""

from __future__ import annotations

from dataclasses import replace

from barrier.command import ReplaceStreamingJob
from barrier.stream.aliases import is_kept_only
from catalog.definition import quoted_name
from catalog.dependence import describe
from catalog.errors import (
    FeatureNotSupported,
    InvalidTableDefinition,
    ObjectNotInPrerequisiteState,
)
from catalog.relation import Column, JobStatus, MaterializedView, Sink, Source
from catalog.state import Catalog
from server.execute.ddl import bound_for_view, result_columns
from server.execute.permission import check
from server.execute.source_reader import follows_changes
from server.execute.streaming import refuse_batch_refresh_upstream, stored_inputs
from server.execute.temporary import refuse_in_job
from server.session_state import SessionState
from server.sql.alter_statement import AlterRelation, SetQuery


def replace_query(
    state: SessionState,
    catalog: Catalog,
    view: MaterializedView,
    statement: AlterRelation,
    action: SetQuery,
) -> None:
    """Give a view another query; it is filled anew, and so are the views that read it.

    Raises:
        PgError: The query does not make sense, or not in the place of the other.
    """
    _check_view(catalog, view)
    bound = bound_for_view(state, catalog, action.query, statement.start, is_streaming=True)
    check(state, bound.needs, bound.tree)
    refuse_in_job(catalog, bound.depends_on)
    refuse_batch_refresh_upstream(catalog, bound.depends_on)
    reads_changes = any(r.is_of_changes for r in view.readers) or follows_changes(bound.tree)
    reads_sources = any(isinstance(r, Source) for r in catalog.beneath(bound.depends_on))
    if view.readers or reads_sources or reads_changes:
        what, brought = ("changelogs", "they") if reads_changes else ("sources", "a source")
        raise FeatureNotSupported(
            f"{describe(view)} cannot get another query, since {what} are read",
            detail=f"What {brought} {'have' if reads_changes else 'has'} brought is kept for the "
            "query that reads it.",
            hint="Drop the view, and create it with the other query.",
        )
    columns = _in_place_of(view, result_columns(bound, ()))
    later = [
        relation
        for oid in stored_inputs(catalog, bound.depends_on)
        if isinstance(relation := catalog.relations[oid], MaterializedView) and oid >= view.oid
    ]
    if later:
        raise FeatureNotSupported(
            f"{describe(view)} cannot read {describe(later[0])}, which was created after it",
            hint="Drop the view, and create it with the other query.",
        )
    after = replace(
        view,
        columns=columns,
        query=bound.tree.sql(dialect="duckdb"),
        depends_on=bound.depends_on,
        functions=bound.functions,
        definition=f"CREATE MATERIALIZED VIEW {quoted_name(view)} AS {action.text}",
        time_zone=state.settings.time_zone,
        status=JobStatus.CREATED,
        error=None,
    )
    state.perform(ReplaceStreamingJob(view, after, catalog.beneath(after.depends_on)))


def _check_view(catalog: Catalog, view: MaterializedView) -> None:
    """Refuse another query for a view whose changes somebody waits for.

    Raises:
        FeatureNotSupported: It is refreshed in batches, or something stands on it that cannot be
            filled anew.
        ObjectNotInPrerequisiteState: It, or what reads it, stands still or is being filled.
    """
    for relation in catalog.closure([view.oid]):
        if isinstance(relation, Sink) and relation.is_kept:
            raise FeatureNotSupported(
                f"cannot replace the query of {describe(view)} because {describe(relation)}"
                " depends on it and writes into a table"
            )
        if not isinstance(relation, MaterializedView):
            continue
        if relation.refresh_interval_s is not None:
            raise FeatureNotSupported(
                "ALTER MATERIALIZED VIEW is not supported for batch refresh materialized views",
                detail=f"Materialized view {relation.name} is refreshed every"
                f" {relation.refresh_interval_s} seconds.",
            )
        if relation.is_standing or relation.status is JobStatus.CREATING:
            what = "paused" if relation.is_standing else "being created"
            raise ObjectNotInPrerequisiteState(f"{describe(relation)} is {what}")
        if is_kept_only(relation.query) and relation.oid != view.oid:
            raise FeatureNotSupported(
                f"cannot replace the query of {describe(view)} because {describe(relation)}"
                " depends on it and has a temporal join",
                detail="What that has shown would be lost.",
            )


def _in_place_of(view: MaterializedView, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of a query with what was said and granted of those of a view.

    Raises:
        InvalidTableDefinition: One is gone, or is another; more may follow.
    """
    if len(columns) < len(view.columns):
        raise InvalidTableDefinition("cannot drop columns from materialized view")
    for was, column in zip(view.columns, columns, strict=False):
        if was.name != column.name:
            raise InvalidTableDefinition(
                f'cannot change name of materialized view column "{was.name}" to "{column.name}"',
                hint="ALTER MATERIALIZED VIEW ... RENAME COLUMN changes names.",
            )
        if was.type != column.type:
            raise InvalidTableDefinition(
                f'cannot change data type of materialized view column "{was.name}" from'
                f" {was.type.display()} to {column.type.display()}"
            )
    return (*view.columns, *columns[len(view.columns) :])
