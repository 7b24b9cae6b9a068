"""SELECT, VALUES and their kind: rows that the engine computes as they are fetched.

Nothing is computed twice while what it was computed from is the same: see ``server.result_cache``
and ``server.row_pages``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from catalog.errors import FeatureNotSupported
from catalog.oid import Oid
from catalog.types import BOOL, INT8, PgType
from server.execute.binding import Binding
from server.execute.point_query import PointQuery
from server.execute.row_bound import RowBound
from server.result import EngineRows, NearRows, Query, has_rows
from server.result_cache import Question, Versions
from server.row_pages import Near, Row
from server.session_state import SessionState
from server.sql.bind.result import BoundQuery, OutputColumn
from server.wire.rows import value_query

#: Up to so many rows are encoded in Python.
ROWS_SMALL_MAX: Final = 300

#: Rows with longer texts than that are not read together with others, in bytes.
_TEXT_NEAR_MAX: Final = 4096

#: A text that is declared to be no longer is not measured.
_TEXT_SHORT_MAX: Final = 100

#: A parameter that is longer is not worth to be compared.
_PARAMETER_CHARACTERS_MAX: Final = 1000


def execute_query(
    state: SessionState, binding: Binding[BoundQuery], parameters: Sequence[object]
) -> EngineRows | NearRows:
    """Return a query's rows; the engine runs nothing before the first is asked for.

    Raises:
        PgError: What it names is not there any more, or a page of rows could not be read.
    """
    binding.ready(state)
    is_open = state.transaction.is_open
    reading = binding.reading()
    if reading.point is not None and not is_open:
        near = execute_point_query(state, binding, reading.point.value(parameters))
        if near is not None:
            return near
    bound = RowBound(state.worker.rows_estimated, reading.key_of)
    query = binding.text().with_values(parameters)
    return EngineRows(
        state,
        binding.bound.columns,
        query,
        again=None if is_open else bound_again(state, binding, parameters),
        catalog_version=binding.catalog.version,
        is_small=bound.rows_at_most(binding.bound.tree) <= ROWS_SMALL_MAX,
        question=question(state, binding, query),
    )


def bound_again(
    state: SessionState, binding: Binding[BoundQuery], parameters: Sequence[object]
) -> Callable[[], Query]:
    """Return what gives a query anew whose relations were replaced; its columns must not be."""
    told = [column.type for column in binding.bound.columns]

    def again() -> Query:
        bound = binding.ready(state)
        if [column.type for column in bound.columns] != told:
            raise FeatureNotSupported("cached plan must not change result type")
        return binding.text().with_values(parameters)

    return again


def execute_point_query(
    state: SessionState, binding: Binding[BoundQuery], value: int | None
) -> NearRows | None:
    """Return the rows of a point query from those near them, if that can be done.

    Args:
        state: The session.
        binding: A point query.
        value: What it looks for.

    Raises:
        PgError: The user may not, or a page of rows could not be read.
    """
    binding.check(state)
    point, columns = binding.reading().point, binding.bound.columns
    if (
        point is None
        or value is None
        or state.transaction.is_open
        or any(column.is_named or has_rows(column.type) for column in columns)
    ):
        return None
    near = _near(state, point, columns, value)
    return None if near is None else NearRows(columns, near)


def question(
    state: SessionState, binding: Binding[BoundQuery], query: Query, form: object = None
) -> Question | None:
    """Return what the cache of results is asked for, None when it cannot know.

    Args:
        state: The session.
        binding: The query.
        query: The same as text with parameters.
        form: What the messages depend on beside the formats of the columns.
    """
    stored = binding.reading().stored
    sql, parameters = query
    if (
        stored is None
        or state.transaction.is_open
        or binding.reads_system
        or binding.bound.is_volatile
        # What OIDs are called depends on the search path.
        or any(column.is_named for column in binding.bound.columns)
    ):
        return None
    values = tuple(map(repr, parameters))
    if any(len(value) > _PARAMETER_CHARACTERS_MAX for value in values):
        return None
    # Types that the engine has one for, as json and jsonb, have images of their own.
    shape = binding.shape()
    key = (state.worker.identity, sql, values, shape, form, state.settings.rendering)
    return Question(state.sessions.results, key, _versions(state, stored))


def _versions(state: SessionState, stored: Sequence[Oid]) -> Callable[[], Versions]:
    worker = state.worker
    return lambda: worker.changed_at(stored)


def _may_be_long(pg_type: PgType) -> bool:
    if pg_type.length is not None:
        return pg_type.length > _TEXT_SHORT_MAX
    return pg_type.size < 0 and pg_type.category != "N"


def _near(
    state: SessionState, point: PointQuery, columns: tuple[OutputColumn, ...], value: int
) -> Near | None:
    is_long = {
        name: f"coalesce(strlen(CAST({name} AS VARCHAR)) > {_TEXT_NEAR_MAX}, false)"
        for name, column in zip(point.columns, columns, strict=True)
        if _may_be_long(column.type)
    }

    def read(first: int, last: int, rows_max: int) -> Sequence[Row] | None:
        # Values that are long are not fetched with all others near them.
        asked = [
            f"CASE WHEN {is_long[name]} THEN NULL ELSE {name} END" if name in is_long else name
            for name in point.columns
        ]
        flag = " OR ".join(dict.fromkeys(is_long.values())) or "false"
        items = enumerate((*asked, flag, point.column), start=1)
        source = (
            f"(SELECT {', '.join(f'{item} AS c{number}' for number, item in items)}"
            f" FROM r{point.oid}"
            f" WHERE {point.column} BETWEEN {first} AND {last} LIMIT {rows_max})"
        )
        more = (replace(columns[0], type=BOOL), replace(columns[0], type=INT8))
        with state.interruptible():
            rows = state.reader.rows(value_query(source, (*columns, *more)))
        if any(row[-2] for row in rows):
            return None
        return [(*row[:-2], row[-1]) for row in rows]

    key = (
        state.worker.identity,
        point.oid,
        point.column,
        point.columns,
        state.settings.rendering,
    )
    return state.sessions.pages.find(key, value, _versions(state, (point.oid,)), read)
