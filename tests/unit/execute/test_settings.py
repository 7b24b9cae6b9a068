"""SET, SET LOCAL, RESET and what becomes of them when a transaction ends."""

from __future__ import annotations

import pytest

from catalog.errors import (
    CannotChangeParameter,
    FeatureNotSupported,
    InvalidName,
    InvalidParameterValue,
    SqlSyntaxError,
    UndefinedObject,
)
from server.settings import Settings, parse_path

ZONES = {
    "utc": "UTC",
    "europe/berlin": "Europe/Berlin",
    "etc/gmt-3": "Etc/GMT-3",
    "etc/gmt+5": "Etc/GMT+5",
}


class Anybody:
    """Lets everybody act as everybody."""

    def choose(self, parameter: str, name: str) -> str:
        return name

    def is_superuser(self, name: str) -> bool:
        return name == "root"

    def may_see_all_settings(self) -> bool:
        return True


@pytest.fixture
def settings() -> Settings:
    return Settings({"is_superuser": "on"}, lambda name: ZONES.get(name.lower()), Anybody())


def test_defaults_and_aliases(settings: Settings) -> None:
    assert settings.show("search_path") == '"$user", public'
    assert settings.show("RW_IMPLICIT_FLUSH") == "on"
    settings.assign("rw_implicit_flush", ["false"])
    assert settings.show("implicit_flush") == "off"
    assert settings.title("timezone") == "TimeZone"


def test_unknown_parameters(settings: Settings) -> None:
    for act in (
        lambda: settings.show("nope"),
        lambda: settings.assign("nope", ["1"]),
        lambda: settings.reset("nope"),
    ):
        with pytest.raises(UndefinedObject, match='unrecognized configuration parameter "nope"'):
            act()


def test_parameters_that_only_tell(settings: Settings) -> None:
    with pytest.raises(CannotChangeParameter, match='parameter "server_version" cannot be changed'):
        settings.assign("server_version", ["16"])
    assert settings.show("is_superuser") == "on"


def test_lists(settings: Settings) -> None:
    settings.assign("search_path", ["sd_two", "Odd Name", "public"])
    assert settings.show("search_path") == 'sd_two, "Odd Name", public'
    assert settings.search_path() == ["sd_two", "Odd Name", "public"]
    settings.assign("datestyle", ["ISO", "MDY"])
    with pytest.raises(SqlSyntaxError, match="takes only one argument"):
        settings.assign("statement_timeout", ["1", "2"])


@pytest.mark.parametrize(
    ("text", "names"),
    [("", []), ("a, B", ["a", "b"]), ('"$user",public', ["$user", "public"]), ('"a""b"', ['a"b'])],
)
def test_paths(text: str, names: list[str]) -> None:
    assert parse_path(text) == names


@pytest.mark.parametrize("text", ["a b", ",", 'a"b"'])
def test_no_paths(text: str) -> None:
    with pytest.raises(InvalidParameterValue):
        parse_path(text)


def test_time_zones(settings: Settings) -> None:
    settings.assign("timezone", ["europe/berlin"])
    assert settings.time_zone == "Europe/Berlin"
    settings.assign("TimeZone", ["3"])
    assert settings.time_zone == "Etc/GMT-3"
    settings.assign("TimeZone", ["-5"])
    assert settings.time_zone == "Etc/GMT+5"
    with pytest.raises(
        InvalidParameterValue, match='invalid value for parameter "TimeZone": "mars"'
    ):
        settings.assign("timezone", ["mars"])


def test_a_rolled_back_block_undoes_its_settings(settings: Settings) -> None:
    settings.assign("application_name", ["before"])
    settings.begin()
    settings.assign("application_name", ["inside"])
    settings.assign("my.own", ["x"])
    settings.end(is_committed=False)
    assert settings.show("application_name") == "before"
    assert settings.show("my.own") == ""  # As PostgreSQL does: the name stays known.


def test_a_committed_block_undoes_only_what_is_local(settings: Settings) -> None:
    settings.begin()
    settings.assign("application_name", ["kept"])
    settings.assign("statement_timeout", ["5s"], is_local=True)
    settings.assign("paused_dml", ["error"], is_local=True)
    settings.assign("paused_dml", ["error"])
    assert settings.milliseconds("statement_timeout") == 5000
    settings.end(is_committed=True)
    assert settings.show("application_name") == "kept"
    assert settings.show("statement_timeout") == "0"
    assert settings.show("paused_dml") == "error"


def test_local_outside_of_a_block_does_nothing(settings: Settings) -> None:
    settings.assign("application_name", ["x"], is_local=True)
    assert settings.show("application_name") == ""


def test_reset_goes_back_to_what_the_client_began_with(settings: Settings) -> None:
    settings.set("application_name", "psql")
    settings.become_defaults()
    settings.assign("application_name", ["other"])
    settings.assign("search_path", ["a"])
    settings.reset_all()
    assert settings.show("application_name") == "psql"
    assert settings.show("search_path") == '"$user", public'


def test_clients_are_told_of_changes_once(settings: Settings) -> None:
    settings.take_changes()
    settings.assign("application_name", ["x"])
    settings.assign("paused_dml", ["error"])
    assert settings.take_changes() == [("application_name", "x")]
    assert settings.take_changes() == []


def test_custom_parameters_have_a_point(settings: Settings) -> None:
    settings.assign("my.var", ["x"])
    assert settings.show("my.var") == "x"
    with pytest.raises(InvalidName):
        settings.assign("1.x", ["y"])


def test_a_date_style_keeps_what_is_not_said(settings: Settings) -> None:
    settings.assign("datestyle", ["German"])
    assert settings.show("datestyle") == "German, DMY"
    settings.assign("datestyle", ["ISO"])
    assert settings.show("datestyle") == "ISO, DMY"
    settings.assign("datestyle", ["mdy", "sql"])
    assert settings.show("datestyle") == "SQL, MDY"
    for wrong in ("ISO, German", "DMY, MDY", "x"):
        with pytest.raises(InvalidParameterValue, match="DateStyle"):
            settings.assign("datestyle", [wrong])


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        ("streaming_parallelism", "0", "adaptive"),
        ("streaming_parallelism", "bounded(8)", "bounded(8)"),
        ("rw_streaming_parallelism_for_table", "Ratio(0.50)", "ratio(0.5)"),
        ("batch_parallelism", "default", ""),
        ("rw_streaming_enable_delta_join", "true", "on"),
        ("streaming_over_window_cache_policy", "full", "full"),
        ("sink_decouple", "false", "disable"),
        ("upsert_dml", "off", "off"),
    ],
)
def test_parameters_of_the_peers_planner_are_checked_and_shown(
    settings: Settings, name: str, given: str, shown: str
) -> None:
    settings.assign(name, [given])
    assert settings.show(name) == shown
    assert settings.show(name.removeprefix("rw_")) == shown


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("streaming_parallelism", "ratio(2)", InvalidParameterValue),
        ("streaming_parallelism", "many", InvalidParameterValue),
        ("streaming_max_parallelism", "1", InvalidParameterValue),
        ("upsert_dml", "on", FeatureNotSupported),
    ],
)
def test_what_the_peers_planner_could_not_be_told_is_refused(
    settings: Settings, name: str, given: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        settings.assign(name, [given])
