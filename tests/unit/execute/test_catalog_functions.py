"""Functions that psql calls in its queries of the system catalogs."""

import pytest

from tests.support.session_client import Client


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("pg_get_userbyid(relowner)", "root"),
        ("pg_get_indexdef(oid, 0, true)", None),
        ("pg_get_constraintdef(oid, true)", None),
        ("pg_get_statisticsobjdef_columns(oid)", None),
        ("pg_relation_is_publishable('16384')", "f"),
        ("pg_encoding_to_char(6)", "UTF8"),
        ("relnamespace::regnamespace::oid = relnamespace", "t"),
    ],
)
def test_psql_finds_its_functions(client: Client, expression: str, value: str | None) -> None:
    client.run("CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY)")
    assert client.run(f"SELECT {expression} FROM pg_class WHERE oid = 't'::regclass") == [(value,)]
