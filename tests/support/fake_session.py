"""A session without a database: it knows a handful of statements, each for one wire behaviour."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from catalog import types as t
from catalog.errors import (
    DivisionByZero,
    InFailedTransaction,
    Notice,
    PgError,
    QueryCanceled,
    SqlSyntaxError,
    UndefinedDatabase,
)
from catalog.oid import INVALID_OID, Oid
from catalog.types import PgType
from server.wire.rows import EncodedRows
from server.wire.session_contract import Notification, RowBatch
from server.wire.startup import StartupParameters
from server.wire.state import Portals, PreparedStatements


@dataclass(frozen=True)
class FakeColumn:
    name: str
    type: PgType
    relation_oid: Oid = INVALID_OID
    number: int = 0


@dataclass(frozen=True)
class FakePrepared:
    text: str
    parameter_types: Sequence[PgType] = ()
    columns: Sequence[FakeColumn] | None = None
    is_empty: bool = False

    @property
    def ends_transaction(self) -> bool:
        return self.text.lower() in ("rollback", "commit")

    @property
    def is_accepted_when_failed(self) -> bool:
        return self.text.lower() in ("rollback", "commit")


@dataclass
class FakeResult:
    columns: Sequence[FakeColumn] | None
    command: str
    rows: Sequence[Sequence[object]] = ()
    batch_rows: int = 3
    is_closed: bool = False

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        assert self.columns is not None
        for start in range(0, len(self.rows), self.batch_rows):
            yield EncodedRows(self.columns, formats, self.rows[start : start + self.batch_rows])

    def tag(self, rows: int) -> str:
        return f"SELECT {rows}" if self.columns is not None else self.command

    def close(self) -> None:
        self.is_closed = True


def _ignore(_: object) -> None:
    pass


class FakeSession:
    def __init__(self, startup: StartupParameters) -> None:
        self.startup = startup
        self.notices: Callable[[Notice], None] = _ignore
        self.statements: PreparedStatements[FakePrepared] = PreparedStatements()
        self.portals: Portals[FakePrepared] = Portals()
        self.terminate: Callable[[PgError], None] = _ignore
        self.wake: Callable[[], None] = lambda: None
        self.is_listening = False
        self.client_encoding = "UTF8"
        self.transaction_status = b"I"
        self.log: list[str] = []
        self.results: list[FakeResult] = []
        self.is_closed = False
        self._canceled = threading.Event()
        self._changes = [
            ("server_version", "15.0"),
            ("server_encoding", "UTF8"),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO, MDY"),
            ("integer_datetimes", "on"),
            ("standard_conforming_strings", "on"),
            ("TimeZone", "UTC"),
        ]

    def now_ms(self) -> int:
        return 0

    def notifications(self) -> list[Notification]:
        return []

    def patience(self) -> tuple[int, PgError] | None:
        return None

    def parameter_changes(self) -> list[tuple[str, str]]:
        changes, self._changes = self._changes, []
        return changes

    def plan(self, prepared: FakePrepared) -> None:
        pass

    def format_code(self, prepared: FakePrepared) -> int:
        return 0

    def go_on(self) -> None:
        """Nothing of it is timed."""

    def fetch_cursor(self, name: str, rows_max: int) -> FakeResult:
        raise AssertionError(name, rows_max)

    def revalidate(self, prepared: FakePrepared) -> None:
        pass

    def cursor_columns(self, name: str) -> None:
        return None

    def close_cursor(self, name: str) -> None:
        self.log.append(f"close {name}")

    def split(self, sql: str) -> list[str]:
        return [part.strip() for part in sql.split(";") if part.strip()]

    def prepare_call(self, function_oid: Oid) -> FakePrepared:
        return self.prepare("SELECT $1", [function_oid])

    def prepare(self, source: str, parameter_oids: Sequence[Oid] = ()) -> FakePrepared:
        text = source.strip()
        if not text:
            return FakePrepared("", is_empty=True)
        if text == "recurse":
            raise RecursionError
        if text == "bug":
            raise ZeroDivisionError("a secret")
        if text.startswith("selec "):
            raise SqlSyntaxError.near("selec", position=1)
        if self.transaction_status == b"E" and not FakePrepared(text).is_accepted_when_failed:
            raise InFailedTransaction.plain()
        types = [t.by_oid(oid) or t.TEXT for oid in parameter_oids]
        for number in range(len(types), len(set(re.findall(r"\$\d", text)))):
            cast = re.search(rf"\${number + 1}::([a-z0-9]+(?:\[\])?)", text)
            types.append(t.by_name(cast[1]) if cast else t.TEXT)
        return FakePrepared(text, types, self._columns(text, types))

    def _columns(self, text: str, types: Sequence[PgType]) -> list[FakeColumn] | None:
        if text.startswith("series"):
            return [FakeColumn("i", t.INT4, Oid(16385), 1)]
        if text.startswith("select 1/0"):
            return [FakeColumn("?column?", t.INT4)]
        if text.startswith("select $"):
            return [FakeColumn(f"p{n}", pg_type) for n, pg_type in enumerate(types, start=1)]
        if text.startswith(("select", "wide")):
            return [FakeColumn("?column?", t.TEXT)]
        return None

    def execute(self, prepared: FakePrepared, parameters: Sequence[object | None]) -> FakeResult:
        self.log.append(prepared.text)
        self._canceled.clear()
        result = self._run(prepared, parameters)
        self.results.append(result)
        return result

    def _run(self, prepared: FakePrepared, parameters: Sequence[object | None]) -> FakeResult:
        word, _, rest = prepared.text.partition(" ")
        match word.lower():
            case "begin":
                self.transaction_status = b"T"
                return FakeResult(None, "BEGIN")
            case "commit" | "rollback":
                command = "ROLLBACK" if self.transaction_status == b"E" else word.upper()
                self.transaction_status = b"I"
                return FakeResult(None, command)
            case "set":
                name, _, value = rest.partition(" = ")
                self._changes.append((name, value))
                return FakeResult(None, "SET")
            case "wait":
                self.notices(Notice('database "dev" is paused; waiting for RESUME'))
                if self._canceled.wait(20):
                    raise QueryCanceled.by_user()
                return FakeResult(None, "INSERT 0 1")
            case "deallocate":
                self.statements.deallocate(None if rest == "all" else rest)
                return FakeResult(None, "DEALLOCATE")
            case "series":
                return FakeResult(prepared.columns, "", [(i,) for i in range(1, int(rest) + 1)])
            case "wide":
                return FakeResult(prepared.columns, "", [("y" * 1_000_000,)] * int(rest))
            case "select" if rest == "1/0":
                raise DivisionByZero.plain()
            case "select" if rest.startswith("$"):
                return FakeResult(prepared.columns, "", [parameters])
            case "select":
                return FakeResult(prepared.columns, "", [(rest,)])
            case _:
                return FakeResult(None, word.upper())

    def begin_implicit(self, *, is_pipeline: bool) -> None:
        self.log.append("(begin)")

    def end_implicit(self) -> None:
        self.log.append("(end)")

    def worded(self, error: PgError, message: bytes) -> PgError:
        return error

    def fail(self) -> None:
        self.log.append("(fail)")
        if self.transaction_status == b"T":
            self.transaction_status = b"E"

    def cancel(self) -> None:
        self._canceled.set()

    def close(self) -> None:
        self.is_closed = True


class FakeSessions:
    """Opens sessions and remembers them."""

    def __init__(self) -> None:
        self.opened: list[FakeSession] = []

    def open(self, startup: StartupParameters) -> FakeSession:
        if startup.database == "nowhere":
            raise UndefinedDatabase.named("nowhere", severity="FATAL")
        if startup.database == "broken":
            raise KeyError("a secret")
        session = FakeSession(startup)
        self.opened.append(session)
        return session
