"""Names of objects and their OIDs: regclass, regtype, regproc and their like (chapter 8.19)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from catalog.errors import (
    AmbiguousFunction,
    UndefinedFunction,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
)
from catalog.oid import Oid
from catalog.system.relation import Row
from catalog.types import PgType
from catalog.user_type import pg_type
from server.sql.object_text import name_parts, type_of_name
from server.sql.quoting import quoted_identifier
from server.system.view import SystemView

#: Searched before the search path unless it names them.
IMPLICIT_SCHEMAS: Final = ("pg_catalog", "rw_catalog")

_SIGNATURE: Final = re.compile(r"\s*(?P<name>.+?)\s*\((?P<types>.*)\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Where the objects of a type are listed."""

    relation: str
    name: str
    schema: str | None = None


_KINDS: Final = {
    "regclass": _Kind("pg_class", "relname", "relnamespace"),
    "regproc": _Kind("pg_proc", "proname", "pronamespace"),
    "regprocedure": _Kind("pg_proc", "proname", "pronamespace"),
    "regoper": _Kind("pg_operator", "oprname", "oprnamespace"),
    "regoperator": _Kind("pg_operator", "oprname", "oprnamespace"),
    "regtype": _Kind("pg_type", "typname", "typnamespace"),
    "regnamespace": _Kind("pg_namespace", "nspname"),
    "regrole": _Kind("pg_roles", "rolname"),
    "regcollation": _Kind("pg_collation", "collname", "collnamespace"),
    "regconfig": _Kind("pg_ts_config", "cfgname", "cfgnamespace"),
    "regdictionary": _Kind("pg_ts_dict", "dictname", "dictnamespace"),
    # These have no type of their own.
    "opclass": _Kind("pg_opclass", "opcname", "opcnamespace"),
    "opfamily": _Kind("pg_opfamily", "opfname", "opfnamespace"),
    "conversion": _Kind("pg_conversion", "conname", "connamespace"),
    "statistics": _Kind("pg_statistic_ext", "stxname", "stxnamespace"),
    "parser": _Kind("pg_ts_parser", "prsname", "prsnamespace"),
    "template": _Kind("pg_ts_template", "tmplname", "tmplnamespace"),
}

#: Objects of which several may have one name, told apart by the types of their arguments.
_OVERLOADED: Final = frozenset({"regproc", "regprocedure", "regoper", "regoperator"})


