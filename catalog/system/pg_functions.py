"""Functions, operators, casts and what indexes compare by: pg_proc and its neighbours.

They are those of PostgreSQL that there are here too, under its numbers, and some of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from catalog.acl import shown
from catalog.function import Function
from catalog.oid import PG_CATALOG_OID
from catalog.system.fact_casts import CASTS
from catalog.system.fact_functions import FUNCTIONS
from catalog.system.fact_functions_later import LATER_FUNCTIONS
from catalog.system.fact_indexes import CLASSES, FAMILIES
from catalog.system.fact_made_types import MADE_TYPE_FUNCTIONS, MADE_TYPE_OPERATORS
from catalog.system.fact_operators import OPERATORS
from catalog.system.fact_peer import PEER_CASTS, PEER_FUNCTIONS
from catalog.system.pg_trigger import TRIGGER_FUNCTIONS
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.types import RECORD

#: Functions that PostgreSQL does not have, as ``FUNCTIONS`` lists them.
_OWN_FUNCTIONS: Final = """
9801 approx_count_distinct a-i-- 20 2276; 9802 array_contained fsi-- 16 2277 2277;
9803 array_contains fsi-- 16 2277 2277; 9804 array_distinct fsi-- 2277 2277;
9805 array_max fsi-- 2283 2277; 9806 array_min fsi-- 2283 2277; 9807 array_sort fsi-- 2277 2277;
9808 isnan fsi-- 16 701; 9809 proctime f-v-- 1184; 9810 crc32 fsi-- 20 17; 9811 crc32c fsi-- 20 17;
9812 coth fsi-- 701 701; 9813 gamma fsi-- 701 701; 9814 lgamma fsi-- 701 701; 9815 sha1 fsi-- 17 17;
9816 reverse fsi-- 17 17; 9817 arg_max a-i-- 2283 2283 2276; 9818 arg_min a-i-- 2283 2283 2276;
9819 array_join fsi-- 25 2277 25; 9820 array_join fsi-- 25 2277 25 25;
9821 array_overlaps fsi-- 16 2277 2277; 9822 array_reverse fsi-- 2277 2277;
9823 array_sum fsi-- 2283 2277; 9824 range fsir- 23 23 23; 9825 range fsir- 23 23 23 23;
9826 range fsir- 20 20 20; 9827 range fsir- 20 20 20 20; 9828 range fsir- 1700 1700 1700;
9829 range fsir- 1700 1700 1700 1700; 9830 range fsir- 1114 1114 1114 1186;
9831 range fsir- 1184 1184 1184 1186; 9832 approx_percentile a-i-- 701 701 701 701;
9833 range fsir- 1184 1184 1184 1186 25; 9834 generate_series fsir- 1184 1184 1184 1186 25;
9837 array_is_overlap fsi-- 16 2277 2277; 9838 array_is_intersect fsi-- 16 2277 2277;
9836 jsonb_populate_map f-i-- 1303 1303 3802; 9835 rw_vnode f-i-v 21 23 2276
"""

#: Aggregates with WITHIN GROUP: how many arguments come before it.
_ORDERED_SETS: Final = {
    "mode": 0,
    "percentile_cont": 1,
    "percentile_disc": 1,
    "approx_percentile": 2,
}

#: pg_language.oid of functions that are built in, and of those in SQL.
_INTERNAL: Final = 12
_SQL: Final = 14
_ANY: Final = 2276


def _items(text: str) -> Iterator[list[str]]:
    for item in text.split(";"):
        yield item.split()


@lru_cache(maxsize=1)
def function_rows() -> tuple[Row, ...]:
    """Return the functions that are built in, but for who owns them."""
    listed = ";".join(
        (
            *(FUNCTIONS, LATER_FUNCTIONS, _OWN_FUNCTIONS, PEER_FUNCTIONS, MADE_TYPE_FUNCTIONS),
            TRIGGER_FUNCTIONS,
        )
    )
    return tuple(_function(item) for item in _items(listed))


def _function(item: list[str]) -> Row:
    oid, name, marks, result, *types = item
    kind, strict, volatility, rows, variadic = list(marks)
    arguments = [int(pg_type) for pg_type in types]
    return {
        "oid": int(oid),
        "proname": name,
        "pronamespace": PG_CATALOG_OID,
        "prolang": _INTERNAL,
        "procost": 1.0,
        "prorows": 1000.0 if rows == "r" else 0.0,
        # What stands for any number of arguments is the array's element, or any.
        "provariadic": _ANY if variadic == "v" else 0,
        "prosupport": 0,
        "prokind": kind,
        "prosecdef": False,
        "proleakproof": False,
        "proisstrict": strict == "s",
        "proretset": rows == "r",
        "provolatile": volatility,
        "proparallel": "s",
        "pronargs": len(arguments),
        "pronargdefaults": 0,
        "prorettype": int(result),
        "proargtypes": arguments,
        "prosrc": name,
    }


def operator_functions() -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield the functions that implement operators: name, symbol, and OIDs of what both take."""
    names = {row["oid"]: str(row["proname"]) for row in function_rows()}
    for _, symbol, _, left, right, _, _, _, function in _items(OPERATORS):
        types = tuple(int(side) for side in (left, right) if side != "0")
        yield names[int(function)], symbol, types


