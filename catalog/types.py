"""PostgreSQL's types as values, and how DuckDB stores each (PostgreSQL 15, chapter 8 and pg_type).

A value of type ``PgType`` is complete: base type, modifier and, for arrays, the element. Types are
compared by value; two numerics of different scale differ, ``same_base`` looks at the OID alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from catalog.errors import UndefinedObject
from catalog.interval_fields import FIELDS, interval_modifier, of_modifier
from catalog.oid import FIRST_USER_OID, INVALID_OID, Oid

#: Scale and precision of a numeric that was declared without either.
NUMERIC_PRECISION: Final = 38
NUMERIC_SCALE: Final = 16


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain of a value.

    Attributes:
        base: What it is made of, maybe a domain itself.
        default: What columns of it hold by default, as DuckDB SQL of the base type, or None.
        is_not_null: Whether NULL is none of its values.
        checks: Names and conditions, those of what it is made of first; see ``DomainCheck``.
    """

    oid: Oid
    name: str
    sql_name: str
    array_oid: Oid
    base: PgType
    default: str | None = None
    is_not_null: bool = False
    checks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PgType:
    """A type as a client sees it.

    Attributes:
        oid: The type's identifier in pg_type.
        name: pg_type.typname, such as ``int4``.
        sql_name: What format_type prints, such as ``integer``; a domain's own name.
        size: pg_type.typlen in bytes; -1 is variable.
        category: pg_type.typcategory.
        array_oid: The identifier of the type's array.
        duckdb: How DuckDB spells it.
        element: The element's type where this is an array.
        precision: Digits of a numeric as stored; always known for numerics.
        scale: Digits after the point of a numeric as stored; always known for numerics.
        is_declared: Whether precision and scale (or a length) were given by the user.
        keeps_scale: Whether a numeric prints all digits of its scale, as one that was declared and
            a constant do. Any other prints without trailing zeros.
        has_specials: Whether a numeric may be NaN or infinite (``special_numeric``); it has all
            digits then.
        carries_scale: Whether each value of a numeric says how many digits are shown of it
            (``written_numeric``).
        length: Of varchar(n) and char(n), in characters; of bit(n) and bit varying(n), in bits.
        seconds: Of times, timestamps and intervals the digits of a second that are kept, if they
            were declared.
        fields: Of intervals what they are held to, such as ``day to hour``.
        members: Of records name and type of each column; stored as f1, f2, ...
        labels: Of enums the words and what they are stored as, in their order.
        entry: Of maps the types of keys and values.
        domain: Of a domain's values the domain; all else is of the type that it is made of, which
            is what clients see.
    """

    oid: Oid
    name: str
    sql_name: str
    size: int
    category: str
    array_oid: Oid
    duckdb: str
    element: PgType | None = None
    precision: int | None = None
    scale: int | None = None
    is_declared: bool = False
    keeps_scale: bool = False
    has_specials: bool = False
    carries_scale: bool = False
    length: int | None = None
    seconds: int | None = None
    fields: str = ""
    members: tuple[tuple[str, PgType], ...] = ()
    labels: tuple[tuple[str, float], ...] = ()
    entry: tuple[PgType, PgType] | None = None
    domain: Domain | None = None

    @property
    def listed_oid(self) -> Oid:
        """What pg_attribute calls the type: a domain by its own OID."""
        return self.oid if self.domain is None else self.domain.oid

    @property
    def is_made(self) -> bool:
        """Whether a user has made the type, domains aside."""
        return self.oid >= FIRST_USER_OID

    @property
    def bare(self) -> PgType:
        """The type that a domain is made of; any other is what it is."""
        if self.domain is None:
            return self
        return replace(self, domain=None, sql_name=self.domain.base.bare.sql_name)

    def within(self, domain: Domain) -> PgType:
        """Return the type, which a domain is made of, as the domain's."""
        return replace(self, domain=domain, sql_name=domain.sql_name)

    @property
    def dimensions(self) -> int:
        """How many dimensions an array has as it is stored; 0 for everything else."""
        bare = self.duckdb.rstrip("[]")
        return (len(self.duckdb) - len(bare)) // 2

    @property
    def is_internal_text(self) -> bool:
        """Whether values are texts that only the system catalogs have, or none at all."""
        return self.oid in _INTERNAL_TEXTS

    @property
    def is_bits(self) -> bool:
        """Whether values are strings of bits, stored as texts of zeros and ones."""
        return self.category == "V"

    @property
    def is_row(self) -> bool:
        """Whether values are rows whose columns are known; there may be none."""
        is_plain = self.element is None and not self.carries_scale
        return is_plain and self.duckdb.startswith("STRUCT(")

    @property
    def is_array(self) -> bool:
        """Whether values are arrays."""
        return self.element is not None

    @property
    def modifier(self) -> int:
        """PostgreSQL's typmod; -1 is none. An array has its element's."""
        if self.element is not None:
            return self.element.modifier
        if self.fields or (self.seconds is not None and self.name == "interval"):
            return interval_modifier(self.fields, self.seconds)
        if self.seconds is not None:
            return self.seconds
        if self.length is not None:
            return self.length if self.is_bits else self.length + 4
        if self.is_declared and self.precision is not None and self.scale is not None:
            return (self.precision << 16 | self.scale) + 4
        return -1

    def same_base(self, other: PgType) -> bool:
        """Whether both are the same type when modifiers are left aside."""
        return self.oid == other.oid

    def display(self) -> str:
        """The name with its modifier, as format_type(oid, typmod) prints it."""
        if self.domain is not None:
            return self.domain.sql_name
        if self.element is not None:
            return self.element.display() + "[]"
        if self.fields or self.seconds is not None:
            return self._timed()
        if self.is_row and not self.is_made:
            shown = (f"{name} {member.display()}" for name, member in self.members)
            return f"struct<{', '.join(shown)}>"
        if self.entry is not None:
            return f"map({','.join(part.display() for part in self.entry)})"
        if self.length is not None:
            return f"{self.sql_name}({self.length})"
        if self.is_declared:
            return f"{self.sql_name}({self.precision},{self.scale})"
        return self.sql_name

    def _timed(self) -> str:
        digits = "" if self.seconds is None else f"({self.seconds})"
        if self.fields:
            return f"{self.sql_name} {self.fields}{digits}"
        kind, space, zone = self.sql_name.partition(" ")
        return f"{kind}{digits}{space}{zone}"


