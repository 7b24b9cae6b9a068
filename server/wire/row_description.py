"""What a client is told of the columns of a result."""

from __future__ import annotations

from collections.abc import Sequence

from server.wire import messages as m
from server.wire.codec import encode
from server.wire.session_contract import OutputColumn


def row_description(columns: Sequence[OutputColumn], formats: Sequence[int]) -> bytes:
    """Return the message that describes columns, in the given formats."""
    fields = (
        m.FieldDescription(
            column.name,
            column.relation_oid,
            column.number,
            column.type.oid,
            column.type.size,
            column.type.modifier,
            code,
        )
        for column, code in zip(columns, formats, strict=True)
    )
    return encode(m.RowDescription(tuple(fields)))
