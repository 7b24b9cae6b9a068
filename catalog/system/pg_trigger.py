"""Triggers: those by which PostgreSQL keeps foreign keys, which programs look for (53.55).

Here foreign keys are kept by queries; the rows tell of the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from catalog.constraint import Action, ForeignKey
from catalog.oid import Oid
from catalog.relation import Table
from catalog.system.constraint import key_oid
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot

#: As ``fact_functions`` lists functions.
TRIGGER_FUNCTIONS: Final = """
1644 RI_FKey_check_ins fsv-- 2279; 1645 RI_FKey_check_upd fsv-- 2279;
1646 RI_FKey_cascade_del fsv-- 2279; 1647 RI_FKey_cascade_upd fsv-- 2279;
1648 RI_FKey_restrict_del fsv-- 2279; 1649 RI_FKey_restrict_upd fsv-- 2279;
1650 RI_FKey_setnull_del fsv-- 2279; 1651 RI_FKey_setnull_upd fsv-- 2279;
1652 RI_FKey_setdefault_del fsv-- 2279; 1653 RI_FKey_setdefault_upd fsv-- 2279;
1654 RI_FKey_noaction_del fsv-- 2279; 1655 RI_FKey_noaction_upd fsv-- 2279
"""

#: The functions that are called when a referenced row goes; when it changes it is the next one.
_ON_DELETE: Final = {
    Action.CASCADE: 1646,
    Action.RESTRICT: 1648,
    Action.SET_NULL: 1650,
    Action.SET_DEFAULT: 1652,
    Action.NO_ACTION: 1654,
}
_CHECK_INSERT: Final = 1644

# Of pg_trigger.tgtype: for each row; what it is for.
_ROW: Final = 1
_INSERT: Final = _ROW | 4
_DELETE: Final = _ROW | 8
_UPDATE: Final = _ROW | 16
_EVENTS: Final = {_INSERT: "INSERT", _DELETE: "DELETE", _UPDATE: "UPDATE"}

# OIDs are made from the foreign key's, far from those that are given out.
_TRIGGER_BIT: Final = 1 << 27


class KeyTrigger(NamedTuple):
    """A trigger of a foreign key; ``on`` has it, ``source`` is at the other end."""

    oid: Oid
    name: str
    on: Table
    source: Table
    function: int
    event: int
    key: ForeignKey
    can_wait: bool

    @property
    def event_name(self) -> str:
        """What it is for, as it is written."""
        return _EVENTS[self.event]


def key_triggers(snapshot: Snapshot) -> Iterator[KeyTrigger]:
    """Yield the triggers of all foreign keys."""
    for relation in snapshot.relations():
        if isinstance(relation, Table):
            for key in relation.foreign_keys:
                yield from _of_key(relation, snapshot.catalog.table(key.target), key)


def _of_key(table: Table, target: Table, key: ForeignKey) -> Iterator[KeyTrigger]:
    made = (
        ("a", target, table, _ON_DELETE[key.on_delete], _DELETE, key.on_delete),
        ("a", target, table, _ON_DELETE[key.on_update] + 1, _UPDATE, key.on_update),
        ("c", table, target, _CHECK_INSERT, _INSERT, Action.NO_ACTION),
        ("c", table, target, _CHECK_INSERT + 1, _UPDATE, Action.NO_ACTION),
    )
    for number, (end, on, source, function, event, action) in enumerate(made):
        oid = Oid(key.oid | _TRIGGER_BIT | number << 20)
        name = f"RI_ConstraintTrigger_{end}_{oid}"
        can_wait = action is Action.NO_ACTION
        yield KeyTrigger(oid, name, on, source, function, event, key, can_wait)


def _triggers(snapshot: Snapshot) -> Iterator[Row]:
    for trigger in key_triggers(snapshot):
        key = trigger.key
        target = snapshot.catalog.table(key.target)
        unique = next(unique for unique in target.unique_keys if unique.oid == key.key)
        yield {
            "oid": trigger.oid,
            "tgrelid": trigger.on.oid,
            "tgparentid": 0,
            "tgname": trigger.name,
            "tgfoid": trigger.function,
            "tgtype": trigger.event,
            "tgenabled": "O",
            "tgisinternal": True,
            "tgconstrrelid": trigger.source.oid,
            "tgconstrindid": key_oid(target, unique),
            "tgconstraint": key.oid,
            "tgdeferrable": key.is_deferrable and trigger.can_wait,
            "tginitdeferred": key.is_deferred and trigger.can_wait,
            "tgnargs": 0,
            "tgattr": [],
            "tgargs": "",
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {"pg_trigger": _triggers}
