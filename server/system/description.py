"""What functions tell of objects: definitions, comments, sizes (PostgreSQL 15, chapter 9.26).

All of them look things up in the rows of the system catalogs, so that they agree with these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from catalog import types
from catalog.definition import (
    index_definition,
    index_to_peers,
    reference_definition,
    unique_definition,
)
from catalog.errors import UndefinedDatabase, UndefinedObject
from catalog.function import Function, arguments_text, definition_of, result_text
from catalog.index import Index
from catalog.oid import Oid
from catalog.relation import Relation, Table
from catalog.state import Indexed
from catalog.system.pg_index import indexes
from catalog.system.pg_trigger import key_triggers
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.system.relation import Row
from catalog.updatable import is_updatable, table_beneath
from server.sql.object_text import name_parts
from server.sql.quoting import quoted_identifier
from server.sql.renaming import with_schemas
from server.sql.spelling import peers_spelling
from server.system.object_name import ObjectNames
from server.system.view import SystemView

#: What a function gives; the engine makes numbers and booleans of the texts.
Answer: TypeAlias = str | int | bool | None

#: Stands for a type modifier that is NULL.
NO_MODIFIER: Final = -2
#: Names of types that have a length where none is given, such that they have none.
_LONGER_BARE: Final = {types.BPCHAR.oid: "bpchar", types.BIT.oid: '"bit"'}

#: About how long a value is whose type has no length.
_VARIABLE_BYTES: Final = 32

#: What messages call the relations of pg_class, by their kind.
_KINDS: Final = {
    "r": "table",
    "v": "view",
    "m": "materialized view",
    "i": "index",
    "S": "sequence",
    "f": "foreign table",
}

#: The catalogs in which pg_describe_object finds something, and what it calls it.
_DESCRIBED: Final = {
    "pg_type": ("type", "regtype"),
    "pg_proc": ("function", "regprocedure"),
    "pg_operator": ("operator", "regoperator"),
    "pg_namespace": ("schema", "regnamespace"),
    "pg_authid": ("role", "regrole"),
    "pg_collation": ("collation", "regcollation"),
}


def _definition(owner: Indexed, index: Index, number: int, *, is_pretty: bool) -> str:
    """Return CREATE INDEX, or one part of what an index holds."""
    if not number:
        return index_definition(owner, index, is_pretty=is_pretty)
    names = {column.number: quoted_identifier(column.name) for column in owner.columns}
    parts = [names[key.column] if key.column else str(key.source) for key in index.keys]
    parts += [names[included] for included in index.include]
    return parts[number - 1] if 0 < number <= len(parts) else ""


#: The name of a relation as a constant.
_REGCLASS: Final = re.compile(r"'((?:[^']|'')+)'::regclass")


class Descriptions:
    """What a session is told of objects; for any thread.

    Args:
        view: The system catalogs.
        names: Names as the session sees them.
        rows_of: About how many rows a relation has, by its OID.
        is_peer: Whether views and indexes are shown as RisingWave shows them.
    """

    def __init__(
        self,
        view: SystemView,
        names: ObjectNames,
        rows_of: Callable[[Oid], int],
        is_peer: Callable[[], bool],
    ) -> None:
        self._view = view
        self._names = names
        self._rows_of = rows_of
        self._is_peer = is_peer

    def answer(self, function: str, oid: int, number: int, text: str) -> Answer:
        """Return what a function gives for an object.

        Args:
            function: Its name, as ``FUNCTIONS`` has it.
            oid: Its first argument.
            number: Its second, where that is a number.
            text: An argument that is a text.
        """
        return FUNCTIONS[function](self, oid, number, text)

    def _row(self, relation: str, oid: int) -> Row | None:
        return self._view.by(relation).get(oid)

    def is_visible(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_*_is_visible; the text is the kind of the object."""
        return self._names.is_visible(text, oid)

    def user(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_userbyid."""
        row = self._row("pg_roles", oid)
        return f"unknown (OID={oid})" if row is None else str(row["rolname"])

    def view(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_viewdef."""
        relation = self._view.snapshot.catalog.relations.get(Oid(oid))
        if relation is None:
            return None
        for name, column in (("pg_views", "viewname"), ("pg_matviews", "matviewname")):
            for row in self._view.of(name):
                if (row["schemaname"], row[column]) == (relation.schema, relation.name):
                    query = self._qualified_query(str(row["definition"]), relation)
                    return peers_spelling(query.rstrip("; ")) if self._is_peer() else query
        return "Not a view"

    def _qualified_query(self, query: str, relation: Relation) -> str:
        """Return a query with the schemas of what the session does not find by its name."""
        if isinstance(relation, Table):
            return query
        catalog = self._view.snapshot.catalog
        relations = {
            catalog.relations[oid].name: self._names.text("regclass", oid)
            for oid in relation.depends_on
        }
        functions = {
            catalog.functions[oid].name: self._names.text("regproc", oid)
            for oid in relation.functions
        }
        return with_schemas(query, relations, functions)

    def expression(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_expr of an expression that names relations."""
        sequences = self._view.snapshot.catalog.sequences.values()
        by_name = {s.name: s.oid for s in sorted(sequences, key=lambda s: s.schema == "public")}

        def named(found: re.Match[str]) -> str:
            parts = name_parts(found[1].replace("''", "'"))
            if len(parts) != 1 or parts[0] not in by_name:
                return found[0]
            name = self._names.text("regclass", by_name[parts[0]]).replace("'", "''")
            return f"'{name}'::regclass"

        return _REGCLASS.sub(named, text)

    def index(self, oid: int, number: int, text: str) -> Answer:
        """pg_get_indexdef; the number is a column's, or 0 for all; ``true`` is for people."""
        for owner, described in indexes(self._view.snapshot):
            if described.oid == oid:
                if self._is_peer() and not number:
                    return index_to_peers(owner, described)
                return _definition(owner, described, number, is_pretty=text == "true")
        index = self._view.by("pg_index", "indexrelid").get(oid)
        relation = self._row("pg_class", oid)
        if index is None or relation is None:
            return None
        keys = self._index_columns(index)
        if number:
            return keys[number - 1] if 0 < number <= len(keys) else ""
        key_count = int(str(index["indnkeyatts"]))
        unique = "UNIQUE " if index["indisunique"] else ""
        included = f" INCLUDE ({', '.join(keys[key_count:])})" if keys[key_count:] else ""
        orders = index["indoption"]
        assert isinstance(orders, (list, tuple))
        shown = [key + _direction(int(o)) for key, o in zip(keys[:key_count], orders, strict=False)]
        return (
            f"CREATE {unique}INDEX {quoted_identifier(str(relation['relname']))} ON "
            f"{self._qualified(int(str(index['indrelid'])))} USING btree "
            f"({', '.join(shown)}){included}"
        )

    def _index_columns(self, index: Row) -> list[str]:
        return self._columns(int(str(index["indrelid"])), index["indkey"])

    def _columns(self, relation: int, numbers: object) -> list[str]:
        assert isinstance(numbers, (list, tuple))
        named = {row["attnum"]: str(row["attname"]) for row in self._attributes(relation)}
        return [quoted_identifier(named.get(number, "")) for number in numbers]

    def _attributes(self, relation: int) -> list[Row]:
        return self._view.grouped("pg_attribute", "attrelid").get(relation, [])

    def _qualified(self, oid: int) -> str:
        row = self._row("pg_class", oid)
        if row is None:
            return str(oid)
        schema = self._names.text("regnamespace", int(str(row["relnamespace"])))
        return f"{schema}.{quoted_identifier(str(row['relname']))}"

    def constraint(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_constraintdef; as a person would write it where the number is not 0."""
        row = self._row("pg_constraint", oid)
        if row is None:
            return None
        relation = int(str(row["conrelid"]))
        match row["contype"]:
            case "p":
                return f"PRIMARY KEY ({', '.join(self._columns(relation, row['conkey']))})"
            case "u":
                table = self._view.snapshot.catalog.table(Oid(relation))
                index = next(i for i in table.indexes if i.constraint == oid)
                return unique_definition(table, index)
            case "c":
                return f"CHECK {row['conbin']}" if number else f"CHECK ({row['conbin']})"
            case "f":
                table = self._view.snapshot.catalog.table(Oid(relation))
                key = next(k for k in table.foreign_keys if k.oid == oid)
                target = self._view.snapshot.catalog.table(key.target)
                name = self._names.text("regclass", target.oid)
                return reference_definition(table, key, target, name)
            case _:
                return None

    def type(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """format_type; the number is the modifier, or ``NO_MODIFIER``."""
        pg_type = self._view.snapshot.catalog.type_by_oid(Oid(oid))
        if pg_type is None:
            return "???" if oid else "-"
        made = pg_type.element or pg_type
        if made.is_made or made.domain is not None:
            return self._names.text("regtype", oid)
        if number == NO_MODIFIER:
            return pg_type.sql_name
        base = pg_type.element or pg_type
        brackets = "[]" if pg_type.is_array else ""
        if number < 0 and base.oid in _LONGER_BARE:
            return _LONGER_BARE[base.oid] + brackets
        return types.with_modifier(base, number).display() + brackets

    def comment(self, oid: int, number: int, text: str) -> Answer:
        """obj_description and col_description; the text is the catalog, or empty for any."""
        for row in self._view.grouped("pg_description", "objoid").get(oid, ()):
            if row["objsubid"] == number and self._is_in(row, text):
                return str(row["description"])
        return None

    def _is_in(self, row: Row, catalog: str) -> bool:
        """Whether a comment is on an object of a catalog; any if that has no name."""
        found = SYSTEM_RELATIONS.get(("pg_catalog", catalog))
        return not catalog or (found is not None and row["classoid"] == found.oid)

    def shared_comment(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """shobj_description."""
        for row in self._view.grouped("pg_shdescription", "objoid").get(oid, ()):
            if self._is_in(row, text):
                return str(row["description"])
        return None

    def sequence(self, oid: int, number: int, text: str) -> Answer:
        """pg_get_serial_sequence; the number is 0, the text the column."""
        del number
        column = next((row for row in self._attributes(oid) if row["attname"] == text), None)
        for row in self._view.of("pg_depend"):
            owned = self._row("pg_class", int(str(row["objid"])))
            if (
                column is not None
                and owned is not None
                and owned["relkind"] == "S"
                and (row["refobjid"], row["refobjsubid"]) == (oid, column["attnum"])
            ):
                return self._qualified(int(str(row["objid"])))
        return None

    def object(self, oid: int, number: int, text: str) -> Answer:
        """pg_describe_object; the first argument is the catalog, the number the object.

        The text is the number of the column, or 0.
        """
        catalog = str((self._row("pg_class", oid) or {}).get("relname", ""))
        if catalog == "pg_class":
            row = self._row("pg_class", number)
            if row is None:
                return None
            what = f"{_KINDS[str(row['relkind'])]} {self._names.text('regclass', number)}"
            (column,) = self._columns(number, [int(text)]) if text != "0" else ("",)
            return f"column {column} of {what}" if column else what
        if catalog not in _DESCRIBED or self._row(catalog, number) is None:
            return None
        word, kind = _DESCRIBED[catalog]
        return f"{word} {self._names.text(kind, number)}"

    def size(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_table_size and its like: the rows that are stored; an index takes no room."""
        return None if self._row("pg_class", oid) is None else self._bytes(oid)

    def _bytes(self, oid: int) -> int:
        if (self._row("pg_class", oid) or {}).get("relkind") not in {"r", "m"}:
            return 0
        sizes = [int(str(row["attlen"])) for row in self._attributes(oid)]
        width = sum(size if size > 0 else _VARIABLE_BYTES for size in sizes)
        return width * self._rows_of(Oid(oid))

    def database_size(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_database_size, by number or name: of the session's own; of others it is not known."""
        snapshot = self._view.snapshot
        found = [d for d in snapshot.databases if d.name == text or (not text and d.oid == oid)]
        if text and not found:
            raise UndefinedDatabase.named(text)
        if not found or found[0].name != snapshot.database:
            return 0 if found else None
        return sum(self._bytes(oid) for oid in snapshot.catalog.relations)

    def tablespace_size(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_tablespace_size, by number or name: all is in the first."""
        for row in self._view.of("pg_tablespace"):
            if row["spcname"] == text or (not text and row["oid"] == oid):
                if row["spcname"] != "pg_default":
                    return 0
                return sum(self._bytes(known) for known in self._view.snapshot.catalog.relations)
        if text:
            raise UndefinedObject(f'tablespace "{text}" does not exist')
        return None

    def arguments(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_function_arguments; the text is ``identity`` where defaults are left out."""
        if (made := self._made(oid)) is not None:
            return arguments_text(made, with_defaults=text != "identity")
        row = self._row("pg_proc", oid)
        if row is None:
            return None
        given = row["proargtypes"]
        assert isinstance(given, (list, tuple))
        shown = [self._names.text("regtype", int(argument)) for argument in given]
        if row["provariadic"] and shown:
            shown[-1] = f"VARIADIC {shown[-1]}"
        return ", ".join(shown)

    def result(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_function_result."""
        if (made := self._made(oid)) is not None:
            return result_text(made)
        row = self._row("pg_proc", oid)
        if row is None:
            return None
        shown = self._names.text("regtype", int(str(row["prorettype"])))
        return f"SETOF {shown}" if row["proretset"] else shown

    def function(self, oid: int, number: int, text: str) -> Answer:
        """pg_get_functiondef."""
        if (made := self._made(oid)) is not None:
            return definition_of(made)
        row = self._row("pg_proc", oid)
        if row is None:
            return None
        volatility = {"i": " IMMUTABLE", "s": " STABLE", "v": ""}[str(row["provolatile"])]
        strict = " STRICT" if row["proisstrict"] else ""
        name = f"pg_catalog.{quoted_identifier(str(row['proname']))}"
        return (
            f"CREATE OR REPLACE FUNCTION {name}({self.arguments(oid, number, text)})\n"
            f" RETURNS {self.result(oid, number, text)}\n LANGUAGE internal\n"
            f"{volatility}{strict}\nAS $function${row['prosrc']}$function$\n"
        )

    def _made(self, oid: int) -> Function | None:
        """Return the function that a user has made."""
        return self._view.snapshot.catalog.functions.get(Oid(oid))

    def trigger(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """pg_get_triggerdef."""
        found = next((t for t in key_triggers(self._view.snapshot) if t.oid == oid), None)
        if found is None:
            return None
        can_wait = found.key.is_deferrable and found.can_wait
        is_deferred = found.key.is_deferred and found.can_wait
        function = self._names.text("regproc", found.function)
        source = self._names.text("regclass", found.source.oid)
        return (
            f'CREATE CONSTRAINT TRIGGER "{found.name}" AFTER {found.event_name} ON '
            f"{self._qualified(found.on.oid)} FROM {source} "
            f"{'' if can_wait else 'NOT '}DEFERRABLE INITIALLY "
            f"{'DEFERRED' if is_deferred else 'IMMEDIATE'} FOR EACH ROW EXECUTE FUNCTION "
            f"{function}()"
        )

    def kind(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """The kind of a relation, as pg_class has it."""
        row = self._row("pg_class", oid)
        return None if row is None else str(row["relkind"])

    def updatable(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """Whether a relation can be written: t or f; of a view's column where there is a number."""
        relations = self._view.snapshot.catalog.relations
        relation = relations.get(Oid(oid))
        if relation is None:
            return None
        is_written = (
            is_updatable(relations, relation, number)
            if number
            else table_beneath(relations, relation) is not None
        )
        return "t" if is_written else "f"

    def nothing(self, oid: int, number: int, text: str) -> Answer:  # noqa: ARG002
        """The definition of what does not exist here."""
        return None


def _direction(option: int) -> str:
    """Return what stands behind a column of an index: bit 1 is DESC, bit 2 NULLS FIRST."""
    return ("", " DESC NULLS LAST", " NULLS FIRST", " DESC")[option & 3]


_Function = Callable[[Descriptions, int, int, str], Answer]

#: The functions by the names under which queries call them.
FUNCTIONS: Final[dict[str, _Function]] = {
    "is_visible": Descriptions.is_visible,
    "user": Descriptions.user,
    "view": Descriptions.view,
    "index": Descriptions.index,
    "expression": Descriptions.expression,
    "constraint": Descriptions.constraint,
    "type": Descriptions.type,
    "comment": Descriptions.comment,
    "shared_comment": Descriptions.shared_comment,
    "sequence": Descriptions.sequence,
    "object": Descriptions.object,
    "size": Descriptions.size,
    "database_size": Descriptions.database_size,
    "tablespace_size": Descriptions.tablespace_size,
    "arguments": Descriptions.arguments,
    "result": Descriptions.result,
    "function": Descriptions.function,
    "kind": Descriptions.kind,
    "trigger": Descriptions.trigger,
    "updatable": Descriptions.updatable,
    "nothing": Descriptions.nothing,
}
