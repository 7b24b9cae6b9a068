"""The command line: what it prints, how fast it is up, how it stops, and how it refuses."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.pq import DiagnosticField, ExecStatus

from server.version import VERSION
from tests.conftest import Launch
from tests.support.activity import until_runs
from tests.support.certificate import make_certificate
from tests.support.server import REPOSITORY, Address, running_server


def tidegate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


def test_version_and_help() -> None:
    assert tidegate("--version").stdout == f"tidegate {VERSION}\n"
    shown = tidegate("serve", "--help").stdout
    for option in ("--host", "--port", "--data-dir", "--ephemeral", "--config", "--log-level"):
        assert option in shown


def test_the_version_is_told_without_an_engine() -> None:
    assert "duckdb" not in imported_by("import server.cli")


def test_a_start_says_nothing_but_that_it_is_ready(launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    assert server.further_output() == []


def test_a_start_imports_nothing_that_only_others_need() -> None:
    """What it costs to be up is what is imported; ``bench.start`` tells how long that takes."""
    imported = imported_by("import server.serve, server.front")
    assert {"duckdb", "sqlglot"} <= imported
    assert not imported & {"asyncio", "cryptography", "psycopg", "rich", "unittest"}
    assert not {name for name in imported if name.startswith(("server.demo", "bench", "tests"))}


def imported_by(program: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"{program}; import sys; print(*sys.modules)"],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return set(told.stdout.split())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_and_sessions_are_told(number: signal.Signals, launch: Launch) -> None:
    server = launch(None)
    connection = server.address.connect()
    assert server.stop(number) == 0
    with pytest.raises(psycopg.errors.AdminShutdown):
        connection.execute("SELECT 1")
    connection.close()


def test_a_signal_ends_statements_that_run_and_wait(launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    running, waiting, other = (server.address.connect() for _ in range(3))
    other.execute("CREATE TABLE t (a int)")
    other.execute("ALTER SYSTEM PAUSE")
    running.pgconn.send_query(
        b"SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE (a::bigint * b) % 7 = 3"
    )
    waiting.pgconn.send_query(b"INSERT INTO t VALUES (1)")
    for connection in (running, waiting):
        until_runs(other, connection.pgconn.backend_pid)
    assert server.stop() == 0
    for connection in (running, waiting):
        told = connection.pgconn.get_result()
        while told is not None and told.status != ExecStatus.FATAL_ERROR:
            told = connection.pgconn.get_result()
        assert told is not None
        assert told.error_field(DiagnosticField.SQLSTATE) == b"57P01"
    for connection in (running, waiting, other):
        connection.close()


def test_databases_and_users_exist_from_the_start() -> None:
    with running_server() as server:
        for user in ("root", "postgres"):
            with psycopg.connect(
                host=server.address.host, port=server.address.port, user=user, dbname="dev"
            ) as connection:
                assert connection.execute("SELECT current_user, current_database()").fetchone() == (
                    user,
                    "dev",
                )


def test_a_data_directory_serves_one_server(tmp_path: Path) -> None:
    with running_server(tmp_path / "data"):
        second = tidegate("serve", "--port", "0", "--data-dir", str(tmp_path / "data"))
    assert second.returncode == 1
    assert second.stdout == ""
    told = second.stderr.strip().splitlines()[-1]
    assert told.startswith("Error: ")
    assert str(tmp_path / "data") in told
    assert "Traceback" not in second.stderr


def test_a_port_in_use_is_said_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = tidegate("serve", "--ephemeral", "--port", str(port))
    assert done.returncode == 1
    assert f"127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "70000"], "port"),
        (["--host", "0.0.0.0"], "loopback"),
        (["--ephemeral", "--data-dir", "x"], "exclude each other"),
        (["--config", "/nowhere/at-all.toml"], "/nowhere/at-all.toml"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], told: str) -> None:
    done = tidegate("serve", *arguments)
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_key_in_the_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "tidegate.toml"
    file.write_text("prot = 4566\n")
    done = tidegate("serve", "--config", str(file))
    assert done.returncode == 1
    assert '"prot"' in done.stderr


def test_others_are_served_by_password(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("first secret\n")
    arguments = ("--host", "0.0.0.0", "--tls-self-signed", "--password-file", str(file))
    for again in (False, True):
        with running_server(tmp_path / "data", *arguments) as server:
            url = f"postgresql://root@127.0.0.1:{server.address.port}/dev"
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(url)
            secret = "second secret" if again else "first secret"
            with psycopg.connect(url, password=secret, autocommit=True) as connection:
                assert connection.pgconn.ssl_in_use
                connection.execute("ALTER USER root PASSWORD 'second secret'")
            log = "".join(server.log)
        assert "whoever connects must pass: scram-sha-256" in log
        assert ("is passed over" in log) == again
        assert "secret" not in log


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--tls-cert", "nowhere.crt", "--tls-key", "nowhere.key"],
            "tls_cert nowhere.crt: No such file",
        ),
        (
            ["--tls-cert", "README.md", "--tls-key", "nowhere.key"],
            "tls_key nowhere.key: No such file",
        ),
        (["--tls-cert", "README.md", "--tls-key", "README.md"], "has group or world access"),
        (["--password-file", "nowhere"], "password_file nowhere"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(arguments: list[str], told: str) -> None:
    done = tidegate("serve", "--ephemeral", "--port", "0", *arguments)
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    certificates = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        certificates.append(make_certificate(tmp_path / name))
    one, two = certificates
    done = tidegate("serve", "--ephemeral", "--tls-cert", str(one.file), "--tls-key", str(two.key))
    assert done.returncode == 1
    assert "does not fit" in done.stderr
    assert "Traceback" not in done.stderr


def test_some_connections_are_kept_for_superusers(tmp_path: Path) -> None:
    file = tmp_path / "tidegate.toml"
    file.write_text("connections_max = 4\nconnections_reserved = 2\n")
    with running_server(None, "--config", str(file)) as server:
        address = server.address
        ordinary = Address(address.host, address.port, "ada", "dev")
        with address.connect() as root:
            root.execute("CREATE USER ada")
            with ordinary.connect():
                reserved = "remaining connection slots are reserved"
                with pytest.raises(psycopg.OperationalError, match=reserved):
                    ordinary.connect()
                with (
                    address.connect(),
                    address.connect(),
                    pytest.raises(psycopg.OperationalError, match="sorry, too many clients"),
                ):
                    address.connect()


def test_sessions_begin_with_the_times_that_were_configured(tmp_path: Path) -> None:
    file = tmp_path / "tidegate.toml"
    file.write_text('statement_timeout = "1min"\nmessage_bytes_max = 20000\n')
    with running_server(None, "--config", str(file)) as server:
        with server.address.connect() as connection:
            assert connection.execute("SHOW statement_timeout").fetchone() == ("1min",)
            connection.execute("SET statement_timeout = 0")
            connection.execute("RESET statement_timeout")
            assert connection.execute("SHOW statement_timeout").fetchone() == ("1min",)
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT '" + "x" * 30_000 + "'")
        with server.address.connect(options="-c statement_timeout=5s") as connection:
            assert connection.execute("SHOW statement_timeout").fetchone() == ("5s",)
