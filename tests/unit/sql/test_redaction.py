"""Passwords in statements are for nobody's eyes."""

from __future__ import annotations

import pytest

from server.sql.redaction import without_passwords

SHOWN = "ALTER USER u PASSWORD '********' LOGIN"


@pytest.mark.parametrize(
    "written",
    [
        "'secret'",
        "'it''s secret'",
        "E'it\\'s secret'",
        "'secret\nin lines'",
        "$$secret$$",
        "$a$secret $$ secret$a$",
        "U&'secret'",
    ],
)
def test_a_password_is_not_shown_however_it_is_written(written: str) -> None:
    assert without_passwords(f"ALTER USER u PASSWORD {written} LOGIN") == SHOWN


def test_blanks_and_comments_hide_nothing() -> None:
    text = "alter user u encrypted password /* 'x' */ -- y\n 'secret'"
    assert "secret" not in without_passwords(text)


def test_what_does_not_end_is_not_shown_either() -> None:
    for text in ("ALTER USER u PASSWORD 'secret", "ALTER USER u PASSWORD $x$secret"):
        assert without_passwords(text) == "ALTER USER u PASSWORD '********'"


def test_the_rest_is_shown() -> None:
    text = "SELECT 'password', password FROM t WHERE x = 'y'; ALTER USER u PASSWORD NULL"
    assert without_passwords(text) == text
