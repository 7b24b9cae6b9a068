"""Secrets: kept sealed, used by who may, and told to nobody."""

from __future__ import annotations

from pathlib import Path

import duckdb
import psycopg
import pytest

from barrier.seal import Seal
from catalog.oid import Oid
from tests.support.server import running_server

_RATE = "713"
_WORD = "hunter2 and more"


def _answers(connection: psycopg.Connection) -> str:
    """Return all that the lists of a server tell."""
    asked = (
        "SELECT * FROM rw_secrets",
        "SELECT * FROM rw_sources",
        "SELECT * FROM rw_event_logs",
        "SELECT query FROM pg_stat_activity",
        "SHOW SECRETS",
        "SHOW CREATE SOURCE s",
    )
    return "\n".join(str(connection.execute(query.encode()).fetchall()) for query in asked)


def test_a_secret_is_sealed_in_the_file_and_works_after_a_restart(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute(f"CREATE SECRET rate WITH (backend = 'meta') AS '{_RATE}'".encode())
        root.execute(f"CREATE SECRET word WITH (backend = 'meta') AS '{_WORD}'".encode())
        root.execute(
            "CREATE SOURCE s (v int) WITH (connector = 'datagen', source_rate_limit = 0, "
            "datagen.rows.per.second = SECRET rate)"
        )
        root.execute("CREATE USER other")
        root.execute("GRANT USAGE ON SECRET rate TO other")
        root.execute("GRANT CREATE ON SCHEMA public TO other")
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"rate" in kept
    assert _WORD.encode() not in kept
    (file,) = tmp_path.glob("*.duckdb")
    with duckdb.connect(file, read_only=True) as engine:
        described = str(engine.execute("SELECT described FROM meta.objects").fetchall())
    assert "word" in described
    assert _WORD not in described
    assert f'"{_RATE}"' not in described
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("ALTER SOURCE s SET source_rate_limit = DEFAULT")
        root.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM s")
        (first,) = root.execute("SELECT n FROM m").fetchall()
        root.execute("SELECT pg_sleep(1.5)")
        (then,) = root.execute("SELECT n FROM m").fetchall()
        assert then[0] - first[0] >= int(_RATE)
        with server.address.connect(user="other") as other:
            assert other.execute("SELECT name FROM rw_secrets").fetchall() == [("rate",)]
            assert other.execute("SHOW SECRETS").fetchall() == [("rate",)]
            made = "CREATE SOURCE {} (v int) WITH (connector = 'datagen', fields.v.max = SECRET {})"
            other.execute(made.format("mine", "rate").encode())
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                other.execute(made.format("mine2", "word").encode())
            for statement in ("ALTER SECRET rate AS '1'", "DROP SECRET rate"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    other.execute(statement.encode())
        assert _WORD not in _answers(root)
        assert f"'{_RATE}'" not in _answers(root)


def test_an_error_does_not_tell_a_secret(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute(f"CREATE SECRET word WITH (backend = 'meta') AS '{_WORD}'".encode())
        for option in ("datagen.rows.per.second", "fields.v.kind", "fields.v.min"):
            with pytest.raises(psycopg.errors.InvalidParameterValue) as told:
                root.execute(
                    "CREATE SOURCE s (v int) WITH (connector = 'datagen', "
                    f"{option} = SECRET word)".encode()
                )
            assert "hunter2" not in f"{told.value} {told.value.diag.message_detail}"
        root.execute("DROP SECRET word")
        root.execute("CREATE SECRET word WITH (backend = 'meta') AS '5'")
        root.execute("CREATE USER owner")
        root.execute("GRANT CREATE ON SCHEMA public TO owner")
        root.execute("ALTER SECRET word OWNER TO owner")
        with pytest.raises(psycopg.errors.DependentObjectsStillExist) as needed:
            root.execute("DROP USER owner")
        assert "owner of secret word" in str(needed.value.diag.message_detail)
        root.execute("DROP OWNED BY owner")
        assert root.execute("SELECT * FROM rw_secrets").fetchall() == []
        root.execute("DROP USER owner")


def test_show_tells_nothing_of_what_one_may_do_nothing_with(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE TABLE t (a int)")
        root.execute("CREATE USER other")
        asked = ("DESCRIBE t", "SHOW COLUMNS FROM t", "SHOW INDEXES FROM t", "SHOW CREATE TABLE t")
        with server.address.connect(user="other") as other:
            for statement in asked:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    other.execute(statement.encode())
            root.execute("GRANT INSERT ON t TO other")
            for statement in asked:
                other.execute(statement.encode())


def test_only_the_key_and_the_secret_that_a_value_was_sealed_for_open_it() -> None:
    seal = Seal(b"one")
    sealed = seal.close(Oid(1), _WORD)
    assert seal.open(Oid(1), sealed) == _WORD
    assert sealed != seal.close(Oid(1), _WORD)
    assert seal.open(Oid(2), sealed) is None
    assert Seal(b"two").open(Oid(1), sealed) is None