def _functions(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for row in function_rows():
        yield {**row, "proowner": owner}
    for _, function in sorted(snapshot.catalog.functions.items()):
        yield user_function_row(snapshot, function)


def user_function_row(snapshot: Snapshot, function: Function) -> Row:
    """Return the row of pg_proc of a function that a user has made."""
    parameters, columns = function.parameters, function.columns
    names = [parameter.name for parameter in parameters]
    is_table = function.is_table
    every = [*names, *(name for name, _ in columns)] if is_table else names
    return {
        "oid": function.oid,
        "proname": function.name,
        "pronamespace": snapshot.schema_oid(function.schema),
        "proowner": snapshot.user_oid(function.owner),
        "prolang": _SQL,
        "procost": 100.0,
        "prorows": 1000.0 if function.returns_rows else 0.0,
        "provariadic": 0,
        "prosupport": 0,
        "prokind": "f",
        "prosecdef": False,
        "proleakproof": False,
        "proisstrict": function.is_strict,
        "proretset": function.returns_rows,
        "provolatile": function.volatility,
        "proparallel": "u",
        "pronargs": len(parameters),
        "pronargdefaults": len([p for p in parameters if p.default is not None]),
        "prorettype": RECORD.oid if len(columns) > 1 else function.result.oid,
        "proargtypes": [int(pg_type.oid) for pg_type in function.types],
        "proallargtypes": [
            *(int(pg_type.oid) for pg_type in function.types),
            *(int(pg_type.oid) for _, pg_type in columns),
        ]
        if is_table
        else None,
        "proargmodes": ["i"] * len(parameters) + ["t"] * len(columns) if is_table else None,
        "proargnames": every if any(every) else None,
        "proargdefaults": ", ".join(p.default for p in parameters if p.default) or None,
        "prosrc": "" if function.is_expression else function.body,
        "prosqlbody": f"RETURN {function.body}" if function.is_expression else None,
        "proacl": shown(function.acl),
    }


def _aggregates(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    for row in function_rows():
        if row["prokind"] == "a":
            name = str(row["proname"])
            yield {
                "aggfnoid": row["oid"],
                "aggkind": "o" if name in _ORDERED_SETS else "n",
                "aggnumdirectargs": _ORDERED_SETS.get(name, 0),
                **dict.fromkeys(_AGGREGATE_FUNCTIONS, 0),
                "aggfinalextra": False,
                "aggmfinalextra": False,
                "aggfinalmodify": "r",
                "aggmfinalmodify": "r",
            }


#: Parts of which aggregates are not made here.
_AGGREGATE_FUNCTIONS: Final = (
    *("aggtransfn", "aggfinalfn", "aggcombinefn", "aggserialfn", "aggdeserialfn", "aggmtransfn"),
    *("aggminvtransfn", "aggmfinalfn", "aggsortop", "aggtranstype", "aggtransspace"),
    *("aggmtranstype", "aggmtransspace"),
)


def _operators(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, symbol, kind, left, right, result, commutator, negator, function in _items(
        f"{OPERATORS};{MADE_TYPE_OPERATORS}"
    ):
        yield {
            "oid": int(oid),
            "oprname": symbol,
            "oprnamespace": PG_CATALOG_OID,
            "oprowner": owner,
            "oprkind": kind,
            "oprcanmerge": symbol == "=",
            "oprcanhash": symbol == "=",
            "oprleft": int(left),
            "oprright": int(right),
            "oprresult": int(result),
            "oprcom": int(commutator),
            "oprnegate": int(negator),
            "oprcode": int(function),
            "oprrest": 0,
            "oprjoin": 0,
        }


def _casts(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    for oid, source, target, function, context, method in _items(f"{CASTS};{PEER_CASTS}"):
        yield {
            "oid": int(oid),
            "castsource": int(source),
            "casttarget": int(target),
            "castfunc": int(function),
            "castcontext": context,
            "castmethod": method,
        }


def _classes(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, method, name, family, pg_type, is_default, key in _items(CLASSES):
        yield {
            "oid": int(oid),
            "opcmethod": int(method),
            "opcname": name,
            "opcnamespace": PG_CATALOG_OID,
            "opcowner": owner,
            "opcfamily": int(family),
            "opcintype": int(pg_type),
            "opcdefault": is_default == "1",
            "opckeytype": int(key),
        }


def _families(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, method, name in _items(FAMILIES):
        yield {
            "oid": int(oid),
            "opfmethod": int(method),
            "opfname": name,
            "opfnamespace": PG_CATALOG_OID,
            "opfowner": owner,
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_proc": _functions,
    "pg_aggregate": _aggregates,
    "pg_operator": _operators,
    "pg_cast": _casts,
    "pg_opclass": _classes,
    "pg_opfamily": _families,
}
