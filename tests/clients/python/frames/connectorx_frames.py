"""ConnectorX: each way to ask (binary, csv, cursor, simple), whole and in partitions."""

import sys

import connectorx as cx

url = sys.argv[1]
query = (
    "SELECT n::int AS n, n::int8 * 1000000007 AS big, n * 0.5::float8 AS half, (n % 2 = 0) AS even, 'row ' || n AS s,"
    " NULLIF(n, 3)::int AS gap, date '2024-01-01' + n::int AS d, timestamp '2024-01-01' + n * interval '1 hour' AS at"
    " FROM generate_series(1, 2000) AS g(n)"
)
for protocol in ("binary", "csv", "cursor", "simple"):
    whole = cx.read_sql(url, query, protocol=protocol, return_type="arrow")
    rows = sorted(whole.to_pylist(), key=lambda row: row["n"])
    assert [row["n"] for row in rows] == list(range(1, 2001)), protocol
    assert rows[2]["gap"] is None
    assert rows[9] | {"d": None, "at": None} == {
        "n": 10,
        "big": 10000000070,
        "half": 5.0,
        "even": True,
        "s": "row 10",
        "gap": 10,
        "d": None,
        "at": None,
    }, rows[9]
    assert (str(rows[9]["d"]), str(rows[9]["at"])) == ("2024-01-11", "2024-01-01 10:00:00")
    parts = cx.read_sql(
        url, query, protocol=protocol, return_type="arrow", partition_on="n", partition_num=3
    )
    assert sorted(parts["n"].to_pylist()) == list(range(1, 2001))
frame = cx.read_sql(url, [f"{query} WHERE n <= 5", f"{query} WHERE n > 1995"], return_type="pandas")
assert sorted(frame["n"].tolist()) == [1, 2, 3, 4, 5, 1996, 1997, 1998, 1999, 2000]
meta = cx.get_meta(url, query)
assert list(meta.columns) == ["n", "big", "half", "even", "s", "gap", "d", "at"]
print("done")
