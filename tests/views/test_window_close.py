"""EMIT ON WINDOW CLOSE: after every epoch a view shows what the watermark has closed, for good.

What it must show is worked out here in Python, from the rows that came and when: which of them were
late, how far time has come, and of each query what can no longer change. A failing seed is replayed
by ``pytest tests/views/test_window_close.py -k 'seed-17'``.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.seeds import seeds
from tests.support.server import Address, Connection

SEEDS = 1
STEPS = 16
DELAY = 10
TIMESTAMP = 1114

Row = tuple[int | None, int, int]  #: Time in minutes, a group, a value.
Shown = list[tuple[Any, ...]]


@dataclass
class Stream:
    """What has come into one table."""

    rows: list[Row] = field(default_factory=list)
    watermark: int | None = None

    def insert(self, rows: list[Row]) -> None:
        """Take the rows that are not late; time moves on at the end."""
        self.rows += [
            r for r in rows if r[0] is None or self.watermark is None or r[0] >= self.watermark
        ]
        times = [t - DELAY for t, *_ in self.rows if t is not None]
        self.watermark = max(times, default=None)

    def timely(self) -> list[Any]:
        """Return the rows whose time has passed, in their order."""
        return sorted(r for r in self.rows if r[0] is not None and self.has_passed(r[0]))

    def has_passed(self, time: int) -> bool:
        return self.watermark is not None and time < self.watermark

    def is_over(self, end: int) -> bool:
        """Whether a window that ends then has closed."""
        return self.watermark is not None and end <= self.watermark


def tumbling(s: Stream, _: Stream) -> Shown:
    windows: dict[int, list[int]] = defaultdict(list)
    for t, _g, v in s.rows:
        if t is not None:
            windows[t // 60 * 60].append(v)
    return [(w, len(vs), sum(vs)) for w, vs in windows.items() if s.is_over(w + 60)]


def hopping(s: Stream, _: Stream) -> Shown:
    windows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for t, g, v in s.rows:
        if t is not None:
            for n in range(3):
                windows[t // 20 * 20 - n * 20, g].append(v)
    return [(w, g, max(vs)) for (w, g), vs in windows.items() if s.is_over(w + 60)]


def by_hours(s: Stream, _: Stream) -> Shown:
    """Over the tumbling view: as far as that has come, which is where the watermark is."""
    hours: dict[int, int] = defaultdict(int)
    for w, n, _sum in tumbling(s, s):
        hours[w // 180 * 180] += n
    return [(h, n) for h, n in hours.items() if s.is_over(h + 180)]


def plain(s: Stream, _: Stream) -> Shown:
    return [(t, v) for t, _, v in s.timely()]


def different(s: Stream, _: Stream) -> Shown:
    return list(dict.fromkeys((t, g) for t, g, _ in s.timely()))


def numbered(s: Stream, _: Stream) -> Shown:
    groups: dict[int, int] = defaultdict(int)
    shown: Shown = []
    for t, g, v in s.timely():
        groups[g] += 1
        shown.append((t, g, v, groups[g]))
    return shown


def framed(s: Stream, _: Stream) -> Shown:
    """Two rows must follow in the partition."""
    groups: dict[int, list[Row]] = defaultdict(list)
    for row in s.timely():
        groups[row[1]].append(row)
    return [
        (t, g, v, rows[i + 2][2], sum(r[2] for r in rows[max(0, i - 1) : i + 2]))
        for rows in groups.values()
        for i, (t, g, v) in enumerate(rows)
        if i + 2 < len(rows)
    ]


def in_sessions(s: Stream, _: Stream) -> Shown:
    """Another session must have begun in the partition."""
    groups: dict[int, list[list[Row]]] = defaultdict(list)
    for t, g, v in s.timely():
        sessions = groups[g]
        if not sessions or t >= (sessions[-1][-1][0] or 0) + 20:
            sessions.append([])
        sessions[-1].append((t, g, v))
    return [
        (t, g, v, session[0][0], len(session))
        for sessions in groups.values()
        for session in sessions[:-1]
        for t, g, v in session
    ]


def within_reach(s: Stream, _: Stream) -> Shown:
    """A frame of time has ended when the watermark has passed its end."""
    rows = s.timely()
    return [
        (t, v, sum(r[2] for r in rows if r[1] == g and t <= r[0] <= t + 30))
        for t, g, v in rows
        if s.has_passed(t + 30)
    ]


def first_of_each(s: Stream, _: Stream) -> Shown:
    windows: dict[int, list[int]] = defaultdict(list)
    for t, _g, v in s.rows:
        if t is not None:
            windows[t // 60 * 60].append(v)
    return [(w, min(vs)) for w, vs in windows.items() if s.is_over(w + 60)]


def paired(s: Stream, u: Stream) -> Shown:
    """Joined by time: as far as both have come."""
    return [
        (t, v, w)
        for t, _, v in s.rows
        for x, _, w in u.rows
        if t is not None and t == x and s.has_passed(t) and u.has_passed(t)
    ]


def near(s: Stream, u: Stream) -> Shown:
    return [
        (t, x, v, w)
        for t, _, v in s.rows
        for x, _, w in u.rows
        if t is not None and x is not None and x - 15 <= t <= x + 15
        if s.has_passed(t) and u.has_passed(t + 15)
    ]


def together(s: Stream, u: Stream) -> Shown:
    rows = [*s.rows, *u.rows]
    return [(t, v) for t, _, v in rows if t is not None and s.has_passed(t) and u.has_passed(t)]


#: By name what a view shows; times become minutes again when they are read.
VIEWS: dict[str, tuple[str, Callable[[Stream, Stream], Shown]]] = {
    "tumbling": (
        (
            "SELECT window_start AS w, count(*), sum(v) FROM tumble(s, t, interval '1 hour')"
            " GROUP BY window_start"
        ),
        tumbling,
    ),
    "by_hours": (
        "SELECT date_bin('3 hours', w, '1970-01-01'), sum(count)::int FROM tumbling GROUP BY 1",
        by_hours,
    ),
    "hopping": (
        (
            "SELECT window_start, g, max(v) FROM"
            " hop(s, t, interval '20 minutes', interval '1 hour') GROUP BY g, window_start"
        ),
        hopping,
    ),
    "plain": ("SELECT t, v FROM s", plain),
    "different": ("SELECT DISTINCT t, g FROM s", different),
    "numbered": (
        "SELECT t, g, v, row_number() OVER (PARTITION BY g ORDER BY t) FROM s",
        numbered,
    ),
    "framed": (
        (
            "SELECT t, g, v, lead(v, 2) OVER w, sum(v) OVER"
            " (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM s WINDOW w AS"
            " (PARTITION BY g ORDER BY t)"
        ),
        framed,
    ),
    "in_sessions": (
        (
            "SELECT t, g, v, first_value(t) OVER w AS f, count(*) OVER w FROM s"
            " WINDOW w AS (PARTITION BY g ORDER BY t SESSION WITH GAP '20 minutes')"
        ),
        in_sessions,
    ),
    "within_reach": (
        (
            "SELECT t, v, sum(v) OVER (PARTITION BY g ORDER BY t RANGE BETWEEN CURRENT ROW AND"
            " interval '30 minutes' FOLLOWING) FROM s"
        ),
        within_reach,
    ),
    "first_of_each": (
        (
            "SELECT window_start, v FROM (SELECT *, row_number() OVER (PARTITION BY window_start"
            " ORDER BY v) AS n FROM tumble(s, t, interval '1 hour')) AS numbered WHERE n = 1"
        ),
        first_of_each,
    ),
    "paired": ("SELECT s.t, s.v, u.v AS w FROM s JOIN u ON s.t = u.t", paired),
    "near": (
        (
            "SELECT s.t, u.t AS x, s.v, u.v AS w FROM s JOIN u ON s.t BETWEEN"
            " u.t - interval '15 minutes' AND u.t + interval '15 minutes'"
        ),
        near,
    ),
    "together": ("SELECT t, v FROM s UNION ALL SELECT t, v FROM u", together),
}

_MINUTES = "(extract(epoch FROM {0}) / 60)::int"


@dataclass
class Story:
    """One seed: what is done, and what is shown after each epoch."""

    seed: int
    connection: Connection
    streams: dict[str, Stream] = field(default_factory=lambda: {"s": Stream(), "u": Stream()})
    shown: dict[str, Counter[tuple[Any, ...]]] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)

    def run(self) -> None:
        self.random = random.Random(self.seed)
        for name in self.streams:
            self._do(
                f"CREATE TABLE {name} (t timestamp, g int, v int,"
                f" WATERMARK FOR t AS t - interval '{DELAY} minutes') APPEND ONLY"
            )
        waiting = list(VIEWS)
        # Some are there from the start, the others are filled from what has come.
        for name in waiting[: self.random.randint(3, 8)]:
            self._create(name)
        self.time = 60
        for _ in range(STEPS):
            left = [name for name in waiting if name not in self.shown]
            if left and self.random.random() < 0.4:
                self._create(left[0])
            self._step()
            self._compare()
        for name in sorted(self.paused):
            self._do(f"ALTER MATERIALIZED VIEW {name} RESUME")
        self.paused.clear()
        for name in self.shown:
            self._await(name)
        self._compare()

    def _step(self) -> None:
        draw = self.random.random()
        if draw < 0.1 and self.shown:
            name = self.random.choice(sorted(self.shown))
            if name in self.paused:
                self._do(f"ALTER MATERIALIZED VIEW {name} RESUME")
                self.paused.discard(name)
                self._await(name)
            elif name != "tumbling":  # Which another view reads, that would stand still with it.
                self._do(f"ALTER MATERIALIZED VIEW {name} PAUSE")
                self.paused.add(name)
            return
        for name in ("s", "u") if draw < 0.4 else ("s",):
            self._insert(name)

    def _insert(self, name: str) -> None:
        self.time += self.random.choice((0, 3, 15, 70))
        rows: list[Row] = [
            (
                None if self.random.random() < 0.05 else self.time + self.random.randint(-25, 5),
                self.random.randint(1, 2),
                self.random.randint(0, 9),
            )
            for _ in range(self.random.randint(1, 6))
        ]
        values = ", ".join(
            f"({'NULL' if t is None else f'to_timestamp({t * 60})::timestamp'}, {g}, {v})"
            for t, g, v in rows
        )
        self._do(f"INSERT INTO {name} VALUES {values}")
        self.streams[name].insert(rows)

    def _create(self, name: str) -> None:
        query, _ = VIEWS[name]
        self._do(f"CREATE MATERIALIZED VIEW {name} AS {query} EMIT ON WINDOW CLOSE")
        self.shown[name] = Counter()

    def _await(self, name: str) -> None:
        """Let a view that goes on catch up, which takes it some epochs."""
        for _ in range(300):
            if self._now(name) == self._expected(name):
                return
            self._do("FLUSH")

    def _compare(self) -> None:
        for name, before in self.shown.items():
            assert self._rows(f"CHECK MATERIALIZED VIEW {name}") == [], (self.seed, name)
            if name in self.paused:
                continue
            now, expected = self._now(name), self._expected(name)
            assert now == expected, (self.seed, name, now - expected, expected - now)
            assert before <= now, (self.seed, name, "what was emitted has changed", before - now)
            self.shown[name] = now

    def _now(self, name: str) -> Counter[tuple[Any, ...]]:
        cursor = self.connection.execute(f"SELECT * FROM {name} LIMIT 0".encode())
        assert cursor.description is not None
        columns = [
            _MINUTES.format(f'"{c.name}"') if c.type_code == TIMESTAMP else f'"{c.name}"'
            for c in cursor.description
        ]
        return Counter(self._rows(f"SELECT {', '.join(columns)} FROM {name}"))

    def _expected(self, name: str) -> Counter[tuple[Any, ...]]:
        return Counter(VIEWS[name][1](self.streams["s"], self.streams["u"]))

    def _do(self, statement: str) -> None:
        self.connection.execute(statement.encode())

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode()).fetchall()


@pytest.fixture
def connection(database: Address) -> Iterator[Connection]:
    with database.connect(autocommit=True) as opened:
        yield opened


@pytest.mark.parametrize("seed", seeds(SEEDS, 60))
def test_a_view_shows_what_is_closed_and_that_stays(connection: Connection, seed: int) -> None:
    Story(seed, connection).run()
