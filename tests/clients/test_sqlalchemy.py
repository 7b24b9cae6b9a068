"""SQLAlchemy by each of its drivers: tables, expressions, objects, and what it reads of catalogs."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.ext.asyncio import create_async_engine

from tests.support.server import Address

_DRIVERS = ("psycopg", "psycopg2", "pg8000")

_METADATA = sa.MetaData()
_FLIGHTS = sa.Table(
    "flights",
    _METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("carrier", sa.String(2), nullable=False),
    sa.Column("left_at", sa.DateTime),
    sa.Column("fare", sa.Numeric(8, 2)),
    sa.Column("is_late", sa.Boolean),
)
_ROWS = [
    {
        "id": n,
        "carrier": ("AA", "UA", "DL")[n % 3],
        "left_at": dt.datetime(2024, 1, 1) + dt.timedelta(hours=5 * n),
        "fare": Decimal(n) * Decimal("1.25"),
        "is_late": n % 2 == 0,
    }
    for n in range(1, 61)
]


def url(address: Address, driver: str) -> str:
    return address.url.replace("postgresql:", f"postgresql+{driver}:")


@pytest.fixture(params=_DRIVERS)
def engine(address: Address, request: pytest.FixtureRequest) -> Iterator[sa.Engine]:
    engine = sa.create_engine(url(address, request.param))
    _METADATA.create_all(engine.execution_options(isolation_level="AUTOCOMMIT"))
    yield engine
    engine.dispose()


def test_rows_are_written_and_asked_for(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(_FLIGHTS), _ROWS)
    by_day = sa.func.date_trunc("day", _FLIGHTS.c.left_at)
    query = (
        sa.select(
            by_day.label("day"),
            sa.func.count().label("flights"),
            sa.func.sum(_FLIGHTS.c.fare).label("fares"),
            sa.func.string_agg(_FLIGHTS.c.carrier, sa.literal(",")).label("carriers"),
        )
        .where(_FLIGHTS.c.carrier.in_(["AA", "UA"]), _FLIGHTS.c.fare.between(1, 20))
        .group_by(sa.text("day"))
        .order_by(sa.text("day"))
        .limit(2)
    )
    with engine.connect() as connection:
        rows = connection.execute(query).all()
        assert [(r.day, r.flights, r.fares) for r in rows] == [
            (dt.datetime(2024, 1, 1), 3, Decimal("10.00")),
            (dt.datetime(2024, 1, 2), 3, Decimal("27.50")),
        ]
        assert sorted(rows[0].carriers.split(",")) == ["AA", "UA", "UA"]
        assert connection.scalar(sa.select(sa.func.count()).select_from(_FLIGHTS)) == 60
        changed = connection.execute(
            sa.update(_FLIGHTS).where(_FLIGHTS.c.id < 4).values(fare=_FLIGHTS.c.fare + 1)
        )
        assert changed.rowcount == 3
        gone = connection.execute(
            sa.delete(_FLIGHTS).where(_FLIGHTS.c.id == 5).returning(_FLIGHTS.c.id)
        )
        assert gone.scalars().all() == [5]
        connection.rollback()
        assert connection.scalar(sa.select(_FLIGHTS.c.fare).where(_FLIGHTS.c.id == 1)) == Decimal(
            "1.25"
        )


def test_expressions_are_what_they_are_in_python(engine: sa.Engine) -> None:
    column = sa.literal(7)
    expressions = [
        (column + 1, 8),
        (sa.case((column > 5, "big"), else_="small"), "big"),
        (sa.func.coalesce(sa.null(), column), 7),
        (sa.cast("12", sa.Integer), 12),
        (sa.func.lower("ABC"), "abc"),
        (sa.literal("ab") + sa.literal("cd"), "abcd"),
        (sa.extract("year", sa.literal(dt.date(2024, 5, 6))), 2024),
        (sa.literal(dt.date(2024, 5, 6)) + sa.literal(1), dt.date(2024, 5, 7)),
        (sa.literal("abc").like("a%"), True),
        (sa.true() & sa.false(), False),
        (sa.literal(5).in_([1, 5]), True),
        (sa.literal(3).is_(None), False),
        (sa.literal(1) == 1, True),
    ]
    with engine.connect() as connection:
        for expression, value in expressions:
            assert connection.scalar(sa.select(expression)) == value, str(expression)


def test_objects_live_in_a_session(engine: sa.Engine) -> None:
    registry = orm.registry()

    class Author:
        def __init__(self, id: int, name: str) -> None:  # noqa: A002
            self.id, self.name = id, name

    class Book:
        def __init__(self, id: int, author_id: int, title: str) -> None:  # noqa: A002
            self.id, self.author_id, self.title = id, author_id, title

    metadata = sa.MetaData()
    authors = sa.Table(
        "authors",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text),
    )
    books = sa.Table(
        "books",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("author_id", sa.Integer),
        sa.Column("title", sa.Text),
    )
    registry.map_imperatively(
        Author,
        authors,
        properties={
            "books": orm.relationship(
                Book,
                primaryjoin=authors.c.id == orm.foreign(books.c.author_id),
                order_by=books.c.id,
            )
        },
    )
    registry.map_imperatively(Book, books)
    metadata.create_all(engine.execution_options(isolation_level="AUTOCOMMIT"))
    with orm.Session(engine) as session:
        session.add_all([Author(1, "Lem"), Author(2, "Le Guin")])
        session.add_all([Book(n, 1 + n % 2, f"title {n}") for n in range(10)])
        session.commit()
        lem: Any = session.get(Author, 1)
        assert [book.title for book in lem.books] == [f"title {n}" for n in range(0, 10, 2)]
        lem.name = "Stanisław Lem"
        session.delete(lem.books[0])
        session.commit()
        query = (
            sa.select(authors.c.name, sa.func.count(books.c.id))
            .join(books, books.c.author_id == authors.c.id)
            .group_by(authors.c.name)
            .order_by(authors.c.name)
        )
        assert [tuple(row) for row in session.execute(query)] == [
            ("Le Guin", 5),
            ("Stanisław Lem", 4),
        ]
        everyone = session.scalars(
            sa.select(Author).options(orm.selectinload(Author.books)).order_by(authors.c.id)  # type: ignore[attr-defined]
        ).all()
        assert [len(author.books) for author in everyone] == [4, 5]  # type: ignore[attr-defined]


def test_a_savepoint_takes_back_what_failed(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(_FLIGHTS), _ROWS[:2])
        with (
            pytest.raises((sa.exc.IntegrityError, sa.exc.ProgrammingError)),
            connection.begin_nested(),
        ):
            connection.execute(sa.insert(_FLIGHTS), [{"id": 100, "carrier": None}])
        connection.execute(sa.insert(_FLIGHTS), _ROWS[2:4])
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(_FLIGHTS)) == 4


def test_rows_are_streamed(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(_FLIGHTS), _ROWS)
    with engine.connect().execution_options(stream_results=True, max_row_buffer=7) as connection:
        rows = connection.execute(sa.select(_FLIGHTS.c.id).order_by(_FLIGHTS.c.id))
        assert [row.id for row in rows] == list(range(1, 61))


def test_tables_are_found(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    assert inspector.has_table("flights")
    assert not inspector.has_table("nothing")
    assert inspector.get_table_names() == ["flights"]
    assert inspector.default_schema_name == "public"


def test_asyncpg_does_the_same(address: Address) -> None:
    async def main() -> None:
        engine = create_async_engine(url(address, "asyncpg"))
        async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            await connection.run_sync(_METADATA.create_all)
        async with engine.begin() as connection:
            await connection.execute(sa.insert(_FLIGHTS), _ROWS)
        async with engine.connect() as connection:
            month = sa.func.date_trunc("month", _FLIGHTS.c.left_at)
            query = sa.select(month, sa.func.max(_FLIGHTS.c.fare)).group_by(sa.text("1"))
            rows = (await connection.execute(query)).all()
            assert [tuple(row) for row in rows] == [(dt.datetime(2024, 1, 1), Decimal("75.00"))]
            streamed = await connection.stream(sa.select(_FLIGHTS.c.id).order_by(_FLIGHTS.c.id))
            assert [row.id async for row in streamed] == list(range(1, 61))
        await engine.dispose()

    asyncio.run(main())


def test_pandas_reads_and_writes_tables(engine: sa.Engine) -> None:
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "x": [0.5, None, -1.25],
            "s": ["a", None, "c"],
            "at": pd.to_datetime(["2024-01-01 00:00:00", "2024-02-02 03:04:05", None]),
        }
    )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert frame.to_sql("frames", connection, index=False) in (3, -1)
        frame.to_sql("frames", connection, index=False, if_exists="append", method="multi")
        back = pd.read_sql("SELECT * FROM frames ORDER BY n", connection)
        assert list(back.columns) == ["n", "x", "s", "at"]
        assert back["n"].tolist() == [1, 1, 2, 2, 3, 3]
        assert back["x"].sum() == -1.5
        assert back["at"].max() == pd.Timestamp("2024-02-02 03:04:05")
        query = sa.text("SELECT s FROM frames WHERE n > :n AND s IS NOT NULL")
        assert pd.read_sql(query, connection, params={"n": 1})["s"].tolist() == ["c", "c"]
