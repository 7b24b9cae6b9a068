"""The settings of a session: values of its parameters, and how transactions undo them.

A SET inside a transaction block is undone when the block is rolled back, a SET LOCAL when it ends
in either way (PostgreSQL 15, SET). Outside a block SET LOCAL does nothing but warn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from catalog.errors import (
    CannotChangeParameter,
    InsufficientPrivilege,
    InvalidName,
    InvalidParameterValue,
    PgError,
    SqlSyntaxError,
    UndefinedObject,
)
from catalog.job_config import FROM_SESSION, JobConfig, initial_config
from catalog.parameter_kind import Boolean, Internal, parse_duration_ms
from catalog.parameters import SYSTEM_PARAMETERS
from server.date_style import date_style
from server.parameter import Parameter
from server.session_parameter import ALIASES, PARAMETERS, PEERS_OWN
from server.value.fixed_zone import fixed_name, fixed_offset
from server.value.style import Style

#: Names with a point are the user's own; they hold any text.
_CUSTOM_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)+\Z")
_PATH_ITEM: Final = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^\s",]+))\s*(?:,|\Z)')
_PLAIN_IDENTIFIER: Final = re.compile(r"[a-z_][a-z0-9_$]*\Z")
_ABSENT: Final = None

#: What the bytes of a value depend on.
_RENDERING: Final = (
    "timezone",
    "datestyle",
    "intervalstyle",
    "bytea_output",
    "extra_float_digits",
    "client_encoding",
    "compatibility",
)


@dataclass(frozen=True, slots=True)
class SettingsMark:
    """Values as they were at a savepoint, and what the block would undo then."""

    values: Mapping[str, str]
    at_start: Mapping[str, str | None]
    after_local: Mapping[str, str | None]


#: Parameters that say whose privileges are used; ``is_superuser`` follows them.
_ROLES: Final = ("role", "session_authorization")


#: What not everybody may look at.
_CONFIDENTIAL: Final = frozenset(key for key, p in PARAMETERS.items() if p.is_confidential)


class Authority(Protocol):
    """Knows who may act as whom."""

    def choose(self, parameter: str, name: str) -> str:
        """Return the value of a parameter of ``_ROLES`` for a name, or refuse it."""
        ...

    def is_superuser(self, name: str) -> bool:
        """Whether somebody who was chosen is a superuser."""
        ...

    def may_see_all_settings(self) -> bool:
        """Whether the user may look at what is confidential."""
        ...


class Settings:
    """Values by parameter; asked for by any spelling of a name.

    Args:
        initial: Values that RESET goes back to, where they are not the parameter's default; unlike
            SET, it may give internal parameters their value.
        find_zone: Returns the true spelling of a time zone's name, or None when there is none.
        authority: Decides who may act as whom.
    """

    def __init__(
        self,
        initial: Mapping[str, str],
        find_zone: Callable[[str], str | None],
        authority: Authority,
    ) -> None:
        self._find_zone = find_zone
        self._authority = authority
        self._reset = {key: p.default for key, p in PARAMETERS.items()}
        self._reset |= {_key(name): value for name, value in initial.items()}
        self._values = dict(self._reset)
        #: Values at the block's start of what the block has set; None where there was none.
        self._at_start: dict[str, str | None] = {}
        #: Values that come back at the block's end of what was set with LOCAL.
        self._after_local: dict[str, str | None] = {}
        #: Whether what is set may be undone: in a block, or for the time of one statement.
        self.is_in_block = False
        self._changed: dict[str, None] = {}
        #: Grows with every change; what was bound holds for one version.
        self.version = 0
        self._rendering: tuple[int, tuple[str, ...]] = (-1, ())

    @property
    def rendering(self) -> tuple[str, ...]:
        """What a result's bytes depend on beside its values."""
        if self._rendering[0] != self.version:
            self._rendering = (self.version, tuple(self._values[name] for name in _RENDERING))
        return self._rendering[1]

    @property
    def style(self) -> Style:
        """How values are read and shown; it has no clock."""
        date_output, _, date_order = self._values["datestyle"].partition(", ")
        return Style(
            date_output,
            date_order,
            self._values["intervalstyle"],
            self._values["bytea_output"],
            int(self._values["extra_float_digits"]),
            self.is_peer,
            self._values["timezone"],
        )

    def show(self, name: str) -> str:
        """Return a value as SHOW prints it.

        Raises:
            UndefinedObject: There is no such parameter.
            InsufficientPrivilege: It is confidential.
        """
        key = _key(name)
        if key not in self._values:
            raise _unrecognized(name)
        if key in _CONFIDENTIAL and not self._authority.may_see_all_settings():
            raise InsufficientPrivilege(
                f"must be superuser or have privileges of pg_read_all_settings "
                f'to examine "{PARAMETERS[key].name}"'
            )
        return self._values[key]

    def title(self, name: str) -> str:
        """Return a parameter's name as SHOW titles it."""
        parameter = PARAMETERS.get(_key(name))
        return name if parameter is None else parameter.name

    def is_boolean(self, name: str) -> bool:
        """Whether a parameter is on or off."""
        parameter = PARAMETERS.get(_key(name))
        return parameter is not None and isinstance(parameter.kind, Boolean)

    def is_peers_own(self, name: str) -> bool:
        """Whether a parameter is one that RisingWave has and PostgreSQL has not."""
        return _key(name) in PEERS_OWN

    def is_on(self, name: str) -> bool:
        """Return whether a Boolean parameter is on."""
        return self._values[name] == "on"

    @property
    def is_peer(self) -> bool:
        """Whether RisingWave's habits are followed where PostgreSQL's are others."""
        return self._values["compatibility"] == "risingwave"

    @property
    def job_config(self) -> JobConfig:
        """What a new streaming job is configured with."""
        return initial_config({name: self._values[name] for name in FROM_SESSION})

    def milliseconds(self, name: str) -> int:
        """Return the value of a parameter that is a time."""
        shown = self._values[name]
        return 0 if shown == "0" else parse_duration_ms(shown)

    @property
    def time_zone(self) -> str:
        """The session's time zone, in the engine's spelling."""
        return self._values["timezone"]

    def search_path(self) -> list[str]:
        """Return the names on the search path as written; ``$user`` is not replaced."""
        return parse_path(self._values["search_path"])

    def assign(self, name: str, values: Sequence[str] | None, *, is_local: bool = False) -> None:
        """Do ``SET name = values``; None is DEFAULT.

        Raises:
            PgError: The parameter is not known, cannot be set, or not to that.
        """
        if values is None:
            self.reset(name, is_local=is_local)
            return
        parameter = PARAMETERS.get(_key(name))
        is_list = parameter is not None and parameter.is_list
        if len(values) != 1 and not is_list:
            raise SqlSyntaxError(f"SET {name} takes only one argument")
        if parameter is not None and parameter.name == "search_path":
            text = ", ".join(quote_path_item(value) for value in values)
        else:
            text = ", ".join(values)
        self.set(name, text, is_local=is_local)

    def set(self, name: str, text: str, *, is_local: bool = False) -> str:
        """Give a parameter a value and return it as SHOW prints it.

        Raises:
            PgError: The parameter is not known, cannot be set, or not to that.
        """
        key = _key(name)
        parameter = PARAMETERS.get(key)
        if parameter is None:
            _check_custom(name)
            value = text
        elif key in _ROLES:
            value = self._authority.choose(key, text)
        else:
            value = self._canonical(parameter, key, text)
        self._put(key, value, is_local=is_local)
        if parameter is not None and parameter.implied and value == "on":
            self._put(parameter.implied, "on", is_local=is_local)
        self._follow_role(key, is_local=is_local)
        return value

    def canonical(self, name: str, text: str) -> str:
        """Return a value as SHOW would print it, without setting it.

        Raises:
            PgError: The parameter is not known, cannot be set, or not to that.
        """
        parameter = PARAMETERS.get(_key(name))
        if parameter is None:
            _check_custom(name)
            return text
        return self._canonical(parameter, _key(name), text)

    def check_known(self, name: str) -> None:
        """Refuse a name that no parameter has.

        Raises:
            UndefinedObject: It is one.
        """
        if _key(name) not in PARAMETERS:
            _check_custom(name)

    def reset(self, name: str, *, is_local: bool = False) -> None:
        """Do ``RESET name``."""
        key = _key(name)
        parameter = PARAMETERS.get(key)
        if parameter is None:
            _check_custom(name)
            self._put(key, self._reset.get(key, ""), is_local=is_local)
            return
        if isinstance(parameter.kind, Internal) and key != "session_authorization":
            parameter.kind.canonical(parameter.name, "")
        if self._values[key] != self._reset[key]:
            self._put(key, self._reset[key], is_local=is_local)
        self._follow_role(key, is_local=is_local)

    def reset_all(self) -> None:
        """Do ``RESET ALL``, which leaves the session whose it is."""
        for key in list(self._values):
            if key in (*_ROLES, "is_superuser"):
                continue
            if self._values[key] != self._reset.get(key, _ABSENT):
                self._put(key, self._reset.get(key, _ABSENT), is_local=False)

    def become_defaults(self) -> None:
        """What is set now is what RESET goes back to: the client began the session with it."""
        self._reset = dict(self._values)

    def begin(self) -> None:
        """A transaction block begins."""
        assert not self.is_in_block
        self.is_in_block = True

    def end(self, *, is_committed: bool) -> None:
        """A transaction block ends: undo what it set, or only what it set LOCAL."""
        self.is_in_block = False
        undone = self._after_local if is_committed else self._at_start
        for key, value in undone.items():
            self._restore(key, value)
        self._after_local = {}
        self._at_start = {}

    def mark(self) -> SettingsMark:
        """Return the values as they are now."""
        return SettingsMark(dict(self._values), dict(self._at_start), dict(self._after_local))

    def return_to(self, mark: SettingsMark | None) -> None:
        """Undo what was set after a mark in the same block, or in all of it."""
        if mark is None:
            values = self._values | self._at_start
            mark = SettingsMark({k: v for k, v in values.items() if v is not None}, {}, {})
        for key in self._values.keys() | mark.values.keys():
            self._restore(key, mark.values.get(key))
        self._at_start = dict(mark.at_start)
        self._after_local = dict(mark.after_local)

    def reported(self) -> list[tuple[str, str]]:
        """Return name and value of every parameter that clients are told of."""
        return [(p.name, self._values[key]) for key, p in PARAMETERS.items() if p.is_reported]

    def take_changes(self) -> list[tuple[str, str]]:
        """Return what ``reported`` would say of the parameters changed since last asked."""
        changed, self._changed = self._changed, {}
        return [
            (PARAMETERS[key].name, self._values[key])
            for key in changed
            if key in PARAMETERS and PARAMETERS[key].is_reported
        ]

    def values(self) -> Mapping[str, str]:
        """Return values by the parameter's name in lower case, aliases included.

        What is confidential is left out.
        """
        told = {key: value for key, value in self._values.items() if key not in _CONFIDENTIAL}
        return told | {alias: self._values[key] for alias, key in ALIASES.items()}

    def reset_value(self, name: str) -> str:
        """Return what a parameter is after RESET."""
        return self._reset[_key(name)]

    def rows(self) -> list[tuple[str, str, str]]:
        """Return name, value and description of every parameter that may be seen, by name."""
        sees_all = self._authority.may_see_all_settings()
        return sorted(
            (
                (p.name, self._values[key], p.description)
                for key, p in PARAMETERS.items()
                if sees_all or not p.is_confidential
            ),
            key=lambda row: row[0].lower(),
        )

    def _follow_role(self, key: str, *, is_local: bool) -> None:
        """Who has become another acts as himself at first; whether he is a superuser is told."""
        if key not in _ROLES:
            return
        if key == "session_authorization" and self._values["role"] != "none":
            self._put("role", "none", is_local=is_local)
        name = self._values["role"]
        if name == "none":
            name = self._values["session_authorization"]
        is_superuser = "on" if self._authority.is_superuser(name) else "off"
        if self._values["is_superuser"] != is_superuser:
            self._put("is_superuser", is_superuser, is_local=is_local)

    def _canonical(self, parameter: Parameter, key: str, text: str) -> str:
        match key:
            case "timezone":
                return self._canonical_zone(text)
            case "datestyle":
                return date_style(text, self._values[key], self._reset[key])
            case "search_path":
                parse_path(text)
                return text
            case _:
                return parameter.kind.canonical(parameter.name, text)

    def _canonical_zone(self, text: str) -> str:
        """Return a zone as the engine knows it."""
        zone = self._find_zone(text.strip())
        if zone is None:
            offset = fixed_offset(text)
            if offset is None:
                raise InvalidParameterValue(f'invalid value for parameter "TimeZone": "{text}"')
            zone = fixed_name(offset)
        return zone

    def _put(self, key: str, value: str | None, *, is_local: bool) -> None:
        before = self._values.get(key)
        if self.is_in_block:
            self._at_start.setdefault(key, before)
            if is_local:
                self._after_local.setdefault(key, before)
            else:
                self._after_local.pop(key, None)
        elif is_local:
            return
        self._restore(key, value)

    def _restore(self, key: str, value: str | None) -> None:
        if value is None:
            value = ""  # The user's own name stays known once it was used.
        if self._values.get(key) == value:
            return
        self._values[key] = value
        self._changed[key] = None
        self.version += 1


