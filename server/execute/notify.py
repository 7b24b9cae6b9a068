"""LISTEN, UNLISTEN and NOTIFY; all of them take effect when the transaction is committed."""

from __future__ import annotations

from server import notifications
from server.promise import Listening
from server.result import Done
from server.session_state import SessionState


def listen(state: SessionState, channel: str) -> Done:
    """Do LISTEN."""
    state.transaction.promises.listenings.append(Listening(channel, is_wanted=True))
    return Done("LISTEN")


def unlisten(state: SessionState, channel: str | None) -> Done:
    """Do UNLISTEN of a channel, or of all."""
    state.transaction.promises.listenings.append(Listening(channel, is_wanted=False))
    return Done("UNLISTEN")


def notify(state: SessionState, channel: str, payload: str) -> Done:
    """Do NOTIFY.

    Raises:
        InvalidParameterValue: The channel or the payload is too long.
    """
    notifications.check(channel, payload)
    state.transaction.promises.notifications[channel, payload] = None
    return Done("NOTIFY")
