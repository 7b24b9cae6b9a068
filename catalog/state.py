"""The description of one database as an immutable value, and the changes that lead to the next.

``apply`` is the only way to a new catalog. It checks what must hold between relations, so that a
catalog that exists is consistent: names are unique in their schema, what a view reads exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, TypeVar

from catalog import types
from catalog.acl import Kind
from catalog.change import (
    AlterRelation,
    Change,
    ChangeSchema,
    CreateRelation,
    CreateSchema,
    DropRelations,
    DropSchema,
    RenameRelation,
    ReplaceRelation,
    ReplaceView,
    SwapRelations,
)
from catalog.constraint import ForeignKey
from catalog.definition import placed
from catalog.dependence import (
    base_tables,
    beneath,
    closure,
    dependents,
    describe,
    in_order,
    readers_of,
    references,
    standing_on,
    still_needed,
    still_used,
    without,
)
from catalog.errors import (
    DuplicateSchema,
    DuplicateTable,
    UndefinedSchema,
    UndefinedTable,
)
from catalog.function import (
    DropFunctions,
    Function,
    PutFunction,
    changed_functions,
)
from catalog.grant import Held, PrivilegeChange, changed, initial_acl, relation_acl
from catalog.index import Index
from catalog.initial import initial_schemas
from catalog.oid import Oid
from catalog.relation import (
    DefaultPrivileges,
    MaterializedView,
    Relation,
    Rowless,
    Schema,
    Source,
    StreamingJob,
    Table,
    View,
)
from catalog.relation_name import index_names, key_names
from catalog.secret import DropSecrets, PutSecret, Secret, changed_secrets, check_secrets
from catalog.sequence import (
    DropSequences,
    PutSequence,
    SequenceGenerator,
    changed_sequences,
    without_owned,
)
from catalog.type_change import (
    AlterType,
    CreateType,
    DropTypes,
    Users,
    described,
    duplicate,
    find_type,
    type_by_oid,
)
from catalog.type_change import changed as types_changed
from catalog.types import PgType
from catalog.unchanged import (
    changed_meanwhile,
    check_read,
    check_references,
    check_stored,
    check_unchanged,
)
from catalog.user_type import UserType

#: Schemas that hold the system catalogs; nothing of the user's is ever in them.
SYSTEM_SCHEMAS: Final = ("pg_catalog", "information_schema", "rw_catalog")

_MadeT = TypeVar("_MadeT", bound=Function | SequenceGenerator | UserType | Secret)

#: What can have indexes.
Indexed: TypeAlias = Table | MaterializedView


@dataclass(frozen=True, slots=True)
class Catalog:
    """All schemas and relations of one database.

    Attributes:
        database: The database's name.
        database_oid: Its OID.
        schemas: By name.
        relations: By OID. System relations are not among them: they are made from the catalog.
        defaults: What is granted on objects that are made later.
        functions: Those that users have made, by OID.
        types: Those that users have made, by OID.
        sequences, secrets: By OID.
        version: Counts changes; a cached plan is good for one version.
    """

    database: str
    database_oid: Oid
    schemas: Mapping[str, Schema] = field(default_factory=initial_schemas)
    relations: Mapping[Oid, Relation] = field(default_factory=dict)
    defaults: tuple[DefaultPrivileges, ...] = ()
    functions: Mapping[Oid, Function] = field(default_factory=dict)
    types: Mapping[Oid, UserType] = field(default_factory=dict)
    sequences: Mapping[Oid, SequenceGenerator] = field(default_factory=dict)
    secrets: Mapping[Oid, Secret] = field(default_factory=dict, repr=False)
    version: int = 0
    _names: Mapping[tuple[str, str], Oid] = field(default_factory=dict, repr=False)
    _index_names: Mapping[tuple[str, str], Oid] = field(default_factory=dict, repr=False)
    _key_names: Mapping[tuple[str, str], Oid] = field(default_factory=dict, repr=False)
    _references: Mapping[Oid, tuple[tuple[Oid, ForeignKey], ...]] = field(
        default_factory=dict, repr=False
    )
    _readers: Mapping[Oid, Table] = field(default_factory=dict, repr=False)

    def find(self, schema: str, name: str) -> Relation | None:
        """Return the relation of that name, or None."""
        oid = self._names.get((schema, name))
        return None if oid is None else self.relations[oid]

    def find_index(self, schema: str, name: str) -> tuple[Indexed, Index] | None:
        """Return the index of that name and what it is of, or None; a key's is none."""
        oid = self._index_names.get((schema, name))
        if oid is None:
            return None
        relation = self.relations[oid]
        assert isinstance(relation, Table | MaterializedView), relation
        return relation, next(index for index in relation.indexes if index.name == name)

    def find_key(self, schema: str, name: str) -> Table | None:
        """Return the table whose primary key has that name, or None."""
        oid = self._key_names.get((schema, name))
        return None if oid is None else self.table(oid)

    def find_type(self, schema: str, name: str) -> UserType | None:
        """Return the type of that name which a user has made, or None."""
        return find_type(self.types, schema, name)

    def type_by_oid(self, oid: Oid) -> PgType | None:
        """Return a type, a user's or not, by its OID or its array's; None when there is none."""
        return types.by_oid(oid) or type_by_oid(self.types, oid)

    def is_taken(self, schema: str, name: str) -> bool:
        """Whether a relation, an index or a sequence of that name is there."""
        return (
            (schema, name) in self._names
            or (schema, name) in self._index_names
            or (schema, name) in self._key_names
            or self.find_sequence(schema, name) is not None
        )

    def in_schema(self, schema: str) -> Iterator[Relation]:
        """Yield the schema's relations by name."""
        for (held_in, _), oid in sorted(self._names.items()):
            if held_in == schema:
                yield self.relations[oid]

    def find_sequence(self, schema: str, name: str) -> SequenceGenerator | None:
        """Return the sequence of that name, or None."""
        found = (s for s in self.sequences.values() if (s.schema, s.name) == (schema, name))
        return next(found, None)

    def functions_in(self, schema: str, name: str | None = None) -> list[Function]:
        """Return the schema's functions, or those of a name."""
        return [
            function
            for function in self.functions.values()
            if function.schema == schema and name in (None, function.name)
        ]

    def callers(self, oid: Oid) -> list[Relation]:
        """Return the views that call a function, oldest first."""
        return [
            relation
            for _, relation in sorted(self.relations.items())
            if not isinstance(relation, Table) and oid in relation.functions
        ]

    def dependents(self, oid: Oid) -> list[Relation]:
        """Return what reads the relation directly, oldest first."""
        return dependents(self.relations, oid)

    def referring(self, oid: Oid) -> tuple[tuple[Table, ForeignKey], ...]:
        """Return the foreign keys that refer to a table, with their tables, oldest first."""
        found = self._references.get(oid, ())
        return tuple((self.table(held), key) for held, key in found)

    @property
    def readers(self) -> Mapping[Oid, Table]:
        """What keeps the rows that sources have brought to views, by OID."""
        return self._readers

    def stored(self, oid: Oid) -> Relation:
        """Return what has rows of its own: a relation, or what keeps those of a source."""
        return self._readers.get(oid) or self.relations[oid]

    def table(self, oid: Oid) -> Table:
        """Return a table that is known to be one."""
        table = self.stored(oid)
        assert isinstance(table, Table), oid
        return table

    def closure(self, oids: Iterable[Oid]) -> list[Relation]:
        """Return the relations and all that stands on them, each after what it reads."""
        return closure(self.relations, oids)

    def in_order(self) -> list[Relation]:
        """Return all relations, each after what it reads; as of ``dependence.in_order``."""
        return in_order(self.relations)

    def beneath(self, oids: Iterable[Oid]) -> tuple[Relation, ...]:
        """Return relations and all that they read through views, oldest first."""
        return beneath(self.relations, oids)

    def foundations(self, oids: Iterable[Oid]) -> frozenset[Oid]:
        """Return stored relations and all that they are made of; views are seen through."""
        pending, found = list(oids), set[Oid]()
        while pending:
            relation = self.relations.get(oid := pending.pop())
            if relation is None or oid in found:
                continue
            found.add(oid)
            if not isinstance(relation, Table):
                pending.extend(relation.depends_on)
        return frozenset(
            oid for oid in found if not isinstance(self.relations[oid], View | Rowless | Source)
        )

    def base_tables(self, oid: Oid) -> frozenset[Oid]:
        """Return the stored relations that a relation reads, through plain views.

        Of a source or a changelog that is what keeps its rows for a job, and else the source.
        """
        return base_tables(self.relations, oid)


