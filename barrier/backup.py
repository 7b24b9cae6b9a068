"""Backups: a directory with all that a data directory needs, and what proves it whole.

``backup.json`` lists the files with their sizes and digests and is written last; the directory gets
its name when everything is on the disk. So there is a whole backup of that name, or none. What a
server that was killed has left of one is told from what is being written by a lock, and removed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from barrier.cluster import CLUSTER_FILE, DATABASE_FILE, DataDirectory
from barrier.epoch import Epoch
from barrier.write_failure import write_failure
from catalog.errors import DuplicateObject, IoError, UndefinedObject

_log = logging.getLogger(__name__)

_MANIFEST: Final = "backup.json"
_FORMAT: Final = 1
_PARTIAL: Final = ".partial"

#: A file that says of a directory that it was made here, and is not finished.
_MARK: Final = "unfinished"
_CHUNK_BYTES: Final = 1 << 20


@contextmanager
def new_directory(target: Path) -> Iterator[Path]:
    """Give a directory to fill; it is there under its own name when the block has ended well.

    Raises:
        DuplicateObject: There is something of that name.
        IoError: It cannot be made.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise DuplicateObject(f'directory "{target}" exists already and is not empty')
    partial = target.with_name(target.name + _PARTIAL)
    remove_unfinished(target.parent)
    try:
        partial.mkdir(mode=0o700, parents=True)
    except FileExistsError as e:
        raise DuplicateObject(
            f'directory "{partial}" exists already',
            hint="Another backup may be written there; if none is, remove it.",
        ) from e
    except OSError as e:
        raise write_failure(partial, e) from e
    try:
        with _holding(partial):
            try:
                (partial / _MARK).touch()
                yield partial
                if target.exists():
                    target.rmdir()
                partial.rename(target)
                (target / _MARK).unlink()
            finally:
                shutil.rmtree(partial, ignore_errors=True)
        _sync(target)
        _sync(target.parent)
    except OSError as e:
        raise write_failure(target, e) from e


def remove_unfinished(parent: Path) -> None:
    """Remove directories that were to become backups, and that nobody writes any more."""
    try:
        found = [path for path in parent.iterdir() if path.name.endswith(_PARTIAL)]
    except OSError:
        return  # Whatever is wrong with it, who writes there is told.
    for path in found:
        try:
            with _holding(path, waits=False) as held:
                # Of that name there may be another by now, which somebody writes.
                if (path / _MARK).is_file() and path.stat().st_ino == held:
                    shutil.rmtree(path, ignore_errors=True)
                    _log.info("removed %s, which was to become a backup", path)
        except OSError:
            continue  # It is being written, or somebody else's.


def seal(directory: Path, epochs: Mapping[str, Epoch], taken_ms: int) -> None:
    """Write what proves the files of a backup whole, and have all of them on the disk.

    Args:
        directory: Where they are.
        epochs: The epoch that each database's copy is of, where that is known.
        taken_ms: When the backup was begun, in milliseconds since 1970.
    """
    paths = sorted(path for path in directory.iterdir() if path.name != _MARK)
    files = {path.name: _proof(path) for path in paths}
    described = {
        "format": _FORMAT,
        "taken_ms": taken_ms,
        "epochs": dict(epochs),
        "files": files,
    }
    manifest = directory / _MANIFEST
    manifest.write_text(json.dumps(described, indent=1))
    for path in directory.iterdir():
        _sync(path)
    _sync(directory)


def back_up_stopped(data_dir: Path, target: Path, taken_ms: int) -> None:
    """Copy the data directory of a server that does not run.

    Raises:
        ObjectInUse: It runs.
        UndefinedObject: There is no data directory.
        DuplicateObject: There is something where the backup is to be.
    """
    if not (data_dir / CLUSTER_FILE).exists():
        raise UndefinedObject(f'"{data_dir}" is not a data directory')
    with DataDirectory(data_dir) as directory:
        directory.load()  # What cannot be read is not worth a backup.
        with new_directory(target) as partial:
            for path in sorted(data_dir.iterdir()):
                if path.is_file() and _belongs(path.name):
                    shutil.copy2(path, partial / path.name)
            seal(partial, {}, taken_ms)


def restore(source: Path, data_dir: Path) -> dict[str, Any]:
    """Make a data directory from a backup; returns what ``backup.json`` says.

    Raises:
        UndefinedObject: There is no backup.
        IoError: It is not whole.
        DuplicateObject: The data directory has something in it.
    """
    described = _manifest(source)
    files: Mapping[str, Mapping[str, object]] = described["files"]
    for name, proof in files.items():
        path = source / name
        if not _belongs(name) or not path.is_file() or _proof(path) != proof:
            raise IoError(
                f'backup "{source}" is damaged', detail=f'File "{name}" is not what was written.'
            )
    with new_directory(data_dir) as partial:
        for name in files:
            shutil.copy2(source / name, partial / name)
            _sync(partial / name)
        _sync(partial)
    return described


def _manifest(source: Path) -> dict[str, Any]:
    path = source / _MANIFEST
    if not path.is_file():
        raise UndefinedObject(f'"{source}" is not a backup', detail=f"It has no {_MANIFEST}.")
    try:
        described: dict[str, Any] = json.loads(path.read_text())
        is_known = described["format"] == _FORMAT and CLUSTER_FILE in described["files"]
    except (ValueError, LookupError, TypeError, AttributeError) as e:
        raise IoError(f'"{path}" is damaged', detail=f"It cannot be read: {e}.") from e
    if not is_known:
        raise IoError(
            f'"{path}" is damaged', detail="It is of another format, or does not list everything."
        )
    return described


def _belongs(name: str) -> bool:
    """Whether a file is part of a server's data; logs of the engine are, its scratch is not."""
    return name == CLUSTER_FILE or DATABASE_FILE.fullmatch(name) is not None


def _proof(path: Path) -> dict[str, object]:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}


@contextmanager
def _holding(directory: Path, *, waits: bool = True) -> Iterator[int]:
    """Hold a directory against everybody, other processes too; gives the number of its inode.

    Raises:
        OSError: Somebody else does, or there is none.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        yield os.fstat(descriptor).st_ino
    finally:
        os.close(descriptor)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
