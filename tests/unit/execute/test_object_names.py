"""Values of types regclass and regtype: OIDs that are names in text."""

import struct

import pytest

from tests.support.session_client import Client


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("pg_typeof(1)", "integer"),
        ("pg_typeof(now())", "timestamp with time zone"),
        ("pg_typeof(ARRAY[1])", "integer[]"),
        ("pg_typeof('a')", "unknown"),
        ("'int4'::regtype", "integer"),
        ("'int4'::regtype::text", "integer"),
        ("'int4'::regtype::oid", "23"),
        ("0::regtype", "-"),
        ("999999::regtype", "999999"),
        ("ARRAY['int4'::regtype, 'text'::regtype]", "{integer,text}"),
        ("'t'::regclass", "t"),
        ("'t'::regclass::text", "t"),
        ("'t'::regclass::varchar(1)", "t"),
        ("'t'::regclass || '!'", "t!"),
        pytest.param("'\"T x\"'::regclass", '"T x"', id="quoted"),
        ("'pg_class'::regclass", "pg_class"),
        ("'information_schema.tables'::regclass", "information_schema.tables"),
        ("0::regclass", "-"),
        ("999999::regclass::text", "999999"),
        ("NULL::regclass", None),
    ],
)
def test_text_is_the_name(client: Client, expression: str, text: str | None) -> None:
    client.run('CREATE TABLE t (k int PRIMARY KEY); CREATE TABLE "T x" (k int)')
    assert client.run(f"SELECT {expression}") == [(text,)]


def test_schema_is_told_where_the_name_alone_means_another(client: Client) -> None:
    client.run("CREATE TABLE t (k int)")
    (schema,) = client.run("SELECT current_schema()")[0]
    client.run("CREATE SCHEMA other; CREATE TABLE other.t (k int)")
    both = f"SELECT '{schema}.t'::regclass, 'other.t'::regclass"
    assert client.run(both) == [("t", "other.t")]
    client.run(f'SET search_path TO other, "{schema}"')
    assert client.run(both) == [(f"{schema}.t", "t")]
    client.run("ALTER TABLE other.t RENAME TO u")
    assert client.run(f"SELECT '{schema}.t'::regclass, 'u'::regclass") == [("t", "u")]


def test_columns_of_catalogs_and_of_many_rows(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, s varchar)")
    assert client.run(
        "SELECT atttypid::regtype, attrelid::regclass FROM pg_attribute "
        "WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum"
    ) == [("integer", "t"), ("character varying", "t")]
    rows = client.run("SELECT 't'::regclass FROM generate_series(1, 3000)")
    assert rows == [("t",)] * 3000


def test_binary_is_the_number(client: Client) -> None:
    (source,) = client.session.split("SELECT pg_typeof(1), pg_typeof(1)")
    result = client.session.execute(client.session.prepare(source), ())
    (batch,) = result.batches((1, 0))
    fields = struct.pack("!ii", 4, 23) + struct.pack("!i", 7) + b"integer"
    assert bytes(batch.data(0, 1)).endswith(fields)
    result.close()
