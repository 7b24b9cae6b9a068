"""Types as JSON values, the form in which a database keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from catalog.oid import INVALID_OID, Oid
from catalog.types import (
    NUMBER,
    Domain,
    PgType,
    array_of,
    by_oid,
    map_of,
    numeric,
    record,
    with_length,
    with_seconds,
)
from catalog.written_numeric import WRITTEN_NUMERIC


def encode(pg_type: PgType) -> dict[str, object]:
    """Return what ``decode`` needs to make the type again, as JSON values."""
    if pg_type.element is not None:
        return {"array": encode(pg_type.element), "duckdb": pg_type.duckdb}
    if (domain := pg_type.domain) is not None:
        base = encode(domain.base)
        own = [int(domain.oid), domain.name, domain.sql_name, int(domain.array_oid)]
        checks = [list(check) for check in domain.checks]
        rules = {"not_null": domain.is_not_null, "checks": checks, "default": domain.default}
        return {"domain": own, "base": base, **rules}
    described: dict[str, object] = {"oid": int(pg_type.oid)}
    if pg_type.is_made:
        described |= {"name": pg_type.name, "sql_name": pg_type.sql_name}
        described |= {"array_oid": int(pg_type.array_oid)}
    if pg_type.labels:
        described |= {"labels": [list(label) for label in pg_type.labels]}
    if pg_type.precision is not None:
        described |= {"precision": pg_type.precision, "scale": pg_type.scale}
        described |= {"declared": pg_type.is_declared, "keeps_scale": pg_type.keeps_scale}
        described |= {"specials": pg_type.has_specials, "carries_scale": pg_type.carries_scale}
    if pg_type.length is not None:
        described |= {"length": pg_type.length}
    if pg_type.is_row:
        described |= {"members": [[name, encode(member)] for name, member in pg_type.members]}
    if pg_type.entry is not None:
        described |= {"entry": [encode(part) for part in pg_type.entry]}
    if pg_type.seconds is not None or pg_type.fields:
        described |= {"seconds": pg_type.seconds, "fields": pg_type.fields}
    return described


#: What enums have in common.
_ENUM: Final = PgType(INVALID_OID, "", "", 4, "E", INVALID_OID, "DOUBLE")


def _own(described: dict[str, object]) -> dict[str, Any]:
    """Return what tells a type that a user has made from others of its kind."""
    oids = {name: Oid(int(str(described[name]))) for name in ("oid", "array_oid")}
    return {**oids, "name": described["name"], "sql_name": described["sql_name"]}


def decode(described: dict[str, object]) -> PgType:
    """Return the type that ``encode`` described."""
    match described:
        case {"array": dict() as element, "duckdb": str() as duckdb}:
            return replace(array_of(decode(element)), duckdb=duckdb)
        case {
            "precision": int() as precision,
            "scale": int() as scale,
            "declared": bool() as declared,
            "keeps_scale": bool() as keeps_scale,
        }:
            plain = numeric(precision, scale, is_declared=declared, keeps_scale=keeps_scale)
            has_specials = described.get("specials", plain == NUMBER) is True
            if described.get("carries_scale") is True:
                return WRITTEN_NUMERIC
            return replace(plain, has_specials=has_specials)
        case {"entry": [dict() as key, dict() as value]}:
            return map_of(decode(key), decode(value))
        case {"oid": int() as oid, "length": int() as length}:
            return with_length(_known(oid), length)
        case {"oid": int() as oid, "seconds": int() | None as seconds, "fields": str() as fields}:
            return with_seconds(_known(oid), seconds, fields)
        case {
            "domain": [int() as oid, str() as name, str() as sql_name, int() as array_oid],
            "base": dict() as base,
            "default": str() | None as default,
            "not_null": bool() as is_not_null,
            "checks": list() as checks,
        }:
            made = decode(base)
            pairs = tuple((str(check), str(condition)) for check, condition in checks)
            domain = Domain(
                Oid(oid), name, sql_name, Oid(array_oid), made, default, is_not_null, pairs
            )
            return made.within(domain)
        case {"oid": int(), "members": list() as members}:
            row = record([(name, decode(member)) for name, member in members])
            return replace(row, category="C", **_own(described)) if "name" in described else row
        case {"oid": int(), "labels": list() as labels}:
            words = tuple((str(name), float(order)) for name, order in labels)
            return replace(_ENUM, labels=words, **_own(described))
        case {"oid": int() as oid}:
            return _known(oid)
        case _:
            raise AssertionError(described)


def _known(oid: int) -> PgType:
    found = by_oid(Oid(oid))
    assert found is not None, oid
    return found
