"""The statement that would create a table as it is now."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from catalog.connector import Connector
from catalog.constraint import Action, ForeignKey
from catalog.index import Index, IndexKey
from catalog.relation import (
    Column,
    KeyConflict,
    MaterializedView,
    Relation,
    Source,
    Subscription,
    Table,
)
from catalog.types import PgType
from catalog.watermark import Watermark

#: Names that need no quotes, but for reserved words, which nobody minds in quotes.
_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_$]*")

#: Words that would be read as something else where a column or table is named.
_RESERVED: Final = frozenset(
    """
    all analyse analyze and any array as asc asymmetric both case cast check collate column
    constraint create current_catalog current_date current_role current_time current_timestamp
    current_user default deferrable desc distinct do else end except false fetch for foreign from
    grant group having in initially intersect into lateral leading limit localtime localtimestamp
    not null offset on only or order placing primary references returning select session_user some
    symmetric table then to trailing true union unique user using variadic when where window with
    """.split()  # noqa: SIM905 - a list of words reads better than ninety quoted ones
)


def quoted(name: str) -> str:
    """Return a name as it is written in a statement, in quotes where it needs them."""
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


#: Types that RisingWave writes in capitals, and how where that is not PostgreSQL's name in them.
_PEER_TYPES: Final[dict[str, str]] = {
    **{name: name.upper() for name in ("bigint", "boolean", "bytea", "date", "interval", "jsonb")},
    **{name: name.upper() for name in ("character varying", "numeric", "real", "smallint")},
    "double precision": "DOUBLE",
    "integer": "INT",
    "text": "CHARACTER VARYING",
    "time without time zone": "TIME",
    "timestamp with time zone": "TIMESTAMP WITH TIME ZONE",
    "timestamp without time zone": "TIMESTAMP",
}


def type_to_peers(pg_type: PgType, text: str = _PEER_TYPES["text"]) -> str:
    """Return a type as RisingWave writes it, with another name for text if one is given."""
    if pg_type.element is not None:
        return f"{type_to_peers(pg_type.element, text)}[]"
    if pg_type.entry is not None:
        return f"MAP({','.join(type_to_peers(part, text) for part in pg_type.entry)})"
    if pg_type.is_row and not pg_type.is_made:
        members = (
            f"{quoted(name)} {type_to_peers(member, text)}" for name, member in pg_type.members
        )
        return f"STRUCT<{', '.join(members)}>"
    shown = pg_type.display()
    if shown == "text":
        return text
    return _PEER_TYPES.get(shown, shown)


def type_in_show(pg_type: PgType) -> str:
    """Return a type as RisingWave writes it, but for text, which is none of its own there."""
    return type_to_peers(pg_type, text="TEXT")


def definition_of(
    table: Table,
    references: Sequence[str] = (),
    spelled: Callable[[PgType], str] = PgType.display,
) -> str:
    """Return CREATE TABLE for a table that is no longer what its own statement says.

    Args:
        table: The table.
        references: Its foreign keys as they are written, which takes the names of others.
        spelled: Returns a type as it is written.
    """
    parts = [
        _column(column, spelled, is_key=column.number in table.primary_key)
        for column in table.columns
    ]
    if table.primary_key:
        names = {column.number: quoted(column.name) for column in table.columns}
        named = ""
        if table.primary_key_name != f"{table.name}_pkey":
            named = f"CONSTRAINT {quoted(table.primary_key_name)} "
        parts.append(f"{named}PRIMARY KEY ({', '.join(names[n] for n in table.primary_key)})")
    for index in table.indexes:
        if index.constraint:
            parts.append(f"CONSTRAINT {quoted(index.name)} {unique_definition(table, index)}")
    for check in table.checks:
        parts.append(f"CONSTRAINT {quoted(check.name)} CHECK ({check.source})")
    for key, written in zip(table.foreign_keys, references, strict=False):
        parts.append(f"CONSTRAINT {quoted(key.name)} {written}")
    if table.watermark is not None:
        parts.append(watermark_definition(table, table.watermark))
    return f"CREATE TABLE {quoted_name(table)} ({', '.join(parts)}){_rules(table)}"


def watermark_definition(table: Table | Source, watermark: Watermark) -> str:
    """Return a watermark as it is written."""
    name = next(quoted(c.name) for c in table.columns if c.number == watermark.column)
    ttl = " WITH TTL" if watermark.has_ttl else ""
    return f"WATERMARK FOR {name} AS {watermark.source}{ttl}"


def source_definition(source: Source, spelled: Callable[[PgType], str]) -> str:
    """Return the statement that creates a source.

    Args:
        source: The source.
        spelled: How a type is written.
    """
    parts = [_column(column, spelled, is_key=False) for column in source.columns]
    if source.watermark is not None:
        parts.append(watermark_definition(source, source.watermark))
    columns = f" ({', '.join(parts)})" if parts else ""
    return f"CREATE SOURCE {quoted_name(source)}{columns}{connector_definition(source.connector)}"


def quoted_name(relation: Relation) -> str:
    """Return a relation's name as it is written, with its schema where it must be said."""
    name = quoted(relation.name)
    return name if relation.schema == "public" else f"{quoted(relation.schema)}.{name}"


