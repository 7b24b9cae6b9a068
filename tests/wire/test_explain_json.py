"""EXPLAIN (FORMAT JSON): what programs that draw plans read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.server import Connection


def nodes_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", ()) for node in nodes_of(child))]


@pytest.fixture
def filled(connection: Connection) -> Connection:
    connection.execute("CREATE SCHEMA shop")
    connection.execute("CREATE TABLE sold (a int PRIMARY KEY, b int)")
    connection.execute("CREATE TABLE shop.prices (a int PRIMARY KEY)")
    connection.execute("INSERT INTO sold SELECT g, g FROM generate_series(1, 10) g")
    connection.execute("INSERT INTO shop.prices VALUES (1), (2)")
    return connection


def test_a_plan_is_one_value_of_type_json_with_nodes_in_nodes(filled: Connection) -> None:
    cursor = filled.execute(
        "EXPLAIN (FORMAT JSON) SELECT b, count(*) FROM sold JOIN shop.prices USING (a) GROUP BY b"
    )
    assert cursor.description is not None
    assert [(c.name, c.type_code) for c in cursor.description] == [("QUERY PLAN", 114)]
    ((told,),) = cursor.fetchall()
    nodes = nodes_of(told[0]["Plan"])
    assert all(node["Node Type"] for node in nodes)
    assert {n["Relation Name"] for n in nodes if "Relation Name" in n} == {"sold", "shop.prices"}
    assert all(isinstance(node.get("Plan Rows", 0), int) for node in nodes)


def test_with_analyze_it_tells_how_many_rows_there_were(filled: Connection) -> None:
    cursor = filled.execute("EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM sold WHERE b > 4")
    ((told,),) = cursor.fetchall()
    scans = [n for n in nodes_of(told[0]["Plan"]) if n.get("Relation Name") == "sold"]
    assert [scan["Actual Rows"] for scan in scans] == [6]
    assert all(scan["Actual Total Time"] >= 0 for scan in scans)
