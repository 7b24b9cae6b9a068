"""What a plan promises: names, keys, explanations, and statements only where something changed."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from barrier.stream.build import compile_view
from barrier.stream.plan import ChangeSize, InputRelation, Plan
from catalog.oid import Oid
from catalog.relation import Column, Table
from catalog.types import by_name

ORDERS = InputRelation(Oid(1), ("c1", "c2", "c3", "_row_id"), ("_row_id",))
CUSTOMERS = InputRelation(Oid(2), ("c1", "c2"), ("c1",))

JOINED = "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 JOIN r2 AS t2 ON t1.c2 = t2.c1"
GROUPED = "SELECT t1.c2 AS c1, COUNT(*) AS c2 FROM r1 AS t1 GROUP BY t1.c2"
NESTED = (
    "SELECT t3.c1 AS c1, t2.c2 AS c2 FROM (SELECT t1.c2 AS c1, MAX(CAST(t1.c3 AS INTEGER)) AS c2 "
    "FROM r1 AS t1 GROUP BY t1.c2 HAVING COUNT(*) > 1) AS t3 JOIN r2 AS t2 ON t3.c1 = t2.c1"
)
OUTER = "SELECT t1.c1 AS c1 FROM r1 AS t1 FULL JOIN r2 AS t2 ON t1.c2 = t2.c1"


def plan(query: str) -> Plan:
    tree = sqlglot.parse_one(query, read="duckdb")
    return compile_view(Oid(9), tree, {ORDERS.oid: ORDERS, CUSTOMERS.oid: CUSTOMERS})


def read_tables(statement: exp.Expr) -> set[str]:
    """The stored tables that a statement reads."""
    target = statement.find(exp.Table)
    names = {table.name for table in statement.find_all(exp.Table) if table is not target}
    return {name for name in names if name[0] in "rs" and name[1:2].isdigit()}


@pytest.mark.parametrize("query", [JOINED, GROUPED, NESTED, OUTER])
def test_tables_have_the_columns_that_the_plan_names(query: str) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE r1 (c1 INTEGER, c2 INTEGER, c3 INTEGER, _row_id BIGINT)")
    connection.execute("CREATE TABLE r2 (c1 INTEGER, c2 VARCHAR)")
    made = plan(query)
    for statement in made.create():
        connection.execute(statement)
    assert [row[0] for row in connection.execute("SHOW TABLES").fetchall()] == sorted(
        {"r1", "r2", *made.tables}
    )
    columns = [row[0] for row in connection.execute("DESCRIBE r9").fetchall()]
    output = made.as_input()
    assert set(output.columns) <= set(columns)
    assert set(output.key) <= set(output.columns)
    for statement in made.drop():
        connection.execute(statement)
    assert len(connection.execute("SHOW TABLES").fetchall()) == 2


@pytest.mark.parametrize("query", [JOINED, GROUPED, NESTED, OUTER])
def test_the_stored_text_gives_the_same_plan_again(query: str) -> None:
    tree = sqlglot.parse_one(query, read="duckdb")
    again = plan(tree.sql(dialect="duckdb"))
    assert again.create() == plan(query).create()
    assert again.tables == plan(query).tables


def test_visible_keys_are_not_stored_twice() -> None:
    assert plan("SELECT t2.c2 AS c1, t2.c1 AS c2 FROM r2 AS t2").as_input() == InputRelation(
        Oid(9), ("c1", "c2"), ("c2",)
    )
    assert plan("SELECT t2.c2 AS c1 FROM r2 AS t2").as_input().key == ("k1",)


def test_nothing_runs_when_nothing_changed() -> None:
    assert plan(JOINED).step({}) == []
    assert plan(JOINED).step({Oid(1): ChangeSize(0, 0), Oid(7): ChangeSize(1, 0)}) == []


def test_appended_rows_are_not_looked_for() -> None:
    statements = plan(JOINED).step({Oid(1): ChangeSize(1, 0)})
    assert [type(s.tree) for s in statements] == [exp.Create, exp.Insert]
    assert read_tables(statements[0].tree) == {"r2"}


def test_a_filter_never_reads_its_input() -> None:
    statements = plan("SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c2 > 0").step(
        {Oid(1): ChangeSize(1, 1)}
    )
    assert [read_tables(s.tree) for s in statements] == [set(), set(), set()]


@pytest.mark.parametrize("changes", [ChangeSize(1, 0), ChangeSize(1, 1), ChangeSize(0, 9)])
def test_counts_and_sums_never_read_their_input(changes: ChangeSize) -> None:
    query = (
        "SELECT t1.c2 AS c1, COUNT(*) AS c2, CAST(SUM(CAST(t1.c3 AS INTEGER)) AS BIGINT) AS c3 "
        "FROM r1 AS t1 GROUP BY t1.c2"
    )
    statements = plan(query).step({Oid(1): changes})
    assert set().union(*(read_tables(s.tree) for s in statements)) == {"r9"}


def test_extremes_read_their_input_only_when_rows_went() -> None:
    made = plan("SELECT MAX(CAST(t1.c3 AS INTEGER)) AS c1 FROM r1 AS t1")
    inserted = made.step({Oid(1): ChangeSize(5, 0)})
    assert set().union(*(read_tables(s.tree) for s in inserted)) == {"r9"}
    deleted = made.step({Oid(1): ChangeSize(0, 1)})
    assert "stale ones recomputed" in deleted[0].label


def test_a_delta_that_nobody_reads_need_not_be_made() -> None:
    changes = {Oid(1): ChangeSize(1, 0)}
    assert len(plan(GROUPED).step(changes, needs_delta=False)) == 3
    assert len(plan(GROUPED).step(changes)) == 4


def test_the_rows_under_having_follow_whoever_reads_their_delta() -> None:
    query = f"{GROUPED} HAVING COUNT(*) > 1"
    for needs_delta in (True, False):
        statements = plan(query).step({Oid(1): ChangeSize(1, 0)}, needs_delta=needs_delta)
        made = [s.tree.this.name for s in statements if isinstance(s.tree, exp.Create)]
        assert made == ["x9_1_1", "d9"]
        assert statements[-1].label == "apply: insert into r9"


def test_programs_of_one_kind_are_made_once() -> None:
    made = plan(GROUPED)
    first = made.step({Oid(1): ChangeSize(1, 0)})
    assert made.step({Oid(1): ChangeSize(7, 0)})[0] is first[0]


def test_a_join_whose_inputs_change_as_a_whole_is_computed_anew() -> None:
    changes = {Oid(1): ChangeSize(500_000, 500_000), Oid(2): ChangeSize(500_000, 500_000)}
    sizes = {Oid(1): 500_000, Oid(2): 500_000, Oid(9): 10}
    labels = [statement.label for statement in plan(JOINED).step(changes, sizes)]
    assert labels[0] == "anew: r9"
    one = {Oid(1): ChangeSize(1, 1)}
    labels = [statement.label for statement in plan(JOINED).step(one, sizes)]
    assert labels[0] == "delta: rows of r9"


def test_explain_speaks_in_names() -> None:
    columns = {Oid(1): {"c2": "customer", "c3": "price"}, Oid(2): {"c1": "id", "c2": "name"}}
    assert plan(NESTED).explain(
        names={Oid(1): "orders", Oid(2): "customers", Oid(9): "best"}, columns=columns
    ) == [
        "Materialize best",
        "  Join on orders.customer = customers.id",
        "    Aggregate by customer: MAX(price)",
        "      (recompute of groups that lose their MAX(price))",
        "      Scan orders",
        "    Scan customers",
    ]


def test_explain_tells_a_relation_that_is_read_twice_apart() -> None:
    query = (
        "SELECT t1.c1 AS c1, t2.c1 AS c2 FROM r2 AS t1 LEFT JOIN r2 AS t2 "
        "ON t1.c1 = CAST(t2.c2 AS INTEGER) + 1"
    )
    assert plan(query).explain(names={Oid(2): "t"})[1:] == [
        "  Project t.c1, t_2.c1",
        "    Left join on t.c1 = t_2.c2 + 1",
        "      Scan t",
        "      Scan t",
    ]


def test_explain_says_what_is_computed_anew_and_why() -> None:
    both = "SELECT t1.c1 AS c1 FROM r1 AS t1 EXCEPT SELECT t2.c1 AS c1 FROM r2 AS t2 LIMIT 9"
    assert plan(both).explain()[1:] == [
        "  Query over r1, r2",
        "    (recompute in full: LIMIT)",
    ]
    query = "SELECT t1.c2 AS c1, MEDIAN(CAST(t1.c3 AS INTEGER)) AS c2 FROM r1 AS t1 GROUP BY t1.c2"
    assert "recompute of changed groups" in plan(query).explain()[2]


def test_a_window_says_which_of_its_rows_it_keeps() -> None:
    query = (
        "SELECT t2.c1 AS c1 FROM (SELECT t1.c1 AS c1, RANK() OVER (PARTITION BY t1.c2 "
        "ORDER BY t1.c3) AS c2 FROM r1 AS t1) AS t2 WHERE t2.c2 <= 3"
    )
    assert plan(query).explain()[2:] == [
        "    Window RANK() OVER (PARTITION BY c2 ORDER BY c3)",
        "      (recompute of changed partitions by c2)",
        "      (keeps (RANK() OVER (PARTITION BY c2 ORDER BY c3)) <= 3)",
        "      Scan r1",
    ]


def test_verbose_explain_adds_the_statements() -> None:
    lines = plan(JOINED).explain(is_verbose=True, names={Oid(1): "orders", Oid(2): "customers"})
    assert lines[0] == "Materialize r9 [rows r9]"
    assert "When orders [rows r1] changes:" in lines
    assert "  CREATE OR REPLACE TEMPORARY TABLE d9 AS" in lines
    assert max(map(len, lines)) <= 120


def test_only_the_part_without_operator_is_computed_anew() -> None:
    made = plan(
        "SELECT t1.c1 AS c1, t3.c1 AS c2 FROM r1 AS t1 JOIN "
        "(SELECT t2.c1 AS c1 FROM r2 AS t2 LIMIT 3) AS t3 ON t1.c2 = t3.c1"
    )
    assert made.explain()[1:] == [
        "  Join on c2 = column_1",
        "    Scan r1",
        "    Query over r2",
        "      (recompute in full: LIMIT)",
    ]


def test_a_table_of_the_catalog_tells_which_columns_are_exact() -> None:
    kinds = ("int4", "float8", "interval", "text")
    columns = tuple(Column(kind, by_name(kind), n) for n, kind in enumerate(kinds, start=1))
    table = Table(oid=Oid(1), schema="public", name="t", owner="root", columns=columns)
    assert InputRelation.of_table(table) == InputRelation(
        Oid(1), ("c1", "c2", "c3", "c4", "_row_id"), ("_row_id",), frozenset({"c1", "c4"})
    )
