"""BACKUP TO a directory that the server's configuration has granted."""

from __future__ import annotations

from pathlib import Path

from catalog.errors import InsufficientPrivilege, InvalidParameterValue, Notice
from server.execute.database import refuse_in_block
from server.result import Done
from server.session_state import SessionState


def back_up(state: SessionState, target: str) -> Done:
    """Copy the whole server, while it goes on, to a new directory.

    Raises:
        InsufficientPrivilege: The user is no superuser, or the directory is not granted.
        DuplicateObject: It exists already.
        PgError: It was cancelled, or the disk is full; nothing is left of it.
    """
    refuse_in_block(state, "BACKUP")
    if not state.user.is_superuser:
        raise InsufficientPrivilege("must be superuser to execute BACKUP command")
    directory = _granted(state.manager.backup_root, target)
    epochs = state.manager.back_up(directory, state.user.name, state.interrupt)
    listed = ", ".join(f"{name} at epoch {epoch}" for name, epoch in sorted(epochs.items()))
    state.notice(Notice(f'backup is in "{directory}"', detail=f"Databases: {listed}."))
    return Done("BACKUP")


def _granted(root: Path | None, target: str) -> Path:
    """Return the directory that is meant, if it is below the one that backups may go to."""
    if root is None:
        raise InsufficientPrivilege(
            "no directory is granted for backups",
            hint="Start the server with --backup-root, or backup_root in its configuration.",
        )
    if not target.strip() or "\0" in target:
        raise InvalidParameterValue("a backup needs the name of a directory")
    granted = root.resolve()
    # Links are followed first: one that leads away is away.
    directory = (granted / target).resolve()
    if granted not in directory.parents:
        raise InsufficientPrivilege(
            f'directory "{target}" is not granted for backups',
            detail=f'Backups may go below "{granted}".',
        )
    return directory
