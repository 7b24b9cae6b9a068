"""SCRAM-SHA-256, the server's side: verifiers, and the dialogue (RFC 5802, 7677; PostgreSQL 15).

PostgreSQL's clients leave the user name in the dialogue empty, since the startup packet has it, and
a verifier may have any salt and any number of iterations; what a client does wrong is told in
PostgreSQL's words.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import stringprep
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from catalog.errors import FeatureNotSupported, InvalidAuthorization, ProtocolViolation

MECHANISM: Final = "SCRAM-SHA-256"
MECHANISM_PLUS: Final = "SCRAM-SHA-256-PLUS"
ITERATIONS: Final = 4096
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 18

_BINDING_TYPE: Final = "tls-server-end-point"
KEY_BYTES: Final = hashlib.sha256().digest_size
_INT4_MAX: Final = 2**31 - 1
#: Messages are compared and signed byte by byte, whatever their encoding.
_BYTEWISE: Final = "latin-1"


@dataclass(frozen=True, slots=True)
class Verifier:
    """What proves a password without being it."""

    iterations: int
    salt: bytes
    stored_key: bytes
    server_key: bytes

    @classmethod
    def of(cls, password: str, salt: bytes, iterations: int = ITERATIONS) -> Verifier:
        """Return the verifier of a password; this takes milliseconds, which is its purpose."""
        salted = hashlib.pbkdf2_hmac("sha256", prepared(password), salt, iterations)
        client_key = _hmac(salted, b"Client Key")
        return cls(
            iterations, salt, hashlib.sha256(client_key).digest(), _hmac(salted, b"Server Key")
        )

    @classmethod
    def parse(cls, text: str) -> Verifier | None:
        """Return the verifier in the form of pg_authid.rolpassword, or None if it is none."""
        scheme, _, rest = text.partition("$")
        parameters, _, keys = rest.partition("$")
        iterations, _, salt = parameters.partition(":")
        stored_key, _, server_key = keys.partition(":")
        if scheme != MECHANISM or not (iterations.isascii() and iterations.isdigit()):
            return None
        parts = [_decoded(part) for part in (salt, stored_key, server_key)]
        if any(part is None for part in parts) or not 0 < int(iterations) <= _INT4_MAX:
            return None
        salt_bytes, stored_bytes, server_bytes = (part or b"" for part in parts)
        if len(stored_bytes) != KEY_BYTES or len(server_bytes) != KEY_BYTES:
            return None
        return cls(int(iterations), salt_bytes, stored_bytes, server_bytes)

    def __str__(self) -> str:
        salt, stored, server = map(_encoded, (self.salt, self.stored_key, self.server_key))
        return f"{MECHANISM}${self.iterations}:{salt}${stored}:{server}"

    def fits(self, password: str) -> bool:
        """Whether it is that password's; takes as long either way."""
        theirs = Verifier.of(password, self.salt, self.iterations)
        return hmac.compare_digest(theirs.server_key, self.server_key)


