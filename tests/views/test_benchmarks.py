"""The queries of TPC-H and Nexmark as views: each equals its query after every batch of changes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.server import Connection

Row = tuple[Any, ...]


def queries_of(benchmark: str) -> dict[str, str]:
    """Return the queries of a file by their names."""
    text = (Path(__file__).parent / "benchmarks" / f"{benchmark}.sql").read_text()
    found = re.findall(r"^-- (q\d+)\n(.*?)(?=^-- q|\Z)", text, re.DOTALL | re.MULTILINE)
    return {name: query.strip().rstrip(";") for name, query in found}


TABLES: Final = {
    "region": "r_regionkey int PRIMARY KEY, r_name text",
    "nation": "n_nationkey int PRIMARY KEY, n_name text, n_regionkey int",
    "supplier": "s_suppkey int PRIMARY KEY, s_name text, s_nationkey int, s_acctbal numeric(15,2), s_comment text",
    "customer": (
        "c_custkey int PRIMARY KEY, c_name text, c_nationkey int, c_phone text, c_acctbal numeric(15,2), "
        "c_mktsegment text"
    ),
    "part": (
        "p_partkey int PRIMARY KEY, p_name text, p_mfgr text, p_brand text, p_type text, p_size int, "
        "p_container text"
    ),
    "partsupp": (
        "ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost numeric(15,2), "
        "PRIMARY KEY (ps_partkey, ps_suppkey)"
    ),
    "orders": (
        "o_orderkey int PRIMARY KEY, o_custkey int, o_orderstatus text, o_totalprice numeric(15,2), "
        "o_orderdate date, o_orderpriority text, o_shippriority int, o_comment text"
    ),
    "lineitem": (
        "l_orderkey int, l_linenumber int, l_partkey int, l_suppkey int, l_quantity numeric(15,2), "
        "l_extendedprice numeric(15,2), l_discount numeric(15,2), l_tax numeric(15,2), l_returnflag text, "
        "l_linestatus text, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipmode text, "
        "PRIMARY KEY (l_orderkey, l_linenumber)"
    ),
}

NATIONS: Final = (
    *(("FRANCE", 3), ("GERMANY", 3), ("BRAZIL", 1), ("CANADA", 1), ("CHINA", 2), ("INDIA", 2)),
)
PARTS: Final = 12
SUPPLIERS: Final = 8
CUSTOMERS: Final = 24


class Warehouse:
    """Rows of the eight tables, few enough that every question has an answer that changes."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.orders = 0

    def fixed(self) -> Iterator[tuple[str, list[Row]]]:
        pick = self.chance.choice
        regions = ("AFRICA", "AMERICA", "ASIA", "EUROPE")
        yield "region", list(enumerate(regions))
        yield "nation", [(i, name, region) for i, (name, region) in enumerate(NATIONS)]
        yield (
            "supplier",
            [
                (i, f"supplier {i}", i % len(NATIONS), i * 10, pick(("", "Customer x Complaints")))
                for i in range(SUPPLIERS)
            ],
        )
        yield "customer", [self.customer(i) for i in range(CUSTOMERS)]
        yield "part", [self.part(i) for i in range(PARTS)]
        yield (
            "partsupp",
            [
                (part, supplier, self.chance.randrange(1, 99), self.chance.randrange(1, 9))
                for part in range(PARTS)
                for supplier in self.chance.sample(range(SUPPLIERS), 3)
            ],
        )

    def customer(self, key: int) -> Row:
        pick = self.chance.choice
        phone = f"{pick((13, 31, 23, 44))}-{key}"
        segment = pick(("BUILDING", "MACHINERY"))
        balance = self.chance.randrange(-50, 100)
        return key, f"customer {key}", key % len(NATIONS), phone, balance, segment

    def part(self, key: int) -> Row:
        pick = self.chance.choice
        return (
            key,
            pick(("forest green", "green", "blue")),
            "Manufacturer#1",
            pick(("Brand#12", "Brand#23", "Brand#45")),
            pick(("PROMO BRASS", "MEDIUM POLISHED TIN", "SMALL BRASS")),
            pick((9, 19, 23, 49)),
            pick(("MED BOX", "JUMBO BOX")),
        )

    def order(self) -> tuple[Row, list[Row]]:
        pick, number = self.chance.choice, self.chance.randrange
        self.orders += 1
        day = date(1993, 1, 1) + timedelta(days=number(1600))
        order = (
            *(self.orders, number(CUSTOMERS - 10), pick("FOP"), number(1000), day),
            *(pick(("1-URGENT", "2-HIGH", "5-LOW")), 0, pick(("", "special requests"))),
        )
        lines = [
            (
                *(
                    self.orders,
                    line,
                    number(PARTS),
                    number(SUPPLIERS),
                    number(1, 40),
                    number(10, 500),
                ),
                *(pick(("0.05", "0.06", "0.1")), "0.02", pick("RAN"), pick("OF")),
                *(day + timedelta(days=number(1, 90)) for _ in range(3)),
                pick(("MAIL", "SHIP", "AIR")),
            )
            for line in range(number(1, 5))
        ]
        return order, lines


def insert(connection: Connection, table: str, rows: list[Row]) -> None:
    holes = ", ".join(["%s"] * len(rows[0]))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} VALUES ({holes})".encode(), rows)


