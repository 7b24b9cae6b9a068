"""What is kept instead of a password: PostgreSQL made it, and it fits here."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from server.wire.scram import Verifier
from tests.support.server import Address, Connection

#: Plain ones, and all that SASLprep changes, removes or forbids.
PASSWORDS = [
    "secret",
    " spaces \t and\ttabs ",
    "control\x01\x7f",
    "ünïcödé",
    "I\u00adX",  # a soft hyphen is nothing
    "\u2168",  # nine in Roman figures is IX
    "\u00aa",  # the feminine ordinal is a
    "a\u00a0b\u3000c",  # blanks of all kinds
    "e\u0301",  # e and an accent are one
    "\ufb01",  # a ligature is two letters
    "\u0627\u0628",  # from the right
    "\u0627\u0031",  # from the right, and ending in a figure
    "a\u0627",  # from both sides
    "\u0627a\u0628",
    "\ue000",  # private
    "\u2028",
    "\ufffd",
    "\U0001f600",  # younger than SASLprep knows
    "\u200d\u00ad",  # nothing at all
    "\u0007\u00e4",
    "日本語",
    "x" * 2000,
]


@pytest.fixture(scope="module")
def judge(postgresql: Address) -> Iterator[Connection]:
    with postgresql.connect() as connection:
        yield connection


@pytest.mark.parametrize("password", PASSWORDS, ids=ascii)
def test_what_postgresql_keeps_fits_the_password_alone(judge: Connection, password: str) -> None:
    judge.execute("DROP USER IF EXISTS kept")
    judge.execute(psycopg.sql.SQL("CREATE USER kept PASSWORD {}").format(password))
    row = judge.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'kept'").fetchone()
    judge.execute("DROP USER kept")
    assert row is not None
    verifier = Verifier.parse(row[0])
    assert verifier is not None
    assert str(verifier) == row[0]
    assert verifier.fits(password)
    assert not verifier.fits(password + "x")
    assert Verifier.of(password, verifier.salt, verifier.iterations) == verifier


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SCRAM-SHA-256",
        "SCRAM-SHA-256$4096:c2FsdA==$c2hvcnQ=:c2hvcnQ=",
        "SCRAM-SHA-256$x:c2FsdA==$" + "A" * 43 + "=:" + "A" * 43 + "=",
        "SCRAM-SHA-256$4096:!!$" + "A" * 43 + "=:" + "A" * 43 + "=",
        "SCRAM-SHA-1$4096:c2FsdA==$" + "A" * 43 + "=:" + "A" * 43 + "=",
    ],
)
def test_what_is_no_verifier_is_a_password_in_postgresql_too(judge: Connection, text: str) -> None:
    assert Verifier.parse(text) is None
    if text:
        judge.execute("DROP USER IF EXISTS kept")
        judge.execute(psycopg.sql.SQL("CREATE USER kept PASSWORD {}").format(text))
        row = judge.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'kept'").fetchone()
        judge.execute("DROP USER kept")
        assert row is not None
        assert row[0] != text
