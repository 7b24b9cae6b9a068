"""Statements that are bound again with the values of parameters that must be known for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sqlglot import exp

from catalog.types import OBJECT_TYPES, PgType
from server.execute.describe import Described, describe
from server.session_state import SessionState
from server.sql import statement as s
from server.value.array_text import shape
from server.wire.messages import TEXT_FORMAT
from server.wire.values import encode


def with_values(
    state: SessionState,
    statement: s.Statement,
    described: Described,
    parameters: Sequence[object],
) -> tuple[s.Statement, Described]:
    """Return a statement whose ``wanted`` parameters are constants, and what is known of it.

    So are arrays of other dimensions than were bound, whose number is part of the engine's type;
    and the names of relations and types, whose OIDs the binder knows.

    Raises:
        PgError: It does not make sense with these values.
    """
    types = described.parameter_types
    wanted = described.wanted.union(
        number
        for number, (value, pg_type) in enumerate(zip(parameters, types, strict=False), 1)
        if _has_other_dimensions(value, pg_type) or _is_name(value, pg_type)
    )
    if not wanted:
        return statement, described
    constants = {number: _constant(parameters[number - 1], types[number - 1]) for number in wanted}
    known: s.Statement = _replaced(statement, constants)
    return known, describe(state, known, types)


def _has_other_dimensions(value: object, pg_type: PgType) -> bool:
    """Whether a value is an array of other dimensions than its parameter's type has."""
    return isinstance(value, list) and len(shape(value)) not in (0, pg_type.dimensions)


def _is_name(value: object, pg_type: PgType) -> bool:
    return isinstance(value, str) and pg_type in OBJECT_TYPES


def _constant(value: object, pg_type: PgType) -> exp.Expr:
    literal: exp.Expr = exp.Null()
    if isinstance(value, str):
        literal = exp.Literal.string(value)
    elif value is not None:
        image = encode(pg_type, TEXT_FORMAT, value)
        assert image is not None
        literal = exp.Literal.string(image.decode())
    return exp.cast(literal, pg_type.sql_name, dialect="risingwave")


def _replaced(part: Any, constants: Mapping[int, exp.Expr]) -> Any:  # noqa: ANN401 -- any field
    """Return a part of a statement with parameters replaced; what was parsed stays as it is."""
    if isinstance(part, exp.Expr):
        return part.transform(_constant_for, constants)
    if isinstance(part, tuple):
        return tuple(_replaced(item, constants) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        changed = {
            field.name: fresh
            for field in fields(part)
            if field.init
            and (fresh := _replaced(old := getattr(part, field.name), constants)) is not old
        }
        return replace(part, **changed)
    return part


def _constant_for(node: exp.Expr, constants: Mapping[int, exp.Expr]) -> exp.Expr:
    if isinstance(node, (exp.Parameter, exp.Placeholder)) and node.name.isdigit():
        constant = constants.get(int(node.name))
        if constant is not None:
            return constant.copy()
    return node
