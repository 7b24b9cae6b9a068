"""Passwords and secrets in statements are for nobody's eyes."""

from __future__ import annotations

import pytest

from server.sql.redaction import redacted

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
    assert redacted(f"ALTER USER u PASSWORD {written} LOGIN") == SHOWN


def test_blanks_and_comments_hide_nothing() -> None:
    text = "alter user u encrypted password /* 'x' */ -- y\n 'secret'"
    assert "secret" not in redacted(text)


def test_what_does_not_end_is_not_shown_either() -> None:
    for text in ("ALTER USER u PASSWORD 'secret", "ALTER USER u PASSWORD $x$secret"):
        assert redacted(text) == "ALTER USER u PASSWORD '********'"


@pytest.mark.parametrize(
    "written",
    ["'hunter2'", "E'it\\'s hunter2'", '"hunter2"', "$$hunter2; $$", "'hunter2", "'x''hunter2'"],
)
def test_the_value_of_a_secret_is_not_shown_however_it_is_written(written: str) -> None:
    for begin in ("CREATE SECRET s WITH (backend = 'meta') AS ", "alter /* ' */ secret s as\n"):
        assert "hunter2" not in redacted(f"SELECT 1; {begin}{written}")
    shown = redacted("ALTER SECRET s AS 'hunter2'; SELECT 'x'")
    assert shown == "ALTER SECRET s AS '********'; SELECT 'x'"


def test_a_secret_in_an_option_is_its_name() -> None:
    text = "CREATE SOURCE s WITH (connector = 'datagen', x = SECRET y)"
    assert redacted(text) == text


def test_the_rest_is_shown() -> None:
    text = "SELECT 'password', password FROM t WHERE x = 'y'; ALTER USER u PASSWORD NULL"
    assert redacted(text) == text
