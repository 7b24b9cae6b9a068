"""The connector ``nexmark``: its tables as RisingWave has them. There are no rows of it yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from barrier.connector.option import choice
from catalog.connector import Connector
from catalog.errors import InvalidTableDefinition
from catalog.relation import Column

#: The columns of each table in their order.
_TABLES: Final = {
    "person": "id name email_address credit_card city state date_time extra",
    "auction": "id item_name description initial_bid reserve date_time expires seller category"
    " extra",
    "bid": "auction bidder price channel url date_time extra",
}
#: Of all events together.
_ALL: Final = "event_type person auction bid"


def check_schema(connector: Connector, columns: Sequence[Column]) -> None:
    """Refuse a source that has other columns than its table of events.

    Raises:
        InvalidTableDefinition: It has.
        InvalidParameterValue: There is no such table.
    """
    name = "nexmark.table.type"
    is_one = bool(connector.option(name))
    expected = (_TABLES[choice(connector, name, tuple(_TABLES))] if is_one else _ALL).split()
    if [column.name for column in columns] != expected:
        raise InvalidTableDefinition(
            "The schema of the nexmark source must specify all columns in order",
            detail=f"They are {', '.join(expected)}.",
        )
