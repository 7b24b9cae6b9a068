"""The server as a whole: databases, users, parameters and the system's pause, as one value.

It is kept in one JSON file that is replaced atomically; what is in a database is in its own file.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID

from barrier.command import PauseInfo, PauseScope
from barrier.seal import Seal
from barrier.session_defaults import SessionDefaults, without_owners
from barrier.write_failure import write_failure
from catalog import acl as acls
from catalog.acl import Acl
from catalog.errors import (
    DuplicateDatabase,
    DuplicateObject,
    IoError,
    ObjectInUse,
    UndefinedDatabase,
    UndefinedObject,
)
from catalog.oid import FIRST_USER_OID, Oid
from catalog.relation import User
from catalog.roles import PREDEFINED, PREDEFINED_MEMBERSHIPS, Membership, Roles

CLUSTER_FILE: Final = "cluster.json"
_LOCK: Final = "lock"
_FORMAT: Final = 1

#: The user who owns what is there from the start.
ROOT_OID: Final = Oid(10)

#: A database's file and all that the engine puts beside it: its write-ahead logs (there are others
#: while a checkpoint runs) and a directory for what does not fit into memory.
DATABASE_FILE: Final = re.compile(r"(\d+)\.duckdb(\..+)?")


@dataclass(frozen=True, slots=True)
class Database:
    """A database of the server.

    Attributes:
        barrier_interval_ms: Its own barrier interval; None is the system's.
        checkpoint_frequency: Its own checkpoint frequency; None is the system's.
        acl: Who may do what with it; None is the default.
    """

    oid: Oid
    name: str
    owner: str
    barrier_interval_ms: int | None = None
    checkpoint_frequency: int | None = None
    acl: Acl | None = None
    comment: str | None = None


def _new_identity() -> str:
    return str(UUID(bytes=secrets.token_bytes(16), version=4))


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that is not in a database.

    Attributes:
        secret: Never told to anybody; in hexadecimal digits.
        identity: What tells this server from all others, as a UUID's text.
        renames: Old and new names of users whose databases may not know the new one yet.
        defaults: What sessions begin with.
        memberships: Which roles are in which.
    """

    databases: Mapping[str, Database]
    users: Mapping[str, User]
    parameters: Mapping[str, str] = field(default_factory=dict)
    pause: PauseInfo | None = None
    next_oid: Oid = FIRST_USER_OID
    secret: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    identity: str = field(default_factory=_new_identity)
    renames: tuple[tuple[str, str], ...] = ()
    defaults: tuple[SessionDefaults, ...] = ()
    memberships: tuple[Membership, ...] = PREDEFINED_MEMBERSHIPS

    @classmethod
    def initial(cls) -> Cluster:
        """Return what a new server has: database dev, users root and postgres."""
        users = {
            name: User(
                Oid(oid), name, is_superuser=True, can_create_database=True, can_create_user=True
            )
            for oid, name in ((ROOT_OID, "root"), (11, "postgres"))
        }
        users |= {user.name: user for user in PREDEFINED}
        return cls({"dev": Database(Oid(1), "dev", "root")}, users)

    @property
    def seal(self) -> Seal:
        """What seals the secrets of its databases."""
        return Seal(bytes.fromhex(self.secret))

    def roles(self) -> Roles:
        """Return who has whose privileges."""
        owners = {database.name: database.owner for database in self.databases.values()}
        return Roles(self.users, self.memberships, owners, self.renames)

    def has_roles_of(self, other: Cluster) -> bool:
        """Whether ``roles`` would give the same."""
        return (
            self.users is other.users
            and self.memberships is other.memberships
            and self.databases is other.databases
            and self.renames is other.renames
        )

    def with_database(self, database: Database) -> Cluster:
        """Return the server with one database more."""
        if database.name in self.databases:
            raise DuplicateDatabase(f'database "{database.name}" already exists')
        return replace(self, databases={**self.databases, database.name: database})

    def without_database(self, name: str) -> Cluster:
        """Return the server with one database less."""
        if name not in self.databases:
            raise UndefinedDatabase.named(name)
        defaults = without_owners(self.defaults, {self.databases[name].oid})
        databases = {k: v for k, v in self.databases.items() if k != name}
        return replace(self, databases=databases, defaults=defaults)

    def with_changed(self, database: Database) -> Cluster:
        """Return the server with another value in a database's place."""
        if database.name not in self.databases:
            raise UndefinedDatabase.named(database.name)
        return replace(self, databases={**self.databases, database.name: database})

    def with_user(self, user: User) -> Cluster:
        """Return the server with one user more."""
        if user.name in self.users:
            raise DuplicateObject(f'role "{user.name}" already exists')
        return replace(self, users={**self.users, user.name: user})

    def without_users(self, names: Collection[str]) -> Cluster:
        """Return the server without some users, who are no members of anything any more."""
        for name in names:
            self._check_user(name)
        gone = {self.users[name].oid for name in names}
        return replace(
            self,
            users={k: v for k, v in self.users.items() if k not in names},
            defaults=without_owners(self.defaults, gone),
            memberships=tuple(m for m in self.memberships if not gone & {m.role, m.member}),
        )

    def with_changed_user(self, user: User) -> Cluster:
        """Return the server with another value in a user's place."""
        self._check_user(user.name)
        return replace(self, users={**self.users, user.name: user})

    def with_renamed_user(self, name: str, new_name: str) -> Cluster:
        """Return the server with a user of another name, who still has to be renamed in it."""
        self._check_user(name)
        if new_name in self.users:
            raise DuplicateObject(f'role "{new_name}" already exists')
        users = {k: v for k, v in self.users.items() if k != name}
        users[new_name] = replace(self.users[name], name=new_name)
        databases = {
            key: replace(
                database,
                owner=new_name if database.owner == name else database.owner,
                acl=acls.renamed(database.acl, name, new_name),
            )
            for key, database in self.databases.items()
        }
        renames = (*self.renames, (name, new_name))
        return replace(self, users=users, databases=databases, renames=renames)

    def _check_user(self, name: str) -> None:
        if name not in self.users:
            raise UndefinedObject(f'role "{name}" does not exist')


