"""What can be wrong with a path's items (class 22 of SQL/JSON)."""

from __future__ import annotations

from catalog.errors import DataException
from catalog.sqlstate import SqlState


class InvalidDatetimeArgument(
    DataException, sqlstate=SqlState.INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION
):
    """What is to be a moment is none."""


class InvalidJsonSubscript(DataException, sqlstate=SqlState.INVALID_SQL_JSON_SUBSCRIPT):
    """A subscript is no number, or there is no such item."""


class NonNumericJsonItem(DataException, sqlstate=SqlState.NON_NUMERIC_SQL_JSON_ITEM):
    """What is to be a number is none."""


class SingletonJsonItemRequired(DataException, sqlstate=SqlState.SINGLETON_SQL_JSON_ITEM_REQUIRED):
    """There is not exactly one item."""


class JsonArrayNotFound(DataException, sqlstate=SqlState.SQL_JSON_ARRAY_NOT_FOUND):
    """What is to be an array is none."""


class JsonMemberNotFound(DataException, sqlstate=SqlState.SQL_JSON_MEMBER_NOT_FOUND):
    """There is no such member."""


class JsonNumberNotFound(DataException, sqlstate=SqlState.SQL_JSON_NUMBER_NOT_FOUND):
    """What has a sign is no number."""


class JsonObjectNotFound(DataException, sqlstate=SqlState.SQL_JSON_OBJECT_NOT_FOUND):
    """What is to be an object is none."""
