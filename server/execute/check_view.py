"""CHECK MATERIALIZED VIEW: the rows in which a view differs from its query, both at one epoch."""

from __future__ import annotations

from typing import Final

from barrier.stream.aliases import is_kept_only
from catalog import types as t
from catalog.acl import Privilege
from catalog.errors import ActiveTransaction, FeatureNotSupported, Notice
from catalog.relation import MaterializedView
from catalog.state import Catalog
from server.execute.names import get_materialized_view
from server.execute.permission import check
from server.result import NearRows
from server.row_pages import Near, Row
from server.session_state import SessionState
from server.sql.bind.needs import Needs
from server.sql.bind.result import OutputColumn
from server.sql.statement import CheckMaterializedView, QualifiedName
from server.wire.rows import value_query

#: More differing rows than anybody reads.
_ROWS_MAX: Final = 1000

_FLOATS: Final = frozenset({t.FLOAT4.oid, t.FLOAT8.oid})


def check_columns(state: SessionState, name: QualifiedName) -> tuple[OutputColumn, ...]:
    """Return the columns of the answer: which has the row and how often, and the view's own.

    Raises:
        PgError: There is no such view.
    """
    return _columns(get_materialized_view(state, state.catalog(), name))


def check_view(state: SessionState, statement: CheckMaterializedView) -> NearRows:
    """Return the rows that only the view has, or only its query; none if all is well.

    Writes go on meanwhile: both are read on one snapshot.

    Raises:
        FeatureNotSupported: It has a temporal join.
        PgError: There is no such view, it is not maintained, or a transaction is open.
    """
    if state.transaction.is_open:
        raise ActiveTransaction("CHECK MATERIALIZED VIEW cannot run inside a transaction block")
    catalog: Catalog = state.worker.catalog
    view = get_materialized_view(state, catalog, statement.name)
    if is_kept_only(view.query):
        raise FeatureNotSupported(
            f'materialized view "{view.name}" has a temporal join and cannot be checked',
            detail="It shows what the other side was when its rows came, which nothing but the"
            " view remembers.",
            hint="Views that read it can be.",
        )
    followed = [catalog.relations[r.source].name for r in view.readers if r.is_of_changes]
    if followed:
        state.notice(
            Notice(
                f'what "{view.name}" has seen of {", ".join(sorted(followed))} is taken as it was '
                "kept when it happened",
                detail="The view is compared with its query over that, which nothing else tells.",
            )
        )
    needs = Needs()
    needs.add(view.oid, Privilege.SELECT, (column.number for column in view.columns))
    check(state, needs)
    columns = _columns(view)
    inexact = frozenset(c.storage_name for c in view.columns if c.type.oid in _FLOATS)
    state.await_queued_writes()
    reader = state.reader
    rows: list[Row] = []
    try:
        difference = state.worker.pin_comparison(reader, view, inexact)
        shown = [
            "CASE WHEN d.w > 0 THEN 'view' ELSE 'query' END AS c1",
            "abs(d.w) AS c2",
            *(f"d.{c.storage_name} AS c{n}" for n, c in enumerate(view.columns, start=3)),
        ]
        source = f"(SELECT {', '.join(shown)} FROM ({difference}) AS d LIMIT {_ROWS_MAX})"
        with state.interruptible():
            rows += reader.rows(value_query(source, columns))
    finally:
        reader.rollback()
        reader.set_time_zone(state.settings.time_zone)
    return NearRows(columns, Near(rows))


def _columns(view: MaterializedView) -> tuple[OutputColumn, ...]:
    return (
        OutputColumn("only_in", t.VARCHAR),
        OutputColumn("times", t.INT8),
        *(OutputColumn(column.name, column.type) for column in view.columns),
    )