class DataDirectory:
    """The directory that one server owns, or memory alone."""

    def __init__(self, path: Path | None) -> None:
        """Take the directory.

        Raises:
            ObjectInUse: Another server has it.
        """
        self._path = path
        self._lock: int | None = None
        if path is not None:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(path)

    def load(self) -> Cluster:
        """Return the server as it was last saved; a new one where there is none.

        Raises:
            IoError: What is there cannot be read, or a database is not there.
        """
        if self._path is None:
            return Cluster.initial()
        file = self._path / CLUSTER_FILE
        if not file.exists():
            if orphans := sorted(path.name for _, path in self._database_files()):
                raise IoError(
                    f'data directory "{self._path}" has databases but no {CLUSTER_FILE}',
                    detail=f"There is {orphans[0]}.",
                    hint=f"Restore {CLUSTER_FILE}, or give the server an empty --data-dir.",
                )
            return Cluster.initial()
        try:
            cluster = _decode(json.loads(file.read_text()))
        except (ValueError, LookupError, TypeError, AttributeError) as e:
            raise IoError(
                f'"{file}" is damaged', detail=f"It cannot be read: {e}.", hint="Restore it."
            ) from e
        self._check_files(cluster)
        return cluster

    def _check_files(self, cluster: Cluster) -> None:
        """Refuse to make a database anew, and empty, whose file is gone."""
        if cluster.next_oid == FIRST_USER_OID:
            return  # Nothing was ever made; the first start may have been cut short.
        for database in cluster.databases.values():
            path = self.database_path(database.oid)
            if path is not None and not path.exists():
                raise IoError(
                    f'database "{database.name}" has no file',
                    detail=f'"{path}" is not there.',
                    hint="Put it back, or restore a backup.",
                )

    def save(self, cluster: Cluster) -> None:
        """Make the server durable before this returns."""
        if self._path is not None:
            write_cluster(self._path, cluster)

    def database_path(self, oid: Oid) -> Path | None:
        """Return where a database is kept; None is in memory."""
        return None if self._path is None else self._path / f"{oid}.duckdb"

    def remove_database(self, oid: Oid) -> None:
        """Remove a database's files."""
        for found, path in self._database_files():
            if found == oid:
                _remove(path)

    def remove_strangers(self, cluster: Cluster) -> None:
        """Remove files of databases whose creation or removal was cut short.

        What does not look like a file of ours is somebody's and stays.
        """
        known = {database.oid for database in cluster.databases.values()}
        for oid, path in self._database_files():
            if oid not in known:
                _remove(path)

    def tell_address(self, address: str) -> None:
        """Leave word of where the server listens for those who find the directory in use."""
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, address.encode(), 0)

    def close(self) -> None:
        """Let another server have the directory."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _database_files(self) -> list[tuple[Oid, Path]]:
        """Return what belongs to databases, each with its database's OID."""
        if self._path is None:
            return []
        named = ((DATABASE_FILE.fullmatch(path.name), path) for path in self._path.iterdir())
        return [(Oid(int(match[1])), path) for match, path in named if match is not None]


