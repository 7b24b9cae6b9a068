"""CREATE, ALTER and DROP FUNCTION (PostgreSQL 15, chapter VI), in SQL and in no other language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot.tokenizer_core import TokenType

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from catalog.function_errors import InvalidFunctionDefinition
from server.sql.clause import QualifiedName
from server.sql.function_statement import (
    AlterFunction,
    CommentOnFunction,
    CreateFunction,
    DropFunction,
    FunctionName,
    ParameterDefinition,
)
from server.sql.parser.column_type import column_type
from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.role_name import role_name
from server.sql.statement import Statement, Unsupported

_TEXTS: Final = frozenset({TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING})

#: What an option says of how often the result may be another.
_VOLATILITY: Final = {"IMMUTABLE": "i", "STABLE": "s", "VOLATILE": "v"}


def create_function(cursor: Cursor, *, replaces: bool) -> CreateFunction:
    """Parse what follows CREATE [OR REPLACE] FUNCTION."""
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    cursor.expect("(")
    parameters = _parameters(cursor)
    options = _Options(cursor)
    options.take_result()
    options.take_all()
    return options.statement(name, parameters, replaces=replaces, if_not_exists=if_not_exists)


@dataclass(slots=True)
class _Options:
    """What follows the parameters, in any order."""

    cursor: Cursor
    result: str | None = None
    result_position: int = 0
    columns: tuple[ParameterDefinition, ...] = ()
    returns_set: bool = False
    language: str | None = None
    body: str | None = None
    body_position: int = 0
    is_expression: bool = False
    volatility: str = "v"
    is_strict: bool = False

    def take_result(self) -> None:
        cursor = self.cursor
        if not cursor.accept("RETURNS"):
            raise InvalidFunctionDefinition("function result type must be specified")
        self.result_position = cursor.position
        if cursor.accept("TABLE"):
            cursor.expect("(")
            self.columns = _parameters(cursor)
            self.returns_set = True
            if not self.columns or any(not column.name for column in self.columns):
                raise cursor.error()
            return
        self.returns_set = cursor.accept("SETOF")
        self.result = column_type(cursor)

    def take_all(self) -> None:
        while not self.cursor.is_at_end:
            self._take()

    def _take(self) -> None:
        cursor = self.cursor
        position = cursor.position
        if cursor.accept("LANGUAGE"):
            self.language = _text(cursor) if _is_text(cursor) else cursor.label()
        elif word := cursor.accept_any(*_VOLATILITY):
            self.volatility = _VOLATILITY[word]
        elif cursor.accept("STRICT") or cursor.accept("RETURNS", "NULL", "ON", "NULL", "INPUT"):
            self.is_strict = True
        elif cursor.accept("CALLED"):
            cursor.expect("ON", "NULL", "INPUT")
        elif cursor.accept("NOT"):
            cursor.expect("LEAKPROOF")
        elif cursor.accept("PARALLEL"):
            cursor.expect_any("SAFE", "UNSAFE", "RESTRICTED")
        elif cursor.accept_any("COST", "ROWS"):
            cursor.number()
        elif cursor.word in {"EXTERNAL", "SECURITY"}:
            cursor.accept("EXTERNAL")
            cursor.expect("SECURITY")
            if cursor.expect_any("INVOKER", "DEFINER") == "DEFINER":
                raise FeatureNotSupported("SECURITY DEFINER is not supported", position=position)
        elif cursor.accept("AS"):
            self._take_text(position)
        elif cursor.accept("RETURN"):
            self._refuse_second(position)
            self.body_position = cursor.position
            self.body = cursor.written(cursor.rest())
            self.is_expression = True
        elif cursor.word in {"LEAKPROOF", "SUPPORT", "SET", "WINDOW", "TRANSFORM", "BEGIN"}:
            raise cursor.unsupported(f"{cursor.word} of a function")
        elif cursor.word in {"USING", "RUNTIME", "WITH", "ASYNC"}:
            raise cursor.unsupported(f"{cursor.word} of a function in another language than SQL")
        else:
            raise cursor.error()

    def _take_text(self, position: int) -> None:
        cursor = self.cursor
        self._refuse_second(position)
        self.body_position = cursor.position
        if not _is_text(cursor):
            raise cursor.unsupported("a function in another language than SQL")
        self.body = _text(cursor)
        if cursor.accept(","):
            raise FeatureNotSupported(
                "a function in another language than SQL is not supported", position=position
            )

    def _refuse_second(self, position: int) -> None:
        if self.body is not None:
            raise SqlSyntaxError("conflicting or redundant options", position=position)

    def statement(
        self,
        name: QualifiedName,
        parameters: tuple[ParameterDefinition, ...],
        *,
        replaces: bool,
        if_not_exists: bool,
    ) -> CreateFunction:
        if self.language is None and not self.is_expression:
            raise InvalidFunctionDefinition("no language specified")
        if (self.language or "sql").lower() != "sql":
            raise FeatureNotSupported(f"functions in language {self.language} are not supported")
        if self.body is None:
            raise InvalidFunctionDefinition("no function body specified")
        return CreateFunction(
            name=name,
            parameters=parameters,
            result=self.result,
            result_position=self.result_position,
            columns=self.columns,
            language="sql",
            body=self.body,
            body_position=self.body_position,
            returns_set=self.returns_set,
            is_expression=self.is_expression,
            volatility=self.volatility,
            is_strict=self.is_strict,
            replaces=replaces,
            if_not_exists=if_not_exists,
            source=self.cursor.source,
        )


def _is_text(cursor: Cursor) -> bool:
    token = cursor.token
    return token is not None and token.token_type in _TEXTS


def _text(cursor: Cursor) -> str:
    token = cursor.token
    assert token is not None
    cursor.index += 1
    return token.text


def _parameters(cursor: Cursor) -> tuple[ParameterDefinition, ...]:
    """Take parameters up to the closing bracket."""
    found: list[ParameterDefinition] = []
    while not cursor.accept(")"):
        if found:
            cursor.expect(",")
        found.append(_parameter(cursor))
    return tuple(found)


def _parameter(cursor: Cursor) -> ParameterDefinition:
    mode = cursor.accept_any("IN", "OUT", "INOUT", "VARIADIC")
    if mode and mode != "IN":
        raise FeatureNotSupported(
            f"{mode} parameters are not supported", position=cursor.position - len(mode) - 1
        )
    position = cursor.position
    start = cursor.index
    name = ""
    named = cursor.label()
    if (
        cursor.is_at_end
        or cursor.word in {",", ")", "DEFAULT", "=", ".", "(", "[", "<"}
        or _continues_type(named, cursor.word)
    ):
        cursor.index = start
    else:
        name = named
        position = cursor.position
    written = column_type(cursor)
    default = None
    if cursor.accept_any("DEFAULT", "="):
        default = cursor.written(cursor.until(","))
    return ParameterDefinition(name, written, position, default)


#: Types of more than one word, by the first of them.
_LONG_TYPES: Final = {
    "double": {"PRECISION"},
    "character": {"VARYING"},
    "time": {"WITH", "WITHOUT"},
    "timestamp": {"WITH", "WITHOUT"},
    "bit": {"VARYING"},
    "interval": {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"},
}


def _continues_type(first: str, following: str) -> bool:
    return following in _LONG_TYPES.get(first, ())


def function_name(cursor: Cursor) -> FunctionName:
    """Take the name of a function with its arguments' types, if they are written."""
    name = cursor.qualified()
    if not cursor.accept("("):
        return FunctionName(name)
    return FunctionName(name, tuple(p.type for p in _parameters(cursor)))