def apply(catalog: Catalog, change: Change) -> Catalog:
    """Return the catalog after ``change``.

    Raises:
        DuplicateSchema: The schema exists.
        DuplicateTable: The relation's name is taken.
        UndefinedSchema: The schema is not known.
        UndefinedTable: A relation is not known.
        DependentObjectsStillExist: Something that stays stands on what is dropped or revoked.
        InvalidGrant: Somebody cannot get a privilege.
    """
    match change:
        case CreateSchema(schema):
            if schema.name in catalog.schemas:
                raise DuplicateSchema(f'schema "{schema.name}" already exists')
            if schema.acl is None:
                acl = initial_acl(catalog.defaults, Kind.SCHEMA, schema.owner, None)
                schema = replace(schema, acl=acl)
            return with_schema(catalog, schema)
        case DropSchema(name):
            return _drop_schema(catalog, name)
        case ChangeSchema(schema):
            if schema.name not in catalog.schemas:
                raise UndefinedSchema.named(schema.name)
            return with_schema(catalog, schema)
        case CreateRelation(relation, based_on):
            return _create_relation(catalog, relation, based_on)
        case ReplaceRelation(relation):
            return _replace_relation(catalog, relation)
        case RenameRelation(oid, name):
            renamed = _known(catalog, oid)
            return _replace_relation(catalog, placed(renamed, renamed.schema, name))
        case ReplaceView(before, after, based_on):
            check_unchanged(catalog.relations, before)
            check_read(catalog.relations, based_on)
            check_stored(before, catalog.closure([before.oid]))
            return _replace_relation(catalog, after)
        case AlterRelation(before, after, readers):
            check_unchanged(catalog.relations, before)
            found = frozenset(reader.oid for reader in catalog.dependents(before.oid))
            if readers is not None and found != readers:
                raise changed_meanwhile(before)
            return _replace_relation(catalog, after)
        case SwapRelations((one, other)):
            return _swap(catalog, one, other)
        case DropRelations(oids):
            return _drop_relations(catalog, oids)
        case PutSequence() | DropSequences():
            if isinstance(change, PutSequence):
                change = PutSequence(_with_initial_acl(catalog, change.sequence, Kind.SEQUENCE))
            were = catalog.sequences, catalog.schemas
            return _next(catalog, sequences=changed_sequences(*were, change, catalog.is_taken))
        case PutSecret() | DropSecrets():
            if isinstance(change, PutSecret) and change.before is None:
                change = PutSecret(_with_initial_acl(catalog, change.secret, Kind.SECRET))
            known = catalog.secrets, catalog.schemas, catalog.relations
            return replace(_next(catalog), secrets=changed_secrets(*known, change))
        case PutFunction() | DropFunctions():
            if isinstance(change, PutFunction):
                change = PutFunction(_with_initial_acl(catalog, change.function, Kind.FUNCTION))
            return _next(
                catalog, functions=changed_functions(catalog.functions, catalog.schemas, change)
            )
        case CreateType() | AlterType() | DropTypes():
            if isinstance(change, CreateType):
                if change.made.schema not in catalog.schemas:
                    raise UndefinedSchema.named(change.made.schema)
                change = CreateType(_with_initial_acl(catalog, change.made, Kind.TYPE))
            users = Users(catalog.types, catalog.relations, catalog.functions)
            changed_users = types_changed(users, change)
            relations, functions = changed_users.relations, changed_users.functions
            following = _next(catalog, relations=relations, functions=functions)
            return replace(following, types=changed_users.types)
        case _:
            return _with_privileges(catalog, change)


