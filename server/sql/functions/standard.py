"""Functions of information_schema, with which PostgreSQL's own views of it are written.

Their names have the schema in front; without it nobody finds them.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.errors import DatatypeMismatch
from catalog.types import PgType
from server.sql.fragment import fragment
from server.sql.overload import Overload, rule, table
from server.sql.typed import Typed

_TABLE: Final = r"""
_pg_char_max_length(oid, int4) int4 = CASE WHEN _1 = -1 THEN NULL WHEN _0 IN (1042, 1043) THEN _1 - 4 WHEN _0 IN (1560, 1562) THEN _1 END
_pg_char_octet_length(oid, int4) int4 = CASE WHEN _0 IN (25, 1042, 1043) THEN CASE WHEN _1 = -1 THEN 1073741824 ELSE 4 * (_1 - 4) END END
_pg_numeric_precision(oid, int4) int4 = CASE _0 WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 1700 THEN CASE WHEN _1 = -1 THEN NULL ELSE ((_1 - 4) >> 16) & 65535 END WHEN 700 THEN 24 WHEN 701 THEN 53 END
_pg_numeric_precision_radix(oid, int4) int4 = CASE WHEN _0 IN (20, 21, 23, 700, 701) THEN 2 WHEN _0 = 1700 THEN 10 END
_pg_numeric_scale(oid, int4) int4 = CASE WHEN _0 IN (20, 21, 23) THEN 0 WHEN _0 = 1700 THEN CASE WHEN _1 = -1 THEN NULL ELSE (_1 - 4) & 65535 END END
_pg_datetime_precision(oid, int4) int4 = CASE WHEN _0 = 1082 THEN 0 WHEN _0 IN (1083, 1114, 1184, 1266) THEN CASE WHEN _1 < 0 THEN 6 ELSE _1 END WHEN _0 = 1186 THEN CASE WHEN _1 < 0 OR (_1 & 65535) = 65535 THEN 6 ELSE _1 & 65535 END END
_pg_interval_type(oid, int4) text = CASE WHEN _0 = 1186 AND _1 >= 0 THEN UPPER(NULLIF(TRIM(REGEXP_REPLACE(tg_told(GETVARIABLE('session'), 'type', _0, _1, ''), 'interval|\([0-9]+\)', '', 'g')), '')) END
"""


def _members(value: Typed, *names: str) -> list[Typed]:
    """Return columns of a row of pg_attribute or pg_type."""
    found: list[Typed] = []
    for name in names:
        places = [i for i, (member, _) in enumerate(value.type.members, 1) if member == name]
        if not places:
            raise DatatypeMismatch(f'a row with a column "{name}" was expected')
        pg_type: PgType = value.type.members[places[0] - 1][1]
        tree = fragment(f"STRUCT_EXTRACT(_0, 'f{places[0]}')", value.tree.copy())
        found.append(Typed(tree, pg_type))
    return found


def _true(column: str, base: str, arguments: Sequence[Typed]) -> Typed:
    """Return what a column's type is without the domain that there may be around it."""
    (own,) = _members(arguments[0], column)
    kind, inner = _members(arguments[1], "typtype", base)
    tree = fragment("CASE WHEN _0 = 'd' THEN _1 ELSE _2 END", kind.tree, inner.tree, own.tree)
    return Typed(tree, own.type)


_FUNCTIONS: Final = (
    *table(_TABLE),
    rule("_pg_truetypid(any, any)", lambda a: _true("atttypid", "typbasetype", a)),
    rule("_pg_truetypmod(any, any)", lambda a: _true("atttypmod", "typtypmod", a)),
)

STANDARD_FUNCTIONS: Final[tuple[Overload, ...]] = tuple(
    Overload(f"information_schema.{o.name}", o.parameters, o.build) for o in _FUNCTIONS
)
