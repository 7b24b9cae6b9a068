"""Which type becomes which (PostgreSQL 15, chapters 10.1 to 10.4 and pg_cast).

A value without a type (UNKNOWN) takes the target's: string constants are read at once,
parameters are reported to the listener.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from decimal import Decimal
from enum import IntEnum
from typing import Final

from sqlglot import exp

from catalog.errors import (
    AmbiguousParameter,
    CannotCoerce,
    FeatureNotSupported,
    InvalidTextRepresentation,
)
from catalog.special_numeric import special_of_word
from catalog.types import (
    NUMERIC,
    OBJECT_TYPES,
    RECORD,
    TEXT,
    VARBIT,
    VARCHAR,
    VECTORS,
    PgType,
    computed_numeric,
)
from server.sql.casts import converted, converted_value, fitted, is_text, numeric_width
from server.sql.fragment import call, cast, fragment
from server.sql.literals import numeric_constant
from server.sql.special import retyped
from server.sql.text_input import constant
from server.sql.typed import POSITION, Typed
from server.sql.written_numeric import scale_code_of, stored, value_of


class Coercion(IntEnum):
    """How a conversion is asked for; each may do what those before it may."""

    IMPLICIT = 0
    ASSIGNMENT = 1
    EXPLICIT = 2


OnParameter = Callable[[int, PgType], None]

_listener: ContextVar[OnParameter | None] = ContextVar("parameter_listener", default=None)


@contextmanager
def parameters_reported_to(on_parameter: OnParameter) -> Iterator[None]:
    """Have the types that parameters take while this lasts reported: number, then type."""
    token = _listener.set(on_parameter)
    try:
        yield
    finally:
        _listener.reset(token)


_I: Final = Coercion.IMPLICIT
_A: Final = Coercion.ASSIGNMENT
_E: Final = Coercion.EXPLICIT

_TO_OIDS: Final = {"oid": _I} | {t.name: _I for t in OBJECT_TYPES}
#: What all integers become.
_FROM_INTEGERS: Final = dict.fromkeys(("float4", "float8", "numeric", "rw_int256"), _I) | _TO_OIDS

#: pg_cast where neither side is a string: source -> target -> when.
_CASTS: Final[dict[str, dict[str, Coercion]]] = {
    "bool": {"int4": _E},
    "int2": {"int4": _I, "int8": _I, **_FROM_INTEGERS},
    "int4": {"int2": _A, "int8": _I, "bool": _E, "bit": _E, **_FROM_INTEGERS},
    "int8": {"int2": _A, "int4": _A, "bit": _E, **_FROM_INTEGERS},
    "float4": {"int2": _A, "int4": _A, "int8": _A, "float8": _I, "numeric": _A},
    "float8": {"int2": _A, "int4": _A, "int8": _A, "float4": _A, "numeric": _A},
    "numeric": {"int2": _A, "int4": _A, "int8": _A, "float4": _I, "float8": _I},
    "rw_int256": {"float8": _E},
    "oid": {"int4": _A, "int8": _A} | _TO_OIDS,
    **{t.name: {"int4": _A, "int8": _A, "oid": _I} for t in OBJECT_TYPES},
    "regproc": {"int4": _A, "int8": _A, "oid": _I, "regprocedure": _I},
    "regprocedure": {"int4": _A, "int8": _A, "oid": _I, "regproc": _I},
    "regoper": {"int4": _A, "int8": _A, "oid": _I, "regoperator": _I},
    "regoperator": {"int4": _A, "int8": _A, "oid": _I, "regoper": _I},
    "xid8": {"xid": _E},
    "date": {"timestamp": _I, "timestamptz": _I},
    "time": {"interval": _I, "timetz": _I},
    "timetz": {"time": _A},
    "timestamp": {"date": _A, "time": _A, "timestamptz": _I},
    "timestamptz": {"date": _A, "time": _A, "timestamp": _A, "timetz": _A},
    "interval": {"time": _A},
    "bit": {"varbit": _I, "int4": _E, "int8": _E},
    "varbit": {"bit": _I},
    "json": {"jsonb": _A},
    "jsonb": {"json": _A, "bool": _E, "numeric": _E, "int2": _E, "int4": _E, "int8": _E}
    | {"float4": _E, "float8": _E},
}

#: pg_cast where a side is "char", which is no string: (source, target) -> when.
_CHAR_CASTS: Final = {
    ("char", "text"): _I,
    ("char", "bpchar"): _A,
    ("char", "varchar"): _A,
    ("char", "name"): _A,
    ("char", "int4"): _E,
    ("text", "char"): _A,
    ("bpchar", "char"): _A,
    ("varchar", "char"): _A,
    ("name", "char"): _E,
    ("int4", "char"): _E,
}

#: Of each category the type that is preferred when there is a choice.
_PREFERRED: Final = frozenset(
    {"bool", "text", "float8", "oid", "timestamptz", "interval", "varbit"}
)


def is_preferred(pg_type: PgType) -> bool:
    """Whether the type is the preferred one of its category."""
    return pg_type.name in _PREFERRED


def can_coerce(source: PgType, target: PgType, how: Coercion) -> bool:
    """Whether a value of one type becomes the other in that way."""
    if source.name == "unknown" or source.oid == target.oid:
        return True
    if source.element is not None and target.element is not None:
        return can_coerce(source.element, target.element, how)
    if source.oid in VECTORS and target.element is not None:
        return can_coerce(VECTORS[source.oid], target.element, how)
    if source.entry is not None and target.entry is not None:
        pairs = zip(source.entry, target.entry, strict=True)
        return all(can_coerce(given, wanted, max(how, _A)) for given, wanted in pairs)
    if source.name == "record" and is_text(target):
        return how >= _A
    if source.is_row and target.is_row:
        return source.name == "record" or target.name == "record"
    if source.name == "record" or target.name == "record":
        return target == RECORD and source.is_row
    if "char" in {source.name, target.name}:
        allowed = _CHAR_CASTS.get((source.name, target.name))
        return allowed is not None and how >= allowed
    if is_text(source) and is_text(target):
        return source.name != "name" or target.name in {"name", "text"} or how >= _A
    if is_text(target):
        return how >= _A
    if is_text(source):
        # Texts name relations without a cast, such as in nextval('s').
        is_relation = target.name == "regclass" and source.name in {"text", "varchar"}
        return how >= _E or is_relation
    allowed = _CASTS.get(source.name, {}).get(target.name)
    return allowed is not None and how >= allowed


def coerce(value: Typed, target: PgType, how: Coercion, *, position: int | None = None) -> Typed:
    """Return the value as one of the target type, modifiers included.

    One case keeps more than it was asked to: an explicit cast to numeric without a scale leaves a
    numeric as it is, and makes the smallest numeric of an integer or a constant, as PostgreSQL's
    has no scale of its own.

    Raises:
        CannotCoerce: There is no such cast.
        PgError: A constant is not a value of the target type.
    """
    if (domain := target.domain) is not None:
        if value.type.domain is not None and value.type.domain.oid == domain.oid:
            return value
        if not value.is_unknown and not can_coerce(value.type.bare, target.bare, how):
            raise CannotCoerce(
                f"cannot cast type {value.type.sql_name} to {target.sql_name}", position=position
            )
        # Its macro checks what the domains ask that it is made of too.
        inner = coerce(value, target.bare, how, position=position)
        checked = call(f"ut{domain.oid}_check", inner.tree)
        return Typed(cast(checked, inner.type.duckdb), inner.type.within(domain))
    if value.type.domain is not None:
        if not can_coerce(value.type.bare, target, how):
            raise CannotCoerce(
                f"cannot cast type {value.type.sql_name} to {target.sql_name}", position=position
            )
        return coerce(Typed(value.tree, value.type.bare), target, how, position=position)
    if value.is_unknown:
        return _from_unknown(value, target, how, position)
    if value.type.carries_scale or target.carries_scale:
        return _written(value, target, how, position)
    if value.type.is_row and target == RECORD:
        return value
    value = _with_dimensions(value, target)
    _check_columns(value.type, target, position)
    if not can_coerce(value.type, target, how):
        raise CannotCoerce(
            f"cannot cast type {value.type.sql_name} to {target.sql_name}", position=position
        )
    if _is_plain_numeric(target) and how is Coercion.EXPLICIT and value.type.category == "N":
        if value.type.oid == NUMERIC.oid:
            return retyped(value, replace(value.type, is_declared=False))
        if value.type.name in {"int2", "int4", "int8"}:
            return as_numeric(value)
    return _typed_to(value, target, how)


def _written(value: Typed, target: PgType, how: Coercion, position: int | None) -> Typed:
    """Coerce from or to a numeric that carries its scale."""
    if value.type.carries_scale:
        if target.carries_scale:
            return value
        return coerce(value_of(value), target, how, position=position)
    tree, listener = value.tree, _listener.get()
    if (
        value.type == NUMERIC
        and listener is not None
        and isinstance(tree, exp.Cast)
        and isinstance(tree.this, exp.Parameter)
    ):
        # What a client has declared to be a numeric comes with its scale.
        listener(int(tree.this.name), target)
        return Typed(cast(tree.this.copy(), target.duckdb), target)
    if is_text(value.type):
        return _typed_to(value, target, how)
    number = coerce(
        value,
        NUMERIC,
        how if how is not Coercion.EXPLICIT else Coercion.ASSIGNMENT,
        position=position,
    )
    return stored(number, scale_code_of(value))


def _with_dimensions(value: Typed, target: PgType) -> Typed:
    """Return a parameter that a client has declared as an array with the dimensions of its target.

    In the protocol an array's type says nothing of them.
    """
    tree, listener = value.tree, _listener.get()
    if (
        target.dimensions <= value.type.dimensions
        or value.type.element is None
        or listener is None
        or not isinstance(tree, exp.Cast)
        or not isinstance(tree.this, exp.Parameter)
    ):
        return value
    stored = value.type.element.duckdb + "[]" * target.dimensions
    declared = replace(value.type, duckdb=stored)
    listener(int(tree.this.name), declared)
    return Typed(cast(tree.this.copy(), stored), declared)


def _check_columns(source: PgType, target: PgType, position: int | None) -> None:
    """Refuse rows of another number of columns than the target's, or of others; also inside."""
    for given, wanted in _parts_of(source, target):
        _check_columns(given, wanted, position)
    if not source.is_row or not target.is_row:
        return
    if len(source.members) != len(target.members):
        raise CannotCoerce(
            f"cannot cast type record to {target.display()}",
            detail=f"Input has too {_too(source, target)} columns.",
            position=position,
        )
    for number, ((_, given), (_, wanted)) in enumerate(
        zip(source.members, target.members, strict=True), 1
    ):
        if given.name != "unknown" and not can_coerce(given, wanted, Coercion.EXPLICIT):
            raise CannotCoerce(
                f"cannot cast type record to {target.display()}",
                detail=f"Cannot cast type {given.sql_name} to {wanted.sql_name}"
                f" in column {number}.",
                position=position,
            )


