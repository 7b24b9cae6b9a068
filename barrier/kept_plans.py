"""The connection that epochs are written through: what it keeps from one to the next.

Most of a small epoch's time is planning. The engine keeps the plan of a prepared statement only
when its optimizer did not touch it, since what that does depends on statistics. So statements that
need no optimizer are prepared without it, and the temporary tables that they read are emptied and
filled, not made anew. Whatever is made or dropped has the engine plan anew, at every execution,
what was prepared before: so that is prepared again, when it is run for the second time since, or
when there is nothing else to do. A temporary table of many rows is dropped then, or some epochs
later at the latest: it would take memory until as large a change came again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Protocol, Self

#: So many plans are kept; the ones that were not asked for longest go.
_PLANS_MAX: Final = 4096

#: So many rows a temporary table has seen, and so many times those that it is to hold now, before
#: it is made anew: rows that were deleted stay in it, and have to be passed over.
_ROWS_MAX: Final = 20_000
_FILLS_MAX: Final = 10

#: After so many transactions a temporary table with as many rows is dropped even before the next.
_LINGERS_MAX: Final = 8

#: What was not run in so many of the last transactions is not prepared ahead.
_RECENT: Final = 64

#: A statement after which the engine trusts no plan that it has made before.
_MADE: Final = re.compile(r"(?:CREATE|ALTER|DROP) ")

#: A statement of another connection after which it does not: temporary tables are each one's own,
#: and staging tables in another database.
_MADE_FOR_ALL: Final = re.compile(
    r"(?:CREATE|ALTER|DROP) (?!(?:OR REPLACE )?TEMP|TABLE (?:IF EXISTS )?staging\.|VIEW temp\.)"
)

#: A statement that makes or drops a temporary table, and which.
_TEMPORARY: Final = re.compile(
    r"(?:CREATE OR REPLACE TEMP(?:ORARY)? TABLE|DROP TABLE IF EXISTS) (\w+)"
)


class Planning(Enum):
    """How the engine plans a statement."""

    #: By its optimizer, every time.
    OPTIMIZED = auto()
    #: As it is written, every time: for texts that do not come again.
    AS_WRITTEN = auto()
    #: As it is written, once.
    KEPT = auto()


def is_made_for_all(sql: str) -> bool:
    """Whether a statement of another connection has the engine forget plans of this one."""
    return _MADE_FOR_ALL.match(sql) is not None


class Connection(Protocol):
    """What is asked of the engine's connection."""

    @property
    def description(self) -> Sequence[object] | None:
        """The columns of the result."""
        ...

    def execute(self, query: str, parameters: Sequence[object] = ..., /) -> Self:
        """Run a statement."""
        ...

    def fetchone(self) -> tuple[object, ...] | None:
        """Return the next row."""
        ...


@dataclass
class _Temporary:
    """A temporary table that is there.

    Attributes:
        shape: The query that it has its columns from; another way to do an epoch may have others.
        seen: How many rows it has been given since it was made.
        rows: How many it was given last.
    """

    shape: str
    seen: int = 0
    rows: int = 0

    def add(self, rows: int) -> None:
        """Take note of rows that replaced those before."""
        self.seen += rows
        self.rows = rows

    @property
    def is_worn(self) -> bool:
        """Whether passing over the deleted rows takes too long."""
        return self.seen > max(_ROWS_MAX, _FILLS_MAX * self.rows)


@dataclass
class _Plan:
    """A statement whose plan is kept.

    Attributes:
        name: What it is prepared as.
        generation: What had been made when it was prepared; None: it is not.
        tried: What had been made when it was run as it is written, instead.
        used_in: The last transaction that ran it.
        time_zone: Whose times it has.
    """

    name: str
    generation: int | None = None
    tried: int | None = None
    used_in: int = 0
    time_zone: str = "UTC"


