"""The certificate that the server shows, and how it speaks TLS."""

from __future__ import annotations

import os
import secrets
import socket
import ssl
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from server.channel import Tls

CERTIFICATE_FILE: Final = "server.crt"
KEY_FILE: Final = "server.key"

_YEARS_VALID: Final = 10
_WEAK_HASHES: Final = (hashes.MD5, hashes.SHA1)


class TlsError(Exception):
    """TLS cannot be spoken; the message names the file and what is wrong with it."""


def from_files(certificate: Path, key: Path) -> Tls:
    """Read a certificate, followed by those that vouch for it, and its key; both are PEM.

    Raises:
        TlsError: One of them cannot be used.
    """
    chain = _read(certificate, "tls_cert")
    _read(key, "tls_key")
    _refuse_strangers(key)
    context = _context()
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError as e:
        raise TlsError(f"tls_key {key} does not fit tls_cert {certificate}: {e.reason or e}") from e
    except OSError as e:
        raise TlsError(f"tls_key {key}: {e.strerror or e}") from e
    return Tls(context, _binding(chain, certificate))


def self_signed(directory: Path | None, host: str, now: datetime) -> Tls:
    """Return a certificate that nobody but its own copy vouches for; made when there is none.

    Args:
        directory: Where it is kept, readable for the owner alone; None keeps it in memory.
        host: The address that the server listens at.
        now: What time it is.

    Raises:
        TlsError: What is there cannot be used, or it cannot be written.
    """
    if directory is None:
        certificate, key = _made(host, now)
        with _in_files(certificate, key) as (certificate_file, key_file, password):
            context = _context()
            context.load_cert_chain(certificate_file, key_file, password)
        return Tls(context, _binding(certificate.public_bytes(_PEM), certificate_file))
    certificate_file, key_file = directory / CERTIFICATE_FILE, directory / KEY_FILE
    if not _is_good(certificate_file, key_file, now):
        certificate, key = _made(host, now)
        certificate_file.unlink(
            missing_ok=True
        )  # A crash from here on leaves no pair that differs.
        _write(key_file, _key_bytes(key, serialization.NoEncryption()))
        _write(certificate_file, certificate.public_bytes(_PEM))
    return from_files(certificate_file, key_file)


_PEM: Final = serialization.Encoding.PEM


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # A session lives as long as its connection: nothing is resumed or agreed upon anew.
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_NO_TICKET
    context.num_tickets = 0
    return context


def _binding(chain: bytes, file: Path) -> bytes | None:
    try:
        certificate = x509.load_pem_x509_certificates(chain)[0]
        algorithm = certificate.signature_hash_algorithm
    except UnsupportedAlgorithm:
        return None
    except ValueError as e:
        raise TlsError(f"tls_cert {file}: {e}") from e
    if algorithm is None:
        return None
    if isinstance(algorithm, _WEAK_HASHES):
        algorithm = hashes.SHA256()
    return certificate.fingerprint(algorithm)


def _read(file: Path, what: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as e:
        raise TlsError(f"{what} {file}: {e.strerror or e}") from e


def _refuse_strangers(key: Path) -> None:
    """A key that others can read is no secret; root's may be given to a group, as in PostgreSQL."""
    found = key.stat()
    allowed = 0o740 if found.st_uid == 0 else 0o700
    if stat.S_IMODE(found.st_mode) & ~allowed:
        raise TlsError(
            f"tls_key {key} has group or world access; "
            "it must have permissions u=rw (0600) or less, or u=rw,g=r (0640) if owned by root"
        )


def _is_good(certificate_file: Path, key_file: Path, now: datetime) -> bool:
    """Whether both were made before and are valid for another day."""
    if not (certificate_file.exists() and key_file.exists()):
        return False
    try:
        certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
    except (OSError, ValueError) as e:
        raise TlsError(f"{certificate_file}: {e}") from e
    return certificate.not_valid_after_utc > now + timedelta(days=1)


def _made(host: str, now: datetime) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tidegate")])
    public = key.public_key()
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=False, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365 * _YEARS_VALID))
        .add_extension(x509.SubjectAlternativeName(_names(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    return certificate, key


def _names(host: str) -> list[x509.GeneralName]:
    """Return by which names and addresses clients may reach the server."""
    texts = ["localhost", socket.gethostname(), "127.0.0.1", "::1", host]
    names: list[x509.GeneralName] = []
    for text in dict.fromkeys(text for text in texts if text and text.isascii()):
        try:
            address = ip_address(text)
        except ValueError:
            names.append(x509.DNSName(text))
        else:
            if not address.is_unspecified:
                names.append(x509.IPAddress(address))
    return names


def _key_bytes(
    key: ec.EllipticCurvePrivateKey, encryption: serialization.KeySerializationEncryption
) -> bytes:
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, encryption)


@contextmanager
def _in_files(
    certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
) -> Iterator[tuple[Path, Path, str]]:
    """Put both where OpenSSL wants to read them; the key never stands there unencrypted."""
    password = secrets.token_hex(32)
    encryption = serialization.BestAvailableEncryption(password.encode())
    with tempfile.TemporaryDirectory(prefix="tidegate-") as directory:
        certificate_file, key_file = Path(directory, CERTIFICATE_FILE), Path(directory, KEY_FILE)
        _write(certificate_file, certificate.public_bytes(_PEM))
        _write(key_file, _key_bytes(key, encryption))
        yield certificate_file, key_file, password


def _write(file: Path, data: bytes) -> None:
    """Write a file that only its owner can read."""
    try:
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            opened.write(data)
    except OSError as e:
        raise TlsError(f"{file}: {e.strerror or e}") from e
