"""What a client asks the system catalogs for and is not there: PostgreSQL's error, logged once."""

from __future__ import annotations

import time

from psycopg.pq import DiagnosticField

from tests.support.server import ServerProcess

#: A statement, PostgreSQL's SQLSTATE for it, and whether it is about the system catalogs.
_ASKED = (
    ("SELECT * FROM pg_nothing", "42P01", True),
    ("SELECT * FROM pg_catalog.pg_no_more", "42P01", True),
    ("SELECT nothing FROM pg_class", "42703", True),
    ("SELECT pg_no_function(1)", "42883", True),
    ("SELECT * FROM information_schema.nothing", "42P01", True),
    ("SELECT 'x'::pg_catalog.no_type", "42704", True),
    ("SELECT * FROM nothing", "42P01", False),
    ("SELECT no_function(1)", "42883", False),
    ("SELECT nothing", "42703", False),
)


def test_an_unknown_name_is_postgresqls_error_and_logged_once() -> None:
    process = ServerProcess()
    address = process.start()
    try:
        for _ in range(2):
            with address.connect() as connection:
                for statement, sqlstate, _ in _ASKED:
                    asked, pgconn = statement.encode(), connection.pgconn
                    for result in (pgconn.exec_(asked), pgconn.exec_params(asked, [])):
                        assert result.error_field(DiagnosticField.SQLSTATE) == sqlstate.encode()
        wanted = {statement for statement, _, is_system in _ASKED if is_system}
        deadline = time.monotonic() + 10
        while len(logged := _logged(process)) < len(wanted) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert sorted(logged) == sorted(wanted)
    finally:
        process.stop()


def _logged(process: ServerProcess) -> list[str]:
    lines = [line for line in process.log if "query of system catalogs failed" in line]
    return [line.rsplit(": ", 1)[1].strip() for line in lines]
