"""What must be known when a statement is bound: units, templates, delimiters, names of settings.

The engine takes these as constants only. A parameter in such a place is noted, so that the
statement is bound once more with its value when it is run (``server.execute.late``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from server.sql.typed import Typed

_listener: ContextVar[Callable[[int], None] | None] = ContextVar("value_listener", default=None)


@contextmanager
def values_asked_of(note: Callable[[int], None]) -> Iterator[None]:
    """Have the numbers of parameters noted whose values must be known, while this lasts."""
    token = _listener.set(note)
    try:
        yield
    finally:
        _listener.reset(token)


def known_text(
    value: Typed, what: str, *, stand_in: str, position: int | None = None
) -> str | None:
    """Return the text of a constant, None of NULL.

    Args:
        value: The constant, with its type. What is made of a parameter is never run, so for one
            ``stand_in`` is returned.
        what: It, for the message: ``the unit of a date or time``.
        stand_in: Something that may stand there.
        position: For the message.

    Raises:
        FeatureNotSupported: It is neither constant nor parameter.
    """
    tree = value.tree
    while isinstance(tree, (exp.Cast, exp.Paren)):
        tree = tree.this
    note = _listener.get()
    if isinstance(tree, exp.Parameter) and note is not None:
        note(int(tree.name))
        return stand_in
    if isinstance(tree, exp.Null):
        return None
    if isinstance(tree, exp.Boolean):
        return "true" if tree.this else "false"
    if isinstance(tree, exp.Neg) and isinstance(tree.this, exp.Literal):
        return f"-{tree.this.name}"
    if isinstance(tree, exp.Literal):
        return tree.name
    raise FeatureNotSupported(f"{what} must be a constant", position=position)
