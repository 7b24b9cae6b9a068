"""How a connection begins, byte by byte, here and in PostgreSQL: both must say the same."""

from __future__ import annotations

import socket
import ssl
import struct
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Self

import pytest

from server.wire.scram import Verifier
from tests.support.certificate import Certificate, make_certificate
from tests.support.postgresql import programs, running_postgresql
from tests.support.rawwire import GSSENC_REQUEST, PROTOCOL, SSL_REQUEST
from tests.support.server import Address, running_server

PASSWORD = "correct horse"
VERIFIER = Verifier.of(PASSWORD, b"0123456789abcdef")

#: The rules of both servers: type, database, user, method.
RULES = [
    ("host", "all", "postgres", "trust"),
    ("host", "all", "nobody", "trust"),
    ("host", "all", "sleeper", "trust"),
    ("host", "all", "crowded", "trust"),
    ("hostssl", "all", "clear", "password"),
    ("host", "all", "rejected", "reject"),
    ("host", "all", "scram", "scram-sha-256"),
    ("host", "all", "absent", "scram-sha-256"),
    ("host", "all", "without", "scram-sha-256"),
    ("host", "all", "expired", "scram-sha-256"),
    ("hostssl", "all", "secure", "trust"),
]
USERS = [
    f"CREATE USER scram PASSWORD '{VERIFIER}'",
    f"CREATE USER clear PASSWORD '{PASSWORD}'",
    "CREATE USER without",
    f"CREATE USER expired PASSWORD '{VERIFIER}' VALID UNTIL '2020-01-01'",
    "CREATE USER secure",
    "CREATE ROLE sleeper",
    "CREATE USER crowded CONNECTION LIMIT 0",
]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def ours(certificate: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    config = tmp_path_factory.mktemp("config") / "tidegate.toml"
    rules = "".join(
        f'[[hba]]\ntype = "{kind}"\ndatabase = "{database}"\nuser = "{user}"\n'
        f'address = "127.0.0.1/32"\nmethod = "{method}"\n'
        for kind, database, user, method in RULES
    )
    config.write_text(
        f'tls_cert = "{certificate.file}"\ntls_key = "{certificate.key}"\n'
        f'authentication_timeout = "3s"\n{rules}'
    )
    with running_server(None, "--config", str(config)) as process:
        address = Address(process.address.host, process.address.port, "postgres", "dev")
        with address.connect() as connection:
            for statement in USERS:
                connection.execute(statement.encode())
        yield address


@pytest.fixture(scope="module")
def theirs(certificate: Certificate) -> Iterator[Address]:
    found = programs()
    if found is None:
        pytest.fail("these tests ask a PostgreSQL server: install one (initdb was not found)")
    rules = "".join(f"{k} {d} {u} 127.0.0.1/32 {m}\n" for k, d, u, m in RULES)
    files = {
        "server.crt": certificate.file.read_bytes(),
        "server.key": certificate.key.read_bytes(),
    }
    with running_postgresql(
        found, hba=rules, files=files, ssl="on", authentication_timeout="3s"
    ) as address:
        with address.connect() as connection:
            connection.execute("CREATE DATABASE dev")
            for statement in USERS:
                connection.execute(statement.encode())
        yield Address(address.host, address.port, "postgres", "dev")


class Wire:
    """A socket that is followed message by message; what differs from server to server is not."""

    def __init__(self, address: Address) -> None:
        self.socket: socket.socket = socket.create_connection(
            (address.host, address.port), timeout=20
        )
        self.told: list[object] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> Wire:
        self.socket.sendall(data)
        return self

    def byte(self) -> Wire:
        self.told.append(self.socket.recv(1))
        return self

    def encrypt(self) -> Wire:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.socket = context.wrap_socket(self.socket)
        return self

    def message(self) -> tuple[str, bytes]:
        header = self._exactly(5)
        (length,) = struct.unpack("!i", header[1:])
        kind, body = header[:1].decode(), self._exactly(length - 4)
        self.told.append(shown(kind, body))
        return kind, body

    def rest(self) -> list[object]:
        """Read up to ReadyForQuery or the end."""
        try:
            while self.message()[0] != "Z":
                pass
        except (EOFError, OSError):
            self.told.append("closed")
        return self.told

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            piece = self.socket.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data


def shown(kind: str, body: bytes) -> object:
    if kind == "E":
        parts = {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}
        return kind, {key: value for key, value in parts.items() if key in "SVCMDH"}
    if kind == "R":
        (code,) = struct.unpack_from("!i", body)
        return kind, code, body[4:] if code == 10 else b""
    return (kind, body) if kind in "vZ" else kind


def startup(version: int = PROTOCOL, /, **parameters: str) -> bytes:
    pairs = {"user": "postgres", "database": "dev", **parameters}
    body = b"".join(f"{name}\0{value}\0".encode() for name, value in pairs.items())
    return struct.pack("!ii", len(body) + 9, version) + body + b"\0"


def packet(body: bytes, version: int = PROTOCOL) -> bytes:
    return struct.pack("!ii", len(body) + 8, version) + body


def request(code: int) -> bytes:
    return struct.pack("!ii", 8, code)


def answer(body: bytes, kind: bytes = b"p") -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


@pytest.mark.parametrize(
    "data",
    [
        startup(),
        startup(database="nowhere"),
        startup(user="nobody"),
        startup(user="sleeper"),
        startup(user="crowded"),
        startup(user="rejected"),
        startup(user="secure"),
        startup(user="somebody", database="else"),
        startup(user=""),
        startup(4 << 16),
        startup((3 << 16) | 2),
        startup(PROTOCOL, **{"_pq_.one": "1", "_pq_.two": ""}),
        packet(b"user\0postgres\0"),
        packet(b"user\0postgres"),
        packet(b"user\0"),
        packet(b"user"),
        packet(b"user\0postgres\0\0\0"),
        packet(b""),
        packet(b"\0"),
        packet(b"database\0dev\0\0"),
        request(GSSENC_REQUEST)[:4] + struct.pack("!i", 80877105),
    ],
)
def test_a_packet_has_the_same_answer(ours: Address, theirs: Address, data: bytes) -> None:
    def ask(address: Address) -> list[object]:
        with Wire(address) as wire:
            return [part for part in wire.send(data).rest() if part != "S"]

    assert ask(ours) == ask(theirs)


def test_encryption_is_agreed_on_in_the_same_way(ours: Address, theirs: Address) -> None:
    def ask(address: Address) -> list[object]:
        told: list[object] = []
        with Wire(address) as wire:
            wire.send(request(SSL_REQUEST)).byte().encrypt()
            told += wire.send(startup(user="secure")).rest()
        for repeated in (GSSENC_REQUEST, SSL_REQUEST):
            with Wire(address) as wire:
                wire.send(request(SSL_REQUEST)).byte().encrypt().send(request(repeated))
                told += wire.rest()
        return [part for part in told if part != "S"]

    assert ask(ours) == ask(theirs)


def test_what_was_not_encrypted_is_not_believed(ours: Address, theirs: Address) -> None:
    def ask(address: Address) -> list[object]:
        told: list[object] = []
        with Wire(address) as wire:
            wire.send(request(SSL_REQUEST) + startup()).byte().encrypt()
            told += wire.rest()
        return told

    assert ask(ours) == ask(theirs)
    assert "received unencrypted data after SSL request" in str(ask(ours))


def test_what_was_sent_along_with_a_wish_for_gssapi_is_not_believed(ours: Address) -> None:
    with Wire(ours) as wire:
        told = str(wire.send(request(GSSENC_REQUEST) + startup()).byte().rest())
    assert told.startswith("[b'N'")
    assert "received unencrypted data after GSSAPI encryption request" in told


def sasl(mechanism: str, data: bytes | None) -> bytes:
    length = -1 if data is None else len(data)
    return answer(mechanism.encode() + b"\0" + struct.pack("!i", length) + (data or b""))


BARE = b"n=,r=fyko+d2lbbFgONRv9qkxdawL"


@pytest.mark.parametrize(
    "first",
    [
        sasl("SCRAM-SHA-256", b"n,," + BARE),
        sasl("SCRAM-SHA-256", None),
        sasl("SCRAM-SHA-256", b""),
        sasl("SCRAM-SHA-256", b"y,," + BARE),
        sasl("SCRAM-SHA-256", b"n,a=x," + BARE),
        sasl("SCRAM-SHA-256", b"n,b," + BARE),
        sasl("SCRAM-SHA-256", b"n" + BARE),
        sasl("SCRAM-SHA-256", b"p=tls-server-end-point,," + BARE),
        sasl("SCRAM-SHA-256", b"x,," + BARE),
        sasl("SCRAM-SHA-256", b"n,,m=ext," + BARE),
        sasl("SCRAM-SHA-256", b"n,,r=abc"),
        sasl("SCRAM-SHA-256", b"n,,n=,r=a\x01b"),
        sasl("SCRAM-SHA-256", b"n,,n=,r=a,z=1"),
        sasl("SCRAM-SHA-256", b"n,,n=,r=a,1=1"),
        sasl("SCRAM-SHA-256", b"n,,n=\0,r=a"),
        sasl("SCRAM-SHA-256", b"n,,n,r=a"),
        sasl("SCRAM-SHA-256-PLUS", b"p=tls-server-end-point,," + BARE),
        sasl("SCRAM-SHA-256-PLUS", b"p=tls-unique,," + BARE),
        sasl("SCRAM-SHA-256-PLUS", b"n,," + BARE),
        sasl("SCRAM-SHA-1", b"n,," + BARE),
        answer(b"SCRAM-SHA-256\0\0\0"),
        answer(b"SCRAM-SHA-256"),
        sasl("SCRAM-SHA-256", b"n,," + BARE) + answer(b""),
        answer(b"select 1\0", b"Q"),
        answer(b"", b"X"),
        b"p\0\0\0\2",
    ],
)
@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_first_word_of_scram_has_the_same_answer(
    ours: Address, theirs: Address, first: bytes, is_encrypted: bool
) -> None:
    def ask(address: Address) -> list[object]:
        with Wire(address) as wire:
            if is_encrypted:
                wire.send(request(SSL_REQUEST)).byte().encrypt()
            wire.send(startup(user="scram")).message()
            wire.send(first)
            kind, _ = wire.message()
            return wire.told if kind == "R" else wire.rest()

    assert ask(ours) == ask(theirs)


@pytest.mark.parametrize(
    "last",
    [
        "c=biws,r={nonce},p={proof}",
        "c=biws,r={nonce}x,p={proof}",
        "c=eSws,r={nonce},p={proof}",
        "c=biws,r={nonce},p=" + b64encode(b"short").decode(),
        "c=biws,r={nonce},p=!!",
        "c=biws,r={nonce},x=y,p={proof}",
        "c=biws,r={nonce},p={proof},x=y",
        "r={nonce},c=biws,p={proof}",
        "c=biws,r={nonce}",
        "c=biws",
        "",
    ],
)
@pytest.mark.parametrize("user", ["scram", "absent", "without", "expired"])
def test_a_last_word_of_scram_has_the_same_answer(
    ours: Address, theirs: Address, user: str, last: str
) -> None:
    def ask(address: Address) -> list[object]:
        with Wire(address) as wire:
            wire.send(startup(user=user)).message()
            _, body = wire.send(sasl("SCRAM-SHA-256", b"n,," + BARE)).message()
            nonce = body[4:].decode().split(",")[0][2:]
            words = last.format(nonce=nonce, proof=b64encode(bytes(32)).decode())
            return wire.send(answer(words.encode())).rest()

    assert ask(ours) == ask(theirs)


@pytest.mark.parametrize(
    "said",
    [
        answer(PASSWORD.encode() + b"\0"),
        answer(b"wrong\0"),
        answer(b"\0"),
        answer(b""),
        answer(b"no end"),
        answer(b"a\0b\0"),
        answer(b"select 1\0", b"Q"),
    ],
)
def test_a_password_in_clear_text_has_the_same_answer(
    ours: Address, theirs: Address, said: bytes
) -> None:
    def ask(address: Address) -> list[object]:
        with Wire(address) as wire:
            wire.send(request(SSL_REQUEST)).byte().encrypt().send(startup(user="clear")).message()
            told = wire.send(said).rest()
            return [part for part in told if part != "S"]

    assert ask(ours) == ask(theirs)


def test_a_salt_is_the_same_whenever_one_asks(ours: Address) -> None:
    def salt(user: str) -> bytes:
        with Wire(ours) as wire:
            wire.send(startup(user=user)).message()
            _, body = wire.send(sasl("SCRAM-SHA-256", b"n,," + BARE)).message()
            return body.split(b",")[1]

    for user in ("scram", "absent", "without"):
        assert salt(user) == salt(user)
    assert salt("absent") != salt("without")
    assert len({len(salt(user)) for user in ("scram", "absent", "without")}) == 1


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("search_path", '"Mixed Case", public'),
        ("search_path", '"public"'),
        ("application_name", "'quoted'"),
        ("DateStyle", "'ISO'"),
        ("client_encoding", "'utf-8'"),
        ("options", r'-c search_path="Mixed\ Case"'),
        ("options", "-c application_name='x'"),
        ("TimeZone", "'UTC'"),
    ],
)
def test_quotes_in_settings_mean_the_same(
    ours: Address, theirs: Address, name: str, wanted: str
) -> None:
    def shown(address: Address) -> Sequence[object]:
        asked = {"search_path", "application_name", "client_encoding"} & {name} or {"search_path"}
        with Wire(address) as wire:
            told = wire.send(startup(**{name: wanted})).rest()
            if errors := [part for part in told if isinstance(part, tuple) and part[0] == "E"]:
                return errors
            wire.told.clear()
            found = "".join(f"SHOW {setting};" for setting in asked).encode() + b"\0"
            query = b"Q" + struct.pack("!i", len(found) + 4) + found
            told = wire.send(query).rest()
            return [part for part in told if isinstance(part, tuple) and part[0] in "DE"]

    assert shown(ours) == shown(theirs)


def test_parameters_come_before_the_key_and_the_key_before_the_first_query(
    ours: Address, theirs: Address
) -> None:
    def order(address: Address) -> list[str]:
        with Wire(address) as wire:
            kinds = [str(part[0]) for part in wire.send(startup()).rest() if part]  # type: ignore[index]
        return [kind for n, kind in enumerate(kinds) if n == 0 or kinds[n - 1] != kind]

    assert order(ours) == order(theirs) == ["R", "S", "K", "Z"]


def test_the_password_dialogue_ends_in_time(ours: Address, theirs: Address) -> None:
    def ask(address: Address) -> list[object]:
        with Wire(address) as wire:
            wire.send(startup(user="scram")).message()
            return wire.rest()

    assert ask(ours) == ask(theirs)
    assert ask(ours)[-1] == "closed"
