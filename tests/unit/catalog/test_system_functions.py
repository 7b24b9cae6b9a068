"""pg_proc lists the functions that there are, and nothing else that a client could call."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.oid import Oid
from catalog.state import Catalog
from catalog.system.pg_functions import function_rows, operator_functions
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.system.snapshot import Snapshot
from catalog.types import RECORD, all_types, by_oid
from server.sql.functions.registry import function_names, resolve_function
from server.sql.typed import Typed

#: Names that the parser makes, or words that PostgreSQL has no functions for.
_NOT_LISTED: Final = frozenset(
    """
    coalesce greatest least nullif slice subscript similar_to trim user current_catalog
    current_date current_role current_timestamp localtime localtimestamp
    """.split()  # noqa: SIM905
)


def test_every_function_is_listed() -> None:
    listed = {row["proname"] for row in function_rows()}
    own = {name for name in function_names() if not name.startswith("information_schema.")}
    assert own - listed - _NOT_LISTED == set()


def test_functions_of_operators_can_be_called_by_name() -> None:
    for name, _, oids in operator_functions():
        types = [by_oid(Oid(_SAMPLES.get(oid, oid))) for oid in oids]
        if RECORD in types or name in _VARIADIC:
            continue  # Rows are compared member by member, which is not a function.
        arguments = [Typed(exp.column(f"c{i}"), t) for i, t in enumerate(types) if t is not None]
        assert resolve_function(name, arguments).type.oid


#: Functions that take their texts one by one, or in an array that is said to be variadic.
_VARIADIC: Final = frozenset(
    f"{kind}_extract_path{suffix}" for kind in ("json", "jsonb") for suffix in ("", "_text")
)
#: What a parameter of any type is tried with.
_SAMPLES: Final = {2277: 1007, 2283: 23, 5077: 23, 5078: 1007}


def test_numbers_of_functions_are_unique_and_types_are_known() -> None:
    rows = function_rows()
    assert len({row["oid"] for row in rows}) == len(rows)
    for row in rows:
        types = row["proargtypes"]
        assert isinstance(types, list)
        assert all(by_oid(oid) is not None for oid in [*types, row["prorettype"]])


def test_types_have_functions_that_are_listed() -> None:
    listed = {row["oid"] for row in function_rows()}
    types = SYSTEM_RELATIONS["pg_catalog", "pg_type"].rows(Snapshot(Catalog("dev", Oid(1)), "root"))
    assert {row["oid"] for row in types} == {pg_type.oid for pg_type in all_types()}
    for row in types:
        for column in ("typinput", "typoutput", "typreceive", "typsend", "typmodin", "typmodout"):
            assert row[column] in listed | {0}, (row["typname"], column)
