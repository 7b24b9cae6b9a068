"""Arrays of several dimensions are held where they are declared, and refused clearly elsewhere."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.images import ask
from tests.support.server import Address, Connection

ARRAYS = (
    "'{{1,2},{3,4}}'::int[]",
    "ARRAY[ARRAY[1, 2], ARRAY[3, NULL]]",
    "ARRAY[[[1], [2]], [[3], [4]]]",
    "ARRAY[[1, 2], [3]]",
    "ARRAY['{}'::int[], NULL]",
    "'{}'::int[]",
    "'[1:2]={1,2}'::int[]",
    '\'{"a\\"b", NULL, "NULL", "", \\\\c}\'::text[]',
    "'{1,{2}}'::int[]",
    "'{{1},{2,3}}'::int[]",
    "'{{}}'::int[]",
    "'{1,}'::int[]",
    "'{1'::int[]",
    "'{1}x'::int[]",
    "'x'::int[]",
    "'{a\"b\"}'::text[]",
    "'[1:2]={1}'::int[]",
)


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_an_array_is_what_it_is_in_postgresql(
    array: str, binary: bool, server: Address, postgresql: Address
) -> None:
    with server.connect() as ours, postgresql.connect() as theirs:
        expected = ask(theirs, f"SELECT {array}", binary_out=binary)
        assert ask(ours, f"SELECT {array}", binary_out=binary) == expected


def test_columns_hold_the_dimensions_they_declare(connection: Connection) -> None:
    run = connection.execute
    run("CREATE TABLE t (k int PRIMARY KEY, a int[][])")
    run("INSERT INTO t VALUES (1, '{{1,2},{3,4}}'), (2, '{}'), (3, ARRAY[[5, 6]])")
    run("INSERT INTO t VALUES (4, %s)", ([[7, None]],))
    run("INSERT INTO t VALUES (5, %s)", ([],))
    assert [a for (a,) in run("SELECT a FROM t ORDER BY k")] == [
        *([[1, 2], [3, 4]], [], [[5, 6]], [[7, None]], []),
    ]


@pytest.mark.parametrize(
    "value", ["'{{1,2}}'", "ARRAY[[1, 2]]", "'{{1,2}}'::int[]", "'[0:1]={1,2}'"]
)
def test_other_dimensions_are_refused(value: str, connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a int[])")
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(f"INSERT INTO t VALUES ({value})".encode())
    assert caught.value.sqlstate == "0A000"