def parse_path(text: str) -> list[str]:
    """Return the names of a list of identifiers; unquoted ones fold to lower case.

    Raises:
        InvalidParameterValue: The text is no such list.
    """
    names: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        match = _PATH_ITEM.match(text, at)
        if match is None:
            raise InvalidParameterValue(
                f'invalid value for parameter "search_path": "{text}"',
                detail="List syntax is invalid.",
            )
        names.append(match[2].lower() if match[1] is None else match[1].replace('""', '"'))
        at = match.end()
    return names


def quote_path_item(name: str) -> str:
    """Return a name so that ``parse_path`` reads it back."""
    if _PLAIN_IDENTIFIER.match(name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _key(name: str) -> str:
    folded = name.strip().lower()
    return ALIASES.get(folded, folded)


def _unrecognized(name: str) -> PgError:
    return UndefinedObject(f'unrecognized configuration parameter "{name}"')


def _check_custom(name: str) -> None:
    if name.lower() in SYSTEM_PARAMETERS:
        raise CannotChangeParameter(
            f'parameter "{name}" cannot be changed now',
            hint="It is the whole server's: see ALTER SYSTEM SET.",
        )
    if "." not in name:
        raise _unrecognized(name)
    if not _CUSTOM_NAME.match(name):
        raise InvalidName(
            f'invalid configuration parameter name "{name}"',
            detail="Custom parameter names must be two or more simple identifiers "
            "separated by dots.",
        )
