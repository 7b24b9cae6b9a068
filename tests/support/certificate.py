"""A certificate for tests, made by openssl: what is proved by it owes nothing to our own code."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificate:
    """Where a certificate that vouches for itself and its key are kept."""

    file: Path
    key: Path


def make_certificate(directory: Path, *arguments: str) -> Certificate:
    """A certificate for localhost and 127.0.0.1; openssl's arguments may choose another key."""
    made = Certificate(directory / "server.crt", directory / "server.key")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
            *("-keyout", str(made.key), "-out", str(made.file)),
            *(arguments or ("-newkey", "rsa:2048")),
        ],
        check=True,
        capture_output=True,
    )
    made.key.chmod(0o600)
    return made
