"""CREATE SUBSCRIPTION and ALTER SUBSCRIPTION ... SET RETENTION."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from barrier.command import ChangeCatalog
from catalog.acl import Privilege
from catalog.change import AlterRelation, CreateRelation
from catalog.errors import InvalidParameterValue, Notice, WrongObjectType
from catalog.relation import MaterializedView, Relation, Subscription, Table, kind_name
from catalog.state import Catalog
from server.execute.ddl import is_there_already
from server.execute.latest import on_latest
from server.execute.names import find_relation, get_relation, new_lasting_name, wrong_kind
from server.execute.permission import check, must_own
from server.execute.temporary import reads_temporary
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.needs import Needs
from server.sql.clause import Option
from server.sql.subscription_statement import AlterRetention, CreateSubscription
from server.value.interval import parse_interval
from server.version import VERSION_TEXT

_RETENTION: Final = "retention"
_DAY_MS: Final = 86_400_000
_RETENTION_DAYS_MAX: Final = 3650


def change(state: SessionState, statement: s.Statement) -> Done | None:
    """Run a statement about a subscription; None for another.

    Raises:
        PgError: The name is taken, there is no such relation or subscription, or changes cannot be
            kept for that time.
    """
    match statement:
        case CreateSubscription():
            commit_on_the_way(state)
            return on_latest(state, lambda catalog: _create(state, catalog, statement))
        case AlterRetention():
            commit_on_the_way(state)
            return on_latest(state, lambda catalog: _alter_retention(state, catalog, statement))
        case _:
            return None


def _create(state: SessionState, catalog: Catalog, statement: CreateSubscription) -> Done:
    tag = Done("CREATE SUBSCRIPTION")
    schema, name = new_lasting_name(state, catalog, statement.name)
    if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return tag
    retention = _retention(statement.options)
    source = get_relation(state, catalog, statement.relation)
    is_temporary = reads_temporary(catalog, [source.oid])
    if is_temporary or not isinstance(source, Table | MaterializedView):
        kind = "temporary table" if is_temporary else kind_name(source)
        raise WrongObjectType(
            f'cannot create subscription on relation "{source.name}"',
            detail=f"This operation is not supported for {kind}s.",
        )
    needs = Needs()
    needs.add(source.oid, Privilege.SELECT)
    check(state, needs)
    made = Subscription(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        depends_on=frozenset({source.oid}),
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        retention=retention,
        retention_ms=retention_ms(retention),
    )
    state.perform(ChangeCatalog((CreateRelation(made, (source,)),)))
    return tag


def _alter_retention(state: SessionState, catalog: Catalog, statement: AlterRetention) -> Done:
    tag = Done("ALTER SUBSCRIPTION")
    if statement.if_exists and find_relation(state, catalog, statement.name) is None:
        state.notice(Notice(f'relation "{statement.name}" does not exist, skipping'))
        return tag
    subscription = get_subscription(state, catalog, statement.name, "ALTER")
    must_own(state, subscription)
    length_ms = retention_ms(statement.retention)
    after = replace(subscription, retention=statement.retention, retention_ms=length_ms)
    state.perform(ChangeCatalog((AlterRelation(subscription, after),)))
    return tag


def get_subscription(
    state: SessionState, catalog: Catalog, name: s.QualifiedName, verb: str = "DROP"
) -> Subscription:
    """Return the subscription of that name.

    Raises:
        UndefinedTable: There is no relation of that name.
        WrongObjectType: It is something else.
    """
    found: Relation = get_relation(state, catalog, name)
    if not isinstance(found, Subscription):
        raise wrong_kind(found, Subscription, verb)
    return found


def _retention(options: tuple[Option, ...]) -> str:
    found: str | None = None
    for option in options:
        if option.name.lower() != _RETENTION:
            raise InvalidParameterValue(
                f'unexpected options in WITH clause: ["{option.name}"]', position=option.position
            )
        if found is not None:
            raise InvalidParameterValue(
                f'Duplicated option: "{_RETENTION}"', position=option.position
            )
        found = option.value or ""
    if found is None:
        raise InvalidParameterValue(
            "subscription retention time not set",
            hint="Say how long changes are kept: WITH (retention = '1D').",
        )
    return found


def retention_ms(text: str) -> int:
    """Return a retention in milliseconds.

    Raises:
        InvalidParameterValue: Nothing can be kept that long.
        PgError: It is no interval.
    """
    interval = parse_interval(text)
    days = interval.months * 30 + interval.days
    length_ms = days * _DAY_MS + interval.microseconds // 1000
    if not 0 < length_ms <= _RETENTION_DAYS_MAX * _DAY_MS:
        raise InvalidParameterValue(
            f"the retention of a subscription must be positive and at most {_RETENTION_DAYS_MAX} "
            f"days, not {text}"
        )
    return length_ms
