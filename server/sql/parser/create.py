"""CREATE."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import FeatureNotSupported, InvalidTableDefinition, SqlSyntaxError
from server.sql.parser import role
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import value, with_options
from server.sql.parser.query import expression_tree, query_tree
from server.sql.parser.shape import NESTING_MAX
from server.sql.sqlglot_errors import too_complex
from server.sql.statement import (
    ColumnDefinition,
    ColumnName,
    CreateDatabase,
    CreateMaterializedView,
    CreateSchema,
    CreateTable,
    CreateView,
    Option,
    Statement,
    Unsupported,
)

#: What else can be created, in PostgreSQL or in RisingWave.
_UNSUPPORTED: Final = (
    *("INDEX", "SOURCE", "SINK", "SUBSCRIPTION", "SECRET", "CONNECTION", "FUNCTION", "AGGREGATE"),
    *("SEQUENCE", "TYPE", "DOMAIN", "TRIGGER", "EXTENSION", "PROCEDURE"),
    *("PUBLICATION", "RULE", "POLICY", "CAST", "COLLATION", "CONVERSION", "LANGUAGE", "OPERATOR"),
    *("SERVER", "STATISTICS", "TABLESPACE", "TRANSFORM"),
)
_UNSUPPORTED_PHRASES: Final = (
    *(("UNIQUE", "INDEX"), ("FOREIGN", "TABLE"), ("FOREIGN", "DATA", "WRAPPER")),
    *(("EVENT", "TRIGGER"), ("ACCESS", "METHOD"), ("CONSTRAINT", "TRIGGER")),
    *(("TEXT", "SEARCH"), ("DEFAULT", "CONVERSION"), ("USER", "MAPPING")),
)


def parse_create(cursor: Cursor) -> Statement:
    """Parse CREATE of anything."""
    cursor.expect("CREATE")
    replaces = cursor.accept("OR", "REPLACE")
    is_temporary = bool(cursor.accept_any("TEMPORARY", "TEMP"))
    if not is_temporary:
        cursor.accept("UNLOGGED")
    kind = "MATERIALIZED VIEW" if cursor.accept("MATERIALIZED", "VIEW") else ""
    kind = kind or cursor.accept_any("TABLE", "VIEW", "SCHEMA", "DATABASE")
    if (replaces or is_temporary) and kind in {"TABLE", "VIEW", "MATERIALIZED VIEW"}:
        how = "OR REPLACE" if replaces else "TEMPORARY"
        return Unsupported(f"CREATE {how} {kind}", source=cursor.source)
    if (replaces or is_temporary) and cursor.word in role.KINDS:
        raise cursor.error()
    match kind:
        case "TABLE":
            return _table(cursor)
        case "VIEW":
            return _view(cursor)
        case "MATERIALIZED VIEW":
            return _materialized_view(cursor)
        case "SCHEMA":
            return _schema(cursor)
        case "DATABASE":
            return _database(cursor)
        case _:
            return _role(cursor) or _unsupported(cursor)


def _role(cursor: Cursor) -> Statement | None:
    if cursor.word_at(cursor.index + 1) == "MAPPING":
        return None
    kind = cursor.accept_any(*role.KINDS)
    return role.parse_create_role(cursor, kind) if kind else None


def _unsupported(cursor: Cursor) -> Unsupported:
    for phrase in _UNSUPPORTED_PHRASES:
        if cursor.accept(*phrase):
            return Unsupported(f"CREATE {' '.join(phrase)}", source=cursor.source)
    return Unsupported(f"CREATE {cursor.expect_any(*_UNSUPPORTED)}", source=cursor.source)


def _if_not_exists(cursor: Cursor) -> bool:
    if cursor.accept("IF"):
        cursor.expect("NOT", "EXISTS")
        return True
    return False


def _query(cursor: Cursor) -> tuple[exp.Expr, str]:
    """Take all that is left, the query of a definition, and its text."""
    tokens = cursor.rest()
    return query_tree(cursor, tokens), cursor.written(tokens)


def _view(cursor: Cursor) -> CreateView:
    if_not_exists = _if_not_exists(cursor)
    name = cursor.qualified()
    columns = cursor.columns() if cursor.word == "(" else ()
    if cursor.word == "WITH":
        raise cursor.unsupported("WITH options of a view")
    cursor.expect("AS")
    if cursor.accept_at_end("CHECK", "OPTION"):
        raise FeatureNotSupported("WITH CHECK OPTION is not supported")
    query, text = _query(cursor)
    return CreateView(name, columns, query, text, if_not_exists, source=cursor.source)


def _materialized_view(cursor: Cursor) -> CreateMaterializedView:
    if_not_exists = _if_not_exists(cursor)
    name = cursor.qualified()
    columns = cursor.columns() if cursor.word == "(" else ()
    options = with_options(cursor) if cursor.accept("WITH") else ()
    cursor.expect("AS")
    if cursor.accept_at_end("EMIT", "ON", "WINDOW", "CLOSE"):
        raise FeatureNotSupported("EMIT ON WINDOW CLOSE is not supported")
    cursor.accept_at_end("EMIT", "IMMEDIATELY")
    if cursor.accept_at_end("WITH", "NO", "DATA"):
        raise FeatureNotSupported("WITH NO DATA is not supported")
    cursor.accept_at_end("WITH", "DATA")
    query, text = _query(cursor)
    return CreateMaterializedView(
        name, columns, query, text, if_not_exists, options, source=cursor.source
    )


def _schema(cursor: Cursor) -> CreateSchema:
    if_not_exists = _if_not_exists(cursor)
    name = None if cursor.word == "AUTHORIZATION" else cursor.name()
    owner = cursor.name() if cursor.accept("AUTHORIZATION") else None
    if not cursor.is_at_end and cursor.word in {"CREATE", "GRANT"}:
        raise cursor.unsupported("CREATE SCHEMA with its objects")
    cursor.expect_end()
    name = name or owner
    assert name is not None
    return CreateSchema(name, if_not_exists, owner, source=cursor.source)


def _database(cursor: Cursor) -> CreateDatabase:
    if_not_exists = _if_not_exists(cursor)
    name = cursor.name()
    cursor.accept("WITH")
    options = []
    while not cursor.is_at_end:
        position = cursor.position
        option = cursor.label()
        cursor.accept("=")
        options.append(Option(option, value(cursor), position))
    return CreateDatabase(name, if_not_exists, tuple(options), source=cursor.source)


# Tables


class Columns:
    """Columns that have been read, and the primary key among them."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.definitions: list[ColumnDefinition] = []
        self.primary_key: tuple[ColumnName, ...] = ()

    def set_primary_key(self, key: tuple[ColumnName, ...], position: int) -> None:
        if self.primary_key:
            raise InvalidTableDefinition(
                f'multiple primary keys for table "{self.table}" are not allowed',
                position=position,
            )
        self.primary_key = key


