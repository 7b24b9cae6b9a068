"""What streaming jobs are configured with: told of, kept, and shown to who may see the job."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support.server import running_server

_LISTED = "SELECT name, value FROM rw_streaming_job_config ORDER BY name"


def test_a_configuration_outlives_a_restart_and_is_its_owners_to_change(tmp_path: Path) -> None:
    told: list[str | None] = []
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE TABLE t (a int)")
        root.execute("CREATE INDEX i ON t (a)")
        root.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
        root.execute("CREATE SINK k FROM t WITH (connector = 'blackhole')")
        root.execute("CREATE SOURCE s (a int) WITH (connector = 'datagen')")
        root.add_notice_handler(lambda notice: told.append(notice.message_primary))
        for what in ("TABLE t", "INDEX i", "MATERIALIZED VIEW m", "SINK k", "SOURCE s"):
            root.execute(f"ALTER {what} SET CONFIG (streaming.developer.chunk_size = 3)".encode())
        assert told == ['parameter "streaming.developer.chunk_size" has no effect'] * 5
        root.execute("CREATE USER other")
        root.execute("GRANT SELECT ON m TO other")
    with running_server(tmp_path) as server, server.address.connect() as root:
        listed = [(name, "3") for name in ("i", "k", "m", "s", "t")]
        assert root.execute(_LISTED).fetchall() == listed
        with server.address.connect(user="other") as other:
            assert other.execute(_LISTED).fetchall() == [("m", "3")]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                other.execute(
                    "ALTER MATERIALIZED VIEW m RESET CONFIG (streaming.developer.chunk_size)"
                )
