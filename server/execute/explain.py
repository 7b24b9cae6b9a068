"""EXPLAIN: of a query the engine's plan in the user's names, of a view how it is maintained."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from catalog.change import CreateRelation
from catalog.definition import index_key
from catalog.errors import FeatureNotSupported
from catalog.oid import Oid
from catalog.relation import ROW_ID, MaterializedView, Relation, Table, storage_name
from catalog.state import Catalog, apply
from catalog.types import JSON, TEXT
from server.execute.binding import Binding
from server.execute.ddl import bound_for_view, described_table
from server.execute.dml import BoundWrite, WriteBinding, verb_of
from server.execute.engine_sql import EngineSql, engine_sql, engine_text, with_rows
from server.execute.index import described_index
from server.execute.latest import while_outdated
from server.execute.names import get_materialized_view
from server.execute.permission import check
from server.execute.plan_json import plan_json
from server.execute.streaming import planned_view
from server.result import PythonRows
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.result import (
    BoundInsert,
    BoundQuery,
    BoundStep,
    BoundWriting,
    OutputColumn,
)
from server.sql.index_statement import CreateIndex

EXPLAIN_COLUMNS: Final = (OutputColumn("QUERY PLAN", TEXT),)
_JSON_COLUMNS: Final = (OutputColumn("QUERY PLAN", JSON),)


def explain_columns(statement: s.Explain) -> tuple[OutputColumn, ...]:
    """Return the columns of EXPLAIN."""
    return _JSON_COLUMNS if statement.format == "json" else EXPLAIN_COLUMNS


_STORED: Final = re.compile(r"\b(?:memory\.|main\.)*r(\d+)\b")
_ALIASED: Final = re.compile(r"\bt\d+\.")


def explain_query(
    state: SessionState,
    binding: Binding[BoundQuery],
    parameters: Sequence[object],
    *,
    statement: s.Explain,
) -> PythonRows:
    """Return the engine's plan of a query; with ANALYZE it is run."""
    plan = _engine_plan_json if statement.format == "json" else _engine_plan

    def explain() -> PythonRows:
        query = engine_sql(binding.ready(state).tree, parameters)
        return plan(state, binding.catalog, query, is_analyze=statement.is_analyze)

    return while_outdated(state, explain)


def explain_write(
    state: SessionState, binding: WriteBinding, parameters: Sequence[object]
) -> PythonRows:
    """Return the engine's plan of the query that evaluates a write; nothing is written."""

    def explain() -> PythonRows:
        binding.ready(state)
        query = binding.text().with_values(parameters)
        return _engine_plan(state, binding.catalog, query, is_analyze=False)

    rows, bound = while_outdated(state, explain), binding.bound
    verb = type(bound).__name__.removeprefix("Bound").upper()
    head = [(f"{verb} {bound.table.schema}.{bound.table.name}",)]
    return PythonRows(EXPLAIN_COLUMNS, [*head, *rows.rows], "EXPLAIN")


def explain_writing(
    state: SessionState, binding: Binding[BoundWriting], parameters: Sequence[object]
) -> PythonRows:
    """Return the plans of the queries that evaluate a statement with others in WITH that write.

    Nothing is written, so that nothing is known of how many rows the others give.
    """
    made: dict[str, BoundStep] = {}

    def explain() -> list[str]:
        whole = binding.ready(state)
        lines: list[str] = []
        for step in whole.steps:
            lines += [f"WITH {step.name}: {_verb(step.bound)}"]
            query = _step_query(step.bound, made, parameters)
            lines += _step_plan(state, binding.catalog, query, made)
            staging = state.manager.allocate_name()
            if (rows := _no_rows(step.bound, staging, query)) is not None:
                with state.interruptible():
                    state.reader.run(*rows)
                made[staging] = step
        query = _step_query(whole.main, made, parameters)
        return [*lines, _verb(whole.main), *_step_plan(state, binding.catalog, query, made)]

    try:
        lines = while_outdated(state, explain)
    finally:
        state.drop_staging(list(made))
    return PythonRows(EXPLAIN_COLUMNS, [(line,) for line in lines], "EXPLAIN")


def _verb(bound: BoundQuery | BoundWrite) -> str:
    if isinstance(bound, BoundQuery):
        return "SELECT"
    return f"{verb_of(bound)} {bound.table.schema}.{bound.table.name}"


def _step_query(
    bound: BoundQuery | BoundWrite, made: Mapping[str, BoundStep], parameters: Sequence[object]
) -> EngineSql:
    """Return what evaluates a part, which reads what is made for those before it."""
    tree = bound.tree
    for staging, step in made.items():
        tree = with_rows(tree, step.item, staging)
    constants = bound.constants if isinstance(bound, BoundInsert) else ()
    return engine_text(tree, constants).with_values(parameters)


def _step_plan(
    state: SessionState, catalog: Catalog, query: EngineSql, made: Mapping[str, BoundStep]
) -> list[str]:
    text = _named(_explained(state, "EXPLAIN", query), catalog)
    for staging, step in made.items():
        shown = re.compile(rf"\b(?:staging\.|main\.)*{staging.partition('.')[2]}\b")
        # The plan is drawn with boxes, which keep their width.
        text = shown.sub(partial(_padded, step.name), text)
    return text.rstrip("\n").split("\n")


def _padded(name: str, found: re.Match[str]) -> str:
    return name.ljust(len(found[0]))


def _no_rows(
    bound: BoundQuery | BoundWrite, staging: str, query: EngineSql
) -> tuple[str, Sequence[object]] | None:
    """Return what makes a table for the rows of a part and leaves it empty; None if it has none."""
    if isinstance(bound, BoundQuery):
        sql, values = query
        return f"CREATE TABLE {staging} AS {sql} WITH NO DATA", values
    if bound.returning is None:
        return None
    types = (column.type.duckdb for column in bound.returning.columns)
    columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(types, 1))
    return f"CREATE TABLE {staging} ({columns})", ()