def _base(  # noqa: PLR0917  # the table below reads like pg_type
    oid: int, name: str, sql_name: str, size: int, category: str, array: int, duck: str
) -> PgType:
    return PgType(Oid(oid), name, sql_name, size, category, Oid(array), duck)


BOOL: Final = _base(16, "bool", "boolean", 1, "B", 1000, "BOOLEAN")
BYTEA: Final = _base(17, "bytea", "bytea", -1, "U", 1001, "BLOB")
CHAR: Final = _base(18, "char", '"char"', 1, "Z", 1002, "VARCHAR")
NAME: Final = _base(19, "name", "name", 64, "S", 1003, "VARCHAR")
INT8: Final = _base(20, "int8", "bigint", 8, "N", 1016, "BIGINT")
INT2: Final = _base(21, "int2", "smallint", 2, "N", 1005, "SMALLINT")
INT2VECTOR: Final = _base(22, "int2vector", "int2vector", -1, "A", 1006, "SMALLINT[]")
INT4: Final = _base(23, "int4", "integer", 4, "N", 1007, "INTEGER")
REGPROC: Final = _base(24, "regproc", "regproc", 4, "N", 1008, "BIGINT")
TEXT: Final = _base(25, "text", "text", -1, "S", 1009, "VARCHAR")
OID: Final = _base(26, "oid", "oid", 4, "N", 1028, "BIGINT")
TID: Final = _base(27, "tid", "tid", 6, "U", 1010, "BIGINT")
XID: Final = _base(28, "xid", "xid", 4, "U", 1011, "BIGINT")
CID: Final = _base(29, "cid", "cid", 4, "U", 1012, "BIGINT")
OIDVECTOR: Final = _base(30, "oidvector", "oidvector", -1, "A", 1013, "BIGINT[]")
JSON: Final = _base(114, "json", "json", -1, "U", 199, "JSON")
PG_NODE_TREE: Final = _base(194, "pg_node_tree", "pg_node_tree", -1, "Z", 0, "VARCHAR")
PG_NDISTINCT: Final = _base(3361, "pg_ndistinct", "pg_ndistinct", -1, "Z", 0, "VARCHAR")
PG_DEPENDENCIES: Final = _base(3402, "pg_dependencies", "pg_dependencies", -1, "Z", 0, "VARCHAR")
PG_MCV_LIST: Final = _base(5017, "pg_mcv_list", "pg_mcv_list", -1, "Z", 0, "VARCHAR")
_OF_STATISTICS: Final = (PG_NDISTINCT, PG_DEPENDENCIES, PG_MCV_LIST)
CIDR: Final = _base(650, "cidr", "cidr", -1, "I", 651, "VARCHAR")
FLOAT4: Final = _base(700, "float4", "real", 4, "N", 1021, "FLOAT")
FLOAT8: Final = _base(701, "float8", "double precision", 8, "N", 1022, "DOUBLE")
UNKNOWN: Final = _base(705, "unknown", "unknown", -2, "X", 0, "VARCHAR")
INET: Final = _base(869, "inet", "inet", -1, "I", 1041, "VARCHAR")
ACLITEM: Final = _base(1033, "aclitem", "aclitem", 12, "U", 1034, "VARCHAR")
BPCHAR: Final = _base(1042, "bpchar", "character", -1, "S", 1014, "VARCHAR")
VARCHAR: Final = _base(1043, "varchar", "character varying", -1, "S", 1015, "VARCHAR")
DATE: Final = _base(1082, "date", "date", 4, "D", 1182, "DATE")
TIME: Final = _base(1083, "time", "time without time zone", 8, "D", 1183, "TIME")
TIMESTAMP: Final = _base(
    1114, "timestamp", "timestamp without time zone", 8, "D", 1115, "TIMESTAMP"
)
TIMESTAMPTZ: Final = _base(
    1184, "timestamptz", "timestamp with time zone", 8, "D", 1185, "TIMESTAMPTZ"
)
TIMETZ: Final = _base(1266, "timetz", "time with time zone", 12, "D", 1270, "TIME WITH TIME ZONE")
INTERVAL: Final = _base(1186, "interval", "interval", 16, "T", 1187, "INTERVAL")
#: The order of bits is that of their texts, the engine's own type of bits has another.
BIT: Final = _base(1560, "bit", "bit", -1, "V", 1561, "VARCHAR")
VARBIT: Final = _base(1562, "varbit", "bit varying", -1, "V", 1563, "VARCHAR")
NUMERIC: Final = PgType(
    Oid(1700),
    "numeric",
    "numeric",
    -1,
    "N",
    Oid(1231),
    f"DECIMAL({NUMERIC_PRECISION},{NUMERIC_SCALE})",
    precision=NUMERIC_PRECISION,
    scale=NUMERIC_SCALE,
    has_specials=True,
)
#: RisingWave's, as all from here to 1307.
INT256: Final = _base(1301, "rw_int256", "rw_int256", 32, "N", 1302, "BIGNUM")
MAP: Final = _base(1303, "map", "map", -1, "U", 1304, "MAP(VARCHAR, VARCHAR)")
REGPROCEDURE: Final = _base(2202, "regprocedure", "regprocedure", 4, "N", 2207, "BIGINT")
REGOPER: Final = _base(2203, "regoper", "regoper", 4, "N", 2208, "BIGINT")
REGOPERATOR: Final = _base(2204, "regoperator", "regoperator", 4, "N", 2209, "BIGINT")
REGCLASS: Final = _base(2205, "regclass", "regclass", 4, "N", 2210, "BIGINT")
REGTYPE: Final = _base(2206, "regtype", "regtype", 4, "N", 2211, "BIGINT")
RECORD: Final = _base(2249, "record", "record", -1, "P", 2287, "STRUCT")
CSTRING: Final = _base(2275, "cstring", "cstring", -2, "P", 1263, "VARCHAR")
ANYARRAY: Final = _base(2277, "anyarray", "anyarray", -1, "P", 0, "VARCHAR")
VOID: Final = _base(2278, "void", "void", 4, "P", 0, "VARCHAR")
UUID: Final = _base(2950, "uuid", "uuid", 16, "U", 2951, "UUID")
PG_LSN: Final = _base(3220, "pg_lsn", "pg_lsn", 8, "U", 3221, "VARCHAR")
JSONB: Final = _base(3802, "jsonb", "jsonb", -1, "U", 3807, "JSON")
REGCONFIG: Final = _base(3734, "regconfig", "regconfig", 4, "N", 3735, "BIGINT")
REGDICTIONARY: Final = _base(3769, "regdictionary", "regdictionary", 4, "N", 3770, "BIGINT")
JSONPATH: Final = _base(4072, "jsonpath", "jsonpath", -1, "U", 4073, "VARCHAR")
REGNAMESPACE: Final = _base(4089, "regnamespace", "regnamespace", 4, "N", 4090, "BIGINT")
REGROLE: Final = _base(4096, "regrole", "regrole", 4, "N", 4097, "BIGINT")
REGCOLLATION: Final = _base(4191, "regcollation", "regcollation", 4, "N", 4192, "BIGINT")
XID8: Final = _base(5069, "xid8", "xid8", 8, "U", 271, "BIGINT")