def _with_privileges(catalog: Catalog, change: PrivilegeChange) -> Catalog:
    """Return the catalog after who may do what, or whose something is, has changed."""
    held = Held(**{name: getattr(catalog, name) for name in Held._fields})
    fields = changed(held, change)._asdict()
    others = {name: fields.pop(name) for name in ("types", "secrets")}
    return replace(_next(catalog, **fields), **others)


def _with_initial_acl(catalog: Catalog, made: _MadeT, kind: Kind) -> _MadeT:
    """Return what is made with what its owner grants on such things beforehand."""
    if made.oid in catalog.functions or made.oid in catalog.sequences or made.acl is not None:
        return made
    return replace(made, acl=initial_acl(catalog.defaults, kind, made.owner, made.schema))


def _next(
    catalog: Catalog,
    *,
    schemas: Mapping[str, Schema] | None = None,
    relations: Mapping[Oid, Relation] | None = None,
    defaults: tuple[DefaultPrivileges, ...] | None = None,
    functions: Mapping[Oid, Function] | None = None,
    sequences: Mapping[Oid, SequenceGenerator] | None = None,
) -> Catalog:
    held = catalog.relations if relations is None else relations
    numbered = catalog.sequences if sequences is None else sequences
    names = (
        catalog._names  # noqa: SLF001
        if relations is None
        else {(relation.schema, relation.name): oid for oid, relation in held.items()}
    )
    following = replace(
        catalog,
        schemas=catalog.schemas if schemas is None else schemas,
        relations=held,
        defaults=catalog.defaults if defaults is None else defaults,
        functions=catalog.functions if functions is None else functions,
        sequences=numbered if relations is None else without_owned(numbered, held),
        version=catalog.version + 1,
        _names=names,
    )
    if relations is None:
        return following
    indexes = index_names(held, names)
    keys = key_names(held)
    return replace(
        following,
        _index_names=indexes,
        _key_names=keys,
        _references=references(held),
        _readers=readers_of(held),
    )