def explain_view(
    state: SessionState, statement: s.CreateMaterializedView, *, is_verbose: bool
) -> PythonRows:
    """Return how a view would be maintained; nothing is created, so its name may be taken."""
    catalog = state.worker.catalog
    view = planned_view(state, catalog, statement)
    # No name that can be written is empty.
    planned = apply(catalog, CreateRelation(replace(view, name="")))
    return _view_plan(state, view, planned, is_verbose=is_verbose)


def explain_materialized_view(
    state: SessionState, statement: s.ExplainMaterializedView
) -> PythonRows:
    """Return how a view that is there is maintained.

    Raises:
        PgError: There is no such view.
    """
    catalog = state.worker.catalog
    view = get_materialized_view(state, catalog, statement.name)
    return _view_plan(state, view, catalog, is_verbose=statement.is_verbose)


def _view_plan(
    state: SessionState, view: MaterializedView, catalog: Catalog, *, is_verbose: bool
) -> PythonRows:
    relations: dict[Oid, Relation] = {**catalog.relations, **catalog.readers}
    names = {
        oid: r.name if r.schema == "public" else f"{r.schema}.{r.name}"
        for oid, r in relations.items()
    }
    names[view.oid] = view.name
    columns = {oid: {c.storage_name: c.name for c in r.columns} for oid, r in relations.items()}
    lines = state.worker.plan(view, catalog).explain(
        is_verbose=is_verbose, names=names, columns=columns
    )
    return PythonRows(EXPLAIN_COLUMNS, [(line,) for line in lines], "EXPLAIN")


def explain_definition(state: SessionState, query: s.CreateView | s.CreateTable) -> PythonRows:
    """Return the engine's plan of the query in CREATE VIEW or CREATE TABLE AS.

    A table without a query is only described: which rows it will have, and what tells them apart.
    """
    catalog = state.worker.catalog
    if query.query is None:
        assert isinstance(query, s.CreateTable), query
        table = described_table(state, catalog, query)
        names = {column.number: column.name for column in table.columns}
        key = ", ".join(names[number] for number in table.primary_key) or ROW_ID
        columns = ", ".join(f"{c.name} {c.type.display()}" for c in table.columns)
        lines = (f"Create table {table.name} ({columns}) [key {key}]",)
        return PythonRows(EXPLAIN_COLUMNS, [(line,) for line in lines], "EXPLAIN")
    bound = bound_for_view(state, catalog, query.query, query.start)
    check(state, bound.needs, bound.tree)
    return _engine_plan(state, catalog, engine_sql(bound.tree, ()), is_analyze=False)


def explain_index(state: SessionState, statement: CreateIndex) -> PythonRows:
    """Return what an index would be of, and whether the engine would keep one for it."""
    relation, index = described_index(state, state.worker.catalog, statement)
    parts = ", ".join(index_key(relation, key) for key in index.keys)
    is_kept = isinstance(relation, Table) and bool(index.keys[0].column)
    kept = "kept by the engine" if is_kept else "described only"
    line = f"Create index {index.name} on {relation.name} ({parts}) [{kept}]"
    return PythonRows(EXPLAIN_COLUMNS, [(line,)], "EXPLAIN")


def check_explainable(statement: s.Explain) -> None:
    """Refuse what EXPLAIN cannot do.

    Raises:
        FeatureNotSupported: A format of others than queries, or ANALYZE of a write.
    """
    is_json_of_query = statement.format == "json" and isinstance(statement.statement, s.Query)
    if statement.format != "text" and not is_json_of_query:
        raise FeatureNotSupported(f"EXPLAIN format {statement.format} is not supported")
    if statement.is_analyze and not isinstance(statement.statement, s.Query):
        raise FeatureNotSupported("EXPLAIN ANALYZE is supported for queries only")


def _engine_plan(
    state: SessionState, catalog: Catalog, query: EngineSql, *, is_analyze: bool
) -> PythonRows:
    verb = "EXPLAIN ANALYZE" if is_analyze else "EXPLAIN"
    text = _explained(state, verb, query)
    lines = _named(text, catalog).rstrip("\n").split("\n")
    return PythonRows(EXPLAIN_COLUMNS, [(line,) for line in lines], "EXPLAIN")


def _engine_plan_json(
    state: SessionState, catalog: Catalog, query: EngineSql, *, is_analyze: bool
) -> PythonRows:
    verb = "EXPLAIN (ANALYZE, FORMAT JSON)" if is_analyze else "EXPLAIN (FORMAT JSON)"
    told = plan_json(_explained(state, verb, query), lambda text: _named(text, catalog))
    return PythonRows(_JSON_COLUMNS, [(told,)], "EXPLAIN")


def _explained(state: SessionState, verb: str, query: EngineSql) -> str:
    sql, parameters = query
    reader = state.reader
    with state.interruptible():
        rows = reader.rows(f"{verb} {sql}", parameters)
    return "\n".join(str(row[-1]) for row in rows)


def _named(text: str, catalog: Catalog) -> str:
    """Return a plan with the relations' names in the place of their storage's."""
    by_storage = {storage_name(oid): relation for oid, relation in catalog.relations.items()}

    def name(match: re.Match[str]) -> str:
        relation = by_storage.get(f"r{match[1]}")
        if relation is None:
            return match[0]
        shown = relation.name
        if relation.schema != "public":
            shown = f"{relation.schema}.{shown}"
        # The plan is drawn with boxes: a shorter name keeps their width.
        return shown.ljust(len(match[0]))

    return _ALIASED.sub("", _STORED.sub(name, text))