#: What RisingWave has beside PostgreSQL's types.
PEER_TYPES: Final = frozenset({INT256.oid, MAP.oid})

#: OIDs of objects whose texts are the objects' names, by what the name is of.
OBJECT_TYPES: Final = (
    *(REGPROC, REGPROCEDURE, REGOPER, REGOPERATOR, REGCLASS, REGTYPE, REGCONFIG, REGDICTIONARY),
    *(REGNAMESPACE, REGROLE, REGCOLLATION),
)

#: Types whose values are numbers of 32 bits without a sign.
UNSIGNED_OIDS: Final = frozenset({t.oid for t in (OID, XID, CID, *OBJECT_TYPES)})

#: Arrays of numbers without NULL that begin at 0 and whose text has no braces: type -> element.
VECTORS: Final = {INT2VECTOR.oid: INT2, OIDVECTOR.oid: OID}

#: Types of functions' arguments and results that no value has: only their names mean something.
PSEUDO_TYPES: Final = tuple(
    _base(oid, name, f'"{name}"' if name == "any" else name, size, "P", 0, "VARCHAR")
    for oid, name, size in (
        *((2276, "any", 4), (2279, "trigger", 4), (2280, "language_handler", 4)),
        *((2281, "internal", 8), (2283, "anyelement", 4), (2776, "anynonarray", 4)),
        *((3500, "anyenum", 4), (3831, "anyrange", -1), (3838, "event_trigger", 4)),
        *((5077, "anycompatible", 4), (5078, "anycompatiblearray", -1)),
        *((269, "table_am_handler", 4), (325, "index_am_handler", 4)),
    )
)

