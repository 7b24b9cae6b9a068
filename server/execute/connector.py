"""Connectors as CREATE says them: known, checked, and able to bring the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from barrier.connector.generator import Generator, generator_of
from catalog.connector import Connector, SecretOption
from catalog.errors import (
    FeatureNotSupported,
    InvalidParameterValue,
    InvalidTableDefinition,
    Notice,
    PgError,
)
from catalog.relation import Relation, Source, Table, is_temporary, kind_name
from catalog.secret import as_shown, with_values
from catalog.state import Catalog
from server.execute.secret_name import usable_secret
from server.session_state import SessionState
from server.sql.clause import Option

_CONNECTOR: Final = "connector"
_RATE_LIMIT: Final = "source_rate_limit"
_PLAIN: Final = (_CONNECTOR, _RATE_LIMIT)

#: What FORMAT and ENCODE may say of rows that are never written down: nothing, or what means it.
_FORMATS: Final = {"": "", "PLAIN": "JSON", "NATIVE": "NATIVE"}


def has_connector(options: Sequence[Option]) -> bool:
    """Whether options of a table are those of a connector."""
    return any(option.name == _CONNECTOR for option in options)


def refuse_format(written: str) -> None:
    """Refuse FORMAT of a table without connector.

    Raises:
        InvalidTableDefinition: It is there.
    """
    if written:
        raise InvalidTableDefinition("FORMAT ... ENCODE needs a connector in WITH")


def refuse_secrets(options: Sequence[Option]) -> None:
    """Refuse secrets among options that say nothing to be kept from others.

    Raises:
        FeatureNotSupported: There is one.
    """
    for option in options:
        if option.secret is not None:
            raise FeatureNotSupported(
                f'option "{option.name}" cannot be a secret', position=option.secret.position
            )


def secret_option(state: SessionState, catalog: Catalog, option: Option) -> SecretOption:
    """Return an option whose value is a secret.

    Raises:
        UndefinedObject: There is no such secret.
        InsufficientPrivilege: The user may not use it.
    """
    secret = usable_secret(state, catalog, option)
    return SecretOption(option.name, secret.oid, as_shown(secret))


def connector_of(
    state: SessionState, catalog: Catalog, options: Sequence[Option], written: str, encode: str
) -> Connector | None:
    """Return the connector that WITH, FORMAT and ENCODE speak of; None when there is none.

    Raises:
        InvalidParameterValue: An option is there twice or has no value.
        FeatureNotSupported: It has no such format.
        UndefinedObject: There is no such secret.
        InsufficientPrivilege: The user may not use one.
    """
    found: dict[str, str] = {}
    secrets: dict[str, SecretOption] = {}
    refuse_secrets([option for option in options if option.name in _PLAIN])
    for option in options:
        if option.name in found or option.name in secrets:
            raise InvalidParameterValue(
                f'Duplicated option: "{option.name}"', position=option.position
            )
        if option.secret is not None:
            secrets[option.name] = secret_option(state, catalog, option)
            continue
        if option.value is None:
            raise InvalidParameterValue(
                f'option "{option.name}" needs a value', position=option.position
            )
        found[option.name] = option.value
    name = found.pop(_CONNECTOR, None)
    if name is None:
        return None
    name = name.lower()
    if written not in _FORMATS:
        raise FeatureNotSupported(
            f"connector {name} does not support format {written.capitalize()}"
        )
    if encode != _FORMATS[written]:
        raise FeatureNotSupported(
            f"connector {name} does not support format {written.capitalize()} "
            f"with encode {encode.capitalize()}"
        )
    given = found.pop(_RATE_LIMIT, None)
    limit = rate_limit(state, given)
    options_of = tuple(found.items())
    return Connector(name, options_of, written, encode, limit, tuple(secrets.values()))


def rate_limit(state: SessionState, given: str | None) -> int | None:
    """Return a limit as it is written, or the session's for what is new; None is no limit.

    Raises:
        InvalidParameterValue: That is no limit.
    """
    settings = state.settings
    text = settings.show(_RATE_LIMIT) if given is None else given
    limit = int(settings.canonical(_RATE_LIMIT, text))
    return None if limit < 0 else limit


def check_connector(state: SessionState, catalog: Catalog, held: Source | Table) -> None:
    """Look whether a connector can bring its rows, and tell what has no effect.

    Raises:
        PgError: It cannot.
    """
    assert held.connector is not None, held.oid
    made = _generator(catalog, held, held.connector)
    for name in made.unused:
        state.notice(Notice(f'option "{name}" has no effect'))
    if isinstance(held, Source):
        return
    if is_temporary(held.schema):
        raise InvalidTableDefinition("a temporary table cannot have a connector")
    if held.binds_rows:
        raise _bound_rows()


def _generator(catalog: Catalog, held: Source | Table, connector: Connector) -> Generator:
    """Return what makes the rows; an error of a value does not tell it when it is a secret's.

    Raises:
        PgError: It cannot.
    """
    try:
        made = with_values(connector, catalog.secrets)
        return generator_of(made, held.columns, held.created_ms)
    except InvalidParameterValue as e:
        masked = {oid: replace(held, value="") for oid, held in catalog.secrets.items()}
        if not connector.secrets or e.message == _complaint(held, with_values(connector, masked)):
            raise
        names = ", ".join(f'"{used.name}"' for used in connector.secrets)
        raise InvalidParameterValue(
            f'connector "{connector.name}" can bring no rows with what its options say',
            detail=f"These are secrets, so that it is not told more precisely: {names}.",
        ) from None


def _complaint(held: Source | Table, connector: Connector) -> str:
    """Return what is wrong with a connector; empty for nothing."""
    try:
        generator_of(connector, held.columns, held.created_ms)
    except PgError as e:
        return e.message
    return ""


def refuse_other_rows(catalog: Catalog, before: Relation, after: Relation) -> None:
    """Refuse to alter a source or a table to one for which its connector has no rows.

    Raises:
        FeatureNotSupported: It has none.
    """
    if not isinstance(after, Source | Table) or after.connector is None:
        return
    if isinstance(after, Table) and after.binds_rows:
        raise _bound_rows()
    if before.columns == after.columns:
        return
    try:
        _generator(catalog, after, after.connector)
    except PgError as e:
        raise FeatureNotSupported(
            f'connector "{after.connector.name}" of {kind_name(after)} "{after.name}" '
            "could not go on",
            detail=f"{e.message[:1].upper()}{e.message[1:]}.",
        ) from e


def _bound_rows() -> FeatureNotSupported:
    return FeatureNotSupported(
        "UNIQUE and FOREIGN KEY constraints of a table with a connector are not supported"
    )
