"""ibis' backend for PostgreSQL: tables, expressions, schemas of queries, data frames."""

import sys
from datetime import datetime

import ibis
from ibis import _

connection = ibis.connect(sys.argv[1])
orders = connection.create_table(
    "orders",
    schema=ibis.schema(
        {"id": "int64", "customer": "string", "euros": "float64", "at": "timestamp"}
    ),
)
rows = [(n, f"c{n % 3}", n * 1.5, datetime(2024, 1, 1 + n % 28)) for n in range(1, 31)]
connection.insert("orders", ibis.memtable(rows, columns=["id", "customer", "euros", "at"]))
assert "orders" in connection.list_tables()
assert orders.count().execute() == 30
sums = (
    orders.filter(orders.euros > 3)
    .group_by("customer")
    .aggregate(n=_.count(), euros=_.euros.sum(), last=_["at"].max())
    .order_by("customer")
    .execute()
)
wanted = [[r for r in rows if r[1] == f"c{k}" and r[2] > 3] for k in range(3)]
assert sums["n"].tolist() == [len(w) for w in wanted]
assert sums["euros"].tolist() == [sum(r[2] for r in w) for w in wanted]
assert [at.to_pydatetime() for at in sums["last"]] == [max(r[3] for r in w) for w in wanted]

window = ibis.window(group_by="customer", order_by="id")
ranked = orders.mutate(rank=ibis.row_number().over(window), before=orders.euros.lag().over(window))
first = ranked.filter(ranked["rank"] == 0).order_by("id").execute()
assert first["id"].tolist() == [1, 2, 3]
assert first["before"].isna().all()
month = orders["at"].truncate("M").name("month")
by_month = orders.group_by(month).aggregate(n=_.count()).execute()
assert by_month["n"].tolist() == [30]
text = (
    orders.mutate(s=orders.customer.upper() + "-" + orders.id.cast("string"))
    .order_by("id")
    .limit(2)
    .execute()
)
assert text["s"].tolist() == ["C1-1", "C2-2"]

customers = connection.create_table(
    "customers", ibis.memtable({"customer": ["c0", "c1"], "name": ["Ann", "Bob"]})
)
joined = (
    orders.left_join(customers, "customer")
    .group_by("name")
    .aggregate(n=_.count())
    .order_by("name")
    .execute()
)
assert joined["n"].tolist() == [10, 10, 10]

named = connection.sql("SELECT id, euros / 2 AS half, now() AS at FROM orders")
assert {name: str(kind) for name, kind in named.schema().items()} == {
    "id": "int64",
    "half": "float64",
    "at": "timestamp('UTC', 6)",
}, named.schema()
assert named.filter(named.id == 4).half.execute().tolist() == [3.0]
view = connection.create_view("cheap", orders.filter(orders.euros < 6))
assert sorted(view.id.execute().tolist()) == [1, 2, 3]
assert "cheap" in connection.list_tables()
connection.drop_view("cheap")
assert connection.table("customers").to_pyarrow().num_rows == 2
batches = connection.table("orders").to_pyarrow_batches(chunk_size=7)
assert sum(batch.num_rows for batch in batches) == 30
connection.create_table("short", ibis.memtable({"a": [1, 2]}), temp=True)
assert connection.table("short").a.sum().execute() == 3
connection.truncate_table("orders")
assert connection.table("orders").count().execute() == 0
connection.drop_table("orders")
connection.drop_table("customers")
print("done")
