"""Command tags as RisingWave has them, which are the names of its kinds of statements."""

from __future__ import annotations

from typing import Final

from server.sql import statement as s

#: Of rows and of COPY: the same with both, and a count follows.
_COUNTED: Final = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "COPY", "FETCH", "MOVE"})
_OTHERS: Final = {
    "ALTER ROLE": "UPDATE_USER",
    "CANCEL JOBS": "CANCEL_COMMAND",
    "CREATE ROLE": "CREATE_USER",
    "DEALLOCATE ALL": "DEALLOCATE",
    "DISCARD ALL": "DISCARD",
    "DROP ROLE": "DROP_USER",
    "GRANT": "GRANT_PRIVILEGE",
    "RESET": "SET_VARIABLE",
    "REVOKE": "REVOKE_PRIVILEGE",
    "SET": "SET_VARIABLE",
    "SHOW": "SHOW_COMMAND",
}


def peer_tag(statement: s.Statement, tag: str) -> str:
    """Return RisingWave's tag of a statement.

    Args:
        statement: What was run.
        tag: PostgreSQL's tag.
    """
    if tag.partition(" ")[0] in _COUNTED:
        return tag
    match statement:
        case s.Show(name) if name != "all":
            return "SHOW_VARIABLE"
        case s.SetTransaction(is_session=False):
            return "SET_TRANSACTION"
        case _:
            return _OTHERS.get(tag, tag.replace(" ", "_"))
