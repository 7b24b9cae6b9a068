"""What a block has written survives errors after a savepoint, value by value."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.server import Address, Connection

_COLUMNS = (
    "id int PRIMARY KEY, b bool, i2 int2, i8 int8, f4 float4, f8 float8, n numeric, "
    "n2 numeric(10, 2), t text, v varchar(10), by bytea, d date, tm time, ts timestamp, "
    "tz timestamptz, iv interval, u uuid, j json, jb jsonb, ia int[], ta text[], na numeric[]"
)
_ROWS = (
    (
        "(1, true, 1, 9223372036854775807, 1.5, 'NaN', 123.456, 1.20, 'x', 'y', '\\x00ff', 'infinity', "
        "'10:11:12.345678', 'infinity', '-infinity', '178000000 years', "
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": 1}', '{\"b\": [1,2]}', ARRAY[1, NULL, 3], "
        "ARRAY['a', NULL, 'c'], ARRAY[1.5, 2])"
    ),
    (
        "(2, NULL, NULL, NULL, 'Infinity', '-Infinity', NULL, NULL, NULL, NULL, NULL, '-infinity', "
        "NULL, '0001-01-01', '2020-02-02 03:04:05.678901+02', '-3 months 2 days -05:00:00.000001', "
        "NULL, NULL, NULL, NULL, NULL, NULL)"
    ),
    (
        "(3, false, -32768, -9223372036854775808, 0, 0, -0.0001, 99999999.99, '', '', '', "
        "'5874897-12-31', '24:00:00', '29427-12-31 23:59:59.999999', '4713-01-01 BC', "
        "'3000000 hours', NULL, '[]', 'null', ARRAY[]::int[], '{}', '{}')"
    ),
)


def _texts(client: Connection) -> list[bytes | None]:
    result = client.execute("SELECT * FROM saved_values").pgresult
    assert result is not None
    assert result.ntuples == 1
    return [result.get_value(0, column) for column in range(result.nfields)]


@pytest.mark.parametrize("row", _ROWS, ids=["extremes", "nulls", "limits"])
def test_values_of_every_type_are_what_they_were(server: Address, row: str) -> None:
    with server.connect() as client:
        client.execute(f"CREATE TABLE saved_values ({_COLUMNS})".encode())
        client.execute("BEGIN")
        client.execute(f"INSERT INTO saved_values VALUES {row}".encode())
        before = _texts(client)
        client.execute("SAVEPOINT s")
        with pytest.raises(psycopg.errors.DivisionByZero):
            client.execute("SELECT 1 / (g - 1) FROM generate_series(1, 1) AS g")
        client.execute("ROLLBACK TO s")
        assert _texts(client) == before
        client.execute("COMMIT")
        assert _texts(client) == before
        client.execute("DROP TABLE saved_values")


def test_what_others_have_committed_meanwhile_is_seen_unless_one_snapshot_was_asked_for(
    server: Address,
) -> None:
    with server.connect() as client, server.connect() as other:
        other.execute("CREATE TABLE saved_counts (a int PRIMARY KEY)")
        for begin in ("BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ"):
            client.execute(begin.encode())
            before = client.execute("SELECT count(*) FROM saved_counts").fetchone()
            client.execute("SAVEPOINT s")
            other.execute("INSERT INTO saved_counts SELECT count(*) FROM saved_counts")
            with pytest.raises(psycopg.errors.DivisionByZero):
                client.execute("SELECT 1 / (g - 1) FROM generate_series(1, 1) AS g")
            try:
                client.execute("ROLLBACK TO s")
                after = client.execute("SELECT count(*) FROM saved_counts").fetchone()
            except psycopg.errors.SerializationFailure:
                after = before
            assert (after == before) == (begin != "BEGIN")
            client.execute("ROLLBACK")
        other.execute("DROP TABLE saved_counts")


def test_an_update_that_somebody_else_has_overtaken_is_not_lost(server: Address) -> None:
    """After a savepoint has brought a block back, its writes still meet those of others."""
    with server.connect() as client, server.connect() as other:
        other.execute("CREATE TABLE saved_sums (a int PRIMARY KEY, b int)")
        other.execute("INSERT INTO saved_sums VALUES (1, 0)")
        other.execute("SET lock_timeout = '100ms'")
        client.execute("BEGIN")
        client.execute("UPDATE saved_sums SET b = b + 1")
        client.execute("SAVEPOINT s")
        overtaken = 1
        try:
            other.execute("UPDATE saved_sums SET b = b + 10")
        except psycopg.errors.LockNotAvailable:
            overtaken = 0
        with pytest.raises(psycopg.errors.DivisionByZero):
            client.execute("SELECT 1 / (g - 1) FROM generate_series(1, 1) AS g")
        client.execute("ROLLBACK TO s")
        committed = 1
        try:
            client.execute("COMMIT")
        except psycopg.errors.SerializationFailure:
            committed = 0
        found = other.execute("SELECT b FROM saved_sums").fetchone()
        assert found == (committed + 10 * overtaken,)
        other.execute("DROP TABLE saved_sums")
