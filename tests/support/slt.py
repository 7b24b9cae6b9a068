"""SQL scripts with their expected answers: a subset of the sqllogictest dialect.

A script is a list of records, each closed by an empty line::

    statement ok | count N | error | error (SQLSTATE) | error REGEX
    SQL

    query TYPES [rowsort|valuesort] [retry N backoff SECONDSs]
    SQL
    ----
    one line a row

Before a record may stand ``skipif LABEL``, ``onlyif LABEL`` and ``connection NAME``; ``sleep 0.5s``
is a record of its own, ``#`` begins a comment. ``$database`` in SQL is the database the script runs in.
NULL is written NULL, an empty text ``(empty)``; runs of blanks count as one. The text that
REGEX searches is ``SEVERITY: message``, then ``DETAIL: ...`` and ``HINT: ...`` on lines of their own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import psycopg
from psycopg import pq

from tests.support.pgtext import binary_to_text
from tests.support.server import Address, Connection


class Mode(StrEnum):
    """How statements and results travel."""

    SIMPLE = "simple"
    EXTENDED = "extended"
    BINARY = "binary"


@dataclass(frozen=True)
class Record:
    """One statement and what must come of it."""

    line: int
    sql: str
    expects: str  #: ok, count, error, rows or sleep
    count: int = 0
    sqlstate: str | None = None
    pattern: str | None = None
    rows: tuple[str, ...] = ()
    sort: str = "nosort"
    attempts: int = 1
    backoff_s: float = 0
    connection: str = ""
    skip_if: frozenset[str] = frozenset()
    only_if: frozenset[str] = frozenset()

    def applies_to(self, labels: frozenset[str]) -> bool:
        return not self.skip_if & labels and self.only_if <= labels


class ScriptError(Exception):
    """A script is not written in the dialect."""


class Mismatch(AssertionError):
    """A record did not come out as expected."""


@dataclass(frozen=True)
class Answer:
    """What the server made of one statement."""

    rows: tuple[tuple[str, ...], ...] | None = None
    count: int = 0
    error: str | None = None
    sqlstate: str | None = None


_RETRY: Final = re.compile(r"\s*retry (\d+) backoff ([\d.]+)s$")
_SQLSTATE: Final = re.compile(r"\(([0-9A-Z]{5})\)")
_SORTS: Final = ("nosort", "rowsort", "valuesort")


def parse(text: str) -> Iterator[Record]:
    """Read a script.

    Raises:
        ScriptError: With the number of the line that is not understood.
    """
    lines = text.splitlines()
    at = 0
    blank = Record(0, "", "ok")
    prefix = blank
    while at < len(lines):
        line = lines[at]
        at += 1
        word, _, rest = line.partition(" ")
        match word:
            case "" | "#":
                continue
            case _ if word.startswith("#"):
                continue
            case "skipif":
                prefix = replace(prefix, skip_if=prefix.skip_if | {rest.strip()})
            case "onlyif":
                prefix = replace(prefix, only_if=prefix.only_if | {rest.strip()})
            case "connection":
                prefix = replace(prefix, connection=rest.strip())
            case "sleep":
                yield replace(
                    prefix, line=at, expects="sleep", backoff_s=float(rest.removesuffix("s"))
                )
                prefix = blank
            case "statement" | "query":
                record = _head(replace(prefix, line=at), word, rest.strip())
                end = at
                while end < len(lines) and lines[end]:
                    end += 1
                yield _body(record, lines[at:end])
                at, prefix = end, blank
            case _:
                raise ScriptError(f"line {at}: not a directive: {line!r}")


def _head(record: Record, word: str, rest: str) -> Record:
    if retry := _RETRY.search(rest):
        record = replace(record, attempts=int(retry[1]), backoff_s=float(retry[2]))
        rest = rest[: retry.start()]
    first, _, more = rest.partition(" ")
    if word == "query" and first != "error":
        sort = more.strip() or "nosort"
        if sort not in _SORTS:
            raise ScriptError(f"line {record.line}: unknown sort {sort!r}")
        return replace(record, expects="rows", sort=sort)
    match first:
        case "ok":
            return replace(record, expects="ok")
        case "count":
            return replace(record, expects="count", count=int(more))
        case "error":
            if state := _SQLSTATE.fullmatch(more):
                return replace(record, expects="error", sqlstate=state[1])
            return replace(record, expects="error", pattern=more or None)
        case _:
            raise ScriptError(f"line {record.line}: not a record: {word} {rest!r}")


def _body(record: Record, lines: list[str]) -> Record:
    if "----" not in lines:
        if record.expects == "rows":
            raise ScriptError(f"line {record.line}: a query needs ---- and its rows")
        return replace(record, sql="\n".join(lines))
    cut = lines.index("----")
    return replace(record, sql="\n".join(lines[:cut]), rows=tuple(lines[cut + 1 :]))


class Runner:
    """Runs the records of one script in one database."""

    def __init__(self, address: Address, mode: Mode, labels: frozenset[str]) -> None:
        self._address = address
        self._mode = mode
        self._labels = labels | {mode.value}
        self._connections: dict[str, Connection] = {}

    def run(self, script: Path) -> int:
        """Run all records and return how many were run.

        Raises:
            Mismatch: At the first record that came out otherwise.
        """
        done = 0
        try:
            for record in parse(script.read_text()):
                if record.applies_to(self._labels):
                    self._run(record, f"{script.name}:{record.line}")
                    done += 1
        finally:
            for connection in self._connections.values():
                connection.close()
        return done

    def _run(self, record: Record, where: str) -> None:
        if record.expects == "sleep":
            time.sleep(record.backoff_s)
            return
        problem: str | None = None
        for attempt in range(record.attempts):
            if attempt:
                time.sleep(record.backoff_s)
            problem = check(record, self._ask(record))
            if problem is None:
                return
        raise Mismatch(f"{where}: {record.sql}\n{problem}")

    def _ask(self, record: Record) -> Answer:
        connection = self._connections.get(record.connection)
        if connection is None:
            connection = self._connections[record.connection] = self._address.connect()
        sql = record.sql.replace("$database", self._address.database)
        if "postgresql" in self._labels:
            sql = plain(sql)
        return ask(connection, sql, self._mode)


def plain(sql: str) -> str:
    """The same for PostgreSQL, where a plain view is what is always fresh."""
    return re.sub(r"\b(CREATE|DROP) MATERIALIZED VIEW\b", r"\1 VIEW", sql)


def ask(connection: Connection, sql: str, mode: Mode) -> Answer:
    """Send one statement by libpq's own calls and read its answer as text."""
    wire = connection.pgconn
    statement = sql.encode()
    if mode is Mode.SIMPLE:
        result = wire.exec_(statement)
    else:
        result = wire.exec_params(statement, None, result_format=int(mode is Mode.BINARY))
    if result.status == pq.ExecStatus.FATAL_ERROR:
        return _error(result)
    if wire.status == pq.ConnStatus.BAD:
        raise psycopg.OperationalError(wire.get_error_message())
    if result.status == pq.ExecStatus.TUPLES_OK:
        rows = tuple(
            tuple(_value(result, row, column) for column in range(result.nfields))
            for row in range(result.ntuples)
        )
        return Answer(rows=rows, count=result.ntuples)
    return Answer(count=result.command_tuples or 0)


