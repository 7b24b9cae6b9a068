"""CREATE TABLE: columns, constraints, and what a table does with new rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, InvalidTableDefinition, SqlSyntaxError
from server.sql.clause import (
    CheckDefinition,
    ColumnDefinition,
    ColumnName,
    KeyDefinition,
    LikeClause,
    Option,
    ReferenceDefinition,
    RowRules,
    SequenceOptions,
    WatermarkDefinition,
    WrittenCollation,
)
from server.sql.parser.column_type import column_type
from server.sql.parser.constraint import reference, unique_key
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import format_clause, with_options
from server.sql.parser.query import expression_tree, query_tree
from server.sql.parser.sequence_options import sequence_options
from server.sql.statement import CreateTable


def if_not_exists_clause(cursor: Cursor) -> bool:
    """Take IF NOT EXISTS if it is there."""
    if cursor.accept("IF"):
        cursor.expect("NOT", "EXISTS")
        return True
    return False


def defining_query(cursor: Cursor) -> tuple[exp.Expr, str]:
    """Take all that is left, the query of a definition, and its text."""
    tokens = cursor.rest()
    return query_tree(cursor, tokens), cursor.written(tokens)


class Columns:
    """Columns that have been read, and the constraints among them."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.definitions: list[ColumnDefinition] = []
        self.checks: list[CheckDefinition] = []
        self.keys: list[KeyDefinition] = []
        self.references: list[ReferenceDefinition] = []
        self.likes: list[LikeClause] = []
        self.watermark: WatermarkDefinition | None = None
        self.has_brackets = False

    def add_key(self, key: KeyDefinition) -> None:
        """Note a key, of which one at most is the primary key."""
        if key.is_primary and any(other.is_primary for other in self.keys):
            raise InvalidTableDefinition(
                f'multiple primary keys for table "{self.table}" are not allowed',
                position=key.position,
            )
        self.keys.append(key)


def create_table(cursor: Cursor) -> CreateTable:
    """Parse what follows CREATE TABLE."""
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    names: tuple[ColumnName, ...] = ()
    columns = Columns(name.name)
    if cursor.word == "(":
        if _is_name_list(cursor):
            names = cursor.columns()
        else:
            columns.has_brackets = True
            table_elements(cursor, columns)
    elif cursor.word not in {"AS", "WITH", "APPEND"}:
        raise cursor.error()
    options, rules, on_commit = _table_options(cursor)
    written = format_clause(cursor)
    query = text = None
    with_data = True
    if cursor.accept("AS"):
        if columns.definitions:
            raise cursor.unsupported("CREATE TABLE AS with column definitions")
        with_data = not cursor.accept_at_end("WITH", "NO", "DATA")
        cursor.accept_at_end("WITH", "DATA")
        query, text = defining_query(cursor)
        if rules.conflict or rules.version_columns:
            raise FeatureNotSupported("ON CONFLICT of CREATE TABLE AS is not supported")
    elif names or not columns.has_brackets:
        raise cursor.error()
    cursor.expect_end()
    return CreateTable(
        name,
        tuple(columns.definitions),
        tuple(columns.keys),
        if_not_exists,
        options,
        names,
        query,
        text,
        with_data,
        tuple(columns.checks),
        rules,
        references=tuple(columns.references),
        likes=tuple(columns.likes),
        watermark=columns.watermark,
        on_commit=on_commit,
        format=written[0],
        encode=written[1],
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
    "INHERITS": "INHERITS",
    "PARTITION": "PARTITION BY",
    "PARTITION BY": "PARTITION BY",
    "USING": "USING of a table",
    "TABLESPACE": "TABLESPACE",
    "INCLUDE": "INCLUDE",
    "ENGINE": "ENGINE",
    "FROM": "CREATE TABLE FROM a source",
}


#: What comes after the options of a table.
_OPTION_ENDS: Final = frozenset({"AS", "FORMAT", "ROW", "ROW FORMAT"})


def _table_options(cursor: Cursor) -> tuple[tuple[Option, ...], RowRules, str]:
    options: tuple[Option, ...] = ()
    rules = RowRules()
    on_commit = ""
    while not cursor.is_at_end and cursor.word not in _OPTION_ENDS:
        refused = _REFUSED_TABLE_OPTIONS.get(cursor.word)
        if refused is not None:
            raise cursor.unsupported(refused)
        if cursor.accept("APPEND", "ONLY"):
            rules = replace(rules, is_append_only=True)
        elif cursor.word == "ON" and cursor.word_at(cursor.index + 1) == "COMMIT":
            on_commit = _on_commit(cursor)
        elif cursor.word == "ON":
            rules = replace(rules, conflict=_on_conflict(cursor))
        elif cursor.accept("WITH", "VERSION", "COLUMN"):
            is_listed = cursor.word == "("
            named = cursor.columns() if is_listed else (cursor.column(),)
            rules = replace(rules, version_columns=named)
        else:
            cursor.expect("WITH")
            options += with_options(cursor, takes_secrets=True)
    return options, rules, on_commit


