"""ibis' backend for RisingWave: materialized views of expressions, and schemas by temporary views."""

import sys
from urllib.parse import urlsplit

import ibis

url = urlsplit(sys.argv[1])
connection = ibis.risingwave.connect(
    host=url.hostname, port=url.port, user=url.username, database=url.path.lstrip("/")
)
orders = connection.create_table(
    "orders", schema=ibis.schema({"id": "int64", "customer": "string", "euros": "float64"})
)
rows = [(n, f"c{n % 3}", n * 1.5) for n in range(1, 31)]
connection.insert("orders", ibis.memtable(rows, columns=["id", "customer", "euros"]))
assert orders.count().execute() == 30
sums = orders.group_by("customer").aggregate(n=orders.count(), euros=orders.euros.sum())
view = connection.create_materialized_view("sums", sums)


def seen() -> list[tuple[str, int, float]]:
    return [tuple(row) for row in view.order_by("customer").execute().itertuples(index=False)]


assert seen() == [(f"c{k}", 10, sum(r[2] for r in rows if r[1] == f"c{k}")) for k in range(3)], (
    seen()
)
connection.raw_sql("DELETE FROM orders WHERE customer = 'c0'")
assert [row[:2] for row in seen()] == [("c1", 10), ("c2", 10)]
assert connection.sql("SELECT customer, n * 2 AS twice FROM sums").schema().names == (
    "customer",
    "twice",
)
assert {"orders", "sums"} <= set(connection.list_tables())
assert "public" in connection.list_databases()
assert url.path.lstrip("/") in connection.list_catalogs()
connection.create_view("cheap", orders.filter(orders.euros < 6))
assert sorted(connection.table("cheap").id.execute().tolist()) == [1, 2]
connection.drop_view("cheap")
connection.drop_materialized_view("sums")
connection.create_database("other")
connection.create_table("t", ibis.memtable({"a": [1]}), database="other")
assert connection.table("t", database="other").a.execute().tolist() == [1]
connection.drop_table("t", database="other")
connection.drop_database("other")
connection.drop_table("orders")
print("done")
