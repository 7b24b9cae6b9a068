"""What sessions begin with is the server's, a database's, a role's: the most particular wins."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support.server import Address, running_server


def shown(address: Address, name: str, **options: str) -> str:
    with address.connect(**options) as connection:
        ((value,),) = connection.execute(f"SHOW {name}").fetchall()
        return str(value)


def test_the_most_particular_wins_also_after_a_restart(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE DATABASE other")
        root.execute("CREATE USER u")
        u = Address(server.address.host, server.address.port, "u", "dev")
        root.execute("ALTER SYSTEM SET statement_timeout = '1min'")
        assert shown(u, "statement_timeout") == "1min"
        assert root.execute("SHOW statement_timeout").fetchall() == [("0",)]
        root.execute("ALTER ROLE ALL SET statement_timeout = '90s'")
        assert shown(u, "statement_timeout") == "90s"
        root.execute("ALTER DATABASE dev SET statement_timeout = '2min'")
        assert shown(u, "statement_timeout") == "2min"
        root.execute("ALTER ROLE u SET statement_timeout = '3min'")
        assert shown(u, "statement_timeout") == "3min"
        root.execute("ALTER ROLE u IN DATABASE other SET statement_timeout = '4min'")
        assert shown(u, "statement_timeout") == "3min"
        assert shown(u.of_database("other"), "statement_timeout") == "4min"
        assert shown(u, "statement_timeout", options="-c statement_timeout=5min") == "5min"
        with u.connect() as connection:
            connection.execute("SET statement_timeout = '6min'")
            source = "SELECT source FROM pg_settings WHERE name = 'statement_timeout'"
            assert connection.execute(source).fetchall() == [("session",)]
            connection.execute("RESET statement_timeout")
            assert connection.execute(source).fetchall() == [("user",)]
            assert connection.execute("SHOW statement_timeout").fetchall() == [("3min",)]
    with running_server(tmp_path) as server, server.address.connect() as root:
        u = Address(server.address.host, server.address.port, "u", "dev")
        assert shown(u.of_database("other"), "statement_timeout") == "4min"
        root.execute("ALTER ROLE u RESET ALL")
        assert shown(u, "statement_timeout") == "2min"
        root.execute("ALTER DATABASE dev RESET ALL")
        assert shown(u, "statement_timeout") == "90s"
        root.execute("ALTER ROLE ALL RESET statement_timeout")
        assert shown(u, "statement_timeout") == "0"


def test_one_may_change_what_ones_own_sessions_begin_with_and_nobody_elses(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE USER u")
        root.execute("CREATE USER v")
        u = Address(server.address.host, server.address.port, "u", "dev")
        with u.connect() as connection:
            connection.execute("ALTER ROLE u SET timezone = 'Asia/Tokyo'")
            connection.execute("ALTER USER CURRENT_USER SET datestyle = 'German'")
            for statement in (
                "ALTER ROLE v SET timezone = 'UTC'",
                "ALTER ROLE root SET timezone = 'UTC'",
                "ALTER ROLE ALL SET timezone = 'UTC'",
                "ALTER DATABASE dev SET timezone = 'UTC'",
                "ALTER SYSTEM SET timezone = 'UTC'",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)
        assert shown(u, "timezone") == "Asia/Tokyo"
        assert shown(u, "datestyle").startswith("German")
