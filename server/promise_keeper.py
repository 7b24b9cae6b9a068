"""What a session has to do with others: it listens, notifies, and holds advisory locks."""

from __future__ import annotations

from barrier.worker import BarrierWorker
from server.advisory_lock import Owner
from server.notifications import Mailbox, Notification
from server.promise import Listening, Promises
from server.sessions import Sessions


class PromiseKeeper:
    """Keeps what one session's transactions have promised.

    Attributes:
        owner: The session, to the locks.
        mailbox: What was sent to it.
        channels: What it listens to, in the order in which that began.
    """

    def __init__(self, sessions: Sessions, owner: Owner, mailbox: Mailbox) -> None:
        self._sessions = sessions
        self.owner = owner
        self.mailbox = mailbox
        self.channels: dict[str, None] = {}

    def keep(self, promises: Promises, database: BarrierWorker, *, is_committed: bool) -> None:
        """Do what was promised, or only let go of what was held until then."""
        if is_committed:
            self.send(promises, database)
        for tag, hold in promises.locks:
            self._sessions.locks.release(self.owner, tag, hold)

    def send(self, promises: Promises, database: BarrierWorker) -> None:
        """Listen, and notify, as it was promised."""
        for listening in promises.listenings:
            self._listen(listening, database)
        if promises.notifications:
            me = self.owner.process_id
            sent = [Notification(me, *key) for key in promises.notifications]
            self._sessions.notifications.send(database, sent)

    def leave(self, database: BarrierWorker) -> None:
        """Listen to nothing and hold no advisory lock any more."""
        self._listen(Listening(None, is_wanted=False), database)
        self._sessions.locks.release_all(self.owner)

    def _listen(self, listening: Listening, database: BarrierWorker) -> None:
        notifications, channel = self._sessions.notifications, listening.channel
        if listening.is_wanted and channel is not None:
            self.channels[channel] = None
            notifications.listen(database, channel, self.mailbox)
            return
        for name in list(self.channels) if channel is None else [channel]:
            self.channels.pop(name, None)
            notifications.unlisten(database, name, self.mailbox)