def _parts_of(source: PgType, target: PgType) -> Iterator[tuple[PgType, PgType]]:
    """Yield what two types hold at the same places."""
    if source.element is not None and target.element is not None:
        yield source.element, target.element
    if source.entry is not None and target.entry is not None:
        yield from zip(source.entry, target.entry, strict=True)
    if source.members and len(source.members) == len(target.members):
        for (_, given), (_, wanted) in zip(source.members, target.members, strict=True):
            yield given, wanted


def _too(source: PgType, target: PgType) -> str:
    return "few" if len(source.members) < len(target.members) else "many"


def _is_plain_numeric(target: PgType) -> bool:
    return target == NUMERIC


def _typed_to(value: Typed, target: PgType, how: Coercion) -> Typed:
    if is_text(target) and value.scale_code is not None:
        value = stored(coerce(value, NUMERIC, Coercion.IMPLICIT), value.scale_code)
    is_fitted = _is_bounded(target) and not _fits(value.type, target)
    if value.type.has_specials and not is_fitted:
        return converted_value(value, target)
    tree = converted(value.tree, value.type, target)
    if is_fitted:
        tree = fitted(tree, target, is_explicit=how is Coercion.EXPLICIT)
    if value.type.duckdb.endswith("[][]") and target.is_array:
        depth = value.type.dimensions - target.dimensions
        target = replace(target, duckdb=target.duckdb + "[]" * depth)
    return Typed(tree, target)