def _rules(table: Table) -> str:
    names = {column.number: quoted(column.name) for column in table.columns}
    text = " APPEND ONLY" if table.is_append_only else ""
    if table.on_conflict is not KeyConflict.OVERWRITE or table.version_columns:
        text += f" ON CONFLICT {table.on_conflict}"
    if table.version_columns:
        versions = ", ".join(names[number] for number in table.version_columns)
        text += f" WITH VERSION COLUMN ({versions})"
    options = [*table.storage_parameters]
    if table.retention_s is not None:
        options.append(f"retention_seconds = {table.retention_s}")
    if options:
        text += f" WITH ({', '.join(options)})"
    return text + (connector_definition(table.connector) if table.connector else "")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def connector_definition(connector: Connector) -> str:
    """Return what is said of a connector behind the columns, with a blank in front."""
    options = (("connector", connector.name), *connector.options)
    said = [f"{name} = {_literal(value)}" for name, value in options]
    said += [f"{used.name} = SECRET {used.shown}" for used in connector.secrets]
    listed = ", ".join(said)
    text = f" WITH ({listed})"
    if connector.format:
        text += f" FORMAT {connector.format} ENCODE {connector.encode}"
    return text


def unique_definition(table: Table, index: Index) -> str:
    """Return a UNIQUE constraint as it is written, without its name."""
    names = {column.number: quoted(column.name) for column in table.columns}
    nulls = " NULLS NOT DISTINCT" if index.are_nulls_equal else ""
    text = f"UNIQUE{nulls} ({', '.join(names[key.column] for key in index.keys)})"
    if index.include:
        text += f" INCLUDE ({', '.join(names[number] for number in index.include)})"
    return text + deferral_words(index)


def reference_definition(table: Table, key: ForeignKey, target: Table, name: str) -> str:
    """Return a FOREIGN KEY constraint as it is written, without its name.

    Args:
        table: What has it.
        key: The constraint.
        target: What it refers to.
        name: What that is called, as it is written.
    """
    own = {column.number: quoted(column.name) for column in table.columns}
    others = {column.number: quoted(column.name) for column in target.columns}
    text = (
        f"FOREIGN KEY ({', '.join(own[n] for n in key.columns)}) REFERENCES "
        f"{name}({', '.join(others[n] for n in key.target_columns)})"
    )
    if key.is_full:
        text += " MATCH FULL"
    if key.on_update is not Action.NO_ACTION:
        text += f" ON UPDATE {key.on_update.words}"
    if key.on_delete is not Action.NO_ACTION:
        text += f" ON DELETE {key.on_delete.words}"
    if key.set_columns:
        text += f" ({', '.join(own[n] for n in key.set_columns)})"
    return text + deferral_words(key) + ("" if key.is_valid else " NOT VALID")


def deferral_words(constraint: Index | ForeignKey) -> str:
    """Return what is said of when a constraint is looked at."""
    if not constraint.is_deferrable:
        return ""
    return " DEFERRABLE INITIALLY DEFERRED" if constraint.is_deferred else " DEFERRABLE"


#: CREATE of a view, sink or source up to its name, and the name.
_VIEW_HEAD: Final = re.compile(
    r"(\s*(?:CREATE\s+(?:(?:MATERIALIZED\s+)?VIEW|SINK|SOURCE)|REPLACE\s+SINK)\s+(?:IF\s+NOT\s+EXISTS\s+)?)"
    r'(?:(?:"(?:[^"]|"")+"|[^\s".(]+)\s*\.\s*)*(?:"(?:[^"]|"")+"|[^\s".(]+)',
    re.IGNORECASE,
)


