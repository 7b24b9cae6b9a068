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
