"""What the person who runs the server decided, from a file, the environment and flags.

Later layers win: defaults, then the TOML file, then ``TIDEGATE_*`` variables, then flags. An
unknown key is an error, since a misspelt limit is worse than none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Final

ENVIRONMENT_PREFIX: Final = "TIDEGATE_"
PARAMETER_PREFIX: Final = "parameter_"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
DEFAULT_DATA_DIR: Final = Path("tidegate-data")

#: One layer's decisions, not yet checked; the texts of the environment included.
Layer = Mapping[str, object]


class ConfigError(Exception):
    """The configuration cannot be used; the message names the key and where it stands."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that is fixed while a server runs."""

    host: str = "127.0.0.1"
    port: int = 4566  #: 0 lets the system pick a free one.
    data_dir: Path | None = DEFAULT_DATA_DIR  #: None keeps everything in memory.
    log_level: str = "info"
    memory_limit: str | None = None  #: DuckDB's spelling, such as "4GB".
    threads: int | None = None  #: DuckDB's worker threads; None: as many as cores.
    max_connections: int = 1000
    parameters: Mapping[str, str] = field(default_factory=dict)  #: At the first start.


_KEYS: Final = frozenset(f.name for f in fields(Config)) | {"ephemeral"}


def load(file: Path | None, environment: Mapping[str, str], flags: Layer) -> Config:
    """Combine the layers.

    Args:
        file: The TOML file that ``--config`` names.
        environment: The process's variables; all but ``TIDEGATE_*`` are passed over.
        flags: The command line's options; those that are None were not given.

    Raises:
        ConfigError: A file that cannot be read, an unknown key, or a value out of bounds.
    """
    layers: list[tuple[str, Layer]] = []
    if file is not None:
        layers.append((str(file), _read(file)))
    layers.append(("environment", _from_environment(environment)))
    layers.append(("command line", {k: v for k, v in flags.items() if v is not None}))
    values: dict[str, object] = {}
    for origin, layer in layers:
        checked = {key: _check(key, value, origin) for key, value in layer.items()}
        _settle_storage(checked, origin)
        parameters = {**_parameters(values), **_parameters(checked)}
        values |= checked
        values["parameters"] = parameters
    return Config(**values)  # type: ignore[arg-type]  # _check gave each key its type


def _read(file: Path) -> Layer:
    try:
        return tomllib.loads(file.read_text())
    except OSError as e:
        raise ConfigError(f"{file}: {e.strerror}") from e
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise ConfigError(f"{file}: {e}") from e


def _from_environment(environment: Mapping[str, str]) -> Layer:
    layer: dict[str, object] = {}
    parameters: dict[str, object] = {}
    for name, value in environment.items():
        key = name.removeprefix(ENVIRONMENT_PREFIX).lower()
        if not name.startswith(ENVIRONMENT_PREFIX) or key == "config":
            continue
        if key.startswith(PARAMETER_PREFIX):
            parameters[key.removeprefix(PARAMETER_PREFIX)] = value
        else:
            layer[key] = value
    return {**layer, "parameters": parameters} if parameters else layer


def _check(key: str, value: object, origin: str) -> object:
    match key:
        case "host":
            return _loopback(_text(key, value, origin), origin)
        case "port":
            return _number(key, value, origin, low=0, high=65535)
        case "max_connections" | "threads":
            return _number(key, value, origin, low=1, high=100_000)
        case "data_dir":
            return Path(_text(key, value, origin)).expanduser()
        case "ephemeral":
            return _boolean(key, value, origin)
        case "log_level":
            level = _text(key, value, origin).lower()
            if level not in LOG_LEVELS:
                raise ConfigError(f"{origin}: log_level must be one of {', '.join(LOG_LEVELS)}")
            return level
        case "memory_limit":
            return _text(key, value, origin)
        case "parameters" if isinstance(value, Mapping):
            return {name: _parameter(name, v, origin) for name, v in value.items()}
        case "parameters":
            raise ConfigError(f"{origin}: parameters must be a table")
        case _:
            known = ", ".join(sorted(_KEYS))
            raise ConfigError(f'{origin}: unknown key "{key}" (known: {known})')


def _settle_storage(layer: dict[str, object], origin: str) -> None:
    """Turn ``ephemeral`` into the absence of a data directory; a layer may name one of the two."""
    if "ephemeral" not in layer:
        return
    if layer.pop("ephemeral"):
        if "data_dir" in layer:
            raise ConfigError(f"{origin}: data_dir and ephemeral exclude each other")
        layer["data_dir"] = None
    else:
        layer.setdefault("data_dir", DEFAULT_DATA_DIR)


def _loopback(host: str, origin: str) -> str:
    """Nobody is asked for a password, so nobody from elsewhere may come in."""
    try:
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ConfigError(f'{origin}: host "{host}" is not a loopback address')
    return host


def _parameters(layer: Layer) -> Mapping[str, str]:
    parameters = layer.get("parameters", {})
    assert isinstance(parameters, Mapping)
    return parameters


def _parameter(name: str, value: object, origin: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str() | int() | float():
            return str(value)
        case _:
            raise ConfigError(f"{origin}: parameters.{name} must be a text, a number or a boolean")


def _text(key: str, value: object, origin: str) -> str:
    if isinstance(value, Path):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{origin}: {key} must be a text that is not empty")
    return value


def _number(key: str, value: object, origin: str, *, low: int, high: int) -> int:
    number: int | None = None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        number = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        number = value
    if number is None or not low <= number <= high:
        raise ConfigError(f"{origin}: {key} must be a whole number from {low} to {high}")
    return number


def _boolean(key: str, value: object, origin: str) -> bool:
    match value:
        case bool():
            return value
        case str() if value.lower() in ("1", "on", "true", "yes"):
            return True
        case str() if value.lower() in ("0", "off", "false", "no"):
            return False
        case _:
            raise ConfigError(f"{origin}: {key} must be true or false")
