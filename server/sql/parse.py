"""From the text of a statement to its value.

The first word tells the family of a statement; each family's grammar is a module of
``server.sql.parser``. A word that PostgreSQL does not know is its syntax error, a statement that
PostgreSQL or RisingWave know and we do not is ``Unsupported``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from server.sql.parser import (
    alter,
    create,
    cursors,
    dml,
    flow,
    maintenance,
    privilege,
    session,
    show,
)
from server.sql.parser.alter_relation import parse_truncate
from server.sql.parser.comment import parse_comment
from server.sql.parser.constant_rows import find_rows, without_rows
from server.sql.parser.cursor import Cursor
from server.sql.parser.lock import parse_lock
from server.sql.parser.merge import parse_merge
from server.sql.parser.query import QUERY_WORDS
from server.sql.parser.sink import create_sink
from server.sql.source import Source, split
from server.sql.statement import (
    CheckMaterializedView,
    Explain,
    ExplainMaterializedView,
    Flush,
    Prepare,
    Query,
    Recover,
    Statement,
    Unsupported,
    Wait,
)
from server.sql.streaming_statement import RefreshView

__all__ = ["parse", "split"]


def parse_expression(text: str) -> exp.Expr:
    """Return the tree of an expression that is known to be one."""
    query = parse(Source(f"SELECT {text}"))
    assert isinstance(query, Query), text
    (expression,) = query.tree.expressions
    found: exp.Expr = expression
    return found


def parse(source: Source) -> Statement:
    """Parse one statement.

    Raises:
        SqlSyntaxError: It is none; with PostgreSQL's wording and position.
        FeatureNotSupported: A clause is understood and not available.
        StatementTooComplex: It is nested too deeply.
    """
    rows = find_rows(source.text)
    if rows is not None:
        insert = dml.parse_insert(Cursor(without_rows(source, rows)))
        return replace(insert, query=None, rows=rows, source=source)
    cursor = Cursor(source)
    rule = _RULES.get(cursor.word)
    if rule is not None:
        return rule(cursor)
    what = _UNSUPPORTED.get(cursor.word)
    if what is None:
        raise cursor.error()
    return Unsupported(what, source=source)


def _replace(cursor: Cursor) -> Statement:
    cursor.expect("REPLACE", "SINK")
    return create_sink(cursor, replaces=True)


def _check(cursor: Cursor) -> CheckMaterializedView:
    cursor.expect("CHECK", "MATERIALIZED", "VIEW")
    name = cursor.qualified()
    cursor.expect_end()
    return CheckMaterializedView(name, source=cursor.source)


def _flush(cursor: Cursor) -> Flush:
    cursor.expect("FLUSH")
    cursor.expect_end()
    return Flush(source=cursor.source)


def _refresh(cursor: Cursor) -> RefreshView | Unsupported:
    cursor.expect("REFRESH")
    if not cursor.accept("MATERIALIZED", "VIEW"):
        return Unsupported("REFRESH", source=cursor.source)
    cursor.accept("CONCURRENTLY")
    name = cursor.qualified()
    if cursor.accept("WITH"):
        if cursor.word == "NO":
            raise cursor.unsupported("REFRESH MATERIALIZED VIEW WITH NO DATA")
        cursor.expect("DATA")
    cursor.expect_end()
    return RefreshView(name, source=cursor.source)


def _recover(cursor: Cursor) -> Recover:
    cursor.expect("RECOVER")
    cursor.expect_end()
    return Recover(source=cursor.source)


def _wait(cursor: Cursor) -> Wait:
    cursor.expect("WAIT")
    if cursor.accept("SINK"):
        raise cursor.unsupported("WAIT SINK")
    kinds = ("MATERIALIZED VIEW", "TABLE", "INDEX")
    kind = next((kind for kind in kinds if cursor.accept(*kind.split())), "")
    name = cursor.qualified() if kind else None
    cursor.expect_end()
    return Wait(kind, name, source=cursor.source)


_EXPLAINED: Final = frozenset(
    {*QUERY_WORDS, "INSERT", "UPDATE", "DELETE", "CREATE", "EXECUTE", "DECLARE", "MERGE"}
)
_PREPARED: Final = frozenset({*QUERY_WORDS, "INSERT", "UPDATE", "DELETE", "MERGE"})


def _explain(cursor: Cursor) -> Explain | ExplainMaterializedView:
    options = show.explain_options(cursor)
    if cursor.accept("MATERIALIZED", "VIEW"):
        name = cursor.qualified()
        cursor.expect_end()
        if options.format != "text" or options.is_analyze:
            what = "ANALYZE" if options.is_analyze else f"format {options.format}"
            raise FeatureNotSupported(f"EXPLAIN MATERIALIZED VIEW with {what} is not supported")
        return ExplainMaterializedView(name, options.is_verbose, source=cursor.source)
    if cursor.word not in _EXPLAINED:
        raise cursor.error()
    return Explain(
        parse(cursor.source_from(cursor.index)),
        options.is_analyze,
        options.is_verbose,
        options.format,
        tuple(options.others),
        source=cursor.source,
    )


def _prepare(cursor: Cursor) -> Prepare | Unsupported:
    if cursor.word_at(cursor.index + 1) == "TRANSACTION":
        return Unsupported("PREPARE TRANSACTION", source=cursor.source)
    name, types = session.prepared_head(cursor)
    if cursor.word not in _PREPARED:
        raise cursor.error()
    statement = parse(cursor.source_from(cursor.index))
    return Prepare(name, types, statement, source=cursor.source)


def _load(cursor: Cursor) -> Unsupported:
    cursor.expect("LOAD")
    cursor.string()
    cursor.expect_end()
    return Unsupported("LOAD", source=cursor.source)


def _import(cursor: Cursor) -> Unsupported:
    cursor.expect("IMPORT")
    if not cursor.accept("FOREIGN", "SCHEMA"):
        raise SqlSyntaxError.near("IMPORT", position=cursor.source.start + 1)
    return Unsupported("IMPORT FOREIGN SCHEMA", source=cursor.source)


_Rule = Callable[[Cursor], Statement]
_RULES: Final[dict[str, _Rule]] = {
    **dict.fromkeys(QUERY_WORDS, dml.parse_query),
    "INSERT": dml.parse_insert,
    "UPDATE": dml.parse_update,
    "DELETE": dml.parse_delete,
    "MERGE": parse_merge,
    "COPY": dml.parse_copy,
    "CREATE": create.parse_create,
    "REPLACE": _replace,
    "ALTER": alter.parse_alter,
    "DROP": alter.parse_drop,
    "GRANT": privilege.parse_grant,
    "REVOKE": privilege.parse_revoke,
    "REASSIGN": privilege.parse_reassign,
    "TRUNCATE": parse_truncate,
    "COMMENT": parse_comment,
    "SHOW": show.parse_show,
    "DESCRIBE": show.parse_describe,
    "DESC": show.parse_describe,
    "EXPLAIN": _explain,
    "CHECK": _check,
    "FLUSH": _flush,
    "REFRESH": _refresh,
    "WAIT": _wait,
    "RECOVER": _recover,
    "BACKUP": flow.parse_backup,
    "VACUUM": maintenance.parse_vacuum,
    "ANALYZE": maintenance.parse_analyze,
    "ANALYSE": maintenance.parse_analyze,
    "CHECKPOINT": maintenance.parse_checkpoint,
    "CANCEL": session.parse_cancel,
    "USE": session.parse_use,
    "SET": session.parse_set,
    "RESET": session.parse_reset,
    "DISCARD": session.parse_discard,
    "BEGIN": session.parse_begin,
    "START": session.parse_begin,
    "COMMIT": session.parse_commit,
    "END": session.parse_commit,
    "ROLLBACK": session.parse_rollback,
    "ABORT": session.parse_rollback,
    "SAVEPOINT": session.parse_savepoint,
    "RELEASE": session.parse_release,
    "PREPARE": _prepare,
    "EXECUTE": session.parse_execute,
    "DEALLOCATE": session.parse_deallocate,
    "DECLARE": cursors.parse_declare,
    "FETCH": cursors.parse_fetch,
    "MOVE": cursors.parse_fetch,
    "CLOSE": cursors.parse_close,
    "LISTEN": session.parse_listen,
    "UNLISTEN": session.parse_unlisten,
    "NOTIFY": session.parse_notify,
    "LOAD": _load,
    "LOCK": parse_lock,
    "IMPORT": _import,
}

#: First words of statements that PostgreSQL or RisingWave know and we do not.
_UNSUPPORTED: Final = {
    word: word for word in (*("CALL", "CLUSTER", "DO", "KILL", "REINDEX", "SECURITY"),)
}