class ObjectNames:
    """Names as a session with a search path sees them; for any thread.

    Args:
        view: The system catalogs.
        search_path: Existing schemas in order, without the implicit ones.
    """

    def __init__(self, view: SystemView, search_path: Sequence[str]) -> None:
        self._view = view
        implicit = tuple(s for s in IMPLICIT_SCHEMAS if s not in search_path)
        self._path = implicit + tuple(search_path)
        self._schemas = {row["nspname"]: row["oid"] for row in view.of("pg_namespace")}
        self._by_name: dict[str, Mapping[tuple[object, object], list[Row]]] = {}
        self._texts: dict[tuple[str, int], str] = {}

    def text(self, kind: str, oid: int) -> str:
        """Return what an OID is shown as: a name, or the number of what does not exist."""
        found = self._texts.get((kind, oid))
        if found is None:
            found = self._texts[kind, oid] = self._text(kind, oid)
        return found

    def oid(self, kind: str, text: str) -> int:
        """Return the OID that a text means.

        Raises:
            PgError: There is no such object, or there are several.
        """
        bare = text.strip()
        if bare.isdigit() or bare == "-":
            return 0 if bare == "-" else int(bare)
        if kind == "regtype":
            return int(self._type(text).listed_oid)
        signature = _SIGNATURE.fullmatch(text) if kind in {"regprocedure", "regoperator"} else None
        found = self._named(kind, text if signature is None else signature["name"])
        if signature is not None:
            wanted = [
                0 if name.strip().lower() == "none" else int(self._type(name).listed_oid)
                for name in signature["types"].split(",")
                if name.strip()
            ]
            found = [row for row in found if _arguments(kind, row) == wanted]
        if not found:
            raise _undefined(kind, text)
        if len(found) > 1:
            what = "operator" if "oper" in kind else "function"
            raise AmbiguousFunction(f'more than one {what} named "{bare}"')
        return int(str(found[0]["oid"]))

    def _type(self, text: str) -> PgType:
        return type_of_name(text, self._find_type)

    def _find_type(self, schema: str | None, name: str) -> PgType | None:
        catalog = self._view.snapshot.catalog
        for held_in in self._path if schema is None else (schema,):
            if (made := catalog.find_type(held_in, name)) is not None:
                return pg_type(made)
        return None

    def is_visible(self, kind: str, oid: int) -> bool | None:
        """Whether an object is what its name alone means; None when there is none.

        Those of ``rw_catalog`` are found by their names but are not shown among the user's own.
        """
        row = self._view.by(_KINDS[kind].relation).get(oid)
        if row is None:
            return None
        rw_catalog = self._schemas.get("rw_catalog")
        return row[_KINDS[kind].schema or "oid"] != rw_catalog and self._is_first(kind, row)

    def _text(self, kind: str, oid: int) -> str:
        if not oid:
            return "-"
        if kind == "regtype":
            found = self._view.snapshot.catalog.type_by_oid(Oid(oid))
            made = None if found is None else found.element or found
            if found is None or made is None or not (made.is_made or made.domain is not None):
                return str(oid) if found is None else found.sql_name
            if found.is_array:
                return f"{self.text(kind, made.listed_oid)}[]"
        described = _KINDS[kind]
        row = self._view.by(described.relation).get(oid)
        if row is None:
            return str(oid)
        name = str(row[described.name])
        shown = name if "oper" in kind else quoted_identifier(name)
        if described.schema is not None and not self._is_unqualified(kind, row):
            shown = f"{quoted_identifier(self._schema_name(row[described.schema]))}.{shown}"
        if kind in {"regprocedure", "regoperator"}:
            arguments = ",".join(
                self.text("regtype", argument) if argument else "NONE"
                for argument in _arguments(kind, row)
            )
            return f"{shown}({arguments})"
        return shown

    def _is_unqualified(self, kind: str, row: Row) -> bool:
        if kind in {"regproc", "regoper"} and len(self._alike(kind, row)) > 1:
            return False
        return self._is_first(kind, row)

    def _is_first(self, kind: str, row: Row) -> bool:
        """Whether no object of that name is in a schema before its own, which is searched."""
        described = _KINDS[kind]
        if described.schema is None:
            return True
        schema = row[described.schema]
        for name in self._path:
            candidate = self._schemas.get(name)
            if candidate == schema:
                return True
            found = self._index(kind).get((candidate, row[described.name]))
            if found and kind not in _OVERLOADED:
                return False
        return False

    def _alike(self, kind: str, row: Row) -> list[Row]:
        described = _KINDS[kind]
        return self._index(kind)[row[described.schema or ""], row[described.name]]

    def _named(self, kind: str, text: str) -> list[Row]:
        *qualifiers, name = (
            [text.strip()] if "oper" in kind and "." not in text else name_parts(text)
        )
        described = _KINDS[kind]
        if described.schema is None:
            return self._index(kind).get((None, name), [])
        if qualifiers:
            if qualifiers[-1] not in self._schemas:
                raise UndefinedSchema.named(qualifiers[-1])
            return self._index(kind).get((self._schemas[qualifiers[-1]], name), [])
        for schema in self._path:
            found = self._index(kind).get((self._schemas.get(schema), name))
            if found:
                return found
        return []

    def _index(self, kind: str) -> Mapping[tuple[object, object], list[Row]]:
        described = _KINDS[kind]
        found = self._by_name.get(described.relation)
        if found is None:
            made: dict[tuple[object, object], list[Row]] = defaultdict(list)
            for row in self._view.of(described.relation):
                schema = None if described.schema is None else row[described.schema]
                made[schema, row[described.name]].append(row)
            found = self._by_name[described.relation] = dict(made)
        return found

    def _schema_name(self, oid: object) -> str:
        return next((str(name) for name, known in self._schemas.items() if known == oid), str(oid))


def _arguments(kind: str, row: Row) -> list[int]:
    if "oper" in kind:
        return [int(str(row["oprleft"])), int(str(row["oprright"]))]
    found = row["proargtypes"]
    assert isinstance(found, (list, tuple))
    return [int(oid) for oid in found]


def _undefined(kind: str, text: str) -> Exception:
    match kind:
        case "regclass":
            return UndefinedTable.named(".".join(name_parts(text)))
        case "regproc" | "regprocedure":
            return UndefinedFunction(f'function "{text}" does not exist')
        case "regoper" | "regoperator":
            return UndefinedFunction(f"operator does not exist: {text}")
        case "regnamespace":
            return UndefinedSchema.named(".".join(name_parts(text)))
        case "regrole":
            return UndefinedObject(f'role "{text}" does not exist')
        case "regcollation":
            return UndefinedObject(f'collation "{text}" for encoding "UTF8" does not exist')
        case _:
            what = "configuration" if kind == "regconfig" else "dictionary"
            return UndefinedObject(f'text search {what} "{text}" does not exist')
