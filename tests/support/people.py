"""Several users of a server who say things in turn, and what each is answered."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.support.server import Address, Connection


class People:
    """One session for everybody who says something."""

    def __init__(self, address: Address, database: str) -> None:
        self._address = address
        self._database = database
        self._sessions: dict[str, Connection] = {}

    def say(self, who: str, statement: str) -> list[Any]:
        """What the statement is answered by."""
        if who not in self._sessions:
            address = Address(self._address.host, self._address.port, who, self._database)
            try:
                self._sessions[who] = address.connect()
            except psycopg.OperationalError as e:
                return [str(e).partition("FATAL:")[2].strip()]
        session = self._sessions[who]
        told: list[Any] = []

        def note(d: psycopg.errors.Diagnostic) -> None:
            told.append((d.severity, d.sqlstate, d.message_primary))

        session.add_notice_handler(note)
        try:
            cursor = session.execute(statement.encode())
            told.append(cursor.statusmessage)
            if cursor.description is not None:
                told.append(cursor.fetchall())
        except psycopg.Error as e:
            d = e.diag
            told.append(
                (
                    d.sqlstate,
                    d.message_primary,
                    d.message_detail,
                    d.message_hint,
                    d.statement_position,
                )
            )
        finally:
            session.remove_notice_handler(note)
        return told

    def leave(self, who: str) -> None:
        """End somebody's session."""
        if (session := self._sessions.pop(who, None)) is not None:
            session.close()

    def close(self) -> None:
        """End every session."""
        for session in self._sessions.values():
            session.close()
