"""Labels of enums and what they are stored as."""

from __future__ import annotations

from catalog.errors import InvalidTextRepresentation
from catalog.types import PgType


def order_of_label(text: str, pg_type: PgType) -> float:
    """Return what an enum's label is stored as.

    Raises:
        InvalidTextRepresentation: The enum has no such label.
    """
    for label, order in pg_type.labels:
        if label == text:
            return order
    raise InvalidTextRepresentation(f'invalid input value for enum {pg_type.sql_name}: "{text}"')


def label_of_order(order: float, pg_type: PgType) -> str:
    """Return the label of a stored value."""
    return next(label for label, known in pg_type.labels if known == order)
