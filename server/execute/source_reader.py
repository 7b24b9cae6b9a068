"""What a maintained query reads in the place of sources: the rows that they have brought to it."""

from __future__ import annotations

from sqlglot import exp

from catalog.relation import Source, SourceReader, storage_name
from catalog.state import Catalog
from catalog.watermark import watermark_name
from server.session_state import SessionState
from server.sql.bind.result import BoundQuery


def with_readers(
    state: SessionState, catalog: Catalog, bound: BoundQuery
) -> tuple[exp.Expr, tuple[SourceReader, ...]]:
    """Return a query over what keeps the rows of its sources, and what does for each of them.

    Args:
        state: The session.
        catalog: What the query was bound to; plain views are put into it.
        bound: The query.
    """
    sources = [r for r in catalog.beneath(bound.depends_on) if isinstance(r, Source)]
    readers = tuple(
        SourceReader(source.oid, state.manager.allocate_oid(), source.next_number - 1)
        for source in sources
    )
    if not readers:
        return bound.tree, ()
    names = {storage_name(source): storage_name(reader) for source, reader, _ in readers}
    names |= {watermark_name(source): watermark_name(reader) for source, reader, _ in readers}
    tree = bound.tree.copy()
    for table in tree.find_all(exp.Table):
        if table.name in names:
            table.set("this", exp.to_identifier(names[table.name]))
    return tree, readers