def batch(connection: Connection, warehouse: Warehouse, orders: int) -> None:
    """Add orders, take some away, and change rows of every other kind, all at once."""
    made = [warehouse.order() for _ in range(orders)]
    chance = warehouse.chance
    with connection.transaction():
        insert(connection, "orders", [order for order, _ in made])
        insert(connection, "lineitem", [line for _, lines in made for line in lines])
        for _ in range(2):
            gone = chance.randrange(1, warehouse.orders + 1)
            connection.execute("DELETE FROM orders WHERE o_orderkey = %s", (gone,))
            if chance.random() < 0.7:
                connection.execute("DELETE FROM lineitem WHERE l_orderkey = %s", (gone,))
        connection.execute(
            "UPDATE lineitem SET l_quantity = l_quantity + 7, l_returnflag = 'R' WHERE l_orderkey %% 7 = %s",
            (chance.randrange(7),),
        )
        insert(connection, "customer", [warehouse.customer(chance.randrange(CUSTOMERS))])
        insert(connection, "part", [warehouse.part(chance.randrange(PARTS))])
        connection.execute(
            "UPDATE partsupp SET ps_supplycost = %s, ps_availqty = %s WHERE ps_partkey = %s",
            (chance.randrange(1, 9), chance.randrange(1, 99), chance.randrange(PARTS)),
        )
        connection.execute(
            "UPDATE supplier SET s_nationkey = %s, s_comment = %s WHERE s_suppkey = %s",
            (
                chance.randrange(len(NATIONS)),
                chance.choice(("", "Customer y Complaints")),
                chance.randrange(SUPPLIERS),
            ),
        )


@pytest.mark.slow
def test_the_queries_of_tpch_hold_after_every_batch(connection: Connection) -> None:
    warehouse = Warehouse(7)
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({columns})".encode())
    for table, rows in warehouse.fixed():
        insert(connection, table, rows)
    queries = queries_of("tpch")
    assert len(queries) == 22
    for name, query in queries.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    answered = set()
    for orders in (120, 1, 5, 1, 20):
        batch(connection, warehouse, orders)
        for name in queries:
            found = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
            assert found == [], name
            row = connection.execute(f"SELECT count(*) FROM {name}".encode()).fetchone()
            assert row is not None
            if row[0]:
                answered.add(name)
    # A question that never has an answer proves nothing.
    assert answered == set(queries)


class Auctions:
    """People, auctions and bids as a stream in which some rows are taken back and some changed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.second = 0
        self.bids = 0

    def moment(self) -> datetime:
        self.second += self.chance.randrange(4)
        return datetime(2024, 1, 1) + timedelta(seconds=self.second)

    def person(self, key: int) -> Row:
        city, state = self.chance.choice(("Bend", "Boise")), self.chance.choice(("OR", "ID", "NY"))
        return key, f"person {key}", city, state, self.moment()

    def auction(self, key: int) -> Row:
        begins = self.moment()
        ends = begins + timedelta(seconds=self.chance.randrange(5, 60))
        number = self.chance.randrange
        return key, f"item {key}", begins, ends, number(12), number(3)

    def bid(self) -> Row:
        pick = self.chance.choice
        self.bids += 1
        url = pick(("https://a.b/x/y/z", "https://a.b/x&channel_id=7", None))
        return (
            *(self.bids, self.chance.randrange(15), self.chance.randrange(12)),
            *(self.chance.randrange(1, 1000), pick(("Apple", "Google", "other")), url),
            *(self.moment(), pick(("abc", "ccc", ""))),
        )


STREAM: Final = {
    "person": "id int PRIMARY KEY, name text, city text, state text, date_time timestamp",
    "auction": "id int PRIMARY KEY, item text, date_time timestamp, expires timestamp, seller int, category int",
    "bid": (
        "n int PRIMARY KEY, auction int, bidder int, price bigint, channel text, url text, date_time timestamp, "
        "extra text"
    ),
}


@pytest.mark.slow
def test_the_queries_of_nexmark_hold_after_every_batch(connection: Connection) -> None:
    auctions = Auctions(11)
    for table, columns in STREAM.items():
        connection.execute(f"CREATE TABLE {table} ({columns})".encode())
    queries = queries_of("nexmark")
    for name, query in queries.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    answered = set()
    for bids in (60, 1, 10, 1, 30):
        with connection.transaction():
            insert(
                connection,
                "person",
                [auctions.person(k) for k in range(auctions.chance.randrange(1, 12))],
            )
            insert(
                connection,
                "auction",
                [auctions.auction(k) for k in range(auctions.chance.randrange(1, 15))],
            )
            insert(connection, "bid", [auctions.bid() for _ in range(bids)])
            gone = auctions.chance.randrange(1, auctions.bids + 1)
            connection.execute("DELETE FROM bid WHERE n BETWEEN %s AND %s", (gone, gone + 2))
            connection.execute("UPDATE bid SET price = price + 1 WHERE n %% 9 = %s", (gone % 9,))
        for name in queries:
            found = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
            assert found == [], name
            row = connection.execute(f"SELECT count(*) FROM {name}".encode()).fetchone()
            assert row is not None
            if row[0]:
                answered.add(name)
    assert answered == set(queries)