def write_cluster(directory: Path, cluster: Cluster) -> None:
    """Put what describes a server into a directory, durably, in the place of what was there.

    Raises:
        PgError: It could not be written; what was there is.
    """
    try:
        _write(directory, json.dumps(_encode(cluster), indent=1))
    except OSError as e:
        raise write_failure(directory / CLUSTER_FILE, e) from e


def _write(directory: Path, text: str) -> None:
    fresh = directory / (CLUSTER_FILE + ".new")
    # The verifiers of passwords are nobody's business.
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(directory / CLUSTER_FILE)
    # A rename is an entry of the directory.
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def address_of(directory: Path) -> str:
    """Return where the server of a directory said that it listens; empty if it did not."""
    try:
        return (directory / _LOCK).read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def _lock(path: Path) -> int:
    lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as e:
        os.close(lock)
        raise ObjectInUse(
            f'data directory "{path}" is in use by another server',
            hint="Stop that server, or give this one another --data-dir.",
        ) from e
    os.ftruncate(lock, 0)
    return lock


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _encode(cluster: Cluster) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "databases": [
            {
                "oid": d.oid,
                "name": d.name,
                "owner": d.owner,
                "barrier_interval_ms": d.barrier_interval_ms,
                "checkpoint_frequency": d.checkpoint_frequency,
                "acl": acls.encode(d.acl),
                "comment": d.comment,
            }
            for d in cluster.databases.values()
        ],
        "users": [
            {
                "oid": u.oid,
                "name": u.name,
                "is_superuser": u.is_superuser,
                "can_create_database": u.can_create_database,
                "can_create_user": u.can_create_user,
                "can_login": u.can_login,
                "inherits": u.inherits,
                "connections_max": u.connections_max,
                "valid_until_ms": u.valid_until_ms,
                "verifier": u.verifier,
                "comment": u.comment,
            }
            for u in cluster.users.values()
        ],
        "parameters": dict(cluster.parameters),
        "pause": None
        if cluster.pause is None
        else {
            "scope": cluster.pause.scope,
            "user": cluster.pause.user,
            "since_ms": cluster.pause.since_ms,
            "until_ms": cluster.pause.until_ms,
        },
        "next_oid": cluster.next_oid,
        "secret": cluster.secret,
        "identity": cluster.identity,
        "renames": [list(names) for names in cluster.renames],
        "defaults": [
            {"database": d.database, "role": d.role, "values": dict(d.values)}
            for d in cluster.defaults
        ],
        "memberships": [[m.role, m.member, m.grantor, m.is_admin] for m in cluster.memberships],
    }


def _decode(described: dict[str, Any]) -> Cluster:
    if described["format"] != _FORMAT:
        raise ValueError(f"its format is {described['format']}, not {_FORMAT}")
    pause = described["pause"]
    return Cluster(
        databases={
            d["name"]: Database(**{**d, "oid": Oid(d["oid"]), "acl": acls.decode(d.get("acl"))})
            for d in described["databases"]
        },
        users={user.name: user for user in PREDEFINED}
        | {u["name"]: User(**{**u, "oid": Oid(u["oid"])}) for u in described["users"]},
        parameters=described["parameters"],
        pause=None
        if pause is None
        else PauseInfo(
            PauseScope(pause["scope"]), pause["user"], pause["since_ms"], pause.get("until_ms")
        ),
        next_oid=Oid(described["next_oid"]),
        # What was written before there were passwords has none of these.
        secret=described.get("secret") or secrets.token_hex(32),
        identity=described.get("identity") or _new_identity(),
        renames=tuple((old, new) for old, new in described.get("renames", ())),
        defaults=tuple(
            SessionDefaults(Oid(d["database"]), Oid(d["role"]), d["values"])
            for d in described.get("defaults", ())
        ),
        memberships=PREDEFINED_MEMBERSHIPS
        if "memberships" not in described
        else tuple(
            Membership(Oid(role), Oid(member), Oid(grantor), is_admin)
            for role, member, grantor, is_admin in described["memberships"]
        ),
    )
