"""Polars: frames read by ADBC, ConnectorX and SQLAlchemy, and written by ADBC and SQLAlchemy."""

import datetime as dt
import sys
from decimal import Decimal

import polars as pl

url = sys.argv[1]
frame = pl.DataFrame(
    {
        "n": [1, 2, 3],
        "x": [0.5, None, -1.25],
        "s": ["a", None, "☃"],
        "ok": [True, False, None],
        "at": [dt.datetime(2024, 1, 1), dt.datetime(2024, 2, 29, 1, 2, 3, 4), None],
        "d": [dt.date(2024, 1, 1), None, dt.date(1999, 12, 31)],
    }
)

for engine, place in (
    ("adbc", url),
    ("sqlalchemy", url.replace("postgresql:", "postgresql+psycopg:")),
):
    table = f"by_{engine}"
    assert frame.write_database(table, place, engine=engine) in (3, -1)
    assert frame.write_database(table, place, engine=engine, if_table_exists="append") in (3, -1)
    for reader in ("adbc", "connectorx"):
        back = pl.read_database_uri(f"SELECT * FROM {table} ORDER BY n", url, engine=reader)
        assert back.columns == frame.columns, back.columns
        assert back["n"].to_list() == [1, 1, 2, 2, 3, 3]
        for column in frame.columns[1:]:
            assert back[column][::2].to_list() == frame[column].to_list(), (reader, column, back)
    try:
        frame.write_database(table, place, engine=engine, if_table_exists="fail")
    except Exception as error:  # noqa: BLE001 - each engine has a class of its own
        assert "already exists" in str(error), error
    else:
        raise AssertionError("a table was written twice")
    frame.head(1).write_database(table, place, engine=engine, if_table_exists="replace")
    assert pl.read_database_uri(f"SELECT count(*) FROM {table}", url, engine="adbc").item() == 1

sums = pl.read_database_uri(
    "SELECT n % 2 AS odd, sum(x) AS x, avg(n) AS n, array_agg(n) AS every FROM generate_series(1, 10) AS g(n),"
    " LATERAL (SELECT n * 0.5::float8) AS h(x) GROUP BY 1 ORDER BY 1",
    url,
    engine="adbc",
)
assert sums["x"].to_list() == [15.0, 12.5]
assert [sorted(every) for every in sums["every"].to_list()] == [[2, 4, 6, 8, 10], [1, 3, 5, 7, 9]]
assert [Decimal(n) for n in sums["n"].to_list()] == [6, 5]

parts = pl.read_database_uri(
    "SELECT n, n::text AS s FROM generate_series(1, 1000) AS g(n)",
    url,
    engine="connectorx",
    partition_on="n",
    partition_num=4,
)
assert sorted(parts["n"].to_list()) == list(range(1, 1001))
print("done")
