"""Who may come in from where, and how they prove who they are: pg_hba.conf as a value.

The first rule that fits a connection decides; no rule is a refusal (PostgreSQL 15, chapter 21.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from catalog.errors import InvalidAuthorization

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


class Method(StrEnum):
    """How a client proves who it is."""

    TRUST = "trust"
    SCRAM = "scram-sha-256"
    PASSWORD = "password"  # noqa: S105  # the name of a method
    REJECT = "reject"


class Transport(StrEnum):
    """Which connections a rule is for."""

    HOST = "host"
    HOSTSSL = "hostssl"
    HOSTNOSSL = "hostnossl"


ALL: Final = "all"
SAME_USER: Final = "sameuser"
SAME_HOST: Final = "samehost"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A client that wants to come in.

    Attributes:
        address: Where it comes from.
        is_own_address: Tells whether that is an address of this machine.
    """

    user: str
    database: str
    address: Address
    is_encrypted: bool
    is_own_address: Callable[[], bool]

    def __str__(self) -> str:
        encryption = "SSL encryption" if self.is_encrypted else "no encryption"
        return (
            f'host "{self.address}", user "{self.user}", database "{self.database}", {encryption}'
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry.

    Attributes:
        databases: Names, or ``all`` or ``sameuser``.
        users: Names, or ``all``.
        networks: Where the client is; None is ``samehost``, empty is everywhere.
    """

    transport: Transport = Transport.HOST
    databases: tuple[str, ...] = (ALL,)
    users: tuple[str, ...] = (ALL,)
    networks: tuple[Network, ...] | None = ()
    method: Method = Method.SCRAM

    def fits(self, attempt: Attempt) -> bool:
        """Whether the rule is for that client."""
        return (
            self._fits_transport(attempt)
            and (ALL in self.users or attempt.user in self.users)
            and self._fits_database(attempt)
            and self._fits_address(attempt)
        )

    def _fits_transport(self, attempt: Attempt) -> bool:
        match self.transport:
            case Transport.HOST:
                return True
            case Transport.HOSTSSL:
                return attempt.is_encrypted
            case Transport.HOSTNOSSL:
                return not attempt.is_encrypted

    def _fits_database(self, attempt: Attempt) -> bool:
        names = self.databases
        is_same_user = SAME_USER in names and attempt.database == attempt.user
        return ALL in names or is_same_user or attempt.database in names

    def _fits_address(self, attempt: Attempt) -> bool:
        if self.networks is None:
            return attempt.is_own_address()
        return not self.networks or any(attempt.address in network for network in self.networks)


LOOPBACK: Final[tuple[Network, ...]] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


def default_rules(*, is_loopback_only: bool) -> tuple[Rule, ...]:
    """Return the rules of a server whose owner wrote none.

    Whoever reaches a server that listens on loopback addresses alone is on its machine, and
    trusted; everybody else needs a password.
    """
    trusted = (Rule(networks=LOOPBACK, method=Method.TRUST),) if is_loopback_only else ()
    return (*trusted, Rule())


def method_for(rules: Sequence[Rule], attempt: Attempt) -> Method:
    """Return how a client must prove who it is.

    Raises:
        InvalidAuthorization: FATAL; no rule is for it, or one that rejects it.
    """
    method = next((rule.method for rule in rules if rule.fits(attempt)), None)
    if method is None:
        raise InvalidAuthorization(f"no pg_hba.conf entry for {attempt}", severity="FATAL")
    if method is Method.REJECT:
        raise InvalidAuthorization(
            f"pg_hba.conf rejects connection for {attempt}", severity="FATAL"
        )
    return method


def address_of(peer: str) -> Address:
    """Return a client's address; an IPv4 address is one even when it comes in IPv6's clothes."""
    address = ip_address(peer.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def is_loopback(host: str) -> bool:
    """Whether a server that listens at that address can be reached from its own machine only."""
    try:
        return host == "localhost" or address_of(host).is_loopback
    except ValueError:
        return False
