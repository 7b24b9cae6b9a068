"""The connector ``datagen``: rows that count, and rows of chance that come out the same each time.

Each field of a row is an expression over the row's place, so that nothing has to be remembered but
how many rows there have been. Source: RisingWave, "Generate test data"; what an option is when it
is not said is as there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from barrier.connector.option import choice, moment_ms, number, span_ms, whole
from barrier.writes import ORDINAL
from catalog.connector import Connector
from catalog.errors import FeatureNotSupported, InvalidParameterValue, UndefinedColumn
from catalog.relation import Column
from catalog.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    VARCHAR,
    PgType,
)

_RATE: Final = "datagen.rows.per.second"
_SPLITS: Final = "datagen.split.num"
_FIELD: Final = re.compile(r"fields\.(.+)\.([a-z_]+)")

#: The most that one second, one text and one array may have.
RATE_MAX: Final = 1_000_000
_LENGTH_MAX: Final = 1_000_000

_SEQUENCE: Final = "sequence"
_RANDOM: Final = "random"
_LAST: Final = 2**15 - 1
_DAY_MS: Final = 86_400_000
#: The column of the time, in milliseconds since 1970.
_NOW: Final = "now_ms"
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

#: Whole numbers of each type reach from minus two to this power.
_BITS: Final = {INT2.oid: 15, INT4.oid: 31, INT8.oid: 63}
_FRACTIONS: Final = frozenset({FLOAT4.oid, FLOAT8.oid, NUMERIC.oid})
_NUMBERS: Final = _BITS.keys() | _FRACTIONS
_TEXTS: Final = frozenset({TEXT.oid, VARCHAR.oid})
_TIMES: Final = frozenset({TIMESTAMP.oid, TIMESTAMPTZ.oid, DATE.oid})

#: What is asked of each kind of values.
_OF_SEQUENCE: Final = frozenset({"kind", "start", "end"})
_OF_NUMBER: Final = frozenset({"kind", "min", "max", "seed"})
_OF_TEXT: Final = frozenset({"kind", "length", "seed"})
_OF_TIME: Final = frozenset({"kind", "max_past", "max_past_mode", "basetime", "seed"})
_OF_BOOL: Final = frozenset({"kind", "seed"})
_OF_ARRAY: Final = frozenset({"length"})
_KNOWN: Final = _OF_SEQUENCE | _OF_NUMBER | _OF_TEXT | _OF_TIME


@dataclass(frozen=True, slots=True)
class Datagen:
    """Makes the rows of a connector.

    Attributes:
        rows_per_second: How many are due in a second.
        total: How many there are until the first of its sequences ends; None has no end.
        unused: The options without any effect.
    """

    rows_per_second: int
    total: int | None
    unused: tuple[str, ...]
    _values: tuple[str, ...]

    @classmethod
    def of(cls, connector: Connector, columns: Sequence[Column], created_ms: int) -> Datagen:
        """Return what makes the rows of a connector; errors as of ``generator_of``."""
        rate = whole(connector, _RATE, 10, least=1, most=RATE_MAX)
        whole(connector, _SPLITS, 1, least=1, most=2**31 - 1)
        fields = _Fields(connector, created_ms)
        values = [
            f"CAST({fields.value(column.type, column.name, 'i')} AS {column.type.duckdb})"
            f" AS {column.storage_name}"
            for column in columns
        ]
        if not values:
            raise InvalidParameterValue("a source of generated rows needs a column")
        counted = (fields.total(column.type, column.name) for column in columns)
        totals = [total for total in counted if total is not None]
        unused = _unused(connector, fields.asked)
        return cls(rate, min(totals, default=None), unused, tuple(values))

    def rows(self, first: int, count: int, now_ms: int) -> str:
        """Return the query for some rows; as of ``Generator.rows``."""
        return (
            f"SELECT {', '.join(self._values)}, i - {first} + 1 AS {ORDINAL} FROM "
            f"(SELECT i, {now_ms} AS {_NOW} FROM range({first}, {first + count}) AS places(i))"
        )


class _Fields:
    """The fields of rows, by their paths: names, and ``_`` for what is in an array."""

    def __init__(self, connector: Connector, created_ms: int) -> None:
        self._connector = connector
        self._created_ms = created_ms
        #: What was looked for, by path.
        self.asked: dict[str, frozenset[str]] = {}

    def value(self, pg_type: PgType, path: str, place: str) -> str:
        """Return a field's value, as SQL over the place of a row, or in all arrays of its kind."""
        if pg_type.element is not None:
            return self._array(pg_type.element, pg_type.dimensions, path, place)
        if pg_type.is_row:
            members = (
                f"f{n} := CAST({self.value(member, f'{path}.{name}', place)} AS {member.duckdb})"
                for n, (name, member) in enumerate(pg_type.members, 1)
            )
            self.asked[path] = frozenset()
            return f"struct_pack({', '.join(members)})"
        if pg_type.domain is not None or pg_type.oid not in _NUMBERS | _TEXTS | _TIMES | {BOOL.oid}:
            raise FeatureNotSupported(
                f'datagen has no values of type {pg_type.display()} for field "{path}"'
            )
        kind = choice(self._connector, f"fields.{path}.kind", (_RANDOM, _SEQUENCE))
        if kind == _SEQUENCE:
            return self._sequence(pg_type, path, place)
        return self._random(pg_type, path, place)

    def total(self, pg_type: PgType, path: str) -> int | None:
        """Return how many values a field has, where that ends; one in others does not end them."""
        if pg_type.oid not in _NUMBERS or pg_type.element is not None:
            return None
        if choice(self._connector, f"fields.{path}.kind", (_RANDOM, _SEQUENCE)) == _RANDOM:
            return None
        start, end = self._bounds(pg_type, path, "start", "end")
        return int(end - start) + 1

    def _array(self, element: PgType, dimensions: int, path: str, place: str) -> str:
        self.asked[path] = _OF_ARRAY
        length = whole(self._connector, f"fields.{path}.length", 10, most=_LENGTH_MAX)
        at = f"k{place.count('k') + 1}"
        inside, counted = f"{path}._", f"(({place}) * {length} + {at})"
        if dimensions > 1:
            inner = self._array(element, dimensions - 1, inside, counted)
        else:
            inner = f"CAST({self.value(element, inside, counted)} AS {element.duckdb})"
        return f"list_transform(range(0, {length}), lambda {at}: {inner})"

    def _sequence(self, pg_type: PgType, path: str, place: str) -> str:
        if pg_type.oid not in _NUMBERS:
            raise FeatureNotSupported(
                f'datagen can only count in numbers, not in {pg_type.display()} as field "{path}"'
                " asks for"
            )
        self.asked[path] = _OF_SEQUENCE
        start, end = self._bounds(pg_type, path, "start", "end")
        start_text, end_text = format(start, "f"), format(end, "f")
        counted = f"({start_text} + CAST({place} AS HUGEINT))"
        return f"CASE WHEN {counted} <= {end_text} THEN {counted} END"

    def _random(self, pg_type: PgType, path: str, place: str) -> str:
        seed = whole(self._connector, f"fields.{path}.seed", 0, most=2**64 - 1)
        chance = f"hash({place}, {seed}::UBIGINT, '{_quoted(path)}')"
        if pg_type.oid in _TEXTS:
            return self._text(pg_type, path, place, seed)
        if pg_type.oid in _TIMES:
            return self._time(pg_type, path, chance)
        if pg_type.oid == BOOL.oid:
            self.asked[path] = _OF_BOOL
            return f"{chance} % 2 = 1"
        self.asked[path] = _OF_NUMBER
        least, most = self._bounds(pg_type, path, "min", "max")
        if pg_type.oid in _FRACTIONS:
            share = f"({chance} % {2**53})::DOUBLE / {2**53 - 1}"
            low, width = format(least, "f"), format(most - least, "f")
            return f"{low}::DOUBLE + {share} * {width}::DOUBLE"
        return f"{least} + CAST({chance} AS HUGEINT) % {most - least + 1}"

    def _text(self, pg_type: PgType, path: str, place: str, seed: int) -> str:
        self.asked[path] = _OF_TEXT
        longest = _LENGTH_MAX if pg_type.length is None else min(pg_type.length, _LENGTH_MAX)
        length = whole(self._connector, f"fields.{path}.length", min(10, longest), most=longest)
        at = f"k{place.count('k') + 1}"
        chance = f"hash({place}, {at}, {seed}::UBIGINT, '{_quoted(path)}')"
        letter = f"substr('{_LETTERS}', CAST({chance} % {len(_LETTERS)} AS BIGINT) + 1, 1)"
        letters = f"list_transform(range(0, {length}), lambda {at}: {letter})"
        return f"array_to_string({letters}, '')"

    def _time(self, pg_type: PgType, path: str, chance: str) -> str:
        self.asked[path] = _OF_TIME
        past = span_ms(self._connector, f"fields.{path}.max_past", _DAY_MS)
        name = f"fields.{path}.max_past_mode"
        mode = choice(self._connector, name, ("absolute", "relative"))
        base = moment_ms(self._connector, f"fields.{path}.basetime", self._created_ms)
        is_moving = mode == "relative" and not self._connector.option(f"fields.{path}.basetime")
        begin = _NOW if is_moving else str(base)
        made = f"make_timestamp(({begin} - CAST({chance} % {past + 1} AS BIGINT)) * 1000)"
        if pg_type.oid == TIMESTAMPTZ.oid:
            return f"timezone('UTC', {made})"
        return made

    def _bounds(self, pg_type: PgType, path: str, low: str, high: str) -> tuple[Decimal, Decimal]:
        bits = _BITS.get(pg_type.oid)
        found = []
        for name, default in ((f"fields.{path}.{low}", 0), (f"fields.{path}.{high}", _LAST)):
            if bits is None:
                found.append(number(self._connector, name, default))
                continue
            least, most = -(2**bits), 2**bits - 1
            found.append(Decimal(whole(self._connector, name, default, least=least, most=most)))
        if found[0] > found[1]:
            raise InvalidParameterValue(
                f'option "fields.{path}.{low}" is greater than "fields.{path}.{high}"'
            )
        return found[0], found[1]


def _unused(connector: Connector, asked: dict[str, frozenset[str]]) -> tuple[str, ...]:
    """Return the options without effect.

    Raises:
        InvalidParameterValue: One is not known.
        UndefinedColumn: One is of a field that there is not.
    """
    return tuple(_unused_ones(connector, asked))


def _unused_ones(connector: Connector, asked: dict[str, frozenset[str]]) -> Iterator[str]:
    for name, _ in connector.options:
        if name in {_RATE, _SPLITS}:
            continue
        found = _FIELD.fullmatch(name)
        if found is None or found[2] not in _KNOWN:
            raise InvalidParameterValue(f'unexpected options in WITH clause: ["{name}"]')
        if found[1] not in asked:
            raise UndefinedColumn(f'field "{found[1]}" of option "{name}" does not exist')
        if found[2] not in asked[found[1]]:
            yield name


def _quoted(text: str) -> str:
    return text.replace("'", "''")
