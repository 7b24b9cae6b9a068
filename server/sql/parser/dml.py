"""INSERT, UPDATE, DELETE and COPY."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from catalog.errors import FeatureNotSupported, InsufficientPrivilege, SqlSyntaxError
from server.sql.index_statement import IndexPart
from server.sql.parser.assignment import assignments
from server.sql.parser.cursor import Cursor
from server.sql.parser.index import index_part
from server.sql.parser.merge import parse_merge
from server.sql.parser.options import copy_options
from server.sql.parser.query import (
    QUERY_WORDS,
    expression_tree,
    expression_trees,
    from_tree,
    query_tree,
    with_tree,
)
from server.sql.parser.select_into import select_into
from server.sql.parser.writing_with import WRITES, before_write, parse_writing_with
from server.sql.statement import (
    ColumnName,
    Copy,
    CopyDirection,
    CreateTable,
    Delete,
    Insert,
    OnConflict,
    Option,
    Query,
    Statement,
    Update,
    Write,
)


def parse_query(cursor: Cursor) -> Statement:
    """Parse a query, or a statement that begins with WITH."""
    if cursor.word == "WITH" and (writing := parse_writing_with(cursor, _plain)) is not None:
        return writing
    return _into(cursor) or _plain(cursor)


def _into(cursor: Cursor) -> CreateTable | None:
    """Parse a query whose rows go into a table that it makes; None where they do not."""
    if cursor.word == "WITH" and before_write(cursor) is not None:
        return None
    into = select_into(cursor)
    if into is None:
        return None
    return CreateTable(
        into.table,
        query=query_tree(cursor, into.tokens),
        query_text=cursor.written(into.tokens),
        is_temporary=into.is_temporary,
        source=cursor.source,
    )


def _plain(cursor: Cursor) -> Query | Write:
    """Parse a query or a write, after a WITH in which nothing writes."""
    clause = None
    if cursor.word == "WITH" and (index := before_write(cursor)) is not None:
        clause = with_tree(cursor, cursor.tokens[cursor.index : index])
        cursor.index = index
    match cursor.word:
        case "INSERT":
            return parse_insert(cursor, clause)
        case "UPDATE":
            return parse_update(cursor, clause)
        case "DELETE":
            return parse_delete(cursor, clause)
        case "MERGE":
            return parse_merge(cursor, clause)
        case _:
            return Query(query_tree(cursor, cursor.rest()), source=cursor.source)


def parse_insert(cursor: Cursor, with_: exp.With | None = None) -> Insert:
    """Parse INSERT."""
    cursor.expect("INSERT", "INTO")
    table = cursor.qualified()
    alias = cursor.name() if cursor.accept("AS") else None
    columns: tuple[ColumnName, ...] = ()
    if cursor.word == "(" and cursor.word_at(cursor.index + 1) not in QUERY_WORDS:
        columns = cursor.columns()
    overriding = ""
    if cursor.accept("OVERRIDING"):
        overriding = cursor.expect_any("USER", "SYSTEM")
        cursor.expect("VALUE")
    query = None
    if not cursor.accept("DEFAULT", "VALUES"):
        if cursor.word not in QUERY_WORDS:
            raise cursor.error()
        query = query_tree(cursor, _query_tokens(cursor))
    conflict = _on_conflict(cursor) if cursor.accept("ON", "CONFLICT") else None
    returning = _returning(cursor)
    return Insert(
        *(table, columns, query, alias, conflict, returning, with_),
        overriding=overriding,
        source=cursor.source,
    )


def _query_tokens(cursor: Cursor) -> list[Token]:
    """Take the tokens of INSERT's query; ON ends it only before CONFLICT."""
    start = cursor.index
    while True:
        cursor.until("ON", "RETURNING")
        if cursor.word != "ON" or cursor.word_at(cursor.index + 1) == "CONFLICT":
            return cursor.tokens[start : cursor.index]
        cursor.index += 1


def _on_conflict(cursor: Cursor) -> OnConflict:
    target: list[IndexPart] = []
    constraint = target_where = None
    position = cursor.position
    if cursor.accept("ON", "CONSTRAINT"):
        constraint = cursor.name()
    elif cursor.word == "(":
        cursor.expect("(")
        target.append(index_part(cursor))
        while cursor.accept(","):
            target.append(index_part(cursor))
        cursor.expect(")")
        if cursor.accept("WHERE"):
            target_where = expression_tree(cursor, cursor.until("DO"))
    cursor.expect("DO")
    if cursor.accept("NOTHING"):
        return OnConflict(
            *(tuple(target), constraint), target_where=target_where, target_position=position
        )
    start = cursor.position
    cursor.expect("UPDATE", "SET")
    if not target and constraint is None:
        raise SqlSyntaxError(
            "ON CONFLICT DO UPDATE requires inference specification or constraint name",
            hint="For example, ON CONFLICT (column_name).",
            position=start,
        )
    assigned = assignments(cursor)
    where = _where(cursor)
    return OnConflict(tuple(target), constraint, assigned, where, target_where, position)


