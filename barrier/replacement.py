"""Another query for a view that is there: it and the views that read it are filled anew."""

from __future__ import annotations

from barrier.command import ReplaceStreamingJob
from barrier.run import Run
from catalog.change import AlterRelation
from catalog.errors import FeatureNotSupported
from catalog.relation import JobStatus, MaterializedView, kind_name
from catalog.unchanged import check_read


def replace_job(run: Run, command: ReplaceStreamingJob) -> None:
    """Put a view with another query in the place of one, in one epoch.

    Raises:
        FeatureNotSupported: Somebody follows its changes one by one, which there are none of.
        JobFailed: It, or a view that reads it, could not be filled.
        PgError: It is no longer as it was looked at, or what it reads is not.
    """
    check_read(run.known.catalog.relations, command.based_on)
    above = [
        relation
        for relation in run.known.catalog.closure([command.before.oid])
        if isinstance(relation, MaterializedView)
    ]
    graph = run.known.graph
    followed = next(
        (v for v in above if graph.has_log(v.oid) or v.oid in graph.change_readers), None
    )
    if followed is not None:
        raise FeatureNotSupported(
            f'cannot replace the query of materialized view "{command.before.name}"',
            detail=f'The changes of {kind_name(followed)} "{followed.name}" are kept for others.',
            hint="Drop the subscriptions, and resume what stands still.",
        )
    run.change(AlterRelation(command.before, command.view))
    for view in above:
        if view.oid == command.before.oid or view.status is JobStatus.CREATED:
            run.fill(view.oid)