def _table(cursor: Cursor) -> CreateTable:
    if_not_exists = _if_not_exists(cursor)
    name = cursor.qualified()
    names: tuple[ColumnName, ...] = ()
    columns = Columns(name.name)
    if cursor.word == "(":
        if _is_name_list(cursor):
            names = cursor.columns()
        else:
            _table_elements(cursor, columns)
    elif cursor.word not in {"AS", "WITH"}:
        raise cursor.error()
    options = _table_options(cursor)
    query = text = None
    with_data = True
    if cursor.accept("AS"):
        if columns.definitions:
            raise cursor.unsupported("CREATE TABLE AS with column definitions")
        with_data = not cursor.accept_at_end("WITH", "NO", "DATA")
        cursor.accept_at_end("WITH", "DATA")
        query, text = _query(cursor)
    elif names or cursor.tokens[cursor.index - 1].text != ")":
        raise cursor.error()
    cursor.expect_end()
    return CreateTable(
        name,
        tuple(columns.definitions),
        columns.primary_key,
        if_not_exists,
        options,
        names,
        query,
        text,
        with_data,
        source=cursor.source,
    )


def _is_name_list(cursor: Cursor) -> bool:
    """Tell whether the brackets hold names only, as before AS."""
    index = cursor.index + 1
    while cursor.word_at(index + 1) == ",":
        index += 2
    following = cursor.word_at(index + 2)
    return cursor.word_at(index + 1) == ")" and following in {"AS", "WITH", ""}