def _value(result: pq.abc.PGresult, row: int, column: int) -> str:
    data = result.get_value(row, column)
    if data is None:
        return "NULL"
    is_binary = result.fformat(column) == 1
    return (binary_to_text(result.ftype(column), data) if is_binary else data.decode()) or "(empty)"


def _error(result: pq.abc.PGresult) -> Answer:
    def of(kind: pq.DiagnosticField) -> str:
        return (result.error_field(kind) or b"").decode()

    text = f"{of(pq.DiagnosticField.SEVERITY)}: {of(pq.DiagnosticField.MESSAGE_PRIMARY)}"
    if detail := of(pq.DiagnosticField.MESSAGE_DETAIL):
        text += f"\nDETAIL: {detail}"
    if hint := of(pq.DiagnosticField.MESSAGE_HINT):
        text += f"\nHINT: {hint}"
    return Answer(error=text, sqlstate=of(pq.DiagnosticField.SQLSTATE))


def check(record: Record, answer: Answer) -> str | None:
    """Return what is wrong with the answer, or None."""
    if record.expects == "error":
        return _check_error(record, answer)
    if answer.error is not None:
        return f"unexpected error {answer.sqlstate} {answer.error}"
    if record.expects == "count" and answer.count != record.count:
        return f"count {answer.count}, {record.count} expected"
    if record.expects == "rows":
        return _check_rows(record, answer.rows or ())
    return None


def _check_error(record: Record, answer: Answer) -> str | None:
    if answer.error is None:
        return "succeeded, an error was expected"
    if record.sqlstate not in (None, answer.sqlstate):
        return f"error {answer.sqlstate} {answer.error}, {record.sqlstate} expected"
    if record.pattern is not None and not re.search(record.pattern, answer.error):
        return f"error {answer.error!r} does not match {record.pattern!r}"
    return None


def _check_rows(record: Record, rows: tuple[tuple[str, ...], ...]) -> str | None:
    got = [" ".join(" ".join(row).split()) for row in rows]
    expected = [" ".join(row.split()) for row in record.rows]
    if record.sort == "rowsort":
        got, expected = sorted(got), sorted(expected)
    elif record.sort == "valuesort":
        got, expected = (sorted(" ".join(lines).split()) for lines in (got, expected))
    if got == expected:
        return None
    return "expected\n  " + "\n  ".join(expected) + "\ngot\n  " + "\n  ".join(got)