def with_schema(catalog: Catalog, schema: Schema) -> Catalog:
    """Return the catalog with a schema, in the place of the one of that name if there is one."""
    return _next(catalog, schemas={**catalog.schemas, schema.name: schema})


def _drop_schema(catalog: Catalog, name: str) -> Catalog:
    if name not in catalog.schemas:
        raise UndefinedSchema.named(name)
    held = [describe(relation) for relation in catalog.in_schema(name)]
    held += [f"function {function.signature}" for function in catalog.functions_in(name)]
    held += [described(made) for made in catalog.types.values() if made.schema == name]
    held += [s.described for s in catalog.sequences.values() if s.schema == name and not s.owned_by]
    held += [secret.described for secret in catalog.secrets.values() if secret.schema == name]
    if held:
        raise still_used(f"schema {name}", held)
    return _next(
        catalog,
        schemas={k: v for k, v in catalog.schemas.items() if k != name},
        defaults=tuple(d for d in catalog.defaults if d.schema != name),
    )


def _create_relation(
    catalog: Catalog, relation: Relation, based_on: tuple[Relation, ...]
) -> Catalog:
    assert relation.oid not in catalog.relations, relation.oid
    if relation.schema not in catalog.schemas and relation.schema:  # A mirror is in none.
        raise UndefinedSchema.named(relation.schema)
    if catalog.is_taken(relation.schema, relation.name):
        raise DuplicateTable.named(relation.name)
    if catalog.find_type(relation.schema, relation.name) is not None:
        raise duplicate(relation.name)
    if not isinstance(relation, Table):
        for read in relation.depends_on:
            if read not in catalog.relations:
                raise UndefinedTable(f"relation with OID {read} does not exist")
    check_read(catalog.relations, based_on)
    check_references(catalog.relations, relation)
    check_secrets(catalog.secrets, relation)
    return _next(catalog, relations={**catalog.relations, relation.oid: _owned(catalog, relation)})


def _owned(catalog: Catalog, relation: Relation) -> Relation:
    """Return a relation with what its owner grants on such things beforehand."""
    if relation.acl is not None:
        return relation
    return replace(relation, acl=relation_acl(catalog.defaults, relation))


def with_relations(catalog: Catalog, relations: Iterable[Relation]) -> Catalog:
    """Return a catalog without relations with those that it had; their order does not matter."""
    return _next(catalog, relations={r.oid: _owned(catalog, r) for r in relations})


def _swap(catalog: Catalog, one: Relation, other: Relation) -> Catalog:
    for relation in (one, other):
        check_unchanged(catalog.relations, relation)
    swapped: dict[Oid, Relation] = {
        one.oid: placed(one, other.schema, other.name),
        other.oid: placed(other, one.schema, one.name),
    }
    return _next(catalog, relations={**catalog.relations, **swapped})


def _known(catalog: Catalog, oid: Oid) -> Relation:
    if oid not in catalog.relations:
        raise UndefinedTable("the relation was dropped meanwhile")
    return catalog.relations[oid]


def _replace_relation(catalog: Catalog, relation: Relation) -> Catalog:
    if relation.oid not in catalog.relations:
        raise UndefinedTable.named(relation.name)
    if relation.schema not in catalog.schemas:
        raise UndefinedSchema.named(relation.schema)
    check_references(catalog.relations, relation)
    namesake = catalog.find(relation.schema, relation.name)
    if namesake is not None and namesake.oid != relation.oid:
        raise DuplicateTable.named(relation.name)
    return _next(catalog, relations={**catalog.relations, relation.oid: relation})


def _drop_relations(catalog: Catalog, oids: frozenset[Oid]) -> Catalog:
    for oid in sorted(oids):
        if oid not in catalog.relations:
            raise UndefinedTable(f"relation with OID {oid} does not exist")
    for oid in sorted(oids):
        staying = [r for r in standing_on(catalog.relations, oid) if r.oid not in oids]
        staying += [table for table, _ in catalog.referring(oid) if table.oid not in oids]
        if staying:
            raise still_needed(catalog.relations, oid, oids)
    return _next(catalog, relations=without(catalog.relations, oids))


def streaming_jobs(catalog: Catalog) -> list[StreamingJob]:
    """Return the streaming jobs whose results are kept, each after what it reads."""
    return [r for r in catalog.in_order() if isinstance(r, StreamingJob) and r.is_kept]