def subscription_definition(subscription: Subscription, source: Relation) -> str:
    """Return CREATE SUBSCRIPTION for what is there now."""
    retention = subscription.retention.replace("'", "''")
    return (
        f"CREATE SUBSCRIPTION {quoted_name(subscription)} FROM {quoted_name(source)} "
        f"WITH (retention = '{retention}')"
    )


def placed(relation: Relation, schema: str, name: str) -> Relation:
    """Return a relation under another name; what creates it says so too."""
    moved = replace(relation, schema=schema, name=name)
    if isinstance(moved, Table) and isinstance(relation, Table):
        key_name = relation.primary_key_name if relation.primary_key else ""
        moved = replace(moved, key_name=key_name)
        return replace(moved, definition=definition_of(moved))
    shown = quoted(name) if schema == "public" else f"{quoted(schema)}.{quoted(name)}"
    head = _VIEW_HEAD.match(moved.definition)
    if head is None:  # A comment stands in it.
        return moved
    return replace(moved, definition=f"{head[1]}{shown}{moved.definition[head.end() :]}")


def _column(column: Column, spelled: Callable[[PgType], str], *, is_key: bool) -> str:
    words = [quoted(column.name), spelled(column.type)]
    if column.collation:
        words.append(f"COLLATE {quoted(column.collation)}")
    if column.default_source is not None:
        words.append(f"DEFAULT {column.default_source}")
    if column.generated_source is not None:
        words.append(f"GENERATED ALWAYS AS ({column.generated_source}) STORED")
    if not column.is_nullable and not is_key:
        words.append("NOT NULL")
    return " ".join(words)


def index_definition(
    relation: Table | MaterializedView, index: Index, *, is_pretty: bool = False
) -> str:
    """Return CREATE INDEX as PostgreSQL shows it, to people with fewer brackets."""
    names = {column.number: quoted(column.name) for column in relation.columns}
    keys = ", ".join(index_key(relation, key) for key in index.keys)
    unique = "UNIQUE " if index.is_unique else ""
    text = (
        f"CREATE {unique}INDEX {quoted(index.name)} ON "
        f"{quoted(relation.schema)}.{quoted(relation.name)} USING btree ({keys})"
    )
    if index.include:
        text += f" INCLUDE ({', '.join(names[number] for number in index.include)})"
    if index.are_nulls_equal:
        text += " NULLS NOT DISTINCT"
    if index.condition_source is not None:
        source = index.condition_source
        text += f" WHERE {source}" if is_pretty else f" WHERE ({source})"
    return text


def index_to_peers(relation: Table | MaterializedView, index: Index) -> str:
    """Return CREATE INDEX as RisingWave shows it; what it has no words for, as PostgreSQL does."""
    names = {column.number: quoted(column.name) for column in relation.columns}
    keys = ", ".join(index_key(relation, key) for key in index.keys)
    unique = "UNIQUE " if index.is_unique else ""
    text = f"CREATE {unique}INDEX {quoted(index.name)} ON {quoted_name(relation)}({keys})"
    if index.include:
        text += f" INCLUDE({', '.join(names[number] for number in index.include)})"
    if index.are_nulls_equal:
        text += " NULLS NOT DISTINCT"
    if index.condition_source is not None:
        text += f" WHERE {index.condition_source}"
    return text


def index_key(relation: Table | MaterializedView, key: IndexKey) -> str:
    """Return a part of an index's key as it is written."""
    names = {column.number: quoted(column.name) for column in relation.columns}
    text = names[key.column] if key.column else str(key.source)
    if key.is_descending:
        text += " DESC"
    if key.has_nulls_first != key.is_descending:
        text += " NULLS FIRST" if key.has_nulls_first else " NULLS LAST"
    return text


def key_columns(table: Table) -> list[str]:
    """Return the columns of the primary key as they are written."""
    names = {column.number: quoted(column.name) for column in table.columns}
    return [names[number] for number in table.primary_key]


def key_definition(table: Table) -> str:
    """Return CREATE INDEX for the primary key as PostgreSQL shows it."""
    return (
        f"CREATE UNIQUE INDEX {quoted(table.primary_key_name)} ON {quoted(table.schema)}."
        f"{quoted(table.name)} USING btree ({', '.join(key_columns(table))})"
    )
