"""The one way in which a start fails."""

from __future__ import annotations


class ServeError(Exception):
    """The server could not start; the message is one line for the person who started it."""
