"""What is written down of secrets: their values under the server's own key.

The key is made of what ``cluster.json`` holds and no database's file does, so that who opens or
copies such a file reads no secret. AES-GCM, a nonce for each value, bound to the secret's OID.
"""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Final

from catalog.oid import Oid

_NONCE_BYTES: Final = 12


class Seal:
    """Seals texts, and opens those that the same key has sealed."""

    def __init__(self, secret: bytes) -> None:
        self._key = hashlib.sha256(b"secrets\0" + secret).digest()

    def close(self, oid: Oid, text: str) -> str:
        """Return a secret's value as it is written down."""
        # Few servers hold a secret, and all wait for what is imported at their start.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(self._key).encrypt(nonce, text.encode(), _bound(oid))
        return base64.b64encode(nonce + sealed).decode()

    def open(self, oid: Oid, sealed: str) -> str | None:
        """Return the value of a secret; None when another key has sealed it."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        held = base64.b64decode(sealed)
        nonce, closed = held[:_NONCE_BYTES], held[_NONCE_BYTES:]
        try:
            return AESGCM(self._key).decrypt(nonce, closed, _bound(oid)).decode()
        except InvalidTag:
            return None


def _bound(oid: Oid) -> bytes:
    return str(oid).encode()
