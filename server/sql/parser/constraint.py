"""PRIMARY KEY, UNIQUE and FOREIGN KEY, of columns and of tables."""

from __future__ import annotations

from dataclasses import replace

from catalog.errors import SqlSyntaxError
from server.sql.clause import ColumnName, Deferral, KeyDefinition, ReferenceDefinition
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import with_options


def unique_key(cursor: Cursor, name: str | None, column: ColumnName | None = None) -> KeyDefinition:
    """Take PRIMARY KEY or UNIQUE and what it is of.

    Args:
        cursor: The statement.
        name: The constraint's.
        column: The one beside which it stands, if it does.
    """
    position = cursor.position
    is_primary = cursor.expect_any("PRIMARY KEY", "UNIQUE") == "PRIMARY KEY"
    are_nulls_equal = False
    if not is_primary and cursor.accept("NULLS"):
        are_nulls_equal = cursor.accept("NOT")
        cursor.expect("DISTINCT")
    key = KeyDefinition((), name, is_primary, are_nulls_equal, position=position)
    if column is not None:
        key = replace(key, columns=(column,))
    elif cursor.accept("USING", "INDEX"):
        key = replace(key, index=cursor.name())
    else:
        # PostgreSQL's errors about its columns point at the constraint.
        key = replace(key, columns=tuple(replace(c, position=position) for c in cursor.columns()))
        if cursor.accept("INCLUDE"):
            key = replace(key, include=cursor.columns())
    if cursor.accept("WITH"):
        key = replace(key, options=with_options(cursor))
    if cursor.accept("USING", "INDEX", "TABLESPACE"):
        cursor.name()
    return replace(key, deferral=deferral(cursor))


def reference(
    cursor: Cursor, name: str | None, column: ColumnName | None = None
) -> ReferenceDefinition:
    """Take FOREIGN KEY, or REFERENCES beside a column.

    Args:
        cursor: The statement.
        name: The constraint's.
        column: The one beside which it stands, if it does.
    """
    position = cursor.position
    if column is None:
        cursor.expect("FOREIGN KEY")
        columns = cursor.columns()
    else:
        columns = (column,)
    cursor.expect("REFERENCES")
    table = cursor.qualified()
    target = cursor.columns() if cursor.word == "(" else ()
    is_full = False
    if cursor.accept("MATCH"):
        if cursor.word == "PARTIAL":
            raise cursor.unsupported("MATCH PARTIAL")
        is_full = cursor.expect_any("FULL", "SIMPLE") == "FULL"
    actions = {"UPDATE": "NO ACTION", "DELETE": "NO ACTION"}
    set_columns: tuple[ColumnName, ...] = ()
    while cursor.word == "ON" and cursor.word_at(cursor.index + 1) in actions:
        cursor.expect("ON")
        event = cursor.expect_any(*actions)
        actions[event] = _action(cursor)
        if cursor.word == "(" and actions[event].startswith("SET"):
            if event == "UPDATE":
                raise cursor.unsupported(
                    "a column list with SET NULL is only supported for ON DELETE actions"
                )
            set_columns = cursor.columns()
    waits = deferral(cursor)
    return ReferenceDefinition(
        columns,
        table,
        target,
        name,
        is_full,
        actions["UPDATE"],
        actions["DELETE"],
        set_columns,
        waits,
        position=position,
    )


def _action(cursor: Cursor) -> str:
    for words in (("NO", "ACTION"), ("RESTRICT",), ("CASCADE",)):
        if cursor.accept(*words):
            return " ".join(words)
    cursor.expect("SET")
    return f"SET {cursor.expect_any('NULL', 'DEFAULT')}"


def deferral(cursor: Cursor) -> Deferral:
    """Take what is said of when a constraint is looked at."""
    is_deferrable: bool | None = None
    is_deferred: bool | None = None
    while True:
        position = cursor.position
        if cursor.accept("DEFERRABLE"):
            _refuse_second("DEFERRABLE/NOT DEFERRABLE", is_deferrable, position)
            is_deferrable = True
        elif cursor.accept("NOT", "DEFERRABLE"):
            _refuse_second("DEFERRABLE/NOT DEFERRABLE", is_deferrable, position)
            is_deferrable = False
        elif cursor.accept("INITIALLY"):
            _refuse_second("INITIALLY IMMEDIATE/DEFERRED", is_deferred, position)
            is_deferred = cursor.expect_any("DEFERRED", "IMMEDIATE") == "DEFERRED"
            if is_deferred and is_deferrable is None:
                is_deferrable = True
        else:
            break
        if is_deferred and is_deferrable is False:
            raise SqlSyntaxError(
                "constraint declared INITIALLY DEFERRED must be DEFERRABLE", position=position
            )
    return Deferral(bool(is_deferrable), bool(is_deferred))


def _refuse_second(clauses: str, said: object, position: int) -> None:
    if said is not None:
        raise SqlSyntaxError(f"multiple {clauses} clauses not allowed", position=position)
