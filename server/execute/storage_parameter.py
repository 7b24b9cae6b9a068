"""Storage parameters of tables and indexes: known, checked, shown, and without effect.

Dumps, pgbench and migrations write them. How rows are stored is the engine's, so that nothing
follows from one, which is said. Source: PostgreSQL, CREATE TABLE and CREATE INDEX, Storage
Parameters; the bounds are those of its ``reloptions.c``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from catalog.errors import InvalidParameterValue, Notice
from server.session_state import SessionState
from server.sql.clause import Option


class _Range(NamedTuple):
    """Numbers from the first to the last; whole ones unless the bounds are not."""

    least: float
    most: float


_TOAST: Final = "toast."
_INTEGER: Final = 2**31 - 1
_VACUUM: Final = {
    "autovacuum_enabled": None,
    "autovacuum_vacuum_threshold": _Range(0, _INTEGER),
    "autovacuum_vacuum_insert_threshold": _Range(-1, _INTEGER),
    "autovacuum_vacuum_scale_factor": _Range(0.0, 100.0),
    "autovacuum_vacuum_insert_scale_factor": _Range(0.0, 100.0),
    "autovacuum_vacuum_cost_delay": _Range(0.0, 100.0),
    "autovacuum_vacuum_cost_limit": _Range(1, 10000),
    "autovacuum_freeze_min_age": _Range(0, 1_000_000_000),
    "autovacuum_freeze_max_age": _Range(100_000, 2_000_000_000),
    "autovacuum_freeze_table_age": _Range(0, 2_000_000_000),
    "autovacuum_multixact_freeze_min_age": _Range(0, 1_000_000_000),
    "autovacuum_multixact_freeze_max_age": _Range(10_000, 2_000_000_000),
    "autovacuum_multixact_freeze_table_age": _Range(0, 2_000_000_000),
    "log_autovacuum_min_duration": _Range(-1, _INTEGER),
    "vacuum_truncate": None,
}
#: None is yes or no.
_OF_TABLES: Final[dict[str, _Range | None]] = {
    "fillfactor": _Range(10, 100),
    "toast_tuple_target": _Range(128, 8160),
    "parallel_workers": _Range(0, 1024),
    "user_catalog_table": None,
    "autovacuum_analyze_threshold": _Range(0, _INTEGER),
    "autovacuum_analyze_scale_factor": _Range(0.0, 100.0),
    **_VACUUM,
    **{_TOAST + name: values for name, values in _VACUUM.items()},
}
_OF_INDEXES: Final[dict[str, _Range | None]] = {
    "fillfactor": _Range(10, 100),
    "deduplicate_items": None,
}

_WORDS: Final = ("true", "false", "on", "off", "yes", "no", "1", "0")


def is_storage_parameter(option: Option) -> bool:
    """Whether a table's option is one of PostgreSQL's."""
    return option.name in _OF_TABLES


def table_parameters(state: SessionState, options: Sequence[Option]) -> tuple[str, ...]:
    """Return a table's parameters as ``pg_class.reloptions`` has them, and tell what they do.

    Those of its TOAST table are not among them, as PostgreSQL has it.

    Raises:
        InvalidParameterValue: One is not known, is said twice, or has a value that it cannot have.
    """
    return _checked(state, options, _OF_TABLES)


def check_index_parameters(state: SessionState, options: Sequence[Option]) -> None:
    """Look at the parameters of an index, and tell what they do.

    Raises:
        InvalidParameterValue: As for a table.
    """
    _checked(state, options, _OF_INDEXES)


def changed_parameters(
    state: SessionState, had: Sequence[str], given: Sequence[Option], *, is_reset: bool
) -> tuple[str, ...]:
    """Return a table's parameters after ALTER TABLE has SET or RESET some.

    Raises:
        InvalidParameterValue: As for a table.
    """
    added = () if is_reset else table_parameters(state, given)
    names = {option.name for option in given}
    kept = [parameter for parameter in had if parameter.partition("=")[0] not in names]
    return (*kept, *added)


def _checked(
    state: SessionState, options: Sequence[Option], known: dict[str, _Range | None]
) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for option in options:
        values = _known(option, known)
        if option.name in found:
            raise InvalidParameterValue(f'parameter "{option.name}" specified more than once')
        found[option.name] = _value(option, values)
    if found:
        names = ", ".join(f'"{name}"' for name in found)
        what = "storage parameter" if len(found) == 1 else "storage parameters"
        verb = "has" if len(found) == 1 else "have"
        state.notice(Notice(f"{what} {names} {verb} no effect"))
    own = (name for name in found if not name.startswith(_TOAST))
    return tuple(f"{name}={found[name]}" for name in own)


def _known(option: Option, known: dict[str, _Range | None]) -> _Range | None:
    if option.name not in known:
        raise InvalidParameterValue(f'unrecognized parameter "{option.name}"')
    return known[option.name]


def _value(option: Option, values: _Range | None) -> str:
    name = option.name.removeprefix(_TOAST)
    if values is None:
        text = "true" if option.value is None else option.value
        if text.lower() not in _WORDS:
            raise InvalidParameterValue(
                f'invalid value for boolean option "{name}": {option.value}'
            )
        return text
    kind = "integer" if isinstance(values.least, int) else "floating point"
    text = option.value or ""
    try:
        number = int(text) if isinstance(values.least, int) else float(text)
    except ValueError:
        said = "true" if option.value is None else text
        raise InvalidParameterValue(f'invalid value for {kind} option "{name}": {said}') from None
    if not values.least <= number <= values.most:
        bounds = f'"{_shown(values.least)}" and "{_shown(values.most)}"'
        raise InvalidParameterValue(
            f'value {text} out of bounds for option "{name}"',
            detail=f"Valid values are between {bounds}.",
        )
    return text


def _shown(bound: float) -> str:
    return f"{bound:f}" if "." in str(bound) else str(bound)
