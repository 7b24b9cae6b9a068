"""What the person who runs the server decided, from a file, the environment and flags.

Later layers win: defaults, then the TOML file, then ``TIDEGATE_*`` variables, then flags. An
unknown key is an error, since a misspelt limit is worse than none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

from server.config_value import ConfigError, boolean, duration_ms, number, text
from server.hba import Rule, Transport, default_rules, is_loopback
from server.hba_config import parse_rules
from server.wire.codec import LONG_MESSAGE_BYTES_MAX

ENVIRONMENT_PREFIX: Final = "TIDEGATE_"
PARAMETER_PREFIX: Final = "parameter_"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
DEFAULT_DATA_DIR: Final = Path("tidegate-data")
_ENVIRONMENT: Final = "environment"

#: One layer's decisions, not yet checked; the texts of the environment included.
Layer = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that is fixed while a server runs."""

    host: str = "127.0.0.1"
    port: int = 4566  #: 0 lets the system pick a free one.
    data_dir: Path | None = DEFAULT_DATA_DIR  #: None keeps everything in memory.
    log_level: str = "info"
    memory_limit: str | None = None  #: DuckDB's spelling, such as "4GB"; None: by the machine.
    cache_bytes_max: int | None = (
        None  #: For what is asked again; 0 keeps nothing, None: by the machine.
    )
    threads: int | None = None  #: DuckDB's worker threads; None: as many as cores.
    connections_max: int = 1000
    connections_reserved: int | None = None  #: For superusers; None is a few, if there are enough.
    message_bytes_max: int = LONG_MESSAGE_BYTES_MAX
    authentication_timeout: int = 60_000  #: In milliseconds, as all times.
    statement_timeout: int = 0  #: Of sessions that say nothing else; 0 is none.
    idle_session_timeout: int = 0
    idle_in_transaction_session_timeout: int = 0
    backup_root: Path | None = None  #: Below it SQL may put backups; None is nowhere.
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_self_signed: bool = False
    hba: tuple[Rule, ...] | None = None  #: None are the default rules.
    password: str | None = field(default=None, repr=False)  #: The first password of root.
    password_file: Path | None = None  #: A file with it.
    parameters: Mapping[str, str] = field(default_factory=dict)  #: At the first start.

    @property
    def has_tls(self) -> bool:
        """Whether connections can be encrypted."""
        return self.tls_cert is not None or self.tls_self_signed

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Who may come in, and how."""
        if self.hba is not None:
            return self.hba
        return default_rules(is_loopback_only=is_loopback(self.host))

    @property
    def session_defaults(self) -> Mapping[str, str]:
        """The parameters that sessions begin with, where these are not their usual ones."""
        limits_ms = {name: getattr(self, name) for name in SESSION_TIMEOUTS}
        return {name: str(limit_ms) for name, limit_ms in limits_ms.items() if limit_ms}

    @property
    def facts(self) -> Mapping[str, str]:
        """The values of internal parameters that tell of this server."""
        where = "" if self.data_dir is None else str(self.data_dir.resolve())
        return {"max_connections": str(self.connections_max), "data_directory": where}


SESSION_TIMEOUTS: Final = (
    "statement_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout"
)  # fmt: skip
_KEYS: Final = frozenset(f.name for f in fields(Config)) | {"ephemeral"}

#: PostgreSQL's names for keys of ours.
_ALIASES: Final = {"max_connections": "connections_max"}

#: Keys of which a layer may name one; the later layer's puts the earlier one's away.
_ALTERNATIVES: Final = (("tls_cert", "tls_self_signed"), ("password", "password_file"))


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
    layers.append((_ENVIRONMENT, _from_environment(environment)))
    layers.append(("command line", {k: v for k, v in flags.items() if v is not None}))
    values: dict[str, object] = {}
    for origin, layer in layers:
        checked = _checked(layer, origin)
        _settle_storage(checked, origin)
        _settle_alternatives(values, checked, origin)
        parameters = {**_parameters(values), **_parameters(checked)}
        values |= checked
        values["parameters"] = parameters
    config = Config(**values)  # type: ignore[arg-type]  # _check gave each key its type
    _check_together(config)
    return config


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


def _checked(layer: Layer, origin: str) -> dict[str, object]:
    checked: dict[str, object] = {}
    for key, value in layer.items():
        name = _ALIASES.get(key, key)
        if name in checked:
            raise ConfigError(f"{origin}: {key} and {name} are the same; give one of them")
        checked[name] = _check(name, value, origin)
    return checked


def _check(key: str, value: object, origin: str) -> object:
    match key:
        case "host" | "memory_limit":
            return text(key, value, origin)
        case "port":
            return number(key, value, origin, low=0, high=65535)
        case "connections_max" | "threads":
            return number(key, value, origin, low=1, high=100_000)
        case "connections_reserved":
            return number(key, value, origin, low=0, high=100_000)
        case "cache_bytes_max":
            return number(key, value, origin, low=0, high=2**40)
        case "message_bytes_max":
            return number(key, value, origin, low=10_000, high=2**30 - 1)
        case "authentication_timeout":
            return _authentication_timeout(key, value, origin)
        case "statement_timeout" | "idle_session_timeout" | "idle_in_transaction_session_timeout":
            return duration_ms(key, value, origin)
        case "data_dir" | "backup_root" | "tls_cert" | "tls_key" | "password_file":
            return _path(key, value, origin)
        case "ephemeral" | "tls_self_signed":
            return boolean(key, value, origin)
        case "hba":
            return parse_rules(value, origin)
        case "password":
            return _password(key, value, origin)
        case "log_level":
            level = text(key, value, origin).lower()
            if level not in LOG_LEVELS:
                raise ConfigError(f"{origin}: log_level must be one of {', '.join(LOG_LEVELS)}")
            return level
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


def _settle_alternatives(earlier: dict[str, object], layer: dict[str, object], origin: str) -> None:
    for one, other in _ALTERNATIVES:
        if layer.get(one) and layer.get(other):
            raise ConfigError(f"{origin}: {one} and {other} exclude each other")
        if layer.get(one):
            earlier.pop(other, None)
        if layer.get(other):
            earlier.pop(one, None)
            if one == "tls_cert":
                earlier.pop("tls_key", None)


def _check_together(config: Config) -> None:
    """Refuse keys that make no sense together, whichever layers they came from."""
    if (config.tls_cert is None) != (config.tls_key is None):
        missing = "tls_key" if config.tls_key is None else "tls_cert"
        raise ConfigError(f"tls_cert and tls_key belong together: {missing} is missing")
    if config.tls_key is not None and config.tls_self_signed:
        raise ConfigError("tls_key and tls_self_signed exclude each other")
    reserved = config.connections_reserved or 0
    if reserved >= config.connections_max:
        raise ConfigError(
            f"connections_reserved ({reserved}) must be less than connections_max "
            f"({config.connections_max})"
        )
    for place, rule in enumerate(config.hba or (), start=1):
        if rule.transport is Transport.HOSTSSL and not config.has_tls:
            raise ConfigError(
                f'hba {place}: type "hostssl" needs TLS: give tls_cert and tls_key, '
                "or tls_self_signed"
            )
    if not is_loopback(config.host) and not config.has_tls and config.hba is None:
        raise ConfigError(
            f'host "{config.host}" is not a loopback address: give --tls-self-signed, or '
            "--tls-cert and --tls-key, or say in [[hba]] rules who may come in without TLS"
        )


def _authentication_timeout(key: str, value: object, origin: str) -> int:
    found = duration_ms(key, value, origin, unit="s")
    if not 1 <= found <= 600_000:
        raise ConfigError(f"{origin}: {key} must be more than nothing and at most 10min")
    return found


def _path(key: str, value: object, origin: str) -> Path:
    written = str(value) if isinstance(value, Path) else value
    return Path(text(key, written, origin)).expanduser()


def _password(key: str, value: object, origin: str) -> str:
    """A password is in a file of its own or in the environment, not where settings are."""
    if origin != _ENVIRONMENT:
        raise ConfigError(f"{origin}: {key} belongs in a password_file or in TIDEGATE_PASSWORD")
    return text(key, value, origin)


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