_REFUSED_TABLE_OPTIONS: Final = {
    "APPEND": "APPEND ONLY",
    "ON": "ON CONFLICT or ON COMMIT of a table",
    "INHERITS": "INHERITS",
    "PARTITION": "PARTITION BY",
    "PARTITION BY": "PARTITION BY",
    "USING": "USING of a table",
    "TABLESPACE": "TABLESPACE",
    "INCLUDE": "INCLUDE",
    "FORMAT": "FORMAT ... ENCODE",
    "ENGINE": "ENGINE",
    "FROM": "CREATE TABLE FROM a source",
}


def _table_options(cursor: Cursor) -> tuple[Option, ...]:
    options: tuple[Option, ...] = ()
    while not cursor.is_at_end and cursor.word != "AS":
        refused = _REFUSED_TABLE_OPTIONS.get(cursor.word)
        if refused is not None:
            if cursor.word == "ON":
                following = cursor.word_at(cursor.index + 1)
                refused = f"ON {following} of CREATE TABLE"
            raise cursor.unsupported(refused)
        cursor.expect("WITH")
        if cursor.accept("VERSION"):
            raise cursor.unsupported("WITH VERSION COLUMN")
        options += with_options(cursor)
    return options


def _table_elements(cursor: Cursor, columns: Columns) -> None:
    cursor.expect("(")
    if cursor.accept(")"):
        return
    while True:
        _table_element(cursor, columns)
        if not cursor.accept(","):
            break
    cursor.expect(")")


def _table_element(cursor: Cursor, columns: Columns) -> None:
    word = cursor.word
    following = cursor.word_at(cursor.index + 1)
    if word == "CONSTRAINT":
        cursor.expect("CONSTRAINT")
        cursor.name()
        word = cursor.word
        following = ""
        if word not in {"PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY", "EXCLUDE"}:
            raise cursor.error()
    position = cursor.position
    if cursor.accept("PRIMARY KEY"):
        key = cursor.columns()
        # PostgreSQL's errors about its columns point at the constraint.
        columns.set_primary_key(tuple(replace(c, position=position) for c in key), position)
    elif word in {"UNIQUE", "CHECK", "FOREIGN KEY"} or (word == "EXCLUDE" and not following):
        raise cursor.unsupported(f"a {word} constraint")
    elif word == "LIKE" or (word == "WATERMARK" and following == "FOR"):
        raise cursor.unsupported("LIKE of a table" if word == "LIKE" else "WATERMARK")
    else:
        column_definition(cursor, columns)


_TYPE_ENDS: Final = (
    *("NOT", "NULL", "DEFAULT", "PRIMARY KEY", "UNIQUE", "CHECK", "REFERENCES", "CONSTRAINT"),
    *("GENERATED", "COLLATE", "AS", ","),
)