#: Stored as text without being strings.
_INTERNAL_TEXTS: Final = frozenset(
    t.oid for t in (PG_NODE_TREE, *_OF_STATISTICS, CIDR, INET, ACLITEM, CSTRING, ANYARRAY, PG_LSN)
) | {t.oid for t in PSEUDO_TYPES}

BASE_TYPES: Final = (
    *(BOOL, BYTEA, CHAR, NAME, INT8, INT2, INT2VECTOR, INT4, TEXT, OID, OIDVECTOR, JSON),
    *(FLOAT4, FLOAT8, UNKNOWN, BPCHAR, VARCHAR, DATE, TIME, TIMETZ),
    *(TIMESTAMP, TIMESTAMPTZ, INTERVAL, BIT, VARBIT),
    *(NUMERIC, INT256, MAP, RECORD, VOID, UUID, JSONB, JSONPATH),
    *(TID, XID, CID, XID8, PG_NODE_TREE, CIDR, INET, ACLITEM, CSTRING, ANYARRAY, PG_LSN),
    *_OF_STATISTICS,
    *OBJECT_TYPES,
    *PSEUDO_TYPES,
)

#: Spellings that users write, beside typname and format_type's names.
_ALIASES: Final = {
    "boolean": BOOL,
    "smallint": INT2,
    "int": INT4,
    "integer": INT4,
    "bigint": INT8,
    "real": FLOAT4,
    "float": FLOAT8,
    "double": FLOAT8,
    "double precision": FLOAT8,
    "decimal": NUMERIC,
    "dec": NUMERIC,
    "character varying": VARCHAR,
    "string": VARCHAR,
    "character": BPCHAR,
    "bytes": BYTEA,
    "timestamp without time zone": TIMESTAMP,
    "timestamp with time zone": TIMESTAMPTZ,
    "time without time zone": TIME,
    # The standard's views have types of their own, which clients see as what they are made of.
    "information_schema.cardinal_number": INT4,
    "information_schema.character_data": VARCHAR,
    "information_schema.sql_identifier": NAME,
    "information_schema.time_stamp": TIMESTAMPTZ,
    "information_schema.yes_or_no": VARCHAR,
}

_BY_NAME: Final = (
    {t.name: t for t in BASE_TYPES if t is not CHAR}
    | {t.sql_name: t for t in BASE_TYPES}
    | _ALIASES
)


def numeric(
    precision: int, scale: int, *, is_declared: bool = True, keeps_scale: bool | None = None
) -> PgType:
    """Return the numeric of a precision and scale.

    Args:
        precision: Digits in all, 1 to 38.
        scale: Digits after the point, 0 to precision.
        is_declared: Whether the user fixed the scale.
        keeps_scale: Whether ``1.50`` keeps its zero; as ``is_declared`` unless it is said.
    """
    assert 0 < precision <= NUMERIC_PRECISION, precision
    assert 0 <= scale <= precision, (precision, scale)
    return replace(
        NUMERIC,
        duckdb=f"DECIMAL({precision},{scale})",
        precision=precision,
        scale=scale,
        is_declared=is_declared,
        keeps_scale=is_declared if keeps_scale is None else keeps_scale,
        has_specials=False,
    )


