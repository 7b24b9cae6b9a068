"""What the system catalogs tell of the types that users have made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from catalog.acl import shown
from catalog.oid import Oid
from catalog.relation import Column
from catalog.system.constraint import check_row
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.types import PgType
from catalog.user_type import CompositeType, DomainType, EnumType, UserType, pg_type

#: The columns of pg_type that name functions.
FUNCTION_COLUMNS: Final = (
    *("typsubscript", "typinput", "typoutput", "typreceive", "typsend", "typmodin", "typmodout"),
    "typanalyze",
)

_ENUM_FUNCTIONS: Final = (0, 3506, 3507, 3532, 3533, 0, 0, 0)
_RECORD_FUNCTIONS: Final = (0, 2290, 2291, 2402, 2403, 0, 0, 0)
_ARRAY_FUNCTIONS: Final = (6179, 750, 751, 2400, 2401, 0, 0, 3816)
_DOMAIN_INPUTS: Final = {"typinput": 2597, "typreceive": 2598}


def type_rows(snapshot: Snapshot, built_in: Mapping[Oid, Row]) -> Iterator[Row]:
    """Yield the rows of pg_type; ``built_in`` are those of the system's types by OID."""
    known: dict[Oid, Row] = dict(built_in)
    for _, made in sorted(snapshot.catalog.types.items()):
        row = known[made.oid] = _type_row(snapshot, made, known)
        yield row
        align = "i" if row["typalign"] in {"c", "s"} else row["typalign"]
        yield {
            **row,
            **dict(zip(FUNCTION_COLUMNS, _ARRAY_FUNCTIONS, strict=True)),
            "oid": made.array_oid,
            "typname": f"_{made.name}",
            "typlen": -1,
            "typbyval": False,
            "typtype": "b",
            "typcategory": "A",
            "typrelid": 0,
            "typelem": made.oid,
            "typarray": 0,
            "typalign": align,
            "typstorage": "x",
            "typnotnull": False,
            "typbasetype": 0,
            "typtypmod": -1,
            "typdefault": None,
        }


def _type_row(snapshot: Snapshot, made: UserType, known: Mapping[Oid, Row]) -> Row:
    functions = _ENUM_FUNCTIONS if isinstance(made, EnumType) else _RECORD_FUNCTIONS
    is_enum = isinstance(made, EnumType)
    row: Row = {
        "oid": made.oid,
        "typname": made.name,
        "typnamespace": snapshot.schema_oid(made.schema),
        "typowner": snapshot.user_oid(made.owner),
        "typacl": shown(made.acl),
        "typlen": 4 if is_enum else -1,
        "typbyval": is_enum,
        "typtype": "e" if is_enum else "c",
        "typcategory": "E" if is_enum else "C",
        "typispreferred": False,
        "typisdefined": True,
        "typdelim": ",",
        "typrelid": made.relation_oid if isinstance(made, CompositeType) else 0,
        "typelem": 0,
        "typarray": made.array_oid,
        **dict(zip(FUNCTION_COLUMNS, functions, strict=True)),
        "typalign": "i" if is_enum else "d",
        "typstorage": "p" if is_enum else "x",
        "typnotnull": False,
        "typbasetype": 0,
        "typtypmod": -1,
        "typndims": 0,
        "typcollation": 0,
    }
    if not isinstance(made, DomainType):
        return row
    base = known[made.base.listed_oid]
    copied = ("typlen", "typbyval", "typcategory", "typdelim", "typalign", "typstorage")
    outputs = ("typoutput", "typsend", "typcollation", "typanalyze")
    return {
        **row,
        **{name: base[name] for name in (*copied, *outputs)},
        **_DOMAIN_INPUTS,
        "typtype": "d",
        "typnotnull": not made.is_nullable,
        "typbasetype": made.base.listed_oid,
        "typtypmod": -1 if made.base.domain is not None else made.base.modifier,
        "typndims": 1 if made.base.is_array else 0,
        "typdefault": made.default_source,
        "typdefaultbin": made.default_source,
    }


