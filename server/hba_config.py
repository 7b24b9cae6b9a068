"""The rules of the configuration file: ``[[hba]]`` tables, in order, as rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import ip_network
from typing import Final

from server.config_value import ConfigError
from server.hba import ALL, SAME_HOST, Method, Network, Rule, Transport

_KEYS: Final = ("type", "database", "user", "address", "method")


def parse_rules(tables: object, origin: str) -> tuple[Rule, ...]:
    """Return the rules of ``hba``.

    Raises:
        ConfigError: A table is none, or has a key or value that cannot be; it is named by its
            number, from 1.
    """
    if not isinstance(tables, Sequence) or isinstance(tables, str):
        raise ConfigError(f"{origin}: hba must be tables, each written under [[hba]]")
    return tuple(
        _rule(table, f"{origin}: hba {number}") for number, table in enumerate(tables, start=1)
    )


def _rule(table: object, where: str) -> Rule:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table, written under [[hba]]")
    for key in table:
        if key not in _KEYS:
            raise ConfigError(f'{where}: unknown key "{key}" (known: {", ".join(_KEYS)})')
    if "method" not in table:
        raise ConfigError(f"{where}: method is missing (one of {', '.join(Method)})")
    transport = _transport(table.get("type", "host"), where)
    method = _method(table["method"], where)
    if method is Method.PASSWORD and transport is Transport.HOSTNOSSL:
        raise ConfigError(
            f'{where}: method "password" sends passwords in clear text, which needs TLS; '
            'with type "hostnossl" use "scram-sha-256"'
        )
    return Rule(
        transport,
        _names("database", table.get("database", ALL), where),
        _names("user", table.get("user", ALL), where),
        _networks(table.get("address", ALL), where),
        method,
    )


def _transport(value: object, where: str) -> Transport:
    if value == "local":
        raise ConfigError(f'{where}: type "local" is for Unix sockets, which are not served')
    if value not in list(Transport):
        raise ConfigError(f"{where}: type must be one of {', '.join(Transport)}")
    return Transport(str(value))


def _method(value: object, where: str) -> Method:
    if value not in list(Method):
        raise ConfigError(f"{where}: method must be one of {', '.join(Method)}, not {value!r}")
    return Method(str(value))


def _names(key: str, value: object, where: str) -> tuple[str, ...]:
    names = _texts(key, value, where)
    for name in names:
        if name.startswith(("+", "@", "/")) or name in ("samerole", "samegroup", "replication"):
            raise ConfigError(f'{where}: {key} "{name}" is not supported')
    return names


def _networks(value: object, where: str) -> tuple[Network, ...] | None:
    addresses = _texts("address", value, where)
    if ALL in addresses:
        return ()
    if addresses == (SAME_HOST,):
        return None
    networks: list[Network] = []
    for address in addresses:
        try:
            networks.append(ip_network(address))
        except ValueError as e:
            raise ConfigError(
                f'{where}: address "{address}" is none: {e} (such as "10.0.0.0/8", "::1", '
                f'"{SAME_HOST}" or "{ALL}")'
            ) from e
    return tuple(networks)


def _texts(key: str, value: object, where: str) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    is_good = isinstance(values, list) and values and all(isinstance(v, str) and v for v in values)
    if not is_good:
        raise ConfigError(f"{where}: {key} must be a text or a list of texts")
    assert isinstance(values, list)
    return tuple(values)
