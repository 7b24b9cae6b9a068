"""The views of the tour: their queries, and for each a question whose answer fits on a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class View:
    """A materialized view and how it is shown and checked."""

    name: str
    query: str
    headline: str  #: A query over the view whose first row tells what moves.
    tell: Callable[..., str]  #: Words for that row.
    keys: tuple[str, ...]  #: Columns that identify a row.
    floats: tuple[str, ...] = ()  #: Columns whose last digits depend on the order of addition.

    @property
    def create(self) -> str:
        """The statement that makes the view."""
        return f"CREATE MATERIALIZED VIEW {self.name} AS {self.query}"


def _minutes(value: Any) -> str:  # noqa: ANN401  # int, float or Decimal
    return f"{float(value):.1f} min"


VIEWS: Final = (
    View(
        "pulse",
        """
        SELECT count(*) AS flights, max(leaves) AS latest,
               sum(CASE WHEN dep_delay IS NULL THEN 1 ELSE 0 END) AS cancelled
        FROM flights
        """,
        "SELECT flights, latest, cancelled FROM pulse",
        lambda flights, latest, cancelled: (
            f"{flights:,} flights up to {latest:%b %d %H:%M}, {cancelled:,} cancelled"
        ),
        (),
    ),
    View(
        "carrier_hours",
        """
        SELECT f.carrier, a.name, f.hour, count(*) AS flights, sum(f.dep_delay) AS minutes,
               avg(f.dep_delay) AS mean, max(f.dep_delay) AS worst
        FROM flights f JOIN airlines a ON a.carrier = f.carrier
        WHERE f.dep_delay IS NOT NULL
        GROUP BY f.carrier, a.name, f.hour
        """,
        "SELECT name, hour, mean FROM carrier_hours WHERE flights > 500 ORDER BY mean DESC LIMIT 1",
        lambda name, hour, mean: f"slowest: {name} at {hour}:00, {_minutes(mean)}",
        ("carrier", "hour"),
    ),
    View(
        "carriers",
        """
        SELECT carrier, name, sum(flights) AS flights, sum(minutes) AS minutes, max(worst) AS worst
        FROM carrier_hours
        GROUP BY carrier, name
        """,
        "SELECT name, minutes::float8 / flights::float8 FROM carriers WHERE flights > 10000 "
        "ORDER BY 2 DESC LIMIT 1",
        lambda name, mean: f"latest carrier: {name}, {_minutes(mean)}",
        ("carrier",),
    ),
    View(
        "routes",
        """
        SELECT origin, dest, count(*) AS flights, avg(arr_delay) AS mean,
               sum(CASE WHEN arr_delay > 30 THEN 1 ELSE 0 END) AS late
        FROM flights
        WHERE arr_delay IS NOT NULL
        GROUP BY origin, dest
        """,
        "SELECT origin, dest, flights FROM routes ORDER BY flights DESC LIMIT 1",
        lambda origin, dest, flights: f"busiest: {origin} to {dest}, {flights:,} flights",
        ("origin", "dest"),
    ),
    View(
        "worst_routes",
        """
        SELECT r.origin, r.dest, p.name, r.flights, r.late, r.mean
        FROM routes r JOIN airports p ON p.faa = r.dest
        WHERE r.flights >= 200 AND r.late * 5 > r.flights
        """,
        "SELECT origin, name, late * 100 / flights FROM worst_routes "
        "ORDER BY late::float8 / flights DESC LIMIT 1",
        lambda origin, name, share: f"{origin} to {name}: {share} % late",
        ("origin", "dest"),
    ),
    View(
        "late_aircraft",
        """
        SELECT p.tailnum, p.manufacturer, p.model, p.built, count(*) AS times,
               sum(f.arr_delay) AS minutes, max(f.arr_delay) AS worst
        FROM flights f JOIN planes p ON p.tailnum = f.tailnum
        WHERE f.arr_delay > 60
        GROUP BY p.tailnum, p.manufacturer, p.model, p.built
        """,
        "SELECT tailnum, model, times FROM late_aircraft ORDER BY times DESC, tailnum LIMIT 1",
        lambda tailnum, model, times: f"{tailnum} ({model}): {times} times over an hour late",
        ("tailnum",),
    ),
    View(
        "wind",
        """
        SELECT w.origin, floor(w.wind_speed / 10)::int * 10 AS mph, count(*) AS flights,
               avg(f.dep_delay) AS mean, avg(w.temp) AS temp, avg(w.visib) AS visib
        FROM flights f JOIN weather w ON w.origin = f.origin AND w.hour = f.leaves
        WHERE f.dep_delay IS NOT NULL AND w.wind_speed < 100
        GROUP BY w.origin, floor(w.wind_speed / 10)::int * 10
        """,
        "SELECT mph, sum(mean * flights) / sum(flights), sum(flights) FROM wind "
        "GROUP BY mph HAVING sum(flights) > 500 ORDER BY mph DESC LIMIT 1",
        lambda mph, mean, flights: (
            f"from {mph} mph on: {_minutes(mean)} late over {flights:,} flights"
        ),
        ("origin", "mph"),
        ("temp", "visib"),
    ),
    View(
        "airports_traffic",
        """
        SELECT airport, sum(departures) AS departures, sum(arrivals) AS arrivals
        FROM (
          SELECT origin AS airport, 1 AS departures, 0 AS arrivals FROM flights
          UNION ALL
          SELECT dest, 0, 1 FROM flights
        ) AS movements
        GROUP BY airport
        """,
        "SELECT airport, departures + arrivals FROM airports_traffic ORDER BY 2 DESC LIMIT 1",
        lambda airport, movements: f"busiest: {airport}, {movements:,} movements",
        ("airport",),
    ),
)