def _on_commit(cursor: Cursor) -> str:
    cursor.expect("ON", "COMMIT")
    if cursor.accept("DROP"):
        return "DROP"
    what = cursor.expect_any("DELETE", "PRESERVE")
    cursor.expect("ROWS")
    return f"{what} ROWS"


#: Each way to treat a key that is there, by the words for it.
_CONFLICTS: Final = (
    (("DO", "UPDATE", "IF", "NOT", "NULL"), "DO UPDATE IF NOT NULL"),
    (("DO", "UPDATE", "FULL"), "OVERWRITE"),
    (("DO", "NOTHING"), "DO NOTHING"),
    (("OVERWRITE",), "OVERWRITE"),
    (("IGNORE",), "DO NOTHING"),
)


def _on_conflict(cursor: Cursor) -> str:
    cursor.expect("ON", "CONFLICT")
    for words, meaning in _CONFLICTS:
        if cursor.accept(*words):
            return meaning
    raise cursor.error()


def table_elements(cursor: Cursor, columns: Columns) -> None:
    """Take the columns and constraints in brackets."""
    cursor.expect("(")
    if cursor.accept(")"):
        return
    while True:
        _table_element(cursor, columns)
        if not cursor.accept(",") or cursor.word == ")":  # The peer lets a comma end the list.
            break
    cursor.expect(")")


def _table_element(cursor: Cursor, columns: Columns) -> None:
    word = cursor.word
    following = cursor.word_at(cursor.index + 1)
    name = None
    if word == "CONSTRAINT":
        cursor.expect("CONSTRAINT")
        name = cursor.name()
        word = cursor.word
        following = ""
        if word not in {"PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY", "EXCLUDE"}:
            raise cursor.error()
    if word in {"PRIMARY KEY", "UNIQUE"}:
        columns.add_key(unique_key(cursor, name))
    elif word == "CHECK":
        columns.checks.append(check_clause(cursor, name))
    elif word == "FOREIGN KEY":
        columns.references.append(reference(cursor, name))
    elif word == "EXCLUDE" and not following:
        raise cursor.unsupported("an EXCLUDE constraint")
    elif word == "LIKE":
        columns.likes.append(_like(cursor, len(columns.definitions)))
    elif word == "WATERMARK" and following == "FOR":
        if columns.watermark is not None:
            raise cursor.unsupported("more than one WATERMARK of a table")
        columns.watermark = watermark_clause(cursor)
    else:
        column_definition(cursor, columns)


#: What LIKE can copy; what is not asked of rows has nothing to copy here.
_COPIED: Final = (
    *("COMMENTS", "COMPRESSION", "CONSTRAINTS", "DEFAULTS", "GENERATED", "IDENTITY", "INDEXES"),
    *("STATISTICS", "STORAGE"),
)


def _like(cursor: Cursor, place: int) -> LikeClause:
    cursor.expect("LIKE")
    source = cursor.qualified()
    including: set[str] = set()
    while word := cursor.accept_any("INCLUDING", "EXCLUDING"):
        what = cursor.expect_any("ALL", *_COPIED)
        chosen = set(_COPIED) if what == "ALL" else {what}
        including = including | chosen if word == "INCLUDING" else including - chosen
    return LikeClause(source, place, frozenset(including))


def watermark_clause(cursor: Cursor) -> WatermarkDefinition:
    """Take WATERMARK, its column and its expression."""
    position = cursor.position
    cursor.expect("WATERMARK", "FOR")
    column = cursor.column()
    cursor.expect("AS")
    tokens = cursor.until(",", "WITH")
    expression = expression_tree(cursor, tokens)
    has_ttl = cursor.accept("WITH")
    if has_ttl:
        cursor.expect("TTL")
    return WatermarkDefinition(column, expression, cursor.written_inside(tokens), has_ttl, position)


def check_clause(
    cursor: Cursor, name: str | None = None, column: str | None = None
) -> CheckDefinition:
    """Take CHECK and its condition."""
    cursor.expect("CHECK", "(")
    tokens = cursor.until()
    condition = expression_tree(cursor, tokens)
    cursor.expect(")")
    cursor.accept("NO", "INHERIT")
    return CheckDefinition(condition, cursor.written_inside(tokens), name, column)


_TYPE_ENDS: Final = (
    *("NOT", "NULL", "DEFAULT", "PRIMARY KEY", "UNIQUE", "CHECK", "REFERENCES", "CONSTRAINT"),
    *("GENERATED", "COLLATE", "AS", ","),
)


