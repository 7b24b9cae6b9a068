"""When a view goes on in its tolerant form, in which an expression that fails for a row is NULL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import sqlglot

from barrier.stream.aliases import is_kept_only
from barrier.stream.tolerant import tolerant
from catalog.errors import FeatureNotSupported, PgError
from catalog.relation import StreamingJob

#: The class of SQLSTATEs that say that some value is wrong.
_DATA_EXCEPTION: Final = "22"


def tolerant_form(
    view: StreamingJob, error: PgError, twins: Mapping[str, str]
) -> StreamingJob | None:
    """Return a view that gives NULL where an expression fails, None where that would not help.

    Args:
        view: As it is now.
        error: Why it could not be filled or stepped.
        twins: Macros that give NULL where others fail, by the others' names.
    """
    # That NaN is no integer is a feature that is not supported, to PostgreSQL.
    is_of_a_row = error.sqlstate.startswith(_DATA_EXCEPTION) or isinstance(
        error, FeatureNotSupported
    )
    if view.is_strict or not is_of_a_row:
        return None
    loosened = _loosened(view, twins)
    return None if loosened == view else loosened


def first_form(view: StreamingJob, twins: Mapping[str, str]) -> StreamingJob:
    """Return a view as it is filled first.

    One that cannot be filled again without losing what it shows is tolerant from the start.
    """
    return _loosened(view, twins) if is_kept_only(view.query) and not view.is_strict else view


def _loosened(view: StreamingJob, twins: Mapping[str, str]) -> StreamingJob:
    query = sqlglot.parse_one(view.query, read="duckdb")
    loosened = tolerant(query, twins)
    return view if loosened == query else replace(view, query=loosened.sql(dialect="duckdb"))
