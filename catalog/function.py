"""Functions that users make: a query or an expression in SQL, put in wherever it is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from catalog.acl import Acl
from catalog.errors import UndefinedFunction, UndefinedSchema
from catalog.function_errors import DuplicateFunction
from catalog.oid import Oid
from catalog.relation import Schema
from catalog.types import PgType

#: How often a function may give another result, by pg_proc.provolatile.
VOLATILITIES: Final = {"i": "IMMUTABLE", "s": "STABLE", "v": "VOLATILE"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a function takes.

    Attributes:
        name: Empty for one that is known by its place only.
        default: The expression that stands for it when it is left out, as written, or None.
    """

    name: str
    type: PgType
    default: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of SQL.

    Attributes:
        result: The type of its value, or of the rows' only column.
        columns: Of a function that gives rows: their names and types.
        body: The query, or the expression after RETURN.
        is_expression: Whether it is the latter.
        volatility: As pg_proc.provolatile.
        is_strict: Whether it is NULL when an argument is.
        definition: The statement that made it.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    parameters: tuple[Parameter, ...]
    result: PgType
    body: str
    columns: tuple[tuple[str, PgType], ...] = ()
    is_expression: bool = False
    volatility: str = "v"
    is_strict: bool = False
    definition: str = ""
    comment: str | None = None
    acl: Acl | None = None

    @property
    def returns_rows(self) -> bool:
        """Whether it stands in FROM."""
        return bool(self.columns)

    @property
    def is_table(self) -> bool:
        """Whether it was made with RETURNS TABLE, which names the columns."""
        return bool(self.columns) and bool(self.columns[0][0])

    @property
    def types(self) -> tuple[PgType, ...]:
        """The types of its arguments, by which it is told from others of its name."""
        return tuple(parameter.type for parameter in self.parameters)

    @property
    def signature(self) -> str:
        """Its name and its arguments' types, as messages give them."""
        types = ",".join(pg_type.sql_name for pg_type in self.types)
        name = self.name if self.schema == "public" else f"{self.schema}.{self.name}"
        return f"{name}({types})"


@dataclass(frozen=True, slots=True)
class PutFunction:
    """Add a function, or put it in the place of the one with the same OID."""

    function: Function


@dataclass(frozen=True, slots=True)
class DropFunctions:
    """Take functions away, all or none; those who ask have looked for what calls them."""

    oids: frozenset[Oid]


FunctionChange: TypeAlias = PutFunction | DropFunctions


def changed_functions(
    functions: Mapping[Oid, Function], schemas: Mapping[str, Schema], change: FunctionChange
) -> dict[Oid, Function]:
    """Return the functions after a change.

    Raises:
        UndefinedSchema: The schema is not known.
        DuplicateFunction: There is one of that name with such arguments.
        UndefinedFunction: One is not known.
    """
    if isinstance(change, DropFunctions):
        if not change.oids <= functions.keys():
            raise UndefinedFunction("the function was dropped meanwhile")
        return {oid: held for oid, held in functions.items() if oid not in change.oids}
    function = change.function
    if function.schema not in schemas:
        raise UndefinedSchema.named(function.schema)
    for held in functions.values():
        is_namesake = (held.schema, held.name) == (function.schema, function.name)
        if held.oid != function.oid and is_namesake and _same(held, function):
            raise DuplicateFunction(
                f'function "{function.name}" already exists with same argument types'
            )
    return {**functions, function.oid: function}


def _same(one: Function, other: Function) -> bool:
    return [t.oid for t in one.types] == [t.oid for t in other.types]


def arguments_text(function: Function, *, with_defaults: bool = True) -> str:
    """Return the arguments as pg_get_function_arguments shows them."""
    shown = []
    for parameter in function.parameters:
        text = f"{parameter.name} {parameter.type.display()}".strip()
        if with_defaults and parameter.default is not None:
            text += f" DEFAULT {parameter.default}"
        shown.append(text)
    return ", ".join(shown)


def result_text(function: Function) -> str:
    """Return the result as pg_get_function_result shows it."""
    if not function.columns:
        return function.result.display()
    if not function.is_table:
        return f"SETOF {function.result.display()}"
    columns = ", ".join(f"{name} {pg_type.display()}" for name, pg_type in function.columns)
    return f"TABLE({columns})"


def definition_of(function: Function) -> str:
    """Return CREATE FUNCTION as pg_get_functiondef shows it."""
    lines = [
        f"CREATE OR REPLACE FUNCTION {function.schema}.{function.name}({arguments_text(function)})",
        f" RETURNS {result_text(function)}",
        " LANGUAGE sql",
    ]
    marks = [VOLATILITIES[function.volatility]] if function.volatility != "v" else []
    marks += ["STRICT"] if function.is_strict else []
    if marks:
        lines.append(f" {' '.join(marks)}")
    if function.is_expression:
        lines.append(f"RETURN {function.body}")
    else:
        quote = "$function$"
        lines.append(f"AS {quote}{function.body}{quote}")
    return "\n".join(lines) + "\n"


def renamed(function: Function, schema: str, name: str) -> Function:
    """Return a function under another name; it is shown as it is then."""
    moved = replace(function, schema=schema, name=name)
    return replace(moved, definition=definition_of(moved).rstrip("\n"))