def column_definition(cursor: Cursor, columns: Columns) -> None:
    """Take a column's name, type and constraints, as of CREATE TABLE and ADD COLUMN."""
    name = cursor.column()
    if cursor.word == "AS":
        raise cursor.unsupported("a generated column")
    type_position = cursor.position
    type_text = column_type(cursor)
    is_not_null: bool | None = None
    default: exp.Expr | None = None
    default_text: str | None = None
    while not cursor.is_at_end and cursor.word not in {",", ")"}:
        position = cursor.position
        if cursor.accept("CONSTRAINT"):
            cursor.name()
            position = cursor.position
        if cursor.accept_any("NOT", "NULL"):
            says_not_null = cursor.tokens[cursor.index - 1].text.upper() == "NOT"
            if says_not_null:
                cursor.expect("NULL")
            if is_not_null not in {None, says_not_null}:
                raise SqlSyntaxError(
                    f'conflicting NULL/NOT NULL declarations for column "{name.name}" '
                    f'of table "{columns.table}"',
                    position=position,
                )
            is_not_null = says_not_null
        elif cursor.accept("PRIMARY KEY"):
            columns.set_primary_key((name,), position)
        elif cursor.accept("DEFAULT"):
            if default is not None:
                raise SqlSyntaxError(
                    f'multiple default values specified for column "{name.name}" '
                    f'of table "{columns.table}"',
                    position=position,
                )
            tokens = cursor.until(*_TYPE_ENDS)
            default, default_text = expression_tree(cursor, tokens), cursor.written(tokens)
        else:
            raise _refused_column_clause(cursor)
    columns.definitions.append(
        ColumnDefinition(
            name.name,
            type_text,
            name.position,
            type_position,
            bool(is_not_null),
            default,
            default_text,
        )
    )


def _refused_column_clause(cursor: Cursor) -> SqlSyntaxError | FeatureNotSupported:
    match cursor.word:
        case "UNIQUE" | "CHECK" as word:
            return cursor.unsupported(f"a {word} constraint")
        case "REFERENCES":
            return cursor.unsupported("a FOREIGN KEY constraint")
        case "GENERATED" | "AS":
            return cursor.unsupported("a generated column")
        case "COLLATE":
            return cursor.unsupported("COLLATE of a column")
        case _:
            return cursor.error()


#: Words that follow the first word of a type.
_TYPE_WORDS: Final = frozenset(
    {"PRECISION", "VARYING", "WITH", "WITHOUT", "TIME", "ZONE", "ARRAY", "YEAR", "MONTH", "DAY"}
    | {"HOUR", "MINUTE", "SECOND", "TO"}
)


def column_type(cursor: Cursor) -> str:
    """Take a type and return its text with small letters and single blanks."""
    start = cursor.index
    cursor.label()
    while cursor.accept("."):
        cursor.label()
    while not cursor.is_at_end:
        word = cursor.word
        if word in {"(", "<", "["}:
            _take_brackets(cursor)
        elif word in _TYPE_WORDS:
            cursor.index += 1
        else:
            break
    return _normal_type(cursor, cursor.tokens[start : cursor.index])


def _take_brackets(cursor: Cursor) -> None:
    """Take everything up to the bracket that closes the one in front; ``>>`` closes two."""
    depth = 0
    while not cursor.is_at_end:
        word = cursor.word
        if word in {"(", "<", "["}:
            depth += 1
        elif word in {")", "]"}:
            depth -= 1
        elif word and set(word) == {">"}:
            depth -= len(word)
        cursor.index += 1
        if depth <= 0:
            return
        if depth > NESTING_MAX:
            raise too_complex()
    raise cursor.error()


def _normal_type(cursor: Cursor, tokens: list[Token]) -> str:
    pieces: list[str] = []
    for token in tokens:
        is_quoted = token.token_type is TokenType.IDENTIFIER
        text = cursor.written([token]) if is_quoted else " ".join(token.text.lower().split())
        is_word = text[0].isalnum() or text[0] in {"_", '"'}
        follows_word = bool(pieces) and (pieces[-1][-1].isalnum() or pieces[-1][-1] in '_"),>')
        if is_word and follows_word and pieces[-1] != ",":
            pieces.append(" ")
        pieces.append(text)
    text = "".join(pieces)
    return text.removesuffix(" array") + "[]" if text.endswith(" array") else text
