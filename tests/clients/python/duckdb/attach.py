"""DuckDB's extension ``postgres``: ATTACH, scans in parallel, pushed filters, writes by COPY."""

import importlib.resources
import sys
from pathlib import Path

import duckdb

own = duckdb.connect()
package = importlib.resources.files("duckdb_extension_postgres_scanner")
extension = next(Path(str(package)).rglob("*.duckdb_extension"))
own.execute(f"LOAD '{extension}'")
own.execute(f"ATTACH '{sys.argv[1]}' AS there (TYPE postgres)")
own.execute(
    "CREATE TABLE there.sale (id INTEGER, city VARCHAR, euros DECIMAL(8, 2), sold TIMESTAMP, tags INTEGER[], ok BOOLEAN)"
)
own.execute(
    "INSERT INTO there.sale SELECT i, 'c' || i % 5, i / 4, TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR, [i, NULL], i % 2 = 0"
    " FROM range(5000) r(i)"
)
assert (
    own.execute("SELECT count(*), sum(euros), min(sold)::VARCHAR FROM there.sale").fetchone()[0]
    == 5000
)
assert own.execute(
    "SELECT city, count(*) FROM there.sale WHERE id < 100 GROUP BY 1 ORDER BY 1"
).fetchall() == [(f"c{n}", 20) for n in range(5)]
assert own.execute("SELECT tags, ok FROM there.sale WHERE id = 7").fetchone() == ([7, None], False)
own.execute("SET pg_experimental_filter_pushdown = true")
assert own.execute(
    "SELECT id FROM there.sale WHERE city = 'c3' AND id < 10 ORDER BY id"
).fetchall() == [(3,), (8,)]
# Rows that are stored by column have no place that would last until an UPDATE by it comes.
own.execute("CALL postgres_execute('there', 'UPDATE sale SET euros = 0 WHERE id = 3')")
own.execute("CALL postgres_execute('there', 'DELETE FROM sale WHERE id = 8')")
assert own.execute("SELECT id, euros FROM there.sale WHERE city = 'c3' AND id < 10").fetchall() == [
    (3, 0)
]
own.execute("BEGIN")
own.execute("INSERT INTO there.sale (id) VALUES (-1)")
own.execute("ROLLBACK")
assert own.execute("SELECT count(*) FROM there.sale WHERE id < 0").fetchone() == (0,)
assert ("there", "public", "sale") in own.execute(
    "SELECT database_name, schema_name, table_name FROM duckdb_tables()"
).fetchall()
asked = own.execute(
    "FROM postgres_query('there', 'SELECT max(id) AS top, count(*) AS n FROM sale')"
).fetchall()
assert asked == [(4999, 4999)], asked
own.execute("CALL postgres_execute('there', 'CREATE VIEW few AS SELECT id FROM sale WHERE id < 3')")
own.execute("CALL pg_clear_cache()")
assert own.execute("SELECT id FROM there.few ORDER BY id").fetchall() == [(0,), (1,), (2,)]
own.execute("CREATE TABLE there.copied AS FROM there.sale")
assert own.execute("SELECT count(*) FROM there.copied").fetchone() == (4999,)
own.execute("DROP VIEW there.few")
own.execute("DROP TABLE there.copied")
own.execute("DROP TABLE there.sale")
own.execute("DETACH there")
print("done")
