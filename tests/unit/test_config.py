"""Layers of the configuration: who wins, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.config import Config, load
from server.config_value import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tidegate.toml"
    path.write_text(
        'port = 1\nlog_level = "warning"\nthreads = 3\n\n[parameters]\nbarrier_interval_ms = 250\nx = true\n'
    )
    return path


def test_without_anything_the_defaults_hold() -> None:
    assert load(None, {}, {}) == Config()


def test_a_later_layer_wins(file: Path) -> None:
    environment = {"TIDEGATE_PORT": "2", "TIDEGATE_LOG_LEVEL": "ERROR", "OTHER": "x"}
    config = load(file, environment, {"port": 3, "host": None})
    assert (config.port, config.log_level, config.threads) == (3, "error", 3)


def test_parameters_are_merged_one_by_one(file: Path) -> None:
    config = load(file, {"TIDEGATE_PARAMETER_BARRIER_INTERVAL_MS": "500"}, {})
    assert config.parameters == {"barrier_interval_ms": "500", "x": "true"}


def test_a_flag_for_memory_wins_over_a_directory_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tidegate.toml"
    path.write_text('data_dir = "somewhere"\n')
    assert load(path, {}, {}).data_dir == Path("somewhere")
    assert load(path, {}, {"ephemeral": True}).data_dir is None
    assert load(path, {"TIDEGATE_EPHEMERAL": "on"}, {"data_dir": Path("x")}).data_dir == Path("x")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prot = 1", '"prot"'),
        ("port = 70000", "port"),
        ('port = "many"', "port"),
        ("port = true", "port"),
        ('log_level = "loud"', "log_level"),
        ('host = "192.0.2.1"', "loopback"),
        ('ephemeral = "perhaps"', "ephemeral"),
        ('ephemeral = true\ndata_dir = "x"', "exclude"),
        ("parameters = 3", "parameters"),
        ("port =", "tidegate.toml"),
        ("connections_max = 0", "connections_max"),
        ("connections_max = 5\nmax_connections = 5", "are the same"),
        ("connections_max = 5\nconnections_reserved = 5", "must be less than connections_max"),
        ("message_bytes_max = 1", "message_bytes_max"),
        ("cache_bytes_max = -1", "cache_bytes_max"),
        ('authentication_timeout = "soon"', "authentication_timeout must be a time"),
        ("authentication_timeout = 0", "authentication_timeout must be more than nothing"),
        ('authentication_timeout = "11min"', "at most 10min"),
        ('statement_timeout = "1 week"', "statement_timeout must be a time"),
        ("statement_timeout = true", "statement_timeout must be a time"),
        ('tls_cert = "c"', "tls_key is missing"),
        ('tls_key = "k"', "tls_cert is missing"),
        ('tls_cert = "c"\ntls_key = "k"\ntls_self_signed = true', "exclude each other"),
        ('password = "x"', "password belongs in a password_file or in TIDEGATE_PASSWORD"),
        ("hba = 3", "hba must be tables"),
        ("hba = [3]", "hba 1 must be a table"),
        ('[[hba]]\nuser = "x"', "hba 1: method is missing"),
        ('[[hba]]\nmethod = "md5"', "hba 1: method must be one of trust, scram-sha-256"),
        (
            '[[hba]]\nmethod = "trust"\n[[hba]]\nhost = "x"\nmethod = "trust"',
            'hba 2: unknown key "host"',
        ),
        ('[[hba]]\ntype = "local"\nmethod = "trust"', "Unix sockets"),
        ('[[hba]]\ntype = "ssl"\nmethod = "trust"', "type must be one of host, hostssl"),
        ('[[hba]]\ntype = "hostssl"\nmethod = "trust"', 'hba 1: type "hostssl" needs TLS'),
        ('[[hba]]\ntype = "hostnossl"\nmethod = "password"', "clear text"),
        ('[[hba]]\naddress = "10.0.0.0/33"\nmethod = "trust"', 'address "10.0.0.0/33"'),
        ('[[hba]]\naddress = "10.0.0.1/8"\nmethod = "trust"', "host bits set"),
        ('[[hba]]\naddress = "db.example"\nmethod = "trust"', 'address "db.example"'),
        ('[[hba]]\nuser = "+group"\nmethod = "trust"', r'user "\+group" is not supported'),
        ('[[hba]]\nuser = 3\nmethod = "trust"', "user must be a text or a list of texts"),
        ('[[hba]]\nuser = []\nmethod = "trust"', "user must be a text or a list of texts"),
    ],
)
def test_what_cannot_be_is_refused_by_name(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "tidegate.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=told):
        load(path, {}, {})


def test_an_unknown_variable_is_named() -> None:
    with pytest.raises(ConfigError, match='environment: unknown key "prot"'):
        load(None, {"TIDEGATE_PROT": "1"}, {})


def test_limits_and_times_are_read(tmp_path: Path) -> None:
    path = tmp_path / "tidegate.toml"
    path.write_text(
        'max_connections = 7\nmessage_bytes_max = 1000000\nauthentication_timeout = "5s"\n'
        'statement_timeout = "1min"\nidle_session_timeout = 500\n'
    )
    config = load(path, {"TIDEGATE_AUTHENTICATION_TIMEOUT": "3"}, {})
    assert (config.connections_max, config.message_bytes_max) == (7, 1_000_000)
    assert config.authentication_timeout == 3000
    assert config.session_defaults == {"statement_timeout": "60000", "idle_session_timeout": "500"}


def test_others_may_be_served_with_tls_or_by_rules(tmp_path: Path) -> None:
    path = tmp_path / "tidegate.toml"
    for text in ("tls_self_signed = true", '[[hba]]\nmethod = "scram-sha-256"'):
        path.write_text(f'host = "0.0.0.0"\n{text}\n')
        config = load(path, {}, {})
        assert [rule.method for rule in config.rules] == ["scram-sha-256"]


def test_a_later_layer_chooses_another_certificate_and_password(tmp_path: Path) -> None:
    path = tmp_path / "tidegate.toml"
    path.write_text('tls_cert = "c"\ntls_key = "k"\npassword_file = "p"\n')
    config = load(path, {"TIDEGATE_PASSWORD": "very secret"}, {"tls_self_signed": True})
    assert (config.tls_cert, config.tls_key, config.tls_self_signed) == (None, None, True)
    assert (config.password, config.password_file) == ("very secret", None)
    assert "very secret" not in repr(config)
