"""What a maintained query reads in the place of sources and changelogs: what came to it of them."""

from __future__ import annotations

from sqlglot import exp

from catalog.change_reader import changed_relation, last_number
from catalog.relation import MaterializedView, Source, SourceReader, Table, storage_name
from catalog.state import Catalog
from catalog.watermark import watermark_name
from server.session_state import SessionState
from server.sql.bind.result import BoundQuery


def follows_changes(query: exp.Expr) -> bool:
    """Whether a bound query reads the changelog of a relation."""
    return any(changed_relation(table.name) is not None for table in query.find_all(exp.Table))


def with_readers(
    state: SessionState, catalog: Catalog, bound: BoundQuery
) -> tuple[exp.Expr, tuple[SourceReader, ...]]:
    """Return a query over what keeps the rows of its sources and changelogs, and what does so.

    Args:
        state: The session.
        catalog: What the query was bound to; plain views are put into it.
        bound: The query.
    """
    new_oid = state.manager.allocate_oid
    sources = [r for r in catalog.beneath(bound.depends_on) if isinstance(r, Source)]
    readers = [SourceReader(s.oid, new_oid(), s.next_number - 1) for s in sources]
    names = {storage_name(r.source): storage_name(r.oid) for r in readers}
    names |= {watermark_name(r.source): watermark_name(r.oid) for r in readers}
    read = {table.name for table in bound.tree.find_all(exp.Table)}
    for name in sorted(read):
        if (oid := changed_relation(name)) is not None:
            relation = catalog.relations[oid]
            assert isinstance(relation, Table | MaterializedView), relation
            is_beside = storage_name(oid) in read
            reader = SourceReader(
                oid, new_oid(), last_number(relation), is_of_changes=True, is_beside=is_beside
            )
            readers.append(reader)
            names[name] = storage_name(reader.oid)
    if not readers:
        return bound.tree, ()
    tree = bound.tree.copy()
    for table in tree.find_all(exp.Table):
        if table.name in names:
            table.set("this", exp.to_identifier(names[table.name]))
    return tree, tuple(readers)
