"""psqlODBC by isql and by pyodbc, with the options that BI tools set."""

from __future__ import annotations

import datetime as dt
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.support.server import Address

pytestmark = pytest.mark.clients

_OPTIONS = {
    "plain": "",
    "prepared": "UseServerSidePrepare=1;",
    "unprepared": "UseServerSidePrepare=0;",
    "cursors": "UseDeclareFetch=1;Fetch=7;",
    "cursors prepared": "UseDeclareFetch=1;UseServerSidePrepare=1;Fetch=7;",
    "statements undone": "Protocol=7.4-2;",
}


def connection_string(address: Address, options: str = "") -> str:
    return (
        f"Driver={{PostgreSQL Unicode}};Server={address.host};Port={address.port};"
        f"Database={address.database};Uid={address.user};{options}"
    )


@pytest.fixture(params=_OPTIONS, ids=lambda name: name.replace(" ", "-"))
def connection(address: Address, request: pytest.FixtureRequest) -> Iterator[Any]:
    import pyodbc  # noqa: PLC0415 -- it wants libodbc, which only these tests have installed

    text = connection_string(address, _OPTIONS[request.param])
    connection = pyodbc.connect(text, autocommit=True)
    connection.execute(
        "CREATE TABLE numbers (n int PRIMARY KEY, s varchar(20), x numeric(8,2), at timestamp,"
        " d date, b boolean, f float8, l bigint)"
    )
    yield connection
    connection.close()


def fill(connection: Any) -> None:
    cursor = connection.cursor()
    row = ("row", Decimal("12.50"), dt.datetime(2024, 2, 29, 1, 2, 3), dt.date(2024, 2, 29), True)
    cursor.executemany(
        "INSERT INTO numbers VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(n, *row, -0.5, 7_000_000_000 + n) for n in range(1, 51)],
    )


def test_rows_go_there_and_back(connection: Any) -> None:
    fill(connection)
    row = connection.execute(
        "SELECT * FROM numbers WHERE n = ? AND at <= ?", 7, dt.datetime(2025, 1, 1)
    ).fetchone()
    assert row.n == 7
    assert row.s == "row"
    assert row.x == Decimal("12.50")
    assert row.at == dt.datetime(2024, 2, 29, 1, 2, 3)
    assert row.d == dt.date(2024, 2, 29)
    assert row.b in (True, "1")
    assert row.f == -0.5
    assert row.l == 7_000_000_007
    rows = connection.execute("SELECT n FROM numbers WHERE s LIKE ? ORDER BY n", "r%").fetchall()
    assert [r.n for r in rows] == list(range(1, 51))
    assert (
        connection.execute("SELECT count(*) FROM numbers WHERE n IN (?, ?)", 3, 300).fetchval() == 1
    )


def test_transactions_are_kept(connection: Any) -> None:
    import pyodbc  # noqa: PLC0415

    fill(connection)
    connection.autocommit = False
    connection.execute("DELETE FROM numbers WHERE n > 10")
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM numbers").fetchval() == 50
    assert connection.execute("UPDATE numbers SET x = x + 1 WHERE n <= 3").rowcount == 3
    connection.commit()
    with pytest.raises(pyodbc.Error, match="does not exist"):
        connection.execute("SELECT * FROM nothing")
    connection.rollback()
    connection.autocommit = True
    with pytest.raises(pyodbc.Error, match="null value"):
        connection.execute("INSERT INTO numbers (s) VALUES (?)", "x")
    assert connection.execute("SELECT sum(x) FROM numbers").fetchval() == Decimal("628.00")


def test_columns_are_described(connection: Any) -> None:
    cursor = connection.execute("SELECT n, s AS label, x, at FROM numbers WHERE n = ?", 1)
    assert [(c[0], c[1]) for c in cursor.description] == [
        ("n", int), ("label", str), ("x", Decimal), ("at", dt.datetime),
    ]  # fmt: skip
    assert cursor.description[1][3] == 20
    assert cursor.description[2][4:6] == (8, 2)


def test_tables_are_found(connection: Any) -> None:
    names = [
        row.table_name for row in connection.cursor().tables(tableType="TABLE", schema="public")
    ]
    assert names == ["numbers"]
    columns = [
        row.column_name for row in connection.cursor().columns(table="numbers", schema="public")
    ]
    assert columns == ["n", "s", "x", "at", "d", "b", "f", "l"]


def test_isql_shows_a_table(address: Address) -> None:
    done = subprocess.run(
        ["isql", "-k", connection_string(address), "-b", "-v"],
        input="SELECT n, 'row ' || n AS s FROM generate_series(1, 3) n\nSELECT nope\n",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert "| row 3" in done.stdout
    assert 'column "nope" does not exist' in done.stdout + done.stderr
