"""Parameter values: what is accepted, how it is shown, and what the refusals say."""

from __future__ import annotations

import pytest

from catalog.errors import (
    CannotChangeParameter,
    FeatureNotSupported,
    InvalidParameterValue,
    UndefinedObject,
)
from catalog.parameter_kind import Boolean, Choice, Duration, Fixed, Integer, parse_duration_ms
from catalog.parameters import canonical_value, parameter_rows, slowness_notice


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("200ms", "200ms"),
        ("200", "200ms"),
        ("5s", "5s"),
        ("60000", "1min"),
        ("1min", "1min"),
        ("0", "0"),
        (" 2 h ", "2h"),
        ("1.5s", "1500ms"),
        ("86400000", "1d"),
        ("100us", "0"),
    ],
)
def test_a_duration_is_shown_in_its_largest_unit(text: str, shown: str) -> None:
    assert Duration().canonical("statement_timeout", text) == shown


@pytest.mark.parametrize("shown", ["0", "700ms", "5s", "1min", "2h", "1d"])
def test_a_shown_duration_reads_back(shown: str) -> None:
    assert Duration().canonical("x", str(parse_duration_ms(shown))) == shown


@pytest.mark.parametrize("text", ["soon", "", "5 parsecs", "-1", "99999999999"])
def test_no_duration(text: str) -> None:
    with pytest.raises(InvalidParameterValue):
        Duration().canonical("statement_timeout", text)


def test_the_words_of_a_bad_duration_are_postgresql_s() -> None:
    with pytest.raises(InvalidParameterValue) as caught:
        Duration().canonical("statement_timeout", "soon")
    assert caught.value.message == 'invalid value for parameter "statement_timeout": "soon"'
    with pytest.raises(InvalidParameterValue) as caught:
        Duration().canonical("statement_timeout", "5 parsecs")
    assert (
        caught.value.hint
        == 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".'
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("on", "on"),
        ("TRUE", "on"),
        ("y", "on"),
        ("1", "on"),
        ("of", "off"),
        ("F", "off"),
        ("0", "off"),
    ],
)
def test_booleans_in_all_spellings(text: str, shown: str) -> None:
    assert Boolean().canonical("jit", text) == shown


@pytest.mark.parametrize("text", ["", "o", "maybe", "onward"])
def test_no_boolean(text: str) -> None:
    with pytest.raises(InvalidParameterValue, match='parameter "jit" requires a Boolean value'):
        Boolean().canonical("jit", text)


def test_an_integer_has_bounds() -> None:
    assert Integer(1, 3).canonical("extra_float_digits", "2") == "2"
    with pytest.raises(InvalidParameterValue, match=r"4 is outside the valid range .*\(1 \.\. 3\)"):
        Integer(1, 3).canonical("extra_float_digits", "4")
    with pytest.raises(InvalidParameterValue):
        Integer().canonical("x", "1.5")


def test_a_choice_lists_its_values() -> None:
    with pytest.raises(InvalidParameterValue) as caught:
        Choice(("wait", "error")).canonical("paused_dml", "perhaps")
    assert caught.value.hint == "Available values: wait, error."


def test_a_fixed_parameter_takes_the_value_it_has() -> None:
    assert Fixed("UTF8", ("utf-8",)).canonical("client_encoding", "utf-8") == "UTF8"
    with pytest.raises(FeatureNotSupported):
        Fixed("UTF8").canonical("client_encoding", "LATIN1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("barrier_interval_ms", "49"),
        ("checkpoint_frequency", "0"),
        ("pause_on_next_bootstrap", "maybe"),
    ],
)
def test_system_parameters_have_bounds(name: str, value: str) -> None:
    with pytest.raises(InvalidParameterValue):
        canonical_value(name, value)


@pytest.mark.parametrize(
    ("value", "ms"), [("250", "250"), ("2s", "2000"), ("1.5 min", "90000"), ("0.1s", "100")]
)
def test_times_of_the_system_may_have_units(value: str, ms: str) -> None:
    assert canonical_value("barrier_interval_ms", value) == ms


@pytest.mark.parametrize("value", ["2 parsecs", "1S", "10ms", "50.5", "100 d", ""])
def test_times_of_the_system_have_bounds_and_known_units(value: str) -> None:
    with pytest.raises(InvalidParameterValue):
        canonical_value("barrier_interval_ms", value)


def test_unknown_and_immutable_system_parameters() -> None:
    with pytest.raises(UndefinedObject, match='unrecognized system parameter "nope"'):
        canonical_value("nope", "1")
    with pytest.raises(CannotChangeParameter):
        canonical_value("per_database_isolation", "true")


def test_rare_barriers_and_checkpoints_are_remarked_upon() -> None:
    assert slowness_notice("barrier_interval_ms", "299999") is None
    slow = slowness_notice("barrier_interval_ms", "300000")
    rare = slowness_notice("checkpoint_frequency", "60")
    assert slow is not None
    assert rare is not None
    assert "This can hurt freshness" in slow.message
    assert slowness_notice("checkpoint_frequency", "59") is None


def test_show_parameters_rows() -> None:
    rows = {
        name: (value, is_mutable)
        for name, value, _, is_mutable in parameter_rows({"barrier_interval_ms": "500"})
    }
    assert rows["barrier_interval_ms"] == ("500", True)
    assert rows["per_database_isolation"] == ("true", False)
