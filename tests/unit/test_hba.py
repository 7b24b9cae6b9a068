"""Which rule is for whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.errors import InvalidAuthorization
from server.config import load
from server.hba import Attempt, Method, Rule, address_of, default_rules, is_loopback, method_for

TLS = 'tls_cert = "c"\ntls_key = "k"\n'


def attempt(
    user: str = "ada",
    database: str = "dev",
    address: str = "192.0.2.7",
    *,
    is_encrypted: bool = False,
    is_own: bool = False,
) -> Attempt:
    return Attempt(user, database, address_of(address), is_encrypted, lambda: is_own)


def rules(tmp_path: Path, text: str) -> tuple[Rule, ...]:
    file = tmp_path / "tidegate.toml"
    file.write_text(TLS + text)
    return load(file, {}, {}).rules


@pytest.mark.parametrize(
    ("rule", "fitting", "others"),
    [
        ('type = "hostssl"', attempt(is_encrypted=True), attempt()),
        ('type = "hostnossl"', attempt(), attempt(is_encrypted=True)),
        ('user = "ada"', attempt(), attempt(user="Ada")),
        ('user = ["bob", "ada"]', attempt(), attempt(user="eve")),
        ('database = "dev"', attempt(), attempt(database="other")),
        ('database = "sameuser"', attempt(database="ada"), attempt()),
        ('address = "192.0.2.0/24"', attempt(), attempt(address="192.0.3.7")),
        ('address = "192.0.2.7"', attempt(), attempt(address="192.0.2.8")),
        ('address = "192.0.2.0/24"', attempt(address="::ffff:192.0.2.7"), attempt(address="::1")),
        ('address = ["::1", "10.0.0.0/8"]', attempt(address="10.9.8.7"), attempt()),
        ('address = "fe80::/10"', attempt(address="fe80::1%eth0"), attempt(address="fd00::1")),
        ('address = "samehost"', attempt(is_own=True), attempt()),
    ],
)
def test_a_rule_is_for_some_and_not_for_others(
    tmp_path: Path, rule: str, fitting: Attempt, others: Attempt
) -> None:
    found = rules(tmp_path, f'[[hba]]\n{rule}\nmethod = "trust"\n')
    assert method_for(found, fitting) is Method.TRUST
    with pytest.raises(InvalidAuthorization):
        method_for(found, others)


def test_the_first_rule_decides(tmp_path: Path) -> None:
    found = rules(
        tmp_path,
        '[[hba]]\nuser = "eve"\nmethod = "reject"\n[[hba]]\nmethod = "trust"\n'
        '[[hba]]\nuser = "eve"\nmethod = "trust"\n',
    )
    assert method_for(found, attempt()) is Method.TRUST
    with pytest.raises(InvalidAuthorization) as caught:
        method_for(found, attempt(user="eve", is_encrypted=True))
    assert caught.value.message == (
        'pg_hba.conf rejects connection for host "192.0.2.7", user "eve", database "dev", '
        "SSL encryption"
    )


def test_no_rules_at_all_let_nobody_in(tmp_path: Path) -> None:
    file = tmp_path / "tidegate.toml"
    file.write_text("hba = []\n")
    with pytest.raises(InvalidAuthorization):
        method_for(load(file, {}, {}).rules, attempt(address="127.0.0.1"))


@pytest.mark.parametrize(
    ("is_loopback_only", "address", "method"),
    [
        (True, "127.0.0.1", Method.TRUST),
        (True, "127.9.9.9", Method.TRUST),
        (True, "::1", Method.TRUST),
        (True, "::ffff:127.0.0.1", Method.TRUST),
        (True, "192.0.2.7", Method.SCRAM),
        (False, "127.0.0.1", Method.SCRAM),
        (False, "192.0.2.7", Method.SCRAM),
    ],
)
def test_without_rules_only_neighbours_are_trusted(
    is_loopback_only: bool, address: str, method: Method
) -> None:
    found = default_rules(is_loopback_only=is_loopback_only)
    assert method_for(found, attempt(address=address)) is method


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("db.example", False),
        ("", False),
    ],
)
def test_what_reaches_further_than_the_machine(host: str, is_local: bool) -> None:
    assert is_loopback(host) is is_local