def _is_bounded(target: PgType) -> bool:
    """Whether values of a type have a length, or digits of seconds, that a cast has to see to."""
    bounded = target.element or target
    return bounded.length is not None or bounded.seconds is not None or bounded.fields != ""


def without_bounds(target: PgType) -> PgType:
    """Return a type without what a cast has to see to: lengths, and digits of seconds."""
    if not _is_bounded(target):
        return target
    if target.element is not None:
        return replace(target, element=without_bounds(target.element))
    is_declared = target.is_declared and target.length is None
    return replace(target, length=None, seconds=None, fields="", is_declared=is_declared)


_VARYING: Final = frozenset({VARCHAR.oid, VARBIT.oid})


def _fits(source: PgType, target: PgType) -> bool:
    if source == target:
        return True
    return (
        source.oid == target.oid
        and source.length is not None
        and target.length is not None
        and (
            source.length == target.length
            or (source.length < target.length and source.oid in _VARYING)
        )
    )


def _from_unknown(value: Typed, target: PgType, how: Coercion, position: int | None) -> Typed:
    tree = value.tree
    if isinstance(tree, exp.Null):
        return Typed(cast(tree, target.duckdb), target)
    if (number := value.parameter) is not None:
        return _parameter(tree, number, target, how)
    if isinstance(tree, exp.Literal) and tree.is_string:
        position = tree.meta.get(POSITION, position) if tree._meta else position  # noqa: SLF001
        if target.name == "record" and not target.is_row:
            raise InvalidTextRepresentation.of("record", str(tree.this), position=position)
        found = constant(str(tree.this), target, position=position)
        is_special = special_of_word(str(tree.this)) is not None
        if target == NUMERIC and how is Coercion.EXPLICIT and not is_special:
            return numeric_constant(Decimal(str(tree.this)), position=position)
        fit = fitted(found.tree, target, is_explicit=how is Coercion.EXPLICIT)
        return Typed(fit, found.type)
    return _typed_to(Typed(tree, TEXT), target, how)


