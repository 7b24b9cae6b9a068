"""TLS and passwords as drivers see them: everything works as it does without."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import stat
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pg8000.dbapi
import psycopg
import psycopg2
import pytest

from tests.support.activity import until_runs
from tests.support.background import Background
from tests.support.certificate import make_certificate
from tests.support.rawwire import SSL_REQUEST
from tests.support.server import Address, Connection, ServerProcess, running_server
from tests.support.wire_client import eventually

PASSWORD = "pass wörd ①"
TIMEOUT_S = 2


@dataclass(frozen=True)
class Secure:
    """A server that wants TLS and passwords of all but root."""

    address: Address
    certificate: Path

    def url(self, **options: str) -> str:
        words = {
            "host": "localhost",
            "port": str(self.address.port),
            "dbname": "dev",
            "user": "ada",
            "password": f"'{PASSWORD}'",
            "sslmode": "verify-full",
            "sslrootcert": str(self.certificate),
            **options,
        }
        return " ".join(f"{name}={value}" for name, value in words.items())

    def connect(self, **options: str) -> Connection:
        return psycopg.connect(self.url(**options), autocommit=True)

    def handshake(self) -> ssl.SSLSocket:
        plain = socket.create_connection((self.address.host, self.address.port), timeout=20)
        plain.sendall(struct.pack("!ii", 8, SSL_REQUEST))
        assert plain.recv(1) == b"S"
        context = ssl.create_default_context(cafile=str(self.certificate))
        return context.wrap_socket(plain, server_hostname="localhost")


RULES = """
authentication_timeout = "2s"
tls_self_signed = true
[[hba]]
user = "root"
method = "trust"
[[hba]]
type = "hostssl"
address = "samehost"
user = "clear"
method = "password"
[[hba]]
type = "hostssl"
address = ["127.0.0.1/32", "::1"]
method = "scram-sha-256"
"""


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    directory = tmp_path_factory.mktemp("secure")
    config = directory / "tidegate.toml"
    config.write_text(RULES)
    with running_server(directory / "data", "--config", str(config)) as process:
        with process.address.connect() as root:
            for user in ("ada", "clear"):
                root.execute(f"CREATE USER {user} PASSWORD '{PASSWORD}' CREATEDB".encode())
                root.execute(f"GRANT CREATE ON SCHEMA public TO {user}".encode())
        yield Secure(process.address, directory / "data" / "server.crt")


def psql(url: str, *commands: str) -> subprocess.CompletedProcess[str]:
    arguments = [word for command in commands for word in ("-c", command)]
    return subprocess.run(
        ["psql", "-XAtq", url, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_psql_believes_the_certificate_and_is_believed(secure: Secure) -> None:
    for mode in ("require", "verify-ca", "verify-full"):
        for binding in ("disable", "prefer", "require"):
            done = psql(secure.url(sslmode=mode, channel_binding=binding), "SELECT current_user")
            assert (done.stdout, done.stderr) == ("ada\n", "")
    told = psql(secure.url(), r"\conninfo").stdout
    assert "SSL connection (protocol: TLSv1.3" in told


def test_another_certificate_is_not_believed(secure: Secure, tmp_path: Path) -> None:
    other = make_certificate(tmp_path)
    done = psql(secure.url(sslrootcert=str(other.file)), "SELECT 1")
    assert "certificate verify failed" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"password": "wrong"}, 'password authentication failed for user "ada"'),
        ({"user": "nobody"}, 'password authentication failed for user "nobody"'),
        (
            {"sslmode": "disable"},
            'no pg_hba.conf entry for host "127.0.0.1", user "ada", database "dev", no encryption',
        ),
        ({"user": "clear", "sslmode": "disable"}, 'user "clear", database "dev", no encryption'),
        ({"user": "clear", "password": "wrong"}, 'password authentication failed for user "clear"'),
        ({"user": "clear", "channel_binding": "require"}, "channel binding"),
    ],
)
def test_who_proves_nothing_stays_outside(
    secure: Secure, options: dict[str, str], told: str
) -> None:
    with pytest.raises(psycopg.OperationalError, match=told.replace("(", r"\(")):
        secure.connect(host="127.0.0.1", **options)


def test_a_wrong_password_has_its_sqlstate(secure: Secure) -> None:
    async def connect() -> None:
        context = ssl.create_default_context(cafile=str(secure.certificate))
        await asyncpg.connect(
            host="localhost",
            port=secure.address.port,
            user="ada",
            password="x",
            database="dev",
            ssl=context,
        )

    with pytest.raises(asyncpg.InvalidPasswordError) as caught:
        asyncio.run(connect())
    assert caught.value.sqlstate == "28P01"


def test_every_driver_comes_in(secure: Secure) -> None:
    context = ssl.create_default_context(cafile=str(secure.certificate))
    where: dict[str, Any] = {"host": "localhost", "port": secure.address.port, "user": "ada"}

    async def with_asyncpg() -> object:
        connection = await asyncpg.connect(**where, password=PASSWORD, database="dev", ssl=context)
        try:
            return await connection.fetchval("SELECT $1::int + 1", 41)
        finally:
            await connection.close()

    assert asyncio.run(with_asyncpg()) == 42
    with secure.connect(channel_binding="require") as psycopg_3:
        assert psycopg_3.execute("SELECT 42").fetchone() == (42,)
        assert psycopg_3.pgconn.ssl_in_use
    with secure.connect(user="clear") as in_clear_text:
        assert in_clear_text.execute("SELECT current_user").fetchone() == ("clear",)
    psycopg_2 = psycopg2.connect(secure.url())
    with psycopg_2.cursor() as cursor:
        cursor.execute("SELECT 42")
        assert cursor.fetchone() == (42,)
    psycopg_2.close()
    connection = pg8000.dbapi.connect(
        **where, password=PASSWORD, database="dev", ssl_context=context
    )
    cursor = connection.cursor()
    cursor.execute("SELECT 42")
    assert cursor.fetchone() == [42]
    connection.close()


@pytest.mark.parametrize(
    "arguments",
    [
        ("-newkey", "rsa:2048", "-sha384"),
        ("-newkey", "rsa:2048", "-sha512"),
        ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        ("-newkey", "ed25519"),
    ],
)
def test_a_given_certificate_binds_the_dialogue(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    made = make_certificate(tmp_path, *arguments)
    config = tmp_path / "tidegate.toml"
    config.write_text(
        '[[hba]]\nuser = "root"\nmethod = "trust"\n[[hba]]\nmethod = "scram-sha-256"\n'
    )
    given = ("--tls-cert", str(made.file), "--tls-key", str(made.key), "--config", str(config))
    with running_server(None, *given) as process:
        with process.address.connect() as root:
            root.execute(b"CREATE USER ada PASSWORD '" + PASSWORD.encode() + b"'")
        # Ed25519 names no hash, so there is nothing to bind to, in PostgreSQL neither.
        binding = "prefer" if "ed25519" in arguments else "require"
        with Secure(process.address, made.file).connect(channel_binding=binding) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_psql_changes_a_password_and_sends_only_what_proves_it(secure: Secure) -> None:
    with secure.address.connect() as root, secure.connect() as connection:
        root.execute("CREATE USER changed PASSWORD 'old'")
        encrypted = connection.pgconn.encrypt_password(b"new secret", b"changed", None)
        assert encrypted.startswith(b"SCRAM-SHA-256$4096:")
        root.execute(b"ALTER USER changed PASSWORD '" + encrypted + b"'")
        secure.connect(user="changed", password="'new secret'").close()
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            secure.connect(user="changed", password="old")
        root.execute("DROP USER changed")


# What buffers of TLS could get in the way of.


def test_much_is_copied_in_and_out(secure: Secure) -> None:
    rows = 200_000
    with secure.connect() as connection:
        connection.execute("CREATE TABLE bulk (id int PRIMARY KEY, t text)")
        with connection.cursor() as cursor:
            with cursor.copy("COPY bulk FROM STDIN") as copy:
                for start in range(0, rows, 1000):
                    copy.write(
                        "".join(f"{i}\t{'x' * (i % 200)}\n" for i in range(start, start + 1000))
                    )
            cursor.execute("SELECT count(*), sum(length(t)) FROM bulk")
            assert cursor.fetchone() == (rows, sum(i % 200 for i in range(rows)))
            size = 0
            with cursor.copy("COPY (SELECT id, t FROM bulk ORDER BY id) TO STDOUT") as copy:
                for piece in copy:
                    size += len(piece)
            assert size == sum(len(str(i)) + 2 + i % 200 for i in range(rows))
            cursor.execute("SELECT id, t FROM bulk ORDER BY id")
            assert all(len(t) == i % 200 for i, t in cursor)
        value = "y" * 5_000_000
        assert connection.execute("SELECT %s::text", [value]).fetchone() == (value,)
        connection.execute("DROP TABLE bulk")


def test_a_pipeline_is_one_transaction(secure: Secure) -> None:
    with secure.connect() as connection:
        connection.execute("CREATE TABLE piped (a int)")
        with connection.pipeline() as pipeline:
            for number in range(100):
                connection.execute("INSERT INTO piped VALUES (%s)", [number])
            connection.execute("SELECT 1/0")
            with pytest.raises(psycopg.errors.DivisionByZero):
                pipeline.sync()
        assert connection.execute("SELECT count(*) FROM piped").fetchone() == (0,)
        connection.execute("DROP TABLE piped")


def test_a_statement_is_cancelled_over_tls(secure: Secure) -> None:
    with secure.connect() as connection:
        backend = connection.info.backend_pid

        def cancel() -> None:
            with secure.address.connect() as root:
                until_runs(root, backend, "generate_series")
            time.sleep(0.3)  # In the middle of it.
            connection.cancel_safe(timeout=5)

        canceling = Background(cancel)
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute(
                "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b "
                "WHERE (a::bigint * b) % 7 = 3"
            )
        canceling.result()
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_client_that_goes_while_its_statement_waits_is_missed(secure: Secure) -> None:
    with secure.address.connect() as root, secure.connect() as other:
        other.execute("CREATE TABLE waited (a int)")
        root.execute("ALTER SYSTEM PAUSE")
        try:
            gone = secure.connect(application_name="gone")
            gone.pgconn.send_query(b"INSERT INTO waited VALUES (1)")

            def is_there() -> bool:
                row = root.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gone'"
                ).fetchone()
                return row == (1,)

            assert eventually(is_there)
            gone.close()
            assert eventually(lambda: not is_there())
        finally:
            root.execute("ALTER SYSTEM RESUME")
        assert other.execute("SELECT count(*) FROM waited").fetchone() == (0,)
        other.execute("DROP TABLE waited")


def test_the_end_of_the_server_is_told_over_tls(tmp_path: Path) -> None:
    process = ServerProcess(None, ("--tls-self-signed",))
    process.start()
    connection = process.address.connect(sslmode="require")
    assert connection.pgconn.ssl_in_use
    assert process.stop() == 0
    with pytest.raises(psycopg.errors.AdminShutdown):
        connection.execute("SELECT 1")
    connection.close()


def test_both_directions_at_once_do_not_mix(secure: Secure) -> None:
    """A client that writes while much is sent to it, and reads late."""
    with secure.connect() as connection, connection.pipeline() as pipeline:
        cursors = []
        for number in range(60):
            cursors.append(connection.execute("SELECT repeat('z', 100000) || %s", [str(number)]))
            if number % 20 == 0:
                pipeline.sync()
        pipeline.sync()
        for number, cursor in enumerate(cursors):
            row = cursor.fetchone()
            assert row is not None
            assert row[0] == "z" * 100_000 + str(number)


# Who is slow holds nobody up, and is given up in time.


def test_stalled_handshakes_hold_nobody_up(secure: Secure) -> None:
    before = time.monotonic()
    stalled: list[socket.socket] = []
    for number in range(60):
        plain = socket.create_connection((secure.address.host, secure.address.port), timeout=20)
        if number % 3 == 0:
            plain.sendall(b"\0\0\0")
        else:
            plain.sendall(struct.pack("!ii", 8, SSL_REQUEST))
            assert plain.recv(1) == b"S"
            if number % 3 == 1:
                plain.sendall(b"\x16\x03\x01\x02\x00\x01")
        stalled.append(plain)
    with secure.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert time.monotonic() - before < TIMEOUT_S
    for plain in stalled:
        try:
            while plain.recv(100):
                pass
        except ConnectionError:
            pass
        plain.close()
    assert time.monotonic() - before < 3 * TIMEOUT_S


def test_a_client_that_trickles_gets_no_more_time(secure: Secure) -> None:
    begun = time.monotonic()
    with secure.handshake() as wire:
        wire.sendall(struct.pack("!ii", 1000, 196608))
        wire.settimeout(0.1)
        while time.monotonic() - begun < 10 * TIMEOUT_S and is_open(wire):
            wire.sendall(b"u")
    assert TIMEOUT_S - 0.5 < time.monotonic() - begun < 10 * TIMEOUT_S


def is_open(wire: socket.socket) -> bool:
    try:
        return wire.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def test_garbage_instead_of_a_handshake_ends_one_connection(secure: Secure) -> None:
    for garbage in (
        b"GET / HTTP/1.1\r\n\r\n",
        os.urandom(300),
        b"\x16\x03\x01\xff\xff" + bytes(100),
    ):
        with socket.create_connection((secure.address.host, secure.address.port), 20) as plain:
            plain.sendall(struct.pack("!ii", 8, SSL_REQUEST))
            assert plain.recv(1) == b"S"
            plain.sendall(garbage)
            plain.settimeout(2 * TIMEOUT_S)
            try:
                while plain.recv(1000):
                    pass
            except ConnectionError:
                pass
    with secure.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_tls_1_2_is_the_oldest_that_is_spoken(secure: Secure) -> None:
    for version, is_spoken in (("-tls1_3", True), ("-tls1_2", True), ("-tls1_1", False)):
        done = subprocess.run(
            [
                *("openssl", "s_client", "-starttls", "postgres", version),
                *("-cipher", "DEFAULT:@SECLEVEL=0"),
                *("-connect", f"{secure.address.host}:{secure.address.port}"),
            ],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
        assert ("Server certificate" in done.stdout) == is_spoken, (version, done.stdout)


# Files.


def test_what_is_secret_is_readable_for_its_owner_alone(secure: Secure) -> None:
    directory = secure.certificate.parent
    for name in ("server.crt", "server.key", "cluster.json"):
        assert stat.S_IMODE((directory / name).stat().st_mode) == 0o600, name
    assert PASSWORD not in (directory / "cluster.json").read_text()


def test_a_certificate_is_made_once(tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        with (
            running_server(tmp_path / "data", "--tls-self-signed") as process,
            process.address.connect(sslmode="require") as connection,
        ):
            assert connection.pgconn.ssl_in_use
        seen.append((tmp_path / "data" / "server.crt").read_bytes())
    assert seen[0] == seen[1]
