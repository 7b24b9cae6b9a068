"""DROP TABLE, VIEW, MATERIALIZED VIEW and SCHEMA."""

from __future__ import annotations

from collections.abc import Sequence

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation, Change, DropRelations, DropSchema
from catalog.dependence import (
    describe,
    describe_constraint,
    feeding,
    references_from_others,
    still_needed,
)
from catalog.errors import (
    DependentObjectsStillExist,
    InsufficientPrivilege,
    Notice,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from catalog.function import DropFunctions, Function
from catalog.oid import Oid
from catalog.relation import KIND_NAMES, Relation
from catalog.secret import DropSecrets, secret_users
from catalog.state import SYSTEM_SCHEMAS, Catalog
from catalog.type_change import DropTypes, described
from server.execute.alter_constraint import without_references
from server.execute.latest import on_latest
from server.execute.names import (
    find_relation,
    is_system_relation,
    schema_of,
    wrong_kind,
)
from server.execute.permission import must_own_schema, must_own_to_drop
from server.execute.sequence_uses import without_uses
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql.statement import QualifiedName


def drop_relations(
    state: SessionState,
    kind: type,
    names: Sequence[QualifiedName],
    *,
    if_exists: bool,
    is_cascade: bool,
) -> Done:
    """Take relations of one kind away, all that are named or none.

    Raises:
        PgError: One does not exist, is of another kind, or is still needed.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        named = [
            relation
            for name in names
            if (relation := _found(state, catalog, kind, name, if_exists=if_exists)) is not None
        ]
        if named:
            dropped = _closed(state, catalog, named, is_cascade=is_cascade)
            loose = without_references_to(catalog, dropped)
            state.perform(ChangeCatalog((*loose, DropRelations(dropped))))
        return Done(f"DROP {KIND_NAMES[kind].upper()}")

    return on_latest(state, perform)


def drop_schemas(
    state: SessionState, names: Sequence[str], *, if_exists: bool, is_cascade: bool
) -> Done:
    """Take schemas away, with what is in them if that was asked for.

    Raises:
        PgError: One does not exist, is the system's, or is not empty.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        return _drop_schemas(state, catalog, names, if_exists=if_exists, is_cascade=is_cascade)

    return on_latest(state, perform)


def _drop_schemas(
    state: SessionState,
    catalog: Catalog,
    names: Sequence[str],
    *,
    if_exists: bool,
    is_cascade: bool,
) -> Done:
    changes: list[Change] = []
    held: list[Relation] = []
    functions: list[Function] = []
    for name in dict.fromkeys(names):
        schema = catalog.schemas.get(name)
        if schema is None:
            if not if_exists:
                raise UndefinedSchema.named(name)
            state.notice(Notice(f'schema "{name}" does not exist, skipping'))
            continue
        if name in SYSTEM_SCHEMAS:
            raise InsufficientPrivilege(
                f"cannot drop schema {name} because it is required by the database system"
            )
        must_own_schema(state, schema)
        held.extend(catalog.in_schema(name))
        functions.extend(catalog.functions_in(name))
        changes.append(DropSchema(name))
    if is_cascade:
        gone_schemas = {change.name for change in changes if isinstance(change, DropSchema)}
        types = [made for made in catalog.types.values() if made.schema in gone_schemas]
        if types:
            changes.insert(0, DropTypes(frozenset(made.oid for made in types)))
        going = {relation.oid for relation in catalog.closure(r.oid for r in held)}
        for sequence in catalog.sequences.values():
            if sequence.schema in names and sequence.owned_by is None:
                changes[:0] = without_uses(state, catalog, sequence, going, is_cascade=True)
        secrets = [secret for secret in catalog.secrets.values() if secret.schema in gone_schemas]
        if secrets:
            changes.insert(0, DropSecrets(frozenset(secret.oid for secret in secrets)))
        callers = [view for function in functions for view in catalog.callers(function.oid)]
        callers += [r for secret in secrets for r in secret_users(catalog.relations, secret.oid)]
        if functions:
            changes.insert(0, DropFunctions(frozenset(f.oid for f in functions)))
        everything = catalog.closure(relation.oid for relation in (*held, *callers))
        if everything:
            gone = frozenset(relation.oid for relation in everything)
            changes[:0] = [*without_references_to(catalog, gone), DropRelations(gone)]
        also = [(relation.oid, describe(relation)) for relation in everything]
        gone = frozenset(relation.oid for relation in everything)
        also += [
            (key.oid, describe_constraint(key.name, owner))
            for owner, key in references_from_others(catalog.relations, gone)
        ]
        also += [(function.oid, f"function {function.signature}") for function in functions]
        also += [(made.oid, described(made)) for made in types]
        also += [(secret.oid, secret.described) for secret in secrets]
        tell_of_cascade(state, [told for _, told in sorted(also)])
    if changes:
        # Without CASCADE the catalog itself refuses a schema that is not empty.
        state.perform(ChangeCatalog(tuple(changes)))
    return Done("DROP SCHEMA")


def _found(
    state: SessionState, catalog: Catalog, kind: type, name: QualifiedName, *, if_exists: bool
) -> Relation | None:
    """Return a relation that may be dropped; None when there is none and that is fine."""
    relation = find_relation(state, catalog, name)
    if relation is None:
        if is_system_relation(state, name):
            raise InsufficientPrivilege(
                f"permission denied: {name} is a system catalog",
                detail="System catalog modifications are currently disallowed.",
            )
        _missing(state, catalog, KIND_NAMES[kind], name, if_exists=if_exists)
        return None
    if not isinstance(relation, kind):
        raise wrong_kind(relation, kind)
    must_own_to_drop(state, catalog, relation)
    return relation


def _missing(
    state: SessionState, catalog: Catalog, kind: str, name: QualifiedName, *, if_exists: bool
) -> None:
    schema = schema_of(state, name)
    schemas = state.search_path(catalog) if schema is None else (schema,)
    if any(catalog.find_index(s, name.name) is not None for s in schemas):
        raise WrongObjectType(
            f'"{name.name}" is not a {kind}',
            hint="Use DROP INDEX to remove an index.",
        )
    if schema is not None and schema not in catalog.schemas:
        if not if_exists:
            raise UndefinedSchema.named(schema)
        state.notice(Notice(f'schema "{schema}" does not exist, skipping'))
        return
    if not if_exists:
        raise UndefinedTable(f'{kind} "{name.name}" does not exist')
    state.notice(Notice(f'{kind} "{name.name}" does not exist, skipping'))


def _closed(
    state: SessionState, catalog: Catalog, named: Sequence[Relation], *, is_cascade: bool
) -> frozenset[Oid]:
    """Return what goes: the named relations and, with CASCADE, what stands on them."""
    oids = frozenset(relation.oid for relation in named)
    if is_cascade:
        return with_dependents(state, catalog, named, told=named)
    fed = feeding(catalog.relations)
    writing = frozenset[Oid]().union(*(fed.get(oid, set()) for oid in oids)) - oids
    # A sink is nothing without its table, as an index is.
    tell_of_cascade(state, [describe(catalog.relations[oid]) for oid in sorted(writing)])
    oids |= writing
    for relation in named:
        standing = [dependent.oid for dependent in catalog.dependents(relation.oid)]
        standing += [owner.oid for owner, _ in catalog.referring(relation.oid)]
        if not oids.issuperset(standing):
            refusal: DependentObjectsStillExist = still_needed(
                catalog.relations, relation.oid, oids
            )
            raise refusal
    return oids


def with_dependents(
    state: SessionState, catalog: Catalog, named: Sequence[Relation], *, told: Sequence[Relation]
) -> frozenset[Oid]:
    """Return the relations and all that stands on them; the user is told of the latter."""
    known = {relation.oid for relation in told}
    everything = catalog.closure(relation.oid for relation in named)
    gone = frozenset(relation.oid for relation in everything)
    also = [describe(r) for r in everything if r.oid not in known]
    also += [
        describe_constraint(key.name, owner)
        for owner, key in references_from_others(catalog.relations, gone)
    ]
    tell_of_cascade(state, also)
    return gone


def without_references_to(catalog: Catalog, gone: frozenset[Oid]) -> tuple[AlterRelation, ...]:
    """Return what lets go of the foreign keys that refer to tables which go."""
    found: dict[Oid, set[Oid]] = {}
    for owner, key in references_from_others(catalog.relations, gone):
        found.setdefault(owner.oid, set()).add(key.oid)
    return tuple(
        AlterRelation(catalog.table(oid), without_references(catalog.table(oid), keys))
        for oid, keys in sorted(found.items())
    )


def tell_of_cascade(state: SessionState, also: Sequence[str]) -> None:
    """Tell what goes beside what was named, each as messages call it."""
    if len(also) == 1:
        state.notice(Notice(f"drop cascades to {also[0]}"))
    elif also:
        state.notice(
            Notice(
                f"drop cascades to {len(also)} other objects",
                detail="\n".join(f"drop cascades to {told}" for told in also),
            )
        )
