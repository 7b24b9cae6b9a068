"""Connectors as CREATE says them: known, checked, and able to bring the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from barrier.connector.generator import generator_of
from catalog.connector import Connector
from catalog.errors import (
    FeatureNotSupported,
    InvalidParameterValue,
    InvalidTableDefinition,
    Notice,
    PgError,
)
from catalog.relation import Relation, Source, Table, is_temporary, kind_name
from server.session_state import SessionState
from server.sql.clause import Option

_CONNECTOR: Final = "connector"
_RATE_LIMIT: Final = "source_rate_limit"

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


def connector_of(
    state: SessionState, options: Sequence[Option], written: str, encode: str
) -> Connector | None:
    """Return the connector that WITH, FORMAT and ENCODE speak of; None when there is none.

    Raises:
        InvalidParameterValue: An option is there twice or has no value.
        FeatureNotSupported: It has no such format.
    """
    found: dict[str, str] = {}
    for option in options:
        if option.name in found:
            raise InvalidParameterValue(
                f'Duplicated option: "{option.name}"', position=option.position
            )
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
    return Connector(name, tuple(found.items()), written, encode, limit)


def rate_limit(state: SessionState, given: str | None) -> int | None:
    """Return a limit as it is written, or the session's for what is new; None is no limit.

    Raises:
        InvalidParameterValue: That is no limit.
    """
    settings = state.settings
    text = settings.show(_RATE_LIMIT) if given is None else given
    limit = int(settings.canonical(_RATE_LIMIT, text))
    return None if limit < 0 else limit


def check_connector(state: SessionState, held: Source | Table) -> None:
    """Look whether a connector can bring its rows, and tell what has no effect.

    Raises:
        PgError: It cannot.
    """
    assert held.connector is not None, held.oid
    made = generator_of(held.connector, held.columns, held.created_ms)
    for name in made.unused:
        state.notice(Notice(f'option "{name}" has no effect'))
    if isinstance(held, Source):
        return
    if is_temporary(held.schema):
        raise InvalidTableDefinition("a temporary table cannot have a connector")
    if held.binds_rows:
        raise _bound_rows()


def refuse_other_rows(before: Relation, after: Relation) -> None:
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
        generator_of(after.connector, after.columns, after.created_ms)
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