class Writer:
    """A connection that plans its statements in several ways."""

    def __init__(self, connection: Connection) -> None:
        """Take over a connection on which nothing was prepared and the optimizer is on."""
        self._connection = connection
        self._plans: OrderedDict[str, _Plan] = OrderedDict()
        self._named = 0
        self._optimizes: bool | None = True
        self._time_zone = "UTC"
        #: Counts what was made and dropped: what was prepared before is prepared again.
        self._generation = 0
        self._generation_at_begin = 0
        self._transactions = 0
        #: What had been made when nothing was left to prepare ahead; None: there may be more.
        self._all_prepared_at: int | None = None
        #: Whether others have made or dropped something since the last BEGIN.
        self._is_disturbed = False
        self._temporaries: dict[str, _Temporary] = {}
        #: Temporary tables of many rows, and the transaction that filled them.
        self._large: dict[str, int] = {}

    def set_time_zone(self, name: str) -> None:
        """Set the zone of times with zone; plans that are kept stay in that they were made in."""
        if name != self._time_zone:
            self._connection.execute("SET TimeZone = '" + name.replace("'", "''") + "'")
            self._time_zone = name

    def begin(self) -> None:
        """Begin a transaction."""
        is_disturbed, self._is_disturbed = self._is_disturbed, False
        for name, filled_in in list(self._large.items()):
            if filled_in + _LINGERS_MAX <= self._transactions:
                self._drop(name)
        self._connection.execute("BEGIN")
        self._transactions += 1
        self._heed(is_disturbed=is_disturbed)

    def prepare_ahead(self) -> bool:
        """Prepare one of the statements that were run lately and will have to be planned again.

        Before that large temporary tables are dropped. Outside of transactions only.

        Returns:
            Whether there was one, or such a table.
        """
        for name in self._large:
            self._drop(name)
            return True
        is_disturbed, self._is_disturbed = self._is_disturbed, False
        self._heed(is_disturbed=is_disturbed)
        if self._all_prepared_at == self._generation:
            return False
        for sql, plan in reversed(self._plans.items()):
            if plan.used_in + _RECENT < self._transactions:
                break
            if plan.generation != self._generation:
                self.set_time_zone(plan.time_zone)
                try:
                    self._prepare(sql, plan)
                except BaseException:  # What it reads is gone; or nobody knows what is the matter.
                    del self._plans[sql]
                    raise
                return True
        self._all_prepared_at = self._generation
        return False

    def disturb(self) -> None:
        """Take note that another connection has made or dropped something; any thread may."""
        self._is_disturbed = True

    def number(
        self, sql: str, planning: Planning = Planning.OPTIMIZED, given: Sequence[object] = ()
    ) -> int:
        """Run a statement and return the number that it gives; 0 for none and for NULL.

        Args:
            sql: The statement.
            planning: How it is planned.
            given: Its parameters; of one whose plan is kept, whole numbers.
        """
        made = None
        if planning is Planning.KEPT and (execution := self._execution(sql, given)) is not None:
            sql, given = execution, ()
        else:
            self._optimize(wanted=planning is Planning.OPTIMIZED)
            if _MADE.match(sql) is not None:
                self._generation += 1
                if (made := _TEMPORARY.match(sql)) is not None:
                    self._temporaries.pop(made[1], None)
        result = self._connection.execute(sql, given) if given else self._connection.execute(sql)
        found = result.fetchone() if result.description else None
        number = int(found[0]) if found and isinstance(found[0], int) else 0
        if made is not None:
            self._weigh(made[1], number)
        return number

    def row(self, sql: str) -> tuple[object, ...] | None:
        """Return the first row of a query, or None."""
        self._optimize(wanted=True)
        found: tuple[object, ...] | None = self._connection.execute(sql).fetchone()
        return found

    def fill(
        self,
        name: str,
        query: str,
        like: str | None,
        planning: Planning,
        given: Sequence[object] = (),
    ) -> int:
        """Give a temporary table new rows, and make it first if it is not there.

        Args:
            name: The table.
            query: The rows, with the table's column names.
            like: A query whose columns the table shall have; None: it has those of ``query``.
            planning: How the query is planned.
            given: Its parameters.

        Returns:
            How many rows there are.
        """
        shape, table = like or query, self._temporaries.get(name)
        if table is None or table.shape != shape or table.is_worn:
            table = _Temporary(shape)
            if like is None:
                # The engine keeps no plan of what makes a table.
                once = Planning.AS_WRITTEN if planning is Planning.KEPT else planning
                rows = self.number(_made(name, query), once, given)
                table.add(rows)
                self._temporaries[name] = table
                return rows
            self.number(_made(name, f"{like} LIMIT 0"), Planning.AS_WRITTEN)
            self._temporaries[name] = table
        else:  # Even after no rows: others may have been added since.
            self.number(f"DELETE FROM {name}", Planning.KEPT)
        rows = self.number(f"INSERT INTO {name} BY NAME {query}", planning, given)
        table.add(rows)
        self._weigh(name, max(rows, table.seen))
        return rows

    def forget(self) -> None:
        """Forget what temporary tables there are: they are made anew when next they are filled."""
        self._temporaries.clear()
        self._generation += 1

    def lost(self) -> None:
        """Take note that a transaction is gone, with what it made."""
        self.forget()
        self._large.clear()
        self._optimizes = None

    def _weigh(self, name: str, rows: int) -> None:
        """Take note of how many rows a temporary table has, those counted that were deleted."""
        if rows >= _ROWS_MAX:
            self._large[name] = self._transactions
        else:
            self._large.pop(name, None)

    def _drop(self, name: str) -> None:
        """Drop a temporary table of which nothing is needed any more."""
        del self._large[name]
        self.number(f"DROP TABLE IF EXISTS temp.{name}")
        self._temporaries.pop(name, None)

    def _execution(self, sql: str, given: Sequence[object]) -> str | None:
        """Return what runs a statement by its kept plan; None: it is run as it is written.

        It may be that what was made is followed by more, as in scripts that make a table, fill it
        and make the next: so the first time since, it is not prepared.
        """
        plan = self._plans.get(sql)
        if plan is None:
            self._named += 1
            plan = self._plans[sql] = _Plan(f"kept{self._named}")
            if len(self._plans) > _PLANS_MAX:
                _, oldest = self._plans.popitem(last=False)
                if oldest.generation is not None:
                    self._connection.execute(f"DEALLOCATE {oldest.name}")
        else:
            self._plans.move_to_end(sql)
        plan.used_in, plan.time_zone = self._transactions, self._time_zone
        if plan.generation != self._generation:
            if plan.tried != self._generation:
                plan.tried, self._all_prepared_at = self._generation, None
                return None
            self._prepare(sql, plan)
        values = f"({', '.join(map(str, given))})" if given else ""
        return f"EXECUTE {plan.name}{values}"

    def _prepare(self, sql: str, plan: _Plan) -> None:
        """Have the engine keep the plan of a statement as it is written."""
        self._optimize(wanted=False)
        self._connection.execute(f"PREPARE {plan.name} AS {sql}")
        plan.generation = self._generation

    def _heed(self, *, is_disturbed: bool) -> None:
        """Take note that what was made before is all there is, for this connection and others."""
        if is_disturbed or self._generation != self._generation_at_begin:
            # What the last transaction made was its own until it was committed.
            self._generation += 1
            self._generation_at_begin = self._generation

    def _optimize(self, *, wanted: bool) -> None:
        if self._optimizes is not wanted:
            self._connection.execute(f"SET SESSION enable_optimizer = {str(wanted).lower()}")
            self._optimizes = wanted


def _made(name: str, query: str) -> str:
    return f"CREATE OR REPLACE TEMP TABLE {name} AS {query}"
