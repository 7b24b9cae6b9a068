"""Whether a sink only appends, or also changes and takes away what it has written.

It is what ``type`` says, and without one what the form of its query tells; ``debezium`` is another
name of ``retract``, which is told of what goes as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from catalog.errors import InvalidParameterValue, InvalidTableDefinition
from catalog.state import Catalog
from server.sql.bind.result import BoundQuery
from server.sql.closing.growth import grows

APPEND_ONLY: Final = "append-only"
UPSERT: Final = "upsert"

_IGNORES_DELETE: Final = "ignore_delete"
#: Has come before the other, and says the same.
_FORCE_APPEND_ONLY: Final = "force_append_only"


def ignores_delete(options: Mapping[str, str]) -> bool:
    """Whether a sink is told to pass over what goes.

    Raises:
        InvalidParameterValue: It is said twice, or with a value that is no boolean.
    """
    said = [name for name in (_IGNORES_DELETE, _FORCE_APPEND_ONLY) if name in options]
    if len(said) > 1:
        raise InvalidParameterValue(
            f"`{_FORCE_APPEND_ONLY}` is an alias of `{_IGNORES_DELETE}`, "
            "only one of them can be specified."
        )
    return bool(said) and options[said[0]].lower() == "true"


def appends_only(catalog: Catalog, bound: BoundQuery, options: Mapping[str, str]) -> bool:
    """Return whether a sink only appends, by its type or else by its query.

    Raises:
        InvalidTableDefinition: Its query gives other than what its type takes.
        InvalidParameterValue: Its options contradict each other.
    """
    kind, is_deaf = options.get("type"), ignores_delete(options)
    if kind in ("retract", "debezium") and is_deaf:
        raise InvalidParameterValue(
            "Retract sink type does not support `ignore_delete`.",
            hint=f"Please use `type = '{APPEND_ONLY}'` or `type = '{UPSERT}'` instead.",
        )
    if kind is not None and kind != APPEND_ONLY:
        return False
    only_comes = grows(bound.tree, catalog, may_expire=True)
    if kind == APPEND_ONLY and not only_comes and not is_deaf:
        raise InvalidTableDefinition(
            "The sink of retract stream cannot be append-only.",
            hint="Please add \"force_append_only='true'\" in WITH options to force the sink to be "
            "append-only. Note that this may cause the sink executor to drop updates or deletes.",
        )
    return kind == APPEND_ONLY or only_comes