def _parameter(tree: exp.Expr, number: int, target: PgType, how: Coercion) -> Typed:
    listener = _listener.get()
    bare = without_bounds(target)
    if target.entry is not None:
        raise FeatureNotSupported("input of type map is not supported")
    if listener is not None:
        try:
            listener(number, bare)
        except AmbiguousParameter as error:
            error.position = tree.meta.get(POSITION)
            raise
    given = cast(tree, bare.duckdb)
    if target.name == "jsonb":
        given = fragment("tg_jsonb(CAST(_0 AS TEXT))", given)
    return Typed(fitted(given, target, is_explicit=how is Coercion.EXPLICIT), target)


def as_numeric(value: Typed) -> Typed:
    """Return an integer or numeric as a numeric of the smallest width that holds its type."""
    if value.type.oid == NUMERIC.oid:
        return value
    if value.is_unknown or value.type.name not in {"int2", "int4", "int8", "oid"}:
        return coerce(value, NUMERIC, Coercion.ASSIGNMENT)
    precision, scale = numeric_width(value.type)
    target = computed_numeric(precision, scale)
    return Typed(cast(value.tree, target.duckdb), target)


def default_typed(value: Typed) -> Typed:
    """Return a constant without a type as text; a parameter may still get its type elsewhere."""
    if value.is_unknown and value.parameter is None:
        return coerce(value, TEXT, Coercion.IMPLICIT)
    return value