def _enum_rows(snapshot: Snapshot) -> Iterator[Row]:
    for made in snapshot.catalog.types.values():
        if isinstance(made, EnumType):
            for label in made.labels:
                yield {
                    "oid": label.oid,
                    "enumtypid": made.oid,
                    "enumsortorder": label.order,
                    "enumlabel": label.name,
                }


def composites(snapshot: Snapshot) -> Iterator[tuple[CompositeType, tuple[Column, ...]]]:
    """Yield the composite types with their columns."""
    for made in snapshot.catalog.types.values():
        if isinstance(made, CompositeType):
            yield (
                made,
                tuple(
                    Column(name, member, number)
                    for number, (name, member) in enumerate(made.members, 1)
                ),
            )


def domains(snapshot: Snapshot) -> Iterator[DomainType]:
    """Yield the domains."""
    for made in snapshot.catalog.types.values():
        if isinstance(made, DomainType):
            yield made


def constraint_rows(snapshot: Snapshot) -> Iterator[Row]:
    """Yield the rows of pg_constraint about domains."""
    for made in domains(snapshot):
        for check in made.checks:
            schema = snapshot.schema_oid(made.schema)
            yield check_row(check.oid, check.name, schema, check.source, contypid=made.oid)


def udt_place(snapshot: Snapshot, of: PgType) -> tuple[str, str]:
    """Return schema and name of a type, of a domain's values those of what it is made of."""
    for made in snapshot.catalog.types.values():
        if made.oid == of.oid:
            return made.schema, made.name
        if of.element is not None and made.array_oid == of.oid:
            return made.schema, f"_{made.name}"
    return "pg_catalog", of.name


def attribute_place(snapshot: Snapshot, of: PgType) -> tuple[str, str]:
    """Return schema and name of a type, of a domain's values those of the domain."""
    if of.domain is None:
        return udt_place(snapshot, of)
    made = snapshot.catalog.types[of.domain.oid]
    return made.schema, made.name


def domain_place(snapshot: Snapshot, of: PgType) -> Row:
    """Return what information_schema.columns tells of a column's domain."""
    if of.domain is None:
        return {}
    made = snapshot.catalog.types[of.domain.oid]
    return {
        "domain_catalog": snapshot.catalog.database,
        "domain_schema": made.schema,
        "domain_name": made.name,
    }


def _own_domain(snapshot: Snapshot, made: DomainType) -> Row:
    return domain_place(snapshot, pg_type(made))


def _domain_constraints(snapshot: Snapshot) -> Iterator[Row]:
    for made in domains(snapshot):
        for check in made.checks:
            yield {
                "constraint_catalog": snapshot.catalog.database,
                "constraint_schema": made.schema,
                "constraint_name": check.name,
                **_own_domain(snapshot, made),
                "is_deferrable": "NO",
                "initially_deferred": "NO",
            }


def _column_domains(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        for column in relation.columns:
            if column.type.domain is not None:
                yield {
                    **domain_place(snapshot, column.type),
                    "table_catalog": snapshot.catalog.database,
                    "table_schema": relation.schema,
                    "table_name": relation.name,
                    "column_name": column.name,
                }


def _domain_udts(snapshot: Snapshot) -> Iterator[Row]:
    for made in domains(snapshot):
        schema, name = udt_place(snapshot, made.base)
        yield {
            "udt_catalog": snapshot.catalog.database,
            "udt_schema": schema,
            "udt_name": name,
            **_own_domain(snapshot, made),
        }


def _user_defined(snapshot: Snapshot) -> Iterator[Row]:
    for made, _ in composites(snapshot):
        yield {
            "user_defined_type_catalog": snapshot.catalog.database,
            "user_defined_type_schema": made.schema,
            "user_defined_type_name": made.name,
            "user_defined_type_category": "STRUCTURED",
            "is_instantiable": "YES",
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {"pg_enum": _enum_rows}

#: The same of the standard's views.
STANDARD_ROWS: Final[dict[str, Make]] = {
    "domain_constraints": _domain_constraints,
    "column_domain_usage": _column_domains,
    "domain_udt_usage": _domain_udts,
    "user_defined_types": _user_defined,
}
