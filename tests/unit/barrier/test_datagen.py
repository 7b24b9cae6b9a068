"""The rows that datagen makes: gap-free in whatever pieces, and the same ones each time."""

from __future__ import annotations

from datetime import UTC, datetime

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier.connector.generator import generator_of
from catalog import types as t
from catalog.connector import Connector
from catalog.errors import (
    FeatureNotSupported,
    InvalidParameterValue,
    InvalidTableDefinition,
    PgError,
    UndefinedColumn,
)
from catalog.relation import Column

CREATED_MS = 1_700_000_000_000

STRUCT = t.PgType(
    *(t.RECORD.oid, "record", "record", -1, "P", t.RECORD.array_oid),
    duckdb="STRUCT(f1 INTEGER, f2 VARCHAR)",
    members=(("a", t.INT4), ("b", t.TEXT)),
)


def columns(**types: t.PgType) -> list[Column]:
    return [Column(name, pg_type, n) for n, (name, pg_type) in enumerate(types.items(), 1)]


def rows(held: list[Column], first: int, count: int, **options: str) -> list[tuple[object, ...]]:
    connector = Connector("datagen", tuple((k.replace("__", "."), v) for k, v in options.items()))
    made = generator_of(connector, held, CREATED_MS)
    with duckdb.connect() as engine:
        engine.execute("SET TimeZone = 'UTC'")
        query = made.rows(first, count, CREATED_MS + 5_000)
        return [row[:-1] for row in engine.execute(f"{query} ORDER BY __ord").fetchall()]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.integers(-1000, 1000))
def test_a_sequence_has_no_gap_and_nothing_twice_in_whatever_pieces(
    pieces: list[int], start: int
) -> None:
    came: list[object] = []
    for piece in pieces:
        options = {"fields__v__kind": "sequence", "fields__v__start": str(start)}
        came += [v for (v,) in rows(columns(v=t.INT8), len(came), piece, **options)]
    assert came == list(range(start, start + sum(pieces)))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**12), st.integers(2, 30), st.integers(1, 29))
def test_chance_comes_out_the_same_for_the_same_place(first: int, count: int, cut: int) -> None:
    held = columns(a=t.INT4, b=t.FLOAT8, c=t.TEXT, d=t.TIMESTAMP, e=t.BOOL, f=STRUCT)
    cut = min(cut, count - 1)
    whole = rows(held, first, count)
    assert whole == rows(held, first, cut) + rows(held, first + cut, count - cut)


def test_values_of_chance_stay_within_their_bounds_and_reach_them() -> None:
    options = {"fields__a__min": "-2", "fields__a__max": "2", "fields__c__length": "3"}
    options |= {"fields__b__min": "1.5", "fields__b__max": "2.5"}
    came = rows(columns(a=t.INT2, b=t.FLOAT8, c=t.VARCHAR), 0, 500, **options)
    assert {a for a, _, _ in came} == {-2, -1, 0, 1, 2}
    assert all(1.5 <= float(str(b)) <= 2.5 for _, b, _ in came)
    assert all(len(str(c)) == 3 and str(c).isalnum() for _, _, c in came)
    assert len({c for _, _, c in came}) > 450


def test_all_of_bigint_can_come() -> None:
    options = {"fields__a__min": str(-(2**63)), "fields__a__max": str(2**63 - 1)}
    came = [int(str(a)) for (a,) in rows(columns(a=t.INT8), 0, 200, **options)]
    assert min(came) < -(2**62) < 2**62 < max(came)


def test_times_lie_in_the_past_of_what_they_are_counted_from() -> None:
    held = columns(a=t.TIMESTAMPTZ, b=t.TIMESTAMP, c=t.TIMESTAMPTZ)
    options = {"fields__a__max_past": "2h 37min", "fields__b__max_past_mode": "relative"}
    options |= {"fields__b__max_past": "1s", "fields__c__basetime": "2024-01-01T00:00:00+01:00"}
    created = datetime.fromtimestamp(CREATED_MS / 1000, UTC)
    for a, b, c in rows(held, 0, 100, **options):
        assert isinstance(a, datetime)
        assert isinstance(b, datetime)
        assert isinstance(c, datetime)
        assert 0 <= (created - a).total_seconds() <= 157 * 60
        assert 4 <= (b.replace(tzinfo=UTC) - created).total_seconds() <= 5
        assert 0 <= (datetime(2023, 12, 31, 23, tzinfo=UTC) - c).total_seconds() <= 86_400


def test_arrays_count_on_through_their_elements() -> None:
    held = columns(v=t.array_of(t.array_of(t.INT4)), s=t.array_of(STRUCT))
    options = {"fields.v.length": "2", "fields.v._.length": "3", "fields.s.length": "2"}
    options |= {"fields.v._._.kind": "sequence", "fields.s._.a.kind": "sequence"}
    (first, second) = rows(held, 0, 2, **options)
    assert first[0] == [[0, 1, 2], [3, 4, 5]]
    assert second[0] == [[6, 7, 8], [9, 10, 11]]
    assert [s["f1"] for s in second[1]] == [2, 3]  # type: ignore[attr-defined]  # a list of structs