def prepared(password: str) -> bytes:
    """Return what is hashed: the password by SASLprep, or as it is where that forbids it."""
    if password.isascii():
        return password.encode()
    mapped = "".join(
        " " if stringprep.in_table_c12(character) else character
        for character in password
        if not stringprep.in_table_b1(character)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    is_allowed = normal and not any(map(_is_prohibited, normal)) and _reads_one_way(normal)
    return (normal if is_allowed else password).encode()


class ScramDialogue:
    """One client's proof that it knows a password.

    Args:
        verifier: The password's.
        nonce: Never used before, printable and without commas.
        binding: What names this TLS connection's certificate; None without TLS.
        is_bound: Whether the client has chosen the mechanism with channel binding.
    """

    def __init__(
        self, verifier: Verifier, nonce: str, *, binding: bytes | None, is_bound: bool
    ) -> None:
        assert binding is not None or not is_bound
        self._verifier = verifier
        self._nonce = nonce
        self._binding = binding
        self._is_bound = is_bound
        self._flag = ""
        self._client_first_bare = ""
        self._server_first = ""

    def first(self, message: bytes) -> bytes:
        """Answer the client's first message.

        Raises:
            PgError: It is malformed, or wants what there is not.
        """
        attributes = _Attributes(message)
        self._flag = self._binding_flag(attributes)
        if attributes.front == "a":
            raise FeatureNotSupported("client uses authorization identity, but it is not supported")
        if attributes.front != ",":
            raise _malformed(
                f'Unexpected attribute "{_shown(attributes.front)}" in client-first-message.'
            )
        attributes.skip(1)
        self._client_first_bare = attributes.rest
        if attributes.front == "m":
            raise FeatureNotSupported("client requires an unsupported SCRAM extension")
        attributes.value("n")  # Whom the startup packet names is meant, whatever stands here.
        nonce = attributes.value("r")
        if not all("!" <= character <= "~" for character in nonce):
            raise ProtocolViolation("non-printable characters in SCRAM nonce")
        while attributes.rest:
            attributes.any_value()
        self._nonce = nonce + self._nonce
        salt = _encoded(self._verifier.salt)
        self._server_first = f"r={self._nonce},s={salt},i={self._verifier.iterations}"
        return self._server_first.encode()

    def final(self, message: bytes) -> bytes | None:
        """Answer the client's proof; None when it proves nothing.

        Raises:
            PgError: It is malformed, or belongs to another connection.
        """
        attributes = _Attributes(message)
        self._check_binding(attributes.value("c"))
        nonce = attributes.value("r")
        without_proof = attributes.taken
        name, proof_text = attributes.any_value()
        while name != "p":
            without_proof = attributes.taken
            name, proof_text = attributes.any_value()
        proof = _decoded(proof_text)
        if proof is None or len(proof) != KEY_BYTES:
            raise _malformed("Malformed proof in client-final-message.")
        if attributes.rest:
            raise _malformed("Garbage found at the end of client-final-message.")
        if not hmac.compare_digest(nonce.encode(_BYTEWISE), self._nonce.encode(_BYTEWISE)):
            raise ProtocolViolation("invalid SCRAM response", detail="Nonce does not match.")
        said = f"{self._client_first_bare},{self._server_first},{without_proof}".encode(_BYTEWISE)
        signature = _hmac(self._verifier.stored_key, said)
        client_key = bytes(a ^ b for a, b in zip(signature, proof, strict=True))
        if not hmac.compare_digest(hashlib.sha256(client_key).digest(), self._verifier.stored_key):
            return None
        return b"v=" + _encoded(_hmac(self._verifier.server_key, said)).encode()

    def _binding_flag(self, attributes: _Attributes) -> str:
        """Take whether the client binds the channel: ``n``, ``y`` or ``p``, and the comma."""
        flag = attributes.front
        match flag:
            case "n" | "y" if self._is_bound:
                raise _malformed(
                    f"The client selected {MECHANISM_PLUS}, "
                    "but the SCRAM message does not include channel binding data."
                )
            case "y" if self._binding is not None:
                # Somebody between the client and here has hidden what is offered.
                raise InvalidAuthorization(
                    "SCRAM channel binding negotiation error",
                    detail="The client supports SCRAM channel binding but thinks the server does "
                    "not.  However, this server does support channel binding.",
                )
            case "n" | "y":
                attributes.skip(1)
                if attributes.front != ",":
                    raise _malformed(
                        f'Comma expected, but found character "{_shown(attributes.front)}".'
                    )
                attributes.skip(1)
            case "p" if not self._is_bound:
                raise _malformed(
                    f"The client selected {MECHANISM} without channel binding, "
                    "but the SCRAM message includes channel binding data."
                )
            case "p":
                kind = attributes.value("p")
                if kind != _BINDING_TYPE:
                    raise ProtocolViolation(f'unsupported SCRAM channel-binding type "{kind}"')
            case _:
                raise _malformed(f'Unexpected channel-binding flag "{_shown(flag)}".')
        return flag

    def _check_binding(self, given: str) -> None:
        if self._is_bound:
            assert self._binding is not None
            expected = _encoded(f"p={_BINDING_TYPE},,".encode() + self._binding)
            if not hmac.compare_digest(given.encode(_BYTEWISE), expected.encode(_BYTEWISE)):
                raise InvalidAuthorization("SCRAM channel binding check failed")
        elif given != _encoded(f"{self._flag},,".encode()):
            raise ProtocolViolation(
                "unexpected SCRAM channel-binding attribute in client-final-message"
            )


class _Attributes:
    """A message of attributes ``x=value``, divided by commas, read from its front."""

    def __init__(self, message: bytes) -> None:
        if not message:
            raise _malformed("The message is empty.")
        if b"\0" in message:
            raise _malformed("Message length does not match input length.")
        self._text = message.decode(_BYTEWISE)
        self._at = 0
        self._end = 0  #: Where the last attribute ended, without the comma after it.

    @property
    def front(self) -> str:
        """The character in front; empty at the end."""
        return self._text[self._at : self._at + 1]

    @property
    def rest(self) -> str:
        """What was not taken yet."""
        return self._text[self._at :]

    @property
    def taken(self) -> str:
        """What was taken so far, without the last comma."""
        return self._text[: self._end]

    def skip(self, count: int) -> None:
        """Take characters."""
        self._at += count

    def value(self, name: str) -> str:
        """Take the attribute of that name."""
        if self.front != name:
            raise _malformed(f'Expected attribute "{name}" but found "{_shown(self.front)}".')
        return self.any_value()[1]

    def any_value(self) -> tuple[str, str]:
        """Take an attribute of any name."""
        name = self.front
        if not (name.isascii() and name.isalpha()):
            what = f'invalid character "{_shown(name)}"' if name else "end of string"
            raise _malformed(f"Attribute expected, but found {what}.")
        if self._text[self._at + 1 : self._at + 2] != "=":
            raise _malformed(f'Expected character "=" for attribute "{name}".')
        value, comma, _ = self._text[self._at + 2 :].partition(",")
        self._end = self._at + 2 + len(value)
        self._at = self._end + len(comma)
        return name, value


def _malformed(detail: str) -> ProtocolViolation:
    return ProtocolViolation("malformed SCRAM message", detail=detail)


def _shown(character: str) -> str:
    """Return a character for a message: in quotes, or the number of one that cannot be printed."""
    if len(character) == 1 and "!" <= character <= "~":
        return f"'{character}'"
    return f"0x{ord(character or chr(0)):02x}"


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


#: RFC 4013, 2.3 and 2.5: what may not stand in a password, and what no Unicode 3.2 has.
_PROHIBITED: Final[tuple[Callable[[str], bool], ...]] = (
    stringprep.in_table_a1,
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def _is_prohibited(character: str) -> bool:
    return any(is_in(character) for is_in in _PROHIBITED)


def _reads_one_way(text: str) -> bool:
    """Whether a text follows RFC 3454, 6: what is read from the right is not mixed with others."""
    if not any(map(stringprep.in_table_d1, text)):
        return True
    if any(map(stringprep.in_table_d2, text)):
        return False
    return stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])