#: Without NOT and NULL, which a condition may hold.
_GENERATED_ENDS: Final = tuple(end for end in _TYPE_ENDS if end not in {"NOT", "NULL", "AS"})


def column_definition(cursor: Cursor, columns: Columns) -> None:
    """Take a column's name, type and constraints, as of CREATE TABLE and ADD COLUMN."""
    name = cursor.column("USER")
    type_position, type_text = cursor.position, column_type(cursor)
    is_not_null: bool | None = None
    default: exp.Expr | None = None
    generated: exp.Expr | None = None
    default_text: str | None = None
    generated_text: str | None = None
    numbered, sequence = "", None
    collation: WrittenCollation | None = None
    while not cursor.is_at_end and cursor.word not in {",", ")"}:
        position = cursor.position
        constraint = None
        if cursor.accept("CONSTRAINT"):
            constraint = cursor.name()
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
        elif _takes_constraint(cursor, columns, name, constraint):
            pass
        elif cursor.word == "COLLATE":
            collation = written_collation(cursor, collation)
        elif cursor.accept("DEFAULT"):
            if default is not None:
                raise SqlSyntaxError(
                    f'multiple default values specified for column "{name.name}" '
                    f'of table "{columns.table}"',
                    position=position,
                )
            tokens = cursor.until(*_TYPE_ENDS)
            default, default_text = expression_tree(cursor, tokens), cursor.written(tokens)
        elif cursor.word in {"AS", "GENERATED"} and generated is None and not numbered:
            numbered = identity(cursor)
            if numbered:
                sequence = identity_sequence(cursor)
            else:
                generated, generated_text = _generated(cursor)
        else:
            raise cursor.error()
    columns.definitions.append(
        ColumnDefinition(
            name.name,
            type_text,
            name.position,
            type_position,
            bool(is_not_null),
            default,
            default_text,
            generated,
            generated_text,
            numbered,
            sequence,
            collation,
        )
    )
    if default is not None and (numbered or generated is not None):
        what = "identity" if numbered else "generation expression"
        raise SqlSyntaxError(
            f'both default and {what} specified for column "{name.name}" '
            f'of table "{columns.table}"',
            position=type_position,
        )


def written_collation(
    cursor: Cursor, before: WrittenCollation | None = None
) -> WrittenCollation | None:
    """Take ``COLLATE name``, if it is in front.

    Raises:
        SqlSyntaxError: There was one before.
    """
    position = cursor.position
    if not cursor.accept("COLLATE"):
        return before
    if before is not None:
        raise SqlSyntaxError("multiple COLLATE clauses not allowed", position=position)
    return WrittenCollation(cursor.qualified().name, position)


def _takes_constraint(
    cursor: Cursor, columns: Columns, column: ColumnName, name: str | None
) -> bool:
    """Take a constraint that stands beside a column, if one is in front."""
    match cursor.word:
        case "PRIMARY KEY" | "UNIQUE":
            columns.add_key(unique_key(cursor, name, column))
        case "REFERENCES":
            columns.references.append(reference(cursor, name, column))
        case "CHECK":
            columns.checks.append(check_clause(cursor, name, column.name))
        case _:
            return False
    return True


def identity(cursor: Cursor) -> str:
    """Take ``GENERATED ALWAYS | BY DEFAULT AS IDENTITY``; nothing where it is not there."""
    for words, kind in ((("ALWAYS",), "a"), (("BY", "DEFAULT"), "d")):
        if cursor.accept("GENERATED", *words, "AS", "IDENTITY"):
            return kind
    return ""


def identity_sequence(cursor: Cursor) -> SequenceOptions:
    """Take what is said of the sequence of an identity column."""
    if not cursor.accept("("):
        return SequenceOptions()
    options = sequence_options(cursor)
    cursor.expect(")")
    return options


def _generated(cursor: Cursor) -> tuple[exp.Expr, str]:
    """Take ``[GENERATED ALWAYS] AS expression [STORED]``."""
    if cursor.accept("GENERATED"):
        way = cursor.expect_any("ALWAYS", "BY")
        if way == "BY":
            cursor.expect("DEFAULT")
        cursor.expect("AS")
        if way == "BY" or cursor.word != "(":
            raise cursor.error()
    else:
        cursor.expect("AS")
    tokens = cursor.until("STORED", "VIRTUAL", *_GENERATED_ENDS)
    generated = expression_tree(cursor, tokens)
    if cursor.word == "VIRTUAL":
        raise cursor.unsupported("a virtual generated column")
    cursor.accept("STORED")
    return generated, cursor.written_inside(tokens)
