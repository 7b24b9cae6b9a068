"""Columns that are numbered: serial and identity columns, and what is said of their sequences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog import types
from catalog.errors import DuplicateTable, InvalidParameterValue, SqlSyntaxError
from catalog.relation import Column, Table
from catalog.relation_name import made_name
from catalog.sequence import BOUNDS, SequenceGenerator
from catalog.state import Catalog
from catalog.types import INT2, INT4, INT8, PgType
from server.session_state import SessionState
from server.sql.clause import ColumnDefinition, SequenceOptions
from server.sql.quoting import quoted_identifier
from server.sql.sequence_default import next_number

#: What the names of serial types stand for.
SERIALS: Final[dict[str, PgType]] = {
    "smallserial": INT2,
    "serial2": INT2,
    "serial": INT4,
    "serial4": INT4,
    "bigserial": INT8,
    "serial8": INT8,
}

_NEXTVAL: Final = re.compile(r"\bnextval\(\s*('(?:[^']|'')*')\s*\)", re.IGNORECASE)


def with_options(
    held: SequenceGenerator, options: SequenceOptions, *, is_new: bool = True
) -> SequenceGenerator:
    """Return a sequence of which something is said.

    Raises:
        InvalidParameterValue: It does not fit together.
    """
    pg_type = held.type
    if options.type is not None:
        pg_type = types.by_name(options.type, position=options.type_position)
        if pg_type.oid not in BOUNDS:
            raise InvalidParameterValue("sequence type must be smallint, integer, or bigint")
    increment = held.increment if options.increment is None else options.increment
    if increment == 0:
        raise InvalidParameterValue("INCREMENT must not be zero")
    least, most = BOUNDS[pg_type.oid]
    usual = (1, most) if increment > 0 else (least, -1)
    was = BOUNDS[held.type.oid]
    minimum, maximum = held.minimum, held.maximum
    if is_new or options.no_minimum or (minimum == was[0] and pg_type != held.type):
        minimum = usual[0]
    if is_new or options.no_maximum or (maximum == was[1] and pg_type != held.type):
        maximum = usual[1]
    minimum = minimum if options.minimum is None else options.minimum
    maximum = maximum if options.maximum is None else options.maximum
    for word, value in (("MAXVALUE", maximum), ("MINVALUE", minimum)):
        if not least <= value <= most:
            raise InvalidParameterValue(
                f"{word} ({value}) is out of range for sequence data type {pg_type.sql_name}"
            )
    if minimum >= maximum:
        raise InvalidParameterValue(f"MINVALUE ({minimum}) must be less than MAXVALUE ({maximum})")
    start = held.start
    if options.start is not None:
        start = options.start
    elif is_new:
        start = minimum if increment > 0 else maximum
    if not minimum <= start <= maximum:
        word, bound = ("MINVALUE", minimum) if start < minimum else ("MAXVALUE", maximum)
        side = "less" if start < minimum else "greater"
        raise InvalidParameterValue(f"START value ({start}) cannot be {side} than {word} ({bound})")
    cache = held.cache if options.cache is None else options.cache
    if cache < 1:
        raise InvalidParameterValue(f"CACHE ({cache}) must be greater than zero")
    cycles = held.cycles if options.cycles is None else options.cycles
    return replace(
        held,
        type=pg_type,
        increment=increment,
        minimum=minimum,
        maximum=maximum,
        start=start,
        cache=cache,
        cycles=cycles,
    )


def default_source(sequence: SequenceGenerator) -> str:
    """Return the default of a serial column as it is shown."""
    name = quoted_identifier(sequence.name)
    if sequence.schema != "public":
        name = f"{quoted_identifier(sequence.schema)}.{name}"
    text = name.replace("'", "''")
    return f"nextval('{text}'::regclass)"


def shown_default(source: str | None) -> str | None:
    """Return a default as it was written; what names a sequence is shown with its type."""
    return None if source is None else _NEXTVAL.sub(r"nextval(\1::regclass)", source)


def is_numbered(definition: ColumnDefinition) -> bool:
    """Whether a column has a sequence of its own."""
    return bool(definition.identity) or definition.type in SERIALS


def numbered(
    state: SessionState, catalog: Catalog, table: Table, definitions: Sequence[ColumnDefinition]
) -> tuple[Table, tuple[SequenceGenerator, ...]]:
    """Return a new table whose serial and identity columns have sequences, and these.

    Raises:
        PgError: What is said of one does not fit together.
    """
    made: list[SequenceGenerator] = []
    columns: list[Column] = []
    taken: set[str] = {table.name}
    for column, definition in zip(table.columns, definitions, strict=True):
        if not is_numbered(definition):
            columns.append(column)
            continue
        fresh, sequence = numbered_column(
            state, catalog, table, column, definition=definition, taken=taken
        )
        columns.append(fresh)
        made.append(sequence)
    return replace(table, columns=tuple(columns)), tuple(made)


def numbered_column(
    state: SessionState,
    catalog: Catalog,
    table: Table,
    column: Column,
    *,
    definition: ColumnDefinition,
    taken: set[str],
) -> tuple[Column, SequenceGenerator]:
    """Return a serial or identity column with its default, and its sequence.

    Args:
        state: The session.
        catalog: What there is.
        table: The column's.
        column: The column as it would be without a sequence.
        definition: How it is written.
        taken: Names that are not free; the sequence's is added.

    Raises:
        PgError: What is said of it does not fit together, or a name is taken.
    """
    if definition.type in SERIALS and definition.identity:
        raise SqlSyntaxError(
            f'both default and identity specified for column "{column.name}" '
            f'of table "{table.name}"',
        )
    if definition.type in SERIALS and definition.default is not None:
        raise SqlSyntaxError(
            f'multiple default values specified for column "{column.name}" of table "{table.name}"',
        )
    if column.type.oid not in BOUNDS:
        raise InvalidParameterValue("identity column type must be smallint, integer, or bigint")
    options = definition.sequence or SequenceOptions()
    name = options.name
    if name is None:
        name = made_name(
            table.name,
            [column.name],
            "seq",
            lambda name: name in taken or catalog.is_taken(table.schema, name),
        )
    elif name in taken or catalog.is_taken(table.schema, name):
        raise DuplicateTable.named(name)
    taken.add(name)
    bare = SequenceGenerator(
        oid=state.manager.allocate_oid(),
        schema=table.schema,
        name=name,
        owner=table.owner,
        type=column.type,
        owned_by=(table.oid, column.number),
        is_identity=bool(definition.identity),
    )
    sequence = with_options(bare, options)
    numbered = replace(
        column,
        is_nullable=False,
        default=next_number(sequence.oid, column.type),
        default_source=None if definition.identity else default_source(sequence),
        identity=definition.identity,
    )
    return numbered, sequence