@pytest.mark.parametrize(
    ("held", "options", "total"),
    [
        (columns(v=t.INT4), {"fields.v.kind": "sequence", "fields.v.end": "9"}, 10),
        (columns(v=t.INT4), {}, None),
        (
            columns(v=t.INT4, w=t.FLOAT4),
            {
                "fields.v.kind": "sequence",
                "fields.v.start": "1",
                "fields.v.end": "100",
                "fields.w.kind": "sequence",
                "fields.w.start": "1",
                "fields.w.end": "5.5",
            },
            5,
        ),
        (columns(s=STRUCT), {"fields.s.a.kind": "sequence", "fields.s.a.end": "9"}, None),
    ],
)
def test_rows_end_with_the_first_sequence_that_is_a_column(
    held: list[Column], options: dict[str, str], total: int | None
) -> None:
    connector = Connector("datagen", tuple(options.items()))
    assert generator_of(connector, held, CREATED_MS).total == total


def test_what_has_no_effect_is_told() -> None:
    connector = Connector("datagen", (("fields.v.start", "1"), ("fields.v.min", "1")))
    assert generator_of(connector, columns(v=t.INT4), 0).unused == ("fields.v.start",)


@pytest.mark.parametrize(
    ("held", "name", "value", "error"),
    [
        (columns(v=t.INT4), "fields.v.kind", "sequenze", InvalidParameterValue),
        (columns(v=t.INT4), "fields.w.kind", "random", UndefinedColumn),
        (columns(v=t.INT4), "fields.v.colour", "red", InvalidParameterValue),
        (columns(v=t.INT4), "topic", "x", InvalidParameterValue),
        (columns(v=t.INT2), "fields.v.max", "32768", InvalidParameterValue),
        (columns(v=t.INT4), "fields.v.max", "1e3", InvalidParameterValue),
        (columns(v=t.INT4), "fields.v.min", "40000", InvalidParameterValue),
        (columns(v=t.FLOAT8), "fields.v.max", "NaN", InvalidParameterValue),
        (columns(v=t.FLOAT8), "fields.v.max", "", None),
        (columns(v=t.INT4), "fields.v.seed", "-1", InvalidParameterValue),
        (columns(v=t.TEXT), "fields.v.length", "-1", InvalidParameterValue),
        (columns(v=t.TEXT), "fields.v.length", "2000000", InvalidParameterValue),
        (columns(v=t.TEXT), "fields.v.kind", "sequence", FeatureNotSupported),
        (columns(v=t.TIMESTAMP), "fields.v.max_past", "two hours", InvalidParameterValue),
        (columns(v=t.TIMESTAMP), "fields.v.max_past", "2 parsecs", InvalidParameterValue),
        (columns(v=t.TIMESTAMP), "fields.v.max_past_mode", "often", InvalidParameterValue),
        (columns(v=t.TIMESTAMP), "fields.v.basetime", "yesterday", InvalidParameterValue),
        (columns(v=t.TIMESTAMP), "fields.v.basetime", "2024-01-01", InvalidParameterValue),
        (columns(v=t.JSONB), "fields.v.kind", "random", FeatureNotSupported),
        (columns(v=t.INT4), "datagen.rows.per.second", "0", InvalidParameterValue),
        (columns(v=t.INT4), "datagen.rows.per.second", "ten", InvalidParameterValue),
        (columns(v=t.INT4), "datagen.split.num", "0", InvalidParameterValue),
        ([], "datagen.split.num", "1", InvalidParameterValue),
    ],
)
def test_what_makes_no_sense_is_refused(
    held: list[Column], name: str, value: str, error: type[PgError] | None
) -> None:
    connector = Connector("datagen", ((name, value),))
    if error is None:
        generator_of(connector, held, 0)
        return
    with pytest.raises(error):
        generator_of(connector, held, 0)


def test_another_connector_is_refused_by_name() -> None:
    with pytest.raises(FeatureNotSupported, match='connector "kafka"'):
        generator_of(Connector("kafka"), columns(v=t.INT4), 0)


def test_nexmark_is_refused_by_its_schema_first_and_then_by_name() -> None:
    bid = Connector("nexmark", (("nexmark.table.type", "Bid"),))
    with pytest.raises(InvalidTableDefinition, match="must specify all columns in order"):
        generator_of(bid, columns(price=t.INT8, auction=t.INT8), 0)
    whole = dict.fromkeys(
        ("auction", "bidder", "price", "channel", "url", "date_time", "extra"), t.TEXT
    )
    with pytest.raises(FeatureNotSupported, match='connector "nexmark"'):
        generator_of(bid, columns(**whole), 0)
