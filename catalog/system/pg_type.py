"""Types and what is made for them: pg_type and the shapes of what does not exist here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import INVALID_OID, PG_CATALOG_OID
from catalog.system.pg_class import collation_oid
from catalog.system.relation import Row, no_rows, pg_relation
from catalog.system.snapshot import Snapshot
from catalog.types import FLOAT8, INTERVAL, OID, TEXT, TIMESTAMPTZ, PgType, all_types

#: pg_type.typispreferred: what a literal of the category becomes.
_PREFERRED: Final = frozenset(t.oid for t in (FLOAT8, INTERVAL, OID, TEXT, TIMESTAMPTZ))

#: Types whose functions are not called after them with ``in`` and so on.
_WITH_UNDERSCORE: Final = frozenset(
    (
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "interval",
        "numeric",
        "uuid",
        "json",
        "jsonb",
        "record",
        "void",
        "array",
    )
)


def _types(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for pg_type in all_types():
        functions = _functions(pg_type)
        yield {
            "oid": pg_type.oid,
            "typname": pg_type.name,
            "typnamespace": PG_CATALOG_OID,
            "typowner": owner,
            "typlen": pg_type.size,
            "typbyval": 0 < pg_type.size <= 8,
            "typtype": "p" if pg_type.category in ("P", "X") else "b",
            "typcategory": pg_type.category,
            "typispreferred": pg_type.oid in _PREFERRED,
            "typisdefined": True,
            "typdelim": ",",
            "typrelid": 0,
            "typsubscript": "array_subscript_handler" if pg_type.is_array else "-",
            "typelem": INVALID_OID if pg_type.element is None else pg_type.element.oid,
            "typarray": pg_type.array_oid,
            **functions,
            "typmodin": "-",
            "typmodout": "-",
            "typanalyze": "-",
            "typalign": "d" if pg_type.size == 8 else "i",
            "typstorage": "p" if pg_type.size > 0 else "x",
            "typnotnull": False,
            "typbasetype": 0,
            "typtypmod": -1,
            "typndims": 0,
            "typcollation": collation_oid(pg_type),
        }


def _functions(pg_type: PgType) -> Row:
    stem = "array" if pg_type.is_array else pg_type.name
    stem = f"{stem}_" if stem in _WITH_UNDERSCORE else stem
    return {
        "typinput": f"{stem}in",
        "typoutput": f"{stem}out",
        "typreceive": f"{stem}recv",
        "typsend": f"{stem}send",
    }


def _languages(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, name in ((12, "internal"), (14, "sql")):
        yield {
            "oid": oid,
            "lanname": name,
            "lanowner": owner,
            "lanispl": False,
            "lanpltrusted": name == "sql",
            "lanplcallfoid": 0,
            "laninline": 0,
            "lanvalidator": 0,
        }


RELATIONS: Final = (
    pg_relation(
        1247,
        "pg_type",
        "oid oid, typname name, typnamespace oid, typowner oid, typlen smallint, typbyval "
        'boolean, typtype "char", typcategory "char", typispreferred boolean, typisdefined '
        'boolean, typdelim "char", typrelid oid, typsubscript regproc, typelem oid, typarray '
        "oid, typinput regproc, typoutput regproc, typreceive regproc, typsend regproc, "
        'typmodin regproc, typmodout regproc, typanalyze regproc, typalign "char", typstorage '
        '"char", typnotnull boolean, typbasetype oid, typtypmod integer, typndims integer, '
        "typcollation oid, typdefaultbin text, typdefault text, typacl text[]",
        _types,
    ),
    pg_relation(
        2612,
        "pg_language",
        "oid oid, lanname name, lanowner oid, lanispl boolean, lanpltrusted boolean, "
        "lanplcallfoid oid, laninline oid, lanvalidator oid, lanacl text[]",
        _languages,
    ),
    pg_relation(
        3501,
        "pg_enum",
        "oid oid, enumtypid oid, enumsortorder real, enumlabel name",
        no_rows,
    ),
    pg_relation(
        3541,
        "pg_range",
        "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid, "
        "rngcanonical regproc, rngsubdiff regproc",
        no_rows,
    ),
    pg_relation(
        2605,
        "pg_cast",
        'oid oid, castsource oid, casttarget oid, castfunc oid, castcontext "char", '
        'castmethod "char"',
        no_rows,
    ),
    pg_relation(
        2607,
        "pg_conversion",
        "oid oid, conname name, connamespace oid, conowner oid, conforencoding integer, "
        "contoencoding integer, conproc regproc, condefault boolean",
        no_rows,
    ),
    pg_relation(
        1255,
        "pg_proc",
        "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost real, "
        'prorows real, provariadic oid, prosupport regproc, prokind "char", prosecdef '
        "boolean, proleakproof boolean, proisstrict boolean, proretset boolean, provolatile "
        '"char", proparallel "char", pronargs smallint, pronargdefaults smallint, prorettype '
        'oid, proargtypes oid[], proallargtypes oid[], proargmodes "char"[], proargnames '
        "text[], proargdefaults text, protrftypes oid[], prosrc text, probin text, prosqlbody "
        "text, proconfig text[], proacl text[]",
        no_rows,
    ),
    pg_relation(
        2600,
        "pg_aggregate",
        'aggfnoid regproc, aggkind "char", aggnumdirectargs smallint, aggtransfn regproc, '
        "aggfinalfn regproc, aggcombinefn regproc, aggserialfn regproc, aggdeserialfn "
        "regproc, aggmtransfn regproc, aggminvtransfn regproc, aggmfinalfn regproc, "
        'aggfinalextra boolean, aggmfinalextra boolean, aggfinalmodify "char", '
        'aggmfinalmodify "char", aggsortop oid, aggtranstype oid, aggtransspace integer, '
        "aggmtranstype oid, aggmtransspace integer, agginitval text, aggminitval text",
        no_rows,
    ),
    pg_relation(
        2617,
        "pg_operator",
        'oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind "char", oprcanmerge '
        "boolean, oprcanhash boolean, oprleft oid, oprright oid, oprresult oid, oprcom oid, "
        "oprnegate oid, oprcode regproc, oprrest regproc, oprjoin regproc",
        no_rows,
    ),
    pg_relation(
        2616,
        "pg_opclass",
        "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, "
        "opcintype oid, opcdefault boolean, opckeytype oid",
        no_rows,
    ),
    pg_relation(
        3079,
        "pg_extension",
        "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable boolean, "
        "extversion text, extconfig oid[], extcondition text[]",
        no_rows,
    ),
)
