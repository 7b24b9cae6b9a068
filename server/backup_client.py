"""The command line's side of a backup: asks a running server, or copies a stopped one's directory.

The client speaks as much of the protocol as one statement needs: no package for that is among the
server's own dependencies.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import struct
from pathlib import Path

from barrier import backup
from barrier.clock import SystemClock
from barrier.cluster import address_of
from catalog.errors import ObjectInUse, PgError
from server.wire.scram import MECHANISM, prepared

_PROTOCOL = 3 << 16


class BackupError(Exception):
    """The backup could not be made; the message is for the person who asked for it."""


def back_up(data_dir: Path, target: Path, *, user: str, password: str | None) -> str:
    """Back up the server of a data directory; returns a sentence about what was done.

    Args:
        data_dir: Where its data is.
        target: A new directory; of a running server, below what was granted to it.
        user: Whom a running server is asked as.
        password: His, if he needs one.

    Raises:
        BackupError: It could not be done.
    """
    try:
        backup.back_up_stopped(data_dir, target, SystemClock().now_ms())
    except ObjectInUse:
        address = address_of(data_dir)
        host, _, port = address.rpartition(" ")
        if not host:
            raise BackupError(f"{data_dir} is in use by a server that does not listen") from None
        quoted = "'" + str(target.absolute()).replace("'", "''") + "'"
        _ask(host, int(port), user, password, f"BACKUP TO {quoted}")
        return f"the running server at {host}:{port} has written its backup to {target}"
    except PgError as e:
        raise BackupError(_sentence(e.message, e.detail, e.hint)) from e
    return f"the stopped server's data was copied to {target}"


def restore(source: Path, data_dir: Path) -> str:
    """Make a data directory from a backup; returns a sentence about what was done.

    Raises:
        BackupError: It could not be done.
    """
    try:
        described = backup.restore(source, data_dir)
    except PgError as e:
        raise BackupError(_sentence(e.message, e.detail, e.hint)) from e
    return f"{len(described['files'])} files of the backup were put into {data_dir}"


def _ask(host: str, port: int, user: str, password: str | None, statement: str) -> None:
    """Run one statement on a server."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # listens everywhere
    try:
        with socket.create_connection((host, port)) as connection:
            talk = _Talk(connection)
            talk.begin(user, password)
            talk.send(b"Q", statement.encode() + b"\0")
            talk.skip_to(b"Z")
            talk.send(b"X", b"")
    except (OSError, EOFError) as e:
        raise BackupError(f"the server at {host}:{port} cannot be reached: {e}") from e


class _Talk:
    """A conversation with a server; what it calls an error is raised."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._file = connection.makefile("rb")

    def send(self, kind: bytes, body: bytes) -> None:
        self._connection.sendall(kind + struct.pack("!i", len(body) + 4) + body)

    def receive(self) -> tuple[bytes, bytes]:
        head = self._file.read(5)
        if len(head) < 5:
            raise EOFError("the connection was closed")
        (length,) = struct.unpack("!i", head[1:])
        body = self._file.read(length - 4)
        if head[:1] == b"E":
            fields = {part[:1]: part[1:].decode() for part in body.split(b"\0") if part}
            raise BackupError(_sentence(fields[b"M"], fields.get(b"D"), fields.get(b"H")))
        return head[:1], body

    def skip_to(self, kind: bytes) -> None:
        while self.receive()[0] != kind:
            pass

    def begin(self, user: str, password: str | None) -> None:
        settings = {"user": user, "database": "dev", "application_name": "tidegate backup"}
        body = b"".join(f"{k}\0{v}\0".encode() for k, v in settings.items())
        self._connection.sendall(struct.pack("!ii", len(body) + 9, _PROTOCOL) + body + b"\0")
        while True:
            kind, body = self.receive()
            if kind == b"Z":
                return
            if kind != b"R":
                continue
            (method,) = struct.unpack("!i", body[:4])
            if method and password is None:
                raise BackupError(f'user "{user}" needs a password: give it in TIDEGATE_PASSWORD')
            if method == 3:
                self.send(b"p", (password or "").encode() + b"\0")
            elif method == 10:
                self._prove(password or "")
            elif method not in (0, 12):
                raise BackupError("the server wants a way of authentication that is not known")

    def _prove(self, password: str) -> None:
        """Have the SCRAM dialogue (RFC 5802) from the client's side."""
        nonce = base64.b64encode(secrets.token_bytes(18)).decode()
        bare = f"n=,r={nonce}"
        first = f"n,,{bare}".encode()
        length = struct.pack("!i", len(first))
        self.send(b"p", MECHANISM.encode() + b"\0" + length + first)
        _, body = self.receive()
        challenge = body[4:].decode()
        given = dict(part.split("=", 1) for part in challenge.split(","))
        if not given["r"].startswith(nonce):
            raise BackupError("the server answered somebody else's question")
        salt, iterations = base64.b64decode(given["s"]), int(given["i"])
        salted = hashlib.pbkdf2_hmac("sha256", prepared(password), salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        unproved = f"c=biws,r={given['r']}"
        said = f"{bare},{challenge},{unproved}".encode()
        signature = hmac.digest(hashlib.sha256(client_key).digest(), said, "sha256")
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        self.send(b"p", f"{unproved},p={base64.b64encode(proof).decode()}".encode())
        _, body = self.receive()
        server_key = hmac.digest(salted, b"Server Key", "sha256")
        expected = base64.b64encode(hmac.digest(server_key, said, "sha256")).decode()
        if body[4:].decode() != f"v={expected}":
            raise BackupError("the server did not prove that it knows the password")


def _sentence(message: str, detail: str | None, hint: str | None) -> str:
    return " ".join(filter(None, (message + ".", detail, hint)))