def computed_numeric(precision: int, scale: int, *, keeps_scale: bool = True) -> PgType:
    """Return the numeric of an expression's result, which has no modifier for clients."""
    return numeric(precision, scale, is_declared=False, keeps_scale=keeps_scale)


def special_numeric(scale: int, *, keeps_scale: bool = False) -> PgType:
    """Return the numeric of a scale whose values may be NaN or infinite."""
    plain = computed_numeric(NUMERIC_PRECISION, scale, keeps_scale=keeps_scale)
    return replace(plain, has_specials=True)


#: A numeric that is stored like one without a scale, but always is a number.
NUMBER: Final = computed_numeric(NUMERIC_PRECISION, NUMERIC_SCALE, keeps_scale=False)


def with_length(base: PgType, length: int) -> PgType:
    """Return varchar(length) or char(length), or bits of a length."""
    return replace(base, length=length, is_declared=True)


def with_seconds(base: PgType, seconds: int | None, fields: str = "") -> PgType:
    """Return a time, timestamp or interval that keeps so many digits of a second.

    Args:
        base: The type.
        seconds: 0 to 6, or None where only the fields are given.
        fields: Of an interval what it is held to.
    """
    assert fields in FIELDS, fields
    return replace(base, seconds=seconds, fields=fields)


def with_modifier(base: PgType, modifier: int) -> PgType:
    """Return a type with a modifier as pg_attribute.atttypmod has it; -1 is none."""
    if modifier < 0:
        return base
    match base.name:
        case "varchar" | "bpchar":
            return with_length(base, modifier - 4)
        case "bit" | "varbit":
            return with_length(base, modifier)
        case "numeric":
            precision, scale = (modifier - 4) >> 16, (modifier - 4) & 0xFFFF
            return replace(base, precision=precision, scale=scale, is_declared=True)
        case "interval":
            fields, seconds = of_modifier(modifier)
            return with_seconds(base, seconds, fields)
        case "time" | "timetz" | "timestamp" | "timestamptz":
            return with_seconds(base, modifier)
        case _:
            return base


#: What the engine's row has where there is no column.
NO_COLUMN: Final = "f0"


def record(members: Sequence[tuple[str, PgType]]) -> PgType:
    """Return the type of rows with these columns."""
    stored = [f"f{number} {member.duckdb}" for number, (_, member) in enumerate(members, 1)]
    # The engine has no rows without columns: theirs is always false.
    inner = ", ".join(stored) or f"{NO_COLUMN} BOOLEAN"
    return replace(RECORD, duckdb=f"STRUCT({inner})", members=tuple(members))


def map_of(key: PgType, value: PgType) -> PgType:
    """Return the map of a type of keys to a type of values."""
    return replace(MAP, duckdb=f"MAP({key.duckdb}, {value.duckdb})", entry=(key, value))


def array_of(element: PgType) -> PgType:
    """Return the array type of an element; arrays of arrays are the same type in PostgreSQL."""
    if element.element is not None:
        inner = element.element
        return replace(array_of(inner), duckdb=f"{element.duckdb}[]")
    return PgType(
        element.array_oid,
        "_" + element.name,
        element.sql_name + "[]",
        -1,
        "A",
        INVALID_OID,
        f"{element.duckdb}[]",
        element=element,
    )


_BY_OID: Final[dict[Oid, PgType]] = {t.oid: t for t in BASE_TYPES} | {
    t.array_oid: array_of(t) for t in BASE_TYPES if t.array_oid != INVALID_OID
}


def by_oid(oid: Oid) -> PgType | None:
    """Return the type with that identifier, without modifier, or None."""
    return _BY_OID.get(oid)


def by_name(name: str, *, position: int | None = None) -> PgType:
    """Return the type of that name as users spell it, in lower case; ``[]`` makes arrays.

    Raises:
        UndefinedObject: There is no such type.
    """
    depth = 0
    base = name.strip()
    while base.endswith("[]"):
        base = base[:-2].rstrip()
        depth += 1
    base = base.removeprefix("pg_catalog.")
    found = _BY_NAME.get(base)
    if found is None and base.startswith("_"):
        found = _BY_NAME.get(base[1:])
        depth += 1
    if found is None:
        raise UndefinedObject(f'type "{name}" does not exist', position=position)
    for _ in range(depth):
        found = array_of(found)
    return found


def all_types() -> tuple[PgType, ...]:
    """Return every type there is, arrays included, by OID."""
    return tuple(_BY_OID[oid] for oid in sorted(_BY_OID))