def parse_update(cursor: Cursor, with_: exp.With | None = None) -> Update:
    """Parse UPDATE."""
    cursor.expect("UPDATE")
    cursor.accept("ONLY")
    table = cursor.qualified()
    cursor.accept("*")
    alias = _alias(cursor, "SET")
    cursor.expect("SET")
    assigned = assignments(cursor)
    from_ = None
    if cursor.accept("FROM"):
        from_ = from_tree(cursor, cursor.until("WHERE", "RETURNING"))
    where = _where(cursor)
    returning = _returning(cursor)
    return Update(table, assigned, alias, from_, where, returning, with_, source=cursor.source)


def parse_delete(cursor: Cursor, with_: exp.With | None = None) -> Delete:
    """Parse DELETE."""
    cursor.expect("DELETE", "FROM")
    cursor.accept("ONLY")
    table = cursor.qualified()
    cursor.accept("*")
    alias = _alias(cursor, "USING", "WHERE", "RETURNING")
    using = None
    if cursor.accept("USING"):
        using = from_tree(cursor, cursor.until("WHERE", "RETURNING"))
    where = _where(cursor)
    returning = _returning(cursor)
    return Delete(table, alias, using, where, returning, with_, source=cursor.source)


def _alias(cursor: Cursor, *following: str) -> str | None:
    if cursor.accept("AS"):
        return cursor.name()
    if cursor.is_at_end or cursor.word in following:
        return None
    return cursor.name()


def _where(cursor: Cursor) -> exp.Expr | None:
    if not cursor.accept("WHERE"):
        return None
    if cursor.word == "CURRENT" and cursor.word_at(cursor.index + 1) == "OF":
        raise cursor.unsupported("WHERE CURRENT OF")
    return expression_tree(cursor, cursor.until("RETURNING"))


def _returning(cursor: Cursor) -> tuple[exp.Expr, ...]:
    """Take RETURNING if it is there, and the end of the statement."""
    if cursor.accept("RETURNING"):
        return expression_trees(cursor, cursor.rest())
    cursor.expect_end()
    return ()


def parse_copy(cursor: Cursor) -> Copy:
    """Parse COPY from or to the client.

    Raises:
        InsufficientPrivilege: A file or program of the server is named.
    """
    cursor.expect("COPY")
    position = cursor.position
    old = (Option("format", "binary", position),) if cursor.accept("BINARY") else ()
    table = query = None
    columns: tuple[ColumnName, ...] = ()
    if cursor.accept("("):
        query = _copy_query(cursor)
        cursor.expect(")")
        way = "TO"
        cursor.expect(way)
    else:
        table = cursor.qualified()
        if cursor.word == "(":
            columns = cursor.columns()
        way = cursor.expect_any("FROM", "TO")
    if not cursor.accept_any("STDIN", "STDOUT"):
        raise _copy_elsewhere(cursor, way)
    options = (*old, *copy_options(cursor))
    direction = CopyDirection.FROM_STDIN if way == "FROM" else CopyDirection.TO_STDOUT
    if cursor.word == "WHERE" and way == "TO":
        raise SqlSyntaxError("WHERE clause not allowed with COPY TO", position=cursor.position)
    where = _where(cursor)
    cursor.expect_end()
    return Copy(direction, table, columns, query, options, where, source=cursor.source)


def _copy_query(cursor: Cursor) -> exp.Expr:
    if cursor.word in WRITES:
        raise FeatureNotSupported(f"COPY of {cursor.word} is not supported")
    return query_tree(cursor, cursor.until())


def _copy_elsewhere(cursor: Cursor, way: str) -> SqlSyntaxError | InsufficientPrivilege:
    hint = "Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone."
    if cursor.accept("PROGRAM"):
        cursor.string()
        role, what = "pg_execute_server_program", "COPY to or from an external program"
    else:
        if not cursor.is_at_string:
            return cursor.error()
        role = "pg_read_server_files" if way == "FROM" else "pg_write_server_files"
        what = "COPY from a file" if way == "FROM" else "COPY to a file"
    message = f"must be superuser or have privileges of the {role} role to {what}"
    return InsufficientPrivilege(message, hint=hint)
