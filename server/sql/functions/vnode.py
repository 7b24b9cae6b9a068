"""RisingWave's rw_vnode: to which of so many parts of a cluster a row's key belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, InvalidParameterValue
from catalog.types import INT2
from server.sql.coercion import default_typed
from server.sql.fragment import call, cast, fragment
from server.sql.known import known_text
from server.sql.overload import Overload, rule
from server.sql.typed import Typed

_PARTS_MAX: Final = 32_768

#: How the keys are told to the hash function, whose bytes depend on their types.
_KINDS: Final = {
    "int2": "i2", "int4": "i4", "int8": "i8", "bool": "b", "text": "t", "varchar": "t",
}  # fmt: skip


def _vnode(arguments: Sequence[Typed]) -> Typed:
    count, *keys = arguments
    try:
        told = known_text(count, "the count", stand_in=str(_PARTS_MAX))
    except FeatureNotSupported:
        raise InvalidParameterValue("the first argument (vnode count) must be a constant") from None
    if told is None:
        raise InvalidParameterValue("the first argument (vnode count) must not be NULL")
    if not 1 <= int(told) <= _PARTS_MAX:
        raise InvalidParameterValue(
            f"the first argument (vnode count) must be in range 1..={_PARTS_MAX}"
        )
    items = exp.Array(expressions=[_told(default_typed(key)) for key in keys])
    hashed = call("tg_row_hash", cast(items, "VARCHAR[]"))
    return Typed(cast(fragment(f"_0 % {int(told)}", hashed), "SMALLINT"), INT2)


def _told(key: Typed) -> exp.Expr:
    kind = _KINDS.get(key.type.name)
    if kind is None:
        raise FeatureNotSupported(f"rw_vnode of type {key.type.sql_name} is not supported")
    return fragment(f"'{kind}' || CAST(_0 AS VARCHAR)", key.tree)


VNODE_FUNCTIONS: Final[tuple[Overload, ...]] = (rule("rw_vnode(int4, variadic any)", _vnode),)
