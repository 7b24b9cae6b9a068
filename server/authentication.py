"""Lets a client prove who it is, by the method that the rules want.

A user who does not exist, or has no password, is asked as every other and fails as every other: who
is there is not for strangers to find out.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from barrier.clock import Clock
from catalog.errors import InvalidAuthorization, InvalidPassword, PgError, ProtocolViolation
from catalog.relation import User
from server.hba import Attempt, Method, Rule, method_for
from server.wire import messages as m
from server.wire.scram import (
    ITERATIONS,
    KEY_BYTES,
    MECHANISM,
    MECHANISM_PLUS,
    NONCE_BYTES,
    SALT_BYTES,
    ScramDialogue,
    Verifier,
)
from server.wire.startup import SaslInitial, decode_password, decode_sasl_initial

_LOG: Final = logging.getLogger(__name__)

#: Sends a message and returns the body of what the client answers.
Ask = Callable[[m.BackendMessage], bytes]


class WrongAnswerError(Exception):
    """What a client answered is none; it is told no more than that it failed."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a server knows of those who may come in.

    Attributes:
        find_user: Returns the user of that name.
        secret: Makes up salts for those who have none; the same for as long as the server lives.
    """

    rules: Sequence[Rule]
    find_user: Callable[[str], User | None]
    secret: bytes
    clock: Clock

    def authenticate(
        self, attempt: Attempt, ask: Ask, binding: bytes | None
    ) -> Sequence[m.BackendMessage]:
        """Return the messages with which a client is let in.

        Args:
            attempt: Who it says it is, and how it came.
            ask: Sends a message and waits for the answer.
            binding: What names the certificate that the client was shown.

        Raises:
            PgError: It is not let in.
        """
        method = method_for(self.rules, attempt)
        try:
            match method:
                case Method.TRUST:
                    return (m.AuthenticationOk(),)
                case Method.PASSWORD:
                    self._password(attempt, ask)
                    return (m.AuthenticationOk(),)
                case Method.SCRAM:
                    final = self._scram(attempt, ask, binding)
                    return (m.AuthenticationSaslFinal(final), m.AuthenticationOk())
                case Method.REJECT:
                    raise AssertionError(method)
        except WrongAnswerError as e:
            raise _failed(attempt) from e

    def _password(self, attempt: Attempt, ask: Ask) -> None:
        if not attempt.is_encrypted:
            raise InvalidAuthorization(
                "a password in clear text is not accepted without SSL encryption", severity="FATAL"
            )
        password = decode_password(ask(m.AuthenticationCleartextPassword()))
        if not password:
            raise InvalidPassword("empty password returned by client", severity="FATAL")
        verifier, is_real = self._verifier(attempt.user)
        if not (verifier.fits(password) and is_real):
            raise _failed(attempt)

    def _scram(self, attempt: Attempt, ask: Ask, binding: bytes | None) -> bytes:
        mechanisms = (MECHANISM,) if binding is None else (MECHANISM_PLUS, MECHANISM)
        initial = decode_sasl_initial(ask(m.AuthenticationSasl(mechanisms)))
        if initial.mechanism not in mechanisms:
            raise ProtocolViolation("client selected an invalid SASL authentication mechanism")
        verifier, is_real = self._verifier(attempt.user)
        dialogue = ScramDialogue(
            verifier,
            b64encode(secrets.token_bytes(NONCE_BYTES)).decode(),
            binding=binding,
            is_bound=initial.mechanism == MECHANISM_PLUS,
        )
        first = dialogue.first(_first_message(initial, ask))
        final = dialogue.final(ask(m.AuthenticationSaslContinue(first)))
        if final is None or not is_real:
            raise _failed(attempt)
        return final

    def _verifier(self, name: str) -> tuple[Verifier, bool]:
        """Return what a password is held against, and whether any is good enough."""
        user = self.find_user(name)
        if user is None:
            _LOG.info('role "%s" does not exist', name)
        elif user.verifier is None:
            _LOG.info('user "%s" has no password assigned', name)
        elif user.valid_until_ms is not None and user.valid_until_ms < self.clock.now_ms():
            _LOG.info('user "%s" has an expired password', name)
        else:
            verifier = Verifier.parse(user.verifier)
            assert verifier is not None, name
            return verifier, True
        # The salt must not change when the client comes again, and making it must take no time.
        salt = hashlib.sha256(name.encode() + self.secret).digest()[:SALT_BYTES]
        return Verifier(ITERATIONS, salt, bytes(KEY_BYTES), bytes(KEY_BYTES)), False


def _first_message(initial: SaslInitial, ask: Ask) -> bytes:
    """Return the client's first message, which it may have kept back until it is asked again."""
    return initial.data if initial.data is not None else ask(m.AuthenticationSaslContinue(b""))


def _failed(attempt: Attempt) -> PgError:
    _LOG.info("password authentication failed for %s", attempt)
    return InvalidPassword(
        f'password authentication failed for user "{attempt.user}"', severity="FATAL"
    )
