"""The same statements beside a real PostgreSQL: tags, rows, and all that is said of an error."""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg.types.string import TextLoader

from tests.support.server import Address

#: What was said of a statement: its tag and rows, or the error; and its notices.
Outcome = tuple[Any, list[tuple[Any, ...]]]

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?(\+00)?")


def statements_of(script: str) -> list[str]:
    """The statements of a script; each ends with a semicolon at the end of a line."""
    return [s.strip() for s in re.split(r";\n", script) if s.strip()]


def outcomes(address: Address, statements: list[str]) -> list[Outcome]:
    """What becomes of statements, one after the other in one session; times of day left out."""
    told: list[tuple[Any, ...]] = []
    found: list[Outcome] = []
    with address.connect() as connection:
        connection.prepare_threshold = None
        for name in ("json", "jsonb"):  # As they are written: 2.50 is not 2.5.
            connection.adapters.register_loader(name, TextLoader)
        connection.add_notice_handler(
            lambda d: told.append((d.severity, d.sqlstate, d.message_primary, d.message_detail))
        )
        for statement in statements:
            told.clear()
            found.append((_outcome(connection, statement), list(told)))
    return found


def _outcome(connection: psycopg.Connection[Any], statement: str) -> Any:
    try:
        cursor = connection.execute(statement.encode())
    except psycopg.Error as e:
        said = e.diag
        detail = None if said.message_detail is None else _TIME.sub("<time>", said.message_detail)
        return (said.sqlstate, said.message_primary, detail, said.message_hint)
    rows = cursor.fetchall() if cursor.description else None
    return (cursor.statusmessage, rows)


def assert_equal(judge: Address, database: Address, script: str) -> None:
    """A script means here what it means to PostgreSQL, where each side has a schema of its own."""
    statements = statements_of(script)
    wanted, got = outcomes(judge, statements), outcomes(database, statements)
    differing = [
        f"{statement}\n  PostgreSQL: {w}\n  Tidegate:   {g}"
        for statement, wanted_outcome, got_outcome in zip(statements, wanted, got, strict=True)
        if wanted_outcome != got_outcome
        for w, g in [_apart(wanted_outcome, got_outcome)]
    ]
    assert not differing, "\n".join(differing)


def _apart(wanted: Outcome, got: Outcome) -> tuple[Any, Any]:
    """What of two outcomes differs: the rows alone, where they are as many and all else is equal."""
    match wanted, got:
        case ((tag, [*rows]), told), ((other_tag, [*others]), told_too) if (
            tag,
            told,
            len(rows),
        ) == (other_tag, told_too, len(others)):
            pairs = [(w, g) for w, g in zip(rows, others, strict=True) if w != g]
            return [w for w, _ in pairs], [g for _, g in pairs]
        case _:
            return wanted, got
