"""All system relations by name."""

from __future__ import annotations

from typing import Final

from catalog.oid import Oid
from catalog.system import (
    information_schema,
    pg_class,
    pg_constraint,
    pg_depend,
    pg_description,
    pg_functions,
    pg_lists,
    pg_server,
    pg_stat,
    pg_trigger,
    pg_type,
    privileges,
    rw_other,
    rw_relation,
    rw_server,
    standard_usage,
    user_types,
)
from catalog.system.keyword import keywords
from catalog.system.relation import Make, SystemRelation, parsed_columns, shaped
from catalog.system.shape_standard import STANDARD
from catalog.system.shape_tables import TABLES
from catalog.system.shape_views import VIEWS

_ROWS: Final[dict[str, Make]] = {
    name: make
    for module in (
        pg_class,
        pg_constraint,
        pg_depend,
        pg_functions,
        pg_type,
        pg_server,
        pg_stat,
        pg_trigger,
        pg_description,
        pg_lists,
        privileges,
        user_types,
    )
    for name, make in module.ROWS.items()
}


def _of_own(make: Make) -> Make:
    """Return what makes rows without what is in the temporary schemas of other sessions."""
    return lambda snapshot: make(snapshot.without_others())


def _relations() -> dict[tuple[str, str], SystemRelation]:
    listed: list[SystemRelation] = []
    rows = _ROWS | {
        "pg_class": pg_class.classes_with(listed),
        "pg_attribute": pg_class.attributes_with(listed),
        "pg_depend": pg_depend.dependencies_with(listed),
    }
    listed += shaped(TABLES, "pg_catalog", rows, are_tables=True)
    listed += shaped(VIEWS, "pg_catalog", rows, are_tables=False)
    standard = (
        information_schema.ROWS
        | information_schema.rows_with(listed)
        | pg_constraint.STANDARD_ROWS
        | privileges.STANDARD_ROWS
        | user_types.STANDARD_ROWS
        | standard_usage.STANDARD_ROWS
    )
    standard = {name: _of_own(make) for name, make in standard.items()}
    listed += shaped(STANDARD, "information_schema", standard, are_tables=False)
    listed += (*rw_relation.RELATIONS, *rw_server.RELATIONS, *rw_other.RELATIONS)
    listed.append(rw_other.system_tables(listed))
    assert len({relation.oid for relation in listed}) == len(listed)
    return {(relation.schema, relation.name): relation for relation in listed}


#: Every system relation by schema and name.
SYSTEM_RELATIONS: Final = _relations()

#: Functions without arguments whose rows are those of a relation.
_FUNCTION_RELATIONS: Final = {
    "pg_get_keywords": SystemRelation(
        Oid(1686),
        "",
        "pg_get_keywords",
        parsed_columns('word text, catcode "char", barelabel boolean, catdesc text, baredesc text'),
        keywords,
    ),
    **{
        name: SYSTEM_RELATIONS["pg_catalog", relation]
        for name, relation in (
            ("pg_timezone_names", "pg_timezone_names"),
            ("pg_show_all_settings", "pg_settings"),
            ("pg_lock_status", "pg_locks"),
            ("pg_cursor", "pg_cursors"),
            ("pg_prepared_statement", "pg_prepared_statements"),
        )
    },
}

#: What tells of passwords, for superusers alone.
SECRET_RELATIONS: Final = frozenset({("pg_catalog", "pg_authid"), ("pg_catalog", "pg_shadow")})

#: What is of the moment; all others change only with the catalog, the users and the databases.
_MOMENTARY: Final = frozenset(
    (
        *("pg_settings", "pg_locks", "pg_cursors", "pg_prepared_statements"),
        *("rw_ddl_progress", "rw_event_logs", "rw_epochs", "rw_pauses", "rw_catch_up"),
        "rw_failed_writes",
        *("pg_timezone_names", "pg_db_role_setting", "pg_roles", "pg_authid", "pg_sequences"),
    )
)


def find_system_relation(schema: str, name: str) -> SystemRelation | None:
    """Return the system relation of that name, or None; without a schema a function's rows."""
    if not schema:
        return _FUNCTION_RELATIONS.get(name)
    return SYSTEM_RELATIONS.get((schema, name))


def is_momentary(relation: SystemRelation) -> bool:
    """Whether the rows may be others although catalog, users and databases are the same."""
    return relation.name in _MOMENTARY or relation.name.startswith("pg_stat")