def drop_function(cursor: Cursor) -> DropFunction:
    """Parse what follows DROP FUNCTION."""
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    functions = [function_name(cursor)]
    while cursor.accept(","):
        functions.append(function_name(cursor))
    is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    cursor.expect_end()
    return DropFunction(tuple(functions), if_exists, is_cascade, source=cursor.source)


def alter_function(cursor: Cursor) -> Statement:
    """Parse what follows ALTER FUNCTION."""
    function = function_name(cursor)
    if cursor.accept("RENAME", "TO"):
        altered = AlterFunction(function, new_name=cursor.name(), source=cursor.source)
    elif cursor.accept("SET", "SCHEMA"):
        altered = AlterFunction(function, schema=cursor.name(), source=cursor.source)
    elif cursor.accept("OWNER", "TO"):
        altered = AlterFunction(function, owner=role_name(cursor), source=cursor.source)
    else:
        return Unsupported(f"ALTER FUNCTION {cursor.label().upper()}", source=cursor.source)
    cursor.expect_end()
    return altered


def comment_on_function(cursor: Cursor) -> CommentOnFunction:
    """Parse what follows COMMENT ON FUNCTION."""
    function = function_name(cursor)
    cursor.expect("IS")
    text = None if cursor.accept("NULL") else cursor.string()
    cursor.expect_end()
    return CommentOnFunction(function, text, source=cursor.source)
