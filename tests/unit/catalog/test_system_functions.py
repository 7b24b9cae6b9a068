"""pg_proc lists the functions that there are, and nothing else that a client could call."""

from __future__ import annotations

from typing import Final

from catalog.oid import Oid
from catalog.state import Catalog
from catalog.system.pg_functions import function_rows
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.system.snapshot import Snapshot
from catalog.types import all_types, by_oid
from server.sql.functions.registry import function_names

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
