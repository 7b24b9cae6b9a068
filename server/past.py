"""What stored relations were at earlier times, for the queries of a session."""

from __future__ import annotations

from typing import Protocol

import sqlglot
from sqlglot import exp

from barrier.store import Reader
from barrier.worker import BarrierWorker
from catalog.errors import InvalidParameterValue
from catalog.oid import Oid
from server.execute.engine_sql import engine_text
from server.sql.bind.bind_query import bind_query
from server.sql.bind.context import BindContext
from server.sql.parse import parse_expression


class Session(Protocol):
    """What is asked of a session."""

    @property
    def reader(self) -> Reader:
        """Its connection."""
        ...

    @property
    def worker(self) -> BarrierWorker:
        """Its database."""
        ...

    def now_ms(self) -> int:
        """The wall clock, in milliseconds since 1970."""
        ...


def earlier(
    session: Session, context: BindContext, oid: Oid, time: exp.Expr, position: int | None
) -> exp.Expr | None:
    """Return the query for the rows of a stored relation as of a time; None: they are those of now.

    Args:
        session: Whose query it is.
        context: What the time is bound against.
        oid: The relation.
        time: Seconds since 1970, or a time with time zone.
        position: Where the query says so.

    Raises:
        ObjectNotInPrerequisiteState: What has changed since then is not kept.
        PgError: It is no time.
    """
    now_ms = session.now_ms()
    if isinstance(time, exp.Literal) and not time.is_string:
        try:
            then_ms = int(float(time.name) * 1000)
        except (ValueError, OverflowError):
            raise InvalidParameterValue(
                f"invalid time {time.name}: seconds since 1970 are wanted", position=position
            ) from None
    else:
        seconds = parse_expression("extract(epoch FROM CAST(moment AS timestamptz))")
        for column in list(seconds.find_all(exp.Column)):
            column.replace(exp.Paren(this=time.copy()) if isinstance(time, exp.Binary) else time)
        bound = bind_query(exp.select(seconds), context)
        ((found,),) = session.reader.rows(*engine_text(bound.tree).with_values(()))
        if found is None:
            raise InvalidParameterValue("the time of a query must not be NULL", position=position)
        then_ms = int(float(str(found)) * 1000)
    if then_ms >= now_ms:
        return None
    query = session.worker.changes.earlier(oid, then_ms, now_ms)
    return exp.Subquery(this=sqlglot.parse_one(query, read="duckdb"))
