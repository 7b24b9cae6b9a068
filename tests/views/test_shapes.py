"""Views that are wide, deep, many, or strangely named."""

from __future__ import annotations

from tests.support.server import Connection


def one(connection: Connection, sql: str) -> object:
    row = connection.execute(sql.encode()).fetchone()
    return None if row is None else row[0]


def test_hundreds_of_columns(connection: Connection) -> None:
    names = [f"c{i}" for i in range(200)]
    connection.execute(f"CREATE TABLE t ({', '.join(f'{n} int' for n in names)})".encode())
    shown = ", ".join(f"{n} + 1 AS {n}" for n in names)
    sums = ", ".join(f"sum({n}) AS {n}" for n in names[1:])
    connection.execute(f"CREATE MATERIALIZED VIEW rows AS SELECT {shown} FROM t".encode())
    connection.execute(
        f"CREATE MATERIALIZED VIEW sums AS SELECT c0, {sums} FROM t GROUP BY c0".encode()
    )
    connection.execute(f"INSERT INTO t VALUES ({', '.join('1' for _ in names)})".encode())
    connection.execute("UPDATE t SET c199 = 5")
    assert one(connection, "SELECT c199 FROM rows") == 6
    assert one(connection, "SELECT c199 FROM sums") == 5


def test_many_views_over_one_table(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (k int, v int)")
    for i in range(30):
        connection.execute(
            f"CREATE MATERIALIZED VIEW m{i} AS SELECT k % {i + 2} AS g, sum(v + {i}) AS s "
            f"FROM t GROUP BY k % {i + 2}".encode()
        )
    connection.execute("INSERT INTO t SELECT i, i FROM generate_series(1, 100) AS i")
    connection.execute("UPDATE t SET v = 0 WHERE k <= 50")
    for i in (0, 29):
        assert one(connection, f"SELECT sum(s) FROM m{i}") == one(
            connection, f"SELECT sum(v + {i}) FROM t"
        )


def test_a_deep_stack_of_views(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (v int)")
    below = "t"
    for i in range(100):
        connection.execute(
            f"CREATE MATERIALIZED VIEW m{i} AS SELECT v + 1 AS v FROM {below}".encode()
        )
        below = f"m{i}"
    connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("UPDATE t SET v = 2")
    assert one(connection, "SELECT v FROM m99") == 102
    connection.execute("DELETE FROM t")
    assert one(connection, "SELECT count(*) FROM m99") == 0


def test_a_long_list_of_values(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (v int)")
    values = ", ".join(map(str, range(3000)))
    connection.execute(
        f"CREATE MATERIALIZED VIEW m AS SELECT v FROM t WHERE v IN ({values})".encode()
    )
    connection.execute("INSERT INTO t VALUES (2999), (3000), (NULL)")
    assert one(connection, "SELECT v FROM m") == 2999


def test_names_that_need_quotes(connection: Connection) -> None:
    connection.execute('CREATE TABLE "Select" ("From" int, "naïve ""q""" text, "日本" int)')
    connection.execute(
        'CREATE MATERIALIZED VIEW "Wéird ""view""" AS SELECT "From" AS "Order", '
        '"naïve ""q""" AS "a.b", sum("日本") AS "SUM" FROM "Select" GROUP BY 1, 2'
    )
    connection.execute("""INSERT INTO "Select" VALUES (1, 'x', 2), (1, 'x', 3)""")
    connection.execute("""UPDATE "Select" SET "From" = 7 WHERE "日本" = 3""")
    found = connection.execute('SELECT "Order", "a.b", "SUM" FROM "Wéird ""view""" ORDER BY 1')
    assert found.fetchall() == [(1, "x", 2), (7, "x", 3)]


def test_an_empty_table_and_one_that_is_full_already(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, g int)")
    connection.execute("CREATE MATERIALIZED VIEW empty AS SELECT count(*) AS n, max(g) AS g FROM t")
    assert connection.execute("SELECT * FROM empty").fetchall() == [(0, None)]
    connection.execute("INSERT INTO t SELECT i, i % 10 FROM generate_series(1, 200000) AS i")
    connection.execute(
        "CREATE MATERIALIZED VIEW full_ AS SELECT g, count(*) AS n FROM t GROUP BY g"
    )
    connection.execute("DELETE FROM t WHERE k <= 10")
    assert one(connection, "SELECT n FROM full_ WHERE g = 3") == 19999
    assert one(connection, "SELECT n FROM empty") == 199990


def test_many_full_joins_are_computed_anew_and_say_so(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (v int)")
    joins = " ".join(f"FULL JOIN t t{i} USING (v)" for i in range(1, 12))
    query = f"SELECT v, count(*) AS n FROM t {joins} GROUP BY v"
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    connection.execute("INSERT INTO t VALUES (1), (2), (2), (NULL)")
    shown = connection.execute(f"SELECT * FROM ({query}) q ORDER BY 1".encode()).fetchall()
    assert connection.execute("SELECT * FROM m ORDER BY 1").fetchall() == shown
    plan = "\n".join(row[0] for row in connection.execute("EXPLAIN MATERIALIZED VIEW m"))
    assert "FULL JOINs" in plan
